//! Calls that the tool accepts: the piece is never asked to show another.

use frogbot_piece::{Call, Choice, Question, testing};
use lifecycle::tool;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::texts::text_up_to;

/// Numbers of options beside the limits of every control: buttons, radio buttons and boxes, a menu, a menu with groups.
const OPTIONS: [usize; 13] = [1, 2, 4, 5, 6, 9, 10, 11, 24, 99, 100, 101, 150];

/// A call of one question, most of the time, or of several.
pub(crate) fn calls() -> impl Strategy<Value = Call> {
    let count = prop_oneof![4 => Just(1_usize), 3 => 2..6_usize, 1 => 6..30_usize];
    let items = count.prop_flat_map(|count| vec(item(), count));
    items.prop_filter_map("the tool does not accept it", |mut questions| {
        // A number makes them differ; what is too long is the tool's to say.
        for (number, item) in questions.iter_mut().enumerate() {
            item.header = item
                .header
                .chars()
                .take(25)
                .chain(number.to_string().chars())
                .collect();
        }
        let input = tool::Input { questions }.validated().ok()?;
        Some(testing::call(
            "c1",
            input.questions.into_iter().map(question).collect(),
        ))
    })
}

fn item() -> impl Strategy<Value = tool::Item> {
    let options = prop_oneof![3 => 1..6_usize, 2 => select(&OPTIONS[..])];
    let options = options.prop_flat_map(|count| vec((label(), description()), count));
    let texts = (text_up_to(25), text_up_to(6_000));
    (texts, options, any::<bool>(), any::<bool>()).prop_map(
        |((header, question), options, multiple, custom)| {
            let choice = |(number, (label, description)): (usize, (String, Option<String>))| tool::Choice {
                label: format!("{label}{number}"),
                description,
            };
            tool::Item {
                header,
                question,
                options: options.into_iter().enumerate().map(choice).collect(),
                multiple,
                custom,
            }
        },
    )
}

fn label() -> impl Strategy<Value = String> {
    prop_oneof![4 => text_up_to(30), 1 => text_up_to(400)]
}

fn description() -> impl Strategy<Value = Option<String>> {
    prop_oneof![3 => Just(None), 2 => text_up_to(80).prop_map(Some), 1 => text_up_to(600).prop_map(Some)]
}

fn question(item: tool::Item) -> Question {
    let choice = |choice: tool::Choice| Choice {
        label: choice.label,
        description: choice.description,
    };
    Question {
        header: item.header,
        question: item.question,
        options: item.options.into_iter().map(choice).collect(),
        multiple: item.multiple,
        custom: item.custom,
    }
}
