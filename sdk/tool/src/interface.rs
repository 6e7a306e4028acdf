//! The outside of a component: what it imports and exports, by name, read without compiling or running it.

use wasmparser::{Parser, Payload, Validator, WasmFeatures};

/// The largest file that is read, in bytes: three times a Python piece, the largest kind there is.
pub(crate) const PIECE_BYTES_MAX: usize = 64 * 1024 * 1024;
/// The package of the contract.
const PACKAGE: &str = "frogbot:piece/";
/// The interface every piece exports.
pub(crate) const CHANNEL: &str = "channel";
/// The interface of a piece that shows questions.
pub(crate) const QUESTIONS: &str = "channel-questions";

/// The depth between the component's own beginning and end.
const OUTERMOST: usize = 1;

/// The names at a component's outside, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Interface {
    pub(crate) imports: Vec<String>,
    pub(crate) exports: Vec<String>,
}

/// Why a component's outside cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InterfaceProblem {
    /// It is larger than any piece.
    #[error("the file has {bytes} bytes, at most {PIECE_BYTES_MAX} are read; build the piece for size")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// It is a module without the wrapping that a piece has.
    #[error("this is a core module, expected a component; build it with `frogbot piece build`")]
    CoreModule,
    /// It is not valid.
    #[error("the component is not valid: {reason}; build it again")]
    Invalid {
        /// What the validator says.
        reason: String,
    },
}

impl Interface {
    /// Validates the component and reads its imports and exports.
    pub(crate) fn read(wasm: &[u8]) -> Result<Self, InterfaceProblem> {
        if wasm.len() > PIECE_BYTES_MAX {
            return Err(InterfaceProblem::TooLarge { bytes: wasm.len() });
        }
        if Parser::is_core_wasm(wasm) {
            return Err(InterfaceProblem::CoreModule);
        }
        let invalid = |error: wasmparser::BinaryReaderError| InterfaceProblem::Invalid {
            reason: error.to_string(),
        };
        Validator::new_with_features(WasmFeatures::default())
            .validate_all(wasm)
            .map_err(invalid)?;
        Self::names(wasm).map_err(invalid)
    }

    /// The names of the outermost component; those of components inside it are its own affair.
    fn names(wasm: &[u8]) -> Result<Self, wasmparser::BinaryReaderError> {
        let mut interface = Self::default();
        let mut depth = 0_usize;
        for payload in Parser::new(0).parse_all(wasm) {
            let payload = payload?;
            if let Payload::Version { .. } = payload {
                depth += 1;
            } else if let Payload::End(_) = payload {
                depth = depth.saturating_sub(1);
            } else if depth == OUTERMOST {
                interface.add(payload)?;
            }
        }
        Ok(interface)
    }

    fn add(&mut self, payload: Payload<'_>) -> Result<(), wasmparser::BinaryReaderError> {
        if let Payload::ComponentImportSection(section) = payload {
            for import in section {
                self.imports.push(import?.name.full_name().into_owned());
            }
        } else if let Payload::ComponentExportSection(section) = payload {
            for export in section {
                self.exports.push(export?.name.full_name().into_owned());
            }
        }
        Ok(())
    }

    /// Whether it exports the interface of this name, in any version.
    pub(crate) fn exports(&self, interface: &str) -> bool {
        self.exports
            .iter()
            .filter_map(|name| ours(name))
            .any(|(name, _)| name == interface)
    }
}

/// Interface and version of a name in the contract's package, such as `frogbot:piece/http@0.1.0`.
pub(crate) fn ours(name: &str) -> Option<(&str, semver::Version)> {
    let (interface, version) = name.strip_prefix(PACKAGE)?.split_once('@')?;
    Some((interface, version.parse().ok()?))
}

/// The version as a world is named: what the host's linker treats as interchangeable.
pub(crate) fn world_of(version: &semver::Version) -> String {
    match version.major {
        0 => format!("0.{}", version.minor),
        major => major.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Interface, InterfaceProblem, PIECE_BYTES_MAX, ours, world_of};
    use crate::wit::tests::dummy;

    #[test]
    fn names_of_a_component_are_those_of_its_world() {
        let interface = Interface::read(&dummy("channel-piece")).unwrap();
        assert!(
            interface.exports("channel") && !interface.exports("channel-questions"),
            "{interface:?}"
        );
        assert!(
            interface.imports.iter().all(|name| ours(name).is_some()),
            "{interface:?}"
        );
        assert!(
            Interface::read(&dummy("channel-questions-piece"))
                .unwrap()
                .exports("channel-questions")
        );
    }

    #[test]
    fn what_is_no_component_is_refused() {
        assert_eq!(
            Interface::read(b"\0asm\x01\0\0\0"),
            Err(InterfaceProblem::CoreModule)
        );
        let component = dummy("channel-piece");
        let truncated = component.get(..component.len() - 3).unwrap_or_default();
        assert!(matches!(
            Interface::read(truncated),
            Err(InterfaceProblem::Invalid { .. })
        ));
        let bytes = PIECE_BYTES_MAX + 1;
        assert_eq!(
            Interface::read(&vec![0; bytes]),
            Err(InterfaceProblem::TooLarge { bytes })
        );
    }

    #[test]
    fn world_is_what_versions_have_in_common() {
        for (version, world) in [("0.1.7", "0.1"), ("1.2.3", "1")] {
            assert_eq!(world_of(&version.parse().unwrap()), world);
        }
        assert_eq!(ours("wasi:cli/environment@0.2.6"), None);
    }
}
