//! Shows the story of a seed as it goes, with the records and chats after each line: `cargo run -p tests --bin replay -- <seed>`.

#![expect(clippy::print_stdout, reason = "this is a command for people")]

use std::process::ExitCode;

use tests::{simulator, stage};

fn main() -> ExitCode {
    let Some(seed) = std::env::args().nth(1).and_then(|word| word.parse().ok()) else {
        println!("expected a seed, as `simulate` prints it");
        return ExitCode::FAILURE;
    };
    let story = simulator::story_of(seed);
    // What is shown changes nothing of what happens.
    let shown = format!("shows: records, chats, hooks\n{story}");
    match stage::trace(&shown).and_then(|told| Ok((told, simulator::broken(seed)?))) {
        Ok((told, broken)) => println!("{told}\nbroken once healed: {broken:#?}"),
        Err(problem) => println!("{problem}"),
    }
    ExitCode::SUCCESS
}
