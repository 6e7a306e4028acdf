//! Playing a story: each line happens, then time passes until nothing moves, then what was seen is written below it.

use std::sync::Arc;
use std::time::Duration;

use lifecycle::Millis;
use models::Script;
use ports::ingress::IngressFault;
use ports::pieces::{HttpReply, InboundRequest, Interaction, Place};
use ports::{Documents, Ingress, Tasks};
use serde_json::Value;
use tokio::time::Instant;

use super::host::{CHANNEL, Surroundings, pass};
use super::pieces::{locator, response};
use super::promises;
use super::stimulus::Stimulus;
use super::story::{Problem, Story};
use super::transcript::lock;

/// How often to look whether something moves.
const LOOK: Duration = Duration::from_millis(10);
/// How long a line lasts at least: longer than the sweep sleeps.
const LINE_MIN: Duration = Duration::from_millis(1_200);
/// How long a line lasts at most, though something is under way.
const LINE_MAX: Duration = Duration::from_millis(4_000);
/// How long time passes in the ordinary way before it jumps to where something is due.
const STRIDE: Duration = Duration::from_secs(100);
/// How long it takes until every series of attempts is at its end.
const HEALING: Duration = Duration::from_secs(8 * 3_600);
/// A response after this long was held until the platform's deadline.
const HELD: Duration = Duration::from_secs(2);

/// Plays a story; returns it as it went, and what is in the store at its end.
pub(super) async fn play(story: Story) -> Result<(String, Vec<(String, Value)>), Problem> {
    let script = Script::parse(&story.script).map_err(|problems| {
        let text: Vec<String> = problems
            .iter()
            .map(|one| format!("script, line {}: {one}", one.line))
            .collect();
        Problem {
            line: 1,
            text: text.join("\n"),
        }
    })?;
    let mut director = Director {
        stage: Surroundings::new(story.setup, script),
        next_host: 0,
    };
    let mut played: Vec<String> = story.head;
    director.settle().await;
    for line in story.lines {
        played.push(line.text);
        if let Some(stimulus) = line.stimulus {
            director.happens(stimulus).await.map_err(|text| Problem {
                line: line.number,
                text,
            })?;
            played.extend(director.seen().await.into_iter().map(|line| format!("> {line}")));
        }
    }
    let stage = &director.stage;
    let documents = stage.seen.documents(&stage.memory).await;
    played.push(String::new());
    Ok((played.join("\n"), documents))
}

/// Plays a story in which a host dies at one point, then lets everything heal; returns the promises that do not hold, and
/// how many points there are. What cannot happen any more, because something else happened before, is left out.
pub(super) async fn survive(story: Story, point: Option<usize>) -> Result<(Vec<String>, usize), Problem> {
    let script = Script::parse(&story.script).map_err(|_| Problem {
        line: 1,
        text: "script".to_owned(),
    })?;
    let mut director = Director {
        stage: Surroundings::new(story.setup, script),
        next_host: 0,
    };
    let stage = Arc::clone(&director.stage);
    point.iter().for_each(|point| stage.faults.crash_at(*point));
    director.settle().await;
    for stimulus in story.lines.into_iter().filter_map(|line| line.stimulus) {
        drop(director.happens(stimulus).await);
    }
    let points = stage.faults.points();
    stage.faults.heal();
    director.wait(HEALING).await;
    director.settle().await;
    stage.set_store_clock();
    let documents = stage.seen.documents(&stage.memory).await;
    Ok((promises::broken(&documents, &stage.platform), points))
}

struct Director {
    stage: Arc<Surroundings>,
    next_host: usize,
}

impl Director {
    async fn happens(&mut self, stimulus: Stimulus) -> Result<(), String> {
        let wait = if let Stimulus::Waits(length) = &stimulus {
            Some(*length)
        } else {
            None
        };
        self.begin(stimulus)?;
        if let Some(length) = wait {
            self.wait(length).await;
        }
        self.settle().await;
        Ok(())
    }

    /// Has something happen, without waiting for what comes of it.
    fn begin(&mut self, stimulus: Stimulus) -> Result<(), String> {
        let stage = Arc::clone(&self.stage);
        let platform = &stage.platform;
        match stimulus {
            Stimulus::Says {
                person,
                thread,
                addressing,
                text,
            } => {
                let event = platform.says(&person, &thread, addressing, &text, stage.now());
                self.deliver(event);
            }
            Stimulus::Presses {
                person,
                label,
                message,
            } => {
                let event = platform.presses(&person, &label, &message)?;
                self.deliver(event);
            }
            Stimulus::CrowdPresses { label, message } => {
                let crowd = lock(&stage.setup).crowd;
                for member in 1..=crowd {
                    let event = platform.presses(&format!("p{member}"), &label, &message)?;
                    self.deliver(event);
                }
            }
            Stimulus::Submits {
                person,
                text,
                form,
                locator,
            } => {
                let event = platform.submits(&person, &text, form, locator)?;
                self.deliver(event);
            }
            Stimulus::Redelivers { times } => {
                let event = platform.last_event().ok_or("nothing was delivered before")?;
                (0..times).for_each(|_| self.deliver(event));
            }
            Stimulus::AtOnce(stimuli) => stimuli.into_iter().try_for_each(|one| self.begin(one))?,
            Stimulus::Waits(_) => {}
            Stimulus::HookFails { hook, times, how } => stage.faults.hook(&hook, times, how),
            Stimulus::Holds(hook) => stage.faults.hold(&hook),
            Stimulus::GoesOn => stage.faults.go_on(),
            Stimulus::Limits { thread, length } => stage.faults.limit(&thread, Instant::now() + length),
            Stimulus::Crashes { host } => stage.crash(host, ""),
            Stimulus::CrashesAt { moment, what } => stage.faults.crash(moment, &what),
            Stimulus::CommitFails { prefix, times, how } => stage.faults.commit(&prefix, times, how),
            Stimulus::ReadsFail { times } => stage.faults.reads(times),
            Stimulus::Removes { person } => {
                lock(&stage.setup).people.retain(|name| *name != person);
                self.restart();
            }
            Stimulus::Adds { person } => {
                lock(&stage.setup).people.push(person);
                self.restart();
            }
            Stimulus::Learns { person } => lock(&stage.setup).strangers.retain(|name| *name != person),
            Stimulus::NewPiece {
                version,
                reads_older_state,
            } => {
                let setup = &mut lock(&stage.setup);
                setup.version = version;
                setup.reads_older_state = reads_older_state;
            }
        }
        Ok(())
    }

    fn restart(&self) {
        (0..self.stage.hosts().len()).for_each(|number| self.stage.replace(number));
    }

    /// Sends an event to the hosts in turn.
    fn deliver(&mut self, event: usize) {
        let hosts = self.stage.hosts();
        let Some(host) = hosts.get(self.next_host % hosts.len().max(1)).cloned() else {
            return;
        };
        self.next_host += 1;
        let stage = Arc::clone(&self.stage);
        let engine = host.engine.clone();
        host.tasks.spawn(Box::pin(async move {
            let mut request = Request {
                stage,
                event,
                answered: false,
            };
            let began = Instant::now();
            let sent = InboundRequest {
                method: "POST".to_owned(),
                path: "/".to_owned(),
                headers: Vec::new(),
                body: event.to_string().into(),
            };
            let answer = engine.take_in(CHANNEL, sent).await;
            request.answered = true;
            request.show(answer, began.elapsed());
        }));
    }

    /// Lets time pass until nothing moves.
    async fn settle(&self) {
        let began = Instant::now();
        loop {
            pass(LOOK).await;
            let lasted = began.elapsed();
            if lasted >= LINE_MAX || (lasted >= LINE_MIN && self.stage.busy() == 0) {
                return;
            }
        }
    }

    /// Lets much time pass: in strides, with jumps to where the store has something due.
    async fn wait(&self, length: Duration) {
        let end = Instant::now() + length;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            pass(left.min(STRIDE)).await;
            let left = end.saturating_duration_since(Instant::now());
            let jump = self.idle_for().await.min(left);
            if jump > STRIDE {
                tokio::time::advance(jump).await;
            }
        }
    }

    /// How long surely nothing happens.
    async fn idle_for(&self) -> Duration {
        if self.stage.busy() > 0 {
            return Duration::ZERO;
        }
        self.stage.set_store_clock();
        match self.stage.memory.due(Millis(0), 1).await {
            Ok(due) if due.awake.is_empty() => due.next.map_or(Duration::MAX, |next| {
                Duration::from_millis((next - due.now).0.saturating_sub(1))
            }),
            Ok(_) | Err(_) => Duration::ZERO,
        }
    }

    /// What was seen since this was asked last.
    async fn seen(&self) -> Vec<String> {
        let shows = lock(&self.stage.setup).shows;
        let mut lines = self.stage.transcript.take();
        self.stage.set_store_clock();
        lines.extend(
            self.stage
                .seen
                .changes(&self.stage.memory, shows.records, shows.chats)
                .await,
        );
        lines
    }
}

/// A request of the platform. One that is dropped without an answer was cut off.
struct Request {
    stage: Arc<Surroundings>,
    event: usize,
    answered: bool,
}

impl Request {
    fn show(&self, answer: Result<HttpReply, IngressFault>, took: Duration) {
        let Some(event) = self.stage.platform.event(self.event) else {
            return;
        };
        let transcript = &self.stage.transcript;
        let person = &event.interaction.author().name;
        let reply = match answer {
            Ok(reply) => reply,
            Err(fault) => return transcript.note(format!("{person}'s event is refused: {fault}")),
        };
        match (response(&reply), &event.interaction) {
            (None, _) if took >= HELD => {
                let tenths = took.as_millis() / 100;
                transcript.note(format!(
                    "{person}'s event is acknowledged after {}.{} s",
                    tenths / 10,
                    tenths % 10
                ));
            }
            (None, _) => {}
            (Some(said), Interaction::Action(action)) if said.starts_with("form ") => {
                let mut parts = said.splitn(3, ' ').skip(1);
                let (field, title) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
                let Place::Conversation(conversation) = &event.place else {
                    return;
                };
                let metadata = locator(conversation, &action.message_id);
                let (thread, from) = (&conversation.thread, &action.message_id);
                self.stage
                    .platform
                    .open_form(person, thread, from, field, title, metadata);
            }
            (Some(said), _) => transcript.note(format!("{person} sees at once: {said}")),
        }
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        if !self.answered
            && let Some(event) = self.stage.platform.event(self.event)
        {
            let person = &event.interaction.author().name;
            self.stage
                .transcript
                .note(format!("{person}'s event gets no answer"));
        }
    }
}
