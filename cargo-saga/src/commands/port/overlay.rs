//! A copy of the workspace in its target directory, in which edits are tried.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{is_of, lock::Lock};
use crate::{
    error::Error,
    source::{direct, without_detours},
    workspace::Workspace,
};

/// The copy.
pub(super) struct Overlay {
    pub(super) root: PathBuf,
    original: PathBuf,
    /// Those of the workspace's packages, and its own.
    manifests: Vec<PathBuf>,
    /// Whether it stays, for the run that makes the edits after this one has shown them.
    stays: bool,
}

impl Drop for Overlay {
    fn drop(&mut self) {
        if !self.stays {
            // What is left of it is in the target directory, and the next run takes it.
            let _ = fs::remove_dir_all(&self.root);
        }
    }
}

impl Overlay {
    /// Copies Rust files and manifests, and links to the rest. It is at the same place each time, so that what was
    /// compiled for it is not compiled again.
    pub(super) fn of(workspace: &Workspace, lock: &Lock, stays: bool) -> Result<Self, Error> {
        let members = workspace
            .members
            .iter()
            .map(|member| member.manifest.clone());
        let mut manifests: Vec<_> = members.collect();
        manifests.push(workspace.root.join("Cargo.toml"));
        let overlay = Self {
            root: lock.copy.clone(),
            original: workspace.root.clone(),
            manifests,
            stays,
        };
        let outside = workspace
            .members
            .iter()
            .find(|member| !member.manifest.starts_with(&workspace.root));
        if let Some(member) = outside {
            return Err(Error::MemberOutside {
                name: member.name.clone(),
                path: member.manifest.clone(),
            });
        }
        // A folder that is a link is one in the copy, too: what is pinned there is the original.
        for manifest in &overlay.manifests {
            if !is_of(&workspace.root, manifest)? {
                let path = Workspace::shown(manifest).to_owned();
                return Err(Error::NotOfWorkspace { path });
            }
        }
        overlay.copy(&workspace.root, &overlay.root, &workspace.target_directory)?;
        for manifest in &overlay.manifests {
            overlay.pin_manifest(manifest)?;
        }
        Ok(overlay)
    }

    /// Where a file of the workspace is in the copy.
    pub(super) fn path(&self, original: &Path) -> PathBuf {
        match original.strip_prefix(&self.original) {
            Ok(inner) => self.root.join(inner),
            Err(_) => original.to_owned(),
        }
    }

    /// The file of the workspace that a path of the compiler's names; `None` for one that is not in the copy.
    pub(super) fn original(&self, shown: &Path) -> Option<PathBuf> {
        let whole = self.root.join(shown);
        let inner = whole.strip_prefix(&self.root).ok()?;
        // rustc says `src/bin/../shared.rs` of what a `#[path]` leads to.
        Some(direct(&self.original.join(inner)))
    }

    /// Puts a text in place of a file in the copy; where it is the same, its time stays.
    pub(super) fn write(&self, original: &Path, text: &str) -> Result<(), Error> {
        let path = self.path(original);
        // Never what is not the copy's own, whichever part of the path leads away.
        let linked = fs::symlink_metadata(&path).is_ok_and(|known| known.is_symlink());
        let folder = path.parent().unwrap_or(&path);
        if linked || !is_of(&self.root, folder)? {
            let path = original.to_owned();
            return Err(Error::NotOfWorkspace { path });
        }
        let is_manifest = path.file_name().is_some_and(|name| name == "Cargo.toml");
        let text = match is_manifest {
            true => self.pinned(original, text)?,
            false => text.to_owned(),
        };
        match fs::read_to_string(&path).is_ok_and(|known| known == text) {
            true => Ok(()),
            false => fs::write(&path, text).map_err(Error::file(path)),
        }
    }

    /// What is the same stays, with its time: cargo compiles what is newer.
    fn copy(&self, from: &Path, to: &Path, target: &Path) -> Result<(), Error> {
        fs::create_dir_all(to).map_err(Error::file(to))?;
        let mut copied = Vec::new();
        for entry in fs::read_dir(from).map_err(Error::file(from))? {
            let entry = entry.map_err(Error::file(from))?;
            let (path, name) = (entry.path(), entry.file_name());
            let kind = entry.file_type().map_err(Error::file(&path))?;
            // Cargo reads the configuration of the directories around it.
            let is_skipped = path == target
                || path.join("CACHEDIR.TAG").exists()
                || [".git", ".jj", ".hg"]
                    .iter()
                    .any(|skipped| name == *skipped)
                || (name == ".cargo" && self.root.starts_with(&self.original));
            if is_skipped {
                continue;
            }
            let to = to.join(&name);
            let kind = match () {
                () if kind.is_dir() && name != "node_modules" => Kind::Folder,
                () if kind.is_file() && is_source(&path) => Kind::Source,
                () => Kind::Other,
            };
            if Kind::of_copy(&to).is_some_and(|known| known != kind) {
                remove(&to)?;
            }
            match kind {
                Kind::Folder => self.copy(&path, &to, target)?,
                // Manifests are written where they are pinned.
                Kind::Source if self.manifests.contains(&path) && to.exists() => {}
                Kind::Source => refresh(&path, &to)?,
                Kind::Other if to.exists() => {}
                Kind::Other => link(&path, &to)?,
            }
            copied.push(name);
        }
        for entry in fs::read_dir(to).map_err(Error::file(to))? {
            let entry = entry.map_err(Error::file(to))?;
            if !copied.contains(&entry.file_name()) {
                remove(&entry.path())?;
            }
        }
        Ok(())
    }

    fn pin_manifest(&self, original: &Path) -> Result<(), Error> {
        let text = fs::read_to_string(original).map_err(Error::file(original))?;
        self.write(original, &text)
    }

    /// The manifest, with paths that lead out of the workspace as they are from anywhere, and as the root of its own workspace.
    fn pinned(&self, original: &Path, text: &str) -> Result<String, Error> {
        let mut manifest: toml_edit::DocumentMut =
            text.parse().map_err(|source| Error::Manifest {
                path: original.to_owned(),
                source,
            })?;
        let directory = original.parent().unwrap_or(&self.original);
        self.pin(manifest.as_table_mut(), directory);
        if directory == self.original && !manifest.contains_key("workspace") {
            manifest.insert("workspace", toml_edit::table());
        }
        Ok(manifest.to_string())
    }

    fn pin(&self, table: &mut dyn toml_edit::TableLike, directory: &Path) {
        for (key, item) in table.iter_mut() {
            if let Some(inner) = item.as_table_like_mut() {
                self.pin(inner, directory);
            } else if let Some(tables) = item.as_array_of_tables_mut() {
                tables
                    .iter_mut()
                    .for_each(|inner| self.pin(inner, directory));
            } else if let (true, Some(path)) = (key == "path", item.as_str()) {
                let whole = without_detours(&directory.join(path));
                if !whole.starts_with(&self.original) {
                    *item = toml_edit::value(whole.to_string_lossy().into_owned());
                }
            }
        }
    }
}

/// How something is in the copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Folder,
    Source,
    /// A link to the original, where there are links.
    Other,
}

impl Kind {
    fn of_copy(path: &Path) -> Option<Self> {
        let known = fs::symlink_metadata(path).ok()?;
        Some(match () {
            () if known.is_dir() => Self::Folder,
            () if known.is_file() && is_source(path) => Self::Source,
            () => Self::Other,
        })
    }
}

/// Copies a file unless it is the same.
fn refresh(path: &Path, to: &Path) -> Result<(), Error> {
    let text = fs::read(path).map_err(Error::file(path))?;
    match fs::read(to).is_ok_and(|known| known == text) {
        true => Ok(()),
        false => fs::write(to, text).map_err(Error::file(to)),
    }
}

fn is_source(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("rs" | "toml" | "lock"))
}

fn remove(path: &Path) -> Result<(), Error> {
    let removed = match fs::symlink_metadata(path) {
        Ok(known) if known.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => return Ok(()),
    };
    removed.map_err(Error::file(path))
}

#[cfg(unix)]
fn link(path: &Path, to: &Path) -> Result<(), Error> {
    std::os::unix::fs::symlink(path, to).map_err(Error::file(to))
}

#[cfg(not(unix))]
fn link(path: &Path, to: &Path) -> Result<(), Error> {
    match path.is_file() {
        true => fs::copy(path, to).map(|_| ()).map_err(Error::file(path)),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Package;

    /// A folder that is a link is not copied: what is written below it is what it leads to.
    #[cfg(unix)]
    #[test]
    fn nothing_is_written_through_a_link() {
        let directory = tempfile::tempdir().expect("a directory");
        let (root, elsewhere) = (directory.path().join("work"), directory.path().join("far"));
        let manifest =
            "[package]\nname = \"gates\"\n[dependencies]\nnear = { path = \"../near\" }\n";
        for folder in [&root, &elsewhere] {
            fs::create_dir_all(folder).expect("a directory");
            fs::write(folder.join("Cargo.toml"), manifest).expect("a file");
        }
        fs::write(elsewhere.join("lib.rs"), "").expect("a file");
        std::os::unix::fs::symlink(&elsewhere, root.join("gates")).expect("a link");
        let package = |manifest: &str| Package {
            name: "gates".to_owned(),
            manifest: root.join(manifest),
            targets: Vec::new(),
            dependencies: Vec::new(),
        };
        let workspace = |manifests: &[&str]| Workspace {
            root: root.clone(),
            target_directory: root.join("target"),
            selected: Vec::new(),
            members: manifests.iter().map(|manifest| package(manifest)).collect(),
        };
        let lock = Lock::of(&workspace(&[])).expect("a lock");
        let both = workspace(&["Cargo.toml", "gates/Cargo.toml"]);
        let linked = Overlay::of(&both, &lock, true);
        assert!(matches!(linked, Err(Error::NotOfWorkspace { .. })));
        assert!(!lock.copy.exists());
        let copy = Overlay::of(&workspace(&["Cargo.toml"]), &lock, false).expect("a copy");
        let written = copy.write(&root.join("gates/lib.rs"), "edited");
        assert!(matches!(written, Err(Error::NotOfWorkspace { .. })));
        let read = |name: &str| fs::read_to_string(elsewhere.join(name)).expect("a file");
        assert_eq!(
            (read("Cargo.toml"), read("lib.rs")),
            (manifest.to_owned(), String::new())
        );
    }

    #[test]
    fn the_copy_is_that_of_now_and_leads_where_the_original_leads() {
        let directory = tempfile::tempdir().expect("a directory");
        let root = directory.path().join("work");
        let put = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("it is in the directory"))
                .expect("a directory");
            fs::write(path, text).expect("a file");
        };
        put(
            "Cargo.toml",
            "[dependencies]\nnear = { path = \"near\" }\nfar = { path = \"../far\" }\n",
        );
        put("src/main.rs", "fn main() {}\n");
        put("src/gone.rs", "");
        put("src/text.txt", "text");
        put("src/bin/inner.rs", "");
        put("excluded/Cargo.toml", "one");
        put("target/debug/large", "");
        let workspace = Workspace {
            root: root.clone(),
            target_directory: root.join("target"),
            selected: Vec::new(),
            members: vec![Package {
                name: "work".to_owned(),
                manifest: root.join("Cargo.toml"),
                targets: Vec::new(),
                dependencies: Vec::new(),
            }],
        };
        let lock = Lock::of(&workspace).expect("a lock");
        let copy = Overlay::of(&workspace, &lock, true).expect("a copy");
        let far = directory.path().join("far");
        let read = |path: &str| fs::read_to_string(copy.root.join(path)).expect("a file");
        let manifest = read("Cargo.toml");
        assert!(
            manifest.contains("path = \"near\"") && manifest.contains("[workspace]"),
            "{manifest}"
        );
        assert!(
            manifest.contains(&format!("{:?}", far.to_string_lossy())),
            "{manifest}"
        );
        assert_eq!(read("src/text.txt"), "text");
        for shown in [
            "src/bin/../main.rs".into(),
            copy.root.join("src/bin/.././main.rs"),
        ] {
            assert_eq!(copy.original(&shown), Some(root.join("src/main.rs")));
        }
        assert!(!copy.root.join("target").exists());
        assert!(matches!(Lock::of(&workspace), Err(Error::Busy { .. })));
        copy.write(&root.join("src/main.rs"), "edited")
            .expect("it is written");
        drop((copy, lock));

        fs::remove_file(root.join("src/gone.rs")).expect("a file");
        put("src/more/new.rs", "new");
        put("excluded/Cargo.toml", "two");
        let lock = Lock::of(&workspace).expect("a lock");
        let copy = Overlay::of(&workspace, &lock, false).expect("a copy");
        let read = |path: &str| fs::read_to_string(copy.root.join(path)).expect("a file");
        assert_eq!(read("src/main.rs"), "fn main() {}\n");
        assert_eq!(
            (read("src/more/new.rs"), read("excluded/Cargo.toml")),
            ("new".to_owned(), "two".to_owned())
        );
        assert!(!copy.root.join("src/gone.rs").exists());
        let place = copy.root.clone();
        drop(copy);
        assert!(!place.exists());
    }
}
