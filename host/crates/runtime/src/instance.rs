//! One instance for one hook call: its store, what it may use, and what its end means. The store is dropped with the
//! call, however it ended: nothing survives, and nothing that trapped or was cut off is entered again.

mod meter;

use std::sync::Arc;
use std::time::Duration;

use ports::failpoint;
use ports::pieces::{FaultKind, HookFault};
use tokio::time::error::Elapsed;
use wasmtime::component::Instance;
use wasmtime::{Store, StoreContextMut, Trap, UpdateDeadline};

use crate::bindings::exports::frogbot::piece::{channel, channel_questions};
use crate::capabilities::{Mode, State};
use crate::egress::Used;
use crate::gate::Place;
use crate::guard::{Guard, stands};
use crate::limits;
use crate::measure::Measure;
use crate::moment::Deadline;
use crate::piece::Piece;

pub(crate) use meter::MemoryMeter;

/// What a measured call starts with: more than it can use before its time is up.
const FUEL: u64 = u64::MAX;

/// What a hook call is and may use.
pub(crate) struct Terms {
    pub(crate) hook: &'static str,
    pub(crate) mode: Mode,
    pub(crate) memory_bytes_max: usize,
    pub(crate) cpu_max: Duration,
    pub(crate) deadline: Deadline,
}

/// A running instance.
pub(crate) struct Running {
    pub(crate) store: Store<State>,
    hook: &'static str,
    is_pure: bool,
    deadline: Deadline,
    _places: [Place; 2],
}

/// The functions of one exported interface.
pub(crate) trait Exports: Sized {
    /// Finds them in an instance; none when the piece does not export the interface.
    fn load(piece: &Piece, store: &mut Store<State>, instance: &Instance) -> Option<wasmtime::Result<Self>>;
}

impl Exports for channel::Guest {
    fn load(piece: &Piece, store: &mut Store<State>, instance: &Instance) -> Option<wasmtime::Result<Self>> {
        Some(piece.channel_exports.load(store, instance))
    }
}

impl Exports for channel_questions::Guest {
    fn load(piece: &Piece, store: &mut Store<State>, instance: &Instance) -> Option<wasmtime::Result<Self>> {
        piece
            .question_exports
            .as_ref()
            .map(|exports| exports.load(store, instance))
    }
}

/// Everything a piece exports, to see whether it has the contract's types.
pub(crate) struct Everything;

impl Exports for Everything {
    fn load(piece: &Piece, store: &mut Store<State>, instance: &Instance) -> Option<wasmtime::Result<Self>> {
        let questions = piece.question_exports.as_ref();
        let questions = questions.map(|exports| exports.load(&mut *store, instance).map(drop));
        let channel = piece.channel_exports.load(store, instance).map(drop);
        Some(channel.and(questions.unwrap_or(Ok(()))).map(|()| Self))
    }
}

impl Running {
    /// Makes a fresh instance of the piece.
    pub(crate) async fn start<E: Exports>(
        piece: &Arc<Piece>,
        terms: Terms,
        places: [Place; 2],
    ) -> Result<(Self, E), HookFault> {
        let mut running = Self {
            hook: terms.hook,
            is_pure: matches!(terms.mode, Mode::Pure { .. }),
            deadline: terms.deadline,
            store: store(piece, terms),
            _places: places,
        };
        let instance = piece.instances.instantiate_async(&mut running.store);
        let instance = tokio::time::timeout_at(running.deadline.instant(), instance).await;
        let instance = instance
            .map_err(|Elapsed { .. }| running.timed_out())?
            .map_err(|error| running.not_started(&error))?;
        match E::load(piece, &mut running.store, &instance) {
            Some(Ok(exports)) => Ok((running, exports)),
            Some(Err(error)) => {
                Err(running.fault(FaultKind::Garbage, format!("the exports do not fit: {error}")))
            }
            None => Err(running.fault(
                FaultKind::NotLoaded,
                "the piece does not show questions".to_owned(),
            )),
        }
    }

    /// When the call must have ended.
    pub(crate) fn deadline(&self) -> tokio::time::Instant {
        self.deadline.instant()
    }

    /// What the end of a hook call means.
    pub(crate) fn ended<T>(&self, end: Result<wasmtime::Result<T>, Elapsed>) -> Result<T, HookFault> {
        failpoint::pass("hook.after", self.hook);
        self.measure();
        match end {
            Ok(Ok(returned)) => Ok(returned),
            Ok(Err(error)) => Err(self.broken(&error)),
            Err(Elapsed { .. }) => Err(self.timed_out()),
        }
    }

    fn measure(&self) {
        let state = self.store.data();
        let Some(measures) = state.measures() else {
            return;
        };
        let Used {
            requests,
            sent_bytes,
            received_bytes,
        } = state.used();
        measures.add(Measure {
            hook: self.hook,
            fuel: FUEL.saturating_sub(self.store.get_fuel().unwrap_or(FUEL)),
            memory_bytes: state.meter.bytes(),
            requests,
            sent_bytes,
            received_bytes,
        });
    }

    /// A fault of this hook. The reason reaches the operator's log, so our secrets are taken out of it.
    pub(crate) fn fault(&self, kind: FaultKind, reason: String) -> HookFault {
        HookFault {
            hook: self.hook,
            kind,
            reason: self.store.data().line(&reason, limits::REASON_BYTES_MAX),
        }
    }

    /// The wall clock ended the call, so its computing time was not used up: the epoch would have ended it before. A pure hook
    /// waits for nobody but the host (one that sleeps in WASI's `poll` passes for busy, and holds up only its own channel);
    /// an acting one waits for its platform.
    fn timed_out(&self) -> HookFault {
        if self.is_pure {
            return self.fault(
                FaultKind::Busy,
                "the host did not give it its computing time before its deadline".to_owned(),
            );
        }
        self.fault(
            FaultKind::TimedOut,
            "it did not return before its deadline".to_owned(),
        )
    }

    /// Starting failed. Unless the guest's own start code trapped or it asked for too much memory, the host has no room.
    fn not_started(&self, error: &wasmtime::Error) -> HookFault {
        if error.downcast_ref::<Trap>().is_some() || self.store.data().meter.refused() {
            return self.broken(error);
        }
        self.fault(FaultKind::Busy, format!("no instance could be made: {error}"))
    }

    /// The call failed. A guest that was refused memory ends as it likes; that is why the meter is asked first.
    fn broken(&self, error: &wasmtime::Error) -> HookFault {
        if self.store.data().meter.refused() {
            let reason = format!(
                "it wanted more memory than its {} bytes",
                self.store.data().meter.bytes_max()
            );
            return self.fault(FaultKind::Exhausted, reason);
        }
        match error.downcast_ref::<Trap>() {
            Some(Trap::Interrupt) => self.fault(
                FaultKind::TimedOut,
                "it computed for longer than it may".to_owned(),
            ),
            Some(Trap::StackOverflow) => self.fault(FaultKind::Exhausted, "its stack overflowed".to_owned()),
            Some(trap) => self.fault(FaultKind::Trap, trap.to_string()),
            None => self.fault(FaultKind::Garbage, error.root_cause().to_string()),
        }
    }
}

fn store(piece: &Arc<Piece>, terms: Terms) -> Store<State> {
    let ticks = terms.cpu_max.as_millis() / limits::TICK.as_millis();
    let mut ticks_left = u64::try_from(ticks).unwrap_or(u64::MAX);
    let meter = MemoryMeter::new(terms.memory_bytes_max);
    let state = State::new(Arc::clone(piece), terms.hook, terms.mode, meter);
    let mut store = Store::new(piece.instances.engine(), state);
    store.limiter(|state| &mut state.meter);
    if piece.measures.is_some() {
        // It fails only in an engine without fuel, which measures nothing.
        drop(store.set_fuel(FUEL));
    }
    if stands(Guard::HostcallFuel) {
        store.set_hostcall_fuel(limits::HOSTCALL_BYTES_MAX);
    }
    store.epoch_deadline_callback(move |_: StoreContextMut<'_, State>| {
        // Called once for every tick that passes while the guest computes: waits in imports cost it one at most.
        ticks_left = ticks_left.saturating_sub(1);
        if ticks_left == 0 && stands(Guard::ComputingTime) {
            return Ok(UpdateDeadline::Interrupt);
        }
        if !stands(Guard::Yielding) {
            return Ok(UpdateDeadline::Continue(1));
        }
        Ok(UpdateDeadline::YieldCustom(1, Box::pin(tokio::task::yield_now())))
    });
    store.set_epoch_deadline(1);
    store
}
