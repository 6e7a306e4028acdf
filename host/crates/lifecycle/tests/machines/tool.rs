//! The rules of the question tool's input and output, as tables: what is changed, what is refused, and with which words.

use lifecycle::tool::{
    Answer, Choice, INPUT_CHARS_MAX, Input, Item, OPTIONS_MAX, Output, QUESTIONS_MAX, TEXT_CHARS_MAX,
};

/// One question that offers `labels`.
fn item(header: &str, labels: &[&str]) -> Item {
    Item {
        header: header.to_owned(),
        question: "Which?".to_owned(),
        options: labels.iter().map(|label| choice(label, None)).collect(),
        multiple: false,
        custom: true,
    }
}

fn choice(label: &str, description: Option<&str>) -> Choice {
    Choice {
        label: label.to_owned(),
        description: description.map(str::to_owned),
    }
}

/// A valid question with one thing changed.
fn with(change: impl FnOnce(&mut Item)) -> Vec<Item> {
    let mut item = item("Color", &["Red", "Blue"]);
    change(&mut item);
    vec![item]
}

fn refusal(questions: Vec<Item>) -> String {
    match (Input { questions }).validated() {
        Ok(input) => panic!("accepted: {input:?}"),
        Err(problem) => problem.to_string(),
    }
}

#[test]
fn an_input_that_breaks_a_rule_is_refused_with_its_place() {
    let long = |chars: usize| "é".repeat(chars);
    let many = |n: usize| (0..n).map(|n| item(&format!("H{n}"), &["A"])).collect::<Vec<_>>();
    let table = [
        (vec![], "ask at least one question"),
        (
            many(QUESTIONS_MAX + 1),
            "ask at most 50 questions in a call, found 51",
        ),
        (
            with(|item| item.header.clear()),
            "question 1: the header must not be empty",
        ),
        (
            with(|item| item.header = " \t\n".to_owned()),
            "question 1: the header must not be empty",
        ),
        (
            with(|item| item.header = long(31)),
            "question 1: the header must have at most 30 characters, found 31",
        ),
        (
            with(|item| item.question = "\u{2003}".to_owned()),
            "question 1: the question must not be empty",
        ),
        (
            with(|item| item.question = long(TEXT_CHARS_MAX + 1)),
            "question 1: the question must have at most 10000 characters, found 10001",
        ),
        (
            with(|item| item.options.clear()),
            "question 1: offer 1 to 1000 options, found 0",
        ),
        (
            with(|item| item.options = (0..=OPTIONS_MAX).map(|n| choice(&n.to_string(), None)).collect()),
            "question 1: offer 1 to 1000 options, found 1001",
        ),
        (
            with(|item| item.options[1].label = "  ".to_owned()),
            "question 1, option 2: the label must not be empty",
        ),
        (
            with(|item| item.options[1].label = long(TEXT_CHARS_MAX + 1)),
            "question 1, option 2: the label must have at most 10000 characters, found 10001",
        ),
        (
            with(|item| item.options[0].description = Some(long(TEXT_CHARS_MAX + 1))),
            "question 1, option 1: the description must have at most 10000 characters, found 10001",
        ),
        (
            with(|item| item.options[1].label = " Red ".to_owned()),
            "question 1: two options have the label \"Red\": make labels unique",
        ),
        (
            vec![item("Color", &["Red"]), item(" Color ", &["Blue"])],
            "two questions have the header \"Color\": make headers unique",
        ),
        (
            vec![item("Color", &["Red"]), item("", &["Blue"])],
            "question 2: the header must not be empty",
        ),
    ];
    for (questions, expected) in table {
        assert_eq!(refusal(questions), expected);
    }
}

#[test]
fn an_input_at_its_limits_is_accepted_as_it_is() {
    let table = [
        with(|item| item.header = "x".repeat(30)),
        // Scalar values count, neither bytes nor what looks like one character (a family of four is seven).
        with(|item| item.header = "é".repeat(30)),
        with(|item| item.header = "👨‍👩‍👧‍👦".repeat(4)),
        with(|item| item.question = "é".repeat(TEXT_CHARS_MAX)),
        with(|item| item.options = vec![choice(&"é".repeat(TEXT_CHARS_MAX), Some("d"))]),
        with(|item| item.options = (0..OPTIONS_MAX).map(|n| choice(&n.to_string(), None)).collect()),
        // Case and inner space tell labels and headers apart.
        with(|item| item.options = vec![choice("red", None), choice("Red", None), choice("R ed", None)]),
        vec![item("Color", &["Red"]), item("color", &["Red"])],
        (0..QUESTIONS_MAX)
            .map(|n| item(&format!("H{n}"), &["A"]))
            .collect(),
    ];
    for questions in table {
        let input = Input { questions };
        assert_eq!(input.clone().validated(), Ok(input));
    }
}

#[test]
fn what_a_model_pads_is_trimmed_before_it_is_measured() {
    let padded = |text: &str| format!(" \n{text}\u{2003}");
    let mut given = item(&padded(&"x".repeat(30)), &[]);
    given.question = padded("Which?");
    given.options = vec![
        choice(&padded("Red"), Some(&padded("warm"))),
        choice("Blue", Some("  ")),
    ];
    let valid = Input {
        questions: vec![given],
    }
    .validated()
    .expect("valid once trimmed");
    let mut expected = item(&"x".repeat(30), &[]);
    expected.options = vec![choice("Red", Some("warm")), choice("Blue", None)];
    assert_eq!(valid.questions, [expected]);
    assert_eq!(
        valid.clone().validated(),
        Ok(valid),
        "a valid input stays as it is"
    );
}

/// What was asked in the tables below: a single choice and a multiple one, each with and without typed answers.
fn asked(multiple: bool, custom: bool) -> Input {
    Input {
        questions: vec![Item {
            multiple,
            custom,
            ..item("Color", &["Red", "Blue", "Green"])
        }],
    }
}

fn output(selected: &[&str], custom: Option<&str>) -> Output {
    let selected = selected.iter().map(|label| (*label).to_owned()).collect();
    Output {
        answers: vec![Answer {
            header: "Color".to_owned(),
            selected,
            custom: custom.map(str::to_owned),
        }],
    }
}

#[test]
fn every_combination_of_picks_and_text_has_its_ruling() {
    type Given = (&'static [&'static str], Option<&'static str>);
    let one: Given = (&["Red"], None);
    let two: Given = (&["Blue", "Red"], None);
    let none: Given = (&[], None);
    let text: Given = (&[], Some(" teal "));
    let one_and_text: Given = (&["Red"], Some("teal"));
    let two_and_text: Given = (&["Blue", "Red"], Some("teal"));
    let (typed, no_typing) = (Some("teal"), "Color: choose one of the options");
    let table = [
        // A single choice: exactly one of one label or text; with both, the text is the answer.
        (false, true, one, Ok((&["Red"][..], None))),
        (false, true, text, Ok((&[][..], typed))),
        (false, true, one_and_text, Ok((&[][..], typed))),
        (false, true, two, Err("Color: choose only one option")),
        (false, true, two_and_text, Err("Color: choose only one option")),
        (false, true, none, Err("Color: choose an option")),
        (false, false, one, Ok((&["Red"][..], None))),
        (false, false, text, Err(no_typing)),
        (false, false, one_and_text, Err(no_typing)),
        (false, false, none, Err("Color: choose an option")),
        // A multiple choice: at least one of labels and text, both together are both.
        (true, true, one, Ok((&["Red"][..], None))),
        (true, true, two, Ok((&["Blue", "Red"][..], None))),
        (true, true, text, Ok((&[][..], typed))),
        (true, true, two_and_text, Ok((&["Blue", "Red"][..], typed))),
        (true, true, none, Err("Color: choose at least one option")),
        (true, false, two, Ok((&["Blue", "Red"][..], None))),
        (true, false, text, Err(no_typing)),
        (true, false, two_and_text, Err(no_typing)),
        (true, false, none, Err("Color: choose at least one option")),
    ];
    for (multiple, custom, (selected, typed), expected) in table {
        let ruling = output(selected, typed).validated(&asked(multiple, custom));
        let ruling = ruling.map_err(|problem| problem.to_string());
        let expected = expected
            .map(|(selected, typed)| output(selected, typed))
            .map_err(str::to_owned);
        assert_eq!(
            ruling, expected,
            "multiple {multiple}, custom {custom}: {selected:?} and {typed:?}"
        );
    }
}

#[test]
fn an_answer_that_does_not_fit_the_question_is_refused_with_its_header() {
    let long = "é".repeat(TEXT_CHARS_MAX + 1);
    let table = [
        (output(&["Pink"], None), "Color: \"Pink\" was not offered"),
        (output(&["red"], None), "Color: \"red\" was not offered"),
        (output(&[" Red"], None), "Color: \" Red\" was not offered"),
        (output(&["Red", "Red"], None), "Color: \"Red\" is selected twice"),
        (output(&[], Some(" \n")), "Color: the typed answer is empty"),
        (output(&["Red"], Some("")), "Color: the typed answer is empty"),
        (output(&[], Some(&long)), "Color: type at most 10000 characters"),
    ];
    for (given, expected) in table {
        let problem = given.validated(&asked(true, true)).expect_err(expected);
        assert_eq!(problem.to_string(), expected);
    }
    let longest = output(&[], Some(&"é".repeat(TEXT_CHARS_MAX)));
    assert_eq!(longest.clone().validated(&asked(false, true)), Ok(longest));
}

#[test]
fn there_is_one_answer_for_each_question_in_their_order() {
    let input = Input {
        questions: vec![item("Color", &["Red"]), item("Size", &["Large"])],
    };
    let answer = |header: &str, label: &str| Answer {
        header: header.to_owned(),
        selected: vec![label.to_owned()],
        custom: None,
    };
    let (color, size) = (answer("Color", "Red"), answer("Size", "Large"));
    let table = [
        (vec![], "expected 2 answers, one per question in order, found 0"),
        (
            vec![color.clone()],
            "expected 2 answers, one per question in order, found 1",
        ),
        (
            vec![color.clone(), size.clone(), size.clone()],
            "expected 2 answers, one per question in order, found 3",
        ),
        (
            vec![size.clone(), color.clone()],
            "expected an answer to \"Color\", found one to \"Size\"",
        ),
        (
            vec![color.clone(), answer("size", "Large")],
            "expected an answer to \"Size\", found one to \"size\"",
        ),
        (
            vec![color.clone(), answer("Size", "Red")],
            "Size: \"Red\" was not offered",
        ),
    ];
    for (answers, expected) in table {
        let problem = Output { answers }.validated(&input).expect_err(expected);
        assert_eq!(problem.to_string(), expected);
    }
    let right = Output {
        answers: vec![color, size],
    };
    assert_eq!(right.clone().validated(&input), Ok(right));
}

#[test]
fn the_texts_of_a_call_are_bounded_together() {
    let sized = |chars: usize| {
        let option = |n: usize| Choice {
            label: format!("{n:0>1000}"),
            description: None,
        };
        // A header and a question of one character each; then options of a thousand characters, and one for the rest.
        let whole = (chars - 2) / 1_000;
        let mut options: Vec<Choice> = (0..whole).map(option).collect();
        options.push(Choice {
            label: "x".repeat((chars - 2) % 1_000),
            description: None,
        });
        let item = Item {
            header: "H".into(),
            question: "Q".into(),
            options,
            multiple: false,
            custom: true,
        };
        Input {
            questions: vec![item],
        }
    };
    assert!(sized(INPUT_CHARS_MAX).validated().is_ok());
    let problem = sized(INPUT_CHARS_MAX + 1)
        .validated()
        .expect_err("one character too many");
    assert!(problem.0.contains("50001"), "{problem}");
}
