//! Lines in the operator's log: so many, so long, without our secrets.

use super::State;
use crate::bindings::frogbot::piece::log::{Host, Level};
use crate::guard::{Guard, stands};

/// The most lines of one hook call (the contract's).
const LINES_MAX: usize = 100;
/// The most bytes of one hook call (the contract's).
const BYTES_MAX: usize = 16 * 1024;

/// What a hook call may still log.
#[derive(Debug)]
pub(super) struct LogMeter {
    lines_left: usize,
    bytes_left: usize,
}

impl Default for LogMeter {
    fn default() -> Self {
        Self {
            lines_left: LINES_MAX,
            bytes_left: BYTES_MAX,
        }
    }
}

/// What becomes of a line.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Written,
    /// The first that is not: said once.
    Last,
    Dropped,
}

impl LogMeter {
    fn judge(&mut self, bytes: usize) -> Verdict {
        if !stands(Guard::Log) {
            return Verdict::Written;
        }
        if self.lines_left == 0 {
            return Verdict::Dropped;
        }
        if self.lines_left == 1 || bytes > self.bytes_left {
            self.lines_left = 0;
            return Verdict::Last;
        }
        self.lines_left -= 1;
        self.bytes_left -= bytes;
        Verdict::Written
    }
}

impl Host for State {
    fn write(&mut self, level: Level, line: String) -> wasmtime::Result<()> {
        let line = match self.log.judge(line.len()) {
            Verdict::Written => self.line(&line, BYTES_MAX),
            Verdict::Last => "more lines of this hook are dropped".to_owned(),
            Verdict::Dropped => return Ok(()),
        };
        let (piece, channel, hook) = (&*self.piece.info.piece, &*self.piece.channel, self.hook);
        match level {
            Level::Debug => tracing::debug!(target: "piece", piece, channel, hook, "{line}"),
            Level::Info => tracing::info!(target: "piece", piece, channel, hook, "{line}"),
            Level::Warn => tracing::warn!(target: "piece", piece, channel, hook, "{line}"),
            Level::Error => tracing::error!(target: "piece", piece, channel, hook, "{line}"),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_lines_is_cut_off_and_said_once() {
        let mut meter = LogMeter::default();
        let verdicts: Vec<_> = (0..LINES_MAX + 5).map(|_| meter.judge(1)).collect();
        assert!(
            verdicts[..LINES_MAX - 1]
                .iter()
                .all(|verdict| *verdict == Verdict::Written)
        );
        assert_eq!(verdicts[LINES_MAX - 1], Verdict::Last);
        assert!(
            verdicts[LINES_MAX..]
                .iter()
                .all(|verdict| *verdict == Verdict::Dropped)
        );
    }

    #[test]
    fn long_lines_are_cut_off_by_their_bytes() {
        let mut meter = LogMeter::default();
        assert_eq!(meter.judge(BYTES_MAX), Verdict::Written);
        assert_eq!(meter.judge(1), Verdict::Last);
        assert_eq!(meter.judge(0), Verdict::Dropped);
    }
}
