//! What is told of `[store]`.

use super::{Case, MINIMAL, check};
use crate::config::{LoginPlace, RedisPlace, SecretReference, Store};

pub(super) const CASES: &[Case] = &[
    (
        "[models.fast]",
        "[store]\nkind = \"sqllite\"\n[models.fast]",
        "frogbot.toml:2: store.kind: there is no store `sqllite`; did you mean `sqlite`",
    ),
    (
        "[models.fast]",
        "[store]\nkind = \"memory\"\npath = \"x\"\n[models.fast]",
        "frogbot.toml:3: store.path: a store in memory has no path; remove it, or set `kind = \"sqlite\"`",
    ),
    (
        "[models.fast]",
        "[store]\nkind = \"redis\"\n[models.fast]",
        "frogbot.toml:1: store: `url` is missing: `redis://host:port`, several of them for a cluster or sentinels, or \
            `{ env = \"NAME\" }`",
    ),
    (
        "[models.fast]",
        "[store]\nkind = \"redis\"\nurl = \"redis://:hunter2@cache\"\n[models.fast]",
        "frogbot.toml:3: store.url: a password does not stand in the configuration; write `password = { env = \"NAME\" }`, \
            or the whole `url = { env = \"NAME\" }`",
    ),
    (
        "[models.fast]",
        "[store]\nkind = \"redis\"\nurl = \"http://cache\"\n[models.fast]",
        "frogbot.toml:3: store.url: expected `redis://host:port`, or `rediss://host:port` with TLS; the scheme is `http`",
    ),
    (
        "[models.fast]",
        "[store]\nkind = \"redis\"\nurl = [\"redis://a\", \"rediss://b\"]\n[models.fast]",
        "frogbot.toml:3: store.url: the servers of one store are reached in one way; make schemes and databases the same",
    ),
    (
        "[models.fast]",
        "[store]\nkind = \"redis\"\nurl = []\n[models.fast]",
        "frogbot.toml:3: store.url: expected `redis://host:port`, several of them for a cluster or sentinels, or \
            `{ env = \"NAME\" }`",
    ),
    (
        "[models.fast]",
        "[store]\nkind = \"redis\"\nurl = { env = \"NOBODY\" }\npassword = { file = \"empty\" }\n[models.fast]",
        "frogbot.toml:3: store.url: the environment variable `NOBODY` is not set; set it before the start\n\
            frogbot.toml:4: store.password: the secret's file empty is empty; write the secret into it",
    ),
    (
        "[models.fast]",
        "[store]\nkind = \"redis\"\nurl = \"redis://a\"\npassword = \"hunter2\"\nshards = 0\nnamespace = \"{x}\"\nshard = 1\n[models.fast]",
        "frogbot.toml:4: store.password: a secret does not stand in the configuration; write `{ env = \"NAME\" }` or \
            `{ file = \"path\" }`\n\
            frogbot.toml:5: store.shards: expected 1 to 1024, found 0\n\
            frogbot.toml:6: store.namespace: expected letters, digits, `-`, `_`, `.` and `:`, at most 40\n\
            frogbot.toml:7: store.shard: unknown key; did you mean `shards`",
    ),
    (
        "[models.fast]",
        "[store]\nkind = \"redis\"\nurl = \"redis://a\"\nsentinel_password = { env = \"TOKEN\" }\n[models.fast]",
        "frogbot.toml:1: store: there is a login for sentinels, but no `sentinel`; set it to what they call the master",
    ),
    (
        "[models.fast]",
        "[store]\nkind = \"redis\"\nurl = { env = \"TOKEN\" }\n[models.fast]",
        "frogbot.toml:3: store.url: expected `redis://host:port`, or `rediss://host:port` with TLS; this is no URL of a server",
    ),
];

#[test]
fn a_store_on_redis_becomes_a_plan() {
    let store = "[store]\nkind = \"redis\"\nurl = [\"rediss://ada@a:1\", \"rediss://ada@b:2\"]\nsentinel = \"main\"\n\
                 password = { env = \"TOKEN\" }\nca = \"ca.pem\"\nnamespace = \"bots:one\"\nshards = 7\n";
    let (plan, lines) = check(&format!("{store}{MINIMAL}"));
    let Some(Store::Redis(redis)) = plan.map(|plan| plan.store) else {
        panic!("{lines}")
    };
    assert!(matches!(&redis.place, RedisPlace::Written(urls) if urls.len() == 2 && urls[0].encrypted));
    assert_eq!(redis.sentinel.as_deref(), Some("main"));
    let password = Some(SecretReference::Env("TOKEN".to_owned()));
    assert_eq!(
        redis.login,
        LoginPlace {
            username: None,
            password
        }
    );
    assert!(redis.authorities.is_some_and(|path| path.ends_with("ca.pem")));
    assert_eq!((redis.namespace.as_str(), redis.shards), ("bots:one", 7));
}
