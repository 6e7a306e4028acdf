//! What one person is told: below the input of a form that is still open, else in the thread where only they see it, else,
//! to somebody who is not in the channel, directly.

use frogbot_piece::http::Request;
use frogbot_piece::{Author, Conversation, Done, Failure, Interaction, Shared, log};
use serde_json::Value;

use crate::mrkdwn::escape;
use crate::{api, typed};

/// Slack's codes for a person, or an app, that is not in a channel any more.
const NOT_HERE: [&str; 3] = ["user_not_in_channel", "not_in_channel", "channel_not_found"];

/// Tells the participant of an interaction.
pub(crate) fn tell(shared: &Shared, interaction: &Interaction, text: &str) -> Result<Done, Failure> {
    if let Interaction::ModalSubmit(_) = interaction
        && shared.context.reply_until.is_some()
    {
        return Ok(Done {
            reply: Some(typed::error(text)),
        });
    }
    tell_beside(shared, interaction, text, Vec::new())
}

/// The same in the thread, in one go with requests that are not owed: their failures are only logged.
pub(crate) fn tell_beside(
    shared: &Shared,
    interaction: &Interaction,
    text: &str,
    beside: Vec<Request>,
) -> Result<Done, Failure> {
    privately(&shared.conversation, author(interaction), text, beside)?;
    Ok(Done::default())
}

/// Tells a person something that concerns nobody else and is not owed: a failure is only logged.
pub(crate) fn mention(conversation: &Conversation, person: &Author, text: &str) {
    if let Err(failure) = privately(conversation, person, text, Vec::new()) {
        log::info(format!("a person could not be told: {}", failure.reason));
    }
}

fn privately(
    conversation: &Conversation,
    person: &Author,
    text: &str,
    beside: Vec<Request>,
) -> Result<(), Failure> {
    let text = escape(text);
    let mut requests = beside;
    requests.push(api::post_ephemeral(conversation, &person.id, &text)?);
    let mut results = api::send_all(&requests);
    let told = results.pop().unwrap_or(Ok(()));
    for failure in results.into_iter().filter_map(Result::err) {
        log::info(format!(
            "a card that is out of date could not be drawn again: {}",
            failure.reason
        ));
    }
    match told {
        Err(failure) if api::says(&failure, &NOT_HERE) => {
            api::send::<Value>(api::post_direct(&person.id, &text)?).map(drop)
        }
        told => told,
    }
}

/// Who did it.
pub(crate) fn author(interaction: &Interaction) -> &Author {
    match interaction {
        Interaction::Action(event) => &event.user,
        Interaction::ModalSubmit(event) => &event.user,
        Interaction::Message(message) => &message.author,
    }
}
