//! Language models behind one port. For now there is the *scripted* model, which plays rules from a file: demos, tests
//! and stories need no vendor and no network.
//!
//! # The script
//!
//! One TOML file with any number of `[[model]]` and `[[tool]]` entries. For each step of the model the first `[[model]]`
//! entry whose `when` holds is played; when none holds, the step fails for good.
//!
//! ```toml
//! # A step after the question was answered: the answer is in the text.
//! [[model]]
//! when = { result = { tool = "question", output_contains = "Blue" } }
//! say = "{answer:Color} it is. You said: {text}"
//!
//! # A step after the participant dismissed the question.
//! [[model]]
//! when = { result = { tool = "question", error_contains = "Dismissed" } }
//! say = "Then I choose myself."
//!
//! # The first step, when the last message of a person contains "paint" and the question tool is offered.
//! [[model]]
//! when = { text_contains = "paint", calls = 0, offered = ["question"] }
//! say = "One thing before I begin:"
//! fail_times = 1                # unavailable the first time this entry is played
//! takes_ms = 1500               # how long the step takes
//!
//! [[model.call]]
//! tool = "question"
//! [[model.call.input.questions]]
//! header = "Color"
//! question = "Which color?"
//! options = [{ label = "Red" }, { label = "Blue", description = "Like the sky" }]
//!
//! # Everything else.
//! [[model]]
//! say = "I can paint, that is all."
//!
//! # A server tool that every agent may list among its tools.
//! [[tool]]
//! name = "weather"
//! description = "Tells the weather"
//! returns = { sky = "clear" }
//! ```
//!
//! A `[[model]]` entry has
//!
//! | key | value |
//! | --- | --- |
//! | `when` | conditions that must all hold; none: always. See below |
//! | `say` | Markdown. `{text}` is the last message of a person, `{answer:Header}` the latest answer under that header (labels and typed text, joined with commas), `{{` and `}}` are braces |
//! | `call` | calls, each with `tool`, `input` (a table, sent as JSON; TOML has no null) and `id` (none: `call_1`, `call_2`, …; the same in every step, as models do) |
//! | `refuse` | the step fails for good with this text; excludes `say` and `call` |
//! | `fail_times` | the step is unavailable the first so many times this entry is played, counted over all chats since the start |
//! | `takes_ms` | how long it takes, failures included |
//!
//! | condition | holds when |
//! | --- | --- |
//! | `text_contains`, `text_equals` | the last message of a person contains, or is, this text |
//! | `calls` | the turn has made so many calls before this step |
//! | `result` | the latest result of `tool` in this turn contains `output_contains` (in the output's JSON) or `error_contains`; with neither: there is one |
//! | `offered`, `not_offered` | all of these tools are offered, none of them is |
//!
//! A `[[tool]]` entry has `name`, `description`, `input_schema` (none: any object), `returns` (any value) or `error` (what the
//! model is told went wrong), and `fail_times` and `takes_ms` as above.

mod model;
mod script;
mod template;
mod tools;

pub use model::ScriptedModels;
pub use script::{Script, ScriptProblem};
pub use tools::ScriptedTools;

use std::sync::atomic::{AtomicU32, Ordering};

/// Counts down the failures an entry is scripted to have.
#[derive(Debug)]
struct Failures(AtomicU32);

impl Failures {
    fn new(times: u32) -> Self {
        Self(AtomicU32::new(times))
    }

    /// Whether this time is one of the failures.
    fn is_due(&self) -> bool {
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1))
            .is_ok()
    }
}
