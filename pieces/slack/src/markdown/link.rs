//! Links: who may make one, and what it says.

use crate::mrkdwn::escape;

/// Addresses that people may follow; a link to anything else is its text.
const SCHEMES: [&str; 3] = ["https://", "http://", "mailto:"];

/// A link with its text, which is escaped already. A text that looks like another address does not hide where it leads.
pub(super) fn link(url: &str, text: &str) -> String {
    if !SCHEMES.iter().any(|scheme| url.starts_with(scheme)) {
        return text.to_owned();
    }
    let (written, url) = (escape(url), address(url));
    let text = text.replace('\n', " ");
    match text.trim() {
        "" => format!("<{url}>"),
        text if bare(text) == bare(&written) => format!("<{url}>"),
        text if looks_like_an_address(text) => format!("{text} (<{url}>)"),
        text => format!("<{url}|{text}>"),
    }
}

/// Text with its bare addresses as links, the rest escaped.
pub(super) fn linked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = next_address(rest) {
        let (before, from) = rest.split_at(at);
        let end = from.find(|char: char| char.is_whitespace() || "<>\"`|".contains(char));
        let url = from.get(..end.unwrap_or(from.len())).unwrap_or_default();
        let url = url.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '\'', '*', '_']);
        out.push_str(&escape(before));
        out.push_str(&format!("<{}>", address(url)));
        rest = from.get(url.len()..).unwrap_or_default();
    }
    out.push_str(&escape(rest));
    out
}

/// Where the next address begins that has something behind its scheme.
fn next_address(text: &str) -> Option<usize> {
    let of_scheme = |scheme: &&str| {
        text.match_indices(*scheme).find_map(|(at, scheme)| {
            let next = text.get(at + scheme.len()..)?.chars().next()?;
            let alone = text
                .get(..at)?
                .chars()
                .next_back()
                .is_none_or(|char| !char.is_alphanumeric());
            (alone && next.is_alphanumeric()).then_some(at)
        })
    };
    ["https://", "http://"].iter().filter_map(of_scheme).min()
}

/// An address that stays inside its link, whatever it contains.
fn address(url: &str) -> String {
    let mut safe = String::with_capacity(url.len());
    for char in url.chars() {
        match char {
            '<' => safe.push_str("%3C"),
            '>' => safe.push_str("%3E"),
            '|' => safe.push_str("%7C"),
            '&' => safe.push_str("&amp;"),
            char if char.is_whitespace() || char.is_control() => safe.push_str("%20"),
            char => safe.push(char),
        }
    }
    safe
}

/// What is left of an address that differs only in how it is written.
fn bare(text: &str) -> &str {
    let stripped = SCHEMES.iter().find_map(|scheme| text.strip_prefix(scheme));
    stripped.unwrap_or(text).trim_end_matches('/')
}

fn looks_like_an_address(text: &str) -> bool {
    let has_domain = |word: &str| {
        let mut labels = word.split('.');
        let long = |label: &str| label.len() > 1 && label.chars().any(char::is_alphanumeric);
        labels.clone().count() > 1 && labels.all(long)
    };
    text.contains("://") || text.contains('@') || text.split_whitespace().any(has_domain)
}
