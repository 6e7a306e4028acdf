//! How the files look.

use std::fs;
use std::path::{Path, PathBuf};

/// A file longer than this lacks a noun.
const LINES_MAX: usize = 800;
/// Folders that hold nothing of ours.
const FOREIGN: [&str; 5] = ["target", ".git", "node_modules", ".venv", "__pycache__"];

/// Chat platforms whose names are words of nothing else.
const PLATFORMS: [&str; 5] = ["slack", "discord", "telegram", "github", "whatsapp"];
/// Chat platforms that are ordinary words unless they are written as names.
const PLATFORMS_AS_NAMES: [&str; 2] = ["Teams", "Linear"];

/// Where packages come from is the business of the person who builds, and of lock files. Written in two parts, so that
/// this file is not its own offender.
const REGISTRIES: [&str; 7] = [
    concat!("index.", "crates.io"),
    concat!("static.", "crates.io"),
    concat!("crates.io", "-index"),
    concat!("registry.", "npmjs.org"),
    concat!("registry.", "yarnpkg.com"),
    concat!("pypi", ".org/simple"),
    concat!("files.", "pythonhosted.org"),
];

struct File {
    /// From the root of the repository, with `/`.
    path: String,
    text: String,
}

impl File {
    fn ends_with(&self, endings: &[&str]) -> bool {
        endings.iter().any(|ending| self.path.ends_with(ending))
    }

    fn is_lock(&self) -> bool {
        self.ends_with(&[".lock", "-lock.json", "-lock.yaml"])
    }
}

fn files() -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .unwrap();
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let kind = entry.file_type().unwrap();
            let foreign = FOREIGN.iter().any(|name| entry.file_name() == *name);
            if kind.is_dir() && !foreign {
                folders.push(entry.path());
            } else if kind.is_file() {
                files.extend(read(&root, entry.path()));
            }
        }
    }
    assert!(
        files.len() > 50,
        "found only {} files below {}",
        files.len(),
        root.display()
    );
    files
}

/// A file of text; none for one that is not.
fn read(root: &Path, path: PathBuf) -> Option<File> {
    let text = fs::read_to_string(&path).ok()?;
    let path = path
        .strip_prefix(root)
        .unwrap()
        .to_string_lossy()
        .replace('\\', "/");
    Some(File { path, text })
}

/// Fails with every offender and what to do.
fn hold(rule: fn(&File) -> Vec<String>, fix: &str) {
    let offences: Vec<String> = files()
        .iter()
        .flat_map(|file| {
            rule(file)
                .into_iter()
                .map(|offence| format!("{}: {offence}", file.path))
        })
        .collect();
    assert!(offences.is_empty(), "{fix}:\n{}", offences.join("\n"));
}

/// What a rule says of one file.
fn offences_in(rule: fn(&File) -> Vec<String>, path: &str, text: &str) -> usize {
    rule(&File {
        path: path.to_owned(),
        text: text.to_owned(),
    })
    .len()
}

/// The lines that an offence is on.
fn lines(text: &str, offends: impl Fn(&str) -> bool) -> Vec<String> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| offends(line))
        .map(|(index, line)| format!("line {}: {}", index + 1, line.trim()))
        .collect()
}

fn too_long(file: &File) -> Vec<String> {
    let count = file.text.lines().count();
    let counts = file.ends_with(&[".rs", ".wit", ".toml", ".md"]) && count > LINES_MAX;
    counts.then(|| format!("{count} lines")).into_iter().collect()
}

fn without_purpose(file: &File) -> Vec<String> {
    let says = file
        .text
        .strip_prefix("//! ")
        .is_some_and(|rest| rest.lines().next().is_some_and(|line| line.len() > 3));
    (file.ends_with(&[".rs"]) && !says)
        .then(|| "does not begin with `//!`".to_owned())
        .into_iter()
        .collect()
}

fn module_without_a_name(file: &File) -> Vec<String> {
    let nameless = [
        "mod.rs",
        "util.rs",
        "utils.rs",
        "helper.rs",
        "helpers.rs",
        "common.rs",
        "types.rs",
        "manager.rs",
    ];
    let name = file.path.rsplit('/').next().unwrap_or_default();
    nameless
        .contains(&name)
        .then(|| "is named after nothing".to_owned())
        .into_iter()
        .collect()
}

fn ignored_test(file: &File) -> Vec<String> {
    let attribute = concat!("#[", "ignore");
    if !file.ends_with(&[".rs"]) {
        return Vec::new();
    }
    lines(&file.text, |line| line.trim_start().starts_with(attribute))
}

fn platform_in_the_host(file: &File) -> Vec<String> {
    if !file.path.starts_with("host/") || !file.ends_with(&[".rs", ".toml", ".json", ".html"]) {
        return Vec::new();
    }
    lines(&file.text, |line| {
        // A link to somebody's source is no mention of the platform.
        let line = line.replace("https://github.com/", "");
        let lower = line.to_lowercase();
        PLATFORMS.iter().any(|name| lower.contains(name))
            || PLATFORMS_AS_NAMES.iter().any(|name| line.contains(name))
    })
}

fn registry_address(file: &File) -> Vec<String> {
    if file.is_lock() {
        return Vec::new();
    }
    lines(&file.text, |line| {
        REGISTRIES.iter().any(|registry| line.contains(registry))
    })
}

#[test]
fn no_file_is_longer_than_a_noun() {
    hold(too_long, "split these: a noun is missing");
    assert_eq!(offences_in(too_long, "a.rs", &"x\n".repeat(LINES_MAX + 1)), 1);
    assert_eq!(offences_in(too_long, "a.rs", &"x\n".repeat(LINES_MAX)), 0);
}

#[test]
fn every_module_says_what_it_is_for() {
    hold(without_purpose, "begin these with `//!` and what they are for");
    for text in ["", "use std::fs;", "//! .\n", "/// no module"] {
        assert_eq!(offences_in(without_purpose, "a.rs", text), 1, "{text:?}");
    }
    assert_eq!(offences_in(without_purpose, "a.rs", "//! Reads files.\n"), 0);
}

#[test]
fn no_module_is_named_after_nothing() {
    hold(
        module_without_a_name,
        "name these after what they hold, as `foo.rs` beside `foo/`",
    );
    assert_eq!(offences_in(module_without_a_name, "host/src/mod.rs", ""), 1);
    assert_eq!(offences_in(module_without_a_name, "host/src/model.rs", ""), 0);
}

#[test]
fn no_test_is_ignored() {
    hold(ignored_test, "repair or delete these tests");
    assert_eq!(
        offences_in(ignored_test, "a.rs", concat!("    #[", "ignore = \"slow\"]")),
        1
    );
}

#[test]
fn no_chat_platform_is_named_in_the_host() {
    hold(
        platform_in_the_host,
        "a platform's name belongs into its piece; say what is meant in general words",
    );
    for text in [
        "fn slack_token()",
        "// as on GitHub",
        "enum Teams {}",
        "// Linear asks",
    ] {
        assert_eq!(
            offences_in(platform_in_the_host, "host/src/main.rs", text),
            1,
            "{text}"
        );
    }
    for text in [
        "// https://github.com/a/b/issues/1",
        "// the linear memory",
        "// two teams",
    ] {
        assert_eq!(
            offences_in(platform_in_the_host, "host/src/main.rs", text),
            0,
            "{text}"
        );
    }
    assert_eq!(
        offences_in(platform_in_the_host, "pieces/slack/src/lib.rs", "// Slack"),
        0
    );
}

#[test]
fn no_registry_is_named_outside_lock_files() {
    hold(
        registry_address,
        "where packages come from is configured outside the repository",
    );
    for registry in REGISTRIES {
        let text = format!("url = \"https://{registry}/x\"");
        assert_eq!(offences_in(registry_address, "a.toml", &text), 1, "{registry}");
        assert_eq!(offences_in(registry_address, "Cargo.lock", &text), 0);
    }
}
