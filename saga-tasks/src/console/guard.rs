//! What every answer says to the browser, and which requests may change something.

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

pub(super) async fn headers(mut response: Response) -> Response {
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // With `no-referrer` a browser hides the origin of a form, too.
        (header::REFERRER_POLICY, "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        let headers = response.headers_mut();
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Refuses what another site has a browser send: the operator's cookies come with it.
pub(super) async fn same_origin(request: Request, next: Next) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    match reads || is_same_origin(request.headers(), request.uri()) {
        true => next.run(request).await,
        false => (StatusCode::FORBIDDEN, "sent by another site").into_response(),
    }
}

/// Whether the browser says so. `Sec-Fetch-Site` knows what the browser has asked for, also where a proxy has changed the
/// host; over plain HTTP there is `Origin` only. Nothing is said by what is no browser, and is refused.
fn is_same_origin(headers: &HeaderMap, uri: &Uri) -> bool {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = headers.get("sec-fetch-site") {
        return site == "same-origin";
    }
    let authority = uri.authority().map(|authority| authority.as_str());
    let host = text(header::HOST).or(authority);
    let origin = text(header::ORIGIN).and_then(|origin| origin.split_once("://"));
    match (origin, host) {
        (Some((_, origin)), Some(host)) => !host.is_empty() && origin.eq_ignore_ascii_case(host),
        _ => false,
    }
}
