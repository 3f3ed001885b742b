//! What requests that may ask are answered with.

use rmcp::{
    ErrorData,
    model::{
        CallToolResponse, CallToolResult, CreateTaskResult, GetPromptResponse, InputRequiredResult,
        ReadResourceResponse,
    },
};
use serde_json::Value;

use crate::error::Error;

/// How a request was served: by what its tool came to, or by an error that is the engine's.
pub(crate) type Served<T> = Result<Result<T, ErrorData>, Error>;

/// An answer as JSON.
#[doc(hidden)]
#[derive(Debug)]
pub enum Parts {
    Done(Value),
    Asked(Value),
    Task(Value),
}

/// The answer to a request that may end with `input_required`.
pub trait Response: Sync + From<InputRequiredResult> + Send {
    /// It as JSON; nothing where it is of no kind that is known.
    #[doc(hidden)]
    fn parts(&self) -> Option<Parts>;
    /// Whether it is an error; nothing where it asks.
    #[doc(hidden)]
    fn is_error(&self) -> Option<bool>;
    /// One that is a task; nothing where there are none of its kind.
    #[doc(hidden)]
    fn task(task: CreateTaskResult) -> Option<Self> {
        let _ = task;
        None
    }
    /// One with a tool's result.
    #[doc(hidden)]
    fn called(result: CallToolResult) -> Option<Self> {
        let _ = result;
        None
    }
    /// A completed one.
    #[doc(hidden)]
    fn complete(value: Value) -> Option<Self>;
}

macro_rules! responses {
    ($($ty:ident $(($is_error:ident, $task:ident))?;)*) => {
        $(impl Response for $ty {
            fn parts(&self) -> Option<Parts> {
                Some(match self {
                    Self::Complete(result) => Parts::Done(serde_json::to_value(result).ok()?),
                    Self::InputRequired(asked) => Parts::Asked(serde_json::to_value(asked).ok()?),
                    $(Self::$task(task) => Parts::Task(serde_json::to_value(task).ok()?),)?
                    #[allow(unreachable_patterns, reason = "a tool may have more kinds")]
                    _ => return None,
                })
            }

            fn is_error(&self) -> Option<bool> {
                match self {
                    Self::InputRequired(_) => None,
                    $(Self::Complete(result) => Some(result.$is_error == Some(true)),)?
                    #[allow(unreachable_patterns, reason = "only a tool's result says so")]
                    _ => Some(false),
                }
            }

            $(fn task(task: CreateTaskResult) -> Option<Self> {
                Some(Self::$task(task))
            }

            fn called(result: CallToolResult) -> Option<Self> {
                Some(Self::Complete(result))
            })?

            fn complete(value: Value) -> Option<Self> {
                serde_json::from_value(value).ok().map(Self::Complete)
            }
        })*
    };
}

responses! {
    CallToolResponse(is_error, Task);
    GetPromptResponse;
    ReadResourceResponse;
}
