//! What a phase cost: the processor time of the processes as the kernel counts it, and how the requests were answered.

use std::time::{Duration, Instant};

use crate::people::Played;
use crate::systems::System;

/// The kernel counts processor time in hundredths of a second (`CLK_TCK`, the same on every Linux).
const TICK_MS: f64 = 10.0;
/// A system counts as quiet when it took no tick for so long: what follows an acknowledgement belongs to the phase.
const QUIET: Duration = Duration::from_millis(250);
/// A system that never gets quiet is measured as it is.
const QUIET_MAX: Duration = Duration::from_secs(10);

/// Of one phase, each thing by the number of conversations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// Of the system's own process, in milliseconds.
    pub(crate) cpu_ms: f64,
    /// Of its Redis.
    pub(crate) redis_ms: f64,
    /// How many were finished in a second.
    pub(crate) rate: f64,
    /// From the request to its response, in milliseconds.
    pub(crate) ack_p50_ms: f64,
    pub(crate) ack_p99_ms: f64,
}

/// Runs a phase and says what it cost.
pub(crate) async fn of(
    system: &System,
    phase: impl Future<Output = Result<Played, String>>,
) -> Result<Cost, String> {
    let own = cpu_ms(system.pid())?;
    let redis = system.redis_pid().map_or(Ok(0.0), cpu_ms)?;
    let begun = now();
    let played = phase.await?;
    let took = begun.elapsed();
    quiet(system).await?;
    let count = as_f64(played.acknowledged.len());
    let mut acknowledged: Vec<f64> = played
        .acknowledged
        .iter()
        .map(|length| length.as_secs_f64() * 1_000.0)
        .collect();
    acknowledged.sort_by(f64::total_cmp);
    Ok(Cost {
        cpu_ms: (cpu_ms(system.pid())? - own) / count,
        redis_ms: (system.redis_pid().map_or(Ok(0.0), cpu_ms)? - redis) / count,
        rate: count / took.as_secs_f64(),
        ack_p50_ms: percentile(&acknowledged, 50),
        ack_p99_ms: percentile(&acknowledged, 99),
    })
}

/// Waits until the system has done what it does after its last response.
async fn quiet(system: &System) -> Result<(), String> {
    let begun = now();
    let mut last = cpu_ms(system.pid())?;
    while begun.elapsed() < QUIET_MAX {
        #[expect(
            clippy::disallowed_methods,
            reason = "looks at another process from time to time"
        )]
        tokio::time::sleep(QUIET).await;
        let taken = cpu_ms(system.pid())?;
        if taken - last < TICK_MS {
            break;
        }
        last = taken;
    }
    Ok(())
}

/// What a process has taken so far, its threads that have ended included.
fn cpu_ms(pid: u32) -> Result<f64, String> {
    let path = format!("/proc/{pid}/stat");
    let stat = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    // The name, in brackets, may have spaces. Behind it the fields count from the third; these are the 14th and 15th.
    let fields = stat
        .rsplit_once(") ")
        .map(|(_, fields)| fields)
        .unwrap_or_default();
    let ticks: Vec<f64> = fields
        .split(' ')
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse().ok())
        .collect();
    match ticks.as_slice() {
        [user, system] => Ok((user + system) * TICK_MS),
        _ => Err(format!("{path} is not what Linux writes: {stat}")),
    }
}

/// The value that so many of a hundred do not exceed. The values are sorted.
fn percentile(sorted: &[f64], share: usize) -> f64 {
    let index = (sorted.len() * share).div_ceil(100).saturating_sub(1);
    sorted.get(index).copied().unwrap_or(f64::NAN)
}

/// The value in the middle.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    percentile(&sorted, 50)
}

#[expect(clippy::as_conversions, reason = "a count of requests is far below 2^53")]
fn as_f64(count: usize) -> f64 {
    count as f64
}

/// For lengths.
#[expect(clippy::disallowed_methods, reason = "measures from outside the host")]
pub(crate) fn now() -> Instant {
    Instant::now()
}
