//! The contract's text after resolution: what its snapshot is compared with, so that no change of it goes unnoticed.

use std::path::Path;

use wit_component::WitPrinter;
use wit_parser::Resolve;

/// A folder that is no WIT package.
#[derive(Debug, thiserror::Error)]
#[error("the WIT package cannot be read: {reason}")]
pub struct WitProblem {
    /// What the parser says, with file and line.
    pub reason: String,
}

/// The package in a folder of `.wit` files as one canonical text, without its documentation: a comment may change, a type
/// may not.
///
/// # Errors
///
/// When the folder is no WIT package.
pub fn text(folder: &Path) -> Result<String, WitProblem> {
    let problem = |error: &dyn std::fmt::Display| WitProblem {
        reason: format!("{error:#}"),
    };
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_path(folder).map_err(|error| problem(&error))?;
    let mut printer = WitPrinter::default();
    printer
        .emit_docs(false)
        .print(&resolve, package, &[])
        .map_err(|error| problem(&error))?;
    Ok(printer.output.to_string())
}

#[cfg(test)]
pub(crate) mod tests {
    use std::path::{Path, PathBuf};

    use wit_component::{ComponentEncoder, StringEncoding, dummy_module, embed_component_metadata};
    use wit_parser::{ManglingAndAbi, Resolve};

    /// Set to write the snapshot instead of comparing it; `cargo xtask test --bless` does.
    const BLESS: &str = "FROGBOT_BLESS";

    fn folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit")
    }

    /// A core module with the imports and exports of a world of ours, whose functions trap.
    pub(crate) fn dummy_core(world: &str) -> Vec<u8> {
        let mut resolve = Resolve::default();
        let (package, _) = resolve.push_path(folder()).unwrap();
        let world = resolve.select_world(&[package], Some(world)).unwrap();
        let mut core = dummy_module(&resolve, world, ManglingAndAbi::Standard32);
        embed_component_metadata(&mut core, &resolve, world, StringEncoding::UTF8, false).unwrap();
        core
    }

    /// The same as a component.
    pub(crate) fn dummy(world: &str) -> Vec<u8> {
        ComponentEncoder::default()
            .validate(true)
            .module(&dummy_core(world))
            .unwrap()
            .encode()
            .unwrap()
    }

    #[test]
    fn contract_is_the_one_of_its_snapshot() {
        let path = folder().join("frogbot-piece.snapshot");
        let text = super::text(&folder()).unwrap();
        #[expect(
            clippy::disallowed_methods,
            reason = "blessing is asked for by the person who runs the test"
        )]
        if std::env::var_os(BLESS).is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let snapshot = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            text == snapshot,
            "the contract in wit/ is not the one of wit/frogbot-piece.snapshot. If a release already carries this version, \
             undo the change or raise the version in wit/types.wit; if not, run `{BLESS}=1 cargo test -p \
             frogbot-piece-tool contract` and commit the snapshot with the change.\n{}",
            first_difference(&snapshot, &text)
        );
    }

    fn first_difference(snapshot: &str, text: &str) -> String {
        let mut pairs = snapshot.lines().zip(text.lines()).enumerate();
        match pairs.find(|(_, (old, new))| old != new) {
            Some((index, (old, new))) => format!("line {}: expected {old:?}, found {new:?}", index + 1),
            None => format!(
                "expected {} lines, found {}",
                snapshot.lines().count(),
                text.lines().count()
            ),
        }
    }

    #[test]
    fn folder_without_a_package_is_refused() {
        let problem = super::text(Path::new("/nowhere")).unwrap_err();
        assert!(problem.to_string().contains("/nowhere"), "{problem}");
    }
}
