//! Where the host compiles pieces: in a process of its own, which is this binary again with a command that is not for people.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::bail;
use engine::{InstallationSecret, Purpose};
use runtime::{ChildCompiler, CodeCache, CodeKey, CompileLimits, Compiler, compile_for_parent};

/// The hidden command.
pub(crate) const COMMAND: &str = "compile-piece";

/// This process's own file, also when a newer one has taken its place on the disk: the child must be of the same build.
const THIS_BINARY: &str = "/proc/self/exe";

/// A compiler in a child, with the folder of compiled code if there is one.
pub(crate) fn compiler(cache: Option<CodeCache>) -> Compiler {
    Compiler::Child(ChildCompiler {
        program: PathBuf::from(THIS_BINARY),
        arguments: vec![COMMAND.to_owned()],
        limits: CompileLimits::default(),
        cache,
    })
}

/// The folder of compiled code. A host without one compiles at every start, and says so.
pub(crate) fn cache(folder: &Path, installation: &InstallationSecret) -> Option<CodeCache> {
    let key = CodeKey::new(installation.key(Purpose::CompiledCode));
    let opened = CodeCache::open(folder, key);
    opened
        .inspect_err(|error| {
            tracing::warn!(
                folder = %folder.display(),
                %error,
                "compiled code is not kept, so every start compiles; set `pieces.cache` to a folder of the host's own"
            );
        })
        .ok()
}

/// The hidden command: compiles what comes on the standard input.
///
/// # Errors
/// What the host that started this process logs.
pub(crate) fn compile(cpu_seconds: u64, memory_bytes: u64) -> anyhow::Result<()> {
    let limits = CompileLimits {
        cpu_max: Duration::from_secs(cpu_seconds),
        memory_bytes_max: memory_bytes,
        ..CompileLimits::default()
    };
    if let Err(problem) = compile_for_parent(limits) {
        bail!(problem);
    }
    Ok(())
}
