//! The packages that a command is about, from `cargo metadata`.

use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, MetadataCommand, TargetKind};

use crate::error::Error;

/// Which packages a command is about. Without any word it is that of the current directory, or the default members.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Selection {
    /// A package of the workspace
    #[arg(short, long = "package", value_name = "NAME")]
    pub(crate) package: Vec<String>,
    /// All packages of the workspace
    #[arg(long, conflicts_with = "package")]
    pub(crate) workspace: bool,
    /// Path to Cargo.toml
    #[arg(long, value_name = "PATH")]
    pub(crate) manifest_path: Option<PathBuf>,
}

/// Which features are compiled.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Features {
    /// Features to compile with, separated by commas
    #[arg(short = 'F', long, value_name = "FEATURES")]
    features: Vec<String>,
    /// Compile with all features
    #[arg(long)]
    all_features: bool,
    /// Compile without the default features
    #[arg(long)]
    no_default_features: bool,
}

impl Features {
    /// As cargo takes them.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        if self.all_features {
            arguments.push("--all-features".to_owned());
        }
        if self.no_default_features {
            arguments.push("--no-default-features".to_owned());
        }
        let named = self.features.iter();
        arguments.extend(named.flat_map(|names| ["--features".to_owned(), names.clone()]));
        arguments
    }
}

/// A workspace, and the packages of it that were selected.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    pub(crate) target_directory: PathBuf,
    pub(crate) selected: Vec<Package>,
    /// All packages of the workspace, the selected ones too.
    pub(crate) members: Vec<Package>,
}

/// A package of the workspace.
#[derive(Debug, Clone)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) manifest: PathBuf,
    pub(crate) targets: Vec<Target>,
    pub(crate) dependencies: Vec<Dependency>,
}

/// What a package says of another one that it needs.
#[derive(Debug, Clone)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) rename: Option<String>,
    pub(crate) reach: Reach,
    pub(crate) requirement: cargo_metadata::semver::VersionReq,
}

/// Whose code may name a dependency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    All,
    /// Tests, examples and benches.
    Tests,
    /// The build script, or what is compiled for some targets.
    Other,
}

/// A library, a program, a test, …
#[derive(Debug, Clone)]
pub(crate) struct Target {
    /// As it is written in paths: without hyphens.
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) root: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Library,
    Program,
    Example,
    Test,
    Bench,
    /// `build.rs`.
    Build,
}

impl Workspace {
    /// Asks cargo.
    pub(crate) fn load(selection: &Selection) -> Result<Self, Error> {
        let mut command = MetadataCommand::new();
        command.no_deps();
        if let Some(path) = &selection.manifest_path {
            command.manifest_path(path);
        }
        let metadata = command.exec().map_err(|error| match error {
            cargo_metadata::Error::CargoMetadata { stderr } => Error::Metadata(stderr),
            cargo_metadata::Error::Io(source) => Error::NoProgram {
                program: "cargo".to_owned(),
                source,
            },
            other => Error::Metadata(other.to_string()),
        })?;
        let members: Vec<_> = metadata
            .workspace_packages()
            .into_iter()
            .map(package)
            .collect();
        let defaults: Vec<_> = match metadata.workspace_default_members.is_available() {
            true => metadata.workspace_default_packages(),
            false => metadata.workspace_packages(),
        };
        let defaults: Vec<_> = defaults.into_iter().map(package).collect();
        let selected = selected(selection, &members, defaults)?;
        Ok(Self {
            root: metadata.workspace_root.into(),
            target_directory: metadata.target_directory.into(),
            selected,
            members,
        })
    }

    /// The same with the packages of the workspace that the selected ones depend on.
    pub(crate) fn with_dependencies(mut self) -> Self {
        let mut place = 0;
        while let Some(package) = self.selected.get(place) {
            let needed = self.members.iter().filter(|member| {
                let is_new = self.selected.iter().all(|known| known.name != member.name);
                is_new
                    && package
                        .dependencies
                        .iter()
                        .any(|needed| needed.name == member.name)
            });
            let needed: Vec<_> = needed.cloned().collect();
            self.selected.extend(needed);
            place += 1;
        }
        self
    }

    /// The packages that the selected ones depend on, without those.
    pub(crate) fn needed(&self) -> Self {
        let all = Self {
            root: self.root.clone(),
            target_directory: self.target_directory.clone(),
            selected: self.selected.clone(),
            members: self.members.clone(),
        };
        let mut all = all.with_dependencies();
        all.selected.drain(..self.selected.len());
        all
    }

    /// A path as it is shown: from the current directory, if it is below it.
    pub(crate) fn shown(path: &Path) -> &Path {
        let here = std::env::current_dir().ok();
        here.and_then(|here| path.strip_prefix(here).ok())
            .unwrap_or(path)
    }
}

impl Package {
    /// The name by which it knows the crate `name`, if it depends on it.
    pub(crate) fn name_of(&self, name: &str) -> Option<String> {
        let found = self.dependencies.iter().find(|known| known.name == name)?;
        Some(found.name_in_code())
    }

    /// The name by which code of that kind knows it, whatever it is compiled for.
    pub(crate) fn name_within(&self, kind: Kind, name: &str) -> Option<String> {
        let in_tests = matches!(kind, Kind::Example | Kind::Test | Kind::Bench);
        let reaches = |known: &&Dependency| match known.reach {
            Reach::All => true,
            Reach::Tests => in_tests,
            Reach::Other => false,
        };
        let known = self.dependencies.iter().filter(reaches);
        let mut named = known.filter(|known| known.name == name);
        named.next().map(Dependency::name_in_code)
    }
}

impl Dependency {
    fn name_in_code(&self) -> String {
        let known = self.rename.as_deref().unwrap_or(&self.name);
        known.replace('-', "_")
    }
}

fn selected(
    selection: &Selection,
    members: &[Package],
    defaults: Vec<Package>,
) -> Result<Vec<Package>, Error> {
    if selection.workspace {
        return Ok(members.to_vec());
    }
    if selection.package.is_empty() {
        let manifest = match &selection.manifest_path {
            Some(path) => path.clone(),
            None => return Ok(defaults),
        };
        let manifest = manifest.canonicalize().map_err(Error::file(&manifest))?;
        let named = members.iter().find(|member| {
            member
                .manifest
                .canonicalize()
                .is_ok_and(|path| path == manifest)
        });
        return Ok(named.map_or(defaults, |package| vec![package.clone()]));
    }
    let find = |name: &String| {
        let found = members.iter().find(|member| member.name == *name);
        found.cloned().ok_or_else(|| Error::NoSuchPackage {
            name: name.clone(),
            known: members.iter().map(|member| member.name.clone()).collect(),
        })
    };
    selection.package.iter().map(find).collect()
}

fn package(package: &cargo_metadata::Package) -> Package {
    Package {
        name: package.name.to_string(),
        manifest: package.manifest_path.clone().into(),
        targets: package.targets.iter().filter_map(target).collect(),
        dependencies: package
            .dependencies
            .iter()
            .map(|dependency| Dependency {
                name: dependency.name.clone(),
                rename: dependency.rename.clone(),
                reach: match (dependency.kind, &dependency.target) {
                    (DependencyKind::Normal, None) => Reach::All,
                    (DependencyKind::Development, None) => Reach::Tests,
                    _ => Reach::Other,
                },
                requirement: dependency.req.clone(),
            })
            .collect(),
    }
}

fn target(target: &cargo_metadata::Target) -> Option<Target> {
    let kind = target.kind.iter().find_map(|kind| match kind {
        TargetKind::Bin => Some(Kind::Program),
        TargetKind::Example => Some(Kind::Example),
        TargetKind::Test => Some(Kind::Test),
        TargetKind::Bench => Some(Kind::Bench),
        TargetKind::CustomBuild => Some(Kind::Build),
        TargetKind::Lib
        | TargetKind::RLib
        | TargetKind::DyLib
        | TargetKind::CDyLib
        | TargetKind::StaticLib
        | TargetKind::ProcMacro => Some(Kind::Library),
        _ => None,
    })?;
    Some(Target {
        name: target.name.replace('-', "_"),
        kind,
        root: target.src_path.clone().into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_is_known_to_whom_it_reaches() {
        let dependency = |rename: &str, reach| Dependency {
            name: "saga-runtime".to_owned(),
            rename: Some(rename.to_owned()),
            reach,
            requirement: cargo_metadata::semver::VersionReq::STAR,
        };
        let package = |dependencies| Package {
            name: "server".to_owned(),
            manifest: PathBuf::new(),
            targets: Vec::new(),
            dependencies,
        };
        let tests = dependency("in-tests", Reach::Tests);
        let some = package(vec![dependency("on-unix", Reach::Other), tests.clone()]);
        let known = |kind| some.name_within(kind, "saga-runtime");
        assert_eq!(known(Kind::Example).as_deref(), Some("in_tests"));
        assert_eq!((known(Kind::Library), known(Kind::Build)), (None, None));
        let all = package(vec![tests, dependency("rt", Reach::All)]);
        let known = all.name_within(Kind::Program, "saga-runtime");
        assert_eq!(known.as_deref(), Some("rt"));
    }

    #[test]
    fn what_is_needed_comes_along_once() {
        let package = |name: &str, needed: &[&str]| Package {
            name: name.to_owned(),
            manifest: PathBuf::new(),
            targets: Vec::new(),
            dependencies: needed
                .iter()
                .map(|name| Dependency {
                    name: (*name).to_owned(),
                    rename: None,
                    reach: Reach::All,
                    requirement: cargo_metadata::semver::VersionReq::STAR,
                })
                .collect(),
        };
        let members = vec![
            package("server", &["tools", "gates", "serde"]),
            package("tools", &["gates"]),
            package("gates", &["tools"]),
            package("other", &["server"]),
        ];
        let workspace = Workspace {
            root: PathBuf::new(),
            target_directory: PathBuf::new(),
            selected: members.iter().take(1).cloned().collect(),
            members,
        };
        let names: Vec<_> = workspace
            .with_dependencies()
            .selected
            .into_iter()
            .map(|package| package.name)
            .collect();
        assert_eq!(names, ["server", "tools", "gates"]);
    }
}
