//! `cargo saga new NAME`: a server with a tool that asks, and a test of it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use toml_edit::{Array, DocumentMut, InlineTable, Item, Value, value};

use crate::{cli::Outcome, error::Error};

const MAIN: &str = include_str!("../../template/main.rs");
const TESTS: &str = include_str!("../../template/tests.rs");

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Where the project is made; the last part is its name
    path: PathBuf,
    /// Another name for the package
    #[arg(long)]
    name: Option<String>,
    /// Use a checkout of saga-runtime in place of the released crate
    #[arg(long, value_name = "PATH")]
    runtime: Option<PathBuf>,
}

pub(crate) fn run(arguments: Arguments) -> Result<Outcome, Error> {
    let runtime = match &arguments.runtime {
        Some(path) => Some(path.canonicalize().map_err(Error::file(path))?),
        None => None,
    };
    // It knows which names are good, and what a project of this user's looks like.
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(&cargo);
    command
        .args(["new", "--quiet", "--bin", "--edition", "2024"])
        .arg(&arguments.path);
    if let Some(name) = &arguments.name {
        command.args(["--name", name]);
    }
    let output = command.output().map_err(|source| Error::NoProgram {
        program: cargo.to_string_lossy().into_owned(),
        source,
    })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Error::Refused {
            what: format!("`cargo new` made no project\n{}", said.trim_end()),
            instead: "another path, or another name for the package: `--name`".to_owned(),
        });
    }
    if let Err(error) = fill(&arguments.path, runtime.as_deref()) {
        // It was not there before.
        let _ = fs::remove_dir_all(&arguments.path);
        return Err(error);
    }
    let path = arguments.path.display();
    anstream::println!(
        "Made `{path}`. `cargo test` in it runs a call on two servers; `cargo run` serves it."
    );
    Ok(Outcome::Clean)
}

fn fill(project: &Path, runtime: Option<&Path>) -> Result<(), Error> {
    let manifest = project.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).map_err(Error::file(&manifest))?;
    let text = with_dependencies(&manifest, &text, runtime)?;
    let files = [
        ("Cargo.toml", text.as_str()),
        ("src/main.rs", MAIN),
        ("src/tests.rs", TESTS),
    ];
    for (file, text) in files {
        let path = project.join(file);
        fs::write(&path, text).map_err(Error::file(&path))?;
    }
    Ok(())
}

fn with_dependencies(path: &Path, text: &str, runtime: Option<&Path>) -> Result<String, Error> {
    let mut manifest: DocumentMut = text.parse().map_err(|source| Error::Manifest {
        path: path.to_owned(),
        source,
    })?;
    let saga = |feature| match runtime {
        Some(path) => dependency("path", &path.to_string_lossy(), &[feature]),
        None => dependency("version", env!("CARGO_PKG_VERSION"), &[feature]),
    };
    let of = |version, features| dependency("version", version, features);
    let sections = [
        (
            "dependencies",
            vec![
                ("saga-runtime", saga("serve")),
                ("serde", of("1", &["derive"])),
                ("tokio", of("1", &["macros", "rt-multi-thread"])),
            ],
        ),
        (
            "dev-dependencies",
            vec![
                ("saga-runtime", saga("testing")),
                ("serde_json", value("1")),
            ],
        ),
    ];
    for (section, dependencies) in sections {
        let entry = manifest.entry(section).or_insert_with(toml_edit::table);
        if let Some(table) = entry.as_table_like_mut() {
            for (name, item) in dependencies {
                table.insert(name, item);
            }
        }
    }
    Ok(manifest.to_string())
}

fn dependency(from: &str, place: &str, features: &[&str]) -> Item {
    let mut table = InlineTable::new();
    table.insert(from, place.into());
    table.insert(
        "features",
        Value::Array(features.iter().copied().collect::<Array>()),
    );
    value(table)
}
