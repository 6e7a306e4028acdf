//! Interactivity: a control used on a message, a form submitted.

use std::collections::BTreeMap;

use frogbot_piece::{
    ActionEvent, Addressing, Author, AuthorKind, Conversation, Event, Happening, HttpReply, ModalEvent,
    Place, Received,
};
use serde::Deserialize;

use super::{ANSWER_WITHIN_MS, thread};

#[derive(Deserialize)]
struct Interaction {
    #[serde(rename = "type")]
    kind: String,
    team: Option<Id>,
    user: Option<User>,
    channel: Option<Id>,
    container: Option<Container>,
    message: Option<Container>,
    trigger_id: Option<String>,
    #[serde(default)]
    actions: Vec<Action>,
    view: Option<View>,
}

#[derive(Deserialize)]
struct Id {
    id: String,
}

#[derive(Deserialize)]
struct User {
    id: String,
    #[serde(default)]
    name: String,
    team_id: Option<String>,
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
struct View {
    #[serde(default)]
    private_metadata: String,
    #[serde(default)]
    state: ViewState,
}

#[derive(Default, Deserialize)]
struct ViewState {
    /// By block, then by field.
    #[serde(default)]
    values: BTreeMap<String, BTreeMap<String, Element>>,
}

/// What a field says: a text its value, a menu and the like what is picked.
#[derive(Deserialize)]
struct Element {
    value: Option<String>,
    selected_option: Option<Selected>,
    #[serde(default)]
    selected_options: Vec<Selected>,
}

#[derive(Deserialize)]
struct Selected {
    value: String,
}

impl Element {
    fn values(self) -> impl Iterator<Item = String> {
        let picked = self.selected_option.into_iter().chain(self.selected_options);
        self.value.into_iter().chain(picked.map(|option| option.value))
    }
}

/// Reads the payload of an interaction; of one that is neither a click on a message nor a form nothing concerns us.
pub(super) fn read(payload: String) -> Result<Received, String> {
    let interaction: Interaction = serde_json::from_str(&payload)
        .map_err(|_| "the payload of an interaction is not what Slack documents".to_owned())?;
    let event = match interaction.kind.as_str() {
        "block_actions" => from_click(interaction, payload),
        "view_submission" => from_form(interaction, payload),
        _ => None,
    };
    Ok(event.map_or_else(Received::nothing, Received::event))
}

/// A click on a control of a message; none for one elsewhere, such as in a form.
fn from_click(interaction: Interaction, raw: String) -> Option<Event> {
    let action = interaction.actions.into_iter().next()?;
    let (account, user) = who(interaction.team, interaction.user?)?;
    let room = interaction.channel?.id;
    let (container, message) = (interaction.container, interaction.message);
    let places = || container.iter().chain(&message);
    let message_ts = places().find_map(|place| place.message_ts.clone())?;
    let thread_ts = places().find_map(|place| place.thread_ts.clone());
    let thread = thread(room.starts_with('D'), thread_ts.as_deref(), &message_ts);
    // Slack does not name the delivery; a second click has another time.
    let action_ts = action.action_ts.unwrap_or_default();
    let delivery_id = format!("{account}:{message_ts}:{}:{action_ts}", user.id);
    let clicked = ActionEvent {
        action_id: action.action_id,
        value: action.value.or(action.selected_option.map(|option| option.value)),
        message_id: message_ts,
        user,
        trigger_id: interaction.trigger_id,
        raw,
    };
    let place = Place::Conversation(Conversation {
        account,
        room,
        thread,
    });
    Some(event(delivery_id, place, Happening::Action(clicked)))
}

/// A form, which tells neither its message nor its channel; its metadata does.
fn from_form(interaction: Interaction, raw: String) -> Option<Event> {
    let view = interaction.view?;
    let (account, user) = who(interaction.team, interaction.user?)?;
    // A form that was sent back with errors keeps its id and its hash, and is submitted with another trigger.
    let delivery_id = format!("{account}:{}:{}", user.id, interaction.trigger_id?);
    let fields = view.state.values.into_values().flatten();
    let of_field =
        |(name, element): (String, Element)| element.values().map(move |value| (name.clone(), value));
    let submitted = ModalEvent {
        values: fields.flat_map(of_field).collect(),
        private_metadata: Some(view.private_metadata).filter(|metadata| !metadata.is_empty()),
        related_message: None,
        user,
        raw,
    };
    Some(event(
        delivery_id,
        Place::Account(account),
        Happening::ModalSubmit(submitted),
    ))
}

/// The workspace and the person; an app of a whole organisation is told the person's workspace only.
fn who(team: Option<Id>, user: User) -> Option<(String, Author)> {
    let account = team.map(|team| team.id).or_else(|| user.team_id.clone())?;
    let external = user.team_id.is_some_and(|team| team != account);
    let author = Author {
        id: user.id,
        name: user.name,
        kind: AuthorKind::Person,
        external,
    };
    Some((account, author))
}

fn event(delivery_id: String, place: Place, happening: Happening) -> Event {
    Event {
        delivery_id,
        place,
        addressing: Addressing::None,
        happening,
        acknowledgement: HttpReply::ok(),
        answer_within: ANSWER_WITHIN_MS,
    }
}
