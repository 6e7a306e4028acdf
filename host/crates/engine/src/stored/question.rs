//! The record of a question call.

use lifecycle::question::{Message, Outcome, PieceState, Question, Settlement};
use lifecycle::tool::{Answer, Choice, Input, Item, Output};
use serde::{Deserialize, Serialize};

use super::{Mirror, StoredActor, StoredOwed, mirror_struct};

mirror_struct!(StoredQuestion = Question {
    call: String,
    input: StoredInput,
    messages: Vec<StoredMessage>,
    older: Vec<String>,
    revision: u64,
    state: Option<StoredPieceState>,
    settlement: Option<StoredSettlement>,
    still_posting: bool,
    advancing: StoredOwed,
    closing: StoredOwed,
    changed_at: u64,
});

mirror_struct!(StoredInput = Input { questions: Vec<StoredItem> });

mirror_struct!(StoredItem = Item {
    header: String,
    question: String,
    options: Vec<StoredChoice>,
    multiple: bool,
    custom: bool,
});

mirror_struct!(StoredChoice = Choice { label: String, description: Option<String> });

mirror_struct!(StoredOutput = Output { answers: Vec<StoredAnswer> });

mirror_struct!(StoredAnswer = Answer { header: String, selected: Vec<String>, custom: Option<String> });

mirror_struct!(StoredMessage = Message { id: String, posted_at: u64, question: Option<u32> });

mirror_struct!(
    StoredPieceState = PieceState {
        json: String,
        written_by: String
    }
);

mirror_struct!(StoredSettlement = Settlement {
    outcome: StoredOutcome,
    actor: Option<StoredActor>,
    at: u64,
});

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StoredOutcome {
    Answered(StoredOutput),
    Dismissed,
    Cancelled,
}

impl Mirror<Outcome> for StoredOutcome {
    fn of(domain: &Outcome) -> Self {
        match domain {
            Outcome::Answered(output) => Self::Answered(StoredOutput::of(output)),
            Outcome::Dismissed => Self::Dismissed,
            Outcome::Cancelled => Self::Cancelled,
        }
    }

    fn into_domain(self) -> Outcome {
        match self {
            Self::Answered(output) => Outcome::Answered(output.into_domain()),
            Self::Dismissed => Outcome::Dismissed,
            Self::Cancelled => Outcome::Cancelled,
        }
    }
}
