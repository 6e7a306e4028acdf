//! Judges messages and forms of Slack by the limits that the crate `slackblocks` knows.
//!
//! Reads one JSON document per line, `{"message": {…}}` or `{"view": {…}}`, and answers each with one line: `ok`, or why Slack
//! would refuse it.

use std::io::{BufRead, Write};

use serde_json::Value;
use slackblocks::{MessagePayload, ModalView};

fn main() -> std::io::Result<()> {
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let verdict = judged(&line?).unwrap_or_else(|problem| problem.replace('\n', " "));
        writeln!(output, "{verdict}")?;
        output.flush()?;
    }
    Ok(())
}

fn judged(line: &str) -> Result<String, String> {
    let mut document: Value = serde_json::from_str(line).map_err(|error| format!("no JSON: {error}"))?;
    if let Some(message) = document.get_mut("message") {
        MessagePayload::try_from(message.take()).map_err(|error| error.to_string())?;
    } else if let Some(view) = document.get_mut("view") {
        ModalView::try_from(view.take()).map_err(|error| error.to_string())?;
    } else {
        return Err("neither a message nor a view".to_owned());
    }
    Ok("ok".to_owned())
}
