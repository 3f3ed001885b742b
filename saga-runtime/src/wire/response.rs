//! What requests that may ask are answered with.

use rmcp::model::{
    CallToolResponse, CallToolResult, CreateTaskResult, GetPromptResponse, InputRequiredResult,
    ReadResourceResponse,
};
use serde_json::Value;

/// The answer to a request that may end with `input_required`.
pub trait Response: From<InputRequiredResult> + Send {
    /// It as JSON, and whether it asks; nothing where it is of another kind.
    #[doc(hidden)]
    fn parts(&self) -> Option<(Value, bool)>;
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
            fn parts(&self) -> Option<(Value, bool)> {
                match self {
                    Self::Complete(result) => Some((serde_json::to_value(result).ok()?, false)),
                    Self::InputRequired(asked) => Some((serde_json::to_value(asked).ok()?, true)),
                    #[allow(unreachable_patterns, reason = "a tool may answer with a task, too")]
                    _ => None,
                }
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
