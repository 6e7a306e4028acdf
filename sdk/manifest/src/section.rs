//! The custom section that carries a manifest, found without parsing anything else.
//!
//! A component and a core module share the outer form that matters here: eight bytes of preamble, then sections of one
//! byte id, a LEB128 length and that many bytes; id 0 is a custom section whose content begins with its name. Nested
//! modules and components are sections like any other and are stepped over, so a manifest inside one of them is not
//! the piece's manifest. The walk reads every length against what is left; it never trusts one.

use std::fmt;
use std::ops::Range;

use crate::{MANIFEST_BYTES_MAX, Manifest, Problem};

/// The name of the custom section.
pub const SECTION: &str = "frogbot:manifest";

const MAGIC: &[u8] = b"\0asm";
/// Version 1 of layer 0: a core module.
const MODULE: &[u8] = &[0x01, 0x00, 0x00, 0x00];
/// Version 13 of layer 1: a component.
const COMPONENT: &[u8] = &[0x0d, 0x00, 0x01, 0x00];
const CUSTOM: u8 = 0;
/// A `u32` fits in five groups of seven bits.
const LEB_BYTES_MAX: usize = 5;

/// Why a manifest could not be read from, or written to, a `.wasm`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SectionProblem {
    /// The bytes do not begin like a component or a module.
    #[error("this is no WebAssembly: expected the bytes of a component; build it with `frogbot piece build`")]
    NotWasm,
    /// A section's length or name does not fit in what is there.
    #[error(
        "the WebAssembly is damaged or cut off: the section at byte {offset} does not fit in the file; copy or build it again"
    )]
    Damaged {
        /// Where the broken section begins.
        offset: usize,
    },
    /// No manifest.
    #[error("there is no section `{SECTION}`, so this is no piece; build it with `frogbot piece build`")]
    Missing,
    /// More than one manifest: which of them counts must never be a question.
    #[error("expected one section `{SECTION}`, found {found}; build the piece again")]
    Several {
        /// How many there are.
        found: usize,
    },
    /// The manifest is larger than [`MANIFEST_BYTES_MAX`].
    #[error("the manifest has {bytes} bytes, at most {MANIFEST_BYTES_MAX} are read; shorten it")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// The section is no JSON, or does not have the shape of a manifest.
    #[error("the manifest cannot be read: {reason}")]
    Unreadable {
        /// What the decoder says, with the nearest known key where a key is not known.
        reason: String,
    },
    /// It has the shape of a manifest and breaks its rules.
    #[error("the manifest is not valid:{}", Lines(.problems))]
    Invalid {
        /// Everything that is wrong, never empty.
        problems: Vec<Problem>,
    },
}

/// One problem a line, each indented below the sentence that introduces them.
pub(crate) struct Lines<'a>(pub(crate) &'a [Problem]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|problem| write!(f, "\n  {problem}"))
    }
}

/// Reads the manifest of a component or core module and checks it. Nothing is compiled or run.
///
/// # Errors
///
/// Everything that is not exactly one valid manifest, see [`SectionProblem`].
pub fn read(wasm: &[u8]) -> Result<Manifest, SectionProblem> {
    let mut ours = Vec::new();
    for section in Sections::of(wasm)? {
        ours.extend(section?.manifest);
    }
    let content = match ours.as_slice() {
        [] => return Err(SectionProblem::Missing),
        [one] => wasm.get(one.clone()).unwrap_or_default(),
        several => return Err(SectionProblem::Several { found: several.len() }),
    };
    if content.len() > MANIFEST_BYTES_MAX {
        return Err(SectionProblem::TooLarge { bytes: content.len() });
    }
    let manifest: Manifest = serde_json::from_slice(content).map_err(|error| SectionProblem::Unreadable {
        reason: crate::nearest::explain(&error.to_string()),
    })?;
    match manifest.problems() {
        problems if problems.is_empty() => Ok(manifest),
        problems => Err(SectionProblem::Invalid { problems }),
    }
}

/// The same component or module with this manifest as its last section, in place of any that it carried. The manifest
/// is not checked; [`read`] does that, and so a test can write what a reader must refuse.
///
/// # Errors
///
/// `NotWasm` and `Damaged` for the bytes, `TooLarge` for the manifest.
pub fn embed(wasm: &[u8], manifest: &Manifest) -> Result<Vec<u8>, SectionProblem> {
    let json = serde_json::to_vec(manifest).map_err(|error| SectionProblem::Unreadable {
        reason: error.to_string(),
    })?;
    if json.len() > MANIFEST_BYTES_MAX {
        return Err(SectionProblem::TooLarge { bytes: json.len() });
    }
    let mut out = wasm.get(..PREAMBLE_BYTES).unwrap_or_default().to_vec();
    for section in Sections::of(wasm)? {
        let section = section?;
        if section.manifest.is_none() {
            out.extend_from_slice(wasm.get(section.whole).unwrap_or_default());
        }
    }
    append(&mut out, &json);
    Ok(out)
}

/// Appends a custom section with our name.
fn append(out: &mut Vec<u8>, content: &[u8]) {
    let mut body = leb(SECTION.len());
    body.extend_from_slice(SECTION.as_bytes());
    body.extend_from_slice(content);
    out.push(CUSTOM);
    out.extend(leb(body.len()));
    out.extend(body);
}

fn leb(mut value: usize) -> Vec<u8> {
    let mut out = Vec::new();
    loop {
        let group = u8::try_from(value & 0x7f).unwrap_or_default();
        value >>= 7;
        if value == 0 {
            out.push(group);
            return out;
        }
        out.push(group | 0x80);
    }
}

const PREAMBLE_BYTES: usize = 8;

/// A top-level section, as ranges of the file.
struct Section {
    /// Id, length and content.
    whole: Range<usize>,
    /// The content behind the name, when it is a custom section with our name.
    manifest: Option<Range<usize>>,
}

/// Walks the top-level sections; ends after the first that does not fit.
struct Sections<'a> {
    wasm: &'a [u8],
    at: usize,
}

impl<'a> Sections<'a> {
    fn of(wasm: &'a [u8]) -> Result<Self, SectionProblem> {
        let layer = wasm.strip_prefix(MAGIC).and_then(|rest| rest.get(..4));
        match layer {
            Some(version) if version == MODULE || version == COMPONENT => Ok(Self {
                wasm,
                at: PREAMBLE_BYTES,
            }),
            Some(_) | None => Err(SectionProblem::NotWasm),
        }
    }

    /// The section at `self.at`; none when a length leads out of the file.
    fn section(&self) -> Option<Section> {
        let id = self.wasm.get(self.at)?;
        let (content, start) = sized(self.wasm, self.at + 1)?;
        let manifest = if *id == CUSTOM {
            let (name, behind) = sized(content, 0)?;
            (name == SECTION.as_bytes()).then_some(start + behind + name.len()..start + content.len())
        } else {
            None
        };
        Some(Section {
            whole: self.at..start + content.len(),
            manifest,
        })
    }
}

impl Iterator for Sections<'_> {
    type Item = Result<Section, SectionProblem>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.wasm.len() {
            return None;
        }
        let offset = self.at;
        let section = self.section();
        self.at = section
            .as_ref()
            .map_or(self.wasm.len(), |section| section.whole.end);
        Some(section.ok_or(SectionProblem::Damaged { offset }))
    }
}

/// The bytes behind the length at `at`, and where they begin.
fn sized(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let rest = bytes.get(at..)?;
    let mut length = 0_u64;
    for (index, byte) in rest.iter().take(LEB_BYTES_MAX).enumerate() {
        length |= u64::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            // Five groups hold 35 bits, a length has 32.
            let length = usize::try_from(u32::try_from(length).ok()?).ok()?;
            let start = at + index + 1;
            return Some((bytes.get(start..start.checked_add(length)?)?, start));
        }
    }
    None
}

#[cfg(test)]
mod tests;
