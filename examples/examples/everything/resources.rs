//! The resources, which never change.

use rmcp::{
    ErrorData,
    model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate},
};
use serde_json::json;

/// A gray pixel.
pub(crate) const IMAGE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==";

const TEXT_URI: &str = "test://static-text";
const IMAGE_URI: &str = "test://static-binary";
const WATCHED_URI: &str = "test://watched-resource";
const TEMPLATE: &str = "test://template/{id}/data";

/// The resources that are not made by a template.
pub(crate) fn all() -> Vec<Resource> {
    vec![
        Resource::new(TEXT_URI, "static-text")
            .with_description("A text")
            .with_mime_type("text/plain"),
        Resource::new(IMAGE_URI, "static-binary")
            .with_description("An image")
            .with_mime_type("image/png"),
        Resource::new(WATCHED_URI, "watched-resource")
            .with_description("A text to subscribe to")
            .with_mime_type("text/plain"),
    ]
}

/// The templates of resources.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let data = ResourceTemplate::new(TEMPLATE, "data")
        .with_description("Data by its id")
        .with_mime_type("application/json");
    vec![data]
}

/// The contents of a resource.
pub(crate) fn read(uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let contents = match uri {
        TEXT_URI => ResourceContents::text("This is the content of the static text resource.", uri),
        WATCHED_URI => ResourceContents::text("This never changes.", uri),
        IMAGE_URI => ResourceContents::blob(IMAGE, uri).with_mime_type("image/png"),
        _ => {
            let Some(id) = id(uri) else {
                let data = json!({ "uri": uri });
                return Err(ErrorData::resource_not_found(
                    "no such resource",
                    Some(data),
                ));
            };
            let data =
                json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            ResourceContents::text(data.to_string(), uri).with_mime_type("application/json")
        }
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

fn id(uri: &str) -> Option<&str> {
    let (before, after) = TEMPLATE.split_once("{id}")?;
    let id = uri.strip_prefix(before)?.strip_suffix(after)?;
    (!id.is_empty() && !id.contains('/')).then_some(id)
}
