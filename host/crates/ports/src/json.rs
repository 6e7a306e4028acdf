//! The JSON that the specification fixes: the question tool's input and output. Both are published as JSON Schema.

use lifecycle::tool::{Answer, Choice, Input, Item, Output};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The question tool's name.
pub const QUESTION_TOOL: &str = "question";
/// JSON Schema (2020-12) of the tool's input.
pub const INPUT_SCHEMA: &str = include_str!("question-input.schema.json");
/// JSON Schema (2020-12) of the tool's output.
pub const OUTPUT_SCHEMA: &str = include_str!("question-output.schema.json");

#[derive(Serialize, Deserialize)]
#[serde(remote = "Input", deny_unknown_fields)]
struct InputJson {
    #[serde(with = "items")]
    questions: Vec<Item>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ItemJson {
    header: String,
    question: String,
    options: Vec<ChoiceJson>,
    #[serde(default)]
    multiple: bool,
    #[serde(default = "custom_by_default")]
    custom: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChoiceJson {
    label: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Output", deny_unknown_fields)]
struct OutputJson {
    #[serde(with = "answers")]
    answers: Vec<Answer>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerJson {
    header: String,
    selected: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    custom: Option<String>,
}

const fn custom_by_default() -> bool {
    true
}

mod items {
    use super::{Choice, ChoiceJson, Item, ItemJson};
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(items: &[Item], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(items.iter().map(|item| {
            ItemJson {
                header: item.header.clone(),
                question: item.question.clone(),
                options: item
                    .options
                    .iter()
                    .cloned()
                    .map(|Choice { label, description }| ChoiceJson { label, description })
                    .collect(),
                multiple: item.multiple,
                custom: item.custom,
            }
        }))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Item>, D::Error> {
        let items = Vec::<ItemJson>::deserialize(deserializer)?.into_iter();
        let choice = |ChoiceJson { label, description }| Choice { label, description };
        let item = |ItemJson {
                        header,
                        question,
                        options,
                        multiple,
                        custom,
                    }| Item {
            header,
            question,
            options: options.into_iter().map(choice).collect(),
            multiple,
            custom,
        };
        Ok(items.map(item).collect())
    }
}

mod answers {
    use super::{Answer, AnswerJson};
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(answers: &[Answer], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(answers.iter().cloned().map(
            |Answer {
                 header,
                 selected,
                 custom,
             }| AnswerJson {
                header,
                selected,
                custom,
            },
        ))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Answer>, D::Error> {
        let answers = Vec::<AnswerJson>::deserialize(deserializer)?.into_iter();
        Ok(answers
            .map(
                |AnswerJson {
                     header,
                     selected,
                     custom,
                 }| Answer {
                    header,
                    selected,
                    custom,
                },
            )
            .collect())
    }
}

/// Reads a model's input. Not validated yet: see [`Input::validated`].
///
/// # Errors
/// The JSON does not have the input's shape; the text names the field.
pub fn read_input(value: &Value) -> Result<Input, serde_json::Error> {
    InputJson::deserialize(value)
}

/// Reads an output. Not validated yet: see [`Output::validated`].
///
/// # Errors
/// The JSON does not have the output's shape; the text names the field.
pub fn read_output(value: &Value) -> Result<Output, serde_json::Error> {
    OutputJson::deserialize(value)
}

/// Writes an input.
///
/// # Errors
/// None in practice: every input is representable.
pub fn write_input(input: &Input) -> Result<Value, serde_json::Error> {
    InputJson::serialize(input, serde_json::value::Serializer)
}

/// Writes an output.
///
/// # Errors
/// None in practice: every output is representable.
pub fn write_output(output: &Output) -> Result<Value, serde_json::Error> {
    OutputJson::serialize(output, serde_json::value::Serializer)
}

#[cfg(test)]
mod tests;
