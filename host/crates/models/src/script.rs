//! The script file: reading it, and every problem in it.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::Failures;
use crate::template::Template;

/// What a scripted model and its tools do.
#[derive(Debug, Default)]
pub struct Script {
    pub(crate) rules: Vec<Rule>,
    pub(crate) tools: Vec<Tool>,
}

/// Something wrong in a script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct ScriptProblem {
    /// The line, 1 for the first.
    pub line: usize,
    /// What is wrong, beginning with the entry, such as `model 2`, and the key.
    pub text: String,
}

/// A `[[model]]` entry.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) when: When,
    pub(crate) does: Does,
    pub(crate) failures: Failures,
    pub(crate) takes_ms: u64,
}

/// What an entry plays.
#[derive(Debug)]
pub(crate) enum Does {
    Reply { say: Template, calls: Vec<Call> },
    Refuse(String),
}

/// A scripted call.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) tool: String,
    pub(crate) input: Value,
}

/// Conditions; all that are there must hold.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct When {
    pub(crate) text_contains: Option<String>,
    pub(crate) text_equals: Option<String>,
    pub(crate) calls: Option<usize>,
    pub(crate) result: Option<WhenResult>,
    #[serde(default)]
    pub(crate) offered: Vec<String>,
    #[serde(default)]
    pub(crate) not_offered: Vec<String>,
}

/// A condition on the latest result of a tool.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WhenResult {
    pub(crate) tool: String,
    pub(crate) output_contains: Option<String>,
    pub(crate) error_contains: Option<String>,
}

/// A `[[tool]]` entry.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) input_schema: Value,
    pub(crate) gives: Result<Value, String>,
    pub(crate) failures: Failures,
    pub(crate) takes_ms: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleToml {
    #[serde(default)]
    when: When,
    #[serde(default)]
    say: String,
    #[serde(default)]
    call: Vec<CallToml>,
    refuse: Option<String>,
    #[serde(default)]
    fail_times: u32,
    #[serde(default)]
    takes_ms: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallToml {
    tool: String,
    #[serde(default)]
    input: toml::Table,
    id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolToml {
    name: String,
    description: String,
    input_schema: Option<toml::Table>,
    returns: Option<toml::Value>,
    error: Option<String>,
    #[serde(default)]
    fail_times: u32,
    #[serde(default)]
    takes_ms: u64,
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// Everything that is wrong, in the order of the lines.
    pub fn parse(source: &str) -> Result<Self, Vec<ScriptProblem>> {
        let mut reader = Reader {
            source,
            problems: Vec::new(),
        };
        let script = reader.script();
        if reader.problems.is_empty() {
            Ok(script)
        } else {
            reader.problems.sort_by_key(|problem| problem.line);
            Err(reader.problems)
        }
    }

    /// The names of its tools, in their order.
    pub fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.name.as_str())
    }
}

struct Reader<'a> {
    source: &'a str,
    problems: Vec<ScriptProblem>,
}

impl Reader<'_> {
    fn script(&mut self) -> Script {
        let mut script = Script::default();
        let table = match DeTable::parse(self.source) {
            Ok(table) => table.into_inner(),
            Err(error) => {
                self.problem(error.span().map_or(0, |span| span.start), error.message());
                return script;
            }
        };
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "model" => script.rules = self.entries("model", value, Rule::read),
                "tool" => script.tools = self.entries("tool", value, Tool::read),
                other => {
                    let text = format!("unknown key `{other}`, expected `[[model]]` or `[[tool]]`");
                    self.problem(key.span().start, &text);
                }
            }
        }
        self.unique_tools(&script.tools);
        script
    }

    /// Reads every entry of `[[kind]]`.
    fn entries<T: DeserializeOwned, U>(
        &mut self,
        kind: &str,
        value: Spanned<DeValue<'_>>,
        read: fn(T) -> Result<U, String>,
    ) -> Vec<U> {
        let start = value.span().start;
        let DeValue::Array(entries) = value.into_inner() else {
            self.problem(start, &format!("`{kind}` is no list: write `[[{kind}]]`"));
            return Vec::new();
        };
        let mut done = Vec::new();
        for (index, entry) in entries.into_iter().enumerate() {
            let start = entry.span().start;
            let typed = T::deserialize(toml::de::ValueDeserializer::from(entry)).map_err(|error| {
                (
                    error.span().map_or(start, |span| span.start),
                    one_line(&error.to_string()),
                )
            });
            match typed.and_then(|typed| read(typed).map_err(|text| (start, text))) {
                Ok(entry) => done.push(entry),
                Err((at, text)) => self.problem(at, &format!("{kind} {}: {text}", index + 1)),
            }
        }
        done
    }

    fn unique_tools(&mut self, tools: &[Tool]) {
        let mut names = BTreeSet::new();
        for (index, tool) in tools.iter().enumerate() {
            if !names.insert(&tool.name) {
                let text = format!("tool {}: `name`: {:?} is defined twice", index + 1, tool.name);
                self.problem(0, &text);
            }
        }
    }

    fn problem(&mut self, at: usize, text: &str) {
        let before = self.source.get(..at).unwrap_or(self.source);
        let line = before.matches('\n').count() + 1;
        self.problems.push(ScriptProblem {
            line,
            text: text.to_owned(),
        });
    }
}

/// TOML's errors name the key on a line of their own.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Rule {
    fn read(read: RuleToml) -> Result<Self, String> {
        let does = match read.refuse {
            Some(_) if !read.say.is_empty() || !read.call.is_empty() => {
                return Err("`refuse` excludes `say` and `call`".to_owned());
            }
            Some(text) => Does::Refuse(text),
            None if read.say.trim().is_empty() && read.call.is_empty() => {
                return Err("expected `say`, `call` or `refuse`, found none".to_owned());
            }
            None => Does::Reply {
                say: Template::parse(&read.say).map_err(|text| format!("`say`: {text}"))?,
                calls: read
                    .call
                    .into_iter()
                    .enumerate()
                    .map(|(index, call)| Call::read(index + 1, call))
                    .collect::<Result<_, _>>()?,
            },
        };
        Ok(Self {
            when: read.when,
            does,
            failures: Failures::new(read.fail_times),
            takes_ms: read.takes_ms,
        })
    }
}

impl Call {
    fn read(number: usize, call: CallToml) -> Result<Self, String> {
        let input = json(toml::Value::Table(call.input))
            .map_err(|text| format!("`call` {number}: `input`: {text}"))?;
        Ok(Self {
            id: call.id.unwrap_or_else(|| format!("call_{number}")),
            tool: call.tool,
            input,
        })
    }
}

impl Tool {
    fn read(tool: ToolToml) -> Result<Self, String> {
        let gives = match (tool.returns, tool.error) {
            (Some(value), None) => Ok(json(value).map_err(|text| format!("`returns`: {text}"))?),
            (None, Some(error)) => Err(error),
            (None, None) => return Err("expected `returns` or `error`, found neither".to_owned()),
            (Some(_), Some(_)) => return Err("expected `returns` or `error`, found both".to_owned()),
        };
        let input_schema = match tool.input_schema {
            Some(schema) => {
                json(toml::Value::Table(schema)).map_err(|text| format!("`input_schema`: {text}"))?
            }
            None => serde_json::json!({ "type": "object" }),
        };
        Ok(Self {
            name: tool.name,
            description: tool.description,
            input_schema,
            gives,
            failures: Failures::new(tool.fail_times),
            takes_ms: tool.takes_ms,
        })
    }
}

/// A TOML value as JSON. Dates become texts.
fn json(value: toml::Value) -> Result<Value, String> {
    Ok(match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => Value::from(number),
        toml::Value::Float(number) => serde_json::Number::from_f64(number)
            .map(Value::Number)
            .ok_or_else(|| format!("JSON has no number {number}"))?,
        toml::Value::Boolean(yes) => Value::Bool(yes),
        toml::Value::Datetime(when) => Value::String(when.to_string()),
        toml::Value::Array(values) => Value::Array(values.into_iter().map(json).collect::<Result<_, _>>()?),
        toml::Value::Table(table) => Value::Object(
            table
                .into_iter()
                .map(|(key, value)| Ok((key, json(value)?)))
                .collect::<Result<_, String>>()?,
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The problems of a script, one a line.
    fn problems(source: &str) -> String {
        let lines = Script::parse(source)
            .expect_err("the script is wrong")
            .into_iter();
        lines
            .map(|problem| format!("{}: {problem}\n", problem.line))
            .collect()
    }

    #[test]
    fn the_documented_script_is_read() {
        let docs = include_str!("lib.rs");
        let example: String = docs
            .lines()
            .skip_while(|line| *line != "//! ```toml")
            .skip(1)
            .take_while(|line| *line != "//! ```")
            .map(|line| format!("{}\n", line.trim_start_matches("//!")))
            .collect();
        let script = Script::parse(&example).unwrap();
        assert_eq!(script.rules.len(), 4);
        assert_eq!(script.tool_names().collect::<Vec<_>>(), ["weather"]);
    }

    #[test]
    fn every_problem_names_its_line_entry_and_key() {
        let found = problems(
            r#"
[[model]]
when = { text_contain = "x" }
say = "a"

[[model]]
when = { calls = "two" }
say = "b"

[[model]]
say = "{nobody}"

[[model]]
when = { calls = 1 }

[[tool]]
name = "weather"
description = "tells it"

[[tools]]
"#,
        );
        let lines: Vec<_> = found.lines().collect();
        assert!(
            lines[0].starts_with("3: model 1: unknown field `text_contain`, expected one of"),
            "{found}"
        );
        assert!(
            lines[1].starts_with("7: model 2: invalid type: string \"two\""),
            "{found}"
        );
        assert!(lines[1].ends_with("in `when.calls`"), "{found}");
        assert!(
            lines[2].starts_with("10: model 3: `say`: expected `{text}`"),
            "{found}"
        );
        assert_eq!(
            lines[3],
            "13: model 4: expected `say`, `call` or `refuse`, found none"
        );
        assert_eq!(
            lines[4],
            "16: tool 1: expected `returns` or `error`, found neither"
        );
        assert_eq!(
            lines[5],
            "20: unknown key `tools`, expected `[[model]]` or `[[tool]]`"
        );
        assert_eq!(lines.len(), 6);
    }

    #[test]
    fn a_file_that_is_no_toml_names_its_line() {
        assert!(problems("\n[[model]\n").starts_with("2: "));
    }

    #[test]
    fn numbers_that_json_lacks_are_problems() {
        let found = problems("[[model]]\n[[model.call]]\ntool = \"add\"\ninput = { a = nan }\n");
        assert_eq!(found, "1: model 1: `call` 1: `input`: JSON has no number NaN\n");
    }

    #[test]
    fn a_tool_defined_twice_is_a_problem() {
        let tool = "[[tool]]\nname = \"a\"\ndescription = \"b\"\nreturns = 1\n";
        assert_eq!(
            problems(&tool.repeat(2)),
            "1: tool 2: `name`: \"a\" is defined twice\n"
        );
    }
}
