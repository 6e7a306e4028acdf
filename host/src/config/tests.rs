//! From small files to exactly the lines that an operator sees.

mod accounts;
mod grants;
mod store;

use std::fs;

use engine::config::PlatformId;
use serde_json::json;

use super::*;

const MINIMAL: &str = "\
[models.fast]
kind = \"scripted\"
script = \"fast.toml\"

[agents.planner]
model = \"fast\"
instructions = \"Ask before you choose.\"
access = \"true\"

[channels.forum]
piece = \"forum\"
agent = \"planner\"
options = { board = \"general\" }
secrets = { signing = { file = \"signing\" }, token = { env = \"TOKEN\" } }
slots.api = { grant = \"https://forum.example\" }
";

/// What `MINIMAL` always has to tell.
const ENV_NOTE: &str = "a secret from the environment changes only with a restart; one in a file is watched";

/// A component with nothing but this manifest, which asks for `base`.
fn piece(base: &str) -> Vec<u8> {
    let manifest = json!({
        "name": "forum", "version": "1.2.3", "world": "0.1", "description": "A forum", "licence": "MIT",
        "hooks": ["identity"],
        "slots": { "api": {
            "base": base, "purpose": "posts", "methods": ["POST"], "paths": ["/posts"],
            "auth": { "kind": "bearer", "secret": "token" },
        } },
        "secrets": { "signing": "signs webhooks", "token": "posts" },
        "verification": {
            "kind": "hmac-sha256", "secret": "signing", "header": "x-signature", "encoding": "hex", "signed": ["body"],
        },
        "options": {
            "board": { "description": "where to post", "type": "string", "required": true },
            "pinned": { "description": "whether to pin", "type": "boolean" },
        },
    });
    let manifest = serde_json::from_value(manifest).unwrap();
    frogbot_manifest::embed(b"\0asm\x0d\0\x01\0", &manifest).unwrap()
}

/// Checks a configuration in a folder of its own; what is shown does not name the folder.
fn check(config: &str) -> (Option<Plan>, String) {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("pieces")).unwrap();
    for (name, base) in [
        ("forum", "https://forum.example/api"),
        ("replaced", "https://forum.example.evil"),
        ("homeless", ""),
    ] {
        fs::write(folder.path().join(format!("pieces/{name}.wasm")), piece(base)).unwrap();
    }
    fs::write(folder.path().join("pieces/broken.wasm"), b"\0asm").unwrap();
    fs::write(folder.path().join("signing"), "s3cret\n").unwrap();
    fs::write(folder.path().join("empty"), "\n").unwrap();
    let tool = "[[tool]]\nname = \"weather\"\ndescription = \"tells it\"\nreturns = 1\n";
    fs::write(
        folder.path().join("fast.toml"),
        format!("[[model]]\nsay = \"hello\"\n{tool}"),
    )
    .unwrap();
    fs::write(folder.path().join("same.toml"), tool).unwrap();
    fs::write(
        folder.path().join("wrong.toml"),
        "[[model]]\nsay = 1\n\n[[model]]\nsays = \"a\"\n",
    )
    .unwrap();
    fs::write(folder.path().join("frogbot.toml"), config).unwrap();
    let environment = |name: &str| match name {
        "TOKEN" => Some("t0ken".to_owned()),
        "EMPTY" => Some(String::new()),
        _ => None,
    };
    let checked = read(&folder.path().join("frogbot.toml"), &environment);
    let prefix = format!("{}/", folder.path().display());
    let lines: Vec<_> = checked
        .problems
        .iter()
        .map(|problem| problem.to_string().replace(&prefix, ""))
        .collect();
    (checked.plan, lines.join("\n"))
}

/// What `MINIMAL` has to tell when `from` is replaced.
fn changed(from: &str, to: &str) -> String {
    assert!(MINIMAL.contains(from), "{from}");
    let (plan, lines) = check(&MINIMAL.replacen(from, to, 1));
    let has_error = lines.lines().any(|line| !line.contains(": note: "));
    assert_eq!(
        plan.is_none(),
        has_error,
        "a plan exactly when there is no error: {lines}"
    );
    lines
        .lines()
        .filter(|line| !line.ends_with(ENV_NOTE))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn configuration_in_order_becomes_a_plan() {
    let (plan, lines) = check(MINIMAL);
    assert_eq!(
        lines,
        format!("frogbot.toml:14: note: channels.forum.secrets.token: {ENV_NOTE}")
    );
    let plan = plan.unwrap();
    assert_eq!(plan.listen.to_string(), "127.0.0.1:8080");
    assert!(matches!(plan.store, Store::Sqlite(path) if path.ends_with("frogbot.db")));
    let channel = &plan.channels["forum"];
    assert_eq!(channel.manifest.version.to_string(), "1.2.3");
    assert_eq!(channel.options["board"], "general");
    let base = channel.grants["api"].base.as_ref().unwrap();
    assert_eq!(base.as_str(), "https://forum.example/api");
    assert_eq!(channel.secrets["token"], SecretReference::Env("TOKEN".to_owned()));
    assert_eq!(plan.engine.policy, lifecycle::Policy::STANDARD);
    assert!(!plan.engine.agents["planner"].questions);
}

#[test]
fn every_section_is_understood() {
    let config = format!(
        "tools = [\"question\"]\n{}{}",
        MINIMAL
            .replace("access = \"true\"", "tools = [\"weather\", \"question\"]")
            .replace(
                "slots.api = { grant = \"https://forum.example\" }",
                "slots.api = { base = \"http://127.0.0.1:1234\", allow_private = [\"127.0.0.1:1234\"] }\n\
             trust_email = true\ntrust_external_email = true\n\
             accounts.T1.secrets.token = { file = \"signing\" }\naccounts.T2 = {}",
            ),
        "[server]\nlisten = \"127.0.0.1:0\"\nshutdown = \"2s\"\n[store]\nkind = \"memory\"\n\
         [[users]]\nid = \"ada\"\nemails = [\"ada@example.org\"]\nplatform_ids = [\"forum:T2/U1:2\"]\n\
         [pieces]\ndir = \"elsewhere\"\nforum.file = \"pieces/forum.wasm\"\n\
         [times]\nhook = \"1s\"\nopen_for = \"20s\"\nqueue_max = 3\nposting = { retries = 2, first_delay = \"20ms\" }\n",
    );
    let (plan, lines) = check(&config);
    let plan = plan.unwrap_or_else(|| panic!("{lines}"));
    let agent = &plan.engine.agents["planner"];
    assert!(agent.questions);
    assert_eq!(agent.tools, ["weather"]);
    assert_eq!(plan.store, Store::Memory);
    assert_eq!(plan.shutdown, Duration::from_secs(2));
    assert_eq!(
        plan.engine.users[0].platform_ids,
        [PlatformId {
            channel: "forum".to_owned(),
            account: "T2".to_owned(),
            id: "U1:2".to_owned(),
        }]
    );
    assert_eq!(plan.engine.channels["forum"].accounts, ["T1", "T2"]);
    assert!(plan.engine.channels["forum"].trust_external_email);
    assert_eq!(plan.engine.times.hook, Duration::from_secs(1));
    assert_eq!(plan.engine.policy.queue_max, 3);
    assert_eq!(plan.engine.policy.posting.retries, 2);
    assert_eq!(plan.engine.policy.posting.first_delay, lifecycle::Millis(20));
    assert_eq!(
        plan.engine.policy.posting.deadline,
        lifecycle::Policy::STANDARD.posting.deadline
    );
    let channel = &plan.channels["forum"];
    assert!(channel.account_secrets["T1"].contains_key("token"));
    assert_eq!(
        channel.grants["api"].base.as_ref().unwrap().as_str(),
        "http://127.0.0.1:1234/"
    );
}

/// What to replace in `MINIMAL`, by what, and what is told then.
type Case = (&'static str, &'static str, &'static str);

const CASES: &[Case] = &[
    (
        "model = \"fast\"",
        "modle = \"fast\"",
        "frogbot.toml:5: agents.planner: `model` is missing: one of `[models]`\n\
            frogbot.toml:6: agents.planner.modle: unknown key; did you mean `model`",
    ),
    (
        "model = \"fast\"",
        "model = 3",
        "frogbot.toml:6: agents.planner.model: expected a text, found a number",
    ),
    (
        "model = \"fast\"",
        "model = \"fats\"",
        "frogbot.toml:6: agents.planner.model: there is no model `fats`; did you mean `fast`",
    ),
    (
        "access = \"true\"",
        "access = \"actor.\"",
        "frogbot.toml:8: agents.planner.access: …",
    ),
    (
        "access = \"true\"",
        "tools = [\"wether\"]\naccess = \"true\"",
        "frogbot.toml:8: agents.planner.tools: there is no tool `wether`; did you mean `weather`",
    ),
    (
        "agent = \"planner\"",
        "agent = \"writer\"",
        "frogbot.toml:12: channels.forum.agent: there is no agent `writer`; known: `planner`",
    ),
    (
        "fast.toml",
        "slow.toml",
        "frogbot.toml:3: models.fast.script: cannot read slow.toml: No such file or directory (os error 2)",
    ),
    (
        "fast.toml",
        "wrong.toml",
        "wrong.toml:2: model 1: invalid type: integer `1`, expected a string in `say`\n\
            wrong.toml:5: model 2: unknown field `says`, expected one of …",
    ),
    (
        "kind = \"scripted\"",
        "kind = \"large\"",
        "frogbot.toml:2: models.fast.kind: there is no kind of model `large`; \
            `scripted` is the one there is",
    ),
    (
        "[models.fast]",
        "[models.same]\nkind = \"scripted\"\nscript = \"same.toml\"\n[models.fast]",
        "frogbot.toml:3: models.same.script: the tool `weather` is defined by the script of `fast`, too; rename one of them",
    ),
    (
        "piece = \"forum\"",
        "piece = \"nobody\"",
        "frogbot.toml:11: channels.forum.piece: cannot read pieces/nobody.wasm: \
            No such file or directory (os error 2); build it with `frogbot piece build`, or name it as `pieces.nobody.file`",
    ),
    (
        "piece = \"forum\"",
        "piece = \"broken\"",
        "frogbot.toml:11: channels.forum.piece: pieces/broken.wasm: this is no WebAssembly…",
    ),
    (
        "options = { board = \"general\" }",
        "",
        "frogbot.toml:10: channels.forum.options.board: `forum` needs it: a text (where to post)",
    ),
    (
        "board = \"general\"",
        "board = 1, bord = 2",
        "frogbot.toml:13: channels.forum.options.board: expected a text (where to post)\n\
            frogbot.toml:13: channels.forum.options.bord: `forum` has no such option; did you mean `board`",
    ),
    (
        "signing = { file = \"signing\" }, ",
        "",
        "frogbot.toml:10: channels.forum.secrets.signing: requests are verified with it \
            (signs webhooks), and without it the channel is down; set `{ env = \"NAME\" }` or `{ file = \"path\" }`",
    ),
    (
        "file = \"signing\"",
        "file = \"gone\"",
        "frogbot.toml:14: channels.forum.secrets.signing: cannot read the secret's file gone: \
            No such file or directory (os error 2); create it, or name another",
    ),
    (
        "file = \"signing\"",
        "file = \"empty\"",
        "frogbot.toml:14: channels.forum.secrets.signing: the secret's file empty is empty; \
            write the secret into it",
    ),
    (
        "{ file = \"signing\" }",
        "\"s3cret\"",
        "frogbot.toml:10: channels.forum.secrets.signing: requests are verified with it \
            (signs webhooks), and without it the channel is down; set `{ env = \"NAME\" }` or `{ file = \"path\" }`\n\
            frogbot.toml:14: channels.forum.secrets.signing: a secret does not stand in the configuration; write \
            `{ env = \"NAME\" }` or `{ file = \"path\" }`",
    ),
    (
        ", token = { env = \"TOKEN\" }",
        "",
        "frogbot.toml:10: channels.forum.secrets.token: `forum` needs it (posts); set \
            `{ env = \"NAME\" }` or `{ file = \"path\" }`",
    ),
    (
        "env = \"TOKEN\"",
        "env = \"NOBODY\"",
        "frogbot.toml:14: channels.forum.secrets.token: the environment variable `NOBODY` is \
            not set; set it before the start",
    ),
    (
        "env = \"TOKEN\"",
        "env = \"EMPTY\"",
        "frogbot.toml:14: channels.forum.secrets.token: the environment variable `EMPTY` is \
            empty; set it before the start",
    ),
    (
        "token = {",
        "tokn = { file = \"signing\" }, token = {",
        "frogbot.toml:14: channels.forum.secrets.tokn: `forum` has no such secret; \
            did you mean `token`",
    ),
    (
        "access = \"true\"\n",
        "",
        "frogbot.toml:11: note: channels.forum.agent: `planner` admits only users, and nobody can be one in this \
            channel; add `platform_ids = [\"forum:<account>/<id>\"]` to a user, set `trust_email = true` with e-mails, or set \
            `agents.planner.access`",
    ),
    (
        "slots.api",
        "trust_external_email = true\nslots.api",
        "frogbot.toml:10: channels.forum: `trust_external_email` has no effect \
            without `trust_email = true`",
    ),
    (
        "[models.fast]",
        "[model.fast]",
        "frogbot.toml:1: model: unknown key; did you mean `models`\n\
            frogbot.toml:6: agents.planner.model: there is no model `fast`",
    ),
    (
        "[models.fast]",
        "[server]\nlisten = \"localhost\"\n[models.fast]",
        "frogbot.toml:2: server.listen: expected an address and a port \
            such as `127.0.0.1:8080`, found \"localhost\"",
    ),
    (
        "[models.fast]",
        "[[users]]\nid = \"ada\"\nplatform_ids = [\"forums:1\", \"2\"]\n[models.fast]",
        "frogbot.toml:3: users 1.platform_ids: expected `<channel>:<account>/<id on the platform>`, or \
            `<channel>:<id>` where the channel has one account, found \"2\"\n\
            frogbot.toml:3: users: platform_ids: there is no channel `forums`; did you mean `forum`",
    ),
    (
        "[models.fast]",
        "[[users]]\nid = \"ada\"\nemails = [\"A@example.org\"]\n[[users]]\nid = \"bob\"\nemails = [\"a@example.org\"]\n[models.fast]",
        "frogbot.toml:4: users: the e-mail \"a@example.org\" of \"bob\" belongs to \"ada\" already; keep it in one entry",
    ),
    (
        "[models.fast]",
        "[times]\nhook = \"25\"\nopen_for = \"400d\"\nqueue_max = 0\nposting.retries = -1\n[models.fast]",
        "frogbot.toml:2: times.hook: expected a length of time such as `20ms`, `30s`, `45m`, `24h` or `30d`, found \"25\"\n\
            frogbot.toml:3: times.open_for: expected 1s to 365d, found 400d\n\
            frogbot.toml:4: times.queue_max: expected 1 to 700, found 0\n\
            frogbot.toml:5: times.posting.retries: expected 0 to 100, found -1",
    ),
    (
        "[models.fast]",
        "[times]\nclosing = { deadline = \"25s\" }\nlease_renewal = \"60s\"\n[models.fast]",
        "frogbot.toml:1: times: `lease_renewal` (60000 ms) must be shorter than `continuing.deadline` (60000 ms)\n\
            frogbot.toml:1: times: `hook` (25000 ms) must be shorter than `closing.deadline` (25000 ms)",
    ),
    (
        "[channels.forum]",
        "[channels.Forum]",
        "frogbot.toml:10: channels.Forum: expected a name of a-z, 0-9, `-` and `_` that begins \
            with a letter, at most 40 long",
    ),
];

#[test]
fn every_problem_is_told_with_its_line_and_what_to_do() {
    let mut wrong = String::new();
    for (from, to, expected) in CASES
        .iter()
        .chain(accounts::CASES)
        .chain(grants::CASES)
        .chain(store::CASES)
    {
        let lines = changed(from, to);
        let fits = lines.lines().count() == expected.lines().count()
            && lines
                .lines()
                .zip(expected.lines())
                .all(|(line, wanted)| match wanted.strip_suffix('…') {
                    // What the parser of another crate says stands at the end of a line and is theirs.
                    Some(start) => line.starts_with(start),
                    None => line == wanted,
                });
        if !fits {
            wrong += &format!("{from} → {to}\nexpected\n{expected}\nfound\n{lines}\n\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_file_that_is_no_toml_is_told_with_what_can_be_read() {
    let lines = changed("model = \"fast\"", "model = \"fats\"\nmodel = ");
    assert!(
        lines.lines().any(|line| line.starts_with("frogbot.toml:7: ")),
        "{lines}"
    );
}

#[test]
fn a_configuration_that_is_not_there_says_how_to_name_one() {
    let checked = read(Path::new("/nowhere/frogbot.toml"), &|_| None);
    assert!(checked.plan.is_none());
    let line = checked.problems[0].to_string();
    assert!(
        line.starts_with("/nowhere/frogbot.toml:1: cannot read the configuration: "),
        "{line}"
    );
    assert!(line.ends_with("name another file with `--config`"), "{line}");
}

#[test]
fn an_empty_configuration_starts_and_says_that_nothing_can_come_in() {
    let (plan, lines) = check("");
    assert!(plan.is_some());
    assert_eq!(
        lines,
        "frogbot.toml:1: note: there is no channel, so nothing can come in; add `[channels.<name>]`"
    );
}
