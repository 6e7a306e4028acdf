//! What is expected of each guard. A guard without a row does not compile.

use runtime::Guard;

/// One guard's line of the table.
pub(crate) struct Row {
    /// What the guest does.
    pub(crate) guest: &'static str,
    /// What the outcome contains with the guard.
    pub(crate) refusal: &'static str,
    /// What it contains when nothing refuses.
    pub(crate) success: &'static str,
    /// The guard that refuses when this one does not, and what its refusal contains.
    pub(crate) second: Option<(Guard, &'static str)>,
}

fn alone(guest: &'static str, refusal: &'static str, success: &'static str) -> Row {
    Row {
        guest,
        refusal,
        success,
        second: None,
    }
}

impl Row {
    fn behind_it(self, second: Guard, its_refusal: &'static str) -> Self {
        Self {
            second: Some((second, its_refusal)),
            ..self
        }
    }
}

const FOR_EVER: &str = "for ever";
const SENT: &str = "200 ";
const NOT_SENT: &str = "Refused(";

/// The line of a guard.
pub(crate) fn row(guard: Guard) -> Row {
    match guard {
        Guard::ComputingTime => {
            alone("computes for ever", "TimedOut", FOR_EVER).behind_it(Guard::WallClock, "Busy")
        }
        Guard::Yielding => alone(
            "computes and lets nobody else run",
            "the other one first",
            "the loop first",
        ),
        Guard::WallClock => alone("waits in an import for ever", "TimedOut", FOR_EVER)
            .behind_it(Guard::ResponseTime, "PerhapsSent"),
        Guard::Memory => alone("takes 16 MiB of its 8", "Exhausted", "returned [\"16\"]"),
        Guard::Resources => alone("comes with 33 tables", "33 tables, at most 32", "loaded")
            .behind_it(Guard::InstanceParts, "table count"),
        Guard::InstanceParts => alone("comes with 33 tables", "33 tables, at most 32", "loaded")
            .behind_it(Guard::Resources, "33 tables, at most 32"),
        Guard::HostcallFuel => alone("returns 48 MB", "fuel", "returned 50000000 bytes")
            .behind_it(Guard::ResultSizes, "50000000 bytes, at most"),
        Guard::ResultSizes => alone(
            "returns 10,000 parts of a reply",
            "10000 entries",
            "returned 10000 bytes",
        ),
        Guard::Json => alone("keeps a state that is no JSON", "no JSON", "kept {"),
        Guard::Share => alone("takes the places of every other", "Busy", "returned [\"hello\"]"),
        Guard::TryOut => alone(
            "never returns from its start code",
            "computed for longer",
            "loaded",
        ),
        Guard::PureEgress => alone(
            "sends in a pure hook",
            "is a pure hook, it sends nothing",
            "status: 200",
        ),
        Guard::PureClock => alone("watches the clock in a pure hook", "false", "true"),
        Guard::PureRandom => alone("asks twice for random bytes in a pure hook", "the same", "others"),
        Guard::RandomBytes => alone(
            "asks for 5,000 random bytes",
            "at most 4096",
            "returned [\"5000\"]",
        ),
        Guard::DeclaredSlot => alone("uses a slot that it does not declare", NOT_SENT, SENT),
        Guard::GrantedSlot => alone("asks for a slot that is not granted", "not granted", "loaded"),
        Guard::Method => alone("sends DELETE where it may GET and POST", NOT_SENT, SENT),
        Guard::PathPattern => alone("sends to a path of no pattern", NOT_SENT, SENT),
        Guard::PathReading => alone(
            "encodes its way out of a path",
            "Refused(\"the path contains",
            SENT,
        )
        .behind_it(Guard::UrlRead, "the path changes"),
        Guard::UrlRead => alone(
            "encodes its way out of a path",
            "Refused(\"the path contains",
            SENT,
        )
        .behind_it(Guard::PathReading, "Refused(\"the path contains"),
        Guard::HostHeaders => alone(
            "sets authorization, host and cookie",
            "Refused( Refused( Refused(",
            "200  200  200 ",
        ),
        Guard::AccountSecret => alone("sends with another account's secret", "no secret `token`", SENT),
        Guard::Redirect => alone("is redirected to a private address", "302", SENT),
        Guard::ResolvedAddress => alone(
            "uses a name of a private address",
            "0 connections",
            "1 connections",
        ),
        Guard::LiteralAddress => alone(
            "names a private address in nine spellings",
            "0 loaded",
            "9 loaded",
        ),
        Guard::Tls => alone("leads to a host without TLS", "without TLS", "loaded"),
        Guard::RequestBytes => alone("sends a megabyte where it may send 1 KiB", NOT_SENT, "302 "),
        Guard::ResponseBytes => alone(
            "is sent 3 MB where it may get 64 KiB",
            "more than 65536 bytes",
            SENT,
        ),
        Guard::ResponseTime => alone("is sent a byte now and then", "no complete response", FOR_EVER)
            .behind_it(Guard::WallClock, "TimedOut"),
        Guard::ResponsesOfHook => alone("is sent 36 MB in one hook", "too large together", "12 answered"),
        Guard::RequestsOfHook => alone("sends 257 requests in one hook", "has sent 256 requests", SENT),
        Guard::Batch => alone("sends 33 requests at once", "at most 32", "33 answered"),
        Guard::Mute => {
            alone("sends after its deadline", "TooLate", SENT).behind_it(Guard::ResponseTime, "PerhapsSent")
        }
        Guard::Redaction => alone("has its credential sent back", "[secret]", crate::stage::TOKEN),
        Guard::Log => alone("logs 5,000 lines", "100 lines", "5000 lines"),
        Guard::LocatorAccount => alone("locates a form of another account", "another account", "fb1."),
        Guard::FileSize => alone(
            "is larger than files may be",
            "at most 1000 are allowed",
            "loaded",
        ),
        // Nobody has what it imports, so that without the check it is the linker that misses it.
        Guard::Imports => alone(
            "imports what is not of its world",
            "Imports: the component imports `wasi:http/outgoing-handler",
            "Linking: ",
        ),
    }
}
