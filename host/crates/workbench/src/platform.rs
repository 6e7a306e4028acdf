//! A platform as the author of a piece describes it, in `platform.toml`: what it answers to which request, where controls
//! are in its messages, and what it sends when somebody does something. Enough to have a conversation on; a piece's own
//! tests know their platform better.

mod pointer;
mod template;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};

pub(crate) use pointer::Pointer;
pub(crate) use template::{Template, TextTemplate, Word, Words};

/// What `message` says when a message's id stands in the path.
const IN_PATH: &str = "path";

/// A platform's description.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Platform {
    /// Where the conversation is: the account, the room and the thread that the piece makes of the events below.
    pub(crate) account: String,
    pub(crate) room: String,
    #[serde(default)]
    pub(crate) thread: String,
    /// The id of the person who may answer.
    #[serde(default = "Platform::default_person")]
    pub(crate) person: String,
    /// The id of one who may not.
    #[serde(default = "Platform::default_stranger")]
    pub(crate) stranger: String,
    /// The ids of messages, made of `{{serial}}` and the time.
    #[serde(default = "Platform::default_message_id")]
    pub(crate) message_id: TextTemplate,
    /// The channel's options.
    #[serde(default)]
    pub(crate) options: Map<String, Value>,
    /// What it answers. The first rule that fits counts.
    pub(crate) requests: Vec<RequestRule>,
    /// What people can use in a message.
    #[serde(default)]
    pub(crate) controls: Vec<ControlRule>,
    /// One entry of `{{picks}}`, for lists whose picks come with a press on something else.
    pub(crate) pick: Option<Template>,
    /// The labels of controls that are no option of a question.
    #[serde(default)]
    pub(crate) labels: Labels,
    /// What people write instead of using controls.
    pub(crate) replies: Option<Replies>,
    /// What it sends.
    pub(crate) events: Events,
    /// How it fails.
    #[serde(default)]
    pub(crate) failures: Failures,
}

/// What it answers to a request.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RequestRule {
    /// The slot of the manifest; none: any.
    pub(crate) slot: Option<String>,
    pub(crate) method: String,
    /// Below the slot's base and without the query; `*` stands for one segment.
    pub(crate) path: String,
    /// What must stand in the body.
    #[serde(default)]
    pub(crate) when: BTreeMap<Pointer, Value>,
    #[serde(default)]
    pub(crate) does: Does,
    /// Where the message's id stands, for a rule that edits or removes.
    pub(crate) message: Option<Where>,
    /// Where the key stands by which a repeat is recognised, for a rule that posts.
    pub(crate) repeat: Option<Pointer>,
    #[serde(default = "RequestRule::default_status")]
    pub(crate) status: u16,
    pub(crate) answer: Template,
}

/// What a request does to the messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Does {
    #[default]
    Nothing,
    Post,
    Edit,
    Remove,
}

/// Where a request names a message.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) enum Where {
    /// What the last `*` of the path stands for.
    Path,
    /// In the body.
    Body(Pointer),
}

impl TryFrom<String> for Where {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text == IN_PATH {
            return Ok(Self::Path);
        }
        Pointer::read(&text).map(Self::Body)
    }
}

/// What people can use in a message: a button, or with `options` a list.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ControlRule {
    /// Every control, in the body of the request that posts or edits the message.
    pub(crate) at: Pointer,
    /// What must stand in it; the rest is below it, too.
    #[serde(default)]
    pub(crate) when: BTreeMap<Pointer, Value>,
    pub(crate) id: Pointer,
    pub(crate) label: Option<Pointer>,
    pub(crate) value: Option<Pointer>,
    /// The entries of a list.
    pub(crate) options: Option<Pointer>,
    /// Below an entry.
    pub(crate) option_label: Option<Pointer>,
    pub(crate) option_value: Option<Pointer>,
}

/// Labels of controls that are no option.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Labels {
    pub(crate) submit: String,
    pub(crate) dismiss: String,
}

/// What people write instead of using controls.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Replies {
    /// With `{{serial}}`, the option's number from 1, or `{{label}}`.
    pub(crate) answer: TextTemplate,
    pub(crate) dismiss: Option<String>,
}

/// What it sends when somebody does something.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Events {
    /// A person names the bot, or writes to it alone.
    pub(crate) mention: EventRule,
    /// A person writes in a conversation that has begun.
    pub(crate) message: Option<EventRule>,
    /// The bot's own message comes back.
    pub(crate) own: Option<EventRule>,
    /// A person uses a control.
    pub(crate) press: Option<EventRule>,
}

/// A request of the platform.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EventRule {
    #[serde(default = "EventRule::default_method")]
    pub(crate) method: String,
    /// What follows the channel's route.
    #[serde(default)]
    pub(crate) path: String,
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, String>,
    /// The body.
    pub(crate) json: Option<Template>,
    /// Or the body as a form, whose fields are JSON.
    pub(crate) form: Option<BTreeMap<String, Template>>,
}

/// How it says what went wrong.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Failures {
    /// The message is not there any more.
    pub(crate) gone: FailureRule,
    /// Too many requests; a `retry-after` of two seconds comes with it.
    pub(crate) limited: FailureRule,
    /// It does not work now.
    pub(crate) down: FailureRule,
}

/// One way to fail.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FailureRule {
    pub(crate) status: u16,
    pub(crate) answer: Template,
}

impl Default for Labels {
    fn default() -> Self {
        Self {
            submit: "Submit".to_owned(),
            dismiss: "Dismiss".to_owned(),
        }
    }
}

impl Default for Failures {
    fn default() -> Self {
        let empty = |status| FailureRule {
            status,
            answer: Template::of(json!({})),
        };
        Self {
            gone: empty(404),
            limited: empty(429),
            down: empty(503),
        }
    }
}

impl RequestRule {
    const fn default_status() -> u16 {
        200
    }
}

impl EventRule {
    fn default_method() -> String {
        "POST".to_owned()
    }
}

/// Why a description cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PlatformProblem(String);

impl Platform {
    fn default_person() -> String {
        "ann".to_owned()
    }

    fn default_stranger() -> String {
        "eve".to_owned()
    }

    fn default_message_id() -> TextTemplate {
        TextTemplate::of(Word::Serial, "m")
    }

    /// Reads `platform.toml`.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn read(text: &str) -> Result<Self, PlatformProblem> {
        let platform: Self =
            toml::from_str(text).map_err(|error| PlatformProblem(error.to_string().trim_end().to_owned()))?;
        platform.checked()
    }

    fn checked(self) -> Result<Self, PlatformProblem> {
        let wrong = |what: String| Err(PlatformProblem(what));
        for rule in &self.requests {
            let name = format!("the rule for `{} {}`", rule.method, rule.path);
            match (rule.does, &rule.message) {
                (Does::Edit | Does::Remove, None) => {
                    return wrong(format!(
                        "{name} needs `message`, where the message's id stands: a JSON Pointer into the body, or `{IN_PATH}`"
                    ));
                }
                (Does::Edit | Does::Remove, Some(Where::Path)) if !rule.path.contains('*') => {
                    return wrong(format!(
                        "{name} has no `*` in its path that could be a message's id"
                    ));
                }
                (Does::Edit | Does::Remove, Some(_)) | (Does::Nothing | Does::Post, None) => {}
                (Does::Nothing | Does::Post, Some(_)) => {
                    return wrong(format!(
                        "{name} has `message`, which belongs to one that edits or removes"
                    ));
                }
            }
        }
        let Events {
            mention,
            message,
            own,
            press,
        } = &self.events;
        let events = [
            ("mention", Some(mention)),
            ("message", message.as_ref()),
            ("own", own.as_ref()),
            ("press", press.as_ref()),
        ];
        for (name, event) in events {
            if event.is_some_and(|event| event.json.is_some() == event.form.is_some()) {
                return wrong(format!("events.{name} needs either `json` or `form`"));
            }
        }
        if self.events.press.is_none() && (self.replies.is_none() || self.events.message.is_none()) {
            return wrong(
                "nobody could answer: describe `events.press` with `controls`, or `events.message` with `replies`"
                    .to_owned(),
            );
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::Platform;

    const LEAST: &str = r#"
        account = "a"
        room = "r"
        requests = []
        events.mention.json = '{}'
        events.press.json = '{}'
    "#;

    fn refusal(text: &str) -> String {
        Platform::read(text).unwrap_err().to_string()
    }

    #[test]
    fn least_description_is_enough() {
        let platform = Platform::read(LEAST).unwrap();
        assert_eq!((platform.thread.as_str(), platform.person.as_str()), ("", "ann"));
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_its_place() {
        assert!(refusal(&LEAST.replace("room", "rom")).contains("rom"));
        assert!(
            refusal(&LEAST.replace(
                "requests = []",
                r#"requests = [{method="PATCH", path="/m/*", does="edit", answer="{}"}]"#
            ))
            .contains("needs `message`")
        );
        assert!(
            refusal(&LEAST.replace(
                "requests = []",
                r#"requests = [{method="PATCH", path="/m", does="edit", message="path", answer="{}"}]"#
            ))
            .contains("no `*`")
        );
        assert!(
            refusal(&LEAST.replace(
                "requests = []",
                r#"requests = [{method="PATCH", path="/m", message="/id", answer="{}"}]"#
            ))
            .contains("edits or removes")
        );
        assert!(refusal(&LEAST.replace("events.press.json = '{}'", "")).contains("nobody could answer"));
        assert!(
            refusal(&LEAST.replace("mention.json = '{}'", "mention.path = '/x'"))
                .contains("`json` or `form`")
        );
        assert!(refusal(&LEAST.replace("press.json = '{}'", "press.json = '{'")).contains("no JSON"));
    }
}
