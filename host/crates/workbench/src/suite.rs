//! What every piece is tried with, the same for all of them. Each check says what a piece promises by it, and plays it from
//! the start, so that one that fails takes no other with it.

mod cards;
mod endings;
mod incoming;
mod trouble;

use lifecycle::tool::{Choice, Input, Item};
use lifecycle::{CallId, question::Parsed};
use ports::pieces::ParseResult;

use crate::bench::{Bench, Broken};
use crate::board::Mood;
use crate::report::{Report, Verdict};

/// How a check ends that found nothing broken.
pub(crate) enum Fine {
    /// As promised.
    Kept,
    /// As promised, with something worth knowing.
    Noted(String),
    /// Not tried, and why.
    NotTried(String),
}

/// How a check ends.
pub(crate) type Tried = Result<Fine, Broken>;

/// Tries everything.
pub(crate) async fn all(bench: &mut Bench, report: &mut Report) {
    messages(bench, report).await;
    if bench.info.questions {
        open_questions(bench, report).await;
        ended_questions(bench, report).await;
        troubles(bench, report).await;
    } else {
        let why = "it exports no `channel-questions`: the agent cannot ask in its channel".to_owned();
        report.add("questions", "", Verdict::NotTried(why));
    }
    report.add(
        "pure hooks",
        "the same call has the same result",
        stability(bench),
    );
    report.add(
        "platform.toml",
        "it describes every request of the piece",
        description(bench),
    );
}

async fn messages(bench: &mut Bench, report: &mut Report) {
    let mut trial = Trial { bench, report };
    trial
        .check("connect", incoming::connect, "it finds out who it is")
        .await;
    trial
        .check(
            "mention",
            incoming::mention,
            "a mention is one message to the agent, by a person, in its conversation",
        )
        .await;
    trial
        .check(
            "redelivery",
            incoming::redelivery,
            "a delivery keeps its id when it comes again, and no two share one",
        )
        .await;
    trial
        .check(
            "own messages",
            incoming::own,
            "what it posted itself is never a person's message",
        )
        .await;
    trial
        .check(
            "nonsense",
            incoming::nonsense,
            "a request that is not what it knows is refused or ignored",
        )
        .await;
    trial
        .check("split", incoming::split, "texts of every length become parts")
        .await;
    trial
        .check(
            "post",
            incoming::post,
            "a part of a reply is posted, and edited and removed where it says so",
        )
        .await;
}

async fn open_questions(bench: &mut Bench, report: &mut Report) {
    let mut trial = Trial { bench, report };
    trial
        .check(
            "supports",
            cards::supports,
            "it shows questions in the conversation",
        )
        .await;
    trial
        .check(
            "render",
            cards::render,
            "a question is posted, with something to answer it with for every option",
        )
        .await;
    trial
        .check(
            "click",
            cards::click,
            "each option is answered by its own control",
        )
        .await;
    trial
        .check(
            "foreign card",
            cards::foreign,
            "what belongs to another question is ignored",
        )
        .await;
    trial
        .check(
            "step",
            cards::step,
            "several questions are answered step by step, and a control of an earlier step answers nothing",
        )
        .await;
    trial
        .check(
            "retry",
            cards::retry,
            "a redraw that failed is made up for later, without the interaction",
        )
        .await;
    trial.check("dismiss", cards::dismiss, "Dismiss dismisses").await;
}

async fn ended_questions(bench: &mut Bench, report: &mut Report) {
    let mut trial = Trial { bench, report };
    trial
        .check(
            "settle",
            endings::settle,
            "an answer closes every message of its call, as often as it is asked to",
        )
        .await;
    trial
        .check(
            "late",
            endings::late,
            "a press on a closed card gets an answer, and opens nothing again",
        )
        .await;
    trial
        .check("denied", endings::denied, "whoever may not answer is told")
        .await;
    trial
        .check(
            "rejected",
            endings::rejected,
            "whoever answered wrongly is told the reason",
        )
        .await;
    trial
        .check(
            "deleted card",
            endings::gone,
            "a card that somebody deleted is closed, or gone",
        )
        .await;
}

async fn troubles(bench: &mut Bench, report: &mut Report) {
    let mut trial = Trial { bench, report };
    trial
        .check(
            "platform down",
            trouble::down,
            "what the platform does not take now is tried again",
        )
        .await;
    trial
        .check("rate limit", trouble::limited, "a `429` is waited out")
        .await;
    trial
        .check(
            "lost answer",
            trouble::lost,
            "what may have been posted is posted again with the same key",
        )
        .await;
    trial
        .check(
            "foreign state",
            trouble::foreign_state,
            "a state it did not write is unreadable, never its end",
        )
        .await;
    trial
        .check(
            "large calls",
            trouble::large,
            "a call too large to show is refused in words",
        )
        .await;
}

/// Where a check is played, and where its outcome goes.
struct Trial<'a> {
    bench: &'a mut Bench,
    report: &'a mut Report,
}

impl Trial<'_> {
    async fn check(
        &mut self,
        name: &'static str,
        check: impl AsyncFn(&mut Bench) -> Tried,
        promise: &'static str,
    ) {
        let tried = check(&mut *self.bench).await;
        self.bench.board.set_mood(Mood::Well);
        self.report.used(&self.bench.take_measures());
        self.report.add(name, promise, verdict(tried));
    }
}

fn verdict(tried: Tried) -> Verdict {
    match tried {
        Ok(Fine::Kept) => Verdict::Kept,
        Ok(Fine::Noted(note)) => Verdict::Noted(note),
        Ok(Fine::NotTried(why)) => Verdict::NotTried(why),
        Err(how) => Verdict::Broken(how),
    }
}

fn stability(bench: &Bench) -> Verdict {
    match bench.unstable.as_slice() {
        [] => Verdict::Noted(format!("{} calls were made twice", bench.repeated)),
        hooks => Verdict::Broken(format!(
            "called twice with the same arguments, these returned something else: {}",
            hooks.join(", ")
        )),
    }
}

fn description(bench: &Bench) -> Verdict {
    match bench.board.undescribed().as_slice() {
        [] => Verdict::Kept,
        requests => Verdict::Broken(format!(
            "no `[[requests]]` fits these, so they were answered as if gone:\n           {}",
            requests.join("\n           ")
        )),
    }
}

fn item(header: &str, question: &str, options: &[&str]) -> Item {
    let choice = |label: &&str| Choice {
        label: (*label).to_owned(),
        description: None,
    };
    Item {
        header: header.to_owned(),
        question: question.to_owned(),
        options: options.iter().map(choice).collect(),
        multiple: false,
        custom: false,
    }
}

/// One question with three options.
fn one_question() -> Input {
    Input {
        questions: vec![item(
            "Colour",
            "Which colour?",
            &["Crimson", "Emerald", "Sapphire"],
        )],
    }
}

/// Two of them. No label is within another.
fn two_questions() -> Input {
    let mut input = one_question();
    input
        .questions
        .push(item("Size", "Which size?", &["Small", "Medium"]));
    input
}

fn call(number: u64) -> CallId {
    CallId::numbered(number)
}

/// Whether what `parse` said leaves the question as it was.
fn changes_nothing(parsed: &ParseResult) -> bool {
    match parsed {
        ParseResult::Parsed(Parsed::Ignore | Parsed::Stale | Parsed::Rejected(_)) => true,
        ParseResult::Parsed(Parsed::Answer(_) | Parsed::Dismiss | Parsed::Partial(_))
        | ParseResult::StateUnreadable => false,
    }
}
