//! One event of the Markdown after the other as Slack's markup.

use pulldown_cmark::{Event, Parser, Tag, TagEnd, TextMergeStream};

use super::link::{link, linked};
use crate::mrkdwn::{FENCE, escape};

/// What is under way while a text is rendered.
#[derive(Default)]
struct Renderer {
    out: String,
    /// What every line begins with: quotes and the indentation of lists.
    prefix: Vec<&'static str>,
    /// The open lists, each with its next number; none for bullets.
    lists: Vec<Option<u64>>,
    /// The open links, each with its address and where its text begins.
    links: Vec<(String, usize)>,
    in_code: bool,
    in_heading: bool,
    /// Whether the row of a table has a cell already.
    in_row: bool,
}

pub(super) fn render(events: Parser<'_>) -> String {
    let mut renderer = Renderer::default();
    for event in TextMergeStream::new(events) {
        renderer.event(event);
    }
    renderer.out.trim_end().to_owned()
}

impl Renderer {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.in_code => self.code(&text),
            Event::Text(text) if self.links.is_empty() => self.out.push_str(&linked(&text)),
            Event::Code(text) => self.out.push_str(&format!("`{}`", escape(&text))),
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::FootnoteReference(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text) => self.out.push_str(&escape(&text)),
            Event::SoftBreak | Event::HardBreak => self.line(),
            Event::Rule => {
                self.block();
                self.out.push_str("———");
            }
            Event::TaskListMarker(done) => self.out.push_str(if done { "☑ " } else { "☐ " }),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.block(),
            Tag::Heading { .. } => {
                self.block();
                self.in_heading = true;
                self.out.push('*');
            }
            Tag::BlockQuote(_) => {
                self.block();
                self.prefix.push("> ");
                self.out.push_str("> ");
            }
            Tag::CodeBlock(_) => {
                self.block();
                self.in_code = true;
                self.out.push_str(FENCE);
                self.line();
            }
            Tag::List(first) => self.lists.push(first),
            Tag::Item => self.item(),
            Tag::Emphasis => self.out.push('_'),
            Tag::Strong if !self.in_heading => self.out.push('*'),
            Tag::Strikethrough => self.out.push('~'),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push((dest_url.into_string(), self.out.len()));
            }
            Tag::Table(_) | Tag::TableHead | Tag::TableRow => {
                self.in_row = false;
                self.new_line();
            }
            Tag::TableCell if self.in_row => self.out.push_str(" | "),
            Tag::TableCell => self.in_row = true,
            // Not switched on.
            Tag::Strong
            | Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.in_heading = false;
                self.out.push('*');
            }
            TagEnd::BlockQuote(_) => drop(self.prefix.pop()),
            TagEnd::CodeBlock => {
                self.in_code = false;
                self.new_line();
                self.out.push_str(FENCE);
            }
            TagEnd::List(_) => drop(self.lists.pop()),
            TagEnd::Item => drop(self.prefix.pop()),
            TagEnd::Emphasis => self.out.push('_'),
            TagEnd::Strong if !self.in_heading => self.out.push('*'),
            TagEnd::Strikethrough => self.out.push('~'),
            TagEnd::Link | TagEnd::Image => self.link(),
            TagEnd::Paragraph
            | TagEnd::HtmlBlock
            | TagEnd::Strong
            | TagEnd::Table
            | TagEnd::TableHead
            | TagEnd::TableRow
            | TagEnd::TableCell
            | TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => {}
        }
    }

    fn link(&mut self) {
        if let Some((url, at)) = self.links.pop() {
            let text = self.out.split_off(at);
            // An image in a link: only one of them can lead somewhere.
            let inner = self.links.is_empty();
            self.out.push_str(&if inner { link(&url, &text) } else { text });
        }
    }

    fn item(&mut self) {
        self.new_line();
        let marker = match self.lists.last_mut() {
            Some(Some(number)) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            Some(None) | None => "• ".to_owned(),
        };
        self.out.push_str(&marker);
        self.prefix.push("    ");
    }

    fn code(&mut self, text: &str) {
        for (index, line) in text.trim_end_matches('\n').split('\n').enumerate() {
            if index > 0 {
                self.line();
            }
            self.out.push_str(&escape(line));
        }
    }

    /// Begins a block: after a blank line at the top, on its own line in a quote, behind the marker in a list.
    fn block(&mut self) {
        let behind_a_marker =
            self.out.ends_with("• ") || self.out.ends_with(". ") || self.out.ends_with("> ");
        if self.out.is_empty() || behind_a_marker {
            return;
        }
        self.new_line();
        if self.prefix.is_empty() && !self.out.ends_with("\n\n") {
            self.line();
        }
    }

    fn new_line(&mut self) {
        let begun = self.out.rsplit('\n').next().unwrap_or_default();
        if !self.out.is_empty() && begun != self.prefix.concat() {
            self.line();
        }
    }

    fn line(&mut self) {
        self.out.push('\n');
        for prefix in &self.prefix {
            self.out.push_str(prefix);
        }
    }
}
