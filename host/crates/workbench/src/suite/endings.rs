//! Questions that are over, and what people are told.

use lifecycle::question::Parsed;
use lifecycle::tool::Output;
use ports::Pieces;
use ports::pieces::{Acted, Ending, FaultKind, HookFault, Interaction, ParseResult};

use super::{Fine, Tried, call, one_question, two_questions};
use crate::bench::{Bench, Broken, CHANNEL, Card, Used, failed};
use crate::board::{Asked, Control, Mood};

/// A card that is answered and not closed yet, what answered it, and where that was.
async fn answered(
    bench: &mut Bench,
    number: u64,
) -> Result<(Card, Output, Interaction, Option<(String, Control)>), Broken> {
    let card = bench.render(call(number), one_question()).await?;
    let at = bench.find(&card, "Emerald");
    let mut used = bench.choose(&card, "Emerald", 2).await?;
    if let Used::Picked = used {
        let submit = bench.board.platform.labels.submit.clone();
        let pressed = bench.press(&card, &submit).await?;
        used = pressed.ok_or_else(|| format!("there is no control {submit:?}"))?;
    }
    let Used::Told(interaction) = used else {
        return Err("nothing answers the card".to_owned());
    };
    match bench.parse(&card, &interaction, false).await? {
        ParseResult::Parsed(Parsed::Answer(output)) => Ok((card, output, *interaction, at)),
        other @ (ParseResult::Parsed(_) | ParseResult::StateUnreadable) => {
            Err(format!("choosing an option is {other:?}, no answer"))
        }
    }
}

fn is_closed(bench: &Bench, card: &Card, after: &str) -> Result<(), Broken> {
    match bench.alive(card).as_slice() {
        [] => Ok(()),
        alive => {
            let ids: Vec<&str> = alive.iter().map(|control| control.id.as_str()).collect();
            Err(format!(
                "{after}, these controls can still be used: {}",
                ids.join(", ")
            ))
        }
    }
}

pub(super) async fn settle(bench: &mut Bench) -> Tried {
    let mut card = bench.render(call(10), two_questions()).await?;
    let (output, _) = bench.answer(&mut card).await?;
    for time in ["after `settled`", "after a second `settled`, as after a crash"] {
        let settled = bench.settled(&mut card, Ending::Output(&output)).await;
        settled.map_err(|fault| failed(&fault))?;
        is_closed(bench, &card, time)?;
    }
    let mut card = bench.render(call(11), one_question()).await?;
    let settled = bench.settled(&mut card, Ending::Dismissed).await;
    settled.map_err(|fault| failed(&fault))?;
    is_closed(bench, &card, "after a dismissal")?;
    Ok(Fine::Kept)
}

pub(super) async fn late(bench: &mut Bench) -> Tried {
    let (mut card, output, interaction, _) = answered(bench, 12).await?;
    let settled = bench.settled(&mut card, Ending::Output(&output)).await;
    settled.map_err(|fault| failed(&fault))?;
    if let ParseResult::Parsed(Parsed::Ignore) = bench.parse(&card, &interaction, true).await? {
        return Err("it is ignored: whoever pressed would never hear of it".to_owned());
    }
    if !bench.info.hooks.stale {
        return Ok(Fine::NotTried(
            "it has no `stale`: whoever comes late is told nothing".to_owned(),
        ));
    }
    let (conversation, before) = (bench.conversation(), card.clone());
    let shared = bench.shared(&before, &conversation, None);
    bench.board.take_asked();
    let told = bench.runtime.stale(CHANNEL, shared, &interaction).await;
    told_somebody(bench, "stale", told, None)?;
    is_closed(bench, &card, "after `stale`")?;
    Ok(Fine::Kept)
}

pub(super) async fn denied(bench: &mut Bench) -> Tried {
    if !bench.info.hooks.denied {
        return Ok(Fine::NotTried(
            "it has no `denied`: whoever may not answer is told nothing".to_owned(),
        ));
    }
    let (card, _, mut interaction, _) = answered(bench, 13).await?;
    let stranger = bench.board.platform.stranger.clone();
    match &mut interaction {
        Interaction::Action(action) => action.user.id = stranger,
        Interaction::ModalSubmit(submit) => submit.user.id = stranger,
        Interaction::Message(message) => message.author.id = stranger,
    }
    let (conversation, alive) = (bench.conversation(), bench.alive(&card));
    let shared = bench.shared(&card, &conversation, None);
    bench.board.take_asked();
    let told = bench.runtime.denied(CHANNEL, shared, &interaction).await;
    told_somebody(bench, "denied", told, None)?;
    stays(bench, &card, &alive, "denied")
}

pub(super) async fn rejected(bench: &mut Bench) -> Tried {
    const REASON: &str = "Reply with a number from 1 to 3";
    if !bench.info.hooks.rejected {
        return Ok(Fine::NotTried(
            "it has no `rejected`: whoever answers wrongly is told nothing".to_owned(),
        ));
    }
    let (card, _, interaction, _) = answered(bench, 14).await?;
    let (conversation, actor, alive) = (bench.conversation(), bench.actor(), bench.alive(&card));
    let shared = bench.shared(&card, &conversation, Some(&actor));
    bench.board.take_asked();
    let told = bench
        .runtime
        .rejected(CHANNEL, shared, &interaction, REASON)
        .await;
    told_somebody(bench, "rejected", told, Some(REASON))?;
    stays(bench, &card, &alive, "rejected")
}

fn stays(bench: &Bench, card: &Card, alive: &[Control], hook: &str) -> Tried {
    if bench.alive(card) == alive {
        return Ok(Fine::Kept);
    }
    Err(format!("`{hook}` changed what can be used on the card"))
}

/// Whether a notice went out, with the words it has to have.
fn told_somebody(
    bench: &Bench,
    hook: &str,
    told: Result<Acted<()>, HookFault>,
    words: Option<&str>,
) -> Result<(), Broken> {
    let reply = told.map_err(|fault| failed(&fault))?.reply;
    let asked = bench.board.take_asked();
    if asked.is_empty() && reply.is_none() {
        return Err(format!("`{hook}` sent nothing: nobody is told anything"));
    }
    let Some(words) = words else { return Ok(()) };
    let in_request = |asked: &Asked| asked.body.to_string().contains(words);
    let in_reply = reply.is_some_and(|reply| String::from_utf8_lossy(&reply.body).contains(words));
    if in_reply || asked.iter().any(in_request) {
        return Ok(());
    }
    Err(format!("`{hook}` told something, and not the reason {words:?}"))
}

pub(super) async fn gone(bench: &mut Bench) -> Tried {
    let (mut card, output, _, _) = answered(bench, 15).await?;
    bench.board.set_mood(Mood::Gone);
    match bench.settled(&mut card, Ending::Output(&output)).await {
        Ok(()) => Ok(Fine::Kept),
        Err(fault) if fault.kind == FaultKind::Gone => Ok(Fine::Kept),
        Err(fault) => Err(format!(
            "its message is gone, and {}; a host would go on trying",
            failed(&fault)
        )),
    }
}
