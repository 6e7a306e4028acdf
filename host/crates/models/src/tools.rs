//! The scripted server tools.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ports::tools::{ToolCall, ToolFault, ToolSpec};
use ports::{Clock, Tools};
use serde_json::Value;

use crate::script::{Script, Tool};

/// The tools of some scripts.
#[derive(Debug)]
pub struct ScriptedTools<C> {
    scripts: Vec<Arc<Script>>,
    /// Where each tool is: the script and the entry in it.
    places: BTreeMap<String, (usize, usize)>,
    clock: Arc<C>,
}

impl<C: Clock> ScriptedTools<C> {
    /// The tools of `scripts`; of two with one name, the first is taken (configuration refuses that). `clock` measures how
    /// long they take.
    pub fn new(scripts: Vec<Arc<Script>>, clock: Arc<C>) -> Self {
        let mut places = BTreeMap::new();
        for (script_index, script) in scripts.iter().enumerate() {
            for (tool_index, tool) in script.tools.iter().enumerate() {
                places
                    .entry(tool.name.clone())
                    .or_insert((script_index, tool_index));
            }
        }
        Self {
            scripts,
            places,
            clock,
        }
    }

    fn tool(&self, name: &str) -> Option<&Tool> {
        let (script, tool) = self.places.get(name)?;
        self.scripts.get(*script)?.tools.get(*tool)
    }
}

impl<C: Clock> Tools for ScriptedTools<C> {
    fn specs(&self, names: &[String]) -> Vec<ToolSpec> {
        let tools = names.iter().filter_map(|name| self.tool(name));
        let spec = |tool: &Tool| ToolSpec {
            name: tool.name.clone(),
            description: tool.description.clone(),
            input_schema: tool.input_schema.clone(),
        };
        tools.map(spec).collect()
    }

    async fn run(&self, call: ToolCall) -> Result<Result<Value, String>, ToolFault> {
        let Some(tool) = self.tool(&call.name) else {
            return Ok(Err(format!("there is no tool `{}`", call.name)));
        };
        if tool.takes_ms > 0 {
            self.clock.sleep(Duration::from_millis(tool.takes_ms)).await;
        }
        if tool.failures.is_due() {
            return Err(ToolFault(format!(
                "the script has `{}` fail this time",
                tool.name
            )));
        }
        Ok(tool.gives.clone())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    struct NoClock;

    impl Clock for NoClock {
        fn elapsed(&self) -> Duration {
            Duration::ZERO
        }

        async fn sleep(&self, _: Duration) {}
    }

    fn tools() -> ScriptedTools<NoClock> {
        let script = Script::parse(
            "[[tool]]\nname = \"weather\"\ndescription = \"tells it\"\nreturns = { sky = \"clear\" }\nfail_times = 1\n\
             [[tool]]\nname = \"broken\"\ndescription = \"breaks\"\nerror = \"out of order\"\n\
             input_schema = { type = \"object\", required = [\"city\"] }\n",
        );
        ScriptedTools::new(vec![Arc::new(script.unwrap())], Arc::new(NoClock))
    }

    fn run(tools: &ScriptedTools<NoClock>, name: &str) -> Result<Result<Value, String>, ToolFault> {
        let call = ToolCall {
            name: name.to_owned(),
            input: json!({}),
            idempotency_key: [0; 16],
        };
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        match std::pin::pin!(tools.run(call)).poll(&mut context) {
            std::task::Poll::Ready(result) => result,
            std::task::Poll::Pending => panic!("the call waits for something"),
        }
    }

    #[test]
    fn specs_come_in_the_order_asked_for_without_unknown_names() {
        let names = ["broken", "nobody", "weather"].map(str::to_owned);
        let specs = tools().specs(&names);
        assert_eq!(
            specs.iter().map(|spec| spec.name.as_str()).collect::<Vec<_>>(),
            ["broken", "weather"]
        );
        assert_eq!(specs[0].input_schema["required"], json!(["city"]));
        assert_eq!(specs[1].input_schema, json!({ "type": "object" }));
    }

    #[test]
    fn a_tool_is_unavailable_as_often_as_scripted_and_then_gives_its_output() {
        let tools = tools();
        assert!(run(&tools, "weather").is_err());
        assert_eq!(run(&tools, "weather"), Ok(Ok(json!({ "sky": "clear" }))));
    }

    #[test]
    fn errors_and_unknown_tools_are_results_for_the_model() {
        let tools = tools();
        assert_eq!(run(&tools, "broken"), Ok(Err("out of order".to_owned())));
        assert!(matches!(run(&tools, "nobody"), Ok(Err(_))));
    }
}
