//! The switches that take guards of the sandbox away are for one program of the tests: no build of the host has them.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

const SWITCHES: &str = "guard-switches";

/// Every crate that turns the switches on, by a dependency or by default.
fn who_turns_them_on(metadata: &Value) -> Vec<String> {
    let packages = metadata["packages"].as_array().unwrap();
    packages
        .iter()
        .filter(|package| mentions(&package["dependencies"]) || enabled_by_a_feature(&package["features"]))
        .map(|package| package["name"].as_str().unwrap().to_owned())
        .collect()
}

fn mentions(value: &Value) -> bool {
    value.to_string().contains(SWITCHES)
}

fn enabled_by_a_feature(features: &Value) -> bool {
    features.as_object().unwrap().values().any(mentions)
}

#[test]
fn no_crate_turns_the_switches_of_the_guards_on() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version=1", "--locked"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        who_turns_them_on(&metadata),
        [""; 0],
        "take `{SWITCHES}` out of these: the host must not have a switch for its guards"
    );
}

#[test]
fn a_crate_that_turns_them_on_is_found() {
    let package = |dependencies: Value, features: Value| serde_json::json!({ "name": "a", "dependencies": dependencies, "features": features });
    let asks = package(
        serde_json::json!([{ "name": "runtime", "features": [SWITCHES] }]),
        serde_json::json!({}),
    );
    let by_default = package(
        serde_json::json!([]),
        serde_json::json!({ "default": [SWITCHES], SWITCHES: [] }),
    );
    let has_it = package(serde_json::json!([]), serde_json::json!({ SWITCHES: [] }));
    let found = who_turns_them_on(&serde_json::json!({ "packages": [asks, by_default, has_it] }));
    assert_eq!(found, ["a", "a"]);
}
