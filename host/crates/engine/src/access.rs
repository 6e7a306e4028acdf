//! Access rules: CEL expressions over `actor`, `agent`, `channel` and `thread`.

use std::fmt;
use std::sync::Arc;

use cel::{Context, Env, Program, Value};
use lifecycle::Actor;
use ports::pieces::Conversation;

/// What decides where the operator says nothing.
pub const DEFAULT: &str = "actor.user != null";

/// A compiled expression. One that fails, or gives anything but `true`, denies.
#[derive(Clone)]
pub struct Access {
    source: Arc<str>,
    program: Arc<Program>,
    /// The standard functions, made once: each of them is a closure in a table.
    standard: Arc<Env>,
}

/// An expression that does not compile.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct AccessProblem(pub String);

impl Access {
    /// Compiles an expression.
    ///
    /// # Errors
    /// It is no CEL; the text says where.
    pub fn compile(source: &str) -> Result<Self, AccessProblem> {
        let program = Program::compile(source).map_err(|error| AccessProblem(error.to_string()))?;
        Ok(Self {
            source: source.into(),
            program: Arc::new(program),
            standard: Arc::new(Env::stdlib()),
        })
    }

    /// Whether `actor` may talk to `agent` in this conversation, and answer it.
    pub fn admits(&self, actor: &Actor, agent: &str, conversation: &Conversation) -> bool {
        let mut context = Context::with_env(Arc::clone(&self.standard));
        let thread = serde_json::json!({
            "account": conversation.account,
            "room": conversation.room,
            "id": conversation.thread,
        });
        let actor_value = serde_json::json!({
            "id": actor.id,
            "name": actor.name,
            "piece": actor.piece,
            "account": actor.account,
            "roles": actor.roles,
            "email": actor.email,
            "user": actor.user,
        });
        let bound = context.add_variable("actor", actor_value).is_ok()
            && context.add_variable("agent", agent).is_ok()
            && context.add_variable("channel", actor.channel.as_str()).is_ok()
            && context.add_variable("thread", thread).is_ok();
        bound && matches!(self.program.execute(&context), Ok(Value::Bool(true)))
    }

    /// The expression as it was written.
    pub fn source(&self) -> &str {
        &self.source
    }
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Access").field(&self.source).finish()
    }
}
