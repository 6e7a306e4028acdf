//! Whether a component fits the contract, as far as its file tells: its encoding, its imports, its exports.

use frogbot_manifest::is_empty_wasi;
use wasmparser::{BinaryReaderError, Parser, Payload, Validator, WasmFeatures};

use super::Against;

/// The contract's package.
const PACKAGE: &str = "frogbot:piece/";
/// What a piece may import of the contract. `types` holds nothing but types.
const IMPORTS: &[&str] = &["http", "log", "clock", "random", "modal-locator", "types"];
/// What a piece must export.
const CHANNEL: &str = "channel";
/// What a piece that shows questions exports besides.
const QUESTIONS: &str = "channel-questions";
/// What to do about a version that does not fit.
pub(super) fn rebuild(piece: &str) -> String {
    format!(
        "build `{piece}` for world {} with `frogbot piece build`, or use a host that speaks its world",
        frogbot_manifest::WORLD
    )
}

/// Checks every byte, before any of it reaches the compiler.
pub(super) fn validate(bytes: &[u8]) -> Result<(), Against> {
    let remedy = || "build the piece again with `frogbot piece build`, or copy it again".to_owned();
    if Parser::is_core_wasm(bytes) {
        return Err(("this is a core module, expected a component".to_owned(), remedy()));
    }
    if !Parser::is_component(bytes) {
        return Err(("this is no WebAssembly component".to_owned(), remedy()));
    }
    let refused = WasmFeatures::THREADS | WasmFeatures::MEMORY64;
    let mut validator = Validator::new_with_features(WasmFeatures::default() - refused);
    match validator.validate_all(bytes) {
        Ok(_) => Ok(()),
        Err(error) => Err((format!("byte {}: {}", error.offset(), error.message()), remedy())),
    }
}

/// What a component imports and exports.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Surface {
    imports: Vec<String>,
    exports: Vec<String>,
    /// Whether it shows questions.
    pub(super) questions: bool,
}

/// Reads the names, of the outermost component only.
pub(super) fn surface(bytes: &[u8]) -> Result<Surface, String> {
    read_surface(bytes).map_err(|error| format!("byte {}: {}", error.offset(), error.message()))
}

fn read_surface(bytes: &[u8]) -> Result<Surface, BinaryReaderError> {
    let (mut imports, mut exports) = (Vec::new(), Vec::new());
    let mut inside = 0_usize;
    for payload in Parser::new(0).parse_all(bytes) {
        let payload = payload?;
        if matches!(
            payload,
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. }
        ) {
            inside += 1;
        } else if matches!(payload, Payload::End(_)) {
            inside = inside.saturating_sub(1);
        } else if inside > 0 {
            // What is inside imports from what is around it.
        } else if let Payload::ComponentImportSection(section) = payload {
            for import in section {
                imports.push(import?.name.name.to_owned());
            }
        } else if let Payload::ComponentExportSection(section) = payload {
            for export in section {
                exports.push(export?.name.name.to_owned());
            }
        }
    }
    let questions = exports
        .iter()
        .filter_map(|name| ours(name))
        .any(|(name, _)| name == QUESTIONS);
    Ok(Surface {
        imports,
        exports,
        questions,
    })
}

impl Surface {
    /// Everything imported is in the contract, in a version we speak, or in the empty WASI.
    pub(super) fn imports_are_known(&self) -> Result<(), Against> {
        self.imports.iter().try_for_each(|import| known_import(import))
    }

    /// The contract's interfaces are there, in a version we speak.
    pub(super) fn exports_are_ours(&self) -> Result<(), String> {
        let exported: Vec<_> = self.exports.iter().filter_map(|name| ours(name)).collect();
        if !exported.iter().any(|(name, _)| *name == CHANNEL) {
            return Err(format!(
                "the component does not export `{PACKAGE}{CHANNEL}@{}`",
                frogbot_manifest::WORLD
            ));
        }
        exported
            .iter()
            .try_for_each(|(_, version)| speaks_our_version(version))
    }
}

fn known_import(import: &str) -> Result<(), Against> {
    if let Some((name, version)) = ours(import)
        && IMPORTS.contains(&name)
    {
        return speaks_our_version(version).map_err(|reason| {
            (
                format!("`{import}`: {reason}"),
                "build the piece for this host's world with `frogbot piece build`".to_owned(),
            )
        });
    }
    if is_empty_wasi(import) {
        return Ok(());
    }
    let remedy = if import.starts_with("wasi:http") {
        "send requests through `frogbot:piece/http`; with componentize-js, disable its feature `http`"
    } else {
        "build the piece without it: a piece may import its world and an empty WASI 0.2"
    };
    Err((
        format!("the component imports `{import}`, which no piece gets"),
        remedy.to_owned(),
    ))
}

/// The interface and version of a name in the contract's package.
fn ours(name: &str) -> Option<(&str, &str)> {
    let name = name.strip_prefix(PACKAGE)?;
    Some(name.split_once('@').unwrap_or((name, "")))
}

/// `0.1` speaks `0.1` and every `0.1.x`: published versions only grow.
pub(super) fn speaks_our_version(version: &str) -> Result<(), String> {
    let ours = frogbot_manifest::WORLD;
    let rest = version.strip_prefix(ours);
    if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.')) {
        Ok(())
    } else {
        Err(format!("expected world {ours}, found {version}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_contract_and_the_empty_wasi_are_imported() {
        for known in [
            "frogbot:piece/http@0.1.0",
            "frogbot:piece/types@0.1.3",
            "wasi:cli/environment@0.2.6",
            "wasi:io/poll@0.2.0",
        ] {
            assert_eq!(known_import(known), Ok(()), "{known}");
        }
        for unknown in [
            "wasi:http/outgoing-handler@0.2.0",
            "wasi:cli/environment@0.3.0",
            "wasi:cli/environment",
            "frogbot:piece/http@0.2.0",
            "frogbot:piece/http@0.10.0",
            "frogbot:piece/secrets@0.1.0",
            "frogbot:piece/channel@0.1.0",
            "env",
            "wasi:keyvalue/store@0.2.0",
        ] {
            assert!(known_import(unknown).is_err(), "{unknown}");
        }
    }

    #[test]
    fn another_world_is_named_beside_ours() {
        assert_eq!(
            speaks_our_version("0.3"),
            Err("expected world 0.1, found 0.3".to_owned())
        );
        assert!(speaks_our_version("0.10").is_err());
        assert_eq!(speaks_our_version("0.1.7"), Ok(()));
    }

    #[test]
    fn damaged_bytes_are_refused_without_a_panic() {
        let component = b"\0asm\x0d\0\x01\0";
        assert_eq!(validate(component), Ok(()));
        for bytes in [
            &b""[..],
            b"\0asm",
            b"\0asm\x01\0\0\0",
            b"\0asm\x0d\0\x01\0\x01\xff\xff\xff\xff\x0f",
            b"hello",
        ] {
            assert!(validate(bytes).is_err(), "{bytes:?}");
        }
    }
}
