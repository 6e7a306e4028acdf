//! Agents: their models, tools and access rules.

use std::collections::BTreeMap;
use std::sync::Arc;

use engine::access::{Access, DEFAULT};
use models::Script;
use ports::json::QUESTION_TOOL;

use super::Check;
use crate::config::file::Agent;
use crate::config::problem::{At, Problems, suggestion};

/// Every tool there is, with the model whose script defines it.
pub(super) struct Tools(BTreeMap<String, String>);

impl Tools {
    pub(super) fn of(scripts: &BTreeMap<String, At<Arc<Script>>>, problems: &Problems) -> Self {
        let mut tools = BTreeMap::new();
        for (model, script) in scripts {
            for tool in script.value.tool_names() {
                if tool == QUESTION_TOOL {
                    let text = "the script defines the tool `question`, which is the host's own; rename it";
                    problems.error(script.line, format!("models.{model}.script: {text}"));
                } else if let Some(other) = tools.insert(tool.to_owned(), model.clone()) {
                    let text = format!(
                        "the tool `{tool}` is defined by the script of `{other}`, too; rename one of them"
                    );
                    problems.error(script.line, format!("models.{model}.script: {text}"));
                }
            }
        }
        Self(tools)
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(QUESTION_TOOL).chain(self.0.keys().map(String::as_str))
    }

    /// Notes every tool of a list that does not exist.
    fn check(&self, path: &str, listed: &[At<String>], problems: &Problems) {
        for tool in listed
            .iter()
            .filter(|tool| !self.names().any(|name| name == tool.value))
        {
            let near = suggestion(&tool.value, self.names());
            problems.error(
                tool.line,
                format!("{path}: there is no tool `{}`{near}", tool.value),
            );
        }
    }
}

impl Check<'_> {
    /// The agents; none when one cannot be resolved.
    pub(super) fn agents(&self, tools: &Tools) -> Option<BTreeMap<String, engine::config::Agent>> {
        tools.check("tools", &self.file.tools, self.problems);
        let resolved: Vec<_> = self
            .file
            .agents
            .iter()
            .map(|(name, agent)| Some((name.clone(), self.agent(name, agent, tools)?)))
            .collect();
        resolved.into_iter().collect()
    }

    fn agent(&self, name: &str, agent: &Agent, tools: &Tools) -> Option<engine::config::Agent> {
        tools.check(&format!("agents.{name}.tools"), &agent.tools, self.problems);
        let access = self.access(name, agent);
        let model = agent.model.as_ref()?;
        if !self.file.models.contains_key(&model.value) {
            let near = suggestion(&model.value, self.file.models.keys().map(String::as_str));
            let text = format!("agents.{name}.model: there is no model `{}`{near}", model.value);
            self.problems.error(model.line, text);
        }
        let mut names = Vec::new();
        for tool in self.file.tools.iter().chain(&agent.tools) {
            if !names.contains(&tool.value) {
                names.push(tool.value.clone());
            }
        }
        let questions = names.iter().any(|tool| tool == QUESTION_TOOL);
        names.retain(|tool| tool != QUESTION_TOOL);
        Some(engine::config::Agent {
            model: model.value.clone(),
            instructions: agent.instructions.as_ref()?.value.clone(),
            tools: names,
            questions,
            access: access?,
        })
    }

    fn access(&self, name: &str, agent: &Agent) -> Option<Access> {
        let (line, source) = match &agent.access {
            Some(written) => (written.line, written.value.as_str()),
            None => (1, DEFAULT),
        };
        match Access::compile(source) {
            Ok(access) => Some(access),
            Err(problem) => {
                self.problems.error(
                    line,
                    format!("agents.{name}.access: {}", one_line(&problem.to_string())),
                );
                None
            }
        }
    }
}

/// The compiler draws an arrow below the place; the operator gets it on one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
