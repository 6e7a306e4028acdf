//! The events API: messages, of which a mention comes twice.

use frogbot_piece::{
    Addressing, Author, AuthorKind, Conversation, Event, Happening, HttpReply, Message, Place, Received,
    Settings, log,
};
use serde::Deserialize;

use super::{ANSWER_WITHIN_MS, thread, timestamp};
use crate::{Me, mrkdwn};

#[derive(Deserialize)]
pub(super) struct Envelope {
    #[serde(rename = "type")]
    kind: String,
    challenge: Option<String>,
    team_id: Option<String>,
    #[serde(default)]
    is_ext_shared_channel: bool,
    #[serde(default)]
    authorizations: Vec<Authorization>,
    event: Option<SlackEvent>,
}

#[derive(Deserialize)]
struct Authorization {
    user_id: Option<String>,
    /// An app with a user's token is authorized by the person who installed it.
    #[serde(default)]
    is_bot: bool,
}

#[derive(Deserialize)]
struct SlackEvent {
    #[serde(rename = "type")]
    kind: String,
    subtype: Option<String>,
    user: Option<String>,
    bot_id: Option<String>,
    /// The author's team.
    team: Option<String>,
    #[serde(default)]
    text: String,
    ts: Option<String>,
    thread_ts: Option<String>,
    channel: Option<Channel>,
    channel_type: Option<String>,
}

/// An id in messages, an object in events about channels, which are not read.
#[derive(Deserialize)]
#[serde(untagged)]
enum Channel {
    Id(String),
    Other(serde::de::IgnoredAny),
}

pub(super) fn from_envelope(settings: &Settings, envelope: Envelope, raw: String) -> Received {
    match (envelope.kind.as_str(), &envelope.challenge) {
        ("url_verification", Some(challenge)) => Received::reply(HttpReply::text(challenge)),
        ("event_callback", _) => {
            from_event(settings, envelope, raw).map_or_else(Received::nothing, Received::event)
        }
        ("app_rate_limited", _) => {
            log::warn("Slack sends no events for a while: more than 30,000 came in an hour");
            Received::nothing()
        }
        _ => Received::nothing(),
    }
}

/// A message of somebody; none for what is no message, an edit or a deletion.
fn from_event(settings: &Settings, envelope: Envelope, raw: String) -> Option<Event> {
    let event = envelope.event?;
    let is_message = matches!(event.kind.as_str(), "message" | "app_mention");
    let is_new = matches!(
        event.subtype.as_deref(),
        None | Some("bot_message" | "file_share" | "me_message" | "thread_broadcast")
    );
    let (Some(Channel::Id(room)), Some(ts), true, true) = (event.channel, event.ts, is_message, is_new)
    else {
        return None;
    };
    let account = envelope.team_id?;
    let me: Option<Me> = settings.read_connection(&account);
    let named = || {
        let mut bots = envelope.authorizations.iter().filter(|by| by.is_bot);
        bots.find_map(|by| by.user_id.clone())
    };
    let bot_user = me.as_ref().map(|me| me.user_id.clone()).or_else(named);
    let own_bot = me.and_then(|me| me.bot_id);
    let kind = match (&event.user, &event.bot_id) {
        (user @ Some(_), _) if *user == bot_user => AuthorKind::Own,
        (_, bot @ Some(_)) if *bot == own_bot => AuthorKind::Own,
        (_, Some(_)) => AuthorKind::Bot,
        (Some(_), None) if event.subtype.as_deref() != Some("bot_message") => AuthorKind::Person,
        (Some(_) | None, None) => AuthorKind::Unknown,
    };
    let external =
        envelope.is_ext_shared_channel && event.team.as_deref().is_some_and(|team| team != account);
    let author = Author {
        id: event.user.or(event.bot_id).unwrap_or_default(),
        name: String::new(),
        kind,
        external,
    };
    let mention = mention(&event.text, bot_user.as_deref(), event.kind == "app_mention");
    let direct = event
        .channel_type
        .as_deref()
        .map_or_else(|| room.starts_with('D'), |kind| kind == "im");
    let addressing = match (direct, event.kind == "app_mention" || mention.is_some()) {
        (true, _) => Addressing::Direct,
        (false, true) => Addressing::Mention,
        (false, false) => Addressing::None,
    };
    let spoken = mention.map_or_else(
        || event.text.clone(),
        |mention| event.text.replacen(&mention, "", 1),
    );
    let thread = thread(direct, event.thread_ts.as_deref(), &ts);
    let message = Message {
        id: ts.clone(),
        text: mrkdwn::unescape(spoken.trim()),
        author,
        date_sent: timestamp(&ts),
        reply_to: event.thread_ts.filter(|thread_ts| *thread_ts != ts),
        raw,
    };
    Some(Event {
        // A mention comes twice, as `app_mention` and as `message`, with two event ids.
        delivery_id: format!("{account}:{room}:{ts}"),
        place: Place::Conversation(Conversation {
            account,
            room,
            thread,
        }),
        addressing,
        happening: Happening::Message(message),
        acknowledgement: HttpReply::ok(),
        answer_within: ANSWER_WITHIN_MS,
    })
}

/// How the text names the bot: `<@U1>`, or with a name, `<@U1|frogbot>`. An `app_mention` of a bot whose id is not known yet
/// begins with it, most of the time.
fn mention(text: &str, bot_user: Option<&str>, is_mention: bool) -> Option<String> {
    let named = match bot_user {
        Some(bot_user) => {
            let opening = format!("<@{bot_user}");
            let ends = |at: &usize| {
                text.get(at + opening.len()..)
                    .is_some_and(|rest| rest.starts_with(['>', '|']))
            };
            let at = text.match_indices(&opening).map(|(at, _)| at).find(ends)?;
            text.get(at..)?
        }
        None => text
            .trim_start()
            .strip_prefix("<@")
            .and(Some(text.trim_start()))
            .filter(|_| is_mention)?,
    };
    named.get(..=named.find('>')?).map(str::to_owned)
}
