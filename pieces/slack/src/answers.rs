//! What a click or a form means for a question: the pure half of the piece.

use std::collections::BTreeMap;

use frogbot_piece::{ActionEvent, Call, Interaction, ModalEvent, Offer, Parsed, Question, Unreadable};
use serde::Deserialize;

use crate::card;
use crate::control::{Control, ControlId};
use crate::progress::{Given, Progress, headers};
use crate::typed;

/// What an interaction means for the call it is offered to.
pub(crate) fn parse(offer: &Offer) -> Result<Parsed, Unreadable> {
    let Some(id) = id_of(&offer.interaction).filter(|id| id.call == offer.call.tool_call_id) else {
        return Ok(Parsed::Ignore);
    };
    let progress = Progress::of(&offer.question)?;
    // A closed card has no controls: whoever uses one uses an old picture of it.
    if progress.closed.is_some() || id.step != progress.step() {
        return Ok(Parsed::Stale);
    }
    match &offer.interaction {
        Interaction::Action(event) => parse_click(&offer.call, progress, id.control, event),
        Interaction::ModalSubmit(event) => parse_form(&offer.call, progress, id.control, event),
        Interaction::Message(_) => Ok(Parsed::Ignore),
    }
}

/// The control that was used, or that opened the form; none when it is not one of this piece's.
pub(crate) fn id_of(interaction: &Interaction) -> Option<ControlId> {
    match interaction {
        Interaction::Action(event) => ControlId::parse(&event.action_id),
        Interaction::ModalSubmit(event) => ControlId::parse(&typed::callback_id(event)?),
        Interaction::Message(_) => None,
    }
}

/// Whether the call is a single choice, which its press or pick answers; every other call is answered by one Submit.
pub(crate) fn is_lone_choice(call: &Call) -> bool {
    matches!(call.input.questions.as_slice(), [question] if !question.multiple)
}

fn parse_click(
    call: &Call,
    progress: Progress,
    control: Control,
    event: &ActionEvent,
) -> Result<Parsed, Unreadable> {
    match control {
        Control::Dismiss => Ok(Parsed::Dismiss),
        Control::Option(index) if is_lone_choice(call) => Ok(chosen(call, progress, Some(index))),
        Control::Pick(0) if is_lone_choice(call) => {
            let index = event.value.as_deref().and_then(|value| value.parse().ok());
            Ok(chosen(call, progress, index))
        }
        // A tick: what is picked comes with its person's Submit.
        Control::Option(_) | Control::Pick(_) => Ok(Parsed::Ignore),
        Control::Type(index) if takes_text(call, &progress, index) => Ok(Parsed::Partial(None)),
        Control::Type(_) => Ok(Parsed::Ignore),
        Control::Submit => submitted(call, progress, event),
    }
}

fn chosen(call: &Call, progress: Progress, index: Option<usize>) -> Parsed {
    let options = call
        .input
        .questions
        .first()
        .map_or(0, |question| question.options.len());
    match index.filter(|index| *index < options) {
        Some(index) => Parsed::Answer(progress.advanced(vec![Given::pick(index)]).output(call)),
        None => Parsed::Ignore,
    }
}

/// Whether the card shows the question and it takes a typed answer.
pub(crate) fn takes_text(call: &Call, progress: &Progress, index: usize) -> bool {
    index >= progress.step()
        && call
            .input
            .questions
            .get(index)
            .is_some_and(|question| question.custom)
}

fn submitted(call: &Call, progress: Progress, event: &ActionEvent) -> Result<Parsed, Unreadable> {
    let picked = Picked::of(event);
    let step = progress.step();
    let given = |(question, index): (&Question, usize)| {
        let picks = picked.of_question(call, step, index, question.options.len());
        let typed = progress.typed_by(&event.user.id, index).map(str::to_owned);
        Given { picks, typed }
    };
    let shown = card::shown(call, step);
    let given: Vec<Given> = shown.iter().zip(step..).map(given).collect();
    let missing = |(question, given)| Given::is_empty(given).then_some(question);
    let missing: Vec<&Question> = shown.iter().zip(&given).filter_map(missing).collect();
    if !missing.is_empty() {
        let reason = format!("Nothing was sent yet: answer {} first.", headers(&missing));
        return Ok(Parsed::Rejected(reason));
    }
    let progress = progress.advanced(given);
    if progress.step() >= call.input.questions.len() {
        return Ok(Parsed::Answer(progress.output(call)));
    }
    kept(&progress)
}

fn parse_form(
    call: &Call,
    progress: Progress,
    control: Control,
    event: &ModalEvent,
) -> Result<Parsed, Unreadable> {
    let Control::Type(index) = control else {
        return Ok(Parsed::Ignore);
    };
    if !takes_text(call, &progress, index) {
        return Ok(Parsed::Ignore);
    }
    let text = typed::text(event).trim();
    if !is_lone_choice(call) {
        return kept(&progress.with_typed(&event.user.id, index, text));
    }
    if text.is_empty() {
        return Ok(Parsed::Rejected("Type an answer first.".to_owned()));
    }
    let given = Given {
        picks: Vec::new(),
        typed: Some(text.to_owned()),
    };
    Ok(Parsed::Answer(progress.advanced(vec![given]).output(call)))
}

fn kept(progress: &Progress) -> Result<Parsed, Unreadable> {
    let no_room =
        "There is no room for so much text on this card: write less, or choose an option.".to_owned();
    Ok(match progress.write()? {
        Some(state) => Parsed::Partial(Some(state)),
        None => Parsed::Rejected(no_room),
    })
}

/// What the presser has picked in each control of the message: Slack sends it with every press.
struct Picked(BTreeMap<String, Element>);

#[derive(Deserialize)]
struct Press {
    #[serde(default)]
    state: State,
}

#[derive(Default, Deserialize)]
struct State {
    /// By block, then by control.
    #[serde(default)]
    values: BTreeMap<String, BTreeMap<String, Element>>,
}

#[derive(Default, Deserialize)]
struct Element {
    #[serde(default)]
    selected_option: Option<Selected>,
    #[serde(default)]
    selected_options: Option<Vec<Selected>>,
}

#[derive(Deserialize)]
struct Selected {
    value: String,
}

impl Picked {
    fn of(event: &ActionEvent) -> Self {
        let press: Option<Press> = serde_json::from_str(&event.raw).ok();
        let blocks = press.map(|press| press.state.values).unwrap_or_default();
        Self(blocks.into_values().flatten().collect())
    }

    /// The picks of a question in rising order, without what it does not offer.
    fn of_question(&self, call: &Call, step: usize, question: usize, options: usize) -> Vec<usize> {
        let id = ControlId {
            call: call.tool_call_id.clone(),
            step,
            control: Control::Pick(question),
        };
        let Some(element) = self.0.get(&id.to_string()) else {
            return Vec::new();
        };
        let one = element.selected_option.iter();
        let several = element.selected_options.iter().flatten();
        let mut picks: Vec<usize> = one
            .chain(several)
            .filter_map(|selected| selected.value.parse().ok())
            .filter(|pick| *pick < options)
            .collect();
        picks.sort_unstable();
        picks.dedup();
        picks
    }
}
