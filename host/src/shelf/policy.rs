//! What a new build of a piece may do without being asked about: pure decisions.
//!
//! A piece's file is its author's, and may be replaced by whoever can write into the folder. What it may do was granted to the
//! build that ran: one that asks for more, or is older, waits for the operator's word. New slots, new secrets and other places
//! are no matter of this: the configuration names each of them, and without it a build that wants one is not loaded at all.

use frogbot_manifest::{Manifest, Slot};
use runtime::Health;

/// So many calls after a switch a build is on probation.
const PROBATION_CALLS: u64 = 100;
/// So many failures of its own within them, and half of all calls, and the build before takes over again.
const PROBATION_FAILURES: u64 = 3;

/// Everything about `after` that needs the operator's word, when `before` is what was granted; empty: nothing.
pub(crate) fn objections(before: &Manifest, after: &Manifest) -> Vec<String> {
    let mut found = Vec::new();
    if after.version < before.version {
        found.push(format!(
            "version {} is older than {}, which ran",
            after.version, before.version
        ));
    }
    for (id, slot) in &after.slots {
        if let Some(known) = before.slots.get(id) {
            slot_objections(id, known, slot, &mut found);
        }
    }
    if after.verification != before.verification {
        found.push("its platform's requests are verified in another way".to_owned());
    }
    if after.notices_public && !before.notices_public {
        found.push("everybody would see its notices".to_owned());
    }
    found
}

fn slot_objections(id: &str, before: &Slot, after: &Slot, found: &mut Vec<String>) {
    let added = |before: &[String], after: &[String]| -> Vec<String> {
        after
            .iter()
            .filter(|one| !before.contains(one))
            .cloned()
            .collect()
    };
    for (what, more) in [
        ("methods", added(&before.methods, &after.methods)),
        ("paths", added(&before.paths, &after.paths)),
    ] {
        if !more.is_empty() {
            found.push(format!(
                "slot `{id}` wants the {what} {} as well",
                more.join(", ")
            ));
        }
    }
    if after.auth != before.auth {
        found.push(format!("slot `{id}` would authenticate in another way"));
    }
    for (what, before, after) in [
        ("request bytes", before.request_bytes_max, after.request_bytes_max),
        (
            "response bytes",
            before.response_bytes_max,
            after.response_bytes_max,
        ),
    ] {
        if after > before {
            found.push(format!(
                "slot `{id}` wants up to {after} {what} instead of {before}"
            ));
        }
    }
    if after.timeout_ms > before.timeout_ms {
        found.push(format!(
            "slot `{id}` wants up to {} ms instead of {}",
            after.timeout_ms, before.timeout_ms
        ));
    }
}

/// The slots whose place differs. While a host runs nothing but its configuration can say that another place is meant.
pub(crate) fn moved(before: &Manifest, after: &Manifest) -> Vec<String> {
    let slots = after.slots.iter().filter_map(|(id, slot)| {
        let known = before.slots.get(id)?;
        (known.base != slot.base).then(|| {
            format!(
                "slot `{id}` would go to {:?} instead of {:?}",
                slot.base, known.base
            )
        })
    });
    slots.collect()
}

/// What is to become of a build that was switched to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Probation {
    /// It has too few calls to tell.
    GoesOn,
    /// It has done well.
    Passed,
    /// Its first calls fail by its own fault: the build before takes over.
    Failed,
}

/// Judges a build by its first calls.
pub(crate) fn probation(health: &Health) -> Probation {
    let half = health.failures.saturating_mul(2) >= health.calls;
    if health.failures >= PROBATION_FAILURES && half {
        Probation::Failed
    } else if health.calls >= PROBATION_CALLS {
        Probation::Passed
    } else {
        Probation::GoesOn
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn manifest(changes: &[(&str, Value)]) -> Manifest {
        let mut manifest = json!({
            "name": "p", "version": "1.2.0", "world": frogbot_manifest::WORLD, "description": "d", "licence": "MIT",
            "slots": {"api": {"base": "https://a.example", "purpose": "p", "methods": ["GET"], "paths": ["/x"],
                "auth": {"kind": "bearer", "secret": "token"}}},
            "secrets": {"token": "t"},
            "verification": {"kind": "shared-secret", "secret": "token", "header": "x-token"},
        });
        for (path, value) in changes {
            *manifest.pointer_mut(path).unwrap_or_else(|| panic!("{path}")) = value.clone();
        }
        serde_json::from_value(manifest).unwrap()
    }

    #[test]
    fn a_build_that_asks_for_the_same_or_less_needs_no_word() {
        let before = manifest(&[("/slots/api/methods", json!(["GET", "POST"]))]);
        let after = manifest(&[("/version", json!("1.3.0"))]);
        assert_eq!(objections(&before, &after), Vec::<String>::new());
        assert_eq!(moved(&before, &after), Vec::<String>::new());
    }

    #[test]
    fn whatever_is_wider_or_older_is_named() {
        let before = manifest(&[]);
        for (path, value, told) in [
            ("/version", json!("1.1.9"), "version 1.1.9 is older than 1.2.0"),
            (
                "/slots/api/methods",
                json!(["GET", "DELETE"]),
                "slot `api` wants the methods DELETE",
            ),
            (
                "/slots/api/paths",
                json!(["/**"]),
                "slot `api` wants the paths /**",
            ),
            (
                "/slots/api/auth",
                json!({"kind": "header", "name": "x-k", "secret": "token"}),
                "slot `api` would authenticate in another way",
            ),
            (
                "/verification/header",
                json!("x-other"),
                "requests are verified in another way",
            ),
        ] {
            let found = objections(&before, &manifest(&[(path, value)]));
            assert_eq!(found.len(), 1, "{path}: {found:?}");
            assert!(found[0].contains(told), "{found:?}");
        }
        for (key, value) in [
            ("request_bytes_max", json!(300_000)),
            ("response_bytes_max", json!(2_000_000)),
            ("timeout_ms", json!(20_000)),
        ] {
            let mut after = serde_json::to_value(&before).unwrap();
            after["slots"]["api"][key] = value;
            let after = serde_json::from_value(after).unwrap();
            assert_eq!(objections(&before, &after).len(), 1, "{key}");
            assert_eq!(objections(&after, &before).len(), 0, "{key}: less is no matter");
        }
        let mut public = before.clone();
        public.notices_public = true;
        assert_eq!(objections(&before, &public).len(), 1);
        assert_eq!(objections(&public, &before).len(), 0);
    }

    #[test]
    fn another_place_is_told() {
        let after = manifest(&[("/slots/api/base", json!("https://b.example"))]);
        assert_eq!(moved(&manifest(&[]), &after).len(), 1);
    }

    #[test]
    fn the_first_calls_decide_whether_a_build_stays() {
        let after = |calls, failures| {
            probation(&Health {
                calls,
                failures,
                in_a_row: 0,
                last_failure: None,
                held_back: false,
            })
        };
        assert_eq!(after(0, 0), Probation::GoesOn);
        assert_eq!(after(2, 2), Probation::GoesOn);
        assert_eq!(after(3, 3), Probation::Failed);
        assert_eq!(after(6, 3), Probation::Failed);
        assert_eq!(after(7, 3), Probation::GoesOn);
        assert_eq!(after(100, 3), Probation::Passed);
    }
}
