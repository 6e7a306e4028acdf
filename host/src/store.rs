//! Opening the store on Redis: what the configuration refers to, put together for `storage`.

use std::sync::Arc;

use anyhow::{Context, bail};
use runtime::SecretRef;
use storage::{
    Login, LoginSource, RedisAddress, RedisDocuments, RedisSettings, RedisTls, RedisUrl, Sentinel, no_login,
};

use crate::config::{Environment, LoginPlace, RedisPlace, RedisStore};
use crate::secrets::Secrets;

/// Opens the store, and says what to do where that is not possible.
///
/// # Errors
/// See [`storage::RedisOpenFault`]; a secret or a file cannot be read.
pub(crate) async fn open(
    store: &RedisStore,
    secrets: &mut Secrets,
    environment: Environment<'_>,
) -> anyhow::Result<RedisDocuments> {
    let settings = settings(store, secrets, environment)?;
    let documents = RedisDocuments::open(settings)
        .await
        .context("cannot open the store")?;
    tracing::info!(
        shards = documents.shards(),
        namespace = store.namespace,
        "the store is on Redis"
    );
    if documents.shards() != store.shards {
        tracing::info!(
            configured = store.shards,
            "the store keeps the number of shards that it was created with"
        );
    }
    Ok(documents)
}

fn settings(
    store: &RedisStore,
    secrets: &mut Secrets,
    environment: Environment<'_>,
) -> anyhow::Result<RedisSettings> {
    let (urls, in_url) = match &store.place {
        RedisPlace::Written(urls) => (urls.clone(), None),
        RedisPlace::Secret(place) => {
            let secret: SecretRef = secrets.current(place, environment);
            (vec![parse(&secret).map_err(anyhow::Error::msg)?], Some(secret))
        }
    };
    let Some(first) = urls.first() else {
        bail!("`store.url` names no server");
    };
    let address: fn(&RedisUrl) -> RedisAddress = if store.sentinel.is_some() {
        RedisUrl::sentinel
    } else {
        RedisUrl::server
    };
    let login = Logins {
        username: store.login.username.clone().or(first.login.username.clone()),
        password: referred(&store.login, secrets, environment),
        in_url,
    };
    let sentinel = store.sentinel.clone().map(|master| Sentinel {
        master,
        login: Logins {
            username: store.sentinel_login.username.clone(),
            password: referred(&store.sentinel_login, secrets, environment),
            in_url: None,
        }
        .source(),
    });
    Ok(RedisSettings {
        addresses: urls.iter().map(address).collect(),
        sentinel,
        tls: tls(store, first.encrypted)?,
        database: first.database,
        login: login.source(),
        namespace: store.namespace.clone(),
        shards: store.shards,
        ..RedisSettings::new(address(first))
    })
}

fn tls(store: &RedisStore, encrypted: bool) -> anyhow::Result<RedisTls> {
    match (&store.authorities, encrypted) {
        (None, false) => Ok(RedisTls::Off),
        (None, true) => Ok(RedisTls::On(None)),
        (Some(path), true) => {
            let read = std::fs::read(path);
            let pem = read.with_context(|| format!("cannot read `store.ca` ({})", path.display()))?;
            Ok(RedisTls::On(Some(pem)))
        }
        (Some(_), false) => bail!("`store.ca` is of no use without TLS; write `rediss://` in `store.url`"),
    }
}

fn referred(login: &LoginPlace, secrets: &mut Secrets, environment: Environment<'_>) -> Option<SecretRef> {
    let place = login.password.as_ref()?;
    let secret: SecretRef = secrets.current(place, environment);
    Some(secret)
}

fn parse(secret: &SecretRef) -> Result<RedisUrl, String> {
    let secret = secret.current().map_err(|unavailable| unavailable.to_string())?;
    RedisUrl::parse(secret.expose()).map_err(|fault| format!("`store.url`: {fault}"))
}

/// Where a login comes from, asked for every new connection.
struct Logins {
    username: Option<String>,
    password: Option<SecretRef>,
    in_url: Option<SecretRef>,
}

impl Logins {
    fn source(self) -> LoginSource {
        if self.username.is_none() && self.password.is_none() && self.in_url.is_none() {
            return no_login();
        }
        Arc::new(move || self.now())
    }

    fn now(&self) -> Result<Login, String> {
        let in_url = match &self.in_url {
            Some(secret) => parse(secret)?.login,
            None => Login::default(),
        };
        let password = match &self.password {
            Some(secret) => {
                let secret = secret.current().map_err(|unavailable| unavailable.to_string())?;
                Some(secret.expose().to_owned())
            }
            None => in_url.password,
        };
        Ok(Login {
            username: self.username.clone().or(in_url.username),
            password,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SecretReference;

    fn written(urls: &[&str]) -> RedisStore {
        RedisStore {
            place: RedisPlace::Written(urls.iter().map(|url| RedisUrl::parse(url).unwrap()).collect()),
            sentinel: None,
            login: LoginPlace::default(),
            sentinel_login: LoginPlace::default(),
            authorities: None,
            namespace: "frogbot".to_owned(),
            shards: 64,
        }
    }

    fn environment(name: &str) -> Option<String> {
        match name {
            "URL" => Some("rediss://ada:in-url@cache.example/2".to_owned()),
            "PASSWORD" => Some("beside".to_owned()),
            "NONSENSE" => Some("http://hunter2".to_owned()),
            _ => None,
        }
    }

    fn env(name: &str) -> SecretReference {
        SecretReference::Env(name.to_owned())
    }

    fn made(store: &RedisStore) -> RedisSettings {
        settings(store, &mut Secrets::default(), &environment).unwrap()
    }

    #[test]
    fn a_url_that_is_a_secret_brings_its_login() {
        let secret = RedisStore {
            place: RedisPlace::Secret(env("URL")),
            ..written(&[])
        };
        let made = made(&secret);
        assert_eq!(made.addresses[0].to_string(), "cache.example:6379");
        assert_eq!((made.tls, made.database), (RedisTls::On(None), 2));
        let login = (made.login)().unwrap();
        assert_eq!(
            (login.username.as_deref(), login.password.as_deref()),
            (Some("ada"), Some("in-url"))
        );
    }

    #[test]
    fn a_password_beside_the_url_is_used() {
        let store = RedisStore {
            login: LoginPlace {
                username: None,
                password: Some(env("PASSWORD")),
            },
            ..written(&["redis://bob@a", "redis://bob@b:1"])
        };
        let made = made(&store);
        assert_eq!(made.addresses.len(), 2);
        let login = (made.login)().unwrap();
        assert_eq!(
            (login.username.as_deref(), login.password.as_deref()),
            (Some("bob"), Some("beside"))
        );
    }

    #[test]
    fn sentinels_have_a_port_and_a_login_of_their_own() {
        let store = RedisStore {
            sentinel: Some("main".to_owned()),
            sentinel_login: LoginPlace {
                username: Some("watch".to_owned()),
                password: Some(env("PASSWORD")),
            },
            ..written(&["redis://a", "redis://b:7"])
        };
        let made = made(&store);
        let shown: Vec<String> = made.addresses.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["a:26379", "b:7"]);
        assert_eq!((made.login)().unwrap(), Login::default());
        let sentinel = made.sentinel.unwrap();
        let login = (sentinel.login)().unwrap();
        assert_eq!(
            (sentinel.master.as_str(), login.password.as_deref()),
            ("main", Some("beside"))
        );
    }

    #[test]
    fn what_cannot_be_used_says_what_to_do_and_shows_no_secret() {
        let nonsense = RedisStore {
            place: RedisPlace::Secret(env("NONSENSE")),
            ..written(&[])
        };
        let plain = RedisStore {
            authorities: Some("ca.pem".into()),
            ..written(&["redis://a"])
        };
        let refused = |store| match settings(store, &mut Secrets::default(), &environment) {
            Ok(_) => panic!("it is accepted"),
            Err(error) => error.to_string(),
        };
        let text = refused(&nonsense);
        assert!(
            text.contains("the scheme is `http`") && !text.contains("hunter2"),
            "{text}"
        );
        assert!(refused(&plain).contains("write `rediss://`"));
    }
}
