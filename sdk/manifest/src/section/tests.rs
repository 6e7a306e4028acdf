//! Reading what a stranger sends: cut off, tampered with, twice, too large.

use super::{COMPONENT, MAGIC, MODULE, SECTION, SectionProblem, append, embed, read};
use crate::MANIFEST_BYTES_MAX;
use crate::author::tests::full;

fn empty(layer: &[u8]) -> Vec<u8> {
    [MAGIC, layer].concat()
}

/// A component with an ordinary section, our manifest and another custom section.
fn piece() -> Vec<u8> {
    let mut wasm = empty(COMPONENT);
    wasm.extend([1, 8]);
    wasm.extend(empty(MODULE));
    let mut wasm = embed(&wasm, &full()).unwrap();
    wasm.extend([0, 3, 2, b'h', b'i']);
    wasm
}

#[test]
fn manifest_survives_its_way_through_component_and_module() {
    for layer in [COMPONENT, MODULE] {
        let wasm = embed(&empty(layer), &full()).unwrap();
        assert_eq!(read(&wasm).unwrap(), full());
    }
    assert_eq!(read(&piece()).unwrap(), full());
}

#[test]
fn embedding_replaces_and_keeps_the_rest() {
    let mut other = full();
    other.name = "other".to_owned();
    let wasm = embed(&piece(), &other).unwrap();
    assert_eq!(read(&wasm).unwrap(), other);
    assert!(
        wasm.windows(5).any(|window| window == [0, 3, 2, b'h', b'i']),
        "the other section is still there"
    );
    assert_eq!(embed(&wasm, &full()).unwrap(), embed(&piece(), &full()).unwrap());
}

#[test]
fn every_truncation_is_refused() {
    let wasm = embed(&empty(COMPONENT), &full()).unwrap();
    for length in 0..wasm.len() {
        let problem = read(&wasm[..length]).unwrap_err();
        match length {
            0..8 => assert_eq!(problem, SectionProblem::NotWasm),
            8 => assert_eq!(problem, SectionProblem::Missing),
            _ => assert_eq!(problem, SectionProblem::Damaged { offset: 8 }, "cut at {length}"),
        }
    }
}

#[test]
fn no_flipped_byte_makes_the_reader_panic_or_change_what_it_read() {
    let wasm = piece();
    for at in 0..wasm.len() {
        for bit in 0..8 {
            let mut tampered = wasm.clone();
            tampered[at] ^= 1 << bit;
            if let Ok(manifest) = read(&tampered) {
                assert!(
                    manifest.problems().is_empty(),
                    "an invalid manifest was let through at {at}"
                );
            }
        }
    }
}

#[test]
fn tampered_lengths_are_refused() {
    let wasm = |length: &[u8]| [MAGIC, COMPONENT, &[0], length, &[2, b'h', b'i']].concat();
    assert_eq!(
        read(&wasm(&[3])),
        Err(SectionProblem::Missing),
        "the untampered file has a section that fits"
    );
    for length in [
        &[4][..],
        &[0xff, 0xff, 0xff, 0xff, 0x0f],
        // A right length but for a bit more than it may have, or a group more, and no room for the name.
        &[0x83, 0x80, 0x80, 0x80, 0x10],
        &[0x83, 0x80, 0x80, 0x80, 0x80, 0x00],
        &[0],
    ] {
        assert_eq!(
            read(&wasm(length)),
            Err(SectionProblem::Damaged { offset: 8 }),
            "{length:x?}"
        );
    }
    let name_leads_out = [MAGIC, COMPONENT, &[0, 3, 200, b'h', b'i']].concat();
    assert_eq!(read(&name_leads_out), Err(SectionProblem::Damaged { offset: 8 }));
}

#[test]
fn two_manifests_are_refused_even_when_they_are_equal() {
    let mut wasm = piece();
    append(&mut wasm, &serde_json::to_vec(&full()).unwrap());
    assert_eq!(read(&wasm), Err(SectionProblem::Several { found: 2 }));
}

#[test]
fn manifest_inside_a_nested_module_is_not_the_pieces() {
    let inner = embed(&empty(MODULE), &full()).unwrap();
    let mut wasm = empty(COMPONENT);
    wasm.push(1);
    wasm.extend(super::leb(inner.len()));
    wasm.extend(inner);
    assert_eq!(read(&wasm), Err(SectionProblem::Missing));
}

#[test]
fn too_large_manifest_is_refused_by_reader_and_writer() {
    let mut large = full();
    large.description = "x".repeat(MANIFEST_BYTES_MAX);
    assert!(matches!(
        embed(&empty(COMPONENT), &large),
        Err(SectionProblem::TooLarge { .. })
    ));
    let mut wasm = empty(COMPONENT);
    append(&mut wasm, &vec![b' '; MANIFEST_BYTES_MAX + 1]);
    assert_eq!(
        read(&wasm),
        Err(SectionProblem::TooLarge {
            bytes: MANIFEST_BYTES_MAX + 1
        })
    );
}

#[test]
fn what_is_no_manifest_is_refused_with_the_reason() {
    for (content, reason) in [
        ("{", "EOF"),
        ("[]", "invalid length"),
        ("{}", "missing field `name`"),
        ("{\"name\":\"a\",\"nmae\":\"b\"}", "did you mean `name`"),
    ] {
        let mut wasm = empty(COMPONENT);
        append(&mut wasm, content.as_bytes());
        let problem = read(&wasm).unwrap_err().to_string();
        assert!(problem.contains(reason), "{content}: {problem}");
    }
}

#[test]
fn manifest_that_breaks_a_rule_can_be_written_and_is_not_read() {
    let mut invalid = full();
    invalid.world = "0.3".to_owned();
    let wasm = embed(&empty(COMPONENT), &invalid).unwrap();
    let Err(SectionProblem::Invalid { problems }) = read(&wasm) else {
        panic!("{SECTION} was read")
    };
    assert_eq!(
        problems.first().map(|problem| problem.path.as_str()),
        Some("world")
    );
}
