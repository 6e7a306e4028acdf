//! Markdown in, Slack's markup out.

use super::*;

#[test]
fn markdown_becomes_slacks_markup() {
    let cases = [
        (
            "**bold** and *slanted* and ~~gone~~",
            "*bold* and _slanted_ and ~gone~",
        ),
        ("## A **big** day\n\ntext", "*A big day*\n\ntext"),
        (
            "- one\n- two\n  1. in\n  2. out\n\nend",
            "• one\n• two\n    1. in\n    2. out\n\nend",
        ),
        ("- [x] done\n- [ ] open", "• ☑ done\n• ☐ open"),
        ("> quoted\n> twice", "> quoted\n> twice"),
        ("```rust\na < b && *c*\n```", "```\na &lt; b &amp;&amp; *c*\n```"),
        ("`a < b`", "`a &lt; b`"),
        ("a\n\n---\n\nb", "a\n\n———\n\nb"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "a | b\n1 | 2"),
        ("one\ntwo", "one\ntwo"),
    ];
    for (markdown, expected) in cases {
        assert_eq!(rendered(markdown), expected, "{markdown}");
    }
}

#[test]
fn nothing_in_the_text_calls_anybody_or_makes_a_link_of_its_own() {
    let cases = [
        (
            "<!channel> <@U1> & <#C1|general>",
            "&lt;!channel&gt; &lt;@U1&gt; &amp; &lt;#C1|general&gt;",
        ),
        (
            "<https://evil.example|https://bank.example>",
            "<https://evil.example%7Chttps://bank.example>",
        ),
        ("[x](javascript:alert)", "x"),
        ("[!channel](!channel)", "!channel"),
        (
            "[a](<https://x.example/|!channel>)",
            "<https://x.example/%7C!channel|a>",
        ),
        (
            "[a](https://x.example/<!channel>)",
            "<https://x.example/%3C!channel%3E|a>",
        ),
        ("<b>html</b>", "&lt;b&gt;html&lt;/b&gt;"),
    ];
    for (markdown, expected) in cases {
        assert_eq!(rendered(markdown), expected, "{markdown}");
    }
}

#[test]
fn a_link_says_where_it_leads() {
    let cases = [
        (
            "[the docs](https://docs.example/a?b=1&c=2)",
            "<https://docs.example/a?b=1&amp;c=2|the docs>",
        ),
        (
            "[bank.example](https://evil.example)",
            "bank.example (<https://evil.example>)",
        ),
        ("[https://x.example](https://x.example/)", "<https://x.example/>"),
        (
            "see https://x.example/a_b_c, or (https://y.example).",
            "see <https://x.example/a_b_c>, or (<https://y.example>).",
        ),
        (
            "![a chart](https://x.example/c.png)",
            "<https://x.example/c.png|a chart>",
        ),
        ("[write](mailto:ann@x.example)", "<mailto:ann@x.example|write>"),
    ];
    for (markdown, expected) in cases {
        assert_eq!(rendered(markdown), expected, "{markdown}");
    }
}

#[test]
fn a_short_text_is_one_part_and_white_space_is_none() {
    assert_eq!(split("one\n\ntwo"), ["one\n\ntwo"]);
    assert!(split(" \n\n ").is_empty());
}

#[test]
fn a_long_text_is_cut_between_blocks_and_every_message_keeps_to_the_limits() {
    let markdown: String = (0..400)
        .map(|n| format!("Paragraph {n} with <angles> & *some* words that make it longer than a line.\n\n"))
        .collect();
    let parts = split(&markdown);
    assert!(parts.len() > 2, "{}", parts.len());
    assert_eq!(parts.join("\n\n"), markdown.trim());
    for part in &parts {
        let message = message(part);
        assert!(weight(&message["blocks"]) < 12_000);
        assert!(
            message["blocks"]
                .as_array()
                .is_some_and(|blocks| blocks.len() < 50)
        );
        assert!(!message["blocks"].to_string().contains('…'));
    }
}

#[test]
fn code_that_is_cut_stays_code() {
    let code: String = (0..2_000).map(|n| format!("line {n} < & >\n")).collect();
    let parts = split(&format!("Before\n\n```text\n{code}```\n\nafter"));
    let fences: usize = parts.iter().map(|part| part.matches(FENCE).count()).sum();
    assert!(fences > 4 && parts.iter().all(|part| part.matches(FENCE).count() % 2 == 0));
    let lines = parts
        .iter()
        .flat_map(|part| part.lines())
        .filter(|line| line.starts_with("line"));
    assert_eq!(lines.count(), 2_000);
}

#[test]
fn one_endless_word_is_cut_too() {
    let parts = split(&"<".repeat(20_000));
    let sections: Vec<String> = parts.iter().flat_map(|part| sections(part)).collect();
    assert!(
        sections
            .iter()
            .all(|text| text.chars().count() <= SECTION_CHARS_MAX)
    );
    assert_eq!(sections.concat().matches("&lt;").count(), 20_000);
}
