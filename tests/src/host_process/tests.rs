//! The harness itself, on a shell that writes what a host would write.

use std::process::Stdio;

use tokio::process::Command;

use super::*;

const LISTENING: &str = r#"{"level":"INFO","fields":{"message":"listening","address":"127.0.0.1:4711"}}"#;

async fn shell(script: &str) -> Result<HostProcess, String> {
    let mut command = Command::new("sh");
    command
        .args(["-c", script])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    HostProcess::start(command).await
}

#[tokio::test]
async fn the_bound_address_is_read_from_the_log() {
    let host = shell(&format!("echo noise; echo '{LISTENING}' >&2; exec sleep 600"))
        .await
        .unwrap();
    assert_eq!(host.channel_url("forum"), "http://127.0.0.1:4711/channels/forum");
    host.kill().await.unwrap();
}

#[tokio::test]
async fn a_host_that_ends_before_it_listens_is_an_error_with_its_words() {
    let error = shell("echo the store is locked >&2; exit 1").await.unwrap_err();
    assert!(error.contains("the store is locked"), "{error}");
}

#[tokio::test]
async fn the_exit_code_is_told_and_a_killed_host_has_none() {
    let until_told = format!("trap 'kill $!; exit 3' TERM; echo '{LISTENING}'; sleep 600 & wait");
    let mut ended = shell(&until_told).await.unwrap();
    ended.terminate().unwrap();
    assert_eq!(ended.ended(LIMIT).await, Ok(Some(3)));
    let mut paused = shell(&format!("echo '{LISTENING}'; exec sleep 600"))
        .await
        .unwrap();
    paused.pause().unwrap();
    assert!(
        paused.ended(Duration::from_millis(50)).await.is_err(),
        "it stands still"
    );
    paused.terminate().unwrap();
    paused.resume().unwrap();
    assert_eq!(paused.ended(LIMIT).await, Ok(None));
}

#[tokio::test]
async fn a_dropped_host_is_dead() {
    let host = shell(&format!("echo '{LISTENING}'; exec sleep 600"))
        .await
        .unwrap();
    let process = format!("/proc/{}/stat", host.pid());
    drop(host);
    let is_dead = || !std::fs::read_to_string(&process).is_ok_and(|stat| !stat.contains(") Z "));
    let dead = async {
        while !is_dead() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LIMIT, dead).await.unwrap();
}

#[tokio::test]
async fn waiting_for_a_line_that_does_not_come_shows_the_log() {
    let host = shell(&format!("echo '{LISTENING}'; exec sleep 600"))
        .await
        .unwrap();
    let never = host
        .log()
        .wait_for("godot", Duration::from_millis(20), |_| None::<()>)
        .await;
    assert!(never.unwrap_err().contains("listening"));
}
