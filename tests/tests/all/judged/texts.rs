//! Texts as models and people write them, and as nobody should.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// What takes effect somewhere: on Slack, in Markdown, in JSON, in HTML, in a terminal, in a counter of characters.
const AWKWARD: [&str; 44] = [
    "<!channel>",
    "<!here|x>",
    "<@U0BOT>",
    "<#C1|general>",
    "<https://evil.example|click>",
    "&amp;",
    "&lt;",
    "&",
    "<",
    ">",
    "*bold*",
    "**bold**",
    "_it_",
    "~no~",
    "`code`",
    "```\ncode\n```",
    "```",
    "`",
    "*",
    "[text](https://example.com/?a=b&c=<d>)",
    "[x](javascript:alert(1))",
    "![image](https://example.com/i.png)",
    "# Heading\n",
    "> quote\n",
    "- item\n",
    "1. item\n",
    "| a | b |\n|---|---|\n| c | d |\n",
    "---\n",
    ":tada:",
    "\\",
    "\"",
    "\u{0}",
    "\u{7}",
    "\u{1b}[31m",
    "\u{202e}",
    "\u{feff}",
    "\u{200b}",
    "e\u{301}\u{301}\u{301}",
    "👩‍👩‍👧‍👦",
    "🇩🇪",
    "ﷺ",
    "𝕊𝕝𝕒𝕔𝕜",
    "العربية",
    "漢字かな",
];

/// Lengths beside a limit of the platform's, and ordinary ones.
const LENGTHS: [usize; 20] = [
    1, 2, 23, 24, 25, 74, 75, 76, 149, 150, 151, 254, 256, 1_999, 2_001, 2_999, 3_000, 3_001, 11_600, 13_201,
];

/// A text of at most so many characters.
pub(crate) fn text_up_to(most: usize) -> impl Strategy<Value = String> {
    let length = prop_oneof![3 => 1..40_usize, 2 => select(&LENGTHS[..]), 1 => 1..=most];
    (length, vec(part(), 1..40)).prop_map(move |(length, parts)| {
        // Repeated until it is long enough: most texts are short, and some go up to the limit to the character.
        let length = length.min(most);
        let endless = parts.iter().cycle().flat_map(|part| part.chars());
        endless.take(length).collect()
    })
}

fn part() -> impl Strategy<Value = String> {
    prop_oneof![
        5 => "[a-z]{1,9} ",
        2 => "[A-Z][a-z]{1,9}",
        3 => select(&AWKWARD[..]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        1 => Just("\n".to_owned()),
        1 => Just("\n\n".to_owned()),
        1 => "[a-z]{60,90}",
    ]
}
