//! Patterns of text: regular expressions that mean the same to ECMA-262, in which JSON Schema has its patterns, and to
//! the engine that checks the answers.

use syn::LitStr;

use crate::errors::Errors;

/// Refuses a pattern that does not compile, or that another engine would read in another way.
pub(super) fn check(pattern: &LitStr, errors: &mut Errors) {
    let text = pattern.value();
    if let Err(error) = regex_lite::Regex::new(&text) {
        errors.refuse(
            pattern,
            &format!("a pattern that is no regular expression: {error}"),
            "every answer would be refused",
            "`^[A-Z]{2}-[0-9]+$`, say",
        );
        return;
    }
    if let Some(strange) = strange(&text) {
        errors.refuse(
            pattern,
            &format!("`{strange}` in a pattern"),
            "regular expressions of JSON Schema (ECMA-262) do not have it, or mean something else by it",
            "characters, `.`, `^`, `$`, `|`, `( )`, `(?: )`, classes `[a-z]`, `\\d`, `\\w`, `\\s`, `\\b`, and repetitions",
        );
    }
}

/// Whether a text has the pattern; one that is refused elsewhere does.
pub(super) fn fits(pattern: &str, text: &str) -> bool {
    regex_lite::Regex::new(pattern).map_or(true, |regex| regex.is_match(text))
}

/// The first thing in it that is not the same everywhere.
fn strange(pattern: &str) -> Option<String> {
    let mut rest = pattern;
    let mut in_class = false;
    while let Some(character) = rest.chars().next() {
        let (_, behind) = rest.split_at(character.len_utf8());
        if character == '\\' {
            let escaped = behind.chars().next()?;
            if escaped.is_alphanumeric() && !"dDwWsSbBnrtfv".contains(escaped) {
                return Some(format!("\\{escaped}"));
            }
            rest = behind.split_at(escaped.len_utf8()).1;
            continue;
        }
        match (character, in_class) {
            // A group with a name, a flag, or a condition.
            ('(', false) if behind.starts_with('?') && !behind.starts_with("?:") => {
                return Some(format!("({}", behind.chars().take(2).collect::<String>()));
            }
            ('[', true) => return Some("[ inside of a class".to_owned()),
            ('[', false) => {
                in_class = true;
                let behind = behind.strip_prefix('^').unwrap_or(behind);
                // `[]` is an empty class there, and the beginning of one here.
                if behind.starts_with(']') {
                    return Some("[]".to_owned());
                }
            }
            (']', true) => in_class = false,
            (one @ ('&' | '~' | '-'), true) if behind.starts_with(one) => {
                return Some(format!("{one}{one}"));
            }
            _ => {}
        }
        rest = behind;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::strange;

    #[test]
    fn what_every_engine_reads_alike_is_no_surprise() {
        for plain in [
            r"^[A-Z]{2}-\d+$",
            r"(?:a|b)*?c",
            r"[^\]\[a-z-]+\.",
            r"\bé+\b",
            r"a\\",
            "",
            r"[\w.]+@",
        ] {
            assert_eq!(strange(plain), None, "{plain}");
        }
        for (odd, what) in [
            (r"(?i)a", "(?i"),
            (r"(?P<n>a)", "(?P"),
            (r"(?=a)", "(?="),
            (r"\A", r"\A"),
            (r"\x41", r"\x"),
            (r"[[:alpha:]]", "[ inside of a class"),
            (r"[a&&b]", "&&"),
            (r"[]a]", "[]"),
            (r"[^]a]", "[]"),
            (r"\1", r"\1"),
        ] {
            assert_eq!(strange(odd).as_deref(), Some(what), "{odd}");
        }
    }
}
