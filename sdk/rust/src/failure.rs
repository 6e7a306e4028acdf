//! Failures of acting hooks: what the host should do about them, and a line for the operator.

use crate::{Failure, FailureKind};

impl Failure {
    /// Worth trying again.
    pub fn retry(reason: impl Into<String>) -> Self {
        Self {
            kind: FailureKind::Retry(None),
            reason: reason.into(),
        }
    }

    /// Worth trying again, not before so many milliseconds: the platform said so.
    pub fn retry_after(wait_ms: u32, reason: impl Into<String>) -> Self {
        Self {
            kind: FailureKind::Retry(Some(wait_ms)),
            reason: reason.into(),
        }
    }

    /// The message, room or account is gone, or the bot was removed: trying again is useless.
    pub fn gone(reason: impl Into<String>) -> Self {
        Self {
            kind: FailureKind::Gone,
            reason: reason.into(),
        }
    }

    /// The platform says no: trying again is useless.
    pub fn refused(reason: impl Into<String>) -> Self {
        Self {
            kind: FailureKind::Refused,
            reason: reason.into(),
        }
    }

    /// It may have been done; the platform's answer was lost.
    pub fn perhaps_sent(reason: impl Into<String>) -> Self {
        Self {
            kind: FailureKind::PerhapsSent,
            reason: reason.into(),
        }
    }

    /// Whether what it was about is gone, which an edit that removes controls may take for done.
    pub fn is_gone(&self) -> bool {
        matches!(self.kind, FailureKind::Gone)
    }
}
