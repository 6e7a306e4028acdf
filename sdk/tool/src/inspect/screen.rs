//! The permission screen: what the operator reads before a piece is installed.

use std::fmt::{self, Display, Formatter};

use frogbot_manifest::OptionSpec;

use super::{Inspection, Reach};

impl Display for Inspection {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} {}: {}", self.name, self.version, self.description)?;
        self.write_head(f)?;
        self.write_reaches(f)?;
        self.write_secrets(f)?;
        writeln!(
            f,
            "\nThe platform's requests are verified by the host:\n  {}",
            self.verification
        )?;
        self.write_options(f)?;
        write_list(f, "Imports", &self.imports)?;
        write_list(f, "Exports", &self.exports)
    }
}

impl Inspection {
    fn write_head(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let kind = if self.questions {
            "a channel with questions"
        } else {
            "a channel without questions"
        };
        let source = if self.source.is_empty() {
            "not given"
        } else {
            &self.source
        };
        let notices = if self.notices_public {
            "everybody in the conversation"
        } else {
            "the participant only"
        };
        let hooks: Vec<String> = self
            .hooks
            .iter()
            .map(|hook| format!("{hook:?}").to_lowercase())
            .collect();
        let hooks = if hooks.is_empty() {
            "none".to_owned()
        } else {
            hooks.join(", ")
        };
        writeln!(f, "  kind            {kind}, world {}", self.world)?;
        writeln!(f, "  licence         {}", self.licence)?;
        writeln!(f, "  source          {source}")?;
        writeln!(f, "  optional hooks  {hooks}")?;
        writeln!(f, "  notices go to   {notices}")?;
        writeln!(f, "  size            {} bytes", self.bytes)?;
        writeln!(f, "  sha256          {}", self.sha256)
    }

    fn write_reaches(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.reaches.is_empty() {
            return writeln!(f, "\nIt can send no request anywhere.");
        }
        writeln!(f, "\nIt can send requests to these places, and to no other:")?;
        self.reaches.iter().try_for_each(|reach| reach.fmt(f))
    }

    fn write_secrets(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.secrets.is_empty() {
            return writeln!(f, "\nIt needs no secrets.");
        }
        writeln!(f, "\nIt needs these secrets, whose values it never sees:")?;
        self.secrets
            .iter()
            .try_for_each(|(name, line)| writeln!(f, "  {name}: {line}"))
    }

    fn write_options(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.options.is_empty() {
            return writeln!(f, "\nIt has no options.");
        }
        writeln!(f, "\nIts options:")?;
        self.options.iter().try_for_each(|(name, option)| {
            writeln!(
                f,
                "  {name}: {} ({}{})",
                option.description,
                option.kind.in_words(),
                duty(option)
            )
        })
    }
}

impl Display for Reach {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let base = if self.base.is_empty() {
            "the host that you configure"
        } else {
            &self.base
        };
        writeln!(f, "  {base} ({}): {}", self.slot, self.purpose)?;
        writeln!(f, "    {} {}", self.methods.join(", "), self.paths.join(" "))?;
        writeln!(f, "    with {}", self.credential)?;
        writeln!(
            f,
            "    at most {} bytes there, {} bytes back, {} ms",
            self.request_bytes_max, self.response_bytes_max, self.timeout_ms
        )
    }
}

fn duty(option: &OptionSpec) -> String {
    match (&option.default, option.required) {
        (Some(default), _) => format!(", {} unless set", shown(&default.to_string())),
        (None, true) => ", must be set".to_owned(),
        (None, false) => ", left out unless set".to_owned(),
    }
}

/// A default is any text; one that could move the cursor or turn the line around is shown by its code points.
fn shown(text: &str) -> String {
    let escaped = |char: char| match char {
        '"' | '\'' | '\\' => char.to_string(),
        other => other.escape_debug().to_string(),
    };
    text.chars().map(escaped).collect()
}

fn write_list(f: &mut Formatter<'_>, title: &str, names: &[String]) -> fmt::Result {
    writeln!(f, "\n{title}:")?;
    names.iter().try_for_each(|name| writeln!(f, "  {name}"))
}
