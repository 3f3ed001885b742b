//! `cargo saga check`.

use crate::{cli::Outcome, error::Error};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    selection: crate::workspace::Selection,
}

pub(crate) fn run(arguments: Arguments) -> Result<Outcome, Error> {
    let workspace = crate::workspace::Workspace::load(&arguments.selection)?;
    let index = crate::source::Index::of(&workspace.selected);
    Ok(Outcome::Clean)
}
