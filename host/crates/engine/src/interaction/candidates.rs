//! The question an interaction belongs to.

use lifecycle::question::{Message, Parsed, Question, Target};
use lifecycle::{CallId, MessageId};
use ports::Pieces;
use ports::pieces::{Blame, Call, Interaction, ParseResult};

use super::{Incoming, record};
use crate::address::Address;
use crate::conversation::View;
use crate::ledger::Fault;
use crate::{Inner, World};

/// The question an interaction belongs to.
#[derive(Debug)]
pub(super) struct Match {
    pub(super) call: CallId,
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    /// The record's current message, or the conversation.
    Evidence(Target, Parsed),
    /// A message in no record, which `parse` of a recorded call recognised.
    Stray(Message),
    /// A message in no record, which `parse` of a call that is still being posted recognised.
    Unposted(Message),
    /// The piece cannot read the record's state any more.
    Unreadable,
}

impl<W: World> Inner<W> {
    /// The question an interaction belongs to: open ones before settled ones, the newest first.
    ///
    /// # Errors
    /// The host could not ask the piece.
    pub(super) async fn find(&self, view: &View, incoming: &Incoming) -> Result<Option<Match>, Fault> {
        let target = self.target(incoming);
        let open = view.questions.iter().filter(|held| held.value.is_open());
        let settled = view.questions.iter().filter(|held| !held.value.is_open());
        let candidates: Vec<&Question> = open.chain(settled).map(|held| &held.value).collect();
        for question in &candidates {
            let aimed = match &target {
                Some(message) => question.target_of(message),
                None => Some(Target::Conversation),
            };
            if matches!(aimed, None | Some(Target::Older)) {
                continue;
            }
            let call = question.call.clone();
            match (aimed, self.parse(incoming, question).await?) {
                (None, _) | (_, ParseResult::Parsed(Parsed::Ignore)) => {}
                (Some(target), ParseResult::Parsed(parsed)) => {
                    let kind = Kind::Evidence(target, parsed);
                    return Ok(Some(Match { call, kind }));
                }
                (Some(_), ParseResult::StateUnreadable) if question.is_open() => {
                    let kind = Kind::Unreadable;
                    return Ok(Some(Match { call, kind }));
                }
                (Some(target), ParseResult::StateUnreadable) => {
                    let kind = Kind::Evidence(target, Parsed::Stale);
                    return Ok(Some(Match { call, kind }));
                }
            }
        }
        let Some(message) = target else { return Ok(None) };
        let links = |question: &&Question| question.target_of(&message);
        let (linked, unlinked): (Vec<&Question>, Vec<&Question>) =
            candidates.iter().partition(|question| links(question).is_some());
        let older: Vec<&Question> = linked
            .iter()
            .copied()
            .filter(|question| links(question) == Some(Target::Older))
            .collect();
        let of_older = |question: &Question| Match {
            call: question.call.clone(),
            kind: Kind::Evidence(Target::Older, Parsed::Stale),
        };
        if matches!(incoming.interaction, Interaction::Action(_)) {
            // One message may show several calls, and a lost post of it may be linked to some of them only: the control says
            // whose it is.
            for question in &older {
                if self.recognises(incoming, question).await? {
                    return Ok(Some(of_older(question)));
                }
            }
            let stray = self.recognise(view, incoming, &message, &unlinked, linked.is_empty());
            if let Some(found) = stray.await? {
                return Ok(Some(found));
            }
        }
        Ok(older.first().map(|question| of_older(question)))
    }

    /// The message an interaction aims at; none for a reply, which aims at the conversation.
    fn target(&self, incoming: &Incoming) -> Option<MessageId> {
        match &incoming.interaction {
            Interaction::Action(action) => Some(action.message_id.clone()),
            Interaction::ModalSubmit(submit) => {
                // A locator of another conversation finds nothing: message ids are unique in their room only.
                let located = || {
                    let Address {
                        channel,
                        conversation,
                    } = &incoming.address;
                    let metadata = submit.private_metadata.as_deref()?;
                    let located = self.parts.pieces.locate(channel, &conversation.account, metadata);
                    located
                        .filter(|at| at.conversation == *conversation)
                        .map(|at| at.message)
                };
                // A form that leads nowhere aims at no message there is.
                Some(
                    submit
                        .related_message
                        .clone()
                        .or_else(located)
                        .unwrap_or_else(|| MessageId(String::new())),
                )
            }
            Interaction::Message(_) => None,
        }
    }

    /// A click on a message that none of these records has: a post whose result was lost. Whichever call's `parse` recognises
    /// the control owns it; a call that is still being posted can only own a message that is in no record at all.
    async fn recognise(
        &self,
        view: &View,
        incoming: &Incoming,
        clicked: &MessageId,
        candidates: &[&Question],
        in_no_record: bool,
    ) -> Result<Option<Match>, Fault> {
        let message = Message {
            id: clicked.clone(),
            posted_at: view.now,
            question: None,
        };
        for question in candidates {
            if self.recognises(incoming, question).await? {
                let kind = Kind::Stray(message);
                let call = question.call.clone();
                return Ok(Some(Match { call, kind }));
            }
        }
        let turn = view.turn();
        for pending in turn
            .pending()
            .iter()
            .filter(|pending| in_no_record && !pending.posted && !pending.settled)
        {
            let (call, input) = (pending.call.clone(), pending.input.clone());
            let provisional = Question::posted(call, input, vec![message.clone()], None, view.now);
            if self.recognises(incoming, &provisional).await? {
                let kind = Kind::Unposted(message);
                let call = provisional.call;
                return Ok(Some(Match { call, kind }));
            }
        }
        Ok(None)
    }

    /// Whether a control is of this call. A state that cannot be read says nothing about that.
    async fn recognises(&self, incoming: &Incoming, question: &Question) -> Result<bool, Fault> {
        Ok(match self.parse(incoming, question).await? {
            ParseResult::Parsed(parsed) => parsed != Parsed::Ignore,
            ParseResult::StateUnreadable => false,
        })
    }

    /// Asks the piece. A `parse` that fails by the piece's doing counts as `ignore`, and so does one that cannot read what
    /// its own version wrote. A host that has no room now has asked nothing: that is tried again.
    async fn parse(&self, incoming: &Incoming, question: &Question) -> Result<ParseResult, Fault> {
        let call = Call {
            id: &question.call,
            input: &question.input,
        };
        let record = record(question);
        let (channel, conversation) = (&incoming.address.channel, &incoming.address.conversation);
        let settled = !question.is_open();
        let parsed = self
            .parts
            .pieces
            .parse(
                channel,
                conversation,
                call,
                record,
                &incoming.interaction,
                settled,
            )
            .await;
        match parsed {
            Ok(ParseResult::StateUnreadable) if !self.is_of_another_version(channel, question) => {
                tracing::error!(channel, call = %question.call, "parse cannot read what its own version wrote");
                Ok(ParseResult::Parsed(Parsed::Ignore))
            }
            Ok(parsed) => Ok(parsed),
            Err(fault) if fault.blame() == Blame::Host => Err(Fault::Busy(fault.to_string())),
            Err(fault) => {
                tracing::error!(channel, call = %question.call, %fault, "parse failed and counts as ignore");
                Ok(ParseResult::Parsed(Parsed::Ignore))
            }
        }
    }

    /// Whether another version of the piece wrote the question's state.
    fn is_of_another_version(&self, channel: &str, question: &Question) -> bool {
        let running = self.parts.pieces.info(channel).map(|info| info.version);
        question
            .state
            .as_ref()
            .is_some_and(|state| Some(&state.written_by) != running.as_ref())
    }
}
