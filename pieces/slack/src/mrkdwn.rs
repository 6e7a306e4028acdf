//! Slack's own markup, in which `&`, `<` and `>` begin mentions, links and `<!channel>`.

use frogbot_piece::split;

/// Slack: the text of a section, in characters.
pub(crate) const SECTION_CHARS_MAX: usize = 3_000;
/// Begins and ends a block of code.
pub(crate) const FENCE: &str = "```";

/// Text that shows as it is and calls nobody.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            char => escaped.push(char),
        }
    }
    escaped
}

/// What a person wrote, as they wrote it.
pub(crate) fn unescape(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

/// Text as the sections that show it, escaped.
pub(crate) fn sections(text: &str) -> Vec<String> {
    cut(text, SECTION_CHARS_MAX)
}

/// Cuts before escaping, so that no cut falls into an escape; an escape has five characters at most.
fn cut(text: &str, chars_max: usize) -> Vec<String> {
    let parts = split::by_lines(text, chars_max).into_iter();
    let escaped = |part: String| match escape(&part) {
        escaped if escaped.chars().count() <= SECTION_CHARS_MAX => vec![escaped],
        _ => cut(&part, chars_max / 2),
    };
    parts.flat_map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_text_takes_effect() {
        assert_eq!(escape("<!channel> & <@U1>"), "&lt;!channel&gt; &amp; &lt;@U1&gt;");
        assert_eq!(unescape(&escape("a &lt; b < c && d")), "a &lt; b < c && d");
    }

    #[test]
    fn a_section_keeps_to_its_limit_with_every_character_escaped() {
        let sections = sections(&"&".repeat(9_000));
        assert!(sections.iter().all(|section| section.len() <= SECTION_CHARS_MAX));
        assert_eq!(sections.concat().matches("&amp;").count(), 9_000);
        assert_eq!(sections.concat().len(), 5 * 9_000);
    }
}
