//! The prompts.

use rmcp::{
    ErrorData, RoleServer,
    handler::server::wrapper::Parameters,
    model::{ContentBlock, PromptMessage, ResourceContents, Role},
    prompt, prompt_router,
    service::RequestContext,
};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{answers::given, resources::IMAGE, server::Everything};

#[derive(Deserialize, JsonSchema)]
struct Two {
    /// The first argument
    arg1: String,
    /// The second argument
    arg2: String,
}

#[derive(Deserialize, JsonSchema)]
struct Embedded {
    /// The uri of the resource
    #[serde(rename = "resourceUri")]
    resource_uri: String,
}

#[derive(Deserialize, JsonSchema)]
struct Topic {
    context: String,
}

rmcp::elicit_safe!(Topic);

#[prompt_router(router = "prompts", vis = "pub(crate)")]
impl Everything {
    /// Has no arguments
    #[prompt]
    async fn test_simple_prompt(&self) -> Vec<PromptMessage> {
        vec![user("This is a simple prompt for testing.")]
    }

    /// Has two arguments
    #[prompt]
    async fn test_prompt_with_arguments(
        &self,
        Parameters(Two { arg1, arg2 }): Parameters<Two>,
    ) -> Vec<PromptMessage> {
        let text = format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'");
        vec![user(text)]
    }

    /// Holds a resource
    #[prompt]
    async fn test_prompt_with_embedded_resource(
        &self,
        Parameters(Embedded { resource_uri }): Parameters<Embedded>,
    ) -> Vec<PromptMessage> {
        let text = "Embedded resource content for testing.";
        let resource = ContentBlock::resource(ResourceContents::text(text, resource_uri));
        vec![
            PromptMessage::new(Role::User, resource),
            user("Please process the embedded resource above."),
        ]
    }

    /// Holds an image
    #[prompt]
    async fn test_prompt_with_image(&self) -> Vec<PromptMessage> {
        let image = ContentBlock::image(IMAGE, "image/png");
        vec![
            PromptMessage::new(Role::User, image),
            user("Please analyze the image above."),
        ]
    }

    /// Asks the user what it is to be about
    #[saga]
    #[prompt]
    async fn test_input_required_result_prompt(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<Vec<PromptMessage>, ErrorData> {
        let user_context = context.peer.elicit::<Topic>("What is it about?").await;
        let text = match given(user_context)? {
            Some(topic) => format!("Let us talk about {}.", topic.context),
            None => "Let us talk.".to_owned(),
        };
        Ok(vec![user(text)])
    }
}

fn user(text: impl Into<String>) -> PromptMessage {
    PromptMessage::new_text(Role::User, text)
}
