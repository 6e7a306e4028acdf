//! The piece on the bench: loaded in the real runtime, its platform played beside it. Keeps the record of a question as the
//! host would, so that every hook gets what it would get there.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use frogbot_manifest::Manifest;
use lifecycle::question::{Message, Parsed, PieceState};
use lifecycle::tool::{Input, Output};
use lifecycle::{Actor, CallId, Timestamp};
use ports::Pieces;
use ports::pieces::{
    Call, ChannelInfo, Context, Conversation, Ending, Event, HookFault, InboundRequest, Interaction,
    ParseResult, QuestionChange, Received, Record, Shared,
};
use runtime::{
    ChannelSetup, LoadProblem, LocatorKey, Measure, Runtime, RuntimeConfig, Secret, SecretRef, SlotGrant,
    StartProblem,
};
use serde_json::{Map, Value, json};
use url::Url;

use crate::board::{Board, Control, ControlKind, now_ms};
use crate::platform::{EventRule, Platform, Word, Words};

/// The channel's name.
pub(crate) const CHANNEL: &str = "check";
/// How long an acting hook may take: as in a host with its defaults.
const LIMIT: Duration = Duration::from_secs(10);
/// Nobody opens a form in another process.
const LOCATORS: LocatorKey = LocatorKey::new([7; 32]);

/// Why something is not as it should be.
pub(crate) type Broken = String;

/// A hook's failure in words.
pub(crate) fn failed(fault: &HookFault) -> Broken {
    format!("`{}` failed ({:?}): {}", fault.hook, fault.kind, fault.reason)
}

/// How a piece gets into the runtime of the workbench.
pub(crate) struct Loading<'a> {
    pub(crate) piece: &'a Bytes,
    /// None when it cannot be read, which loading tells.
    pub(crate) manifest: Option<&'a Manifest>,
    pub(crate) options: Map<String, Value>,
    pub(crate) platform: SocketAddr,
}

impl Loading<'_> {
    /// Loads the piece into a runtime of its own.
    pub(crate) async fn load(&self) -> Result<Result<Runtime, LoadProblem>, StartProblem> {
        let config = RuntimeConfig {
            measured: true,
            // Nobody's patience but the author's is at stake.
            failures_forgiven: u32::MAX,
            ..RuntimeConfig::default()
        };
        let runtime = Runtime::new(config, LOCATORS)?;
        let loaded = runtime.load(self.setup(), self.piece.clone()).await;
        Ok(loaded.map(|_| runtime))
    }

    fn setup(&self) -> ChannelSetup {
        let secret = |name: &String| -> (String, SecretRef) {
            // Any value will do; it is never looked at.
            (name.clone(), Arc::new(Secret::new(format!("secret-of-{name}"))))
        };
        let slots = self
            .manifest
            .into_iter()
            .flat_map(|manifest| manifest.slots.keys());
        let secrets = self
            .manifest
            .into_iter()
            .flat_map(|manifest| manifest.secrets.keys());
        ChannelSetup {
            channel: CHANNEL.to_owned(),
            options: self.options.clone(),
            grants: slots.map(|slot| (slot.clone(), self.grant(slot))).collect(),
            secrets: secrets.map(secret).collect(),
            account_secrets: BTreeMap::new(),
        }
    }

    /// Every slot leads to the played platform, each to a path of its own.
    fn grant(&self, slot: &str) -> SlotGrant {
        let authority = self.platform.to_string();
        SlotGrant {
            base: Url::parse(&format!("http://{authority}/{slot}")).ok(),
            allow_private: vec![authority],
        }
    }
}

/// A question, as the host would remember it.
#[derive(Clone, Debug)]
pub(crate) struct Card {
    pub(crate) call: CallId,
    pub(crate) input: Input,
    pub(crate) messages: Vec<Message>,
    pub(crate) revision: u64,
    pub(crate) state: Option<PieceState>,
}

impl Card {
    pub(crate) fn call(&self) -> Call<'_> {
        Call {
            id: &self.call,
            input: &self.input,
        }
    }

    pub(crate) fn record(&self) -> Record<'_> {
        Record {
            messages: &self.messages,
            revision: self.revision,
            state: self.state.as_ref(),
        }
    }

    fn change(&mut self, change: QuestionChange) {
        let QuestionChange {
            messages,
            state,
            redraw_after: _,
        } = change;
        if let Some(messages) = messages {
            let saved = |message: ports::pieces::PostedMessage| message.saved_at(Timestamp(now_ms()));
            self.messages = messages.into_iter().map(saved).collect();
        }
        if let Some(state) = state {
            self.state = Some(state);
        }
    }
}

/// What somebody did with a card.
pub(crate) enum Used {
    /// Something the platform tells.
    Told(Box<Interaction>),
    /// A pick in a list, which comes with the next press.
    Picked,
}

/// A piece and its platform.
pub(crate) struct Bench {
    pub(crate) runtime: Runtime,
    pub(crate) info: ChannelInfo,
    pub(crate) board: Arc<Board>,
    /// Calls of pure hooks that gave another result the second time.
    pub(crate) unstable: Vec<String>,
    /// How many pure calls were made twice.
    pub(crate) repeated: usize,
    /// What was picked in lists, by the list's id.
    picks: Map<String, Value>,
    /// How many idempotency keys there were.
    keys: u64,
}

impl Bench {
    pub(crate) fn new(runtime: Runtime, info: ChannelInfo, board: Arc<Board>) -> Self {
        Self {
            runtime,
            info,
            board,
            unstable: Vec::new(),
            repeated: 0,
            picks: Map::new(),
            keys: 0,
        }
    }

    fn platform(&self) -> &Platform {
        &self.board.platform
    }

    pub(crate) fn conversation(&self) -> Conversation {
        let Platform {
            account,
            room,
            thread,
            ..
        } = self.platform();
        Conversation {
            account: account.clone(),
            room: room.clone(),
            thread: thread.clone(),
        }
    }

    /// Everything that was measured since the last time.
    pub(crate) fn take_measures(&self) -> Vec<Measure> {
        self.runtime.take_measures()
    }

    /// What an acting hook is told, with an idempotency key of its own.
    pub(crate) fn context(&mut self) -> Context {
        self.keys += 1;
        let mut key = [0; 16];
        key[8..].copy_from_slice(&self.keys.to_be_bytes());
        Context {
            account: self.platform().account.clone(),
            attempt: 1,
            idempotency_key: key,
            limit: LIMIT,
            reply_within: None,
        }
    }

    pub(crate) fn shared<'a>(
        &mut self,
        card: &'a Card,
        conversation: &'a Conversation,
        actor: Option<&'a Actor>,
    ) -> Shared<'a> {
        Shared {
            context: self.context(),
            conversation,
            call: card.call(),
            record: card.record(),
            actor,
        }
    }

    /// The person who may answer, as the host resolved them.
    pub(crate) fn actor(&self) -> Actor {
        Actor {
            channel: CHANNEL.to_owned(),
            piece: self.info.piece.clone(),
            account: self.platform().account.clone(),
            id: self.platform().person.clone(),
            name: self.platform().person.clone(),
            roles: Vec::new(),
            email: None,
            user: None,
        }
    }

    fn stable<T: PartialEq>(&mut self, hook: &str, first: &T, second: &T) {
        self.repeated += 1;
        if first != second && self.unstable.len() < 10 {
            self.unstable.push(format!("`{hook}`"));
        }
    }

    /// Calls `receive`, twice.
    pub(crate) async fn receive(
        &mut self,
        request: InboundRequest,
    ) -> Result<Result<Received, String>, HookFault> {
        let first = self.runtime.receive(CHANNEL, request.clone()).await?;
        let second = self.runtime.receive(CHANNEL, request).await?;
        self.stable("receive", &first, &second);
        Ok(first)
    }

    /// Calls `split`, twice.
    pub(crate) async fn split(&mut self, text: &str) -> Result<Vec<String>, HookFault> {
        let account = self.platform().account.clone();
        let first = self.runtime.split(CHANNEL, &account, text).await?;
        let second = self.runtime.split(CHANNEL, &account, text).await?;
        self.stable("split", &first, &second);
        Ok(first)
    }

    /// Calls `supports`, twice.
    pub(crate) async fn supports(&mut self) -> Result<bool, HookFault> {
        let conversation = self.conversation();
        let first = self.runtime.supports(CHANNEL, &conversation).await?;
        let second = self.runtime.supports(CHANNEL, &conversation).await?;
        self.stable("supports", &first, &second);
        Ok(first)
    }

    /// Calls `parse`, twice.
    pub(crate) async fn parse(
        &mut self,
        card: &Card,
        interaction: &Interaction,
        settled: bool,
    ) -> Result<ParseResult, Broken> {
        let conversation = self.conversation();
        let parse = || {
            let (call, record) = (card.call(), card.record());
            self.runtime
                .parse(CHANNEL, &conversation, call, record, interaction, settled)
        };
        let first = parse().await.map_err(|fault| failed(&fault))?;
        let second = parse().await.map_err(|fault| failed(&fault))?;
        self.stable("parse", &first, &second);
        Ok(first)
    }

    /// A request of the platform.
    pub(crate) fn request(rule: &EventRule, words: &Words) -> InboundRequest {
        let json = rule.json.as_ref();
        let (kind, body) = match (&rule.form, json) {
            (Some(fields), _) => {
                let mut form = form_urlencoded::Serializer::new(String::new());
                for (name, template) in fields {
                    form.append_pair(name, &template.fill(words).to_string());
                }
                ("application/x-www-form-urlencoded", form.finish())
            }
            (None, json) => {
                let body = json.map(|template| template.fill(words).to_string());
                ("application/json", body.unwrap_or_default())
            }
        };
        let content_type = ("content-type".to_owned(), kind.to_owned());
        let headers = rule.headers.iter();
        let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.clone()));
        InboundRequest {
            method: rule.method.clone(),
            path: rule.path.clone(),
            headers: [content_type].into_iter().chain(headers).collect(),
            body: Bytes::from(body),
        }
    }

    /// Words for something that a person does.
    pub(crate) fn words(&self, person: &str) -> Words {
        let mut words = self.board.fresh_words();
        let serial = words.get(&Word::Serial).cloned().unwrap_or_default();
        words.insert(Word::Delivery, json!(format!("d{serial}")));
        words.insert(Word::Person, json!(person));
        words
    }

    /// Words for something that a person writes.
    pub(crate) fn written(&self, text: &str) -> Words {
        let mut words = self.words(&self.platform().person);
        words.insert(Word::Text, json!(text));
        words.insert(Word::Message, json!(self.board.fresh_message()));
        words
    }

    /// The one event of a request.
    pub(crate) async fn event(&mut self, request: InboundRequest) -> Result<Event, Broken> {
        let received = self.receive(request).await.map_err(|fault| failed(&fault))?;
        let mut events = received
            .map_err(|line| format!("`receive` refused the request: {line}"))?
            .events;
        match (events.pop(), events.len()) {
            (Some(event), 0) => Ok(event),
            (None, _) => Err("`receive` found no event in the request".to_owned()),
            (Some(_), more) => Err(format!("`receive` found {} events in the request", more + 1)),
        }
    }

    /// What the person does to choose an option of a card.
    pub(crate) async fn choose(&mut self, card: &Card, label: &str, number: usize) -> Result<Used, Broken> {
        if let Some(used) = self.press(card, label).await? {
            return Ok(used);
        }
        if let Some(replies) = &self.platform().replies {
            let words = Words::from([(Word::Serial, json!(number)), (Word::Label, json!(label))]);
            let text = replies.answer.fill(&words);
            return self.write(&text).await;
        }
        Err(format!(
            "nothing on the card can be used to choose {label:?}; there {}",
            self.shown(card)
        ))
    }

    /// Uses the control with a label; none when there is none.
    pub(crate) async fn press(&mut self, card: &Card, label: &str) -> Result<Option<Used>, Broken> {
        let Some((message, control)) = self.find(card, label) else {
            return Ok(None);
        };
        self.press_control(&message, &control, label).await.map(Some)
    }

    /// Uses a control that is, or was, on a message.
    pub(crate) async fn press_control(
        &mut self,
        message: &str,
        control: &Control,
        label: &str,
    ) -> Result<Used, Broken> {
        let entry = control
            .entry(label)
            .ok_or_else(|| format!("the control `{}` has no {label:?}", control.id))?;
        let mut words = self.words(&self.platform().person);
        words.insert(Word::Message, json!(message));
        words.insert(Word::Control, json!(control.id));
        words.insert(Word::Label, json!(entry.label));
        words.insert(Word::Value, json!(entry.value));
        if let (ControlKind::List(_), Some(pick)) = (&control.kind, &self.platform().pick) {
            self.picks.insert(control.id.clone(), pick.fill(&words));
            return Ok(Used::Picked);
        }
        words.insert(Word::Picks, Value::Object(self.picks.clone()));
        let Some(rule) = &self.platform().events.press else {
            return Err(
                "platform.toml says where controls are, but not what a press sends (`events.press`)"
                    .to_owned(),
            );
        };
        let request = Self::request(rule, &words);
        let event = self.event(request).await?;
        Ok(Used::Told(Box::new(event.interaction)))
    }

    /// Writes into the conversation.
    pub(crate) async fn write(&mut self, text: &str) -> Result<Used, Broken> {
        let Some(rule) = self.platform().events.message.clone() else {
            return Err("platform.toml has `replies`, but no `events.message`".to_owned());
        };
        let request = Self::request(&rule, &self.written(text));
        let event = self.event(request).await?;
        Ok(Used::Told(Box::new(event.interaction)))
    }

    /// The control with a label on the newest message of a card that has it.
    pub(crate) fn find(&self, card: &Card, label: &str) -> Option<(String, Control)> {
        card.messages.iter().rev().find_map(|message| {
            let controls = self.board.controls(message.id.as_str());
            let found = controls
                .into_iter()
                .find(|control| control.entry(label).is_some())?;
            Some((message.id.to_string(), found))
        })
    }

    /// The controls of all messages of a card.
    pub(crate) fn alive(&self, card: &Card) -> Vec<Control> {
        let messages = card.messages.iter();
        messages
            .flat_map(|message| self.board.controls(message.id.as_str()))
            .collect()
    }

    /// What is on a card, in words.
    pub(crate) fn shown(&self, card: &Card) -> String {
        let ids: Vec<String> = self.alive(card).into_iter().map(|control| control.id).collect();
        match ids.as_slice() {
            [] => "is no control on any of its messages that `controls` in platform.toml finds".to_owned(),
            ids => format!("are the controls {}", ids.join(", ")),
        }
    }

    /// Renders one call and keeps what the host would.
    pub(crate) async fn render(&mut self, call: CallId, input: Input) -> Result<Card, Broken> {
        let (context, conversation) = (self.context(), self.conversation());
        self.picks.clear();
        let calls = [Call {
            id: &call,
            input: &input,
        }];
        let rendered = self.runtime.render(CHANNEL, context, &conversation, &calls);
        let entries = rendered.await.map_err(|fault| failed(&fault))?.value;
        let entry = entries
            .into_iter()
            .next()
            .ok_or_else(|| "`render` returned nothing".to_owned())?;
        let saved = entry.saved_at(Timestamp(now_ms()));
        let card = Card {
            call,
            input,
            messages: saved.messages,
            revision: 0,
            state: saved.state,
        };
        let unknown = card
            .messages
            .iter()
            .find(|message| !self.board.has(message.id.as_str()));
        match unknown {
            None => Ok(card),
            Some(message) => Err(format!(
                "`render` returned the message `{}`, which the platform never gave out",
                message.id
            )),
        }
    }

    /// Saves progress, as the host does before it calls `updated`.
    pub(crate) fn advance(&mut self, card: &mut Card, state: Option<PieceState>) {
        card.revision += 1;
        if state.is_some() {
            card.state = state;
        }
        self.picks.clear();
    }

    /// Calls `updated` and saves what it returns. Nothing to do for a piece without it.
    pub(crate) async fn updated(
        &mut self,
        card: &mut Card,
        interaction: Option<&Interaction>,
    ) -> Result<(), HookFault> {
        if !self.info.hooks.updated {
            return Ok(());
        }
        let (conversation, actor, before) = (self.conversation(), self.actor(), card.clone());
        let shared = self.shared(&before, &conversation, Some(&actor));
        let change = self.runtime.updated(CHANNEL, shared, interaction).await?;
        card.change(change.value);
        Ok(())
    }

    /// Calls `settled` and saves what it returns.
    pub(crate) async fn settled(&mut self, card: &mut Card, ending: Ending<'_>) -> Result<(), HookFault> {
        let (conversation, actor, before) = (self.conversation(), self.actor(), card.clone());
        let shared = self.shared(&before, &conversation, Some(&actor));
        let change = self.runtime.settled(CHANNEL, shared, ending).await?;
        card.change(change.value);
        Ok(())
    }

    /// Chooses the second option of each question, submits where that is the way, and follows every step. Returns the
    /// answer, and the controls that stood on the card before each step.
    pub(crate) async fn answer(&mut self, card: &mut Card) -> Result<(Output, Vec<Step>), Broken> {
        let mut steps = Vec::new();
        let labels: Vec<String> = card
            .input
            .questions
            .iter()
            .filter_map(|question| question.options.get(1))
            .map(|option| option.label.clone())
            .collect();
        for label in &labels {
            let at = self.find(card, label);
            if let Used::Told(interaction) = self.choose(card, label, 2).await?
                && let Some(output) = self.step(card, &interaction, at, label, &mut steps).await?
            {
                return Ok((output, steps));
            }
        }
        let submit = self.platform().labels.submit.clone();
        let at = self.find(card, &submit);
        match self.press(card, &submit).await? {
            Some(Used::Told(interaction)) => {
                let output = self.step(card, &interaction, at, &submit, &mut steps).await?;
                output
                    .map(|output| (output, steps))
                    .ok_or_else(|| "everything was chosen and submitted, and there is no answer".to_owned())
            }
            Some(Used::Picked) | None => Err(format!(
                "every question was answered, and there is neither an answer nor a control {submit:?}; there {}",
                self.shown(card)
            )),
        }
    }

    async fn step(
        &mut self,
        card: &mut Card,
        interaction: &Interaction,
        at: Option<(String, Control)>,
        label: &str,
        steps: &mut Vec<Step>,
    ) -> Result<Option<Output>, Broken> {
        match self.parse(card, interaction, false).await? {
            ParseResult::Parsed(Parsed::Answer(output)) => Ok(Some(output)),
            ParseResult::Parsed(Parsed::Partial(state)) => {
                self.advance(card, state);
                let updated = self.updated(card, Some(interaction)).await;
                updated.map_err(|fault| failed(&fault))?;
                if let Some((message, control)) = at {
                    steps.push(Step {
                        message,
                        control,
                        label: label.to_owned(),
                    });
                }
                Ok(None)
            }
            // A tick, whose meaning comes with Submit.
            ParseResult::Parsed(Parsed::Ignore) => Ok(None),
            other @ (ParseResult::Parsed(Parsed::Dismiss | Parsed::Rejected(_) | Parsed::Stale)
            | ParseResult::StateUnreadable) => Err(format!(
                "choosing {label:?} is {other:?} instead of progress or an answer"
            )),
        }
    }
}

/// A control that led to the next step.
pub(crate) struct Step {
    pub(crate) message: String,
    pub(crate) control: Control,
    pub(crate) label: String,
}
