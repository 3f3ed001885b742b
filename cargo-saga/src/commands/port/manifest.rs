//! Dependencies that a port needs, added to manifests.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use similar::{ChangeTag, TextDiff};
use toml_edit::{DocumentMut, InlineTable, Item, TableLike, Value, value};

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
    let shared = shared
        .get("workspace")
        .and_then(|workspace| workspace.get("dependencies"))
        .and_then(Item::as_table_like);
    let name = needed.name();
    let new = of_tests(manifest, name)
        .or_else(|| of_workspace(shared, name))
        .unwrap_or_else(|| needed.entry());
    let entry = manifest
        .entry("dependencies")
        .or_insert_with(toml_edit::table);
    let Some(dependencies) = entry.as_table_like_mut() else {
        return;
    };
    let key = match key_of(dependencies, shared, name) {
        Some(key) => key,
        // The key is that of another package: the compiler says what comes of it.
        None if dependencies.contains_key(name) => return,
        None => {
            dependencies.insert(name, new);
            name.to_owned()
        }
    };
    if needed == Needed::Serde
        && let Some(known) = dependencies.get_mut(&key)
    {
        derive_too(known, shared.and_then(|shared| shared.get(&key)));
    }
}

/// Under which key a package is, in its own name or renamed, where the renaming may be the workspace's.
fn key_of(
    dependencies: &dyn TableLike,
    shared: Option<&dyn TableLike>,
    name: &str,
) -> Option<String> {
    let mut entries = dependencies.iter();
    let is_it = |(key, entry): &(&str, &Item)| {
        let shared = shared.and_then(|shared| shared.get(key));
        let shared = shared.filter(|_| is_of_workspace(entry));
        package_of(key, shared.unwrap_or(entry)) == name
    };
    entries.find(is_it).map(|(key, _)| key.to_owned())
}

/// The package that an entry is about.
fn package_of<'e>(key: &'e str, entry: &'e Item) -> &'e str {
    let renamed = entry.as_table_like().and_then(|entry| entry.get("package"));
    renamed.and_then(Item::as_str).unwrap_or(key)
}

fn is_of_workspace(entry: &Item) -> bool {
    let entry = entry.as_table_like();
    entry.is_some_and(|entry| entry.contains_key("workspace"))
}

/// What tests, the build script or some targets have of it already: two sources of one package would be two packages.
fn of_tests(manifest: &DocumentMut, name: &str) -> Option<Item> {
    const TABLES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];
    let targets = manifest.get("target").and_then(Item::as_table_like);
    let targets = targets.into_iter().flat_map(TableLike::iter);
    let targets = targets.filter_map(|(_, target)| target.as_table_like());
    let mut places = std::iter::once(manifest.as_table() as &dyn TableLike).chain(targets);
    let found = places.find_map(|place| {
        let tables = TABLES.iter().filter_map(|table| place.get(table));
        let mut entries = tables.filter_map(|table| table.as_table_like()?.get(name));
        entries.find(|entry| package_of(name, entry) == name)
    });
    let mut found = found?.clone();
    if let Some(table) = found.as_table_like_mut() {
        table.remove("optional");
        // The kit of tests is for tests.
        if let Some(features) = table.get_mut("features").and_then(Item::as_array_mut) {
            features.retain(|feature| feature.as_str() != Some("testing"));
        }
    }
    space_evenly(&mut found);
    Some(found)
}

/// `name.workspace = true`, where the workspace has it under its own name.
fn of_workspace(shared: Option<&dyn TableLike>, name: &str) -> Option<Item> {
    let known = shared?.get(name)?;
    let mut table = InlineTable::new();
    table.set_dotted(true);
    table.insert("workspace", true.into());
    (package_of(name, known) == name).then(|| value(table))
}

/// `serde = "1"` has no derives of its own.
fn derive_too(serde: &mut Item, shared: Option<&Item>) {
    if let Some(version) = serde.as_str() {
        let mut table = InlineTable::new();
        table.insert("version", version.into());
        table.insert("features", Value::Array(["derive"].into_iter().collect()));
        *serde = value(table);
        return;
    }
    // What the workspace says of it counts, too.
    if is_of_workspace(serde) && shared.is_some_and(derives) || derives(serde) {
        return;
    }
    let Some(table) = serde.as_table_like_mut() else {
        return;
    };
    if let Some(features) = table.get_mut("features") {
        if let Some(features) = features.as_array_mut() {
            features.push("derive");
        }
        return;
    }
    let features = Value::Array(["derive"].into_iter().collect());
    table.insert("features", value(features));
    space_evenly(serde);
}

/// What is added to `{ .. }`, or taken out of it, leaves the space before its end where that was.
fn space_evenly(entry: &mut Item) {
    if let Some(table) = entry.as_inline_table_mut()
        && !table.is_dotted()
    {
        table.fmt();
    }
}

fn derives(serde: &Item) -> bool {
    let features = serde
        .as_table_like()
        .and_then(|entry| entry.get("features"));
    let mut features = features.and_then(Item::as_array).into_iter().flatten();
    features.any(|known| known.as_str() == Some("derive"))
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
        assert_eq!(
            added(&whole, &format!("[workspace.dependencies]\n{derive}")),
            whole
        );
    }

    #[test]
    fn a_package_is_one_under_any_key_and_derives_are_asked_for_where_nobody_does() {
        let runtime = format!("saga-runtime = \"{}\"\n", env!("CARGO_PKG_VERSION"));
        let plain = "[workspace.dependencies]\nserde = \"1\"\n";
        let renamed =
            "[workspace.dependencies]\nserde1 = { package = \"serde\", version = \"1\" }\n";
        for (shared, before, after) in [
            (
                "",
                "serde1 = { package = \"serde\", version = \"1\" }\n",
                "serde1 = { package = \"serde\", version = \"1\", features = [\"derive\"] }\n",
            ),
            (
                plain,
                "serde = { workspace = true }\n",
                "serde = { workspace = true, features = [\"derive\"] }\n",
            ),
            (
                plain,
                "serde.workspace = true\n",
                "serde.workspace = true\nserde.features = [\"derive\"]\n",
            ),
            (
                renamed,
                "serde1 = { workspace = true }\n",
                "serde1 = { workspace = true, features = [\"derive\"] }\n",
            ),
            (
                renamed,
                "",
                "serde = { version = \"1\", features = [\"derive\"] }\n",
            ),
            // Another package has its name.
            (
                "",
                "serde = { package = \"other\", version = \"1\" }\n",
                "serde = { package = \"other\", version = \"1\" }\n",
            ),
        ] {
            let before = format!("[dependencies]\n{runtime}{before}");
            let after = format!("[dependencies]\n{runtime}{after}");
            assert_eq!(added(&before, shared), after);
        }
        let shared = added(&format!("[dependencies]\n{runtime}"), plain);
        let shared: DocumentMut = shared.parse().expect("a manifest");
        let serde = shared["dependencies"].get("serde").expect("it is there");
        assert!(is_of_workspace(serde) && derives(serde), "{shared}");
    }

    #[test]
    fn what_tests_have_is_had_from_the_same_source() {
        let serde = "serde = { version = \"1\", features = [\"derive\"] }\n";
        let tests = "[dev-dependencies]\nsaga-runtime = { path = \"../runtime\" }\n";
        let runtime = "saga-runtime = { path = \"../runtime\" }\n";
        assert_eq!(
            added(&format!("[dependencies]\n{serde}\n{tests}"), ""),
            format!("[dependencies]\n{serde}{runtime}\n{tests}")
        );
        let unix = "[target.'cfg(unix)'.dependencies]\nsaga-runtime = { path = \"../runtime\", optional = true }\n";
        assert_eq!(
            added(&format!("[dependencies]\n{serde}\n{unix}"), ""),
            format!("[dependencies]\n{serde}{runtime}\n{unix}")
        );
    }
}
