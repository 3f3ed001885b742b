//! With which features each package is compiled.

use std::collections::BTreeSet;

use cargo_metadata::{DependencyKind, Package};

/// Features of the packages.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Features {
    /// Features to compile with, separated by commas
    #[arg(short = 'F', long, value_name = "FEATURES")]
    pub(crate) features: Vec<String>,
    /// All features
    #[arg(long)]
    pub(crate) all_features: bool,
    /// Not the default features
    #[arg(long)]
    pub(crate) no_default_features: bool,
}

impl Features {
    /// Those of a package that is compiled by itself: what is named and it has, and what others in the build ask of it, since they
    /// get it with that.
    pub(super) fn of(&self, package: &Package, build: &[&Package]) -> BTreeSet<String> {
        let named = self.features.iter();
        let named = named
            .flat_map(|names| names.split([',', ' ']))
            .filter(|name| {
                let has = |package: &Package| has(package, name);
                // Of what no package has, cargo says so.
                !name.is_empty() && (has(package) || !build.iter().any(|package| has(package)))
            });
        let needed = build.iter().flat_map(|other| &other.dependencies);
        let needed = needed.filter(|needed| {
            let is_used = !needed.optional && needed.kind == DependencyKind::Normal;
            is_used && needed.name == package.name.as_str()
        });
        let asked = needed.flat_map(|needed| {
            let default = "default".to_owned();
            let is_default = needed.uses_default_features && has(package, &default);
            let asked = needed.features.iter().cloned();
            asked.chain(is_default.then_some(default))
        });
        named.map(str::to_owned).chain(asked).collect()
    }
}

/// Whether `name` is a feature of the package, or `of/name` one of it or of what it needs.
fn has(package: &Package, name: &str) -> bool {
    let Some((of, _)) = name.split_once('/') else {
        return package.features.contains_key(name);
    };
    let of = of.trim_end_matches('?');
    let mut needed = package.dependencies.iter();
    package.name.as_str() == of
        || needed.any(|needed| needed.rename.as_ref().unwrap_or(&needed.name) == of)
}
