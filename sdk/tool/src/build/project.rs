//! What cargo knows of the folder of a piece.

use std::path::{Path, PathBuf};
use std::process::Command;

use frogbot_manifest::Manifest;
use semver::Version;
use serde::Deserialize;

use super::{BuildProblem, read};
use crate::command::{ask, in_words};
use crate::toolchain::TARGET;

/// The profile of pieces, small first, where the workspace has one.
const PROFILE: &str = "piece";
/// The folder of the pieces' artifacts below the workspace's target folder. One of their own, so that a build of pieces
/// and a build of the host do not wait for each other.
const TARGET_FOLDER: &str = "pieces";

/// The manifest in the folder's `piece.toml`.
pub(super) fn manifest(folder: &Path) -> Result<Manifest, BuildProblem> {
    let path = folder.join("piece.toml");
    let text = String::from_utf8_lossy(&read(&path)?).into_owned();
    Manifest::from_toml(&text).map_err(|problem| BuildProblem::Manifest { path, problem })
}

/// A package that builds a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Project {
    pub(super) folder: PathBuf,
    pub(super) package: String,
    pub(super) version: Version,
    /// The file's name without its ending.
    library: String,
    /// Whether the workspace has a profile for pieces.
    profile: Profile,
    target_folder: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Profile {
    Piece,
    Release,
}

/// The part of `cargo metadata` that is read here.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_root: PathBuf,
    target_directory: PathBuf,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: Version,
    manifest_path: PathBuf,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    crate_types: Vec<String>,
}

impl Project {
    pub(super) fn find(folder: &Path) -> Result<Self, BuildProblem> {
        let problem = |what: String| BuildProblem::Project {
            folder: folder.to_owned(),
            what,
        };
        let manifest = folder
            .join("Cargo.toml")
            .canonicalize()
            .map_err(|_| problem("there is no Cargo.toml; start one with `cargo new --lib`".to_owned()))?;
        let mut cargo = Command::new("cargo");
        cargo.args([
            "metadata",
            "--no-deps",
            "--format-version",
            "1",
            "--manifest-path",
        ]);
        cargo.arg(&manifest).env("RUSTUP_AUTO_INSTALL", "0");
        let words = in_words(&cargo);
        let json = ask(&mut cargo).ok_or_else(|| problem(format!("cargo cannot read it; see `{words}`")))?;
        let metadata = serde_json::from_str(&json).map_err(|error| problem(format!("`{words}`: {error}")))?;
        Self::from_metadata(metadata, &manifest).map_err(problem)
    }

    fn from_metadata(metadata: Metadata, manifest: &Path) -> Result<Self, String> {
        let Some(package) = metadata
            .packages
            .into_iter()
            .find(|package| package.manifest_path == manifest)
        else {
            return Err("its Cargo.toml is no package; build the folder of one piece".to_owned());
        };
        let builds_module = |target: &&Target| target.crate_types.iter().any(|kind| kind == "cdylib");
        let Some(target) = package.targets.iter().find(builds_module) else {
            return Err(
                "it builds no module; add `[lib] crate-type = [\"cdylib\", \"rlib\"]` to Cargo.toml"
                    .to_owned(),
            );
        };
        Ok(Self {
            folder: manifest.parent().unwrap_or(manifest).to_owned(),
            // Cargo names the file after the crate, which has underscores.
            library: target.name.replace('-', "_"),
            profile: Profile::of(&metadata.workspace_root),
            target_folder: metadata.target_directory.join(TARGET_FOLDER),
            package: package.name,
            version: package.version,
        })
    }

    /// What follows `cargo build --target …`.
    pub(super) fn arguments(&self) -> Vec<String> {
        let target_folder = self.target_folder.display().to_string();
        let arguments = [
            "--profile",
            self.profile.name(),
            "--package",
            &self.package,
            "--target-dir",
            &target_folder,
        ];
        // The library alone: a piece may have binaries of its own that only make sense natively.
        arguments
            .into_iter()
            .chain(["--lib"])
            .map(str::to_owned)
            .collect()
    }

    /// Where cargo puts the module.
    pub(super) fn module(&self) -> PathBuf {
        self.target_folder
            .join(TARGET)
            .join(self.profile.name())
            .join(&self.library)
            .with_extension("wasm")
    }
}

impl Profile {
    fn of(workspace_root: &Path) -> Self {
        let profiles = std::fs::read_to_string(workspace_root.join("Cargo.toml"))
            .ok()
            .and_then(|text| text.parse::<toml::Table>().ok())
            .and_then(|mut table| table.remove("profile"));
        match profiles {
            Some(profiles) if profiles.get(PROFILE).is_some() => Self::Piece,
            Some(_) | None => Self::Release,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Piece => PROFILE,
            Self::Release => "release",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{BuildProblem, Profile, Project};

    /// A package of its own in a temporary folder.
    fn package(more: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let head = "[package]\nname = \"my-piece\"\nversion = \"1.2.3\"\nedition = \"2024\"\n[workspace]\n";
        std::fs::create_dir(folder.path().join("src")).unwrap();
        std::fs::write(folder.path().join("src/lib.rs"), "").unwrap();
        std::fs::write(folder.path().join("Cargo.toml"), format!("{head}{more}")).unwrap();
        folder
    }

    fn refusal(folder: &Path) -> String {
        match Project::find(folder) {
            Err(BuildProblem::Project { what, .. }) => what,
            other => panic!("expected a refusal, got {other:?}"),
        }
    }

    #[test]
    fn package_outside_our_workspace_is_built_for_release() {
        let folder = package("[lib]\ncrate-type = [\"cdylib\"]\n");
        let project = Project::find(folder.path()).unwrap();
        assert_eq!(
            (project.package.as_str(), project.version.to_string().as_str()),
            ("my-piece", "1.2.3")
        );
        assert_eq!(project.profile, Profile::Release);
        assert!(
            project
                .module()
                .ends_with("pieces/wasm32-unknown-unknown/release/my_piece.wasm"),
            "{project:?}"
        );
    }

    #[test]
    fn profile_for_pieces_is_used_where_there_is_one() {
        let folder = package("[lib]\ncrate-type = [\"cdylib\"]\n[profile.piece]\ninherits = \"release\"\n");
        let project = Project::find(folder.path()).unwrap();
        assert!(
            project
                .arguments()
                .windows(2)
                .any(|pair| pair == ["--profile", "piece"]),
            "{project:?}"
        );
    }

    #[test]
    fn folder_that_builds_no_module_says_what_to_add() {
        assert!(refusal(package("").path()).contains("crate-type"));
        assert!(refusal(Path::new("/nowhere")).contains("there is no Cargo.toml"));
        assert!(refusal(package("nonsense").path()).contains("cargo metadata"));
    }
}
