//! Compares everything that names something else with what there is.
//!
//! Each part gives what it could resolve, and notes what it could not; the configuration as a whole is taken only when
//! nothing was noted as an error.

mod agents;
mod channels;
mod grants;
mod people;

use std::collections::BTreeMap;
use std::sync::Arc;

use models::Script;
use storage::RedisUrl;

use super::file::{File, SecretReference};
use super::problem::{At, Problems};
use super::{Environment, Plan};
use crate::secrets::read_secret_file;
use agents::Tools;

/// The largest script, in bytes: some thousand entries.
const SCRIPT_BYTES_MAX: u64 = 1024 * 1024;

/// A check under way.
pub(super) struct Check<'a> {
    pub(super) file: &'a File,
    pub(super) problems: &'a Problems,
    pub(super) environment: Environment<'a>,
}

impl Check<'_> {
    /// Checks everything. None only when an error was noted.
    pub(super) fn plan(&self) -> Option<Plan> {
        let scripts = self.scripts();
        let tools = Tools::of(&scripts, self.problems);
        let agents = self.agents(&tools);
        let users = self.users();
        let channels = self.channels();
        self.secrets_are_there();
        Some(Plan {
            listen: self.file.listen?,
            shutdown: self.file.shutdown,
            store: self.file.store.store.clone(),
            engine: engine::config::Config {
                agents: agents?,
                channels: self.engine_channels()?,
                users,
                policy: self.file.policy,
                times: self.file.times,
            },
            admin_token: self.file.admin_token.as_ref().map(|token| token.value.clone()),
            compiled: self.file.pieces.compiled.clone(),
            scripts: scripts
                .into_iter()
                .map(|(name, script)| (name, script.value))
                .collect(),
            channels: channels?,
        })
    }

    /// The scripts that can be read, each with the line that names it.
    fn scripts(&self) -> BTreeMap<String, At<Arc<Script>>> {
        let mut scripts = BTreeMap::new();
        for (name, model) in &self.file.models {
            let Some(path) = &model.script else {
                continue;
            };
            let shown = path.value.display().to_string();
            let source = match std::fs::metadata(&path.value) {
                Ok(about) if about.len() > SCRIPT_BYTES_MAX => Err(format!(
                    "it has {} bytes, at most {SCRIPT_BYTES_MAX} are read",
                    about.len()
                )),
                Ok(_) => std::fs::read_to_string(&path.value).map_err(|error| error.to_string()),
                Err(error) => Err(error.to_string()),
            };
            match source.map(|source| Script::parse(&source)) {
                Ok(Ok(script)) => {
                    scripts.insert(
                        name.clone(),
                        At {
                            line: path.line,
                            value: Arc::new(script),
                        },
                    );
                }
                Ok(Err(found)) => {
                    for problem in found {
                        self.problems.error_in(&shown, problem.line, problem.text);
                    }
                }
                Err(why) => {
                    self.problems.error(
                        path.line,
                        format!("models.{name}.script: cannot read {shown}: {why}"),
                    );
                }
            }
        }
        scripts
    }

    /// Every secret that is named has a value now.
    fn secrets_are_there(&self) {
        let mut first_env = None;
        for (name, place) in &self.file.store.secrets {
            let wrong = match self.value_of(&place.value) {
                Ok(url) if *name == "url" => RedisUrl::parse(&url).err().map(|fault| fault.to_string()),
                Ok(_) => None,
                Err(why) => Some(why),
            };
            if let Some(why) = wrong {
                self.problems.error(place.line, format!("store.{name}: {why}"));
            }
        }
        if let Some(token) = &self.file.admin_token
            && let Err(why) = self.value_of(&token.value)
        {
            self.problems.error(token.line, format!("admin.token: {why}"));
        }
        for (channel, settings) in &self.file.channels {
            let own = settings
                .secrets
                .iter()
                .map(|(name, place)| (format!("channels.{channel}.secrets.{name}"), place));
            let of_accounts = settings.accounts.iter().flat_map(|(account, secrets)| {
                let path = move |name: &str| format!("channels.{channel}.accounts.{account}.secrets.{name}");
                secrets.iter().map(move |(name, place)| (path(name), place))
            });
            for (path, place) in own.chain(of_accounts) {
                if let Err(why) = self.value_of(&place.value) {
                    self.problems.error(place.line, format!("{path}: {why}"));
                } else if matches!(place.value, SecretReference::Env(_)) {
                    first_env.get_or_insert((place.line, path));
                }
            }
        }
        if let Some((line, path)) = first_env {
            let text = "a secret from the environment changes only with a restart; one in a file is watched";
            self.problems.note(line, format!("{path}: {text}"));
        }
    }

    fn value_of(&self, place: &SecretReference) -> Result<String, String> {
        match place {
            SecretReference::File(path) => read_secret_file(path).map(|secret| secret.expose().to_owned()),
            SecretReference::Env(name) => match (self.environment)(name) {
                Some(value) if !value.trim().is_empty() => Ok(value),
                Some(_) => Err(format!(
                    "the environment variable `{name}` is empty; set it before the start"
                )),
                None => Err(format!(
                    "the environment variable `{name}` is not set; set it before the start"
                )),
            },
        }
    }
}
