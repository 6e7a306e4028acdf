//! The agent's Markdown as Slack's markup: what it may not do does not survive the way. Text is escaped, so it calls nobody
//! and makes no link; a link is made of a Markdown link or a bare address only, and shows where it leads when its text looks
//! like another address.

mod link;
mod renderer;

use std::ops::Range;

use frogbot_piece::split;
use pulldown_cmark::{Event, Options, Parser, Tag};
use serde_json::Value;

use crate::card::{self, section, weight};
use crate::mrkdwn::{FENCE, SECTION_CHARS_MAX};

/// The characters of a part's sections, without their containers.
const PART_CHARS_MAX: usize = 9_000;
/// The same with their containers: far enough below Slack's limit of a message.
const MESSAGE_CHARS_MAX: usize = 11_000;
/// Slack takes 50 blocks.
const MESSAGE_SECTIONS_MAX: usize = 45;
/// Blank lines between the blocks of a text.
const GAP: &str = "\n\n";

/// Markdown as the texts of messages that show it, Markdown too, cut between its blocks where that is possible.
pub(crate) fn split(markdown: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut chars = PART_CHARS_MAX;
    for atom in atoms(markdown) {
        let more = atom.text.chars().count() + GAP.len();
        chars += more;
        match parts.last_mut() {
            Some(last) if chars <= PART_CHARS_MAX => {
                last.push_str(GAP);
                last.push_str(&atom.source);
            }
            Some(_) | None => {
                parts.push(atom.source);
                chars = more;
            }
        }
        if parts.len() > split::PARTS_MAX {
            break;
        }
    }
    if parts.len() > split::PARTS_MAX {
        parts.truncate(split::PARTS_MAX - 1);
        parts.push("…".to_owned());
    }
    parts
}

/// Markdown as a message. What is too much for one is left out, and `…` says so: `split` never makes such a part.
pub(crate) fn message(markdown: &str) -> Value {
    let sections = sections(markdown);
    let mut blocks: Vec<Value> = Vec::new();
    let mut chars = 0;
    for text in &sections {
        let block = section(text);
        chars += weight(&block);
        if chars > MESSAGE_CHARS_MAX || blocks.len() == MESSAGE_SECTIONS_MAX {
            blocks.push(section("…"));
            break;
        }
        blocks.push(block);
    }
    card::message(sections.first().map_or("", String::as_str), &blocks)
}

/// The texts of the sections: blocks that follow each other share one as long as they fit.
fn sections(markdown: &str) -> Vec<String> {
    let mut sections: Vec<String> = Vec::new();
    for Atom { text, .. } in atoms(markdown) {
        let chars = text.chars().count() + GAP.len();
        match sections.last_mut() {
            Some(last) if last.chars().count() + chars <= SECTION_CHARS_MAX => {
                last.push_str(GAP);
                last.push_str(&text);
            }
            Some(_) | None => sections.push(text),
        }
    }
    sections
}

/// A block of a text, short enough for a section.
struct Atom {
    /// Markdown of its own.
    source: String,
    /// Slack's markup of it.
    text: String,
}

fn atoms(markdown: &str) -> Vec<Atom> {
    let blocks = top_level(markdown).into_iter();
    let source = |range: Range<usize>| markdown.get(range).unwrap_or_default();
    let atoms = blocks.flat_map(|range| cut(source(range).trim_end()));
    atoms.filter(|atom| !atom.text.trim().is_empty()).collect()
}

fn cut(block: &str) -> Vec<Atom> {
    let text = rendered(block);
    if text.chars().count() <= SECTION_CHARS_MAX {
        let source = block.to_owned();
        return vec![Atom { source, text }];
    }
    let parts = match code(block) {
        Some(code) => {
            // A character is five at most when it is escaped.
            let lines = split::by_lines(&code, SECTION_CHARS_MAX / 5 - 2 * FENCE.len());
            let fenced = |lines: String| format!("{FENCE}\n{lines}\n{FENCE}");
            lines.into_iter().map(fenced).collect()
        }
        None => split::by_lines(block, block.chars().count() / 2),
    };
    parts.iter().flat_map(|part| cut(part)).collect()
}

/// The text of a block that is nothing but code.
fn code(block: &str) -> Option<String> {
    let mut events = parser(block);
    let Event::Start(Tag::CodeBlock(_)) = events.next()? else {
        return None;
    };
    let text = |event| {
        if let Event::Text(text) = event {
            Some(text.into_string())
        } else {
            None
        }
    };
    Some(events.map_while(text).collect())
}

/// Where the blocks are that are in no other.
fn top_level(markdown: &str) -> Vec<Range<usize>> {
    let mut depth = 0_usize;
    let mut ranges = Vec::new();
    for (event, range) in parser(markdown).into_offset_iter() {
        let ends = matches!(event, Event::End(_));
        if depth == 0 && !ends {
            ranges.push(range);
        }
        if ends {
            depth = depth.saturating_sub(1);
        } else if matches!(event, Event::Start(_)) {
            depth += 1;
        }
    }
    ranges
}

/// Slack's markup of a text.
fn rendered(markdown: &str) -> String {
    renderer::render(parser(markdown))
}

fn parser(markdown: &str) -> Parser<'_> {
    let options = Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
    Parser::new_ext(markdown, options)
}

#[cfg(test)]
mod tests;
