//! The simulated model and its one tool. What it says is numbered by the request that it answers, so that two replies to
//! one request can be told apart wherever they turn up; what it does depends only on the person's word and how far it is.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use lifecycle::Millis;
use ports::models::{ChatMessage, ModelCall, ModelFault, ModelReply, Part, StepRequest};
use ports::tools::{ToolCall, ToolFault, ToolSpec};
use ports::{Models, Tools};
use serde_json::{Value, json};

use crate::broken::Rule;
use crate::cards::ending_of_result;
use crate::facts::{Saw, Step};
use crate::random::{Random, mix};
use crate::world::Universe;

/// The name of the tool.
pub(crate) const LOOK: &str = "look";
/// What a word begins with whose message wants nothing but a reply.
pub(crate) const POKE: char = 'p';
/// How often a question call asks at most, and how many calls a step has at most.
const ITEMS_MAX: u64 = 2;

/// The model as one host reaches it.
pub(crate) struct HostModels {
    pub(crate) world: Arc<Universe>,
    pub(crate) host: u64,
}

/// The tool as one host reaches it.
pub(crate) struct HostTools {
    pub(crate) world: Arc<Universe>,
}

/// The word that names a message.
pub(crate) fn word_of(text: &str) -> &str {
    text.split_whitespace().next_back().unwrap_or_default()
}

/// The number of the request that made this text, label or question.
pub(crate) fn made_by(name: &str) -> Option<usize> {
    let digits: String = name.chars().skip(1).take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// What a request shows of the chat.
fn seen(request: &StepRequest) -> (Vec<String>, BTreeMap<String, Vec<Saw>>) {
    let mut words: Vec<String> = Vec::new();
    let mut turns: BTreeMap<String, Vec<Saw>> = BTreeMap::new();
    for message in &request.messages {
        match message {
            ChatMessage::User { text, .. } => words.push(word_of(text).to_owned()),
            ChatMessage::Assistant(parts) => {
                let word = words.last().cloned().unwrap_or_default();
                turns
                    .entry(word)
                    .or_default()
                    .extend(parts.iter().filter_map(saw));
            }
        }
    }
    (words, turns)
}

fn saw(part: &Part) -> Option<Saw> {
    match part {
        Part::Text(text) => made_by(text).map(Saw::Said),
        Part::Call {
            name, input, result, ..
        } if name == LOOK => {
            let by = input["by"].as_u64().and_then(|by| usize::try_from(by).ok())?;
            let result = result.as_ref().map(|result| match result {
                Ok(value) => value.to_string(),
                Err(error) => format!("error: {error}"),
            });
            Some(Saw::Tool { by, result })
        }
        Part::Call { input, result, .. } => {
            let ask = input["questions"][0]["question"].as_str()?.to_owned();
            let ending = result.as_ref().map(ending_of_result);
            Some(Saw::Asked { ask, ending })
        }
    }
}

impl Saw {
    /// The number of the request that answered with this.
    pub(crate) fn by(&self) -> Option<usize> {
        match self {
            Self::Said(by) | Self::Tool { by, .. } => Some(*by),
            Self::Asked { ask, .. } => made_by(ask),
        }
    }
}

/// The requests whose replies were saved, in order.
pub(crate) fn path(turn: &[Saw]) -> Vec<usize> {
    let mut path: Vec<usize> = turn.iter().filter_map(Saw::by).collect();
    path.dedup();
    path
}

fn reply(number: usize, word: &str, taken: usize, mut random: Random) -> ModelReply {
    let say = |what: &str| format!("s{number} {what} {word}");
    let drawn = random.below(100);
    let more_to_come = !word.starts_with(POKE) && taken < 3;
    if more_to_come && drawn < if taken == 0 { 75 } else { 35 } {
        let count = 1 + random.below(3) * random.below(2);
        let calls = (0..count)
            .map(|index| question(number, index, &mut random))
            .collect();
        let text = if random.chance(500) {
            say("asks")
        } else {
            String::new()
        };
        return ModelReply { text, calls };
    }
    if more_to_come && drawn < 85 {
        let call = ModelCall {
            id: "look".to_owned(),
            name: LOOK.to_owned(),
            input: json!({ "by": number }),
        };
        return ModelReply {
            text: say("looks"),
            calls: vec![call],
        };
    }
    let text = if random.chance(300) {
        format!("{}\n{}", say("nearly"), say("done"))
    } else {
        say("done")
    };
    ModelReply {
        text,
        calls: Vec::new(),
    }
}

fn question(number: usize, index: u64, random: &mut Random) -> ModelCall {
    let name = format!("q{number}.{index}");
    let items = 1 + random.below(ITEMS_MAX);
    let items = (0..items).map(|item| {
        let question = if item == 0 {
            name.clone()
        } else {
            format!("{name}#{item}")
        };
        let options = (0..3).map(|option| json!({ "label": format!("{name}#{item}o{option}") }));
        json!({
            "header": format!("h{item}"),
            "question": question,
            "options": options.collect::<Vec<_>>(),
        })
    });
    let questions: Vec<Value> = items.collect();
    ModelCall {
        id: "ask".to_owned(),
        name: ports::json::QUESTION_TOOL.to_owned(),
        input: json!({ "questions": questions }),
    }
}

impl Models for HostModels {
    async fn step(&self, request: StepRequest) -> Result<ModelReply, ModelFault> {
        let world = &self.world;
        let (words, turns) = seen(&request);
        let word = words.last().cloned().unwrap_or_default();
        let taken = turns.get(&word).map_or(0, |turn| path(turn).len());
        let number = {
            let mut facts = world.facts();
            let number = facts.steps.len();
            let mut key = request.idempotency_key;
            if world.broken == Some(Rule::KeysOfSteps) {
                key[0] ^= u8::try_from(number % 200).unwrap_or(0);
            }
            facts.steps.push(Step { key, words, turns });
            number
        };
        world.note(|| {
            format!(
                "host {}: the model's request {number}, step {taken} for {word}",
                self.host
            )
        });
        let (healed, plan) = (world.is_healed(), &world.plan);
        let (way, fails, late) = world.draw(|random| {
            let slow = !healed && random.chance(plan.model_slow);
            let way = if slow {
                random.millis(20_000, 150_000)
            } else {
                random.millis(50, 1_500)
            };
            (
                way,
                !healed && random.chance(plan.model_fails),
                random.chance(500),
            )
        });
        if fails && !late {
            return Err(transient());
        }
        world.executor.sleep(way).await;
        if fails {
            return Err(transient());
        }
        let seed = word
            .bytes()
            .fold(world.seed, |seed, byte| mix(seed ^ u64::from(byte)));
        let taken_seed = u64::try_from(taken).unwrap_or(0);
        Ok(reply(number, &word, taken, Random::new(mix(seed ^ taken_seed))))
    }
}

fn transient() -> ModelFault {
    ModelFault::Transient {
        reason: "drawn".to_owned(),
        retry_after: None::<Millis>,
    }
}

impl Tools for HostTools {
    fn specs(&self, names: &[String]) -> Vec<ToolSpec> {
        let known = names.iter().filter(|name| *name == LOOK);
        let specs = known.map(|name| ToolSpec {
            name: name.clone(),
            description: "Looks.".to_owned(),
            input_schema: json!({ "type": "object" }),
        });
        specs.collect()
    }

    async fn run(&self, call: ToolCall) -> Result<Result<Value, String>, ToolFault> {
        let world = &self.world;
        let by = call.input["by"].as_u64().and_then(|by| usize::try_from(by).ok());
        let run = {
            let mut facts = world.facts();
            facts
                .tool_runs
                .push((call.idempotency_key, by.unwrap_or_default()));
            facts.tool_runs.len()
        };
        world.note(|| format!("the tool runs for request {by:?}"));
        let healed = world.is_healed();
        let (way, fails) = world.draw(|random| {
            (
                random.millis(10, 2_000),
                !healed && random.chance(world.plan.model_fails),
            )
        });
        world.executor.sleep(way).await;
        if fails {
            return Err(ToolFault("drawn".to_owned()));
        }
        let pause = Duration::from_millis(1);
        world.executor.sleep(pause).await;
        Ok(Ok(json!({ "run": run })))
    }
}
