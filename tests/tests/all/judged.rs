//! Everything that the Slack piece can send, over generated questions, texts and people, judged by programs that we did not write.
//!
//! Every run draws afresh; what ever failed is kept in `proptest-regressions` and tried first. `PROPTEST_CASES=5000` looks longer.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "what a test needs is there, or the test has failed"
)]

mod calls;
mod judges;
mod sent;
mod texts;
mod walk;

use frogbot_piece::Channel;
use frogbot_piece::testing::FakeHost;
use proptest::prelude::*;
use slack::Slack;

use calls::calls;
use sent::{context, ok, sent, thread};
use texts::text_up_to;

/// How many calls are drawn where nobody says otherwise; each is asked to its end, with some ten messages.
const CASES: u32 = 120;

fn config() -> ProptestConfig {
    let ours = ProptestConfig::with_cases(CASES);
    let said = ProptestConfig::default();
    if said.cases == ProptestConfig::with_cases(256).cases {
        ours
    } else {
        said
    }
}

proptest! {
    #![proptest_config(config())]

    /// Asked, typed into, told off, dismissed or answered, and clicked once more.
    #[test]
    fn every_message_and_form_of_a_call_is_accepted(call in calls(), choices in any::<[u16; 8]>(), words in text_up_to(4_000)) {
        let host = FakeHost::answering(ok);
        walk::to_the_end(&host, &call, choices, &words)?;
        judges::accept(&sent(&host.requests()))?;
    }

    #[test]
    fn every_part_of_a_reply_is_accepted_and_nothing_of_it_is_lost(text in text_up_to(30_000)) {
        let host = FakeHost::answering(ok);
        let parts = Slack::split(&context().settings, &text);
        for part in &parts {
            Slack::post(&context(), &thread(), part).unwrap();
        }
        judges::accept(&sent(&host.requests()))?;
        prop_assert!(letters(&parts.concat()) >= letters(&without_languages(&text)), "something is lost in the split");
    }
}

fn letters(text: &str) -> usize {
    text.chars().filter(|letter| letter.is_alphanumeric()).count()
}

/// What stands directly behind a fence may be the language of a code block, which Slack does not show.
fn without_languages(text: &str) -> String {
    let mut fenced = text.split("```");
    let first = fenced.next().unwrap_or_default();
    let rest = fenced.map(|part| part.split_once('\n').map_or("", |(_, rest)| rest));
    [first].into_iter().chain(rest).collect()
}
