//! Everything that is wrong with a configuration, collected instead of stopping at the first.

use std::cell::RefCell;
use std::fmt;
use std::ops::Range;

/// Names further away than this share too little to be a misspelling.
const SIMILARITY_MIN: f64 = 0.7;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The host does not start.
    Error,
    /// The host starts; the operator should know.
    Note,
}

/// One thing to know about a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file it stands in, as the operator named it.
    pub file: String,
    /// The line, 1 for the first.
    pub line: usize,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, beginning with the key, and what to do.
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let note = match self.severity {
            Severity::Error => "",
            Severity::Note => "note: ",
        };
        write!(f, "{}:{}: {note}{}", self.file, self.line, self.text)
    }
}

/// A value and the line it stands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct At<T> {
    pub(crate) line: usize,
    pub(crate) value: T,
}

impl<T> At<T> {
    pub(crate) fn map<U>(self, change: impl FnOnce(T) -> U) -> At<U> {
        At {
            line: self.line,
            value: change(self.value),
        }
    }
}

/// The problems of one file so far.
#[derive(Debug)]
pub(crate) struct Problems {
    file: String,
    /// Where each line begins, in bytes.
    starts: Vec<usize>,
    found: RefCell<Vec<Problem>>,
}

impl Problems {
    pub(crate) fn new(file: &str, source: &str) -> Self {
        let starts = std::iter::once(0).chain(source.match_indices('\n').map(|(at, _)| at + 1));
        Self {
            file: file.to_owned(),
            starts: starts.collect(),
            found: RefCell::default(),
        }
    }

    /// The line of a place in the source.
    pub(crate) fn line(&self, span: &Range<usize>) -> usize {
        self.starts.partition_point(|start| *start <= span.start)
    }

    pub(crate) fn error(&self, line: usize, text: impl Into<String>) {
        self.add(self.file.clone(), line, Severity::Error, text.into());
    }

    pub(crate) fn note(&self, line: usize, text: impl Into<String>) {
        self.add(self.file.clone(), line, Severity::Note, text.into());
    }

    /// An error in another file.
    pub(crate) fn error_in(&self, file: &str, line: usize, text: impl Into<String>) {
        self.add(file.to_owned(), line, Severity::Error, text.into());
    }

    fn add(&self, file: String, line: usize, severity: Severity, text: String) {
        self.found.borrow_mut().push(Problem {
            file,
            line,
            severity,
            text,
        });
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.found
            .borrow()
            .iter()
            .any(|problem| problem.severity == Severity::Error)
    }

    /// All of them, by file and line, those of the configuration itself first.
    pub(crate) fn into_sorted(self) -> Vec<Problem> {
        let mut found = self.found.into_inner();
        let place = |problem: &Problem| (problem.file != self.file, problem.file.clone(), problem.line);
        found.sort_by_key(place);
        found
    }
}

/// `; did you mean ...` when one of `known` is near, else what there is.
pub(crate) fn suggestion<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<_> = known.into_iter().collect();
    let near = known
        .iter()
        .map(|name| (strsim::jaro_winkler(given, name), *name))
        .filter(|(similarity, _)| *similarity >= SIMILARITY_MIN)
        .max_by(|left, right| left.0.total_cmp(&right.0));
    match near {
        Some((_, name)) => format!("; did you mean `{name}`"),
        None if known.is_empty() => String::new(),
        None => format!("; known: {}", listed(known)),
    }
}

/// Names in backticks, with commas.
pub(crate) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<_> = names.into_iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}
