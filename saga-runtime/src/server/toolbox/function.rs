//! What a function in a toolbox takes and gives: rmcp's extractors and results, with bounds that name the
//! parameter that does not fit.

use std::{
    future::{Future, ready},
    pin::Pin,
};

use rmcp::{
    ErrorData,
    handler::server::{
        common::FromContextPart,
        prompt::{IntoGetPromptResult, PromptContext},
        tool::{IntoCallToolResult, ToolCallContext},
    },
    model::{CallToolResponse, GetPromptResponse, ReadResourceResponse},
};

use super::{
    Toolbox,
    resource::{IntoResource, ResourceContext},
};

/// An answer to come.
pub(crate) type Answer<T> = Pin<Box<dyn Future<Output = Result<T, ErrorData>> + Send>>;

/// What a function is in a toolbox.
pub trait Kind {
    /// What its parameters are taken of.
    type Context<'a, S: 'static>;
    /// What it is answered with.
    type Response: Send + 'static;
}

/// A tool.
#[derive(Debug)]
pub struct OfTool;

/// A prompt.
#[derive(Debug)]
pub struct OfPrompt;

/// A resource.
#[derive(Debug)]
pub struct OfResource;

impl Kind for OfTool {
    type Context<'a, S: 'static> = ToolCallContext<'a, Toolbox<S>>;
    type Response = CallToolResponse;
}

impl Kind for OfPrompt {
    type Context<'a, S: 'static> = PromptContext<'a, Toolbox<S>>;
    type Response = GetPromptResponse;
}

impl Kind for OfResource {
    type Context<'a, S: 'static> = ResourceContext<'a, Toolbox<S>>;
    type Response = ReadResourceResponse;
}

/// A parameter.
#[diagnostic::on_unimplemented(
    message = "a function in a toolbox whose state is `{S}` cannot take `{Self}`",
    label = "a function here has a parameter of the type `{Self}`",
    note = "why: a function in a toolbox is called with what a request and the toolbox have",
    note = "instead: `Cx`, `Parameters<Args>`, `State<T>` with the type of `toolbox! {{ state: .. }}`, `Extension<T>` or another extractor of rmcp",
    note = "a method with `&self` goes on a router of its own: `#[tool_router]`; here, a function with `State<T>`"
)]
pub trait Part<K: Kind, S: 'static>: Sized {
    /// Takes it.
    fn part(context: &mut K::Context<'_, S>) -> Result<Self, ErrorData>;
}

macro_rules! parts_of {
    ($($kind:ident: $context:ident;)*) => {
        $(
            #[diagnostic::do_not_recommend]
            impl<T, S: 'static> Part<$kind, S> for T
            where
                T: for<'a> FromContextPart<$context<'a, Toolbox<S>>>,
            {
                fn part(context: &mut $context<'_, Toolbox<S>>) -> Result<Self, ErrorData> {
                    T::from_context_part(context)
                }
            }
        )*
    };
}

parts_of! {
    OfTool: ToolCallContext;
    OfPrompt: PromptContext;
    OfResource: ResourceContext;
}

/// The parameters, in their order.
pub trait Parts<K: Kind, S: 'static>: Sized {
    /// Takes them.
    fn parts(context: &mut K::Context<'_, S>) -> Result<Self, ErrorData>;
}

/// A function of such parameters.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a function that a toolbox can serve",
    label = "not a function of at most 16 parameters that can be called from any thread",
    note = "instead: an `async fn` with `#[tool]`, `#[prompt]` or `#[resource]`"
)]
pub trait Function<A>: Clone + Send + Sync + 'static {
    /// What it gives: a future, or at once.
    type Output;
    /// Calls it.
    fn call(&self, arguments: A) -> Self::Output;
}

macro_rules! functions {
    ($first:ident $($rest:ident)*) => {
        functions!(@one $first $($rest)*);
        functions!($($rest)*);
    };
    () => {
        functions!(@one);
    };
    (@one $($t:ident)*) => {
        impl<K: Kind, S: 'static, $($t: Part<K, S>),*> Parts<K, S> for ($($t,)*) {
            #[allow(unused_variables, clippy::unused_unit, reason = "no parameters need no context")]
            fn parts(context: &mut K::Context<'_, S>) -> Result<Self, ErrorData> {
                Ok(($($t::part(context)?,)*))
            }
        }

        impl<F, R, $($t),*> Function<($($t,)*)> for F
        where
            F: Fn($($t),*) -> R + Clone + Send + Sync + 'static,
        {
            type Output = R;

            #[allow(non_snake_case, reason = "named like their types")]
            fn call(&self, ($($t,)*): ($($t,)*)) -> R {
                self($($t),*)
            }
        }
    };
}

functions!(T0 T1 T2 T3 T4 T5 T6 T7 T8 T9 T10 T11 T12 T13 T14 T15);

/// What a function gives.
#[diagnostic::on_unimplemented(
    message = "a function in a toolbox returns `{Self}`",
    label = "not something that a tool, a prompt or a resource can return",
    note = "of a tool: text, `Json<T>`, `CallToolResult`, or a `Result` of one with `AskError`, `ErrorData` or another `IntoCallToolResult`",
    note = "of a prompt: `GetPromptResult`, `Vec<PromptMessage>`, or a `Result` of one with `ErrorData`",
    note = "of a resource: text, `ReadResourceResult`, or a `Result` of one with what becomes `ErrorData`; and each of them `Send`"
)]
pub trait Outcome<K: Kind, M> {
    /// The response; of a resource, with the URI that was asked for.
    fn outcome(self, uri: &str) -> Answer<K::Response>;
}

/// Marks what gives its result later.
#[derive(Debug)]
pub struct Later;

/// Marks what gives its result at once.
#[derive(Debug)]
pub struct AtOnce;

macro_rules! outcomes {
    ($($kind:ident: $into:ident, $method:ident $(, $uri:ident)?;)*) => {
        $(
            #[diagnostic::do_not_recommend]
            impl<F> Outcome<$kind, Later> for F
            where
                F: Future<Output: $into> + Send + 'static,
            {
                #[allow(unused_variables, reason = "only a resource says again where it is")]
                fn outcome(self, uri: &str) -> Answer<<$kind as Kind>::Response> {
                    $(let $uri = uri.to_owned();)?
                    Box::pin(async move { self.await.$method($(&$uri)?) })
                }
            }

            #[diagnostic::do_not_recommend]
            impl<R: $into> Outcome<$kind, AtOnce> for R {
                #[allow(unused_variables, reason = "only a resource says again where it is")]
                fn outcome(self, uri: &str) -> Answer<<$kind as Kind>::Response> {
                    $(let $uri = uri;)?
                    Box::pin(ready(self.$method($($uri)?)))
                }
            }
        )*
    };
}

outcomes! {
    OfTool: IntoCallToolResult, into_call_tool_result;
    OfPrompt: IntoGetPromptResult, into_get_prompt_result;
    OfResource: IntoResource, into_resource, address;
}
