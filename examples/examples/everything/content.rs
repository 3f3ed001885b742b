//! Tools that only answer: one for each kind of content, and for schemas.

use std::{sync::Arc, time::Duration};

use rmcp::{
    handler::server::wrapper::Parameters,
    model::{CallToolResult, ContentBlock, JsonObject, ResourceContents},
    tool, tool_router,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::{resources::IMAGE, server::Everything};

/// A few milliseconds of silence.
const SOUND: &str = "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA==";

#[derive(Deserialize, JsonSchema)]
struct Mirrored {
    /// Also sent as the header `Mcp-Param-Value`.
    #[schemars(extend("x-mcp-header" = "Value"))]
    value: String,
}

#[tool_router(router = content_tools, vis = "pub(crate)")]
impl Everything {
    /// Answers with text
    #[tool]
    async fn test_simple_text(&self) -> String {
        "This is a simple text response for testing.".to_owned()
    }

    /// Answers with an image
    #[tool]
    async fn test_image_content(&self) -> CallToolResult {
        CallToolResult::success(vec![ContentBlock::image(IMAGE, "image/png")])
    }

    /// Answers with a sound
    #[tool]
    async fn test_audio_content(&self) -> CallToolResult {
        CallToolResult::success(vec![ContentBlock::audio(SOUND, "audio/wav")])
    }

    /// Answers with a resource
    #[tool]
    async fn test_embedded_resource(&self) -> CallToolResult {
        let text = "This is an embedded resource content.";
        let resource = ResourceContents::text(text, "test://embedded-resource");
        CallToolResult::success(vec![ContentBlock::resource(resource)])
    }

    /// Answers with text, an image and a resource
    #[tool]
    async fn test_multiple_content_types(&self) -> CallToolResult {
        let data = json!({ "test": "data", "value": 123 }).to_string();
        let resource = ResourceContents::text(data, "test://mixed-content-resource")
            .with_mime_type("application/json");
        CallToolResult::success(vec![
            ContentBlock::text("Multiple content types test:"),
            ContentBlock::image(IMAGE, "image/png"),
            ContentBlock::resource(resource),
        ])
    }

    /// Fails
    #[tool]
    async fn test_error_handling(&self) -> CallToolResult {
        let text = "This tool intentionally returns an error for testing";
        CallToolResult::error(vec![ContentBlock::text(text)])
    }

    /// Answers late enough for a client to connect again in between
    #[tool]
    async fn test_reconnection(&self) -> String {
        tokio::time::sleep(Duration::from_millis(100)).await;
        "Answered after a while".to_owned()
    }

    /// Takes an argument that is sent as a header, too
    #[tool]
    async fn test_custom_header(
        &self,
        Parameters(Mirrored { value }): Parameters<Mirrored>,
    ) -> String {
        value
    }

    /// Takes arguments whose schema uses the vocabulary of JSON Schema 2020-12
    #[tool(input_schema = contact_schema())]
    async fn json_schema_2020_12_tool(
        &self,
        Parameters(contact): Parameters<JsonObject>,
    ) -> String {
        let names: Vec<_> = contact.keys().map(String::as_str).collect();
        format!("Given: {}", names.join(", "))
    }
}

fn contact_schema() -> Arc<JsonObject> {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
            }
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" }
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": {
            "properties": { "contactMethod": { "const": "phone" } },
            "required": ["contactMethod"]
        },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false
    });
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}
