//! The arguments of the three commands.

use crate::broken::Rule;
use crate::run::Options;

/// What was asked for.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    /// The seed, or the first of them.
    pub seed: Option<u64>,
    /// How many runs.
    pub runs: Option<u64>,
    /// How to run.
    pub options: Options,
    /// The first step to show.
    pub first: Option<u64>,
    /// The last step to show.
    pub last: Option<u64>,
}

/// Reads the arguments of the command.
///
/// # Errors
/// What is wrong with them and what would be right.
pub fn arguments(words: impl IntoIterator<Item = String>) -> Result<Arguments, String> {
    let mut arguments = Arguments::default();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} wants a value"));
        match word.as_str() {
            "--seed" => arguments.seed = Some(number(&value()?)?),
            "--runs" => arguments.runs = Some(number(&value()?)?),
            "--from" => arguments.first = Some(number(&value()?)?),
            "--to" => arguments.last = Some(number(&value()?)?),
            "--forget" => {
                let count = number(&value()?)?;
                arguments.options.forget =
                    usize::try_from(count).map_err(|_| format!("{count} writes are too many"))?;
            }
            "--without" => {
                let name = value()?;
                let rule = Rule::ALL.into_iter().find(|rule| rule.name() == name);
                arguments.options.broken = Some(rule.ok_or_else(|| unknown_rule(&name))?);
            }
            _ if arguments.seed.is_none() && !word.starts_with('-') => arguments.seed = Some(number(&word)?),
            _ => {
                return Err(format!(
                    "{word} is no argument of this; see the first lines of its source"
                ));
            }
        }
    }
    Ok(arguments)
}

fn number(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("expected a number, found {text:?}"))
}

fn unknown_rule(name: &str) -> String {
    let names: Vec<String> = Rule::ALL.iter().map(|rule| rule.name()).collect();
    format!("there is no rule {name:?}; there are {}", names.join(", "))
}
