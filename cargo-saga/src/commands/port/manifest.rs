//! Dependencies that a port needs, added to manifests.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use similar::{ChangeTag, TextDiff};
use toml_edit::{DocumentMut, Item, TableLike, Value, value};

use crate::error::Error;

/// A dependency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Needed {
    SagaRuntime,
    /// With its derives.
    Serde,
}

impl Needed {
    fn name(self) -> &'static str {
        match self {
            Self::SagaRuntime => "saga-runtime",
            Self::Serde => "serde",
        }
    }

    fn entry(self) -> Item {
        match self {
            Self::SagaRuntime => value(env!("CARGO_PKG_VERSION")),
            Self::Serde => {
                let mut table = toml_edit::InlineTable::new();
                table.insert("version", "1".into());
                table.insert("features", Value::Array(["derive"].into_iter().collect()));
                value(table)
            }
        }
    }
}

/// The manifests with the dependencies in them that they lack.
pub(super) fn with(
    root: &Path,
    needed: &BTreeMap<PathBuf, BTreeSet<Needed>>,
) -> Result<BTreeMap<PathBuf, (String, String)>, Error> {
    let shared = read(&root.join("Cargo.toml"))?.1;
    let mut edited = BTreeMap::new();
    for (path, needed) in needed {
        let (text, mut manifest) = read(path)?;
        for needed in needed {
            add(&mut manifest, &shared, *needed);
        }
        let new = ending_as(&text, manifest.to_string());
        if new != text {
            edited.insert(path.clone(), (text, new));
        }
    }
    Ok(edited)
}

/// With the ends of lines that `text` has: what edits it knows one kind alone.
fn ending_as(text: &str, new: String) -> String {
    if !text.contains('\r') {
        return new;
    }
    let (was, is) = (text.replace("\r\n", "\n"), new.replace("\r\n", "\n"));
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    let mut ends = "\n";
    let mut all = String::with_capacity(new.len());
    for change in TextDiff::from_lines(&was, &is).iter_all_changes() {
        let line = change.old_index().and_then(|line| lines.get(line));
        if let Some(line) = line {
            ends = if line.ends_with("\r\n") { "\r\n" } else { "\n" };
        }
        match change.tag() {
            ChangeTag::Delete => {}
            ChangeTag::Equal => all.push_str(line.unwrap_or(&change.value())),
            ChangeTag::Insert => {
                all.push_str(change.value().trim_end_matches('\n'));
                all.push_str(ends);
            }
        }
    }
    all
}

fn read(path: &Path) -> Result<(String, DocumentMut), Error> {
    let text = fs::read_to_string(path).map_err(Error::file(path))?;
    let manifest = text.parse().map_err(|source| Error::Manifest {
        path: path.to_owned(),
        source,
    })?;
    Ok((text, manifest))
}

fn add(manifest: &mut DocumentMut, shared: &DocumentMut, needed: Needed) {
    let of_workspace = shared
        .get("workspace")
        .and_then(|workspace| workspace.get("dependencies"));
    let is_shared =
        of_workspace.is_some_and(|dependencies| dependencies.get(needed.name()).is_some());
    let entry = manifest
        .entry("dependencies")
        .or_insert_with(toml_edit::table);
    let Some(dependencies) = entry.as_table_like_mut() else {
        return;
    };
    match dependencies.get_mut(needed.name()) {
        Some(known) if needed == Needed::Serde => derive_too(known),
        Some(_) => {}
        None if is_shared => {
            let mut table = toml_edit::InlineTable::new();
            table.set_dotted(true);
            table.insert("workspace", true.into());
            dependencies.insert(needed.name(), value(table));
        }
        None => _ = dependencies.insert(needed.name(), needed.entry()),
    }
}

/// `serde = "1"` has no derives of its own.
fn derive_too(serde: &mut Item) {
    if let Some(version) = serde.as_str() {
        let mut table = toml_edit::InlineTable::new();
        table.insert("version", version.into());
        table.insert("features", Value::Array(["derive"].into_iter().collect()));
        *serde = value(table);
    } else if let Some(table) = serde.as_table_like_mut() {
        add_derive(table);
    }
}

fn add_derive(table: &mut dyn TableLike) {
    if table.get("workspace").is_some() {
        return;
    }
    let features = table
        .entry("features")
        .or_insert_with(|| value(toml_edit::Array::new()));
    if let Some(features) = features.as_array_mut()
        && !features
            .iter()
            .any(|known| known.as_str() == Some("derive"))
    {
        features.push("derive");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(manifest: &str, shared: &str) -> String {
        let mut manifest: DocumentMut = manifest.parse().expect("a manifest");
        let shared = shared.parse().expect("a manifest");
        add(&mut manifest, &shared, Needed::SagaRuntime);
        add(&mut manifest, &shared, Needed::Serde);
        manifest.to_string()
    }

    #[test]
    fn what_is_there_stays_as_it_is_written() {
        let runtime = format!("saga-runtime = \"{}\"\n", env!("CARGO_PKG_VERSION"));
        let derive = "serde = { version = \"1\", features = [\"derive\"] }\n";
        assert_eq!(
            added(
                "[dependencies] # here\nrmcp = \"3\"   # it\n\n[features]\n",
                ""
            ),
            format!("[dependencies] # here\nrmcp = \"3\"   # it\n{runtime}{derive}\n[features]\n")
        );
        assert_eq!(
            added("[dependencies]\nserde = \"1\"\n", ""),
            format!("[dependencies]\n{derive}{runtime}")
        );
        assert_eq!(
            added(
                "[dependencies]\nserde = { version = \"1\", features = [\"rc\"] }\n",
                "[workspace.dependencies]\nsaga-runtime = \"0.1\"\n"
            ),
            "[dependencies]\nserde = { version = \"1\", features = [\"rc\", \"derive\"] }\nsaga-runtime.workspace = true\n"
        );
        let text = "[dependencies]\r\nrmcp = \"3\"\r\n";
        assert_eq!(
            ending_as(text, added(text, "")),
            format!("{text}{runtime}{derive}")
                .replace("\r\n", "\n")
                .replace('\n', "\r\n")
        );
        let mixed = "[package]\nname = \"a\"\n\n[dependencies]\r\nrmcp = \"3\"\r\n# end\n";
        let edited = ending_as(mixed, added(mixed, ""));
        assert!(
            edited.starts_with("[package]\nname = \"a\"\n\n[dependencies]\r\nrmcp = \"3\"\r\n"),
            "{edited:?}"
        );
        assert!(
            edited.ends_with("# end\n") && edited.contains(runtime.trim()),
            "{edited:?}"
        );
        let whole = format!("[dependencies]\n{runtime}serde.workspace = true\n");
        assert_eq!(added(&whole, ""), whole);
    }
}
