//! What makes a manifest valid: everything that its types alone cannot say.
//!
//! One walk collects every problem, each with its path, so that an author repairs a manifest once and not line by line.
//! The host runs the same walk before it shows or loads a piece: what stands on a permission screen has passed it, hence
//! the rules against characters that could make one line look like another.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

use crate::{Auth, Example, Manifest, OptionSpec, OptionType, Replay, Signed, Slot, Verification, WORLD};

/// The largest request body of a slot, in bytes; the contract's limit for `http.request`.
pub const REQUEST_BYTES_MAX: usize = 1024 * 1024;
/// The largest response body of a slot, in bytes; the contract's limit for `http.response`.
pub const RESPONSE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// The longest a request may take, in milliseconds: no platform waits longer than this for an answer to a click.
pub const TIMEOUT_MS_MAX: u64 = 30_000;
/// The widest replay window, in seconds. Platforms name 300; beyond a quarter of an hour it protects nobody.
pub const REPLAY_WINDOW_S_MAX: u64 = 900;
/// The longest line for people, in Unicode scalar values: two lines of a terminal.
pub const LINE_CHARS_MAX: usize = 200;
/// The most examples: they run before every switch, each for a millisecond.
pub const EXAMPLES_MAX: usize = 32;
/// The longest name of anything in a manifest.
pub const NAME_CHARS_MAX: usize = 40;

const METHODS: [&str; 6] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
/// Headers that frame a message or name its receiver: a credential in one of them would change where a request goes.
const FRAMING: [&str; 8] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "te",
    "trailer",
    "upgrade",
    "expect",
];

/// One thing that is wrong with a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where, such as `slots.api.paths[0]`.
    pub path: String,
    /// What is wrong: what was expected and what was found.
    pub what: String,
    /// What to do.
    pub fix: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.path, self.what, self.fix)
    }
}

/// Whether a piece may be called this.
///
/// # Errors
/// What is against it, and which names there are.
pub fn check_name(name: &str) -> Result<(), Problem> {
    let mut found = Found::default();
    found.name("name", name, NameKind::Piece);
    found.problems.pop().map_or(Ok(()), Err)
}

impl Manifest {
    /// Everything that is wrong; empty when the manifest is valid.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let mut found = Found::default();
        found.head(self);
        for (id, slot) in &self.slots {
            found.slot(&format!("slots.{id}"), id, slot);
        }
        found.verification(&self.verification);
        found.secrets(self);
        found.examples(&self.examples);
        for (name, option) in &self.options {
            found.option(&format!("options.{name}"), name, option);
        }
        found.problems
    }

    /// Every place that names a secret, and the secret it names.
    fn secret_uses(&self) -> Vec<(String, &str)> {
        let slots = self.slots.iter().filter_map(|(id, slot)| match &slot.auth {
            Auth::None => None,
            Auth::Bearer { secret } | Auth::Header { secret, .. } | Auth::Path { secret, .. } => {
                Some((format!("slots.{id}.auth.secret"), secret.as_str()))
            }
        });
        let verification = match &self.verification {
            Verification::HmacSha256 { secret, .. } | Verification::SharedSecret { secret, .. } => {
                ("verification.secret".to_owned(), secret.as_str())
            }
            Verification::Ed25519 { key, .. } => ("verification.key".to_owned(), key.as_str()),
        };
        slots.chain([verification]).collect()
    }
}

#[derive(Default)]
struct Found {
    problems: Vec<Problem>,
}

impl Found {
    fn add(&mut self, path: &str, what: impl Into<String>, fix: impl Into<String>) {
        self.problems.push(Problem {
            path: path.to_owned(),
            what: what.into(),
            fix: fix.into(),
        });
    }

    fn examples(&mut self, examples: &[Example]) {
        if examples.len() > EXAMPLES_MAX {
            self.add(
                "examples",
                format!("expected at most {EXAMPLES_MAX}, found {}", examples.len()),
                "keep those that show most: every host runs all of them before it switches to the piece",
            );
        }
        for (number, example) in examples.iter().enumerate() {
            self.line(&format!("examples[{number}].name"), &example.name);
        }
    }

    fn head(&mut self, manifest: &Manifest) {
        self.name("name", &manifest.name, NameKind::Piece);
        if manifest.world != WORLD {
            self.add(
                "world",
                format!("expected world {WORLD}, found {:?}", manifest.world),
                format!("build the piece against the contract of version {WORLD}"),
            );
        }
        self.line("description", &manifest.description);
        self.line("licence", &manifest.licence);
        if !manifest.source.is_empty() {
            self.line("source", &manifest.source);
        }
        let mut seen = BTreeSet::new();
        for (index, hook) in manifest.hooks.iter().enumerate() {
            if !seen.insert(hook) {
                self.add(
                    &format!("hooks[{index}]"),
                    "this hook is listed twice",
                    "list every hook once",
                );
            }
        }
    }

    fn slot(&mut self, path: &str, id: &str, slot: &Slot) {
        self.name(path, id, NameKind::Inner);
        self.line(&format!("{path}.purpose"), &slot.purpose);
        self.base(&format!("{path}.base"), &slot.base);
        self.methods(&format!("{path}.methods"), &slot.methods);
        self.paths(&format!("{path}.paths"), &slot.paths);
        self.auth(&format!("{path}.auth"), &slot.auth);
        self.within(
            &format!("{path}.request_bytes_max"),
            slot.request_bytes_max,
            REQUEST_BYTES_MAX,
        );
        self.within(
            &format!("{path}.response_bytes_max"),
            slot.response_bytes_max,
            RESPONSE_BYTES_MAX,
        );
        self.within(&format!("{path}.timeout_ms"), slot.timeout_ms, TIMEOUT_MS_MAX);
    }

    fn base(&mut self, path: &str, base: &str) {
        if base.is_empty() {
            return;
        }
        if let Err(what) = check_base(base) {
            self.add(path, what, "write it as https://host[:port][/path]");
        }
    }

    fn methods(&mut self, path: &str, methods: &[String]) {
        if methods.is_empty() {
            self.add(
                path,
                "there is no method, so the slot could send nothing",
                "list the methods it needs",
            );
        }
        let mut seen = BTreeSet::new();
        for (index, method) in methods.iter().enumerate() {
            let path = format!("{path}[{index}]");
            if !METHODS.contains(&method.as_str()) {
                self.add(
                    &path,
                    format!("{method:?} is no known method"),
                    format!("use {}", METHODS.join(", ")),
                );
            } else if !seen.insert(method) {
                self.add(
                    &path,
                    format!("{method} is listed twice"),
                    "list every method once",
                );
            }
        }
    }

    fn paths(&mut self, path: &str, patterns: &[String]) {
        if patterns.is_empty() {
            self.add(
                path,
                "there is no path, so the slot could send nothing",
                "list the paths it needs",
            );
        }
        for (index, pattern) in patterns.iter().enumerate() {
            if let Err(what) = check_pattern(pattern) {
                self.add(
                    &format!("{path}[{index}]"),
                    format!("{what} in {pattern:?}"),
                    "write `/literal/segments`, `*` for one segment, `**` at the end for any number",
                );
            }
        }
    }

    fn auth(&mut self, path: &str, auth: &Auth) {
        match auth {
            Auth::None | Auth::Bearer { .. } => {}
            Auth::Header { name, prefix, .. } => {
                let at = format!("{path}.name");
                self.header(&at, name);
                if FRAMING.contains(&name.as_str()) || name.starts_with("proxy-") {
                    self.add(
                        &at,
                        format!("`{name}` frames the request"),
                        "use the header the platform reads",
                    );
                }
                self.prefix(&format!("{path}.prefix"), prefix);
            }
            Auth::Path { prefix, .. } => {
                if !prefix.chars().all(is_unreserved) {
                    self.add(
                        &format!("{path}.prefix"),
                        format!("{prefix:?} has characters that mean something in a path"),
                        "use letters, digits and `-._~`",
                    );
                }
            }
        }
    }

    fn verification(&mut self, verification: &Verification) {
        match verification {
            Verification::HmacSha256 {
                header,
                prefix,
                signed,
                replay,
                secret: _,
                encoding: _,
            } => {
                self.header("verification.header", header);
                self.prefix("verification.prefix", prefix);
                self.signed(signed, replay.as_ref());
            }
            Verification::Ed25519 {
                header,
                signed,
                replay,
                key: _,
            } => {
                self.header("verification.header", header);
                self.signed(signed, replay.as_ref());
            }
            Verification::SharedSecret {
                header,
                prefix,
                secret: _,
            } => {
                self.header("verification.header", header);
                self.prefix("verification.prefix", prefix);
            }
        }
    }

    fn signed(&mut self, signed: &[Signed], replay: Option<&Replay>) {
        if !signed.contains(&Signed::Body) {
            self.add(
                "verification.signed",
                "the body is not signed, so anybody could change it",
                "add `body` where the platform signs it",
            );
        }
        for (index, part) in signed.iter().enumerate() {
            let path = format!("verification.signed[{index}]");
            match part {
                Signed::Header(name) => self.header(&path, name),
                Signed::Text(text) if text.is_empty() => self.add(&path, "the text is empty", "leave it out"),
                Signed::Text(_) | Signed::Body => {}
            }
        }
        if let Some(replay) = replay {
            self.replay(signed, replay);
        }
    }

    fn replay(&mut self, signed: &[Signed], replay: &Replay) {
        let path = "verification.replay.header";
        self.header(path, &replay.header);
        if !signed.contains(&Signed::Header(replay.header.clone())) {
            self.add(
                path,
                format!(
                    "`{}` is not signed, so a replay could carry a new time",
                    replay.header
                ),
                "add the header to `signed`",
            );
        }
        self.within(
            "verification.replay.window_s",
            replay.window_s,
            REPLAY_WINDOW_S_MAX,
        );
    }

    fn secrets(&mut self, manifest: &Manifest) {
        for (name, line) in &manifest.secrets {
            let path = format!("secrets.{name}");
            self.name(&path, name, NameKind::Inner);
            self.line(&path, line);
        }
        let uses = manifest.secret_uses();
        for (path, name) in &uses {
            if !manifest.secrets.contains_key(*name) {
                self.add(
                    path,
                    format!("there is no secret {name:?}"),
                    format!("describe it: secrets.{name} = \"…\""),
                );
            }
        }
        for name in manifest.secrets.keys() {
            if !uses.iter().any(|(_, used)| used == name) {
                self.add(
                    &format!("secrets.{name}"),
                    "neither a slot nor the verification uses this secret",
                    "leave it out: a secret's value never enters a piece",
                );
            }
        }
    }

    fn option(&mut self, path: &str, name: &str, option: &OptionSpec) {
        self.name(path, name, NameKind::Inner);
        self.line(&format!("{path}.description"), &option.description);
        let Some(default) = &option.default else { return };
        let path = format!("{path}.default");
        if option.required {
            self.add(
                &path,
                "a required option has a default",
                "drop one of `required` and `default`",
            );
        }
        if !option.kind.admits(default) {
            self.add(
                &path,
                format!("expected {}, found {default}", option.kind.in_words()),
                "change the default or the type",
            );
        }
    }

    fn name(&mut self, path: &str, name: &str, kind: NameKind) {
        let mut chars = name.chars();
        let first = chars.next().is_some_and(|first| first.is_ascii_lowercase());
        if !first || !chars.all(|char| kind.admits(char)) || name.len() > NAME_CHARS_MAX {
            self.add(
                path,
                format!("{name:?} is no name here"),
                format!("use {}", kind.pattern()),
            );
        }
    }

    fn line(&mut self, path: &str, line: &str) {
        if line.trim().is_empty() {
            self.add(path, "there is no text", "write one line for the operator");
        }
        let length = line.chars().count();
        if length > LINE_CHARS_MAX {
            self.add(
                path,
                format!("{length} characters, at most {LINE_CHARS_MAX}"),
                "shorten it",
            );
        }
        if let Some(char) = line.chars().find(|char| is_deceptive(*char)) {
            self.add(
                path,
                format!("{char:?} could change how other lines are shown"),
                "use one line of plain text",
            );
        }
    }

    fn header(&mut self, path: &str, name: &str) {
        if name.is_empty() || !name.chars().all(is_lower_token) {
            self.add(
                path,
                format!("{name:?} is no header name"),
                "write it in lower case, such as `x-signature`",
            );
        }
    }

    fn prefix(&mut self, path: &str, prefix: &str) {
        if !prefix.chars().all(|char| char == ' ' || char.is_ascii_graphic()) {
            self.add(
                path,
                format!("{prefix:?} cannot stand in a header"),
                "use printable ASCII",
            );
        }
    }

    fn within<T: PartialOrd + From<u8> + fmt::Display>(&mut self, path: &str, value: T, max: T) {
        if value < T::from(1) || value > max {
            self.add(
                path,
                format!("expected 1 to {max}, found {value}"),
                "choose a value within the limits",
            );
        }
    }
}

/// What a name names decides which characters it may have.
#[derive(Clone, Copy)]
enum NameKind {
    /// It becomes a file's name and part of a route.
    Piece,
    /// It is a key of the manifest and of the operator's configuration.
    Inner,
}

impl NameKind {
    fn admits(self, char: char) -> bool {
        match self {
            Self::Piece => char.is_ascii_lowercase() || char.is_ascii_digit() || char == '-',
            Self::Inner => Self::Piece.admits(char) || char == '_',
        }
    }

    fn pattern(self) -> &'static str {
        match self {
            Self::Piece => "[a-z][a-z0-9-]{0,39}",
            Self::Inner => "[a-z][a-z0-9_-]{0,39}",
        }
    }
}

impl OptionType {
    /// Whether a value is of this type.
    #[must_use]
    pub fn admits(self, value: &Value) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Boolean => value.is_boolean(),
            Self::Integer => value.is_i64(),
            Self::Strings => value
                .as_array()
                .is_some_and(|list| list.iter().all(Value::is_string)),
        }
    }

    /// The type as a phrase for people, such as `a whole number`.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            Self::String => "a text",
            Self::Boolean => "true or false",
            Self::Integer => "a whole number",
            Self::Strings => "a list of texts",
        }
    }
}

fn check_base(base: &str) -> Result<(), String> {
    let Some(rest) = base.strip_prefix("https://") else {
        return Err(format!("{base:?} does not begin with https://"));
    };
    let (authority, path) = rest
        .split_once('/')
        .map_or((rest, None), |(host, path)| (host, Some(path)));
    let (host, port) = authority
        .split_once(':')
        .map_or((authority, None), |(host, port)| (host, Some(port)));
    if host.is_empty() || !host.split('.').all(is_label) {
        return Err(format!("{host:?} is no host name in lower case"));
    }
    // What a URL parser would take for an IPv4 address, in any of its spellings, is never a platform's host.
    if host.rsplit('.').next().is_some_and(is_number) {
        return Err(format!("{host:?} is an address, not a host name"));
    }
    if port.is_some_and(|port| !is_port(port)) {
        return Err(format!("{:?} is no port", port.unwrap_or_default()));
    }
    match path {
        Some(path) if !path.split('/').all(is_literal) => Err(format!(
            "{path:?} has an empty, dotted or encoded segment, a query or a fragment"
        )),
        Some(_) | None => Ok(()),
    }
}

fn check_pattern(pattern: &str) -> Result<(), String> {
    let Some(rest) = pattern.strip_prefix('/') else {
        return Err("there is no `/` at the beginning".to_owned());
    };
    if rest.is_empty() {
        return Ok(());
    }
    let mut segments = rest.split('/').peekable();
    while let Some(segment) = segments.next() {
        match segment {
            "**" if segments.peek().is_some() => return Err("`**` stands before the end".to_owned()),
            "**" | "*" => {}
            segment if !is_literal(segment) => return Err(format!("{segment:?} is no literal segment")),
            _ => {}
        }
    }
    Ok(())
}

fn is_label(label: &str) -> bool {
    !label.is_empty()
        && !label.starts_with('-')
        && !label.ends_with('-')
        && label
            .chars()
            .all(|char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '-')
}

fn is_number(label: &str) -> bool {
    label.chars().all(|char| char.is_ascii_digit())
        || label
            .strip_prefix("0x")
            .is_some_and(|digits| digits.chars().all(|char| char.is_ascii_hexdigit()))
}

fn is_port(port: &str) -> bool {
    // `parse` alone would take `+443`.
    port.chars().all(|char| char.is_ascii_digit()) && port.parse::<u16>().is_ok_and(|port| port > 0)
}

/// A path segment that means itself: nothing encoded, nothing that a server could take for a step upwards.
fn is_literal(segment: &str) -> bool {
    !segment.is_empty()
        && segment != "."
        && segment != ".."
        && segment
            .chars()
            .all(|char| is_unreserved(char) || "!$&'()+,;=:@".contains(char))
}

fn is_unreserved(char: char) -> bool {
    char.is_ascii_alphanumeric() || "-._~".contains(char)
}

fn is_lower_token(char: char) -> bool {
    char.is_ascii_lowercase() || char.is_ascii_digit() || "!#$%&'*+-.^_`|~".contains(char)
}

/// Controls (line breaks, terminal escapes) and the marks that reorder or hide text on a screen.
fn is_deceptive(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests;
