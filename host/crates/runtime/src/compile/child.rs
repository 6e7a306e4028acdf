//! The child: how it is started and limited, and what its end means.

use std::io::{Read, Write, stdin, stdout};
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};

use bytes::Bytes;
use rustix::process::{Resource, Rlimit, Signal, setrlimit};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;

use crate::limits;

use super::{ChildCompiler, CompileLimits, NotCompiled};

/// Compiles in a child.
pub(super) async fn compile(compiler: &ChildCompiler, component: &Bytes) -> Result<Vec<u8>, NotCompiled> {
    let CompileLimits {
        cpu_max,
        wall_max,
        memory_bytes_max,
    } = compiler.limits;
    let started = Command::new(&compiler.program)
        .args(&compiler.arguments)
        .args(["--cpu-seconds", &cpu_max.as_secs().to_string()])
        .args(["--memory-bytes", &memory_bytes_max.to_string()])
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn();
    let mut child =
        started.map_err(|error| NotCompiled::machine(format!("the compiler cannot be started: {error}")))?;
    let (Some(mut stdin), Some(stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(NotCompiled::machine("the compiler has no pipes"));
    };
    let mut code = Vec::new();
    let mut said = Vec::new();
    let talk = async {
        let give = async move {
            // A child that ended early says why on its other pipes.
            drop(stdin.write_all(component).await);
        };
        let mut stdout = stdout.take(limits::CODE_BYTES_MAX.saturating_add(1));
        let mut stderr = stderr.take(limits::COMPILER_SAYS_BYTES_MAX);
        let ((), taken, heard) =
            tokio::join!(give, stdout.read_to_end(&mut code), stderr.read_to_end(&mut said));
        taken?;
        heard?;
        child.wait().await
    };
    let ended = match tokio::time::timeout(wall_max, talk).await {
        Ok(Ok(ended)) => ended,
        Ok(Err(error)) => {
            return Err(NotCompiled::machine(format!(
                "the compiler's output was lost: {error}"
            )));
        }
        // Dropping the child kills it.
        Err(_) => {
            let reason = format!("compiling took longer than {wall_max:?}");
            return Err(NotCompiled::piece(reason));
        }
    };
    if u64::try_from(code.len()).is_ok_and(|length| length > limits::CODE_BYTES_MAX) {
        let reason = format!("its code has more than {} bytes", limits::CODE_BYTES_MAX);
        return Err(NotCompiled::piece(reason));
    }
    if ended.success() {
        return Ok(code);
    }
    Err(failed(ended, &said, compiler.limits))
}

fn failed(ended: ExitStatus, said: &[u8], limits: CompileLimits) -> NotCompiled {
    let said = String::from_utf8_lossy(said);
    let is = |signal: Signal| ended.signal() == Some(signal.as_raw());
    if is(Signal::XCPU) {
        let seconds = limits.cpu_max.as_secs();
        return NotCompiled::piece(format!("compiling took more than {seconds} s of processor time"));
    }
    // Rust aborts when there is no memory, and says so.
    if is(Signal::ABORT) && said.contains("memory allocation") {
        let bytes = limits.memory_bytes_max;
        return NotCompiled::piece(format!("compiling took more than {bytes} bytes of memory"));
    }
    match ended.code() {
        Some(1) => NotCompiled::piece(said.trim().to_owned()),
        _ => NotCompiled::machine(format!("the compiler ended with {ended}: {}", said.trim())),
    }
}

/// In the child: from here on it is killed when it takes more.
pub(super) fn limit_this_process(limits: CompileLimits) -> Result<(), String> {
    let cpu_seconds = limits.cpu_max.as_secs();
    let bounds = [
        (Resource::Cpu, cpu_seconds, cpu_seconds.saturating_add(1)),
        (Resource::As, limits.memory_bytes_max, limits.memory_bytes_max),
        // Nothing is written but the pipes, and nothing of the piece stays on a disk when it crashes.
        (Resource::Fsize, 0, 0),
        (Resource::Core, 0, 0),
    ];
    for (resource, current, maximum) in bounds {
        let bound = Rlimit {
            current: Some(current),
            maximum: Some(maximum),
        };
        setrlimit(resource, bound).map_err(|error| format!("{resource:?} cannot be limited: {error}"))?;
    }
    Ok(())
}

/// In the child: the component.
pub(super) fn read_component() -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|error| format!("the component cannot be read: {error}"))?;
    Ok(bytes)
}

/// In the child: its code.
pub(super) fn write_code(code: &[u8]) -> Result<(), String> {
    let mut out = stdout().lock();
    out.write_all(code)
        .and_then(|()| out.flush())
        .map_err(|error| format!("the code cannot be written: {error}"))
}
