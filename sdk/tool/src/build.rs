//! Makes a piece: from a folder with a `Cargo.toml` and a `piece.toml`, or from a component that another language's tools made and
//! a `piece.toml`, to the one file that an operator installs.

mod component;
mod project;

use std::io;
use std::path::{Path, PathBuf};

use frogbot_manifest::{AuthorProblem, Manifest, Problem, SectionProblem};

pub use crate::command::CommandProblem;
use crate::command::{in_words, run};
use crate::interface::InterfaceProblem;
use crate::progress::{Listener, Progress};
use crate::toolchain::{self, NoToolchain};
use project::Project;

/// What to build, and where to.
pub struct BuildRequest<'a> {
    /// The folder of the piece.
    pub piece: &'a Path,
    /// The component that the tools of another language made; none: the folder's package is compiled.
    pub component: Option<&'a Path>,
    /// The folder for `<name>.wasm`; made if it is not there.
    pub out: &'a Path,
    /// Told of every step and every line that a command prints.
    pub progress: Listener<'a>,
}

/// What was built.
#[derive(Clone, Debug)]
pub struct Built {
    /// The file.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: usize,
    /// The manifest it carries.
    pub manifest: Manifest,
}

/// Why nothing was built.
#[derive(Debug, thiserror::Error)]
pub enum BuildProblem {
    /// A file could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// `read` or `write`.
        action: &'static str,
        /// Which file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// `piece.toml` is not valid.
    #[error("{}: {problem}", path.display())]
    Manifest {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        problem: AuthorProblem,
    },
    /// The folder is not one package that builds a module.
    #[error("{} is no piece: {what}", folder.display())]
    Project {
        /// Which folder.
        folder: PathBuf,
        /// What is missing, and what to do.
        what: String,
    },
    /// There is no way to compile for WebAssembly.
    #[error(transparent)]
    Toolchain(#[from] NoToolchain),
    /// Cargo failed.
    #[error(transparent)]
    Command(#[from] CommandProblem),
    /// What cargo built cannot be made into a component.
    #[error(
        "the module cannot be made into a component: {reason}; does the piece export itself with `export!`"
    )]
    Encode {
        /// What the encoder says.
        reason: String,
    },
    /// The component is not one.
    #[error(transparent)]
    Interface(#[from] InterfaceProblem),
    /// The manifest does not say what the component is.
    #[error("the manifest and the component do not agree:{}", lines(.problems))]
    Disagreement {
        /// Everything they do not agree on, never empty.
        problems: Vec<Problem>,
    },
    /// The manifest cannot be put into the component.
    #[error(transparent)]
    Section(#[from] SectionProblem),
}

/// Builds a piece. What is already built is not built again: cargo decides.
///
/// # Errors
///
/// See [`BuildProblem`]; each says what to do next. Nothing is written unless the whole piece is right.
pub fn build(request: BuildRequest<'_>) -> Result<Built, BuildProblem> {
    let BuildRequest {
        piece,
        component,
        out,
        progress,
    } = request;
    let manifest = project::manifest(piece)?;
    let component = match component {
        Some(path) => read(path)?,
        None => compile(piece, &manifest, progress)?,
    };
    let wasm = component::assemble(&component, &manifest)?;
    let path = out.join(format!("{}.wasm", manifest.name));
    replace(&path, &wasm)?;
    progress(Progress::Step(&format!(
        "wrote {} ({} bytes)",
        path.display(),
        wasm.len()
    )));
    Ok(Built {
        path,
        bytes: wasm.len(),
        manifest,
    })
}

/// The component of the folder's package.
fn compile(piece: &Path, manifest: &Manifest, progress: Listener<'_>) -> Result<Vec<u8>, BuildProblem> {
    let project = Project::find(piece)?;
    component::agree_with_package(manifest, &project.version)?;
    let toolchain = toolchain::find(&project.folder, progress)?;
    let mut cargo = toolchain.cargo_build(&project.folder);
    cargo.args(project.arguments());
    progress(Progress::Step(&format!(
        "building {}: {}",
        project.package,
        in_words(&cargo)
    )));
    run(cargo, progress)?;
    component::encode(&read(&project.module())?)
}

fn read(path: &Path) -> Result<Vec<u8>, BuildProblem> {
    std::fs::read(path).map_err(|source| BuildProblem::File {
        action: "read",
        path: path.to_owned(),
        source,
    })
}

/// Writes beside and renames, so that a host that watches the folder never meets half a piece.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), BuildProblem> {
    let file = |source| BuildProblem::File {
        action: "write",
        path: path.to_owned(),
        source,
    };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(file)?;
    }
    let beside = path.with_extension(format!("wasm.{}.new", std::process::id()));
    std::fs::write(&beside, bytes)
        .and_then(|()| std::fs::rename(&beside, path))
        .map_err(file)
}

/// One problem a line, below the sentence that introduces them.
fn lines(problems: &[Problem]) -> String {
    problems.iter().map(|problem| format!("\n  {problem}")).collect()
}
