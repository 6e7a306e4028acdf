//! Text for Slack, in which `&`, `<` and `>` begin mentions, links and `<!channel>`.

/// Text that shows as it is and calls nobody.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// What a person wrote, as they wrote it.
pub(crate) fn unescape(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

/// The agent's Markdown, escaped, with bold text and headings as Slack writes them; blocks of code stay as they are.
pub(crate) fn from_markdown(text: &str) -> String {
    let mut in_code = false;
    let line = |line: &str| {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        if is_fence || in_code {
            line.to_owned()
        } else {
            from_markdown_line(line)
        }
    };
    escape(text).split('\n').map(line).collect::<Vec<_>>().join("\n")
}

fn from_markdown_line(line: &str) -> String {
    let heading = line.trim_start_matches('#');
    match heading.strip_prefix(' ') {
        Some(heading) if line.starts_with('#') => format!("*{}*", heading.trim().replace("**", "")),
        _ => line.replace("**", "*"),
    }
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
    fn bold_and_headings_become_slacks_and_code_stays() {
        assert_eq!(from_markdown("## A **big** day\n**x** #1"), "*A big day*\n*x* #1");
        assert_eq!(
            from_markdown("```\n# a **b** <c>\n```"),
            "```\n# a **b** &lt;c&gt;\n```"
        );
    }
}
