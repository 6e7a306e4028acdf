//! A reply into parts that a platform takes.

/// How many parts the host takes of one reply.
pub const PARTS_MAX: usize = 100;

/// Parts of at most `chars_max` characters (Unicode scalar values), cut between paragraphs, else between lines, else between
/// words, else anywhere. No part is empty; a text of white space has none. What goes beyond [`PARTS_MAX`] is left out and
/// the last part ends in `…`.
pub fn by_paragraphs(text: &str, chars_max: usize) -> Vec<String> {
    parts(text, chars_max, &["\n\n", "\n", " "])
}

/// The same, cut as late as possible: between lines, else between words, else anywhere.
pub fn by_lines(text: &str, chars_max: usize) -> Vec<String> {
    parts(text, chars_max, &["\n", " "])
}

fn parts(text: &str, chars_max: usize, separators: &[&str]) -> Vec<String> {
    let chars_max = chars_max.max(1);
    let mut parts = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (part, left) = cut(rest, chars_max, separators);
        parts.push(part.trim_end().to_owned());
        rest = left.trim_start_matches('\n').trim_end();
        if parts.len() == PARTS_MAX && !rest.is_empty() {
            mark_as_shortened(&mut parts, chars_max);
            break;
        }
    }
    parts
}

/// The text, or what fits of it with `…` at its end.
pub fn shortened(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    text.chars()
        .take(chars_max.saturating_sub(1))
        .chain(['…'])
        .collect()
}

fn mark_as_shortened(parts: &mut [String], chars_max: usize) {
    if let Some(last) = parts.last_mut() {
        *last = format!(
            "{}…",
            last.chars().take(chars_max.saturating_sub(1)).collect::<String>()
        );
    }
}

/// The first part of a text that does not start with white space, and the rest.
fn cut<'a>(text: &'a str, chars_max: usize, separators: &[&str]) -> (&'a str, &'a str) {
    let Some((limit, _)) = text.char_indices().nth(chars_max) else {
        return (text, "");
    };
    let head = &text[..limit];
    // A break further forward than half of the part would leave many small parts.
    let at = separators
        .iter()
        .filter_map(|separator| head.rfind(separator))
        .find(|at| *at >= limit / 2)
        .unwrap_or(limit);
    let (part, rest) = text.split_at(at);
    (part, if at == limit { rest } else { rest.trim_start() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_one_part() {
        assert_eq!(by_paragraphs("  one\n\ntwo\n", 100), ["one\n\ntwo"]);
        assert!(by_paragraphs(" \n ", 100).is_empty());
    }

    #[test]
    fn cuts_fall_between_paragraphs_then_lines_then_words() {
        assert_eq!(by_paragraphs("aaaa bbbb\n\ncccc", 12), ["aaaa bbbb", "cccc"]);
        assert_eq!(by_paragraphs("aaaa bbbb\ncccc dd", 12), ["aaaa bbbb", "cccc dd"]);
        assert_eq!(by_paragraphs("aaaa bbbb cccc", 10), ["aaaa bbbb", "cccc"]);
        assert_eq!(by_paragraphs("ééééé", 2), ["éé", "éé", "é"]);
    }

    #[test]
    fn every_part_keeps_to_the_limit_and_nothing_but_white_space_is_lost() {
        let text: String = (0..5_000)
            .map(|n| format!("{n}{}", if n % 7 == 0 { "\n\n" } else { " " }))
            .collect();
        let parts = by_paragraphs(&text, 1_500);
        assert!(
            parts
                .iter()
                .all(|part| !part.is_empty() && part.chars().count() <= 1_500)
        );
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&parts.join(" ")), words(&text));
    }

    #[test]
    fn a_text_of_too_many_parts_ends_with_an_ellipsis() {
        let parts = by_paragraphs(&"x".repeat(1_000), 2);
        assert_eq!(parts.len(), PARTS_MAX);
        assert_eq!(parts.last().map(String::as_str), Some("x…"));
    }

    #[test]
    fn shortening_counts_characters() {
        assert_eq!(shortened("éé", 2), "éé");
        assert_eq!(shortened("ééé", 2), "é…");
    }
}
