//! The load tool of others, when it is there: `FROGBOT_SHARED_TOOLS` names the folder with `slack-sim.mjs`, which knows
//! nothing of this host. It needs Node 20 or newer.

use std::path::PathBuf;
use std::process::Stdio;

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::process::Command;

use super::slack_world::slack_installation;

/// How many conversations.
const CONVERSATIONS: u64 = 200;
/// What the tool plays before it counts: it warms up with up to a hundred more.
const WARM_UP: u64 = 100;
const SECRET: &str = "load-secret";

#[tokio::test]
async fn two_hundred_conversations_are_asked_answered_and_continued() {
    let Some(tools) = tools() else {
        eprintln!("FROGBOT_SHARED_TOOLS is not set: the load tool is not run");
        return;
    };
    // The tool binds this port a moment later; nobody else is given it so soon after.
    let api_port = TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let api = format!("http://127.0.0.1:{api_port}");
    let installation = slack_installation(&format!("{api}/api"), SECRET, "T1");
    let host = installation.start().await.unwrap();
    let output = Command::new("node")
        .arg(tools.join("slack-sim.mjs"))
        .args(["--target", &host.channel_url("slack"), "--secret", SECRET])
        .args([
            "--api-port",
            &api_port.to_string(),
            "-n",
            &CONVERSATIONS.to_string(),
        ])
        .args(["--pid", &host.pid().to_string()])
        .stderr(Stdio::inherit())
        .kill_on_drop(true)
        .output()
        .await
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<Value> = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    eprintln!("{text}");
    let done = |phase: &str| {
        lines
            .iter()
            .find(|line| line["phase"] == phase)
            .map(|line| line["done"].clone())
    };
    let total = lines.iter().find(|line| line.get("continued").is_some()).unwrap();
    assert_eq!(done("warm-ask"), Some(WARM_UP.into()), "{text}");
    assert_eq!(done("ask"), Some(CONVERSATIONS.into()), "{text}");
    assert_eq!(done("answer"), Some(CONVERSATIONS.into()), "{text}");
    assert_eq!(total["continued"], CONVERSATIONS, "{text}");
}

#[expect(clippy::disallowed_methods, reason = "where the tools are, nobody else says")]
fn tools() -> Option<PathBuf> {
    std::env::var_os("FROGBOT_SHARED_TOOLS").map(PathBuf::from)
}
