//! The judges: our own limits, the crate `slackblocks` and the official SDK. They must be able to refuse, too.

use std::cell::RefCell;

use proptest::test_runner::TestCaseError;
use serde_json::{Value, json};
use tests::judges::Judge;
use tests::slack_stand_in::{message_problem, view_problem};

thread_local! {
    /// Started once for all cases of a property: a Python takes longer to start than to judge a thousand messages.
    static JUDGES: RefCell<Option<[Judge; 2]>> = const { RefCell::new(None) };
}

/// All judges accept all documents.
pub(crate) fn accept(documents: &[Value]) -> Result<(), TestCaseError> {
    for document in documents {
        if let Err(reason) = verdict(document) {
            return Err(TestCaseError::fail(format!("{reason}\n{document:#}")));
        }
    }
    Ok(())
}

fn verdict(document: &Value) -> Result<(), String> {
    ours(document).map_or(Ok(()), |problem| {
        Err(format!("our own limits refuse it: {problem}"))
    })?;
    JUDGES.with_borrow_mut(|judges| {
        let judges =
            judges.get_or_insert_with(|| [Judge::slackblocks().unwrap(), Judge::slack_sdk().unwrap()]);
        judges.iter_mut().try_for_each(|judge| judge.judge(document))
    })
}

fn ours(document: &Value) -> Option<String> {
    if let Some(view) = document.get("view") {
        return view_problem(view);
    }
    let message = &document["message"];
    let text = message["text"].as_str().unwrap_or_default();
    let blocks = message["blocks"].as_array().cloned().unwrap_or_default();
    message_problem(text, &blocks).map(|(code, detail)| format!("{code}: {detail}"))
}

fn button(label: &str) -> Value {
    json!({ "type": "button", "action_id": label, "text": { "type": "plain_text", "text": label } })
}

fn with_blocks(blocks: &[Value]) -> Value {
    json!({ "message": { "channel": "C1", "text": "x", "blocks": blocks } })
}

fn form(title: &str) -> Value {
    let text = |text: &str| json!({ "type": "plain_text", "text": text });
    json!({ "view": {
        "type": "modal", "callback_id": "c", "title": text(title), "submit": text("Send"), "blocks": [
            { "type": "input", "label": text("Colour"), "element": { "type": "plain_text_input", "action_id": "answer" } },
        ],
    } })
}

#[test]
fn each_judge_refuses_what_is_wrong_and_accepts_what_is_right() {
    let row = |count: usize| {
        let buttons: Vec<Value> = (0..count).map(|number| button(&number.to_string())).collect();
        json!({ "type": "actions", "elements": buttons })
    };
    let section = |length: usize| json!({ "type": "section", "text": { "type": "mrkdwn", "text": "x".repeat(length) } });
    let right = [
        with_blocks(&[row(25)]),
        with_blocks(&[section(3_000)]),
        form("A question"),
    ];
    let wrong = [
        with_blocks(&[row(26)]),
        with_blocks(&[json!({ "type": "actions", "elements": [button(&"x".repeat(76))] })]),
        with_blocks(&[section(3_001)]),
        with_blocks(&[json!({ "type": "nonsense" })]),
        form("A title that is longer than Slack allows"),
    ];
    let mut judges = [Judge::slackblocks().unwrap(), Judge::slack_sdk().unwrap()];
    for judge in &mut judges {
        for document in &right {
            assert_eq!(judge.judge(document), Ok(()));
        }
        for document in &wrong {
            assert!(judge.judge(document).is_err(), "{judge:?} accepts {document}");
        }
    }
    // What only the crate counts.
    let many = vec![section(10); 51];
    assert!(judges[0].judge(&with_blocks(&many)).is_err());
    for document in &wrong {
        assert!(ours(document).is_some(), "we accept {document}");
    }
    assert_eq!(right.iter().find_map(ours), None);
}
