//! What was seen, over all runs, as a row of a table.

use super::plan::{Store, Trouble};
use super::promises::Seen;

/// What one run led to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Run {
    struck: bool,
    conversations: usize,
    seen: Seen,
}

impl Run {
    pub(super) fn new(struck: bool) -> Self {
        Self {
            struck,
            ..Self::default()
        }
    }

    pub(super) fn add(&mut self, seen: &Seen) {
        self.conversations += 1;
        self.seen.twin_cards += seen.twin_cards;
        self.seen.twin_replies += seen.twin_replies;
    }
}

/// What all runs of a kind led to.
#[derive(Clone, Copy, Debug)]
pub struct Tally {
    /// Where documents were.
    pub store: Store,
    /// What went wrong.
    pub trouble: Trouble,
    /// Whether the forum recognised what was posted twice.
    pub recognises: bool,
    /// How often it went wrong.
    pub runs: usize,
    /// Of these, so many that struck: a host died at a named place, or stood still, or a host wrote that its store is away.
    pub struck: usize,
    /// Conversations that were checked.
    pub conversations: usize,
    /// Cards posted twice.
    pub twin_cards: usize,
    /// Replies posted twice.
    pub twin_replies: usize,
}

impl Tally {
    pub(super) fn new(store: Store, trouble: Trouble, recognises: bool) -> Self {
        Self {
            store,
            trouble,
            recognises,
            runs: 0,
            struck: 0,
            conversations: 0,
            twin_cards: 0,
            twin_replies: 0,
        }
    }

    pub(super) fn add(&mut self, run: Run) {
        self.runs += 1;
        self.struck += usize::from(run.struck);
        self.conversations += run.conversations;
        self.twin_cards += run.seen.twin_cards;
        self.twin_replies += run.seen.twin_replies;
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.runs += other.runs;
        self.struck += other.struck;
        self.conversations += other.conversations;
        self.twin_cards += other.twin_cards;
        self.twin_replies += other.twin_replies;
    }

    /// The head of the table.
    pub const HEAD: &str = "| store | what goes wrong | the platform recognises repeats | runs | of them struck | conversations | cards posted twice | replies posted twice |\n\
                            | --- | --- | --- | ---: | ---: | ---: | ---: | ---: |";

    /// Its row of the table.
    pub fn row(&self) -> String {
        let recognises = if self.recognises { "yes" } else { "no" };
        format!(
            "| {} | {} | {recognises} | {} | {} | {} | {} | {} |",
            self.store.name(),
            self.trouble.name(),
            self.runs,
            self.struck,
            self.conversations,
            self.twin_cards,
            self.twin_replies
        )
    }
}
