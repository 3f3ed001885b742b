//! URI templates, as far as resources need them: `{name}` stands for text without a `/`, `{+name}` for any.
//!
//! Matching reads a URI once, from its start: a variable ends where the text after it is seen first, the last one
//! where the URI does. So the time that a URI takes is no matter of what is in it.

use percent_encoding::percent_decode_str;
use rmcp::model::JsonObject;

/// What a template is made of; `#[resource]` has checked it.
#[derive(Debug)]
pub(super) struct Template {
    /// What stands before the first variable.
    start: &'static str,
    /// Each variable, and what stands behind it.
    variables: Vec<Variable>,
}

#[derive(Debug)]
struct Variable {
    name: &'static str,
    /// Whether it stands for slashes, too.
    reserved: bool,
    behind: &'static str,
}

impl Template {
    /// Nothing where the text has no variables.
    pub(super) fn of(text: &'static str) -> Option<Self> {
        let mut pieces = text.split('{');
        let start = pieces.next()?;
        let variables: Vec<_> = pieces
            .filter_map(|piece| {
                let (name, behind) = piece.split_once('}')?;
                let plain = name.strip_prefix('+');
                Some(Variable {
                    name: plain.unwrap_or(name),
                    reserved: plain.is_some(),
                    behind,
                })
            })
            .collect();
        (!variables.is_empty()).then_some(Self { start, variables })
    }

    /// What a URI has in the place of each variable, decoded.
    pub(super) fn variables(&self, uri: &str) -> Option<JsonObject> {
        let mut rest = uri.strip_prefix(self.start)?;
        let mut found = JsonObject::new();
        for (index, variable) in self.variables.iter().enumerate() {
            let is_last = index + 1 == self.variables.len();
            let (text, after) = match is_last {
                true => (rest.strip_suffix(variable.behind)?, ""),
                false => rest.split_once(variable.behind)?,
            };
            let fits = !text.is_empty() && (variable.reserved || !text.contains(['/', '?', '#']));
            let decoded = percent_decode_str(text).decode_utf8().ok();
            let decoded = decoded.filter(|decoded| {
                // What is encoded leads out of a folder as well.
                let leads = decoded.contains('/')
                    || decoded.contains(char::is_control)
                    || matches!(&**decoded, "." | "..");
                fits && (variable.reserved || !leads)
            })?;
            found.insert(variable.name.to_owned(), decoded.into_owned().into());
            rest = after;
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::Template;
    use serde_json::json;

    fn variables(template: &'static str, uri: &str) -> Option<serde_json::Value> {
        Template::of(template)
            .and_then(|template| template.variables(uri))
            .map(serde_json::Value::Object)
    }

    #[test]
    fn variables_are_what_stands_in_their_places() {
        let cases = [
            ("a://{x}", "a://1", json!({ "x": "1" })),
            ("a://{x}/{y}", "a://1/2", json!({ "x": "1", "y": "2" })),
            ("a://{x}-{y}", "a://1-2-3", json!({ "x": "1", "y": "2-3" })),
            ("a://{x}.txt", "a://b.txt.txt", json!({ "x": "b.txt" })),
            ("a://{+path}", "a://b/c?d", json!({ "path": "b/c?d" })),
            ("a://{x}", "a://%C3%A4%20b", json!({ "x": "ä b" })),
        ];
        for (template, uri, expected) in cases {
            assert_eq!(variables(template, uri), Some(expected), "{template} {uri}");
        }
    }

    #[test]
    fn another_uri_does_not_match() {
        let cases = [
            ("a://{x}", "a://"),
            ("a://{x}", "b://1"),
            ("a://{x}", "a://1/2"),
            ("a://{x}/y", "a://1"),
            ("a://{x}/y", "a://1/y/z"),
            ("a://{x}", "a://%FF"),
            ("a://{x}", "a://..%2F..%2fetc"),
            ("a://{x}", "a://a%00"),
            ("a://{x}/{y}", "a://../passwd"),
            ("a://{x}", "a://%2E%2e"),
            ("a://{x}-{y}", "a://-1"),
        ];
        for (template, uri) in cases {
            assert_eq!(variables(template, uri), None, "{template} {uri}");
        }
        assert!(Template::of("a://b").is_none());
    }
}
