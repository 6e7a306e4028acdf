//! The wasmtime engine: what guests may use of WebAssembly, where their memory comes from, and the ticker that
//! interrupts them.

use std::thread;

use wasmtime::{
    Config, Enabled, Engine, EngineWeak, InstanceAllocationStrategy, Module, PoolingAllocationConfig, Store,
};

use crate::limits;
use crate::setup::{Allocator, RuntimeConfig};

/// A module with one page of memory: what the probe instantiates.
const PROBE: &[u8] = b"\0asm\x01\0\0\0\x05\x03\x01\x00\x01";

/// Why the runtime cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartProblem {
    /// wasmtime refuses the machine or the configuration.
    #[error("wasmtime cannot start on this machine: {0}")]
    Engine(String),
    /// The thread that interrupts guests cannot be started.
    #[error("the ticker thread cannot be started: {0}")]
    Ticker(std::io::Error),
    /// There is no TLS: no root certificates, for one.
    #[error("TLS cannot be set up: {0}; install the system's root certificates (Debian: `ca-certificates`)")]
    Tls(String),
}

/// Builds the engine and starts its ticker.
pub(crate) fn start(config: &RuntimeConfig) -> Result<Engine, StartProblem> {
    let engine = match config.allocator {
        Allocator::PoolingIfPossible => pooled_or_on_demand(config)?,
        Allocator::OnDemand => on_demand(config)?,
    };
    tick(engine.weak()).map_err(StartProblem::Ticker)?;
    Ok(engine)
}

/// The pool reserves terabytes of address space, which a container or an `ulimit -v` may not have. Only building it and
/// using it once tells.
fn pooled_or_on_demand(config: &RuntimeConfig) -> Result<Engine, StartProblem> {
    let strategies = [keeping(pool(config)), pool(config)].map(InstanceAllocationStrategy::Pooling);
    let [keeping, plain] =
        strategies.map(|pool| move || Engine::new(rules(config).allocation_strategy(pool)).and_then(probed));
    match keeping().or_else(|_| plain()) {
        Ok(engine) => Ok(engine),
        Err(error) => {
            tracing::warn!(%error, "no pool of instances on this machine; each call allocates on demand, which is slower");
            on_demand(config)
        }
    }
}

/// An engine that only compiles: with the same code for the same component, and nothing reserved.
pub(crate) fn for_compiling() -> wasmtime::Result<Engine> {
    Engine::new(guest_rules().allocation_strategy(InstanceAllocationStrategy::OnDemand))
}

fn on_demand(config: &RuntimeConfig) -> Result<Engine, StartProblem> {
    Engine::new(rules(config).allocation_strategy(InstanceAllocationStrategy::OnDemand))
        .and_then(probed)
        .map_err(|error| StartProblem::Engine(format!("{error:#}")))
}

fn probed(engine: Engine) -> wasmtime::Result<Engine> {
    let module = Module::from_binary(&engine, PROBE)?;
    let mut store = Store::new(&engine, ());
    wasmtime::Instance::new(&mut store, &module, &[])?;
    Ok(engine)
}

fn rules(config: &RuntimeConfig) -> Config {
    let mut rules = guest_rules();
    rules.consume_fuel(config.measured);
    rules
}

/// What guests may use of WebAssembly. Threads and 64-bit memories are off: the memory meter does not see the first and
/// a pool cannot hold the second.
fn guest_rules() -> Config {
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        .max_wasm_stack(limits::WASM_STACK_BYTES_MAX)
        .async_stack_size(limits::FIBER_STACK_BYTES)
        .wasm_memory64(false)
        .wasm_component_model(true);
    config
}

/// The pages that a call wrote are written over with what was there before it, instead of being given back to the system and
/// faulted in again by the next call. The kernel says which they are, from Linux 6.7 on; an older one cannot have such a pool.
fn keeping(mut pool: PoolingAllocationConfig) -> PoolingAllocationConfig {
    pool.pagemap_scan(Enabled::Yes)
        .linear_memory_keep_resident(limits::KEPT_MEMORY_BYTES)
        .table_keep_resident(limits::KEPT_TABLE_BYTES);
    pool
}

fn pool(config: &RuntimeConfig) -> PoolingAllocationConfig {
    let calls =
        u32::try_from(config.pure_calls_max.saturating_add(config.acting_calls_max)).unwrap_or(u32::MAX);
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(calls)
        .total_stacks(calls)
        // A call takes as many places as its component needs, so that these are never used up.
        .total_memories(calls.saturating_mul(limits::MEMORIES_PER_PLACE))
        .total_tables(calls.saturating_mul(limits::TABLES_PER_PLACE))
        .total_core_instances(calls.saturating_mul(limits::CORE_INSTANCES_MAX))
        .max_core_instances_per_component(limits::CORE_INSTANCES_MAX)
        // These two are checked when a piece is loaded, where the operator is told what to do.
        .max_memories_per_component(u32::MAX)
        .max_tables_per_component(u32::MAX)
        .table_elements(limits::TABLE_ELEMENTS_MAX)
        .max_memory_size(config.memory_bytes_max);
    pool
}

/// Ticks for as long as the engine lives. The thread holds it weakly, so that it is no reason for it to live.
fn tick(engine: EngineWeak) -> std::io::Result<()> {
    let ticker = move || {
        while let Some(engine) = engine.upgrade() {
            engine.increment_epoch();
            drop(engine);
            thread::sleep(limits::TICK);
        }
    };
    thread::Builder::new()
        .name("epoch".to_owned())
        .spawn(ticker)
        .map(drop)
}
