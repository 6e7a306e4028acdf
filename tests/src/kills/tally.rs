//! What was seen, over all runs, as a row of a table.

use super::plan::Store;
use super::promises::Seen;

/// What one kill led to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Run {
    at_place: bool,
    conversations: usize,
    seen: Seen,
}

impl Run {
    pub(super) fn new(at_place: bool) -> Self {
        Self {
            at_place,
            ..Self::default()
        }
    }

    pub(super) fn add(&mut self, seen: &Seen) {
        self.conversations += 1;
        self.seen.twin_cards += seen.twin_cards;
        self.seen.twin_replies += seen.twin_replies;
    }
}

/// What all kills of a kind led to.
#[derive(Clone, Copy, Debug)]
pub struct Tally {
    /// Where documents were.
    pub store: Store,
    /// Whether the forum recognised what was posted twice.
    pub recognises: bool,
    /// Kills.
    pub kills: usize,
    /// Of these, so many at a named place.
    pub at_places: usize,
    /// Conversations that were checked.
    pub conversations: usize,
    /// Cards posted twice.
    pub twin_cards: usize,
    /// Replies posted twice.
    pub twin_replies: usize,
}

impl Tally {
    pub(super) fn new(store: Store, recognises: bool) -> Self {
        Self {
            store,
            recognises,
            kills: 0,
            at_places: 0,
            conversations: 0,
            twin_cards: 0,
            twin_replies: 0,
        }
    }

    pub(super) fn add(&mut self, run: Run) {
        self.kills += 1;
        self.at_places += usize::from(run.at_place);
        self.conversations += run.conversations;
        self.twin_cards += run.seen.twin_cards;
        self.twin_replies += run.seen.twin_replies;
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.kills += other.kills;
        self.at_places += other.at_places;
        self.conversations += other.conversations;
        self.twin_cards += other.twin_cards;
        self.twin_replies += other.twin_replies;
    }

    /// The head of the table.
    pub const HEAD: &str = "| store | the platform recognises repeats | kills | of them at a named place | conversations | cards posted twice | replies posted twice |\n\
                            | --- | --- | ---: | ---: | ---: | ---: | ---: |";

    /// Its row of the table.
    pub fn row(&self) -> String {
        let recognises = if self.recognises { "yes" } else { "no" };
        format!(
            "| {} | {recognises} | {} | {} | {} | {} | {} |",
            self.store.name(),
            self.kills,
            self.at_places,
            self.conversations,
            self.twin_cards,
            self.twin_replies
        )
    }
}
