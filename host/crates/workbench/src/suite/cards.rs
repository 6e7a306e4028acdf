//! Questions while they are open.

use lifecycle::question::Parsed;
use ports::pieces::{FaultKind, ParseResult};

use super::{Fine, Tried, call, changes_nothing, one_question, two_questions};
use crate::bench::{Bench, Used, failed};
use crate::board::Mood;

pub(super) async fn supports(bench: &mut Bench) -> Tried {
    if !bench.info.hooks.supports {
        return Ok(Fine::NotTried("it has no `supports`: it always does".to_owned()));
    }
    match bench.supports().await.map_err(|fault| failed(&fault))? {
        true => Ok(Fine::Kept),
        false => Err("not in that of platform.toml".to_owned()),
    }
}

pub(super) async fn render(bench: &mut Bench) -> Tried {
    let input = one_question();
    let card = bench.render(call(1), input.clone()).await?;
    let options = input.questions.iter().flat_map(|question| &question.options);
    for (option, number) in options.zip(1..) {
        bench.choose(&card, &option.label, number).await?;
    }
    Ok(Fine::Kept)
}

pub(super) async fn click(bench: &mut Bench) -> Tried {
    let input = one_question();
    let card = bench.render(call(2), input.clone()).await?;
    let options = input.questions.iter().flat_map(|question| &question.options);
    for (option, number) in options.zip(1..) {
        let Used::Told(interaction) = bench.choose(&card, &option.label, number).await? else {
            return Ok(Fine::NotTried(
                "a single choice is picked in a list and submitted".to_owned(),
            ));
        };
        match bench.parse(&card, &interaction, false).await? {
            ParseResult::Parsed(Parsed::Answer(output)) => {
                let selected = output.answers.iter().flat_map(|answer| &answer.selected);
                let selected: Vec<&String> = selected.collect();
                if selected != [&option.label] {
                    return Err(format!("choosing {:?} answers {selected:?}", option.label));
                }
                output.validated(&input).map_err(|problem| {
                    format!("choosing {:?}: the answer is not valid: {problem}", option.label)
                })?;
            }
            other @ (ParseResult::Parsed(_) | ParseResult::StateUnreadable) => {
                return Err(format!("choosing {:?} is {other:?}, no answer", option.label));
            }
        }
    }
    Ok(Fine::Kept)
}

pub(super) async fn foreign(bench: &mut Bench) -> Tried {
    let card = bench.render(call(3), one_question()).await?;
    let other = bench.render(call(4), one_question()).await?;
    let Some((message, control)) = bench.find(&other, "Emerald") else {
        return Ok(Fine::NotTried(
            "it is answered by replies, which name no card".to_owned(),
        ));
    };
    let Used::Told(interaction) = bench.press_control(&message, &control, "Emerald").await? else {
        return Ok(Fine::NotTried("a pick in a list tells nothing".to_owned()));
    };
    match bench.parse(&card, &interaction, false).await? {
        ParseResult::Parsed(Parsed::Ignore) => Ok(Fine::Kept),
        other @ (ParseResult::Parsed(_) | ParseResult::StateUnreadable) => Err(format!(
            "offered to another call of the conversation, a press is {other:?}: it would answer the wrong question"
        )),
    }
}

pub(super) async fn step(bench: &mut Bench) -> Tried {
    let input = two_questions();
    let mut card = bench.render(call(5), input.clone()).await?;
    let (output, steps) = bench.answer(&mut card).await?;
    let selected: Vec<&String> = output
        .answers
        .iter()
        .flat_map(|answer| &answer.selected)
        .collect();
    if selected != ["Emerald", "Medium"] {
        return Err(format!(
            "\"Emerald\" and \"Medium\" were chosen, and the answer is {selected:?}"
        ));
    }
    output
        .validated(&input)
        .map_err(|problem| format!("the answer is not valid: {problem}"))?;
    for step in &steps {
        let pressed = bench
            .press_control(&step.message, &step.control, &step.label)
            .await?;
        let Used::Told(interaction) = pressed else {
            continue;
        };
        let parsed = bench.parse(&card, &interaction, false).await?;
        if !changes_nothing(&parsed) {
            return Err(format!(
                "a second press on {:?}, whose step is over, is {parsed:?}",
                step.label
            ));
        }
    }
    match steps.len() {
        0 => Ok(Fine::Noted("both questions are on one card".to_owned())),
        _ => Ok(Fine::Kept),
    }
}

pub(super) async fn retry(bench: &mut Bench) -> Tried {
    if !bench.info.hooks.updated {
        return Ok(Fine::NotTried("it has no `updated`".to_owned()));
    }
    let mut card = bench.render(call(6), two_questions()).await?;
    let Used::Told(interaction) = bench.choose(&card, "Emerald", 2).await? else {
        return Ok(Fine::NotTried(
            "nothing changes on a card before it is submitted".to_owned(),
        ));
    };
    let ParseResult::Parsed(Parsed::Partial(state)) = bench.parse(&card, &interaction, false).await? else {
        return Ok(Fine::NotTried(
            "the first of two answers is no progress".to_owned(),
        ));
    };
    bench.advance(&mut card, state);
    bench.board.set_mood(Mood::Down);
    match bench.updated(&mut card, Some(&interaction)).await {
        Ok(()) => {}
        Err(fault) if is_worth_a_retry(fault.kind) => {}
        Err(fault) => return Err(format!("with the platform down, {}", failed(&fault))),
    }
    bench.board.set_mood(Mood::Well);
    let later = bench.updated(&mut card, None).await;
    later.map_err(|fault| format!("later, without the interaction, {}", failed(&fault)))?;
    match bench.choose(&card, "Medium", 2).await? {
        Used::Told(interaction) => match bench.parse(&card, &interaction, false).await? {
            ParseResult::Parsed(Parsed::Answer(_)) => Ok(Fine::Kept),
            other @ (ParseResult::Parsed(_) | ParseResult::StateUnreadable) => {
                Err(format!("then the second question is not answered: {other:?}"))
            }
        },
        Used::Picked => Ok(Fine::Kept),
    }
}

/// Whether a host would try again.
pub(super) fn is_worth_a_retry(kind: FaultKind) -> bool {
    match kind {
        FaultKind::Retry(_) | FaultKind::PerhapsSent => true,
        FaultKind::Trap
        | FaultKind::TimedOut
        | FaultKind::Exhausted
        | FaultKind::Garbage
        | FaultKind::Gone
        | FaultKind::Refused
        | FaultKind::StateUnreadable
        | FaultKind::NotLoaded
        | FaultKind::Busy => false,
    }
}

pub(super) async fn dismiss(bench: &mut Bench) -> Tried {
    let card = bench.render(call(7), one_question()).await?;
    let label = bench.board.platform.labels.dismiss.clone();
    let word = bench
        .board
        .platform
        .replies
        .as_ref()
        .and_then(|replies| replies.dismiss.clone());
    let used = match (bench.press(&card, &label).await?, word) {
        (Some(used), _) => used,
        (None, Some(word)) => bench.write(&word).await?,
        (None, None) => {
            return Ok(Fine::NotTried(format!(
                "nothing on the card is labelled {label:?}; `labels.dismiss` in platform.toml says what is"
            )));
        }
    };
    let Used::Told(interaction) = used else {
        return Err("it is in a list".to_owned());
    };
    match bench.parse(&card, &interaction, false).await? {
        ParseResult::Parsed(Parsed::Dismiss) => Ok(Fine::Kept),
        other @ (ParseResult::Parsed(_) | ParseResult::StateUnreadable) => Err(format!("it is {other:?}")),
    }
}
