//! What a server offers.

use rmcp::model::JsonObject;
use saga_client::terminal::{Style, plain};
use serde_json::Value;

use crate::{Result, calling::told, connect::Server, say};

pub(crate) async fn show(server: &Server) -> Result<()> {
    let style = Style::of_stdout();
    let Some(info) = server.peer_info() else {
        return Err("the server has not said what it is".into());
    };
    if let Some(named) = &info.server_info {
        let name = style.bold(&plain(&named.name));
        say(&format!("{name} {}", plain(&named.version)))?;
    }
    if let Some(instructions) = &info.instructions {
        say(&plain(instructions))?;
    }
    let offers = &info.capabilities;
    if offers.tools.is_some() {
        heading(style, "Tools")?;
        for tool in server.list_all_tools().await.map_err(told)? {
            let description = tool.description.as_deref().or(tool.title.as_deref());
            item(style, &tool.name, description)?;
            arguments(style, &tool.input_schema)?;
        }
    }
    if offers.prompts.is_some() {
        heading(style, "Prompts")?;
        for prompt in server.list_all_prompts().await.map_err(told)? {
            let description = prompt.description.as_deref().or(prompt.title.as_deref());
            item(style, &prompt.name, description)?;
            for known in prompt.arguments.iter().flatten() {
                let required = known.required == Some(true);
                argument(
                    style,
                    &known.name,
                    "string",
                    required,
                    known.description.as_deref(),
                )?;
            }
        }
    }
    if offers.resources.is_some() {
        heading(style, "Resources")?;
        for resource in server.list_all_resources().await.map_err(told)? {
            item(style, &resource.uri, Some(&resource.name))?;
        }
        for template in server.list_all_resource_templates().await.map_err(told)? {
            item(style, &template.uri_template, Some(&template.name))?;
        }
    }
    Ok(())
}

fn heading(style: Style, text: &str) -> Result<()> {
    say(&format!("\n{}", style.bold(text)))
}

fn item(style: Style, name: &str, description: Option<&str>) -> Result<()> {
    let description = plain(description.unwrap_or_default());
    let line = format!(
        "  {}  {}",
        style.good(&plain(name)),
        described(&description, 4)
    );
    say(line.trim_end())
}

fn arguments(style: Style, schema: &JsonObject) -> Result<()> {
    let required = schema.get("required").and_then(Value::as_array);
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let required = required.is_some_and(|required| required.iter().any(|it| it == name));
        let description = property.get("description").and_then(Value::as_str);
        argument(style, name, &kind(property), required, description)?;
    }
    Ok(())
}

fn argument(
    style: Style,
    name: &str,
    kind: &str,
    required: bool,
    description: Option<&str>,
) -> Result<()> {
    let optional = if required { "" } else { ", optional" };
    let kind = style.dim(&format!("({}{optional})", plain(kind)));
    let description = plain(description.unwrap_or_default());
    let line = format!("    {} {kind} {}", plain(name), described(&description, 6));
    say(line.trim_end())
}

/// The type of an argument, or its values where only some are allowed.
fn kind(property: &Value) -> String {
    if let Some(values) = property.get("enum").and_then(Value::as_array) {
        let values: Vec<_> = values.iter().map(Value::to_string).collect();
        return values.join(" | ");
    }
    match property.get("type") {
        Some(Value::String(kind)) => kind.clone(),
        Some(Value::Array(kinds)) => {
            let kinds: Vec<_> = kinds.iter().filter_map(Value::as_str).collect();
            kinds.join(" | ")
        }
        _ => "any".to_owned(),
    }
}

/// Further lines stand under the first one.
fn described(description: &str, indent: usize) -> String {
    description.replace('\n', &format!("\n{:indent$}", ""))
}
