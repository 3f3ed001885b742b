#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::{
    io::{self, Cursor, Write},
    sync::{Arc, Mutex},
};

use rmcp::model::ElicitationSchema;
use serde_json::{Value, json};

use super::Answer;
use crate::terminal::{Style, Terminal};

/// A screen that can be looked at.
#[derive(Clone, Default)]
struct Screen(Arc<Mutex<Vec<u8>>>);

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Screen {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

fn terminal(answers: &'static str) -> (Terminal, Screen) {
    let screen = Screen::default();
    let terminal = Terminal::new(Cursor::new(answers), screen.clone(), true, Style::default());
    (terminal, screen)
}

fn schema(properties: &str, required: Value) -> ElicitationSchema {
    // From text: a JSON value would put the properties in the order of their names.
    let schema =
        format!(r#"{{ "type": "object", "properties": {properties}, "required": {required} }}"#);
    serde_json::from_str(&schema).unwrap()
}

const PERSON: &str = r#"{
    "name": { "type": "string", "title": "Name", "description": "As in your\npassport" },
    "age": { "type": "integer", "minimum": 18, "default": 30 },
    "colors": { "type": "array", "items": { "type": "string", "enum": ["red", "blue"] } },
    "nick": { "type": "string" }
}"#;

#[tokio::test]
async fn a_form_is_filled_in_and_wrong_values_are_asked_for_again() {
    let (mut terminal, screen) = terminal("\nAda\n17\n\n3\n1,2\n\n");
    let schema = schema(PERSON, json!(["name"]));
    let answer = terminal
        .fill_in("Who \u{1b}[2Jis it?", &schema)
        .await
        .unwrap();
    let content = json!({ "name": "Ada", "age": 30, "colors": ["red", "blue"] });
    assert_eq!(json!(answer_content(&answer)), content);
    assert_eq!(
        screen.text(),
        "
The server asks: Who [2Jis it?
  Enter takes what is in [brackets], !decline refuses, !cancel or Ctrl-D calls it off
  Name (text)
  As in your
  passport
  > 
  Name is required
  > Ada
  age (whole number, at least 18, optional)
  [30] > 17
  age must be at least 18
  [30] > 
  colors (choose any, as in 1,2, optional)
    1 red
    2 blue
  > 3
  colors must be one of the choices: 1 to 2
  > 1,2
  nick (text, optional)
  > 
"
    );
}

fn answer_content(answer: &Answer) -> &serde_json::Map<String, Value> {
    match answer {
        Answer::Accept(content) => content,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_form_can_be_left_at_any_field() {
    let schema = schema(PERSON, json!([]));
    for (answers, expected) in [
        ("Ada\n!decline\n", Answer::Decline),
        ("!cancel\n", Answer::Cancel),
        ("Ada\n40\n", Answer::Cancel),
        ("", Answer::Cancel),
    ] {
        let (mut terminal, _) = terminal(answers);
        let answer = terminal.fill_in("Who is it?", &schema).await.unwrap();
        assert_eq!(answer, expected, "{answers:?}");
    }
}

#[tokio::test]
async fn a_form_without_fields_is_a_confirmation() {
    let schema = schema("{}", json!([]));
    let accepted = Answer::Accept(serde_json::Map::new());
    for (answers, expected) in [
        ("\n", accepted),
        ("!decline\n", Answer::Decline),
        ("", Answer::Cancel),
    ] {
        let (mut terminal, _) = terminal(answers);
        assert_eq!(terminal.fill_in("Sure?", &schema).await.unwrap(), expected);
    }
}

#[tokio::test]
async fn a_page_is_visited_or_not() {
    let accepted = Answer::Accept(serde_json::Map::new());
    for (answers, expected) in [
        ("what?\ndone\n", accepted.clone()),
        ("\n", accepted),
        ("decline\n", Answer::Decline),
        ("!decline\n", Answer::Decline),
        ("!cancel\n", Answer::Cancel),
        ("", Answer::Cancel),
    ] {
        let (mut terminal, screen) = terminal(answers);
        let visited = terminal
            .visit("Sign in", "https://example.org/\u{7}x")
            .await;
        assert_eq!(visited.unwrap(), expected, "{answers:?}");
        assert!(screen.text().contains("  https://example.org/x\n"));
    }
}
