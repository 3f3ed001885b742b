//! Where a call may rest though nobody is asked.

use std::fmt;

use rmcp::model::{CallToolResult, ContentBlock};

use crate::{
    ask::pause::{Pause, pauses},
    cx::Cx,
};

/// What was done so far is done; made by [`Cx::checkpoint`].
#[must_use = "a checkpoint is one when it is awaited"]
pub struct Checkpoint(());

/// A part of the result; made by [`Cx::partial`].
#[must_use = "a part of the result is given when it is awaited"]
pub struct Partial(CallToolResult);

/// The rest is done in the background; made by [`Cx::background`].
#[must_use = "the call goes to the background when it is awaited"]
pub struct Background(());

impl Cx {
    /// Keeps what was done so far, in a `#[saga]` function: in a task, what comes before it is not done again though the
    /// process is killed behind it. On every wire without a store it does nothing.
    ///
    /// In an arm of a `join!` it waits for the other arms to reach a question, a pause or their end: what is kept is
    /// the whole call.
    ///
    /// ```
    /// # use saga_runtime::{Cx, saga};
    /// # async fn render(frame: u32) {}
    /// #[saga]
    /// async fn film(cx: Cx, frames: u32) -> String {
    ///     for frame in 0..frames {
    ///         render(frame).await;
    ///         cx.checkpoint().await;
    ///     }
    ///     format!("{frames} frames")
    /// }
    /// ```
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint(())
    }

    /// Gives a part of the result, in a `#[saga]` function: to a client of resume tokens the answer so far, with a token
    /// for the rest; in a task its status message. On the other wires nothing.
    pub fn partial(&self, content: impl IntoPartial) -> Partial {
        Partial(content.into_partial())
    }

    /// From here on the client need not wait, in a `#[saga]` function: the call becomes a task, where the client knows
    /// tasks and the server has them. What is asked before it is asked in the call, what is asked after it in the task.
    /// Everywhere else it does nothing.
    pub fn background(&self) -> Background {
        Background(())
    }
}

/// What a part of a result may be: a text, or blocks of content.
pub trait IntoPartial {
    /// It as a result.
    fn into_partial(self) -> CallToolResult;
}

impl IntoPartial for CallToolResult {
    fn into_partial(self) -> CallToolResult {
        self
    }
}

impl IntoPartial for Vec<ContentBlock> {
    fn into_partial(self) -> CallToolResult {
        CallToolResult::success(self)
    }
}

impl IntoPartial for String {
    fn into_partial(self) -> CallToolResult {
        vec![ContentBlock::text(self)].into_partial()
    }
}

impl IntoPartial for &str {
    fn into_partial(self) -> CallToolResult {
        self.to_owned().into_partial()
    }
}

pauses!(Checkpoint: |_pause| Pause::Checkpoint);
pauses!(Partial: |partial| Pause::Partial(partial.0.clone()));
pauses!(Background: |_pause| Pause::Background);

macro_rules! plain {
    ($($ty:ident)*) => {
        $(impl fmt::Debug for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($ty)).finish_non_exhaustive()
            }
        }

        #[cfg(not(feature = "plain-questions"))]
        crate::cx::question::only_in_saga!($ty: ());

        /// For tests that compare a function with and without `#[saga]`.
        #[cfg(feature = "plain-questions")]
        impl IntoFuture for $ty {
            type Output = ();
            type IntoFuture = std::future::Ready<()>;

            fn into_future(self) -> Self::IntoFuture {
                std::future::ready(())
            }
        })*
    };
}

plain!(Checkpoint Partial Background);
