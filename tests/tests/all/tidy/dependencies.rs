//! The direction of dependencies, as the architecture section of the README tells it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

/// What a crate may build on.
struct Rule {
    /// Our crates, by name. Every other crate of ours is forbidden.
    ours: &'static [&'static str],
    /// Other people's crates that it must not use: those that belong to another layer.
    never: &'static [&'static str],
}

/// Everything that acts on the world: what decides, and what describes, uses none of it.
const WORLD: &[&str] = &[
    "tokio", "wasmtime", "redis", "rusqlite", "axum", "hyper", "reqwest", "anyhow",
];

/// The crates of the host, the SDK and the tests. `tests` itself may use anything.
const RULES: &[(&str, Rule)] = &[
    (
        "lifecycle",
        Rule {
            ours: &[],
            never: WORLD,
        },
    ),
    (
        "ports",
        Rule {
            ours: &["lifecycle"],
            never: WORLD,
        },
    ),
    (
        "engine",
        Rule {
            ours: &["lifecycle", "ports"],
            never: WORLD,
        },
    ),
    (
        "runtime",
        Rule {
            ours: &["lifecycle", "ports", "frogbot-manifest"],
            never: &["redis", "rusqlite", "axum", "anyhow"],
        },
    ),
    (
        "storage",
        Rule {
            ours: &["lifecycle", "ports"],
            never: &["wasmtime", "axum", "hyper", "reqwest", "anyhow"],
        },
    ),
    (
        "models",
        Rule {
            ours: &["lifecycle", "ports"],
            never: &["wasmtime", "redis", "rusqlite", "axum", "anyhow"],
        },
    ),
    (
        "gateway",
        Rule {
            ours: &["lifecycle", "ports", "frogbot-manifest"],
            never: &["wasmtime", "redis", "rusqlite", "reqwest", "anyhow"],
        },
    ),
    (
        "frogbot",
        Rule {
            ours: &[
                "lifecycle",
                "ports",
                "engine",
                "runtime",
                "storage",
                "models",
                "gateway",
                "workbench",
                "frogbot-manifest",
                "frogbot-piece-tool",
            ],
            never: &[],
        },
    ),
    (
        "workbench",
        Rule {
            ours: &[
                "lifecycle",
                "ports",
                "engine",
                "runtime",
                "storage",
                "frogbot-manifest",
                "frogbot-piece-tool",
            ],
            never: &["anyhow"],
        },
    ),
    (
        "frogbot-manifest",
        Rule {
            ours: &[],
            never: WORLD,
        },
    ),
    (
        "frogbot-piece",
        Rule {
            ours: &["frogbot-manifest"],
            never: WORLD,
        },
    ),
    (
        "frogbot-piece-tool",
        Rule {
            ours: &["frogbot-manifest"],
            never: WORLD,
        },
    ),
    (
        "simulator",
        Rule {
            ours: &["lifecycle", "ports", "engine", "storage"],
            never: &["wasmtime", "axum", "hyper", "reqwest", "anyhow"],
        },
    ),
    (
        "xtask",
        Rule {
            ours: &["frogbot-piece-tool"],
            never: &[],
        },
    ),
];

/// What runs in the sandbox.
const PIECE: Rule = Rule {
    ours: &["frogbot-piece"],
    never: WORLD,
};

/// The rule of a crate; none for one that no rule knows.
fn rule(package: &Package) -> Option<&'static Rule> {
    if package.is_piece() {
        return Some(&PIECE);
    }
    RULES
        .iter()
        .find(|(name, _)| *name == package.name)
        .map(|(_, rule)| rule)
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    manifest_path: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    /// `dev` or `build`; none for an ordinary one.
    kind: Option<String>,
    /// Where it is, when it is one of ours.
    path: Option<String>,
}

impl Package {
    /// The folder decides: what lies there runs in the sandbox.
    fn is_piece(&self) -> bool {
        ["/pieces/", "/tests/guests/"]
            .iter()
            .any(|folder| self.manifest_path.contains(folder))
    }
}

/// Every dependency that breaks a rule. What only a crate's own tests use is not part of its layer.
fn offences(packages: &[Package]) -> Vec<String> {
    packages
        .iter()
        .filter(|package| package.name != "tests")
        .flat_map(offences_of)
        .collect()
}

fn offences_of(package: &Package) -> Vec<String> {
    let name = &package.name;
    let Some(rule) = rule(package) else {
        return vec![format!(
            "{name} is in no rule; decide where it stands, here and in the README's architecture section"
        )];
    };
    let used = package
        .dependencies
        .iter()
        .filter(|dependency| dependency.kind.as_deref() != Some("dev"));
    used.filter_map(|dependency| {
        let other = dependency.name.as_str();
        let forbidden = match &dependency.path {
            Some(_) => !rule.ours.contains(&other),
            None => rule.never.contains(&other) || name == "lifecycle",
        };
        forbidden.then(|| format!("{name} must not depend on {other}"))
    })
    .collect()
}

fn workspace() -> Vec<Package> {
    let output = Command::new("cargo")
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice::<Metadata>(&output.stdout)
        .unwrap()
        .packages
}

#[test]
fn crates_depend_on_each_other_in_one_direction_only() {
    let packages = workspace();
    assert!(
        packages.iter().any(|package| package.name == "lifecycle"),
        "this is not our workspace"
    );
    let offences = offences(&packages);
    assert!(offences.is_empty(), "{}", offences.join("\n"));
}

#[test]
fn every_piece_has_the_same_files() {
    const FILES: [&str; 4] = ["README.md", "piece.toml", "platform.toml", "src"];
    // What names its packages, in the language that it is written in.
    const PACKAGES: [&str; 3] = ["Cargo.toml", "package-lock.json", "requirements.txt"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../pieces");
    let mut missing = BTreeMap::new();
    for piece in root.read_dir().unwrap() {
        let piece = piece.unwrap().path();
        let has = |file: &&str| piece.join(file).exists();
        let mut lacks: Vec<&str> = FILES.into_iter().filter(|file| !has(file)).collect();
        lacks.extend((!PACKAGES.iter().any(has)).then_some("a list of packages"));
        if !lacks.is_empty() {
            missing.insert(piece, lacks);
        }
    }
    assert!(
        missing.is_empty(),
        "pieces without one of their files: {missing:?}"
    );
}

/// What the rules say of one package with one dependency.
fn offences_with(
    name: &str,
    folder: &str,
    dependency: &str,
    kind: Option<&str>,
    path: Option<&str>,
) -> Vec<String> {
    offences(&[Package {
        name: name.to_owned(),
        manifest_path: format!("/repo/{folder}/{name}/Cargo.toml"),
        dependencies: vec![Dependency {
            name: dependency.to_owned(),
            kind: kind.map(str::to_owned),
            path: path.map(str::to_owned),
        }],
    }])
}

#[test]
fn dependency_in_the_wrong_direction_is_found() {
    let ours = Some("/repo");
    for (name, folder, dependency, path) in [
        ("engine", "host/crates", "storage", ours),
        ("storage", "host/crates", "engine", ours),
        ("runtime", "host/crates", "engine", ours),
        ("ports", "host/crates", "tokio", None),
        ("lifecycle", "host/crates", "serde", None),
        ("gateway", "host/crates", "anyhow", None),
        ("frogbot-manifest", "sdk", "ports", ours),
        ("forum", "pieces", "ports", ours),
    ] {
        let expected = format!("{name} must not depend on {dependency}");
        assert_eq!(offences_with(name, folder, dependency, None, path), [expected]);
    }
    assert_eq!(
        offences_with("newcomer", "host/crates", "serde", None, None).len(),
        1
    );
}

#[test]
fn dependency_in_the_right_direction_and_one_of_tests_is_allowed() {
    let none: [String; 0] = [];
    assert_eq!(
        offences_with("engine", "host/crates", "ports", None, Some("/repo")),
        none
    );
    assert_eq!(
        offences_with("engine", "host/crates", "storage", Some("dev"), Some("/repo")),
        none
    );
    assert_eq!(
        offences_with("forum", "pieces", "frogbot-piece", None, Some("/repo")),
        none
    );
}
