//! Short forms for the contract's nouns.

use crate::{
    Connected, Context, Done, Event, Failure, HttpReply, Message, QuestionChange, QuestionMessage, Received,
    Rendering, Shared, Timestamp,
};

impl HttpReply {
    /// An empty `200`.
    pub fn ok() -> Self {
        Self {
            status: 200,
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    /// A `200` with a JSON body.
    pub fn json(body: &serde_json::Value) -> Self {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Self {
            status: 200,
            headers,
            body: body.to_string().into_bytes(),
        }
    }

    /// A `200` with plain text.
    pub fn text(body: impl Into<String>) -> Self {
        let headers = vec![("content-type".to_owned(), "text/plain; charset=utf-8".to_owned())];
        Self {
            status: 200,
            headers,
            body: body.into().into_bytes(),
        }
    }
}

impl Received {
    /// Nothing that concerns us: acknowledged with an empty `200`.
    pub fn nothing() -> Self {
        Self::reply(HttpReply::ok())
    }

    /// A handshake: this reply and no event.
    pub fn reply(reply: HttpReply) -> Self {
        Self {
            reply,
            events: Vec::new(),
        }
    }

    /// One event.
    pub fn event(event: Event) -> Self {
        Self {
            reply: HttpReply::ok(),
            events: vec![event],
        }
    }
}

impl Connected {
    /// Data for later hooks and one line for the operator; to be called again when the channel starts.
    ///
    /// # Errors
    ///
    /// Refused, when the data have no JSON form.
    pub fn new(data: &impl serde::Serialize, summary: impl Into<String>) -> Result<Self, Failure> {
        Ok(Self {
            data: crate::write_json(data)?,
            summary: summary.into(),
            lacks: Vec::new(),
            stale_at: None,
        })
    }

    /// The same, and what the account has not granted: one line each with the permission and what will not work without
    /// it, for the operator. At most 100 lines of 1 KiB each, none empty.
    #[must_use]
    pub fn lacking(self, lacks: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            lacks: lacks.into_iter().map(Into::into).collect(),
            ..self
        }
    }
}

impl Default for Done {
    /// Nothing to send back.
    fn default() -> Self {
        Self { reply: None }
    }
}

impl Default for QuestionChange {
    /// Nothing to save.
    fn default() -> Self {
        Self {
            messages: None,
            state: None,
            redraw_after: None,
            reply: None,
        }
    }
}

impl QuestionChange {
    /// One more message, which becomes the current one.
    pub fn appended(shared: &Shared, message: QuestionMessage) -> Self {
        let messages = shared
            .question
            .messages
            .iter()
            .cloned()
            .chain([message])
            .collect();
        Self {
            messages: Some(messages),
            ..Self::default()
        }
    }
}

impl Rendering {
    /// One message that shows one call, without state.
    pub fn message(tool_call_id: &str, message: QuestionMessage) -> Self {
        let calls = vec![tool_call_id.to_owned()];
        Self {
            entries: vec![crate::Rendered {
                calls,
                messages: vec![message],
                state: None,
            }],
            reply: None,
        }
    }
}

impl Context {
    /// The idempotency key in hexadecimal, for a platform that recognises repeats.
    pub fn idempotency_hex(&self) -> String {
        self.idempotency_key
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}

impl Message {
    /// Whether the platform says it was sent before an instant.
    pub fn sent_before(&self, instant: Timestamp) -> bool {
        self.date_sent.is_some_and(|sent| sent < instant)
    }
}
