//! `cargo saga flow`: draws saga functions, with what is stored at each suspension point.

mod text;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Write,
    path::PathBuf,
};

use saga_runtime::flow::{Drawing, DrawnPoint};

use crate::{
    cli::Outcome,
    error::Error,
    flows::{self, Flow, Flows, Reading},
    report::{self, Finding, Format, Severity},
    workspace::Workspace,
};

/// Draws saga functions: their suspension points, what is stored at each and of which type, and which calls which.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A function, or the end of its path: `lend`, `Desk::lend`; without it all of them
    function: Option<String>,
    #[command(flatten)]
    reading: Reading,
    /// How it is drawn
    #[arg(long, value_enum, default_value_t)]
    format: Picture,
    /// A directory that gets a file for each function; without it they go to standard output
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum Picture {
    /// For the terminal
    #[default]
    Text,
    /// Flowcharts that GitHub and others draw
    Mermaid,
    /// Pictures
    Svg,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    let workspace = Workspace::load(&arguments.reading.selection)?;
    let Flows {
        functions,
        problems,
    } = flows::read(&workspace, &arguments.reading)?;
    report::print_aside(&problems, Format::Human)?;
    // What was not read may be what is looked for.
    let is_unread = |problem: &Finding| {
        problem.severity != Severity::Note && ["broken", "unread"].contains(&problem.code)
    };
    let is_whole = !problems.iter().any(is_unread);
    let outcome = match is_whole {
        true => Outcome::Clean,
        false => Outcome::Findings,
    };
    let needed = needed(&workspace)?;
    let all: Vec<_> = functions.iter().chain(&needed).collect();
    let is_wanted = |flow: &&Flow| {
        let wanted = arguments.function.as_ref();
        wanted.is_none_or(|wanted| flow.is_called(wanted))
    };
    let wanted: Vec<_> = functions.iter().filter(is_wanted).collect();
    if wanted.is_empty() {
        return match &arguments.function {
            Some(name) => Err(Error::NoSuchFunction {
                name: name.clone(),
                elsewhere: needed
                    .iter()
                    .find(is_wanted)
                    .map(|flow| flow.package.clone()),
                known: functions.iter().map(|flow| flow.path.clone()).collect(),
            }),
            None => {
                anstream::eprintln!("there is no `#[saga]` function in these packages");
                Ok(outcome)
            }
        };
    }
    let drawn = |flow: &Flow| match arguments.format {
        Picture::Text => text::drawn(flow, &all),
        Picture::Mermaid => drawing(flow).mermaid(),
        Picture::Svg => drawing(flow).svg_file() + "\n",
    };
    match &arguments.out {
        Some(directory) => write(directory, arguments.format, &wanted, drawn)?,
        None => print(arguments.format, &wanted, drawn)?,
    }
    Ok(outcome)
}

/// The saga functions of the packages that the selected ones depend on: which calls which is in their text.
fn needed(workspace: &Workspace) -> Result<Vec<Flow>, Error> {
    let reading = Reading {
        no_compile: true,
        ..Reading::default()
    };
    Ok(flows::read(&workspace.needed(), &reading)?.functions)
}

fn print(format: Picture, wanted: &[&Flow], drawn: impl Fn(&Flow) -> String) -> Result<(), Error> {
    let mut out = anstream::stdout().lock();
    for (place, flow) in wanted.iter().enumerate() {
        let several = wanted.len() > 1;
        match format {
            Picture::Text if place > 0 => writeln!(out)?,
            // As a Markdown file has them.
            Picture::Mermaid if several => writeln!(out, "## `{}`\n\n```mermaid", flow.path)?,
            _ => {}
        }
        out.write_all(drawn(flow).as_bytes())?;
        if format == Picture::Mermaid && several {
            writeln!(out, "```\n")?;
        }
    }
    out.flush()?;
    Ok(())
}

fn write(
    directory: &PathBuf,
    format: Picture,
    wanted: &[&Flow],
    drawn: impl Fn(&Flow) -> String,
) -> Result<(), Error> {
    fs::create_dir_all(directory).map_err(Error::file(directory))?;
    let extension = match format {
        Picture::Text => "txt",
        Picture::Mermaid => "mmd",
        Picture::Svg => "svg",
    };
    for (name, flow) in names(wanted).into_iter().zip(wanted) {
        let path = directory.join(format!("{name}.{extension}"));
        fs::write(&path, drawn(flow)).map_err(Error::file(&path))?;
        anstream::eprintln!("wrote {}", path.display());
    }
    Ok(())
}

/// What each one's file is called: by its path, with its package before it where several have that, examples of one name in two
/// packages most often; and with a number where that is not enough, since a file system may take `Desk` for `desk`.
fn names(wanted: &[&Flow]) -> Vec<String> {
    let path = |flow: &Flow| flow.path.replace("::", ".");
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for flow in wanted {
        *counts.entry(path(flow).to_lowercase()).or_default() += 1;
    }
    let mut taken = BTreeSet::new();
    let name = |flow: &&Flow| {
        let path = path(flow);
        let name = match counts.get(&path.to_lowercase()) {
            Some(1) => path,
            _ => format!("{}.{path}", flow.package),
        };
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        let free = names.find(|name| taken.insert(name.to_lowercase()));
        free.unwrap_or(name)
    };
    wanted.iter().map(name).collect()
}

fn drawing(flow: &Flow) -> Drawing {
    let points = flow.function.points.iter().map(|point| DrawnPoint {
        awaits: point.awaits.clone(),
        key: point.key.clone(),
        stored: point
            .stored
            .iter()
            .map(|variable| format!("{}: {}", variable.name, flow.type_of(variable)))
            .collect(),
        next: point.next.clone(),
    });
    Drawing {
        name: flow.name().to_owned(),
        first: flow.function.first.clone(),
        points: points.collect(),
    }
}
