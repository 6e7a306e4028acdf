//! Pieces are replaced, refused, taken away and brought back while the host runs.

use std::fs;

use frogbot_manifest::{Example, Happens, Manifest, SECTION};
use futures_util::future::join_all;
use tests::host_process::{Answered, LIMIT, Line, post};

use super::forum_world::{CROWD, ForumWorld, ONE_QUESTION, THREAD, count};

pub(super) const TOKEN: &str = "admin-token-of-the-tests";
const REFUSED: &str = "a new build is refused; what runs goes on";
/// Another name for what a host is told on a command line: it listens on a port of its own choice.
const FOR_THE_TERMINAL: &str = "terminal.toml";

/// A host with an admin interface and a pieces' folder of its own.
pub(super) async fn world() -> ForumWorld {
    let mut world = ForumWorld::start(ONE_QUESTION).await;
    world.kill().await;
    let folder = world.installation.folder().to_owned();
    fs::create_dir(folder.join("pieces")).unwrap();
    fs::copy(
        world.installation.artifacts().piece("forum"),
        folder.join("pieces/forum.wasm"),
    )
    .unwrap();
    let shared = world.installation.artifacts().pieces.display().to_string();
    let text = fs::read_to_string(folder.join("frogbot.toml")).unwrap();
    let text = text.replace(&format!("dir = \"{shared}\""), "dir = \"pieces\"");
    let text = format!("{text}\n[admin]\ntoken = {{ file = \"admin-token\" }}\n");
    world.installation.write("admin-token", TOKEN).unwrap();
    world.installation.write("frogbot.toml", &text).unwrap();
    world.restart().await;
    world
}

/// The forum's piece with another manifest.
fn build(world: &ForumWorld, change: impl FnOnce(&mut Manifest)) -> Vec<u8> {
    build_of(world, "forum", change)
}

/// A component with the manifest of the forum's piece, changed.
fn build_of(world: &ForumWorld, component: &str, change: impl FnOnce(&mut Manifest)) -> Vec<u8> {
    let read = |name: &str| fs::read(world.installation.artifacts().piece(name)).unwrap();
    let mut manifest = frogbot_manifest::read(&read("forum")).unwrap();
    change(&mut manifest);
    frogbot_manifest::embed(&without_manifest(&read(component)), &manifest).unwrap()
}

/// A component is eight bytes, then sections: an id, a length in LEB128, and so many bytes.
fn without_manifest(component: &[u8]) -> Vec<u8> {
    let (mut kept, mut rest) = (component[..8].to_vec(), &component[8..]);
    while !rest.is_empty() {
        let (mut length, mut head) = (0_usize, 1);
        loop {
            length |= usize::from(rest[head] & 0x7f) << (7 * (head - 1));
            head += 1;
            if rest[head - 1] & 0x80 == 0 {
                break;
            }
        }
        let (section, after) = rest.split_at(head + length);
        let is_manifest = section[0] == 0 && section[head + 1..].starts_with(SECTION.as_bytes());
        if !is_manifest {
            kept.extend_from_slice(section);
        }
        rest = after;
    }
    kept
}

fn version(text: &str) -> impl FnOnce(&mut Manifest) {
    let version = text.parse().unwrap();
    move |manifest| manifest.version = version
}

async fn bring(world: &ForumWorld, build: Vec<u8>) -> Answered {
    let url = format!("http://{}/admin/pieces", world.host().address());
    let authorization = format!("Bearer {TOKEN}");
    post(&url, &[("authorization", &authorization)], build)
        .await
        .unwrap()
}

/// Puts a build into the folder as an operator does it.
fn drop_in(world: &ForumWorld, build: &[u8]) {
    fs::write(world.installation.folder().join("pieces/forum.wasm"), build).unwrap();
}

pub(super) async fn logged(world: &ForumWorld, message: &str, field: &str, part: &str) {
    let says = |line: &Line| {
        let found = line
            .field(field)
            .and_then(|value| value.as_str())
            .unwrap_or_default();
        (line.message() == message && found.contains(part)).then_some(())
    };
    let what = format!("`{message}` with {field} `{part}`");
    let waited = world.host().log().wait_for(&what, LIMIT, says).await;
    waited.unwrap_or_else(|late| panic!("{late}\n{}", world.host().log().text()));
}

/// A whole conversation: whatever was done to the host, it works.
pub(super) async fn works(world: &ForumWorld) {
    let before = world.forum.posts(THREAD);
    let card = world.asked().await;
    assert_eq!(world.press("ben", &card, "Blue").await.status, Some(200));
    let done = |posts: &[_]| {
        ["Answered.", "Blue it is."]
            .iter()
            .all(|text| count(posts, text) == count(&before, text) + 1)
    };
    world.posts_when("an answered question", done).await;
}

#[tokio::test]
async fn a_piece_is_replaced_ten_times_under_clicks_and_nothing_is_lost_refused_or_done_twice() {
    let world = world().await;
    for round in 1..=10 {
        let card = world.asked().await;
        let build = build(&world, version(&format!("0.1.{round}")));
        let clicks = (1..=CROWD).map(|number| {
            let (world, card) = (&world, &card);
            async move { world.press(&format!("u{number}"), card, "Blue").await.status }
        });
        let (answered, clicks) = tokio::join!(bring(&world, build), join_all(clicks));
        assert_eq!(answered.status, 200, "{}", answered.body);
        assert_eq!(clicks, vec![Some(200); CROWD], "round {round}");
        let done = |posts: &[_]| count(posts, "Answered.") >= round && count(posts, "Blue it is.") >= round;
        let posts = world.posts_when("the answer of this round", done).await;
        assert_eq!(count(&posts, "Answered."), round, "{posts:#?}");
        assert_eq!(count(&posts, "Blue it is."), round, "{posts:#?}");
    }
    let lines = world.host().log().lines();
    let replaced = lines.iter().filter(|line| line.message() == "piece replaced");
    let took: Vec<u64> = replaced
        .filter_map(|line| line.field("took_ms")?.as_u64())
        .collect();
    println!("from the bytes to the switch, compiled under load, in ms: {took:?}");
    assert_eq!(took.len(), 10, "{}", world.host().log().text());
}

#[tokio::test]
async fn a_new_file_in_the_folder_is_taken_and_outlives_a_restart() {
    let mut world = world().await;
    drop_in(&world, &build(&world, version("0.2.0")));
    logged(&world, "piece replaced", "to", "0.2.0").await;
    works(&world).await;
    world.kill().await;
    world.restart().await;
    assert_eq!(world.logged("mounted", "version", "0.2.0"), 1);
}

#[tokio::test]
async fn what_is_wrong_wider_older_or_of_another_world_is_refused_and_the_operator_reads_why() {
    let mut world = world().await;
    let whole = build(&world, version("0.3.0"));
    drop_in(&world, &whole[..whole.len() / 2]);
    logged(&world, REFUSED, "reason", "damaged or cut off").await;

    drop_in(
        &world,
        &build(&world, |manifest| {
            let slot = manifest.slots.get_mut("forum").unwrap();
            slot.methods.push("DELETE".to_owned());
        }),
    );
    logged(&world, REFUSED, "reason", "wants the methods DELETE as well").await;

    drop_in(&world, &build(&world, version("0.0.9")));
    logged(&world, REFUSED, "reason", "version 0.0.9 is older than 0.1.0").await;

    drop_in(
        &world,
        &build(&world, |manifest| {
            let slot = manifest.slots.get_mut("forum").unwrap();
            slot.base = "https://elsewhere.example".to_owned();
        }),
    );
    logged(&world, REFUSED, "reason", "https://elsewhere.example").await;

    let other = build(&world, |_| {});
    let named = br#""world":"0.1""#;
    let place = other
        .windows(named.len())
        .position(|bytes| bytes == named)
        .unwrap();
    let mut other = other;
    other[place + named.len() - 2] = b'9';
    drop_in(&world, &other);
    logged(&world, REFUSED, "reason", "world").await;

    drop_in(
        &world,
        &build(&world, |manifest| {
            manifest.examples = vec![Example {
                name: "one".to_owned(),
                happens: Happens::Split {
                    text: "a".to_owned(),
                    parts: 7,
                },
            }];
        }),
    );
    logged(
        &world,
        REFUSED,
        "reason",
        "example 1 (one): expected parts 7, found 1",
    )
    .await;
    works(&world).await;

    // What was refused while the host ran is not let in by a restart.
    drop_in(&world, &build(&world, version("0.0.9")));
    world.kill().await;
    world.restart().await;
    assert_eq!(
        world.logged("mounted", "version", "0.1.0"),
        1,
        "{}",
        world.host().log().text()
    );
    works(&world).await;
}

#[tokio::test]
async fn a_build_whose_first_calls_fail_gives_way_to_the_one_before() {
    let world = world().await;
    let bad = build_of(&world, "hostile", |manifest| {
        manifest.version = "0.2.0".parse().unwrap();
        manifest.examples.clear();
    });
    let answered = bring(&world, bad).await;
    assert_eq!(answered.status, 200, "{}", answered.body);
    for _ in 0..4 {
        world.forum.say(THREAD, "ann", "@frogbot please trap").await;
    }
    logged(
        &world,
        "the new build's first calls failed, so the one before is back; report the reason to the author of the piece",
        "back_to",
        "0.1.0",
    )
    .await;
    works(&world).await;
}

#[tokio::test]
async fn a_piece_that_is_taken_away_takes_its_channel_down_until_it_is_back() {
    let world = world().await;
    let card = world.asked().await;
    let file = world.installation.folder().join("pieces/forum.wasm");
    let kept = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    let down = "channel down: its piece was taken away; its platform is told 503, open questions wait until the file is back";
    logged(&world, down, "channel", "forum").await;
    assert_eq!(world.press("ben", &card, "Blue").await.status, Some(503));

    fs::write(&file, kept).unwrap();
    logged(&world, "piece replaced", "to", "0.1.0").await;
    assert_eq!(world.press("ben", &card, "Blue").await.status, Some(200));
    world.finished("Blue it is.").await;
}

#[tokio::test]
async fn the_operator_installs_from_a_terminal_and_gives_a_word_where_it_is_needed() {
    let world = world().await;
    let folder = world.installation.folder().to_owned();
    let text = fs::read_to_string(folder.join("frogbot.toml")).unwrap();
    let address = world.host().address().to_string();
    let text = text.replace("127.0.0.1:0", &address);
    world.installation.write(FOR_THE_TERMINAL, &text).unwrap();
    let wider = build(&world, |manifest| {
        manifest.version = "0.2.0".parse().unwrap();
        manifest
            .slots
            .get_mut("forum")
            .unwrap()
            .methods
            .push("DELETE".to_owned());
    });
    let file = folder.join("new.wasm").display().to_string();
    fs::write(&file, wider).unwrap();
    let run = async |arguments: &[&str]| {
        let arguments = [arguments, &["--config", FOR_THE_TERMINAL]].concat();
        let finished = world.installation.run(&arguments).await.unwrap();
        (finished.code, finished.output())
    };

    let (code, said) = run(&["piece", "install", &file]).await;
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("wants the methods DELETE as well"), "{said}");
    let (code, said) = run(&["piece", "install", &file, "--grant"]).await;
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("forum: 0.2.0 runs now, instead of 0.1.0"), "{said}");
    works(&world).await;
    let (code, said) = run(&["piece", "list"]).await;
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("forum 0.2.0"), "{said}");
    assert!(said.contains("behind forum: "), "{said}");

    let url = format!("http://{address}/admin/pieces");
    for headers in [vec![], vec![("authorization", "Bearer wrong")]] {
        let answered = post(&url, &headers, "").await.unwrap();
        assert_eq!(answered.status, 401);
    }
    let log = world.host().log().text();
    assert!(!log.contains(TOKEN), "{log}");
}
