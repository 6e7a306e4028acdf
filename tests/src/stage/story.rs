//! Reading a story: its head, its lines, and where two of its kind differ.

use std::fmt;
use std::path::Path;

use super::stimulus::Stimulus;

/// A story that cannot be read or played.
#[derive(Debug)]
pub struct Problem {
    /// The line, 1 for the first.
    pub line: usize,
    /// What is wrong, and what would be right.
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.text)
    }
}

impl std::error::Error for Problem {}

/// Which piece is behind the channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PieceKind {
    /// A message for every question.
    Forum,
    /// One message for all.
    Card,
}

/// What of the inside a story shows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shows {
    pub(super) model: bool,
    pub(super) records: bool,
    pub(super) chats: bool,
    pub(super) hooks: bool,
}

/// The world a story begins in.
#[derive(Clone, Debug)]
pub(super) struct Setup {
    /// Who the configuration knows.
    pub(super) people: Vec<String>,
    /// Who the platform knows nothing about.
    pub(super) strangers: Vec<String>,
    /// How many more people there are: `p1`, `p2` and so on.
    pub(super) crowd: usize,
    pub(super) hosts: usize,
    /// Whether the one host has the store to itself.
    pub(super) alone: bool,
    pub(super) piece: PieceKind,
    pub(super) version: String,
    pub(super) reads_older_state: bool,
    pub(super) recognises_repeats: bool,
    pub(super) forms_are_related: bool,
    pub(super) notices_public: bool,
    pub(super) has_questions: bool,
    pub(super) may_ask: bool,
    pub(super) without_hooks: Vec<String>,
    /// Threads whose surface cannot show controls.
    pub(super) no_controls: Vec<String>,
    pub(super) access: String,
    pub(super) queue_max: usize,
    pub(super) shows: Shows,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            people: Vec::new(),
            strangers: Vec::new(),
            crowd: 0,
            hosts: 1,
            alone: false,
            piece: PieceKind::Forum,
            version: "1.0.0".to_owned(),
            reads_older_state: true,
            recognises_repeats: false,
            forms_are_related: false,
            notices_public: false,
            has_questions: true,
            may_ask: true,
            without_hooks: Vec::new(),
            no_controls: Vec::new(),
            access: engine::access::DEFAULT.to_owned(),
            queue_max: lifecycle::Policy::STANDARD.queue_max,
            shows: Shows::default(),
        }
    }
}

/// A story, read.
#[derive(Debug)]
pub(super) struct Story {
    /// The head, as it stands in the file.
    pub(super) head: Vec<String>,
    pub(super) setup: Setup,
    pub(super) script: String,
    pub(super) lines: Vec<Line>,
}

/// A line of the story itself.
#[derive(Debug)]
pub(super) struct Line {
    /// Its number in the file.
    pub(super) number: usize,
    pub(super) text: String,
    /// What happens; none for a comment or an empty line.
    pub(super) stimulus: Option<Stimulus>,
}

impl Story {
    /// Reads a story; a named script is looked for in `scripts`.
    pub(super) fn read(text: &str, scripts: &Path) -> Result<Self, Problem> {
        let mut story = Self {
            head: Vec::new(),
            setup: Setup::default(),
            script: String::new(),
            lines: Vec::new(),
        };
        let mut lines = text
            .lines()
            .enumerate()
            .map(|(index, line)| (index + 1, line))
            .peekable();
        let mut in_model = false;
        // The head ends at the first empty line that no indented one follows.
        while let Some((number, line)) = lines.next() {
            let goes_on = lines.peek().is_some_and(|(_, next)| next.starts_with(' '));
            if line.is_empty() && !(in_model && goes_on) {
                story.lines.push(Line {
                    number,
                    text: String::new(),
                    stimulus: None,
                });
                break;
            }
            story.head.push(line.to_owned());
            if in_model && (line.is_empty() || line.starts_with(' ')) {
                story.script.push_str(line.trim_start_matches("    "));
                story.script.push('\n');
                continue;
            }
            in_model = line == "model:";
            if !in_model && !line.starts_with('#') {
                story
                    .heading(line, scripts)
                    .map_err(|text| Problem { line: number, text })?;
            }
        }
        for (number, line) in lines.filter(|(_, line)| !line.starts_with('>')) {
            let is_comment = line.is_empty() || line.starts_with('#');
            let stimulus = (!is_comment).then(|| Stimulus::read(line)).transpose();
            let stimulus = stimulus.map_err(|text| Problem { line: number, text })?;
            story.lines.push(Line {
                number,
                text: line.to_owned(),
                stimulus,
            });
        }
        Ok(story)
    }

    fn heading(&mut self, line: &str, scripts: &Path) -> Result<(), String> {
        let (key, value) = line
            .split_once(": ")
            .ok_or_else(|| format!("expected `key: value`, found {line:?}"))?;
        let names = || value.split(", ").map(str::to_owned).collect::<Vec<_>>();
        let number = || {
            value
                .parse::<usize>()
                .map_err(|_| format!("expected a number, found {value:?}"))
        };
        let setup = &mut self.setup;
        match key {
            "rule" => {}
            "people" => setup.people = names(),
            "strangers" => setup.strangers = names(),
            "crowd" => setup.crowd = number()?,
            "hosts" if value == "alone" => setup.alone = true,
            "hosts" => setup.hosts = number()?,
            "queue" => setup.queue_max = number()?,
            "access" => value.clone_into(&mut setup.access),
            "without hooks" => setup.without_hooks = names(),
            "no controls in" => setup.no_controls = names(),
            "piece" => names().iter().try_for_each(|word| setup.piece(word))?,
            "agent" if value == "may not ask" => setup.may_ask = false,
            "shows" => names().iter().try_for_each(|word| setup.shows.word(word))?,
            "script" => {
                let path = scripts.join(value);
                self.script =
                    std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            }
            _ => return Err(format!("unknown heading {key:?}")),
        }
        let crowd = self.setup.crowd;
        let members = (1..=crowd).map(|number| format!("p{number}"));
        let missing: Vec<String> = members.filter(|name| !self.setup.people.contains(name)).collect();
        self.setup.people.extend(missing);
        Ok(())
    }
}

impl Setup {
    fn piece(&mut self, word: &str) -> Result<(), String> {
        match word {
            "forum" => self.piece = PieceKind::Forum,
            "card" => self.piece = PieceKind::Card,
            "recognises repeats" => self.recognises_repeats = true,
            "forms name their message" => self.forms_are_related = true,
            "everybody sees notices" => self.notices_public = true,
            "without questions" => self.has_questions = false,
            _ => {
                return Err(format!(
                    "expected `forum`, `card`, `recognises repeats`, `forms name their message`, `everybody sees \
                     notices` or `without questions`, found {word:?}"
                ));
            }
        }
        Ok(())
    }
}

impl Shows {
    fn word(&mut self, word: &str) -> Result<(), String> {
        match word {
            "model" => self.model = true,
            "records" => self.records = true,
            "chats" => self.chats = true,
            "hooks" => self.hooks = true,
            _ => {
                return Err(format!(
                    "expected `model`, `records`, `chats` or `hooks`, found {word:?}"
                ));
            }
        }
        Ok(())
    }
}

/// Two texts line by line: what both have, `-` what only the first has, `+` what only the second has.
pub(super) fn difference(expected: &str, found: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), found.lines().collect());
    // The longest common subsequence of the rests, by where they begin.
    let mut common = vec![vec![0_usize; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = if old[i] == new[j] {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    let (mut i, mut j, mut shown) = (0, 0, String::new());
    while i < old.len() || j < new.len() {
        let (mark, line) = if i < old.len() && j < new.len() && old[i] == new[j] {
            (i, j) = (i + 1, j + 1);
            (' ', old[i - 1])
        } else if j >= new.len() || (i < old.len() && common[i + 1][j] >= common[i][j + 1]) {
            i += 1;
            ('-', old[i - 1])
        } else {
            j += 1;
            ('+', new[j - 1])
        };
        shown.push_str(&format!("{mark} {line}\n"));
    }
    shown
}
