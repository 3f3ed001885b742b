//! Tools that ask one question: as a live request to clients of 2025-11-25, in a round of its own
//! to those of 2026-07-28.

use rmcp::{
    ErrorData, RoleServer,
    handler::server::wrapper::Parameters,
    model::{CallToolResult, ElicitRequestParams, ElicitResult},
    service::RequestContext,
    tool, tool_router,
};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::{
    answers::{Value, given, internal, question, said, text, unanswered, without},
    server::Everything,
};

#[derive(Deserialize, JsonSchema)]
struct Sample {
    /// What the model is asked
    prompt: String,
}

#[derive(Deserialize, JsonSchema)]
struct Elicit {
    /// What the user is asked
    message: String,
}

#[tool_router(router = asking_tools, vis = "pub(crate)")]
impl Everything {
    /// Asks the model
    #[saga]
    #[tool]
    async fn test_sampling(
        &self,
        context: RequestContext<RoleServer>,
        Parameters(Sample { prompt }): Parameters<Sample>,
    ) -> Result<CallToolResult, ErrorData> {
        let reply = context.peer.create_message(question(prompt)).await;
        let reply = reply.map_err(unanswered)?;
        Ok(text(format!("LLM response: {}", said(&reply))))
    }

    /// Asks the user
    #[saga]
    #[tool]
    async fn test_elicitation(
        &self,
        context: RequestContext<RoleServer>,
        Parameters(Elicit { message }): Parameters<Elicit>,
    ) -> Result<CallToolResult, ErrorData> {
        let contact = json!({
            "username": { "type": "string", "description": "User's response" },
            "email": { "type": "string", "description": "User's email address" }
        });
        let form = form(&message, contact, &["username", "email"])?;
        let response = context.peer.create_elicitation(form).await;
        let response = response.map_err(unanswered)?;
        let response = described(&response);
        Ok(text(format!("User response: {response}")))
    }

    /// Asks the user, with a default for each kind of value
    #[saga]
    #[tool]
    async fn test_elicitation_sep1034_defaults(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let form = form("Who is it?", defaults(), &[])?;
        let response = context.peer.create_elicitation(form).await;
        let response = response.map_err(unanswered)?;
        let response = described(&response);
        Ok(text(format!("Elicitation completed: {response}")))
    }

    /// Asks the user to choose, in each form that a choice can have
    #[saga]
    #[tool]
    async fn test_elicitation_sep1330_enums(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let form = form("Which of them?", choices(), &[])?;
        let response = context.peer.create_elicitation(form).await;
        let response = response.map_err(unanswered)?;
        let response = described(&response);
        Ok(text(format!("Elicitation completed: {response}")))
    }

    /// Asks the user for a value
    #[saga]
    #[tool]
    async fn test_streaming_elicitation(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let value = context.peer.elicit::<Value>("Which value?").await;
        let Some(Value { value }) = given(value)? else {
            return Ok(without("a value"));
        };
        Ok(text(format!("The value is {value}")))
    }

    /// Cannot do without the model
    #[saga]
    #[tool]
    async fn test_missing_capability(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        // A client that declares no sampling is not asked: this is the error that says so.
        let reply = context
            .peer
            .create_message(question("Are you there?"))
            .await;
        let reply = reply.map_err(unanswered)?;
        Ok(text(format!("The model says: {}", said(&reply))))
    }
}

fn form(
    message: &str,
    properties: Json,
    required: &[&str],
) -> Result<ElicitRequestParams, ErrorData> {
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    Ok(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: message.to_owned(),
        requested_schema: serde_json::from_value(schema).map_err(internal)?,
    })
}

fn defaults() -> Json {
    json!({
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": {
            "type": "string",
            "enum": ["active", "inactive", "pending"],
            "default": "active"
        },
        "verified": { "type": "boolean", "default": true }
    })
}

fn choices() -> Json {
    let titled = |noun: &str| {
        json!([
            { "const": "value1", "title": format!("First {noun}") },
            { "const": "value2", "title": format!("Second {noun}") },
            { "const": "value3", "title": format!("Third {noun}") }
        ])
    };
    json!({
        "untitledSingle": { "type": "string", "enum": ["option1", "option2", "option3"] },
        "titledSingle": { "type": "string", "oneOf": titled("Option") },
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"]
        },
        "untitledMulti": {
            "type": "array",
            "items": { "type": "string", "enum": ["option1", "option2", "option3"] }
        },
        "titledMulti": { "type": "array", "items": { "anyOf": titled("Choice") } }
    })
}

fn described(response: &ElicitResult) -> String {
    let action = json!(response.action);
    let action = action.as_str().unwrap_or_default();
    let content = json!(response.content);
    format!("action={action}, content={content}")
}
