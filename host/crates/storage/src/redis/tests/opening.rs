//! Servers that documents are not trusted to, each with what to do.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use super::{open, source};
use crate::servers::{RedisSentinel, RedisServer, free_port};
use crate::{
    Login, RedisAddress, RedisDocuments, RedisFault, RedisOpenFault, RedisSettings, RedisTls, Sentinel,
    no_login,
};

async fn refusal(settings: RedisSettings) -> RedisFault {
    match RedisDocuments::open(settings).await {
        Err(RedisOpenFault::Server(fault)) => fault,
        other => panic!("expected a refusal, found {other:?}"),
    }
}

fn login(username: Option<&str>, password: &str) -> crate::LoginSource {
    source(Login {
        username: username.map(str::to_owned),
        password: Some(password.to_owned()),
    })
}

#[tokio::test]
async fn a_server_that_evicts_is_refused() {
    for policy in ["allkeys-lru", "volatile-ttl"] {
        let server = RedisServer::start_with(&["--maxmemory-policy", policy]);
        let fault = refusal(server.settings()).await;
        assert!(matches!(&fault, RedisFault::Evicts { policy: found, .. } if found == policy));
        assert!(fault.to_string().contains("`noeviction`"), "{fault}");
    }
}

#[tokio::test]
async fn a_replica_is_refused_and_names_its_master() {
    let master = RedisServer::start();
    let of = master.address().port.to_string();
    let replica = RedisServer::start_with(&["--replicaof", "127.0.0.1", &of]);
    let fault = refusal(replica.settings()).await;
    assert!(matches!(&fault, RedisFault::Replica { master, .. } if *master == format!("127.0.0.1:{of}")));
}

#[tokio::test]
async fn a_password_that_is_missing_or_wrong_is_told_and_never_shown() {
    let server = RedisServer::start_with(&["--requirepass", "correct-horse"]);
    let without = refusal(server.settings()).await;
    assert!(matches!(without, RedisFault::PasswordWanted { .. }), "{without}");
    assert!(without.to_string().contains("set `store.password`"), "{without}");

    let wrong = refusal(RedisSettings {
        login: login(None, "battery-staple"),
        ..server.settings()
    })
    .await;
    assert!(matches!(wrong, RedisFault::PasswordRefused { .. }), "{wrong}");
    assert!(!format!("{wrong} {wrong:?}").contains("battery"), "{wrong:?}");

    let settings = RedisSettings {
        login: login(Some("default"), "correct-horse"),
        ..server.settings()
    };
    let documents = open(settings).await;
    assert!(!format!("{documents:?}").contains("horse"), "{documents:?}");
}

#[tokio::test]
async fn a_login_that_nobody_knows_is_told() {
    let server = RedisServer::start();
    let fault = refusal(RedisSettings {
        login: std::sync::Arc::new(|| Err("the secret's file is gone".to_owned())),
        ..server.settings()
    })
    .await;
    assert!(fault.to_string().contains("the secret's file is gone"), "{fault}");
}

#[tokio::test]
async fn a_user_that_lacks_a_command_is_found_out_by_a_trial() {
    let server = RedisServer::start();
    server.ask(&[
        "ACL", "SETUSER", "weak", "on", ">pass", "~*", "&*", "+@all", "-unlink",
    ]);
    let fault = refusal(RedisSettings {
        login: login(Some("weak"), "pass"),
        ..server.settings()
    })
    .await;
    assert!(matches!(fault, RedisFault::Trial { .. }), "{fault}");
}

#[tokio::test]
async fn the_rights_that_a_refusal_names_are_enough() {
    let server = RedisServer::start();
    let rights = "~frogbot:* &frogbot:* +@all -@admin -@dangerous +info +cluster|slots";
    let mut command = vec!["ACL", "SETUSER", "host", "on", ">pass"];
    command.extend(rights.split(' '));
    server.ask(&command);
    open(RedisSettings {
        login: login(Some("host"), "pass"),
        ..server.settings()
    })
    .await;
}

#[tokio::test]
async fn an_old_server_is_refused() {
    let fault = refusal(RedisSettings::new(speaking("redis_version:6.2.14"))).await;
    assert!(
        matches!(&fault, RedisFault::Old { found, .. } if found == "6.2.14"),
        "{fault}"
    );
    assert!(fault.to_string().contains("expected 7.0 or newer"), "{fault}");
}

#[tokio::test]
async fn nobody_there_is_told_with_the_address() {
    let port = free_port();
    let address = RedisAddress {
        host: "127.0.0.1".to_owned(),
        port,
    };
    let fault = refusal(RedisSettings::new(address)).await;
    let text = fault.to_string();
    assert!(text.contains(&format!("cannot reach 127.0.0.1:{port}")), "{text}");
}

#[tokio::test]
async fn a_store_of_a_newer_format_or_of_somebody_else_is_refused() {
    let server = RedisServer::start();
    drop(open(server.settings()).await);
    server.ask(&["HSET", "frogbot:{0}:store", "format", "2"]);
    let text = refusal(server.settings()).await.to_string();
    assert!(text.contains("has format 2, this host reads 1"), "{text}");
    server.ask(&["HSET", "frogbot:{0}:store", "format", "1", "shards", "many"]);
    let fault = refusal(server.settings()).await;
    assert!(matches!(fault, RedisFault::Foreign { .. }), "{fault}");
}

#[tokio::test]
async fn sentinels_that_do_not_help_are_told_each_with_its_reason() {
    let (server, servers) = (RedisServer::start(), RedisSentinel::guarded("correct-horse"));
    let with = |master: &str, login| {
        let mut settings = servers.settings();
        settings.addresses.insert(0, server.address());
        settings.sentinel = Some(Sentinel {
            master: master.to_owned(),
            login,
        });
        settings
    };

    let text = refusal(with(RedisSentinel::MASTER, no_login())).await.to_string();
    assert!(text.contains("set `store.sentinel_password`"), "{text}");
    assert!(
        text.contains(&format!("{} is no sentinel", server.address())),
        "{text}"
    );

    let fault = refusal(with("another", login(None, "correct-horse"))).await;
    assert!(matches!(&fault, RedisFault::NoMaster { master, .. } if master == "another"));
    assert!(fault.to_string().contains("does not know it"), "{fault}");

    open(with(RedisSentinel::MASTER, login(None, "correct-horse"))).await;
}

#[tokio::test]
async fn one_database_is_not_another() {
    let server = RedisServer::start();
    drop(open(server.settings()).await);
    open(RedisSettings {
        database: 3,
        shards: 5,
        ..server.settings()
    })
    .await;
    assert_eq!(open(server.settings()).await.shards(), crate::SHARDS_STANDARD);
}

#[tokio::test]
async fn a_certificate_is_checked() {
    let pem = include_bytes!("certificate.pem");
    let folder = tempfile::tempdir().unwrap();
    let [certificate, key] = ["certificate.pem", "key.pem"].map(|name| folder.path().join(name));
    std::fs::write(&certificate, pem).unwrap();
    std::fs::write(&key, include_bytes!("key.pem")).unwrap();
    let [certificate, key] = [&certificate, &key].map(|path| path.to_str().unwrap());
    let server = RedisServer::start_with(&[
        "--tls-port",
        RedisServer::PORT,
        "--tls-cert-file",
        certificate,
        "--tls-key-file",
        key,
        "--tls-ca-cert-file",
        certificate,
        "--tls-auth-clients",
        "no",
    ]);
    let address = RedisAddress {
        host: "localhost".to_owned(),
        port: server.option("--tls-port").unwrap().parse().unwrap(),
    };
    let settings = |tls| RedisSettings {
        tls,
        ..RedisSettings::new(address.clone())
    };

    open(settings(RedisTls::On(Some(pem.to_vec())))).await;
    let unknown = refusal(settings(RedisTls::On(None))).await;
    assert!(matches!(unknown, RedisFault::Unreachable { .. }), "{unknown}");
    let plain = refusal(settings(RedisTls::Off)).await;
    assert!(matches!(plain, RedisFault::Unreachable { .. }), "{plain}");
    let nothing = RedisDocuments::open(settings(RedisTls::On(Some(b"nothing".to_vec())))).await;
    assert!(matches!(nothing, Err(RedisOpenFault::Tls(_))), "{nothing:?}");
    drop(server);
}

/// A server that answers every `INFO` with `line` and knows nothing else.
fn speaking(line: &'static str) -> RedisAddress {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        while let Ok((mut client, _)) = listener.accept() {
            let (mut bytes, mut asked) = ([0; 4_096], 0);
            while let Ok(read @ 1..) = client.read(&mut bytes) {
                asked += bytes[..read].windows(4).filter(|word| word == b"INFO").count();
                while asked > 0 {
                    asked -= 1;
                    client
                        .write_all(format!("${}\r\n{line}\r\n", line.len()).as_bytes())
                        .unwrap();
                }
            }
        }
    });
    RedisAddress {
        host: "127.0.0.1".to_owned(),
        port,
    }
}
