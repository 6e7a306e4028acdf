//! `cargo xtask demo`: a forum and a host on free ports, and a conversation between people who are not there.
//!
//! Everything is real but the people and the model: the host is the binary, the piece is the component, and what they say
//! to each other goes over HTTP. The conversation is printed as its readers see it and checked at every step: exit code 1
//! says what was wrong. With `--once` that is all; without, the forum stays up to be answered by hand until ctrl-c.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Duration;

use tests::forum_server::{ForumConfig, ForumServer, Post};
use tests::host_process::{HostProcess, Installation, LIMIT, Line};

const THREAD: &str = "fence";
/// What `frogbot demo` signs and verifies with.
const TOKEN: &str = "demo-forum-token";
const WEBHOOK_SECRET: &str = "demo-webhook-secret";
/// How long one step of the conversation may take before the demonstration has failed.
const STEP: Duration = Duration::from_secs(20);
/// How long the host may take to end; it gives what is under way 30 s.
const END: Duration = Duration::from_secs(35);

/// How the notice begins that a late click gets.
const STALE: &str = "This question is no longer open";
/// What the agent says in the end.
const CONTINUATION: &str = "Sky blue it is, two coats.";

#[tokio::main]
async fn main() -> ExitCode {
    let stays = !std::env::args().skip(1).any(|argument| argument == "--once");
    let page = Page::new(&forum_config());
    let shown = show(&page, stays).await;
    match shown {
        Ok(()) => ExitCode::SUCCESS,
        Err(wrong) => {
            page.line(&page.paint(Paint::Bad, &format!("the demonstration failed: {wrong}")));
            ExitCode::FAILURE
        }
    }
}

async fn show(page: &Page, stays: bool) -> Result<(), String> {
    let (forum, mut host, _installation) = uninterrupted(set_up(page)).await?;
    let mut play = Play {
        page,
        forum: &forum,
        host: &host,
        cards: 0,
        shown: BTreeMap::new(),
    };
    let played = uninterrupted(play.conversation()).await;
    played.map_err(|wrong| format!("{wrong}\n--- the host wrote:\n{}", host.log().text()))?;
    page.remark("Everything came out as it should: one answer, one continuation, every card closed.");
    if stays {
        page.line("");
        page.line(&format!("Your turn: {}", forum.url()));
        page.line(
            "Write `@frogbot paint the door` into a new thread, and answer by a button or by `/answer 1`.",
        );
        page.remark("Stays up until ctrl-c.");
        // An error means that nobody can interrupt it; then it ends at once.
        tokio::signal::ctrl_c().await.ok();
    }
    page.remark("Stopping the host; it finishes what is under way.");
    host.terminate()?;
    match uninterrupted(host.ended(END)).await? {
        Some(0) => Ok(()),
        code => Err(format!(
            "the host ended with {code:?}\n--- it wrote:\n{}",
            host.log().text()
        )),
    }
}

/// Does this until ctrl-c, which ends everything: the processes end as their handles are dropped.
async fn uninterrupted<T>(work: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    tokio::select! {
        done = work => done,
        _ = tokio::signal::ctrl_c() => Err("interrupted".to_owned()),
    }
}

fn forum_config() -> ForumConfig {
    ForumConfig::new(TOKEN, WEBHOOK_SECRET)
}

async fn set_up(page: &Page) -> Result<(ForumServer, HostProcess, Installation), String> {
    let forum = ForumServer::start(forum_config())
        .await
        .map_err(|error| format!("no forum: {error}"))?;
    page.remark(&format!("A forum is up at {}", forum.url()));
    let installation = Installation::new()?;
    page.remark("Starting the host; it compiles its piece first, which takes a few seconds.");
    let host = installation.start_demo(&forum.url()).await?;
    let connected = |line: &Line| (line.message() == "connected").then_some(());
    host.log()
        .wait_for("the connection to the forum", LIMIT, connected)
        .await?;
    forum.set_webhook_url(Some(&host.channel_url("forum")));
    page.remark(&format!(
        "The host takes webhooks at {}",
        host.channel_url("forum")
    ));
    page.line("");
    Ok((forum, host, installation))
}

/// The conversation under way.
struct Play<'a> {
    page: &'a Page,
    forum: &'a ForumServer,
    host: &'a HostProcess,
    /// How many cards were waited for.
    cards: usize,
    /// What was printed of each post, by its id.
    shown: BTreeMap<String, Post>,
}

impl Play<'_> {
    async fn conversation(&mut self) -> Result<(), String> {
        self.says("ann", "@frogbot paint the fence, please").await;
        let first = self.card("Which color?").await?;

        self.says("ann", "/answer 7").await;
        self.expect("the wrong answer is rejected", |posts| {
            count(posts, "Reply with a number from 1 to 2.") == 1
        })
        .await?;

        self.says("ann", "/answer 2").await;
        let second = self.card("How many coats?").await?;

        self.presses("ben", &first, "Barn red").await?;
        self.expect("the late click on the first question is stale", |posts| {
            count(posts, STALE) == 1
        })
        .await?;

        self.presses("ben", &second, "two coats").await?;
        self.expect("both cards are closed", |posts| count(posts, "Answered.") == 2)
            .await?;
        self.expect("the agent continues", |posts| count(posts, CONTINUATION) == 1)
            .await?;

        self.presses("ann", &second, "one coat").await?;
        self.expect("the late click on the last question is stale", |posts| {
            count(posts, STALE) == 2
        })
        .await?;
        self.expect("nothing was answered or continued twice", |posts| {
            let is_open = |post: &Post| !post.buttons.is_empty();
            !posts.iter().any(is_open) && count(posts, CONTINUATION) == 1 && count(posts, "Barn red") == 0
        })
        .await
    }

    async fn says(&mut self, who: &str, text: &str) {
        self.forum.say(THREAD, who, text).await;
        self.print_changes();
    }

    async fn presses(&mut self, who: &str, card: &Post, label: &str) -> Result<(), String> {
        let button = card.buttons.iter().find(|button| button.label == label);
        let button = button.ok_or_else(|| format!("the card has no button `{label}`: {card:?}"))?;
        let question = card.text.lines().next().unwrap_or_default();
        let pressed = format!(
            "presses {} of \"{question}\"",
            self.page.paint(Paint::Button, &format!("[{label}]"))
        );
        self.page.speech(who, &pressed);
        let delivered = self.forum.press(THREAD, who, &card.id, &button.id).await;
        self.print_changes();
        if delivered.is_success() {
            Ok(())
        } else {
            Err(format!("the host answered a click with {delivered:?}"))
        }
    }

    /// Waits for an open card that asks `question`, until it is on record: people are not as fast as these.
    async fn card(&mut self, question: &str) -> Result<Post, String> {
        let is = |post: &Post| post.text.starts_with(question) && !post.buttons.is_empty();
        self.expect(question, |posts| posts.iter().any(is)).await?;
        self.cards += 1;
        self.host.log().wait_for_cards(self.cards, STEP).await?;
        let posts = self.forum.posts(THREAD);
        posts
            .into_iter()
            .find(is)
            .ok_or_else(|| format!("the card \"{question}\" is gone again"))
    }

    /// Waits until the thread fulfils a condition, and prints what has happened meanwhile.
    async fn expect(&mut self, what: &str, condition: impl Fn(&[Post]) -> bool) -> Result<(), String> {
        let waited = self.forum.wait_for(THREAD, condition, STEP).await;
        self.print_changes();
        waited
            .map(drop)
            .map_err(|late| format!("expected that {what}: {late}"))
    }

    fn print_changes(&mut self) {
        for post in self.forum.posts(THREAD) {
            match self.shown.insert(post.id.clone(), post.clone()) {
                None => self.page.post(&post),
                Some(before) if before.edits < post.edits => self.page.edit(&before, &post),
                Some(_) => {}
            }
        }
    }
}

fn count(posts: &[Post], text: &str) -> usize {
    posts.iter().filter(|post| post.text.starts_with(text)).count()
}

/// Where the conversation is printed.
struct Page {
    colors: bool,
    /// What people are called, by their ids.
    names: BTreeMap<String, String>,
}

/// What something is printed as.
#[derive(Clone, Copy)]
enum Paint {
    Name,
    Button,
    Quiet,
    Bad,
}

impl Page {
    fn new(forum: &ForumConfig) -> Self {
        let names = forum
            .users
            .iter()
            .map(|user| (user.id.clone(), user.name.clone()));
        Self {
            colors: std::io::stdout().is_terminal(),
            names: names.collect(),
        }
    }

    fn paint(&self, paint: Paint, text: &str) -> String {
        let code = match paint {
            Paint::Name => "1",
            Paint::Button => "36",
            Paint::Quiet => "2",
            Paint::Bad => "31",
        };
        if self.colors {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }

    #[expect(clippy::print_stdout, reason = "the demonstration is for whoever started it")]
    fn line(&self, text: &str) {
        println!("{text}");
    }

    fn remark(&self, text: &str) {
        self.line(&self.paint(Paint::Quiet, &format!("· {text}")));
    }

    /// What somebody says, its further lines below the first.
    fn speech(&self, who: &str, text: &str) {
        let name = self.names.get(who).map_or(who, String::as_str);
        let mut name = format!("{name:>8}");
        for line in text.lines() {
            self.line(&format!("{}  {line}", self.paint(Paint::Name, &name)));
            name = " ".repeat(name.len());
        }
    }

    fn post(&self, post: &Post) {
        if post.buttons.is_empty() {
            return self.speech(&post.author, &post.text);
        }
        let labels = post
            .buttons
            .iter()
            .map(|button| self.paint(Paint::Button, &format!("[{}]", button.label)));
        let lines = post.text.lines().map(|line| format!("│ {line}"));
        let buttons = format!("└ {}", labels.collect::<Vec<_>>().join(" "));
        let card: Vec<String> = lines.chain([buttons]).collect();
        self.speech(&post.author, &card.join("\n"));
    }

    fn edit(&self, before: &Post, after: &Post) {
        let question = before.text.lines().next().unwrap_or_default();
        let gone = if after.buttons.is_empty() {
            ", and its buttons are gone"
        } else {
            ""
        };
        let what = self.paint(
            Paint::Quiet,
            &format!("(\"{question}\" now reads \"{}\"{gone})", after.text),
        );
        self.speech(&after.author, &what);
    }
}
