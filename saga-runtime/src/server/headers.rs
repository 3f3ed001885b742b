//! The standard headers of a request of our own methods (MCP 2026-07-28, basic/transports/streamable-http): rmcp checks
//! those of the methods that it knows.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::request::Parts;
use rmcp::{ErrorData, RoleServer, model::ProtocolVersion, service::RequestContext};

pub(crate) const MCP_NAME: &str = "mcp-name";
pub(crate) const VERSION: &str = "mcp-protocol-version";

/// Checks that a request over HTTP names in its header the tool that it is for.
///
/// # Errors
/// `-32020` where the header is missing, there twice, or of another tool.
pub(super) fn check_name(
    context: &RequestContext<RoleServer>,
    name: &str,
) -> Result<(), ErrorData> {
    let Some(parts) = context.extensions.get::<Parts>() else {
        return Ok(());
    };
    let newest = parts.headers.get(VERSION);
    let standard = ProtocolVersion::STANDARD_HEADERS;
    if newest.is_none_or(|version| version.as_bytes() < standard.as_str().as_bytes()) {
        return Ok(());
    }
    let mut named = parts.headers.get_all(MCP_NAME).iter();
    let (Some(named), None) = (named.next(), named.next()) else {
        return Err(ErrorData::header_mismatch(
            "`Mcp-Name` must be there, once",
            None,
        ));
    };
    let named = named.to_str().ok().and_then(decoded);
    if named.as_deref() == Some(name) {
        return Ok(());
    }
    Err(ErrorData::header_mismatch(
        "`Mcp-Name` is not the tool that is called",
        None,
    ))
}

/// A value of a header, which may be in Base64 (SEP-2243).
pub(crate) fn decoded(value: &str) -> Option<String> {
    let inner = value
        .strip_prefix("=?base64?")
        .and_then(|inner| inner.strip_suffix("?="));
    match inner {
        None => Some(value.to_owned()),
        Some(inner) => String::from_utf8(STANDARD.decode(inner).ok()?).ok(),
    }
}
