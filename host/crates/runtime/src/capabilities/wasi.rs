//! An empty WASI, for pieces whose toolchain imports it whether they use it or not: no files, no environment, no
//! arguments, no sockets, no standard streams, and never `wasi:http`. Its clocks and random bytes follow the same rules
//! as our own.

use std::time::Duration;

use wasmtime::component::{Linker, ResourceTable};
use wasmtime_wasi::random::Deterministic;
use wasmtime_wasi::{HostMonotonicClock, HostWallClock, WasiCtx, WasiCtxView, WasiView};

use super::{Mode, State};

/// The most resources (streams, pollables) of one instance. Waiting for a few clocks takes a few.
const RESOURCES_MAX: usize = 1_000;
/// The most random bytes one call gives: the seeds of hash tables take 16.
const RANDOM_BYTES_MAX: u64 = 64 * 1024;
/// After how many bytes the seeded ones repeat.
const SEEDED_BYTES: usize = 256;

/// What an instance needs of WASI.
pub(super) struct Wasi {
    context: WasiCtx,
    table: ResourceTable,
}

pub(super) fn link(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    wasmtime_wasi::p2::add_to_linker_async(linker)
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let Wasi { context, table } = &mut **self.wasi.get_or_insert_with(|| Box::new(empty(&self.mode)));
        WasiCtxView { ctx: context, table }
    }
}

fn empty(mode: &Mode) -> Wasi {
    let mut context = WasiCtx::builder();
    context
        .max_random_size(RANDOM_BYTES_MAX)
        .allow_tcp(false)
        .allow_udp(false)
        .allow_ip_name_lookup(false);
    match mode {
        Mode::Acting(_) => {}
        Mode::Pure { now, random } => {
            let mut bytes = vec![0; SEEDED_BYTES];
            random.clone().fill(&mut bytes);
            let seed = bytes
                .iter()
                .take(16)
                .fold(0, |seed, byte| (seed << 8) | u128::from(*byte));
            let now = Stopped(Duration::from_millis(now.0));
            context
                .secure_random(Deterministic::new(bytes.clone()))
                .insecure_random(Deterministic::new(bytes))
                .insecure_random_seed(seed)
                .wall_clock(now)
                .monotonic_clock(now);
        }
    }
    let mut table = ResourceTable::new();
    table.set_max_capacity(RESOURCES_MAX);
    Wasi {
        context: context.build(),
        table,
    }
}

/// A clock that stands still.
#[derive(Clone, Copy, Debug)]
struct Stopped(Duration);

impl HostWallClock for Stopped {
    fn resolution(&self) -> Duration {
        Duration::from_millis(1)
    }

    fn now(&self) -> Duration {
        self.0
    }
}

impl HostMonotonicClock for Stopped {
    fn resolution(&self) -> u64 {
        1_000_000
    }

    fn now(&self) -> u64 {
        u64::try_from(self.0.as_nanos()).unwrap_or(u64::MAX)
    }
}
