//! `frogbot check --online`: every piece is loaded and every account connected, on the real platform.
//!
//! Only `connect` is called, which asks the platform who we are and changes nothing there. The store is not opened: a host
//! may be running on it.

use std::collections::BTreeSet;
use std::io::{Write, stdout};
use std::time::Duration;

use anyhow::Context as _;
use engine::{InstallationSecret, Purpose};
use frogbot_manifest::Auth;
use ports::Pieces;
use ports::pieces::{Context, FaultKind, HookFault};
use runtime::{LocatorKey, Runtime, RuntimeConfig};

use super::counted;
use crate::compiling;
use crate::config::{ChannelPlan, Environment, Plan};
use crate::mount::mounted;
use crate::secrets::Secrets;
use crate::world::SystemEntropy;

/// How long the end waits for threads that compile.
const THREADS_MAX: Duration = Duration::from_secs(1);

/// How it went so far.
#[derive(Default)]
struct Tally {
    asked: usize,
    failed: usize,
    lacking: usize,
}

/// Connects every account of every channel, one after the other, and tells what came of it. True when none failed.
///
/// # Errors
/// The standard output is closed; nothing can be run on this machine.
pub(super) fn connect_all(plan: Plan, environment: Environment<'_>) -> anyhow::Result<bool> {
    let executor = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start threads")?;
    let tally = executor.block_on(connect_channels(plan, environment));
    executor.shutdown_timeout(THREADS_MAX);
    let Tally {
        asked,
        failed,
        lacking,
    } = tally?;
    writeln!(
        stdout(),
        "{} asked: {failed} failed, {lacking} not granted everything",
        counted(asked, "account")
    )?;
    Ok(failed == 0)
}

async fn connect_channels(plan: Plan, environment: Environment<'_>) -> anyhow::Result<Tally> {
    // No form is opened here: what would lead back from one is for nobody.
    let locators = InstallationSecret::passing(&SystemEntropy).key(Purpose::ModalLocator);
    let config = RuntimeConfig {
        compiler: compiling::compiler(None),
        ..RuntimeConfig::default()
    };
    let runtime = Runtime::new(config, LocatorKey::new(locators)).context("cannot run pieces")?;
    let (mut secrets, mut tally) = (Secrets::default(), Tally::default());
    let limit = plan.engine.times.hook;
    for (name, channel) in plan.channels {
        let accounts = plan.engine.channels.get(&name).map(|known| &known.accounts);
        let places = Places::of(&name, &channel);
        let setup = mounted(&name, &channel, &mut secrets, environment).setup;
        let info = match runtime.load(setup, channel.piece).await {
            Ok(info) => info,
            Err(problem) => {
                tally.failed += 1;
                say(&format!("{name}: failed: {problem}"))?;
                continue;
            }
        };
        if !info.hooks.connect {
            say(&format!(
                "{name}: loaded; `{}` has no `connect`, so its platform was not asked",
                info.piece
            ))?;
            continue;
        }
        let accounts = accounts.map(Vec::as_slice).unwrap_or_default();
        if accounts.is_empty() {
            say(&format!(
                "{name}: loaded; no account is configured, so its platform was not asked; add \
                 `accounts = [\"<id>\"]` to `[channels.{name}]`"
            ))?;
        }
        for account in accounts {
            connect(&runtime, &places, account, limit, &mut tally).await?;
        }
    }
    Ok(tally)
}

async fn connect(
    runtime: &Runtime,
    places: &Places,
    account: &str,
    limit: Duration,
    tally: &mut Tally,
) -> std::io::Result<()> {
    let context = Context {
        account: account.to_owned(),
        attempt: 1,
        idempotency_key: [0; 16],
        limit,
        reply_within: None,
    };
    let who = format!("{} {account}", places.channel);
    tally.asked += 1;
    match runtime.connect(&places.channel, context).await {
        Ok(connected) => {
            say(&format!("{who}: connected: {}", connected.summary))?;
            tally.lacking += usize::from(!connected.lacks.is_empty());
            for lack in &connected.lacks {
                say(&format!("{who}: not granted: {lack}"))?;
            }
            Ok(())
        }
        Err(fault) => {
            tally.failed += 1;
            say(&format!(
                "{who}: failed: {fault}; {}",
                places.remedy(account, &fault)
            ))
        }
    }
}

/// One line, whatever a piece wrote into it.
fn say(line: &str) -> std::io::Result<()> {
    let clean: String = line
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    writeln!(stdout(), "{clean}")
}

/// Where in the configuration a channel's failures are mended.
struct Places {
    channel: String,
    /// The secrets that its requests carry.
    credentials: BTreeSet<String>,
    /// Those that an account has for itself.
    own: BTreeSet<(String, String)>,
    /// Its slots, with the addresses where they lead.
    slots: Vec<(String, String)>,
}

impl Places {
    fn of(name: &str, channel: &ChannelPlan) -> Self {
        let secret = |auth: &Auth| match auth {
            Auth::None => None,
            Auth::Bearer { secret } | Auth::Header { secret, .. } | Auth::Path { secret, .. } => {
                Some(secret.clone())
            }
        };
        let manifest = &channel.manifest;
        let own = channel
            .account_secrets
            .iter()
            .flat_map(|(account, secrets)| secrets.keys().map(|secret| (account.clone(), secret.clone())));
        let slots = manifest.slots.iter().map(|(id, asked)| {
            let granted = channel.grants.get(id).and_then(|grant| grant.base.as_ref());
            let base = granted.map_or_else(|| asked.base.clone(), ToString::to_string);
            (id.clone(), base)
        });
        Self {
            channel: name.to_owned(),
            credentials: manifest
                .slots
                .values()
                .filter_map(|slot| secret(&slot.auth))
                .collect(),
            own: own.collect(),
            slots: slots.collect(),
        }
    }

    /// What to do about a failure.
    fn remedy(&self, account: &str, fault: &HookFault) -> String {
        let channel = &self.channel;
        match fault.kind {
            FaultKind::Refused => format!(
                "the platform or the host says no: look whether {} and whether the app is installed there with all that it \
                 asks for",
                self.credential(account)
            ),
            FaultKind::Gone => format!(
                "the account is gone, or the app was removed from it: install the app there again, or take {account:?} out \
                 of `channels.{channel}.accounts`"
            ),
            FaultKind::Retry(Some(wait)) => {
                format!("the platform is busy: try again in {} s", wait.0.div_ceil(1_000))
            }
            FaultKind::Retry(None) | FaultKind::PerhapsSent | FaultKind::TimedOut => format!(
                "look whether {} can be reached from this machine, and whether {}; then try again",
                self.addresses(),
                self.credential(account)
            ),
            FaultKind::Trap | FaultKind::Exhausted | FaultKind::Garbage | FaultKind::StateUnreadable => {
                "this is a fault of the piece: put back the version before, and tell its author".to_owned()
            }
            FaultKind::NotLoaded | FaultKind::Busy => "this is a fault of the host: report it".to_owned(),
        }
    }

    fn credential(&self, account: &str) -> String {
        let place = |secret: &String| {
            if self.own.contains(&(account.to_owned(), secret.clone())) {
                format!("`channels.{}.accounts.{account}.secrets.{secret}`", self.channel)
            } else {
                format!("`channels.{}.secrets.{secret}`", self.channel)
            }
        };
        if self.credentials.is_empty() {
            return format!("{account:?} is the account that is meant");
        }
        let places: Vec<String> = self.credentials.iter().map(place).collect();
        format!("{} is the one of {account:?}", places.join(" or "))
    }

    fn addresses(&self) -> String {
        let place =
            |(id, base): &(String, String)| format!("{base} (`channels.{}.slots.{id}`)", self.channel);
        let places: Vec<String> = self.slots.iter().map(place).collect();
        places.join(" and ")
    }
}
