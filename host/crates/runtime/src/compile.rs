//! From a component's bytes to code that this machine runs.
//!
//! The compiler is the one part that works on the bytes of a stranger for as long as it likes: a few kilobytes can keep it
//! busy for hours, and a thread that compiles cannot be ended. So a host compiles in a child, a process of the same binary
//! with limits on its processor time, its memory and its time on the wall, and nothing of the host in it: no environment, no
//! open files, no secrets. What it made is kept in the `cache`, so that the next start need not compile.
//!
//! Compiled code is trusted like our own once it is loaded. It comes from the child, which runs our code, or from the
//! cache, where every entry is authenticated.

mod cache;
mod child;

use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::engine;
use crate::limits;
use crate::moment::millis;

pub use cache::{CodeCache, CodeKey};

/// Where pieces are compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Compiler {
    /// In this process, where nothing ends it: for tools that compile what their user gives them, and for tests.
    #[default]
    InProcess,
    /// In a process of its own, with limits.
    Child(ChildCompiler),
}

/// A compiler in a process of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildCompiler {
    /// The program, which calls [`compile_for_parent`] when it is started with the arguments.
    pub program: PathBuf,
    /// What tells it to.
    pub arguments: Vec<String>,
    /// What one compilation may use.
    pub limits: CompileLimits,
    /// Where compiled code is kept.
    pub cache: Option<CodeCache>,
}

/// What one compilation may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompileLimits {
    /// Processor time of all its threads, in whole seconds.
    pub cpu_max: Duration,
    /// Time on the wall.
    pub wall_max: Duration,
    /// Address space, in bytes.
    pub memory_bytes_max: u64,
}

impl Default for CompileLimits {
    fn default() -> Self {
        Self {
            cpu_max: limits::COMPILE_CPU_MAX,
            wall_max: limits::COMPILE_WALL_MAX,
            memory_bytes_max: limits::COMPILE_MEMORY_BYTES_MAX,
        }
    }
}

/// Why there is no code, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotCompiled {
    pub(crate) reason: String,
    pub(crate) remedy: &'static str,
}

impl NotCompiled {
    /// Something about the piece.
    fn piece(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            remedy: "report this to the author of the piece",
        }
    }

    /// Something about this machine.
    fn machine(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            remedy: "see whether this machine has processes, memory and files left, and load the piece again",
        }
    }
}

/// The code of a component, compiled or from the cache. `name` is for the log.
pub(crate) async fn component(
    compiler: &Compiler,
    engine: &Engine,
    name: &str,
    bytes: &Bytes,
) -> Result<Component, NotCompiled> {
    let compiler = match compiler {
        Compiler::InProcess => {
            let (engine, bytes) = (engine.clone(), bytes.clone());
            return blocking(move || {
                Component::from_binary(&engine, &bytes)
                    .map_err(|error| NotCompiled::piece(format!("{error:#}")))
            })
            .await;
        }
        Compiler::Child(compiler) => compiler,
    };
    let began = tokio::time::Instant::now();
    let entry = cache::Entry::of(engine, Sha256::digest(bytes).into());
    if let Some(cache) = compiler.cache.clone() {
        let (engine, entry) = (engine.clone(), entry.clone());
        let kept = blocking(move || cache.read(&entry).and_then(|code| loaded(&engine, &code).ok()));
        if let Some(component) = kept.await {
            return Ok(component);
        }
    }
    tracing::info!(piece = name, bytes = bytes.len(), "compiling");
    let code = child::compile(compiler, bytes).await?;
    tracing::info!(
        piece = name,
        bytes = code.len(),
        took_ms = millis(began.elapsed()),
        "compiled"
    );
    let (engine, cache) = (engine.clone(), compiler.cache.clone());
    blocking(move || {
        if let Some(cache) = cache {
            cache.write(&entry, &code);
        }
        loaded(&engine, &code).map_err(|error| NotCompiled::machine(format!("{error:#}")))
    })
    .await
}

/// Does what takes milliseconds or more elsewhere than on an executor's thread.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(broken) => match broken.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The executor is being shut down, and this task with it.
            Err(_) => std::future::pending().await,
        },
    }
}

#[expect(
    unsafe_code,
    reason = "deserializing trusts its input; this came from our own compiler, through a pipe or an authenticated entry"
)]
fn loaded(engine: &Engine, code: &[u8]) -> wasmtime::Result<Component> {
    // SAFETY: `code` is what `Engine::precompile_component` returned, in a process of this binary: it comes from its standard
    // output or from an entry of the cache whose HMAC was verified. wasmtime itself refuses code of another version or for
    // another machine.
    unsafe { Component::deserialize(engine, code) }
}

/// What a child does: compiles what comes on the standard input, with the settings of every engine here, and writes the code
/// to the standard output. It limits itself before it reads the first byte.
///
/// # Errors
/// What is wrong, for the parent to read from the standard error.
pub fn compile_for_parent(limits: CompileLimits) -> Result<(), String> {
    child::limit_this_process(limits)?;
    let bytes = child::read_component()?;
    let engine = engine::for_compiling().map_err(|error| format!("{error:#}"))?;
    let code = engine
        .precompile_component(&bytes)
        .map_err(|error| format!("{error:#}"))?;
    child::write_code(&code)
}
