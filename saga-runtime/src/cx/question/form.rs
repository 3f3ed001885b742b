//! `cx.elicit::<T>(..)`: a form.

use std::{marker::PhantomData, time::Duration};

use rmcp::{
    ErrorData,
    model::{
        ClientCapabilities, ElicitRequest, ElicitRequestParams, ElicitationCapability, InputRequest,
    },
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AskError, Common, common};
use crate::{
    ask::{
        Ask, Judged,
        answer::Answer,
        client::{Client, Need},
    },
    cx::Cx,
    elicit::Elicit,
};

/// How often a form is asked for, where the author says nothing.
pub(super) const TRIES: u32 = 3;

/// A form that the user is asked to fill in; made by [`Cx::elicit`](crate::Cx::elicit).
#[derive(Debug)]
#[must_use = "a question is asked when it is awaited"]
pub struct FormQuestion<T> {
    common: Common,
    memo: FormMemo,
    answer: PhantomData<fn() -> T>,
}

/// What of a form is known only at run time.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct FormMemo {
    message: String,
    /// How often it may still be asked, with this time.
    tries: u32,
    /// Why the last answer did not fit.
    problem: Option<String>,
}

impl<T> FormQuestion<T> {
    pub(crate) fn new(cx: Cx, message: String) -> Self {
        Self {
            common: Common::new(cx),
            memo: FormMemo {
                message,
                tries: TRIES,
                problem: None,
            },
            answer: PhantomData,
        }
    }

    /// How often the form is shown at most, the first time included: 3 where nothing is said. After
    /// that an answer that does not fit is [`AskError::Invalid`].
    pub fn tries(mut self, tries: u32) -> Self {
        self.memo.tries = tries.max(1);
        self
    }
}

common!(FormQuestion<T: Elicit>);

impl<T: Elicit> Ask for FormQuestion<T> {
    type Output = Result<T, AskError>;
    type Memo = FormMemo;

    const CHECKS: bool = true;

    fn memo(&mut self) -> FormMemo {
        std::mem::take(&mut self.memo)
    }

    fn key(&self) -> Option<&str> {
        self.common.key.as_deref()
    }

    fn timeout(&self) -> Option<Duration> {
        self.common.timeout
    }

    fn refusal(&self, client: &Client) -> Option<Answer> {
        (!client.can_elicit()).then_some(Answer::Unsupported)
    }

    fn need(&self) -> Need {
        Need::Form
    }

    fn undeclared(_: Need, _: &Client) -> Answer {
        Answer::Unsupported
    }

    fn request(memo: FormMemo, client: &Client) -> Result<InputRequest, ErrorData> {
        let message = match memo.problem {
            Some(problem) => format!("{}\n({problem})", memo.message),
            None => memo.message,
        };
        let requested_schema = T::form().schema(client.version())?;
        Ok(InputRequest::Elicitation(ElicitRequest::new(
            ElicitRequestParams::FormElicitationParams {
                meta: None,
                message,
                requested_schema,
            },
        )))
    }

    fn judge(memo: FormMemo, result: Value) -> Judged<FormMemo> {
        if memo.tries <= 1 || result.get("action").and_then(Value::as_str) != Some("accept") {
            return Judged::Settled(result);
        }
        match read::<T>(&result) {
            Ok(_) => Judged::Settled(result),
            Err(problem) => Judged::Again(FormMemo {
                tries: memo.tries - 1,
                problem: Some(problem),
                ..memo
            }),
        }
    }

    fn output(answer: &Answer) -> Self::Output {
        let Answer::Result(result) = answer else {
            let mut required = ClientCapabilities::default();
            required.elicitation = Some(ElicitationCapability::default());
            return Err(AskError::of(answer, required));
        };
        match result.get("action").and_then(Value::as_str) {
            Some("decline") => Err(AskError::Declined),
            Some("cancel") => Err(AskError::Dismissed),
            _ => read(result).map_err(AskError::Invalid),
        }
    }
}

/// The form in an accepted result, or what is wrong with it.
fn read<T: Elicit>(result: &Value) -> Result<T, String> {
    let content = result.get("content").filter(|content| !content.is_null());
    let empty = Value::Object(serde_json::Map::new());
    let content = content.unwrap_or(&empty);
    T::form().check(content)?;
    T::deserialize(T::form().tidied(content)).map_err(|error| error.to_string())
}

impl<T: Elicit> crate::ask::pause::Question for FormQuestion<T> {}
