//! The folder of an installation: its configuration, its script, its store.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use tempfile::TempDir;
use tokio::process::Command;
use tokio::time::timeout;

use super::{Artifacts, HostProcess, LIMIT};

/// A folder that hosts are started in, one after the other. Removed when it is dropped.
#[derive(Debug)]
pub struct Installation {
    artifacts: Artifacts,
    folder: TempDir,
    environment: Vec<(String, String)>,
    survives_full_disks: bool,
}

/// A command that has ended.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The exit code; none: killed by a signal.
    pub code: Option<i32>,
    /// What it wrote for programs.
    pub stdout: String,
    /// What it wrote for people.
    pub stderr: String,
}

impl Finished {
    /// Both outputs, for looking for a word.
    pub fn output(&self) -> String {
        format!("{}\n{}", self.stdout, self.stderr)
    }
}

impl Installation {
    /// An empty folder.
    ///
    /// # Errors
    /// There is no binary, or no room.
    pub fn new() -> Result<Self, String> {
        let artifacts = Artifacts::find()?;
        let folder = tempfile::Builder::new()
            .prefix("frogbot-")
            .tempdir()
            .map_err(|error| format!("no temporary folder: {error}"))?;
        Ok(Self {
            artifacts,
            folder,
            environment: Vec::new(),
            survives_full_disks: false,
        })
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The binary and the pieces that it runs.
    pub fn artifacts(&self) -> &Artifacts {
        &self.artifacts
    }

    /// Writes a file of the folder, such as `frogbot.toml`.
    ///
    /// # Errors
    /// The file system's.
    pub fn write(&self, name: &str, content: &str) -> Result<PathBuf, String> {
        let path = self.folder().join(name);
        std::fs::write(&path, content).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(path)
    }

    /// Sets an environment variable of the processes to come.
    pub fn set_environment(&mut self, name: &str, value: &str) {
        self.environment.push((name.to_owned(), value.to_owned()));
    }

    /// The processes to come get an error for a write that is beyond the size a file may have, as for one to a full disk. By
    /// default the kernel kills (`SIGXFSZ`).
    pub fn survive_full_disks(&mut self) {
        self.survives_full_disks = true;
    }

    /// `frogbot serve` on this folder; returns when it takes requests.
    ///
    /// # Errors
    /// It does not get that far; the text has its log.
    pub async fn start(&self) -> Result<HostProcess, String> {
        self.start_with(&[]).await
    }

    /// The same with more environment variables, for this process alone.
    ///
    /// # Errors
    /// It does not get that far; the text has its log.
    pub async fn start_with(&self, environment: &[(&str, &str)]) -> Result<HostProcess, String> {
        let mut command = self.command(&["serve", "--config", "frogbot.toml"]);
        command.envs(environment.iter().copied());
        HostProcess::start(command).await
    }

    /// `frogbot demo` in the threads of this forum; returns when it takes requests.
    ///
    /// # Errors
    /// It does not get that far; the text has its log.
    pub async fn start_demo(&self, forum_url: &str) -> Result<HostProcess, String> {
        let pieces = self.artifacts.pieces.display().to_string();
        let mut command = self.command(&["demo", "--forum", forum_url, "--pieces", &pieces]);
        // Out of the terminal's reach: ctrl-c is for whoever started it, who then ends it in order.
        command.process_group(0);
        HostProcess::start(command).await
    }

    /// Runs a command of the binary to its end.
    ///
    /// # Errors
    /// It does not end.
    pub async fn run(&self, arguments: &[&str]) -> Result<Finished, String> {
        let output = timeout(LIMIT, self.command(arguments).output()).await;
        let output = output
            .map_err(|_| format!("`frogbot {}` still runs after {LIMIT:?}", arguments.join(" ")))?
            .map_err(|error| format!("{}: {error}", self.artifacts.binary.display()))?;
        Ok(Finished {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = if self.survives_full_disks {
            // A program inherits which signals are ignored; the process stays the same.
            let mut shell = Command::new("sh");
            shell.args(["-c", r#"trap '' XFSZ; exec "$0" "$@""#]);
            shell.arg(&self.artifacts.binary);
            shell
        } else {
            Command::new(&self.artifacts.binary)
        };
        command
            .args(arguments)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(self.folder())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }
}
