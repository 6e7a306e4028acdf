//! The scripted models.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ports::models::{ChatMessage, ModelCall, ModelFault, ModelReply, Part, StepRequest};
use ports::{Clock, Models};
use serde_json::Value;

use crate::script::{Does, Rule, Script, When, WhenResult};
use crate::template::last_text;

/// Models that play scripts, by their configured names.
#[derive(Debug)]
pub struct ScriptedModels<C> {
    scripts: BTreeMap<String, Arc<Script>>,
    clock: Arc<C>,
}

impl<C: Clock> ScriptedModels<C> {
    /// One model for each script; `clock` measures how long the steps take.
    pub fn new(scripts: BTreeMap<String, Arc<Script>>, clock: Arc<C>) -> Self {
        Self { scripts, clock }
    }
}

impl<C: Clock> Models for ScriptedModels<C> {
    async fn step(&self, request: StepRequest) -> Result<ModelReply, ModelFault> {
        let model = &request.model;
        let script = self
            .scripts
            .get(model)
            .ok_or_else(|| ModelFault::Permanent(format!("there is no model `{model}`")))?;
        let turn = Turn::of(&request);
        let (index, rule) = script
            .rules
            .iter()
            .enumerate()
            .find(|(_, rule)| rule.when.holds(&request, &turn))
            .ok_or_else(|| ModelFault::Permanent(turn.unscripted(model)))?;
        if rule.takes_ms > 0 {
            self.clock.sleep(Duration::from_millis(rule.takes_ms)).await;
        }
        rule.play(index + 1, &request)
    }
}

impl Rule {
    fn play(&self, number: usize, request: &StepRequest) -> Result<ModelReply, ModelFault> {
        if self.failures.is_due() {
            let reason = format!("model {number} of the script fails this time");
            return Err(ModelFault::Transient {
                reason,
                retry_after: None,
            });
        }
        let (say, calls) = match &self.does {
            Does::Refuse(text) => return Err(ModelFault::Permanent(text.clone())),
            Does::Reply { say, calls } => (say, calls),
        };
        let text = say.fill(&request.messages).map_err(|header| {
            ModelFault::Permanent(format!(
                "model {number} of the script says {{answer:{header}}}, and no question of this chat with the header \
                 {header:?} is answered"
            ))
        })?;
        let calls = calls.iter().map(|call| ModelCall {
            id: call.id.clone(),
            name: call.tool.clone(),
            input: call.input.clone(),
        });
        Ok(ModelReply {
            text,
            calls: calls.collect(),
        })
    }
}

/// What the turn has done before this step: the calls of the assistant message that is being continued.
struct Turn<'a>(Vec<(&'a str, Option<&'a Result<Value, String>>)>);

impl<'a> Turn<'a> {
    fn of(request: &'a StepRequest) -> Self {
        let parts = match request.messages.last() {
            Some(ChatMessage::Assistant(parts)) => parts.as_slice(),
            Some(ChatMessage::User { .. }) | None => &[],
        };
        let calls = parts.iter().filter_map(|part| match part {
            Part::Call { name, result, .. } => Some((name.as_str(), result.as_ref())),
            Part::Text(_) => None,
        });
        Self(calls.collect())
    }

    fn latest_result(&self, tool: &str) -> Option<&'a Result<Value, String>> {
        let calls = self.0.iter().rev();
        calls
            .filter(|(name, _)| *name == tool)
            .find_map(|(_, result)| *result)
    }

    /// Why there is no step; says where in the turn, and nothing of what people wrote.
    fn unscripted(&self, model: &str) -> String {
        let made: Vec<_> = self.0.iter().map(|(name, _)| *name).collect();
        let made = if made.is_empty() {
            "none".to_owned()
        } else {
            made.join(", ")
        };
        format!(
            "no [[model]] entry in the script of `{model}` matches this step (calls of this turn so far: {made})"
        )
    }
}

impl When {
    fn holds(&self, request: &StepRequest, turn: &Turn<'_>) -> bool {
        let text = last_text(&request.messages);
        let offered = |name: &String| request.tools.iter().any(|tool| tool.name == *name);
        self.text_contains
            .as_ref()
            .is_none_or(|part| text.contains(part.as_str()))
            && self.text_equals.as_ref().is_none_or(|whole| text == whole)
            && self.calls.is_none_or(|calls| turn.0.len() == calls)
            && self.result.as_ref().is_none_or(|result| result.holds(turn))
            && self.offered.iter().all(offered)
            && !self.not_offered.iter().any(offered)
    }
}

impl WhenResult {
    fn holds(&self, turn: &Turn<'_>) -> bool {
        let Some(result) = turn.latest_result(&self.tool) else {
            return false;
        };
        if self.output_contains.is_none() && self.error_contains.is_none() {
            return true;
        }
        match result {
            Ok(output) => self
                .output_contains
                .as_ref()
                .is_some_and(|part| output.to_string().contains(part.as_str())),
            Err(error) => self
                .error_contains
                .as_ref()
                .is_some_and(|part| error.contains(part.as_str())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use ports::tools::ToolSpec;
    use serde_json::json;

    use super::*;

    /// Time that only passes when somebody waits.
    #[derive(Default)]
    struct SleepClock(Mutex<Duration>);

    impl Clock for SleepClock {
        fn elapsed(&self) -> Duration {
            *self.0.lock().unwrap()
        }

        async fn sleep(&self, length: Duration) {
            *self.0.lock().unwrap() += length;
        }
    }

    struct World {
        models: ScriptedModels<SleepClock>,
        clock: Arc<SleepClock>,
    }

    fn world(script: &str) -> World {
        let clock = Arc::new(SleepClock::default());
        let script = Arc::new(Script::parse(script).unwrap());
        let scripts = BTreeMap::from([("fast".to_owned(), script)]);
        World {
            models: ScriptedModels::new(scripts, clock.clone()),
            clock,
        }
    }

    impl World {
        fn step(&self, messages: Vec<ChatMessage>) -> Result<ModelReply, ModelFault> {
            let tool = |name: &str| ToolSpec {
                name: name.to_owned(),
                description: String::new(),
                input_schema: json!({}),
            };
            let request = StepRequest {
                model: "fast".to_owned(),
                instructions: String::new(),
                messages,
                tools: vec![tool("question")],
                idempotency_key: [0; 16],
            };
            ready(self.models.step(request))
        }

        fn says(&self, messages: Vec<ChatMessage>) -> String {
            self.step(messages).unwrap().text
        }
    }

    /// The scripted model waits for nothing but its clock, and ours is always ready.
    fn ready<F: Future>(future: F) -> F::Output {
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        match std::pin::pin!(future).poll(&mut context) {
            std::task::Poll::Ready(output) => output,
            std::task::Poll::Pending => panic!("the step waits for something"),
        }
    }

    fn user(text: &str) -> ChatMessage {
        ChatMessage::User {
            name: "Ada".to_owned(),
            text: text.to_owned(),
        }
    }

    fn called(name: &str, result: Result<Value, &str>) -> ChatMessage {
        ChatMessage::Assistant(vec![Part::Call {
            id: "call_1".to_owned(),
            name: name.to_owned(),
            input: json!({}),
            result: Some(result.map_err(str::to_owned)),
        }])
    }

    #[test]
    fn the_first_entry_that_matches_is_played() {
        let world = world(
            "[[model]]\nwhen.text_contains = \"paint\"\nsay = \"a\"\n\
             [[model]]\nwhen.text_equals = \"paint it\"\nsay = \"b\"\n\
             [[model]]\nsay = \"c\"\n",
        );
        assert_eq!(world.says(vec![user("paint it")]), "a");
        assert_eq!(world.says(vec![user("go")]), "c");
    }

    #[test]
    fn calls_have_their_json_and_ids_that_repeat() {
        let world = world(
            "[[model]]\ncall = [{ tool = \"add\", input = { a = 1, b = [2.5, true] } }, { tool = \"x\", id = \"mine\" }]\n",
        );
        let reply = world.step(vec![user("go")]).unwrap();
        assert_eq!(reply.calls[0].id, "call_1");
        assert_eq!(reply.calls[0].input, json!({ "a": 1, "b": [2.5, true] }));
        assert_eq!(reply.calls[1].id, "mine");
        assert_eq!(reply.calls[1].input, json!({}));
    }

    #[test]
    fn results_and_calls_of_this_turn_choose_the_entry() {
        let world = world(
            "[[model]]\nwhen.result = { tool = \"question\", output_contains = \"Blue\" }\nsay = \"blue\"\n\
             [[model]]\nwhen.result = { tool = \"question\", error_contains = \"Dismissed\" }\nsay = \"no\"\n\
             [[model]]\nwhen.result = { tool = \"question\" }\nsay = \"other\"\n\
             [[model]]\nwhen.calls = 0\nsay = \"first\"\n",
        );
        let output = |label: &str| json!({ "answers": [{ "header": "Color", "selected": [label] }] });
        assert_eq!(
            world.says(vec![user("go"), called("question", Ok(output("Blue")))]),
            "blue"
        );
        assert_eq!(
            world.says(vec![user("go"), called("question", Ok(output("Red")))]),
            "other"
        );
        assert_eq!(
            world.says(vec![
                user("go"),
                called("question", Err("Dismissed by the user."))
            ]),
            "no"
        );
        let old_turn = vec![user("go"), called("question", Ok(output("Blue"))), user("again")];
        assert_eq!(world.says(old_turn), "first");
        let fault = world
            .step(vec![user("private"), called("weather", Ok(json!("private")))])
            .unwrap_err();
        let text = fault.to_string();
        assert!(matches!(fault, ModelFault::Permanent(_)), "{text}");
        assert!(text.contains("calls of this turn so far: weather"), "{text}");
        assert!(!text.contains("private"), "{text}");
    }

    #[test]
    fn tools_on_offer_choose_the_entry() {
        let world = world(
            "[[model]]\nwhen.offered = [\"question\", \"weather\"]\nsay = \"both\"\n\
             [[model]]\nwhen.not_offered = [\"question\"]\nsay = \"none\"\n\
             [[model]]\nwhen.offered = [\"question\"]\nsay = \"question\"\n",
        );
        assert_eq!(world.says(vec![user("go")]), "question");
    }

    #[test]
    fn scripted_failures_come_first_and_take_their_time() {
        let world = world("[[model]]\nsay = \"a\"\nfail_times = 2\ntakes_ms = 1500\n");
        for _ in 0..2 {
            let fault = world.step(vec![user("go")]).unwrap_err();
            assert!(matches!(fault, ModelFault::Transient { .. }), "{fault}");
        }
        assert_eq!(world.says(vec![user("go")]), "a");
        assert_eq!(world.clock.elapsed(), Duration::from_millis(4500));
    }

    #[test]
    fn what_cannot_be_played_fails_for_good() {
        let world = world(
            "[[model]]\nwhen.text_contains = \"size\"\nsay = \"{answer:Size}\"\n[[model]]\nrefuse = \"no such model\"\n",
        );
        let fault = world.step(vec![user("size")]).unwrap_err();
        assert!(
            matches!(&fault, ModelFault::Permanent(text) if text.contains("\"Size\"")),
            "{fault}"
        );
        assert_eq!(
            world.step(vec![user("go")]).unwrap_err(),
            ModelFault::Permanent("no such model".to_owned())
        );
    }
}
