//! The agent's steps: asking the model, running the server tools, under the turn's lease.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, join_all, select};
use lifecycle::CallId;
use lifecycle::owed::{Attempt, Failure};
use lifecycle::tool::Input;
use lifecycle::turn::{self, ModelStep, Next};
use ports::documents::{Batch, Document, Expect, Key, Order, Select};
use ports::json::{self, QUESTION_TOOL};
use ports::models::{ModelCall, ModelFault, ModelReply, StepRequest};
use ports::pieces::Blame;
use ports::tools::{ToolCall, ToolSpec};
use ports::{Clock, Documents, Models, Pieces, Tools};
use serde_json::Value;

use crate::address::{ENTRIES, LEASE, TURN, entry_key, idempotency_key};
use crate::chat::{Assistant, Entry, SKIPPED, Said, ToolUse};
use crate::config::Agent;
use crate::conversation::{Chat, Edit, Held, Stepped, answer_to};
use crate::ledger::{Committed, Fault, Lease, RECORDS_MAX, Records, entries, held, put};
use crate::stored::decode;
use crate::stored::turn::StoredChat;
use crate::{Inner, World};

/// How much of a chat the model sees, in messages: the newest. An assistant message holds all steps of its turn.
const HISTORY_MAX: usize = 200;
/// The most questions of one step. Each has a record while it waits, and an event looks at the newest 64 records.
const QUESTIONS_MAX: usize = RECORDS_MAX / 2;
/// How long a step of the model, or the tools of one, may take: longer than any that anybody waits for. What hangs longer is
/// made again like one that failed.
const STEP_LONGEST: Duration = Duration::from_secs(15 * 60);
/// What a model sees of the question tool where nobody could answer.
const WITHHELD: &str = "The question tool is not available in this conversation.";

impl<W: World> Inner<W> {
    /// Asks the model for one step and saves it.
    pub(crate) async fn run_model(this: &Arc<Self>, committed: &Committed, attempt: Attempt) {
        let step = match this.model_step(committed, attempt).await {
            Ok(step) => Ok(step),
            Err(StepFault::LeaseLost) => return,
            Err(StepFault::Store(fault)) => {
                return tracing::warn!(conversation = %committed.partition.0, %fault, "a step waits for its wake time");
            }
            Err(StepFault::Failed(failure)) => Err(failure),
        };
        tracing::info!(conversation = %committed.partition.0, attempt = attempt.0, taken = step.is_ok(), "model step");
        Self::conclude(this, committed, Records::All, |draft| {
            let step = match &step {
                Ok(step) => step,
                Err(failure) => return draft.turn(turn::Event::StepEnded(attempt, Err(*failure))),
            };
            let Some(run) = &draft.turn.run else {
                return Stepped::Stayed;
            };
            let assistant = run.assistant.unwrap_or_else(|| answer_to(run.message));
            draft.edits.push((assistant, Edit::Extend(step.said.clone())));
            let (parts, next) = (step.parts.clone(), step.next.clone());
            let stepped = draft.turn(turn::Event::StepEnded(
                attempt,
                Ok(ModelStep {
                    assistant,
                    parts,
                    next,
                }),
            ));
            if stepped != Stepped::Advanced {
                // Another attempt took this step: what this one said is not part of the chat.
                draft.edits.clear();
            }
            stepped
        })
        .await;
    }

    async fn model_step(&self, committed: &Committed, attempt: Attempt) -> Result<Step, StepFault> {
        let agent = self.agent(committed)?;
        let offered = agent.questions && self.supports(committed).await;
        let request = self.request(committed, attempt, agent, offered).await?;
        let reply = self
            .under_lease(committed, attempt, self.parts.models.step(request))
            .await?;
        let reply = reply.map_err(|fault| failed(committed, &fault))?;
        let parts = self.parts_of(committed, &reply.text).await?;
        Ok(read_step(reply, parts, agent, offered, committed))
    }

    fn agent(&self, committed: &Committed) -> Result<&Agent, StepFault> {
        let channel = self.config.channels.get(&committed.address().channel);
        let agent = channel.and_then(|channel| self.config.agents.get(&channel.agent));
        agent.ok_or_else(|| {
            tracing::error!(
                channel = committed.address().channel,
                "a chat's channel is not configured any more"
            );
            StepFault::Failed(Failure::Permanent)
        })
    }

    /// Whether the question tool is offered. A `supports` that fails is logged and offers nothing.
    async fn supports(&self, committed: &Committed) -> bool {
        let address = committed.address();
        let Some(info) = self.parts.pieces.info(&address.channel) else {
            return false;
        };
        if !info.questions || !info.hooks.supports {
            return info.questions;
        }
        match self
            .parts
            .pieces
            .supports(&address.channel, &address.conversation)
            .await
        {
            Ok(supported) => supported,
            Err(fault) => {
                tracing::error!(channel = address.channel, %fault, "supports failed: questions are not offered");
                false
            }
        }
    }

    /// What the model is asked: the chat at this instant, if the attempt is still the one under way. A host that was paused
    /// must not ask on under the key of a step that was taken meanwhile.
    async fn request(
        &self,
        committed: &Committed,
        attempt: Attempt,
        agent: &Agent,
        offered: bool,
    ) -> Result<StepRequest, StepFault> {
        // What was said since waits behind this turn, also what came between the commit that ordered this step and this read.
        let run = committed.chat.turn.run.as_ref();
        let newest = run.map_or(u64::MAX, |run| answer_to(run.message));
        let mut messages = Vec::new();
        for document in self.history(committed, attempt).await?.into_iter().rev() {
            let waits = number_of(&document.key).is_some_and(|number| number > newest);
            for held in entries(vec![document])
                .map_err(Fault::from)?
                .into_iter()
                .filter(|_| !waits)
            {
                messages.push(held.value.for_model());
            }
        }
        let mut tools = self.parts.tools.specs(&agent.tools);
        if offered {
            tools.push(question_tool());
        }
        let (message, steps) = run_of(committed);
        Ok(StepRequest {
            model: agent.model.clone(),
            instructions: agent.instructions.clone(),
            messages,
            tools,
            idempotency_key: idempotency_key(&committed.partition, &["step", &message, &steps]),
        })
    }

    /// The chat's newest messages, the newest first, for an attempt that is still the one under way. A short chat is known
    /// from the commit that ordered the step, as long as that is a moment ago.
    async fn history(&self, committed: &Committed, attempt: Attempt) -> Result<Vec<Document>, StepFault> {
        let carried = committed.carried(Records::All, self.parts.clock.elapsed());
        if let Some(view) = carried.filter(|view| view.entries.complete) {
            return Ok(view.entries.documents);
        }
        let history = Select::Prefix {
            prefix: ENTRIES.to_owned(),
            order: Order::Descending,
            limit: HISTORY_MAX,
        };
        self.read_for(committed, attempt, history).await
    }

    /// Reads a part of the chat for an attempt that is still the one under way.
    async fn read_for(
        &self,
        committed: &Committed,
        attempt: Attempt,
        select: Select,
    ) -> Result<Vec<Document>, StepFault> {
        let select = vec![Select::Key(Key(TURN.to_owned())), select];
        let snapshot = self.read(&committed.partition, select).await?;
        let mut selected = snapshot.selected.into_iter();
        let chat = selected.next().unwrap_or_default();
        let chat = held(chat, decode::<Chat, StoredChat>).map_err(Fault::from)?;
        let is_under_way = |held: &Held<Chat>| held.value.turn.continuing.is_current(attempt);
        if !chat.iter().any(is_under_way) {
            tracing::warn!(conversation = %committed.partition.0, attempt = attempt.0, "the step is another attempt's by now");
            return Err(StepFault::LeaseLost);
        }
        Ok(selected.flatten().collect())
    }

    /// A step's text as the parts to post.
    async fn parts_of(&self, committed: &Committed, text: &str) -> Result<Vec<String>, StepFault> {
        if text.trim().is_empty() {
            return Ok(Vec::new());
        }
        let address = committed.address();
        let split = self
            .parts
            .pieces
            .split(&address.channel, &address.conversation.account, text)
            .await;
        split.or_else(|fault| {
            tracing::error!(channel = address.channel, %fault, "a step's text could not be split");
            match fault.blame() {
                // The step is not thrown away for it, and paid for again: the text goes out as it is.
                Blame::Piece => Ok(vec![text.to_owned()]),
                Blame::Host | Blame::Remote => Err(StepFault::Failed(Failure::Transient(None))),
            }
        })
    }

    /// Runs the server tools of the last step that have no result yet, all at once, and saves what they gave.
    pub(crate) async fn run_tools(this: &Arc<Self>, committed: &Committed, attempt: Attempt) {
        let results = match this.tool_results(committed, attempt).await {
            Ok(results) => Ok(results),
            Err(StepFault::LeaseLost) => return,
            Err(StepFault::Store(fault)) => {
                return tracing::warn!(conversation = %committed.partition.0, %fault, "tools wait for their wake time");
            }
            Err(StepFault::Failed(failure)) => Err(failure),
        };
        tracing::info!(conversation = %committed.partition.0, attempt = attempt.0, ran = results.is_ok(), "tools ran");
        Self::conclude(this, committed, Records::All, |draft| {
            let assistant = draft.turn.run.as_ref().and_then(|run| run.assistant);
            let ended = results.as_ref().map(drop).map_err(|failure| *failure);
            let stepped = draft.turn(turn::Event::ToolsEnded(attempt, ended));
            if let (Stepped::Advanced, Some(number), Ok(results)) = (stepped, assistant, &results) {
                // Before whatever the step ordered for the same message.
                draft.edits.insert(0, (number, Edit::Results(results.clone())));
            }
            stepped
        })
        .await;
    }

    async fn tool_results(
        &self,
        committed: &Committed,
        attempt: Attempt,
    ) -> Result<Vec<(usize, ToolResult)>, StepFault> {
        let assistant = committed.chat.turn.run.as_ref().and_then(|run| run.assistant);
        let Some(number) = assistant else {
            return Ok(Vec::new());
        };
        // A host that was paused must not run what a later step asks for.
        let select = Select::Key(entry_key(number));
        let entry = entries(self.read_for(committed, attempt, select).await?)
            .map_err(Fault::from)?
            .pop();
        let Some(Entry::Assistant(mut message)) = entry.map(|held| held.value) else {
            return Ok(Vec::new());
        };
        let unfinished: Vec<(usize, ToolCall)> = message
            .calls_mut()
            .enumerate()
            .filter(|(_, tool)| tool.result.is_none())
            .map(|(index, tool)| {
                let name = ["tool", &number.to_string(), &index.to_string()];
                let idempotency_key = idempotency_key(&committed.partition, &name);
                let (name, input) = (tool.name.clone(), tool.input.clone());
                (
                    index,
                    ToolCall {
                        name,
                        input,
                        idempotency_key,
                    },
                )
            })
            .collect();
        let run = join_all(unfinished.into_iter().map(|(index, call)| async move {
            self.parts.tools.run(call).await.map(|result| (index, result))
        }));
        let ran = self.under_lease(committed, attempt, run).await?;
        ran.into_iter().collect::<Result<_, _>>().map_err(|fault| {
            tracing::warn!(conversation = %committed.partition.0, %fault, "a tool failed");
            StepFault::Failed(Failure::Transient(None))
        })
    }

    /// Renews the turn's lease while `work` goes on. When somebody else has taken the turn over, the work is dropped.
    async fn under_lease<T>(
        &self,
        committed: &Committed,
        attempt: Attempt,
        work: impl Future<Output = T> + Send,
    ) -> Result<T, StepFault> {
        let mut work = pin!(work);
        let began = self.parts.clock.elapsed();
        loop {
            let pause = pin!(self.parts.clock.sleep(self.config.times.lease_renewal));
            match select(work.as_mut(), pause).await {
                Either::Left((done, _)) => return Ok(done),
                Either::Right(((), _))
                    if self.parts.clock.elapsed().saturating_sub(began) >= STEP_LONGEST =>
                {
                    tracing::error!(conversation = %committed.partition.0, attempt = attempt.0, "a step hangs and is made again");
                    return Err(StepFault::Failed(Failure::Transient(None)));
                }
                Either::Right(((), _)) => self.renew(committed, attempt).await?,
            }
        }
    }

    async fn renew(&self, committed: &Committed, attempt: Attempt) -> Result<(), StepFault> {
        let none = CallId(String::new());
        let view = match self
            .load(&committed.partition, Records::One(&none), Vec::new())
            .await
        {
            Ok((view, _)) => view,
            Err(fault) => {
                // The lease outlives a few renewals: the work is not thrown away because one could not be made.
                tracing::warn!(conversation = %committed.partition.0, %fault, "the lease was not renewed");
                return Ok(());
            }
        };
        if !view.turn().continuing.is_current(attempt) {
            tracing::warn!(conversation = %committed.partition.0, attempt = attempt.0, "the lease was lost");
            return Err(StepFault::LeaseLost);
        }
        let until = view.now + self.config.policy.continuing.deadline;
        let lease = Lease {
            attempt: attempt.0,
            until: until.0,
        };
        let value = serde_json::to_vec(&lease).unwrap_or_default().into();
        let put = put(Key(LEASE.to_owned()), Expect::Anything, value, Some(until), None);
        let id = self.commit_id();
        let batch = Batch {
            id,
            checks: Vec::new(),
            puts: vec![put],
            deletes: Vec::new(),
            appends: Vec::new(),
        };
        if let Err(fault) = self.parts.documents.commit(&committed.partition, batch).await {
            tracing::warn!(conversation = %committed.partition.0, %fault, "the lease was not renewed");
        }
        Ok(())
    }
}

/// What a server tool gave.
pub(crate) type ToolResult = Result<Value, String>;

/// A model's step, read.
struct Step {
    said: Vec<Said>,
    parts: Vec<String>,
    next: Next,
}

/// Why there is no step.
enum StepFault {
    Failed(Failure),
    /// The store failed: the attempt's deadline has it made again.
    Store(Fault),
    LeaseLost,
}

impl From<Fault> for StepFault {
    fn from(fault: Fault) -> Self {
        Self::Store(fault)
    }
}

fn failed(committed: &Committed, fault: &ModelFault) -> StepFault {
    tracing::warn!(conversation = %committed.partition.0, %fault, "the model failed");
    StepFault::Failed(match fault {
        ModelFault::Transient { retry_after, .. } => Failure::Transient(*retry_after),
        ModelFault::Permanent(_) => Failure::Permanent,
    })
}

/// Which message and step is worked on, for names of what is owed.
fn run_of(committed: &Committed) -> (String, String) {
    let run = committed.chat.turn.run.as_ref();
    run.map(|run| (run.message.to_string(), run.steps.to_string()))
        .unwrap_or_default()
}

/// Sorts a reply's calls: questions wait for people, server tools run, everything else is an error the model sees.
fn read_step(
    reply: ModelReply,
    parts: Vec<String>,
    agent: &Agent,
    offered: bool,
    committed: &Committed,
) -> Step {
    let mut questions: Vec<(CallId, Input)> = Vec::new();
    let mut tools: Vec<ToolUse> = Vec::new();
    for call in reply.calls {
        let mut tool = unfinished(call);
        if tool.name == QUESTION_TOOL {
            match question_input(&tool.input, offered, questions.len()) {
                Ok(input) => {
                    let index = u64::try_from(questions.len()).unwrap_or(u64::MAX);
                    let id = committed.chat.turn.call_id(index);
                    tool.id.clone_from(&id.0);
                    questions.push((id, input));
                }
                Err(text) => tool.result = Some(Err(text)),
            }
        } else if !agent.tools.contains(&tool.name) {
            tool.result = Some(Err(format!("There is no tool {:?}.", tool.name)));
        }
        tools.push(tool);
    }
    if !questions.is_empty() {
        let skipped = tools
            .iter_mut()
            .filter(|tool| tool.id.is_empty() && tool.result.is_none());
        skipped.for_each(|tool| tool.result = Some(Err(SKIPPED.to_owned())));
    }
    let next = match (questions.is_empty(), tools.is_empty()) {
        (false, _) => Next::Questions(questions),
        (true, false) => Next::Tools,
        (true, true) => Next::Finish,
    };
    let text = Some(reply.text).filter(|text| !text.is_empty()).map(Said::Text);
    let said = text
        .into_iter()
        .chain(tools.into_iter().map(Said::Call))
        .collect();
    Step { said, parts, next }
}

fn unfinished(ModelCall { id, name, input }: ModelCall) -> ToolUse {
    ToolUse {
        id: String::new(),
        model_id: id,
        name,
        input,
        result: None,
    }
}

fn question_input(input: &Value, offered: bool, asked: usize) -> Result<Input, String> {
    if !offered {
        return Err(WITHHELD.to_owned());
    }
    if asked >= QUESTIONS_MAX {
        return Err(format!(
            "Call the question tool at most {QUESTIONS_MAX} times in one step."
        ));
    }
    let input = json::read_input(input).map_err(|error| format!("Invalid input: {error}."))?;
    input
        .validated()
        .map_err(|problem| format!("Invalid input: {problem}."))
}

fn question_tool() -> ToolSpec {
    let input_schema = serde_json::from_str(json::INPUT_SCHEMA).unwrap_or(Value::Null);
    let description =
        "Ask the people in this conversation to choose before you go on. The conversation pauses until \
                       somebody answers every question or dismisses them."
            .to_owned();
    ToolSpec {
        name: QUESTION_TOOL.to_owned(),
        description,
        input_schema,
    }
}

fn number_of(key: &Key) -> Option<u64> {
    key.0.rsplit('/').next()?.parse().ok()
}

/// Appends a step to an assistant message.
pub(crate) fn extended(entry: Option<Entry>, said: &[Said]) -> Entry {
    let mut message = match entry {
        Some(Entry::Assistant(message)) => message,
        Some(Entry::User(_)) | None => Assistant::default(),
    };
    message.said.extend(said.iter().cloned());
    Entry::Assistant(message)
}

/// Fills in what the tools gave, by the index of the call in its message.
pub(crate) fn with_results(mut message: Assistant, results: &[(usize, ToolResult)]) -> Entry {
    for (index, result) in results {
        if let Some(tool) = message
            .calls_mut()
            .nth(*index)
            .filter(|tool| tool.result.is_none())
        {
            tool.result = Some(result.clone());
        }
    }
    Entry::Assistant(message)
}
