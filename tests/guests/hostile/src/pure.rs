//! What it does in pure hooks.

use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::bindings::exports::frogbot::piece::channel::{Addressing, Event, Happening, Place, Received};
use crate::bindings::frogbot::piece::http::{self, Priority, Request};
use crate::bindings::frogbot::piece::types::{
    Author, AuthorKind, Conversation, InboundRequest, Message, Settings,
};
use crate::bindings::frogbot::piece::{clock, log, modal_locator, random};
use crate::empty_reply;

/// Survives a call only if the host lets it.
static CALLS: AtomicU32 = AtomicU32::new(0);

pub(crate) fn split(settings: &Settings, text: &str) -> Vec<String> {
    let (command, argument) = text.split_once(' ').unwrap_or((text, ""));
    match command {
        "count" => vec![(CALLS.fetch_add(1, Ordering::Relaxed) + 1).to_string()],
        "settings" => vec![
            settings.channel.clone(),
            settings.options.clone(),
            format!("{:?}", settings.connections),
        ],
        "loop" => run_for_ever(),
        "grow" => grow_for_ever(),
        "take" => vec![take(number(argument)).to_string()],
        "clock-moves" => vec![clock_moves().to_string()],
        "trap" => std::process::abort(),
        "recurse" => vec![recurse(number(argument)).to_string()],
        "clock" => vec![clock::now().to_string(), clock::now().to_string()],
        "random" => vec![
            format!("{:?}", random::bytes(40)),
            format!("{:?}", random::bytes(40)),
        ],
        "random-count" => vec![random::bytes(number(argument)).len().to_string()],
        "send" => vec![format!("{:?}", http::send(&request()))],
        "send-all" => vec![format!("{:?}", http::send_all(&[request(), request()]))],
        "log" => log_lines(number(argument), &settings.options),
        "locate" => vec![locate(argument)],
        "parts" => vec!["x".to_owned(); usize::try_from(number(argument)).unwrap_or(0)],
        "bytes" => vec!["x".repeat(usize::try_from(number(argument)).unwrap_or(0))],
        "empty" => vec![" ".to_owned()],
        _ => vec![text.to_owned()],
    }
}

fn number(argument: &str) -> u32 {
    argument.parse().unwrap_or(0)
}

fn run_for_ever() -> ! {
    loop {
        black_box(CALLS.fetch_add(1, Ordering::Relaxed));
    }
}

fn grow_for_ever() -> ! {
    let mut kept = Vec::new();
    loop {
        kept.push(vec![1_u8; 1024 * 1024]);
        black_box(&kept);
    }
}

/// So many mebibytes, and how many of them it got.
fn take(mebibytes: u32) -> usize {
    let kept: Vec<Vec<u8>> = (0..mebibytes).map(|_| vec![1; 1024 * 1024]).collect();
    black_box(kept).len()
}

/// Whether the time changes while it looks.
fn clock_moves() -> bool {
    let first = clock::now();
    (0..100_000).any(|_| clock::now() != first)
}

fn recurse(left: u32) -> u32 {
    let frame = black_box([left; 64]);
    if left == 0 {
        frame[0]
    } else {
        recurse(left - 1) + frame[63]
    }
}

fn request() -> Request {
    Request {
        slot: "api".to_owned(),
        method: "GET".to_owned(),
        path: "/echo".to_owned(),
        headers: Vec::new(),
        body: Vec::new(),
        rate_key: None,
        priority: Priority::Normal,
    }
}

fn log_lines(count: u32, line: &str) -> Vec<String> {
    for n in 0..count {
        log::write(log::Level::Info, &format!("{n}: {line}\u{1b}[31m\nforged line"));
    }
    vec![count.to_string()]
}

pub(crate) fn locate(room: &str) -> String {
    let conversation = Conversation {
        account: "T1".to_owned(),
        room: room.to_owned(),
        thread: String::new(),
    };
    modal_locator::encode(&conversation, "M1")
}

/// The body says what is wrong with the one event, or asks for a trap.
pub(crate) fn receive(settings: &Settings, request: &InboundRequest) -> Result<Received, String> {
    let body = String::from_utf8_lossy(&request.body).into_owned();
    assert!(!body.contains("please trap"), "asked to");
    if body == "unreadable" {
        return Err(format!("unreadable {}", settings.connections.len()));
    }
    let events = usize::from(body != "none") * if body == "101" { 101 } else { 1 };
    Ok(Received {
        reply: empty_reply(if body == "status" { 600 } else { 200 }),
        events: vec![event(&body); events],
    })
}

fn event(body: &str) -> Event {
    let message = Message {
        id: "M1".to_owned(),
        text: if body == "text" {
            "x".repeat(64 * 1024 + 1)
        } else {
            body.to_owned()
        },
        author: Author {
            id: "U1".to_owned(),
            name: "Ada".to_owned(),
            kind: AuthorKind::Person,
            external: false,
        },
        date_sent: None,
        reply_to: None,
        raw: if body == "raw" {
            "{".to_owned()
        } else {
            "{}".to_owned()
        },
    };
    Event {
        delivery_id: match body {
            "delivery" => "x".repeat(257),
            "no-delivery" => String::new(),
            _ => "D1".to_owned(),
        },
        place: Place::Conversation(Conversation {
            account: "T1".to_owned(),
            room: "C1".to_owned(),
            thread: String::new(),
        }),
        addressing: Addressing::Mention,
        happening: Happening::Message(message),
        acknowledgement: empty_reply(200),
        answer_within: if body == "late" { 30_001 } else { 3_000 },
    }
}
