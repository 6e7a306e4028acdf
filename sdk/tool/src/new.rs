//! Starts a piece: a folder that builds at once, with a test and a fake platform, for an author to change.
//!
//! The SDK is not published, so the new package names it by its path. It has a workspace and a lock file of its own: the
//! lock file is this repository's, so that it builds with the versions that are known to work.

use std::io;
use std::path::{Path, PathBuf};

use frogbot_manifest::{Problem, check_name};

/// The SDK in the checkout that this program was built from.
const SDK_OF_CHECKOUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../rust");
/// From the SDK's folder to the root of its repository.
const ROOT_OF_SDK: &str = "../..";
const SDK_PACKAGE: &str = "frogbot-piece";
const LOCK: &str = "Cargo.lock";

/// The files of a new piece, with [`Words`] to fill in.
const FILES: [(&str, &str); 7] = [
    ("Cargo.toml", include_str!("../template/package.toml")),
    ("piece.toml", include_str!("../template/piece.toml")),
    ("platform.toml", include_str!("../template/platform.toml")),
    ("README.md", include_str!("../template/README.md")),
    (".gitignore", "/target\n/pieces\n"),
    ("src/lib.rs", include_str!("../template/lib.rs")),
    (
        "tests/conversation.rs",
        include_str!("../template/conversation.rs"),
    ),
];

/// What to start, and where.
#[derive(Clone, Copy, Debug)]
pub struct NewRequest<'a> {
    /// The piece's name, as its manifest may have it.
    pub name: &'a str,
    /// The folder in which the piece's folder is made; made itself if it is not there.
    pub into: &'a Path,
    /// The folder of the SDK for Rust; none: the one of the checkout that this program was built from.
    pub sdk: Option<&'a Path>,
}

/// What was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Started {
    /// The piece's folder.
    pub folder: PathBuf,
    /// The SDK that it builds against.
    pub sdk: PathBuf,
}

/// Why nothing was made.
#[derive(Debug, thiserror::Error)]
pub enum NewProblem {
    /// A piece cannot be called that.
    #[error("{0}")]
    Name(Problem),
    /// There is something already.
    #[error(
        "{} is already there; choose another name, another folder with --into, or remove it",
        .0.display()
    )]
    Exists(PathBuf),
    /// There is no SDK to build against.
    #[error(
        "the SDK is not in {}: {why}; it is not published, so clone FrogBot's repository and name its folder with --sdk <checkout>/sdk/rust",
        folder.display()
    )]
    NoSdk {
        /// Where it was looked for.
        folder: PathBuf,
        /// What is there instead.
        why: String,
    },
    /// The folder's packages belong to FrogBot's own workspace.
    #[error(
        "packages in {} belong to FrogBot's own workspace; make the piece elsewhere with --into",
        .0.display()
    )]
    InsideWorkspace(PathBuf),
    /// A file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// Makes the folder of a new piece.
///
/// # Errors
///
/// See [`NewProblem`]; each says what to do. Nothing that was there is changed.
pub fn new(request: NewRequest<'_>) -> Result<Started, NewProblem> {
    let NewRequest { name, into, sdk } = request;
    check_name(name).map_err(NewProblem::Name)?;
    let sdk = find_sdk(sdk.unwrap_or_else(|| Path::new(SDK_OF_CHECKOUT)))?;
    let folder = into.join(name);
    if folder.exists() {
        return Err(NewProblem::Exists(folder));
    }
    create_folder(into)?;
    let root = sdk.join(ROOT_OF_SDK);
    if is_in_workspace(into, &root) {
        return Err(NewProblem::InsideWorkspace(into.to_owned()));
    }
    let words = Words::of(name, &sdk);
    for (path, text) in FILES {
        write(&folder.join(path), words.fill(text).as_bytes())?;
    }
    // Without one, cargo chooses: a checkout that was packed without its lock file still builds.
    if let Ok(lock) = std::fs::read(root.join(LOCK)) {
        write(&folder.join(LOCK), &lock)?;
    }
    Ok(Started { folder, sdk })
}

/// What stands in the template in the place of what is the piece's own.
struct Words([(&'static str, String); 4]);

impl Words {
    fn of(name: &str, sdk: &Path) -> Self {
        // Never a word of the language or the name of a crate that everybody uses.
        let package = format!("{name}-piece");
        Self([
            ("PIECE_CRATE", package.replace('-', "_")),
            ("PIECE_PACKAGE", package),
            ("PIECE_NAME", name.to_owned()),
            ("PIECE_SDK", in_toml(sdk)),
        ])
    }

    fn fill(&self, text: &str) -> String {
        let Self(words) = self;
        words
            .iter()
            .fold(text.to_owned(), |text, (word, value)| text.replace(word, value))
    }
}

/// A path as the inside of a TOML string in double quotes.
fn in_toml(path: &Path) -> String {
    let escaped = |char: char| match char {
        '"' | '\\' => vec!['\\', char],
        _ => vec![char],
    };
    path.display().to_string().chars().flat_map(escaped).collect()
}

fn find_sdk(folder: &Path) -> Result<PathBuf, NewProblem> {
    let no_sdk = |why: String| NewProblem::NoSdk {
        folder: folder.to_owned(),
        why,
    };
    let text = std::fs::read_to_string(folder.join("Cargo.toml"))
        .map_err(|error| no_sdk(format!("its Cargo.toml cannot be read ({error})")))?;
    let package = text.parse::<toml::Table>().ok();
    let name = package
        .as_ref()
        .and_then(|table| table.get("package")?.get("name")?.as_str());
    if name != Some(SDK_PACKAGE) {
        return Err(no_sdk(format!("this is not the package `{SDK_PACKAGE}`")));
    }
    folder
        .canonicalize()
        .map_err(|error| no_sdk(format!("it cannot be followed ({error})")))
}

/// Whether the workspace at `root` takes every package directly below `folder` for its own.
fn is_in_workspace(folder: &Path, root: &Path) -> bool {
    let members = std::fs::read_to_string(root.join("Cargo.toml"))
        .ok()
        .and_then(|text| text.parse::<toml::Table>().ok())
        .and_then(|table| table.get("workspace")?.get("members")?.as_array().cloned())
        .unwrap_or_default();
    let Ok(folder) = folder.canonicalize() else {
        return false;
    };
    members
        .iter()
        .filter_map(|member| member.as_str()?.strip_suffix("/*"))
        .any(|parent| {
            root.join(parent)
                .canonicalize()
                .is_ok_and(|parent| parent == folder)
        })
}

fn create_folder(path: &Path) -> Result<(), NewProblem> {
    std::fs::create_dir_all(path).map_err(|source| NewProblem::File {
        path: path.to_owned(),
        source,
    })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), NewProblem> {
    if let Some(folder) = path.parent() {
        create_folder(folder)?;
    }
    std::fs::write(path, bytes).map_err(|source| NewProblem::File {
        path: path.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use frogbot_manifest::Manifest;

    use super::{FILES, NewProblem, NewRequest, SDK_OF_CHECKOUT, Started, Words, in_toml, new};

    fn start(name: &str, into: &Path, sdk: Option<&Path>) -> Result<Started, NewProblem> {
        new(NewRequest { name, into, sdk })
    }

    #[test]
    fn new_piece_has_a_valid_manifest_and_names_the_sdk() {
        let into = tempfile::tempdir().unwrap();
        let started = start("weather", into.path(), None).unwrap();
        assert_eq!(started.folder, into.path().join("weather"));
        let manifest = std::fs::read_to_string(started.folder.join("piece.toml")).unwrap();
        assert_eq!(Manifest::from_toml(&manifest).unwrap().name, "weather");
        let package = std::fs::read_to_string(started.folder.join("Cargo.toml")).unwrap();
        let package: toml::Table = package.parse().unwrap();
        let sdk = package["dependencies"]["frogbot-piece"]["path"].as_str().unwrap();
        assert_eq!(Path::new(sdk), Path::new(SDK_OF_CHECKOUT).canonicalize().unwrap());
        assert_eq!(package["package"]["name"].as_str(), Some("weather-piece"));
    }

    #[test]
    fn every_word_of_the_template_is_filled_in() {
        let words = Words::of("weather", Path::new("/sdk"));
        for (path, text) in FILES {
            let filled = words.fill(text);
            assert!(!filled.contains("PIECE_"), "{path}:\n{filled}");
        }
    }

    #[test]
    fn name_that_no_manifest_may_have_is_refused() {
        let into = tempfile::tempdir().unwrap();
        for name in ["", "Weather", "1st", "a_b", "../x", "a/b", &"a".repeat(41)] {
            let problem = start(name, into.path(), None).unwrap_err();
            assert!(matches!(problem, NewProblem::Name(_)), "{name}: {problem}");
        }
        assert_eq!(into.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn what_is_there_is_left_alone() {
        let into = tempfile::tempdir().unwrap();
        std::fs::create_dir(into.path().join("weather")).unwrap();
        let problem = start("weather", into.path(), None).unwrap_err();
        assert!(matches!(problem, NewProblem::Exists(_)), "{problem}");
    }

    #[test]
    fn sdk_that_is_not_there_is_named_with_what_to_do() {
        let into = tempfile::tempdir().unwrap();
        let other = Path::new(env!("CARGO_MANIFEST_DIR"));
        for folder in [into.path(), other] {
            let problem = start("weather", into.path(), Some(folder)).unwrap_err();
            assert!(
                problem.to_string().contains("--sdk <checkout>/sdk/rust"),
                "{problem}"
            );
        }
    }

    #[test]
    fn folder_of_our_own_workspace_is_refused() {
        let pieces = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../pieces");
        let problem = start("never-made", &pieces, None).unwrap_err();
        assert!(matches!(problem, NewProblem::InsideWorkspace(_)), "{problem}");
        assert!(!pieces.join("never-made").exists());
    }

    #[test]
    fn path_stays_one_string() {
        assert_eq!(in_toml(Path::new("/a\"b\\c")), "/a\\\"b\\\\c");
    }
}
