//! Resources of a toolbox: functions for a URI, or for all that fit a template.

use std::{collections::BTreeSet, fmt, sync::Arc};

use rmcp::{
    ErrorData, RoleServer,
    handler::server::{
        common::{AsRequestContext, FromContextPart},
        wrapper::Parameters,
    },
    model::{
        InputResponses, JsonObject, MetaObject, ReadResourceRequestParams, ReadResourceResponse,
        ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
    },
    service::RequestContext,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Toolbox, ToolboxError, function::Answer, template::Template};
use crate::ask::forms::PROBLEMS;

/// What `#[resource]` says of a function.
#[derive(Debug, Clone)]
pub struct ResourceAttr {
    /// The URI, or a template.
    pub uri: &'static str,
    /// The name, for programs.
    pub name: &'static str,
    /// The name, for people.
    pub title: Option<&'static str>,
    /// What it is.
    pub description: Option<&'static str>,
    /// The type of what is read.
    pub mime_type: Option<&'static str>,
    /// The forms that MCP does not allow, where the list is to have them.
    pub forms: Vec<String>,
}

impl ResourceAttr {
    fn meta(&self) -> Option<MetaObject> {
        (!self.forms.is_empty()).then(|| {
            MetaObject(JsonObject::from_iter([(
                PROBLEMS.to_owned(),
                json!(self.forms),
            )]))
        })
    }
}

/// What a resource is read with.
#[derive(Debug)]
pub struct ResourceContext<'a, T> {
    pub(super) server: &'a T,
    uri: String,
    variables: JsonObject,
    pub(crate) input_responses: Option<InputResponses>,
    pub(crate) request_state: Option<String>,
    request: RequestContext<RoleServer>,
}

impl<T> ResourceContext<'_, T> {
    /// What is read.
    pub(crate) fn uri(&self) -> &str {
        &self.uri
    }

    /// What it has in the places of its template.
    pub(crate) fn variables(&self) -> &JsonObject {
        &self.variables
    }
}

impl<T> AsRequestContext for ResourceContext<'_, T> {
    fn as_request_context(&self) -> &RequestContext<RoleServer> {
        &self.request
    }

    fn as_request_context_mut(&mut self) -> &mut RequestContext<RoleServer> {
        &mut self.request
    }
}

/// The URI of the resource that is read, as the client sent it: a parameter of a
/// [`#[resource]`](macro@crate::resource) function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uri(pub String);

impl<T> FromContextPart<ResourceContext<'_, T>> for Uri {
    fn from_context_part(context: &mut ResourceContext<'_, T>) -> Result<Self, ErrorData> {
        Ok(Self(context.uri.clone()))
    }
}

impl<T, P: DeserializeOwned> FromContextPart<ResourceContext<'_, T>> for Parameters<P> {
    fn from_context_part(context: &mut ResourceContext<'_, T>) -> Result<Self, ErrorData> {
        let variables = Value::Object(context.variables.clone());
        // To a client, a URI whose variables are not those of a resource is one without a resource.
        let read = serde_json::from_value(variables);
        read.map(Parameters).map_err(|error| {
            let data = json!({ "uri": context.uri });
            ErrorData::resource_not_found(format!("no resource: {error}"), Some(data))
        })
    }
}

/// What a resource's function gives: text, [`ReadResourceResult`], or a `Result` of one of them with an error
/// that becomes [`ErrorData`], as [`AskError`](crate::AskError) does.
#[diagnostic::on_unimplemented(
    message = "a resource gives `{Self}`",
    label = "not what a resource can be read as",
    note = "instead: text, `ReadResourceResult`, or a `Result` of one of them with what becomes `ErrorData`: `AskError`, `ErrorData`"
)]
pub trait IntoResource {
    /// The response, where `uri` was asked for.
    ///
    /// # Errors
    /// The function's own.
    fn into_resource(self, uri: &str) -> Result<ReadResourceResponse, ErrorData>;
}

impl IntoResource for ReadResourceResponse {
    fn into_resource(self, _: &str) -> Result<ReadResourceResponse, ErrorData> {
        Ok(self)
    }
}

impl IntoResource for ReadResourceResult {
    fn into_resource(self, _: &str) -> Result<ReadResourceResponse, ErrorData> {
        Ok(self.into())
    }
}

impl IntoResource for String {
    fn into_resource(self, uri: &str) -> Result<ReadResourceResponse, ErrorData> {
        // Of which type it is, the resource says.
        let contents = ResourceContents::TextResourceContents {
            uri: uri.to_owned(),
            mime_type: None,
            text: self,
            meta: None,
        };
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}

impl IntoResource for &'static str {
    fn into_resource(self, uri: &str) -> Result<ReadResourceResponse, ErrorData> {
        self.to_owned().into_resource(uri)
    }
}

impl<T: IntoResource, E: Into<ErrorData>> IntoResource for Result<T, E> {
    fn into_resource(self, uri: &str) -> Result<ReadResourceResponse, ErrorData> {
        self.map_err(Into::into)?.into_resource(uri)
    }
}

/// What reads a resource.
pub(super) type Read<S> =
    dyn Fn(ResourceContext<'_, Toolbox<S>>) -> Answer<ReadResourceResponse> + Send + Sync;

/// A resource, and what reads it.
pub(super) struct ResourceRoute<S> {
    attr: ResourceAttr,
    template: Option<Template>,
    read: Arc<Read<S>>,
}

impl<S> fmt::Debug for ResourceRoute<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.attr.fmt(f)
    }
}

impl<S> ResourceRoute<S> {
    pub(super) fn new(attr: ResourceAttr, read: Arc<Read<S>>) -> Self {
        let template = Template::of(attr.uri);
        Self {
            attr,
            template,
            read,
        }
    }

    /// What a URI has in the places of its template; nothing where it is another one's.
    fn variables(&self, uri: &str) -> Option<JsonObject> {
        match &self.template {
            None => (self.attr.uri == uri).then(JsonObject::new),
            Some(template) => template.variables(uri),
        }
    }
}

/// The resources, those without variables first.
#[derive(Debug)]
pub(super) struct ResourceRoutes<S>(Vec<ResourceRoute<S>>);

impl<S> ResourceRoutes<S> {
    pub(super) fn of(mut routes: Vec<ResourceRoute<S>>) -> Result<Self, ToolboxError> {
        let mut uris = BTreeSet::new();
        for route in &routes {
            if !uris.insert(route.attr.uri) {
                return Err(ToolboxError::DuplicateResource(route.attr.uri.to_owned()));
            }
        }
        routes.sort_by_key(|route| route.template.is_some());
        Ok(Self(routes))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn listed(&self) -> Vec<Resource> {
        let plain = self.0.iter().filter(|route| route.template.is_none());
        plain
            .map(|ResourceRoute { attr, .. }| {
                let mut resource = Resource::new(attr.uri, attr.name);
                resource.title = attr.title.map(Into::into);
                resource.description = attr.description.map(Into::into);
                resource.mime_type = attr.mime_type.map(Into::into);
                resource.meta = attr.meta();
                resource
            })
            .collect()
    }

    pub(super) fn templates(&self) -> Vec<ResourceTemplate> {
        let templates = self.0.iter().filter(|route| route.template.is_some());
        templates
            .map(|ResourceRoute { attr, .. }| {
                let mut template = ResourceTemplate::new(attr.uri, attr.name);
                template.title = attr.title.map(Into::into);
                template.description = attr.description.map(Into::into);
                template.mime_type = attr.mime_type.map(Into::into);
                template.meta = attr.meta();
                template
            })
            .collect()
    }

    pub(super) async fn read(
        &self,
        server: &Toolbox<S>,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let found = self
            .0
            .iter()
            .find_map(|route| Some((route, route.variables(&uri)?)));
        let Some((route, variables)) = found else {
            let data = json!({ "uri": uri });
            return Err(ErrorData::resource_not_found(
                "no such resource",
                Some(data),
            ));
        };
        let context = ResourceContext {
            server,
            uri,
            variables,
            input_responses: request.input_responses,
            request_state: request.request_state,
            request: context,
        };
        let mut response = (route.read)(context).await?;
        if let (ReadResourceResponse::Complete(result), Some(said)) =
            (&mut response, route.attr.mime_type)
        {
            for contents in &mut result.contents {
                let (ResourceContents::TextResourceContents { mime_type, .. }
                | ResourceContents::BlobResourceContents { mime_type, .. }) = contents
                else {
                    continue;
                };
                mime_type.get_or_insert_with(|| said.to_owned());
            }
        }
        Ok(response)
    }
}
