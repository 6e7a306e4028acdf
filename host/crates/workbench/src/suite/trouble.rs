//! When something goes wrong.

use std::time::Duration;

use lifecycle::question::PieceState;
use lifecycle::tool::{Choice, Input, Item, OPTIONS_MAX, QUESTIONS_MAX};
use ports::Pieces;
use ports::pieces::{Blame, Call, Ending, FaultKind, HookFault};

use super::cards::is_worth_a_retry;
use super::{Fine, Tried, call, item, one_question};
use crate::bench::{Bench, CHANNEL, Used, failed};
use crate::board::{LIMITED_FOR, Mood};

/// Two clocks are never quite alike.
const MARGIN: Duration = Duration::from_millis(500);

/// How `render` of one question ends now.
async fn render(bench: &mut Bench, input: &Input, number: u64) -> Result<usize, HookFault> {
    let (context, conversation, id) = (bench.context(), bench.conversation(), call(number));
    let calls = [Call { id: &id, input }];
    let rendered = bench
        .runtime
        .render(CHANNEL, context, &conversation, &calls)
        .await?;
    Ok(rendered.value.len())
}

pub(super) async fn down(bench: &mut Bench) -> Tried {
    let mut card = bench.render(call(20), one_question()).await?;
    bench.board.set_mood(Mood::Down);
    match render(bench, &one_question(), 21).await {
        Err(fault) if is_worth_a_retry(fault.kind) => {}
        Err(fault) => {
            return Err(format!(
                "`{}` would not be tried again: {}",
                fault.hook,
                failed(&fault)
            ));
        }
        Ok(_) => return Err("`render` says that it posted a card, and it did not".to_owned()),
    }
    match bench.settled(&mut card, Ending::Dismissed).await {
        Err(fault) if is_worth_a_retry(fault.kind) => Ok(Fine::Kept),
        Err(fault) => Err(format!("the card would stay open: {}", failed(&fault))),
        Ok(()) if bench.alive(&card).is_empty() => Ok(Fine::Kept),
        Ok(()) => Err("`settled` says that it closed the card, and it did not".to_owned()),
    }
}

pub(super) async fn limited(bench: &mut Bench) -> Tried {
    bench.board.set_mood(Mood::Limited);
    let rendered = render(bench, &one_question(), 22).await;
    // For so long the host sends nothing: the rest is to be tried as if it had not happened.
    #[expect(
        clippy::disallowed_methods,
        reason = "the runtime holds requests back by the real clock"
    )]
    tokio::time::sleep(LIMITED_FOR + MARGIN).await;
    match rendered {
        Err(HookFault {
            kind: FaultKind::Retry(Some(_)),
            ..
        }) => Ok(Fine::Kept),
        Err(fault) if is_worth_a_retry(fault.kind) => Err(format!(
            "{}, without the time that the platform named: retry after `retry-after`",
            failed(&fault)
        )),
        Err(fault) => Err(failed(&fault)),
        Ok(_) => Err("`render` says that it posted a card, and it did not".to_owned()),
    }
}

pub(super) async fn lost(bench: &mut Bench) -> Tried {
    let (mut context, conversation, id, input) =
        (bench.context(), bench.conversation(), call(23), one_question());
    let calls = [Call {
        id: &id,
        input: &input,
    }];
    let before = bench.board.count();
    bench.board.set_mood(Mood::Mute);
    let first = bench
        .runtime
        .render(CHANNEL, context.clone(), &conversation, &calls)
        .await;
    let posted = bench.board.count() - before;
    bench.board.set_mood(Mood::Well);
    if let Ok(rendered) = &first {
        return Err(format!(
            "the platform's answer was an error, and `render` returned {} cards",
            rendered.value.len()
        ));
    }
    context.attempt = 2;
    let again = bench
        .runtime
        .render(CHANNEL, context, &conversation, &calls)
        .await;
    again.map_err(|fault| failed(&fault))?;
    match bench.board.count() - before - posted {
        0 => Ok(Fine::Kept),
        _ => Ok(Fine::Noted(
            "a crash between posting and recording leaves a twin of the card on this platform; a host closes it with \
             the rest. Where the platform recognises repeats by a key, send it `idempotency-key` (and say where with \
             `repeat` in platform.toml)"
                .to_owned(),
        )),
    }
}

pub(super) async fn foreign_state(bench: &mut Bench) -> Tried {
    let card = bench.render(call(24), one_question()).await?;
    let Used::Told(interaction) = bench.choose(&card, "Emerald", 2).await? else {
        return Ok(Fine::NotTried("a pick in a list tells nothing".to_owned()));
    };
    for json in [r#"{"from":"elsewhere"}"#, "[[]]", "7", "\"\"", "null"] {
        let mut card = card.clone();
        card.state = Some(PieceState {
            json: json.to_owned(),
            written_by: "99.0.0".to_owned(),
        });
        bench
            .parse(&card, &interaction, false)
            .await
            .map_err(|how| format!("with the state `{json}`, {how}"))?;
        match bench.updated(&mut card, None).await {
            Ok(()) => {}
            Err(fault) if fault.kind == FaultKind::StateUnreadable => {}
            Err(fault) if fault.blame() == Blame::Piece => {
                return Err(format!("with the state `{json}`, {}", failed(&fault)));
            }
            Err(_) => {}
        }
    }
    Ok(Fine::Kept)
}

pub(super) async fn large(bench: &mut Bench) -> Tried {
    let long: String = "Möbius 🐸 ".repeat(300);
    let mut refused = Vec::new();
    for (what, input) in [
        ("options", many_options()),
        ("questions", many_questions()),
        ("letters", long_texts(&long)),
    ] {
        let input = input
            .validated()
            .map_err(|problem| format!("the workbench's own call is not valid: {problem}"))?;
        match render(bench, &input, 25).await {
            Ok(_) => {}
            Err(fault) if fault.kind == FaultKind::Refused => refused.push(what),
            Err(fault) => return Err(format!("many {what}: {}", failed(&fault))),
        }
    }
    if refused.is_empty() {
        return Ok(Fine::Kept);
    }
    Ok(Fine::Noted(format!("it refuses too many {}", refused.join(", "))))
}

fn many_options() -> Input {
    let choice = |number: usize| Choice {
        label: format!("Option {number}"),
        description: None,
    };
    let mut question = item("Many", "Which of them?", &[]);
    question.options = (0..OPTIONS_MAX).map(choice).collect();
    Input {
        questions: vec![question],
    }
}

fn many_questions() -> Input {
    let question = |number: usize| item(&format!("Question {number}"), "Yes or no?", &["Yes", "No"]);
    Input {
        questions: (0..QUESTIONS_MAX).map(question).collect(),
    }
}

fn long_texts(long: &str) -> Input {
    let choice = |number: usize| Choice {
        label: format!("{number} {long}"),
        description: Some(long.to_owned()),
    };
    Input {
        questions: vec![Item {
            header: "Long".to_owned(),
            question: long.to_owned(),
            options: (0..5).map(choice).collect(),
            multiple: true,
            custom: true,
        }],
    }
}
