//! What was seen, over all runs, as a row of a table.

use super::plan::{Store, Trouble};
use super::promises::Seen;

/// What one run led to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Run {
    as_planned: bool,
    conversations: usize,
    seen: Seen,
}

impl Run {
    pub(super) fn new(as_planned: bool) -> Self {
        Self {
            as_planned,
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
    /// Of these, so many times as planned: the others are hosts that did not come to the place where they were to die, and were
    /// killed then.
    pub as_planned: usize,
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
            as_planned: 0,
            conversations: 0,
            twin_cards: 0,
            twin_replies: 0,
        }
    }

    pub(super) fn add(&mut self, run: Run) {
        self.runs += 1;
        self.as_planned += usize::from(run.as_planned);
        self.conversations += run.conversations;
        self.twin_cards += run.seen.twin_cards;
        self.twin_replies += run.seen.twin_replies;
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.runs += other.runs;
        self.as_planned += other.as_planned;
        self.conversations += other.conversations;
        self.twin_cards += other.twin_cards;
        self.twin_replies += other.twin_replies;
    }

    /// The head of the table.
    pub const HEAD: &str = "| store | what goes wrong | the platform recognises repeats | runs | of them as planned | conversations | cards posted twice | replies posted twice |\n\
                            | --- | --- | --- | ---: | ---: | ---: | ---: | ---: |";

    /// Its row of the table.
    pub fn row(&self) -> String {
        let recognises = if self.recognises { "yes" } else { "no" };
        format!(
            "| {} | {} | {recognises} | {} | {} | {} | {} | {} |",
            self.store.name(),
            self.trouble.name(),
            self.runs,
            self.as_planned,
            self.conversations,
            self.twin_cards,
            self.twin_replies
        )
    }
}
