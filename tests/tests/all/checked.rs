//! `frogbot piece check`: our own pieces pass it, and each of its checks finds what it is there for.

#![expect(
    clippy::unwrap_used,
    reason = "what a test needs is there, or the test has failed"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use futures_util::future::join_all;
use tests::host_process::Artifacts;
use workbench::{Platform, Report, Verdict, check};

/// What the piece of `tests/guests/faulty` can do wrong, and what is then broken. What else has a line is a consequence.
const FAULTS: &[(&str, &[&str])] = &[
    ("connects-never", &["connect"]),
    ("takes-people-for-bots", &["mention"]),
    ("takes-itself-for-a-person", &["own messages"]),
    ("numbers-deliveries-alike", &["redelivery"]),
    ("traps-on-nonsense", &["nonsense"]),
    ("loses-texts", &["split"]),
    ("invents-messages", &["post"]),
    ("shows-no-questions", &["supports"]),
    ("forgets-the-last-option", &["render", "click"]),
    ("traps-on-many-options", &["large calls"]),
    (
        "claims-to-have-posted",
        &["platform down", "rate limit", "lost answer"],
    ),
    ("gives-up", &["platform down", "rate limit"]),
    ("ignores-retry-after", &["rate limit"]),
    ("answers-with-the-first-option", &["click", "step"]),
    ("takes-foreign-cards", &["foreign card"]),
    ("takes-earlier-steps", &["step"]),
    ("ignores-dismiss", &["dismiss"]),
    ("ignores-late-clicks", &["late"]),
    ("traps-on-foreign-state", &["foreign state"]),
    ("needs-the-interaction", &["retry"]),
    ("leaves-dismissed-open", &["settle", "platform down"]),
    ("sticks-to-deleted-cards", &["deleted card"]),
    ("keeps-silent-to-the-late", &["late"]),
    ("opens-again", &["late"]),
    ("keeps-silent-to-the-denied", &["denied"]),
    ("closes-for-the-denied", &["denied"]),
    ("asks-elsewhere", &["platform.toml"]),
    ("keeps-the-reason", &["rejected"]),
];

/// Checks that cannot fail with a piece that is loaded at all: what they look for, the runtime does not let happen.
const GUARDED: [&str; 2] = ["examples", "pure hooks"];

async fn checked(piece: &str, platform: &str) -> Report {
    let component = fs::read(Artifacts::find().unwrap().piece(piece)).unwrap();
    check(component, Some(Platform::read(platform).unwrap()))
        .await
        .unwrap()
}

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)).unwrap()
}

fn broken(report: &Report) -> BTreeSet<&'static str> {
    let broken = |verdict: &Verdict| matches!(verdict, Verdict::Broken(_));
    let checks = report.checks.iter();
    checks
        .filter(|check| broken(&check.verdict))
        .map(|check| check.name)
        .collect()
}

/// The platform of the template, with a fault of the piece.
fn template_platform(fault: &str) -> String {
    let platform = read("sdk/tool/template/platform.toml");
    if fault.is_empty() {
        return platform;
    }
    // Before the first table.
    format!("options = {{ fault = \"{fault}\" }}\n{platform}")
}

#[tokio::test]
async fn our_own_pieces_keep_every_promise() {
    let pieces = ["forum", "forum-python", "forum-typescript", "slack"].map(|piece| async move {
        let report = checked(piece, &read(&format!("pieces/{piece}/platform.toml"))).await;
        assert!(report.is_sound(), "{piece}:\n{report}");
        let used = |hook: &str| report.uses.get(hook).map_or(0, |used| used.fuel);
        assert!(used("render") > 0 && used("parse") > 0, "{piece}:\n{report}");
    });
    join_all(pieces).await;
}

#[tokio::test]
async fn piece_that_an_author_starts_with_keeps_every_promise() {
    let report = checked("faulty", &template_platform("")).await;
    assert!(report.is_sound(), "{report}");
}

#[tokio::test]
async fn each_fault_of_a_piece_is_found_by_its_check() {
    let found = FAULTS.iter().map(|(fault, expected)| async move {
        let report = checked("faulty", &template_platform(fault)).await;
        let expected: BTreeSet<&str> = expected.iter().copied().collect();
        (broken(&report) != expected).then(|| format!("{fault}: expected {expected:?}\n{report}"))
    });
    let wrong: Vec<String> = join_all(found).await.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[tokio::test]
async fn every_check_is_broken_by_some_fault() {
    let report = checked("faulty", &template_platform("")).await;
    let found: BTreeSet<&str> = FAULTS.iter().flat_map(|(_, checks)| *checks).copied().collect();
    let names = report.checks.iter().map(|check| check.name);
    let unseen: Vec<&str> = names
        .filter(|name| !found.contains(name) && !GUARDED.contains(name) && *name != "load")
        .collect();
    assert!(unseen.is_empty(), "no fault breaks {unseen:?}");
}

#[tokio::test]
async fn what_no_host_would_load_is_broken_at_load() {
    let report = check(b"no component".as_slice(), None).await.unwrap();
    assert_eq!(broken(&report), BTreeSet::from(["load"]));
    assert!(report.to_string().contains("0 kept, 1 broken"), "{report}");
}

#[tokio::test]
async fn without_a_platform_it_says_what_was_not_tried() {
    let component = fs::read(Artifacts::find().unwrap().piece("forum")).unwrap();
    let report = check(component, None).await.unwrap();
    assert!(report.is_sound());
    assert!(
        report.to_string().contains("describe it in platform.toml"),
        "{report}"
    );
}
