//! What comes in, and replies.

use bytes::Bytes;
use ports::Pieces;
use ports::pieces::{Addressing, Author, AuthorKind, InboundRequest, Interaction, Place};

use super::{Fine, Tried};
use crate::bench::{Bench, CHANNEL, failed};

const SAID: &str = "please paint the shed";

pub(super) async fn connect(bench: &mut Bench) -> Tried {
    if !bench.info.hooks.connect {
        return Ok(Fine::NotTried("it has no `connect`".to_owned()));
    }
    let context = bench.context();
    let account = context.account.clone();
    let connected = bench.runtime.connect(CHANNEL, context).await;
    let connected = connected.map_err(|fault| failed(&fault))?;
    bench.runtime.connected(CHANNEL, &account, &connected.data);
    if connected.summary.is_empty() {
        return Err("its `summary` is empty: an operator would not see whose account it is".to_owned());
    }
    let lacks = connected.lacks.iter().map(|lack| format!("; it lacks: {lack}"));
    Ok(Fine::Noted(format!(
        "{}{}",
        connected.summary,
        lacks.collect::<String>()
    )))
}

pub(super) async fn mention(bench: &mut Bench) -> Tried {
    let request = Bench::request(&bench.board.platform.events.mention, &bench.written(SAID));
    let event = bench.event(request).await?;
    if event.place != Place::Conversation(bench.conversation()) {
        return Err(format!(
            "it is in {:?}; `account`, `room` and `thread` of platform.toml say {:?}",
            event.place,
            bench.conversation()
        ));
    }
    if event.addressing == Addressing::None {
        return Err("its addressing is `none`, so a host would drop it".to_owned());
    }
    let Interaction::Message(message) = event.interaction else {
        return Err("it is no message".to_owned());
    };
    if message.author.kind != AuthorKind::Person {
        return Err(format!(
            "its author is {:?}, so a host would drop it",
            message.author.kind
        ));
    }
    if message.author.id != bench.board.platform.person {
        return Err(format!("its author is `{}`", message.author.id));
    }
    if message.text.trim() != SAID {
        return Err(format!(
            "{SAID:?} was said to the bot, and its text is {:?}",
            message.text
        ));
    }
    identity(bench, &message.author).await
}

/// Where there is `identity`, the person is somebody.
async fn identity(bench: &mut Bench, author: &Author) -> Tried {
    if !bench.info.hooks.identity {
        return Ok(Fine::Kept);
    }
    let (context, conversation) = (bench.context(), bench.conversation());
    let profile = bench.runtime.identity(CHANNEL, context, &conversation, author);
    profile.await.map_err(|fault| failed(&fault)).map(|_| Fine::Kept)
}

pub(super) async fn redelivery(bench: &mut Bench) -> Tried {
    let first = Bench::request(&bench.board.platform.events.mention, &bench.written(SAID));
    let other = Bench::request(&bench.board.platform.events.mention, &bench.written(SAID));
    let id = bench.event(first.clone()).await?.delivery_id;
    let again = bench.event(first).await?.delivery_id;
    if id != again {
        return Err(format!(
            "one delivery is `{id}` and `{again}` when it comes again"
        ));
    }
    if bench.event(other).await?.delivery_id == id {
        return Err(format!(
            "two messages are both the delivery `{id}`: one would be lost"
        ));
    }
    Ok(Fine::Kept)
}

pub(super) async fn own(bench: &mut Bench) -> Tried {
    let Some(rule) = bench.board.platform.events.own.clone() else {
        return Ok(Fine::NotTried("platform.toml has no `events.own`".to_owned()));
    };
    let request = Bench::request(&rule, &bench.written(SAID));
    let received = bench.receive(request).await.map_err(|fault| failed(&fault))?;
    let events = received
        .map_err(|line| format!("`receive` refused it: {line}"))?
        .events;
    let is_a_persons = |event: &ports::pieces::Event| event.interaction.author().kind == AuthorKind::Person;
    match events.iter().any(is_a_persons) {
        true => Err("it would answer itself: the author of its own message is a person".to_owned()),
        false => Ok(Fine::Kept),
    }
}

pub(super) async fn nonsense(bench: &mut Bench) -> Tried {
    let whole = Bench::request(&bench.board.platform.events.mention, &bench.written(SAID));
    let cut = whole.body.slice(..whole.body.len() / 2);
    let deep = Bytes::from("[".repeat(100_000));
    let binary = Bytes::from_static(b"\xff\xfe\0\x80");
    let bodies = [
        ("an empty body", Bytes::new()),
        ("`{}`", Bytes::from_static(b"{}")),
        ("`[]`", Bytes::from_static(b"[]")),
        ("`null`", Bytes::from_static(b"null")),
        ("half a body", cut),
        ("100,000 brackets", deep),
        ("no text", binary),
    ];
    for (what, body) in bodies {
        let request = InboundRequest {
            body,
            ..whole.clone()
        };
        match bench.receive(request).await {
            Ok(Err(_)) => {}
            Ok(Ok(received)) if received.events.is_empty() => {}
            Ok(Ok(_)) => return Err(format!("{what} is an event")),
            Err(fault) => return Err(format!("{what}: {}", failed(&fault))),
        }
    }
    let bare = InboundRequest {
        headers: Vec::new(),
        path: "/nowhere?x=%00".to_owned(),
        ..whole
    };
    bench
        .receive(bare)
        .await
        .map_err(|fault| format!("a request without headers: {}", failed(&fault)))
        .map(|_| Fine::Kept)
}

pub(super) async fn split(bench: &mut Bench) -> Tried {
    let line = "A line with **bold**, <!everyone>, `code` and an é.\n";
    let texts = [
        ("a word", "Yes.".to_owned()),
        ("a text of 20 kB", line.repeat(400)),
        ("a word of 20,000 letters", "ü".repeat(20_000)),
        ("20,000 line ends", "\n".repeat(20_000)),
    ];
    let mut most = 0;
    for (what, text) in texts {
        let parts = bench.split(&text).await;
        let parts = parts.map_err(|fault| format!("{what}: {}", failed(&fault)))?;
        if parts.is_empty() && !text.trim().is_empty() {
            return Err(format!("{what} is no part at all: it would be lost"));
        }
        most = most.max(parts.len());
    }
    Ok(Fine::Noted(format!("at most {most} parts for 20 kB")))
}

pub(super) async fn post(bench: &mut Bench) -> Tried {
    let (context, conversation) = (bench.context(), bench.conversation());
    let posted = bench.runtime.post(CHANNEL, context, &conversation, "Blue it is.");
    let id = posted.await.map_err(|fault| failed(&fault))?.value;
    if !bench.board.has(id.as_str()) {
        return Err(format!("it returned `{id}`, which the platform never gave out"));
    }
    let hooks = bench.info.hooks;
    if hooks.edit {
        let context = bench.context();
        let edited = bench
            .runtime
            .edit(CHANNEL, context, &conversation, &id, "Green it is.");
        edited.await.map_err(|fault| failed(&fault))?;
    }
    if hooks.started {
        let context = bench.context();
        let started = bench.runtime.started(CHANNEL, context, &conversation, Some(&id));
        started.await.map_err(|fault| failed(&fault))?;
    }
    if hooks.remove {
        let context = bench.context();
        let removed = bench.runtime.remove(CHANNEL, context, &conversation, &id);
        removed.await.map_err(|fault| failed(&fault))?;
        if bench.board.has(id.as_str()) {
            return Err("it removed a part, which is still there".to_owned());
        }
    }
    Ok(Fine::Kept)
}
