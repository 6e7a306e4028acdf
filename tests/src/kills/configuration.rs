//! What the hosts are told, with times of seconds, and what their model says.

/// Asks one question, and says what was answered.
pub(super) const SCRIPT: &str = r#"
[[model]]
when = { result = { tool = "question" } }
say = "{answer:Color} it is."

[[model]]
when = { calls = 0 }
[[model.call]]
tool = "question"
[[model.call.input.questions]]
header = "Color"
question = "Which color?"
options = [{ label = "Red" }, { label = "Blue" }, { label = "Green" }]

[[model]]
say = "I heard you."
"#;

/// The configuration of a host before this forum, on SQLite or on the Redis at this address.
pub(super) fn frogbot_toml(pieces: &str, forum_url: &str, redis: Option<&str>) -> String {
    let store = redis.map_or_else(
        || "kind = \"sqlite\"\npath = \"frogbot.db\"".to_owned(),
        |url| format!("kind = \"redis\"\nurl = \"{url}\"\nshards = 4"),
    );
    // An attempt that died with its host is missed when its deadline has passed.
    let series = r#"{ retries = 40, first_delay = "100ms", longest_delay = "500ms", deadline = "3s" }"#;
    format!(
        r#"
[server]
listen = "127.0.0.1:0"

[store]
{store}

[pieces]
dir = "{pieces}"

[[users]]
id = "everybody"
emails = ["ann@example.com", "ben@example.com"]

[models.scripted]
kind = "scripted"
script = "script.toml"

[agents.painter]
model = "scripted"
instructions = "Paint what you are asked to paint."
tools = ["question"]

[channels.forum]
piece = "forum"
agent = "painter"
accounts = ["forum"]
trust_email = true
secrets.token = {{ env = "FORUM_TOKEN" }}
secrets.webhook_secret = {{ env = "FORUM_WEBHOOK_SECRET" }}
slots.forum = {{ base = "{forum_url}", allow_private = ["127.0.0.1"] }}

[times]
hook = "2s"
lease_renewal = "500ms"
advancing = {series}
posting = {series}
closing = {series}
replying = {series}
handling = {series}
continuing = {series}
"#
    )
}
