//! How often a host asks Redis until an answer is recorded: counted by what the server says it was asked.

use storage::servers::RedisServer;
use tests::host_process::LIMIT;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::forum_world::ONE_QUESTION;
use super::hosts::world_on;

/// What a server was asked, line by line.
struct Monitor(Lines<BufReader<TcpStream>>);

impl Monitor {
    async fn start(server: &RedisServer) -> Self {
        let address = server.address();
        let mut stream = TcpStream::connect((address.host.as_str(), address.port))
            .await
            .unwrap();
        stream.write_all(b"MONITOR\r\n").await.unwrap();
        let mut lines = BufReader::new(stream).lines();
        assert_eq!(lines.next_line().await.unwrap().as_deref(), Some("+OK"));
        Self(lines)
    }

    /// The scripts on conversations, up to the first that is given `text`.
    async fn scripts_until(&mut self, text: &str) -> Vec<String> {
        let mut scripts = Vec::new();
        let found = async {
            while let Some(line) = self.0.next_line().await.unwrap() {
                // What a script itself does is shown too, as done by `lua`.
                if line.contains("\"EVALSHA\"") && line.contains("conversation/") {
                    let is_it = line.contains(text);
                    scripts.push(line);
                    if is_it {
                        return true;
                    }
                }
            }
            false
        };
        let found = timeout(LIMIT, found).await;
        assert_eq!(found, Ok(true), "no script with {text}: {scripts:#?}");
        scripts
    }
}

#[tokio::test]
async fn a_click_takes_three_trips_at_most_until_its_answer_is_recorded() {
    let server = RedisServer::start();
    let world = world_on(&server, ONE_QUESTION).await;
    let card = world.asked().await;
    let mut monitor = Monitor::start(&server).await;

    world.press("ben", &card, "Blue").await;

    let scripts = monitor.scripts_until("answered").await;
    assert!(scripts.len() <= 3, "{} trips: {scripts:#?}", scripts.len());
    world.finished("Blue it is.").await;
}
