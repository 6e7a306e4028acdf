//! A small typed reader over TOML that notes every problem with its line and goes on.
//!
//! A [`Table`] knows which keys it was asked for. What is left when it is dropped is unknown, and is an error that names
//! the nearest known key.

use std::path::{Path, PathBuf};
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::duration::parse_duration;
use super::problem::{At, Problems, suggestion};

/// The longest name of a channel, agent, model or piece.
const NAME_CHARS_MAX: usize = 40;

/// A table under way.
pub(crate) struct Table<'a> {
    /// How a person would name it: empty for the file, else `channels.forum`.
    path: String,
    line: usize,
    entries: &'a DeTable<'a>,
    asked: Vec<&'static str>,
    /// Whether other keys are names that the operator chose.
    open: bool,
    problems: &'a Problems,
}

/// A value of any type, for keys that take more than one.
pub(crate) struct Value<'a> {
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) value: &'a DeValue<'a>,
}

impl<'a> Table<'a> {
    pub(crate) fn whole(file: &'a Spanned<DeTable<'a>>, problems: &'a Problems) -> Self {
        Self {
            path: String::new(),
            line: 1,
            entries: file.get_ref(),
            asked: Vec::new(),
            open: false,
            problems,
        }
    }

    fn of(value: &Value<'a>, problems: &'a Problems) -> Option<Self> {
        let Some(entries) = value.value.as_table() else {
            wrong_type(problems, value, "a table");
            return None;
        };
        Some(Self {
            path: value.path.clone(),
            line: value.line,
            entries,
            asked: Vec::new(),
            open: false,
            problems,
        })
    }

    /// The line the table begins on.
    pub(crate) fn line(&self) -> usize {
        self.line
    }

    /// An error about the table as a whole.
    pub(crate) fn error(&self, text: &str) {
        self.problems.error(self.line, format!("{}: {text}", self.path));
    }

    /// An error about one of its values.
    pub(crate) fn error_at(&self, line: usize, key: &str, text: &str) {
        self.problems.error(line, format!("{}: {text}", self.below(key)));
    }

    /// Whether the key is there; asks for nothing.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|(name, _)| name.get_ref() == key)
    }

    pub(crate) fn value(&mut self, key: &'static str) -> Option<Value<'a>> {
        self.asked.push(key);
        let (name, value) = self.entries.iter().find(|(name, _)| name.get_ref() == key)?;
        Some(self.found(name, value))
    }

    fn found(&self, name: &Spanned<toml::de::DeString<'a>>, value: &'a Spanned<DeValue<'a>>) -> Value<'a> {
        Value {
            path: self.below(name.get_ref()),
            line: self.problems.line(&name.span()),
            value: value.get_ref(),
        }
    }

    fn below(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }

    pub(crate) fn text(&mut self, key: &'static str) -> Option<At<String>> {
        let value = self.value(key)?;
        self.text_of(&value)
    }

    pub(crate) fn text_of(&self, value: &Value<'a>) -> Option<At<String>> {
        let Some(text) = value.value.as_str() else {
            wrong_type(self.problems, value, "a text");
            return None;
        };
        if text.trim().is_empty() {
            self.problems.error(
                value.line,
                format!("{}: expected a text, found an empty one", value.path),
            );
            return None;
        }
        Some(At {
            line: value.line,
            value: text.to_owned(),
        })
    }

    /// A text that must be there; `purpose` says what for.
    pub(crate) fn required_text(&mut self, key: &'static str, purpose: &str) -> Option<At<String>> {
        if !self.has(key) {
            self.asked.push(key);
            self.error(&format!("`{key}` is missing: {purpose}"));
            return None;
        }
        self.text(key)
    }

    pub(crate) fn flag(&mut self, key: &'static str) -> Option<At<bool>> {
        let value = self.value(key)?;
        let Some(flag) = value.value.as_bool() else {
            wrong_type(self.problems, &value, "true or false");
            return None;
        };
        Some(At {
            line: value.line,
            value: flag,
        })
    }

    /// A whole number within bounds.
    pub(crate) fn number(&mut self, key: &'static str, min: u64, max: u64) -> Option<u64> {
        let value = self.value(key)?;
        let DeValue::Integer(number) = value.value else {
            wrong_type(self.problems, &value, "a whole number");
            return None;
        };
        match u64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) if (min..=max).contains(&number) => Some(number),
            Ok(_) | Err(_) => {
                let text = format!("{}: expected {min} to {max}, found {number}", value.path);
                self.problems.error(value.line, text);
                None
            }
        }
    }

    /// A length of time within bounds, both in words.
    pub(crate) fn duration(&mut self, key: &'static str, min: &str, max: &str) -> Option<At<Duration>> {
        let text = self.text(key)?;
        let bounds = parse_duration(min).ok().zip(parse_duration(max).ok());
        match parse_duration(&text.value) {
            Ok(length) if bounds.is_none_or(|(min, max)| (min..=max).contains(&length)) => Some(At {
                line: text.line,
                value: length,
            }),
            Ok(_) => {
                self.error_at(
                    text.line,
                    key,
                    &format!("expected {min} to {max}, found {}", text.value),
                );
                None
            }
            Err(problem) => {
                self.error_at(text.line, key, &problem);
                None
            }
        }
    }

    /// A list of texts.
    pub(crate) fn texts(&mut self, key: &'static str) -> Vec<At<String>> {
        match self.value(key) {
            Some(value) => self.texts_of(&value),
            None => Vec::new(),
        }
    }

    pub(crate) fn texts_of(&self, value: &Value<'a>) -> Vec<At<String>> {
        let DeValue::Array(items) = value.value else {
            wrong_type(self.problems, value, "a list of texts");
            return Vec::new();
        };
        let each = items.iter().filter_map(|item| {
            let line = self.problems.line(&item.span());
            self.text_of(&Value {
                path: value.path.clone(),
                line,
                value: item.get_ref(),
            })
        });
        each.collect()
    }

    /// A path, relative to the folder of the configuration.
    pub(crate) fn path(&mut self, key: &'static str, folder: &Path) -> Option<At<PathBuf>> {
        Some(self.text(key)?.map(|text| folder.join(text)))
    }

    pub(crate) fn table(&mut self, key: &'static str) -> Option<Table<'a>> {
        let value = self.value(key)?;
        Table::of(&value, self.problems)
    }

    /// A list of tables: `[[key]]`.
    pub(crate) fn tables(&mut self, key: &'static str) -> Vec<Table<'a>> {
        let Some(value) = self.value(key) else {
            return Vec::new();
        };
        let DeValue::Array(items) = value.value else {
            wrong_type(self.problems, &value, &format!("a list of tables, `[[{key}]]`"));
            return Vec::new();
        };
        let each = items.iter().enumerate().filter_map(|(index, item)| {
            let path = format!("{} {}", value.path, index + 1);
            let line = self.problems.line(&item.span());
            Table::of(
                &Value {
                    path,
                    line,
                    value: item.get_ref(),
                },
                self.problems,
            )
        });
        each.collect()
    }

    /// The tables below `key`, by the names the operator chose.
    pub(crate) fn named(&mut self, key: &'static str) -> Vec<(String, Table<'a>)> {
        self.table(key).map(Table::rest).unwrap_or_default()
    }

    /// What is below `key`, by the names the operator chose. They are names of others and are not checked.
    pub(crate) fn values(&mut self, key: &'static str) -> Vec<(String, Value<'a>)> {
        let Some(mut table) = self.table(key) else {
            return Vec::new();
        };
        table.open = true;
        let entries = table.entries.iter();
        entries
            .map(|(name, value)| (name.get_ref().to_string(), table.found(name, value)))
            .collect()
    }

    /// Everything in it that was not asked for, as tables by names that the operator chose.
    pub(crate) fn rest(mut self) -> Vec<(String, Table<'a>)> {
        let entries = self
            .entries
            .iter()
            .filter(|(name, _)| !self.asked.iter().any(|asked| name.get_ref() == asked));
        let mut named = Vec::new();
        for (name, value) in entries {
            let found = self.found(name, value);
            if !is_name(name.get_ref()) {
                let text = "expected a name of a-z, 0-9, `-` and `_` that begins with a letter";
                self.problems.error(
                    found.line,
                    format!("{}: {text}, at most {NAME_CHARS_MAX} long", found.path),
                );
            }
            named.extend(Table::of(&found, self.problems).map(|table| (name.get_ref().to_string(), table)));
        }
        self.open = true;
        named
    }

    pub(crate) fn below_value(&self, value: &Value<'a>) -> Option<Table<'a>> {
        Table::of(value, self.problems)
    }
}

impl Drop for Table<'_> {
    fn drop(&mut self) {
        if self.open {
            return;
        }
        for (name, _) in self.entries {
            let key = name.get_ref().as_ref();
            if self.asked.contains(&key) {
                continue;
            }
            let near = suggestion(key, self.asked.iter().copied());
            let line = self.problems.line(&name.span());
            self.problems
                .error(line, format!("{}: unknown key{near}", self.below(key)));
        }
    }
}

fn is_name(name: &str) -> bool {
    name.len() <= NAME_CHARS_MAX
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte))
}

fn wrong_type(problems: &Problems, value: &Value<'_>, expected: &str) {
    let found = in_words(value.value);
    problems.error(
        value.line,
        format!("{}: expected {expected}, found {found}", value.path),
    );
}

fn in_words(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
