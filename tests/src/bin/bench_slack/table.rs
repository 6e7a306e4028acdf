//! The figures as a person reads them, and as the README has them.

use std::fmt::Write as _;

use crate::cost::{Cost, median};
use crate::systems::Kind;
use crate::{Measured, Options};

const PHASES: [&str; 3] = ["question", "answer", "late click"];

/// One turn of one system.
pub(crate) fn line(kind: Kind, costs: &[Cost; 3]) -> String {
    let each = PHASES.iter().zip(costs).map(|(phase, cost)| {
        format!(
            "{phase} {:.3} ms, {:.0}/s, ack {:.1}/{:.1} ms",
            cost.cpu_ms, cost.rate, cost.ack_p50_ms, cost.ack_p99_ms
        )
    });
    format!("{:<16} {}", kind.name(), each.collect::<Vec<_>>().join("; "))
}

/// All turns of all systems, as a table of Markdown.
pub(crate) fn whole(measured: &[Measured], options: &Options) -> String {
    let mut table = format!(
        "{} turns of {} conversations each, {} clients; medians over the turns\n\n\
         | system | what | CPU ms | by the peer | done/s | ack p50 ms | ack p99 ms | Redis CPU ms |\n\
         | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
        options.turns, options.conversations, options.clients
    );
    let peer = measured.iter().find(|system| system.kind == Kind::Peer);
    for system in measured {
        for (phase, what) in PHASES.iter().enumerate() {
            table.push_str(&row(system, peer, phase, what));
        }
    }
    table
}

fn row(system: &Measured, peer: Option<&Measured>, phase: usize, what: &str) -> String {
    let of = |what: fn(&Cost) -> f64| median(costs(system, phase).map(what));
    let ratios = peer.map(|peer| {
        let pairs = costs(system, phase).zip(costs(peer, phase));
        median(pairs.map(|(own, peer)| own.cpu_ms / peer.cpu_ms))
    });
    let ratio = ratios.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}"));
    let redis = match system.kind {
        Kind::Sqlite => "–".to_owned(),
        Kind::Redis | Kind::Peer => format!("{:.3}", of(|cost| cost.redis_ms)),
    };
    let mut row = String::new();
    // Writing into a string does not fail.
    writeln!(
        row,
        "| {} | {what} | {:.3} | {ratio} | {:.0} | {:.1} | {:.1} | {redis} |",
        system.kind.name(),
        of(|cost| cost.cpu_ms),
        of(|cost| cost.rate),
        of(|cost| cost.ack_p50_ms),
        of(|cost| cost.ack_p99_ms),
    )
    .ok();
    row
}

fn costs(system: &Measured, phase: usize) -> impl Iterator<Item = &Cost> {
    system.turns.iter().filter_map(move |costs| costs.get(phase))
}
