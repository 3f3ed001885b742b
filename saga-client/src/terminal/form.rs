//! Forms that a person fills in.

#[cfg(test)]
mod tests;

use std::io;

use rmcp::model::ElicitationSchema;
use serde_json::{Map, Value};

use super::{Field, Line, Terminal, plain};

/// What a person did with a form.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// Filled it in.
    Accept(Map<String, Value>),
    /// Refused it.
    Decline,
    /// Called all of it off.
    Cancel,
}

/// A field as it was left.
enum Filled {
    With(Value),
    Empty,
    Not(Answer),
}

impl Terminal {
    /// Has a form filled in. What a field may not have is asked for again, with the reason.
    ///
    /// # Errors
    /// Where nothing can be read or written.
    pub async fn fill_in(
        &mut self,
        message: &str,
        schema: &ElicitationSchema,
    ) -> io::Result<Answer> {
        self.ask("The server asks", message)?;
        let fields = fields(schema)?;
        let enter = match fields.iter().any(|field| field.default.is_some()) {
            _ if fields.is_empty() => "Enter accepts, ",
            true => "Enter takes what is in [brackets], ",
            false => "",
        };
        let help = format!("{enter}!decline refuses, !cancel or Ctrl-D calls it off");
        self.say(&self.style.dim(&format!("  {help}")))?;
        let mut content = Map::new();
        for field in &fields {
            match self.fill_in_field(field).await? {
                Filled::With(value) => content.insert(field.name.clone(), value),
                Filled::Empty => None,
                Filled::Not(answer) => return Ok(answer),
            };
        }
        if fields.is_empty() {
            return Ok(match self.line("  > ").await? {
                Line::Text(_) => Answer::Accept(content),
                Line::Decline => Answer::Decline,
                Line::Cancel => Answer::Cancel,
            });
        }
        Ok(Answer::Accept(content))
    }

    /// Has a person go to a page; accepted where it is done.
    ///
    /// # Errors
    /// Where nothing can be read or written.
    pub async fn visit(&mut self, message: &str, url: &str) -> io::Result<Answer> {
        self.ask("The server asks you to visit a page", message)?;
        let url = self.style.bold(&plain(url));
        self.say(&format!("  {url}"))?;
        let help = "Enter when it is done, !decline refuses, !cancel or Ctrl-D calls it off";
        self.say(&self.style.dim(&format!("  {help}")))?;
        loop {
            match self.line("  done > ").await? {
                Line::Text(text) => match text.to_lowercase().as_str() {
                    "" | "y" | "yes" | "done" => return Ok(Answer::Accept(Map::new())),
                    "n" | "no" | "decline" => return Ok(Answer::Decline),
                    _ => self.refuse("Enter, or !decline, is the answer")?,
                },
                Line::Decline => return Ok(Answer::Decline),
                Line::Cancel => return Ok(Answer::Cancel),
            }
        }
    }

    /// The head of a question.
    pub(super) fn ask(&mut self, who: &str, message: &str) -> io::Result<()> {
        let message = plain(message);
        self.say(&format!("\n{}: {message}", self.style.bold(who)))
    }

    fn refuse(&mut self, reason: &str) -> io::Result<()> {
        let reason = self.style.bad(&plain(reason));
        self.say(&format!("  {reason}"))
    }

    async fn fill_in_field(&mut self, field: &Field) -> io::Result<Filled> {
        self.describe(field)?;
        let shown = field.default.as_ref().map(|value| field.written(value));
        let prompt = match shown {
            Some(default) => format!("  [{}] > ", plain(&default)),
            None => "  > ".to_owned(),
        };
        loop {
            let text = match self.line(&prompt).await? {
                Line::Text(text) => text,
                Line::Decline => return Ok(Filled::Not(Answer::Decline)),
                Line::Cancel => return Ok(Filled::Not(Answer::Cancel)),
            };
            let filled = match (text.as_str(), &field.default) {
                ("", Some(default)) => field.check(default).map(|()| default.clone()),
                ("", None) if !field.required => return Ok(Filled::Empty),
                // None of them may be what is meant.
                ("", None) if field.is_list() => field.parse(""),
                ("", None) => Err("is required".to_owned()),
                (text, _) => field.parse(text),
            };
            match filled {
                Ok(value) => return Ok(Filled::With(value)),
                Err(reason) => self.refuse(&format!("{} {reason}", field.label()))?,
            }
        }
    }

    fn describe(&mut self, field: &Field) -> io::Result<()> {
        let label = self.style.bold(&plain(field.label()));
        let required = if field.required { "" } else { ", optional" };
        let hint = self.style.dim(&format!("({}{required})", field.hint()));
        self.say(&format!("  {label} {hint}"))?;
        for line in field.description.iter().flat_map(|text| text.lines()) {
            self.say(&format!("  {}", plain(line)))?;
        }
        let mark = field.mark();
        for (index, choice) in field.choices().iter().enumerate() {
            self.say(&format!(
                "    {mark}{} {}",
                index + 1,
                plain(choice.label())
            ))?;
        }
        Ok(())
    }
}

/// The fields in the order in which the server has them.
fn fields(schema: &ElicitationSchema) -> io::Result<Vec<Field>> {
    let required = schema.required.as_deref().unwrap_or_default();
    let ordered = schema.property_order.clone();
    let names = ordered.unwrap_or_else(|| schema.properties.keys().cloned().collect());
    let field = |name: &String| {
        let property = schema.properties.get(name)?;
        let property = serde_json::to_value(property).map_err(io::Error::other);
        Some(property.map(|property| Field::new(name, &property, required.contains(name))))
    };
    names.iter().filter_map(field).collect()
}
