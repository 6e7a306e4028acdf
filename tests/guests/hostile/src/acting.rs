//! What it does in acting hooks.

use crate::bindings::frogbot::piece::http::{self, Priority, Request};
use crate::bindings::frogbot::piece::types::{Context, Failure, FailureKind};
use crate::bindings::frogbot::piece::{clock, random};
use crate::failed;

/// `send` and `send-all` are followed by a request: slot, method, path, priority, rate key (or `-`), header lines, an
/// empty line, the body. Several requests are parted by a line `--`.
pub(crate) fn identity(context: &Context, command: &str) -> Result<String, Failure> {
    let (command, argument) = command.split_once('\n').unwrap_or((command, ""));
    Ok(match command {
        "context" => format!("{context:?}"),
        "random" => format!("{:?}", random::bytes(40)),
        "clock" => clock::now().to_string(),
        "locate" => crate::pure::locate("C1"),
        "send" => told(&http::send(&request(argument))),
        "send-times" => send_times(argument),
        "send-and-search" => {
            let (wanted, argument) = argument.split_once('\n').unwrap_or((argument, ""));
            let answer = http::send(&request(argument));
            let found = crate::memory::occurrences(wanted.as_bytes());
            std::hint::black_box(&answer);
            found.to_string()
        }
        "send-all" => {
            let requests: Vec<_> = argument.split("\n--\n").map(request).collect();
            http::send_all(&requests)
                .iter()
                .map(told)
                .collect::<Vec<_>>()
                .join("\n")
        }
        "loop" => loop {
            std::hint::black_box(context);
        },
        _ => return Err(failed(FailureKind::Refused, command)),
    })
}

fn send_times(argument: &str) -> String {
    let (times, argument) = argument.split_once('\n').unwrap_or(("0", ""));
    let mut last = String::new();
    for _ in 0..times.parse::<u32>().unwrap_or(0) {
        last = told(&http::send(&request(argument)));
    }
    last
}

fn request(text: &str) -> Request {
    let (head, body) = text.split_once("\n\n").unwrap_or((text, ""));
    let mut lines = head.lines();
    let mut next = || lines.next().unwrap_or_default().to_owned();
    let (slot, method, path) = (next(), next(), next());
    let priority = match next().as_str() {
        "closing" => Priority::Closing,
        "notice" => Priority::Notice,
        _ => Priority::Normal,
    };
    let rate_key = Some(next()).filter(|key| key != "-");
    let header = |line: &str| {
        line.split_once(": ")
            .map(|(name, value)| (name.to_owned(), value.replace("\\n", "\n")))
    };
    Request {
        slot,
        method,
        path,
        headers: lines.filter_map(header).collect(),
        body: if body == "megabyte" {
            vec![b'x'; 1024 * 1024 + 1]
        } else {
            body.as_bytes().to_vec()
        },
        rate_key,
        priority,
    }
}

fn told(result: &Result<http::Response, http::Error>) -> String {
    match result {
        Ok(response) => format!(
            "{} {:?} {}",
            response.status,
            response.headers,
            String::from_utf8_lossy(&response.body)
                .chars()
                .take(500)
                .collect::<String>()
        ),
        Err(error) => format!("{error:?}"),
    }
}

pub(crate) fn failure(kind: &str, reason: &str) -> Failure {
    let kind = match kind {
        "retry" => FailureKind::Retry(Some(1500)),
        "gone" => FailureKind::Gone,
        "perhaps-sent" => FailureKind::PerhapsSent,
        "state-unreadable" => FailureKind::StateUnreadable,
        _ => FailureKind::Refused,
    };
    failed(kind, reason)
}
