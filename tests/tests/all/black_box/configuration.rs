//! What the operator wrote is checked before anything runs, and everything that is wrong is said at once.

use serde_json::Value;
use tests::host_process::Installation;

use super::forum_world::ONE_QUESTION;

/// A key that is misspelt, a secret that is not in the environment, a slot that is not granted.
const WRONG: &str = r#"
[server]
lisen = "127.0.0.1:0"

[models.scripted]
kind = "scripted"
script = "script.toml"

[agents.painter]
model = "scripted"
instructions = "Paint."

[pieces]
dir = "PIECES"

[channels.forum]
piece = "forum"
agent = "painter"
accounts = ["forum"]
secrets.token = { env = "FROGBOT_TEST_TOKEN_THAT_NOBODY_SETS" }
secrets.webhook_secret = { file = "webhook_secret" }
"#;

fn wrong_installation() -> Installation {
    let installation = Installation::new().unwrap();
    installation.write("script.toml", ONE_QUESTION).unwrap();
    installation.write("webhook_secret", "a secret").unwrap();
    let pieces = installation.artifacts().pieces.display().to_string();
    installation
        .write("frogbot.toml", &WRONG.replacen("PIECES", &pieces, 1))
        .unwrap();
    installation
}

fn names_all_three(output: &str) {
    let line_of = |start: &str| WRONG.lines().position(|line| line.starts_with(start)).unwrap() + 1;
    let said = |line: usize, parts: &[&str]| {
        let place = format!("frogbot.toml:{line}:");
        let is = |said: &str| said.contains(&place) && parts.iter().all(|part| said.contains(part));
        assert!(
            output.lines().any(is),
            "no line with {place} and {parts:?} in:\n{output}"
        );
    };
    said(line_of("lisen"), &["lisen", "`listen`"]);
    said(
        line_of("secrets.token"),
        &["token", "FROGBOT_TEST_TOKEN_THAT_NOBODY_SETS"],
    );
    said(
        line_of("[channels.forum]"),
        &[
            "read users, write and edit posts",
            "GET, POST, PATCH on /me, ",
            "`slots.forum = { base = \"https://host\" }`",
        ],
    );
}

#[tokio::test]
async fn check_names_everything_that_is_wrong_with_its_line_and_what_to_do() {
    let checked = wrong_installation()
        .run(&["check", "--config", "frogbot.toml"])
        .await
        .unwrap();
    assert_eq!(checked.code, Some(1), "{}", checked.output());
    names_all_three(&checked.output());
}

#[tokio::test]
async fn serve_refuses_what_check_refuses() {
    let served = wrong_installation()
        .run(&["serve", "--config", "frogbot.toml"])
        .await
        .unwrap();
    assert_eq!(served.code, Some(1), "{}", served.output());
    names_all_three(&served.output());
}

#[tokio::test]
async fn inspect_shows_what_a_piece_wants_without_running_it() {
    let installation = Installation::new().unwrap();
    let piece = installation.artifacts().piece("forum").display().to_string();
    let shown = installation.run(&["piece", "inspect", &piece]).await.unwrap();
    assert_eq!(shown.code, Some(0), "{}", shown.output());
    for part in [
        "forum",
        "0.1.0",
        "token",
        "webhook_secret",
        "/threads/*/posts",
        "PATCH",
    ] {
        assert!(shown.stdout.contains(part), "no `{part}` in:\n{}", shown.stdout);
    }

    let json = installation
        .run(&["piece", "inspect", "--json", &piece])
        .await
        .unwrap();
    assert_eq!(json.code, Some(0), "{}", json.output());
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    assert!(json.to_string().contains("webhook_secret"), "{json:#}");
}
