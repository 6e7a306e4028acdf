//! What Slack sends: events as JSON, interactions as a form with one field of JSON.

mod form;

use frogbot_piece::{
    ActionEvent, Addressing, Author, AuthorKind, Conversation, Event, Happening, HttpReply, InboundRequest,
    Message, Place, Received, Settings, Timestamp,
};
use serde::Deserialize;

use crate::{Me, mrkdwn};

/// Slack waits three seconds for the response to a click.
const CLICK_ANSWER_WITHIN_MS: u32 = 3_000;

/// A request of the events API or of interactivity.
pub(crate) fn read(settings: &Settings, request: &InboundRequest) -> Result<Received, String> {
    let is_form = request
        .header("content-type")
        .is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded"));
    if !is_form {
        let raw = String::from_utf8_lossy(&request.body).into_owned();
        return Ok(from_envelope(settings, request.json()?, raw));
    }
    match form::field(&request.body, "payload") {
        Some(payload) => from_interaction(payload),
        // A slash command, or a probe of the URL.
        None => Ok(Received::nothing()),
    }
}

#[derive(Deserialize)]
struct Envelope {
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

fn from_envelope(settings: &Settings, envelope: Envelope, raw: String) -> Received {
    match (envelope.kind.as_str(), &envelope.challenge) {
        ("url_verification", Some(challenge)) => Received::reply(HttpReply::text(challenge)),
        ("event_callback", _) => {
            from_event(settings, envelope, raw).map_or_else(Received::nothing, Received::event)
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
        answer_within: CLICK_ANSWER_WITHIN_MS,
    })
}

/// How the text names the bot. An `app_mention` of a bot whose id is not known yet begins with it, most of the time.
fn mention(text: &str, bot_user: Option<&str>, is_mention: bool) -> Option<String> {
    if let Some(bot_user) = bot_user {
        let mention = format!("<@{bot_user}>");
        return text.contains(&mention).then_some(mention);
    }
    let text = text.trim_start();
    let end = text.find('>').filter(|_| is_mention && text.starts_with("<@"))?;
    text.get(..=end).map(str::to_owned)
}

/// In a channel every message begins a thread or belongs to one; a direct conversation goes on without.
fn thread(direct: bool, thread_ts: Option<&str>, ts: &str) -> String {
    match (thread_ts, direct) {
        (Some(thread_ts), _) => thread_ts.to_owned(),
        (None, true) => String::new(),
        (None, false) => ts.to_owned(),
    }
}

/// `1700000000.123456` in milliseconds.
pub(crate) fn timestamp(ts: &str) -> Option<Timestamp> {
    let (seconds, micros) = ts.split_once('.')?;
    let micros: Timestamp = micros.parse().ok().filter(|_| micros.len() == 6)?;
    seconds
        .parse::<Timestamp>()
        .ok()?
        .checked_mul(1_000)?
        .checked_add(micros / 1_000)
}

#[derive(Deserialize)]
struct Interaction {
    #[serde(rename = "type")]
    kind: String,
    team: Option<Team>,
    user: Option<User>,
    channel: Option<Id>,
    container: Option<Container>,
    message: Option<Container>,
    trigger_id: Option<String>,
    #[serde(default)]
    actions: Vec<Action>,
}

#[derive(Deserialize)]
struct Team {
    id: String,
}

#[derive(Deserialize)]
struct User {
    id: String,
    #[serde(default)]
    name: String,
    team_id: Option<String>,
}

#[derive(Deserialize)]
struct Id {
    id: String,
}

/// Where a control is: in `container` always, in `message` unless that is only seen by one person.
#[derive(Deserialize)]
struct Container {
    #[serde(alias = "ts")]
    message_ts: Option<String>,
    thread_ts: Option<String>,
}

#[derive(Deserialize)]
struct Action {
    action_id: String,
    action_ts: Option<String>,
    value: Option<String>,
    selected_option: Option<Selected>,
}

#[derive(Deserialize)]
struct Selected {
    value: String,
}

fn from_interaction(payload: String) -> Result<Received, String> {
    let interaction: Interaction = serde_json::from_str(&payload)
        .map_err(|_| "the payload of an interaction is not what Slack documents".to_owned())?;
    let event = (interaction.kind == "block_actions")
        .then(|| from_click(interaction, payload))
        .flatten();
    Ok(event.map_or_else(Received::nothing, Received::event))
}

/// A click on a control of a message; none for one elsewhere, such as on a home tab.
fn from_click(interaction: Interaction, raw: String) -> Option<Event> {
    let action = interaction.actions.into_iter().next()?;
    let user = interaction.user?;
    let room = interaction.channel?.id;
    let account = interaction
        .team
        .map(|team| team.id)
        .or_else(|| user.team_id.clone())?;
    let (container, message) = (interaction.container, interaction.message);
    let places = || container.iter().chain(&message);
    let message_ts = places().find_map(|place| place.message_ts.clone())?;
    let thread_ts = places().find_map(|place| place.thread_ts.clone());
    let thread = thread(room.starts_with('D'), thread_ts.as_deref(), &message_ts);
    let external = user.team_id.as_deref().is_some_and(|team| team != account);
    // Slack does not name the delivery; a second click has another time.
    let delivery_id = format!(
        "{message_ts}:{}:{}",
        user.id,
        action.action_ts.unwrap_or_default()
    );
    let clicked = ActionEvent {
        action_id: action.action_id,
        value: action
            .value
            .or_else(|| action.selected_option.map(|option| option.value)),
        message_id: message_ts,
        user: Author {
            id: user.id,
            name: user.name,
            kind: AuthorKind::Person,
            external,
        },
        trigger_id: interaction.trigger_id,
        raw,
    };
    Some(Event {
        delivery_id,
        place: Place::Conversation(Conversation {
            account,
            room,
            thread,
        }),
        addressing: Addressing::None,
        happening: Happening::Action(clicked),
        acknowledgement: HttpReply::ok(),
        answer_within: CLICK_ANSWER_WITHIN_MS,
    })
}
