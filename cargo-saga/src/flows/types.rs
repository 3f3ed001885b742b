//! Types as rustc prints them.

/// A type without the paths before its names: rustc leaves them out or not, depending on what else goes by that name.
///
/// ```text
/// HashMap<std::string::String, shop::Order>   →   HashMap<String, Order>
/// ```
pub(crate) fn short(ty: &str) -> String {
    // A number that nothing says the type of has the default one; rustc is asked before it gives that.
    let ty = ty.replace("{integer}", "i32").replace("{float}", "f64");
    without_paths(&ty)
}

/// Whether all of it is known.
pub(crate) fn is_known(ty: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    ty != "?" && ty.split(|c| !is_part(c)).all(|word| word != "_")
}

fn without_paths(ty: &str) -> String {
    let mut shortened = String::with_capacity(ty.len());
    let mut rest = ty;
    while let Some(first) = rest.chars().next() {
        let length = word(rest);
        if length == 0 {
            let after = first.len_utf8();
            shortened.push(first);
            rest = rest.get(after..).unwrap_or_default();
            continue;
        }
        let (name, behind) = rest.split_at(length);
        match behind.strip_prefix("::") {
            Some(next) if word(next) > 0 => rest = next,
            _ => {
                shortened.push_str(name);
                rest = behind;
            }
        }
    }
    shortened
}

/// The length of the name that a text begins with.
fn word(text: &str) -> usize {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '#';
    text.find(|c| !is_part(c)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::{is_known, short};

    #[test]
    fn a_placeholder_is_not_known() {
        for (ty, known) in [
            ("?", false),
            ("_", false),
            ("Vec<_>", false),
            ("Vec<_a>", true),
            ("(T_, _T)", true),
        ] {
            assert_eq!(is_known(ty), known, "{ty}");
        }
    }

    #[test]
    fn paths_are_left_out_and_the_rest_stays() {
        for (ty, shortened) in [
            ("usize", "usize"),
            ("std::string::String", "String"),
            (
                "HashMap<std::string::String, shop::Order>",
                "HashMap<String, Order>",
            ),
            ("&'a mut [shop::größe::Maß; 3]", "&'a mut [Maß; 3]"),
            ("<T as shop::Trait>::Item::<u8>", "<T as Trait>::Item::<u8>"),
            ("impl Fn(a::B) -> c::D", "impl Fn(B) -> D"),
            ("(), ::x", "(), ::x"),
            ("Vec<({integer}, {float})>", "Vec<(i32, f64)>"),
            ("", ""),
        ] {
            assert_eq!(short(ty), shortened, "{ty}");
        }
    }
}
