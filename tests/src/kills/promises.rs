//! What must hold of a conversation once everything has healed, by what the forum was told and nothing else.

use std::collections::BTreeSet;

use super::people::Talk;
use crate::forum_server::{BOT, Post};

/// What was posted twice in a conversation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    /// Cards beyond the first.
    pub(super) twin_cards: usize,
    /// Continuations beyond the first.
    pub(super) twin_replies: usize,
}

/// Checks a conversation in which one question was asked and one host died, on a forum that recognises repeats or not.
pub(super) fn check(thread: &str, posts: &[Post], talk: &Talk, recognises: bool) -> Result<Seen, String> {
    let broken = |promise: &str| Err(format!("broken in {thread}: {promise}\n{posts:#?}\n{talk:#?}"));
    let bots: Vec<&Post> = posts.iter().filter(|post| post.author == BOT).collect();
    let cards = bots.iter().filter(|post| post.edits > 0).count();
    let closed = bots.iter().filter(|post| post.text == "Answered.").count();
    let replies: Vec<&str> = bots
        .iter()
        .filter_map(|post| post.text.strip_suffix(" it is."))
        .collect();
    let outcomes: BTreeSet<&str> = replies.iter().copied().collect();
    if cards == 0 || replies.is_empty() {
        return broken("an acknowledged mention is lost");
    }
    if bots.iter().any(|post| !post.buttons.is_empty()) || closed != cards {
        return broken("a card is not closed as answered");
    }
    if outcomes.len() != 1 {
        return broken("a question has two outcomes");
    }
    // The key names what is owed, not the attempt: a second one would be a second continuation on record, a repeat is not.
    if keys(&bots, |post| post.edits > 0) > 1 {
        return broken("a question was asked on two records");
    }
    if keys(&bots, |post| post.text.ends_with(" it is.")) > 1 {
        return broken("an answer was continued twice");
    }
    if outcomes.iter().any(|outcome| !talk.pressed.contains(outcome)) {
        return broken("somebody without access has answered");
    }
    if !talk.unanswered.is_empty() {
        return broken("somebody is left without an answer to a press");
    }
    if bots.iter().any(|post| post.text == "I heard you.") {
        return broken("a message was handled twice");
    }
    let seen = Seen {
        twin_cards: cards - 1,
        twin_replies: replies.len() - 1,
    };
    if recognises && seen.twin_cards + seen.twin_replies > 0 {
        return broken("something was posted twice though the platform recognises repeats");
    }
    Ok(seen)
}

/// Under how many keys these were posted.
fn keys(posts: &[&Post], these: impl Fn(&Post) -> bool) -> usize {
    let keys: BTreeSet<Option<&str>> = posts
        .iter()
        .filter(|post| these(post))
        .map(|post| post.client_id.as_deref())
        .collect();
    keys.len()
}
