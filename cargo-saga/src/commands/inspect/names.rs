//! What suspension points are called: from the source, and from `saga.lock` for code that is no more.

use std::collections::{BTreeSet, HashMap};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::LitStr;

use crate::{
    commands::lock::{self, file::Lock},
    flows::{self, Flow, Reading},
    source::Index,
    workspace::Workspace,
};

/// Points by their fingerprints.
#[derive(Default)]
pub(super) struct Names(HashMap<u64, Named>);

/// A suspension point.
pub(super) struct Named {
    pub(super) function: String,
    pub(super) label: String,
    pub(super) awaits: String,
    /// The file and line; of code that is no more, where its name is from.
    pub(super) place: String,
    /// The names and types of its values.
    pub(super) values: Vec<(String, String)>,
}

/// The texts in the source that may be a server's name.
pub(super) fn texts(workspace: &Workspace) -> BTreeSet<String> {
    let mut texts = BTreeSet::new();
    for file in Index::of(&workspace.members).files() {
        if let Some(syntax) = &file.syntax {
            literals(syntax.to_token_stream(), &mut texts);
        }
    }
    texts
}

fn literals(tokens: TokenStream, texts: &mut BTreeSet<String>) {
    /// No server has a longer name.
    const LONGEST: usize = 80;
    for token in tokens {
        match token {
            TokenTree::Group(group) => literals(group.stream(), texts),
            TokenTree::Literal(literal) => {
                let text = syn::parse2::<LitStr>(TokenTree::from(literal).into());
                let text = text.map(|text| text.value()).unwrap_or_default();
                if !text.is_empty() && text.len() <= LONGEST {
                    texts.insert(text);
                }
            }
            _ => {}
        }
    }
}

impl Names {
    pub(super) fn of(workspace: Option<&Workspace>) -> Self {
        let mut names = Self::default();
        let Some(workspace) = workspace else {
            return names;
        };
        let path = workspace.root.join(lock::FILE);
        // Names are a help: without them there are fingerprints.
        if let Ok(Some(lock)) = lock::read(&path) {
            names.locked(&lock);
        }
        let all = Workspace {
            root: workspace.root.clone(),
            target_directory: workspace.target_directory.clone(),
            selected: workspace.members.clone(),
            members: workspace.members.clone(),
        };
        let reading = Reading {
            no_compile: true,
            all_targets: true,
            ..Reading::default()
        };
        if let Ok(flows) = flows::read(&all, &reading) {
            flows.functions.iter().for_each(|flow| names.present(flow));
        }
        names
    }

    pub(super) fn get(&self, fingerprint: u64) -> Option<&Named> {
        self.0.get(&fingerprint)
    }

    fn locked(&mut self, lock: &Lock) {
        for function in &lock.functions {
            for point in &function.points {
                let values = point.stores.iter();
                let values = values.map(|value| {
                    let ty = value.ty.clone().unwrap_or_default();
                    (value.name.clone(), ty)
                });
                self.0.insert(
                    point.fingerprint,
                    Named {
                        function: function.path.clone(),
                        label: point.label.clone(),
                        awaits: point.awaits.clone(),
                        place: lock::FILE.to_owned(),
                        values: values.collect(),
                    },
                );
            }
        }
    }

    fn present(&mut self, flow: &Flow) {
        for (index, point) in flow.function.points.iter().enumerate() {
            // What was locked knows types that the text does not show.
            let known = self.0.remove(&point.fingerprint);
            let values = known.map_or_else(
                || {
                    let frame = point.frame.iter();
                    frame
                        .map(|value| (value.name.clone(), flow.type_of(value)))
                        .collect()
                },
                |known| known.values,
            );
            let file = Workspace::shown(&flow.file).display();
            self.0.insert(
                point.fingerprint,
                Named {
                    function: flow.path.clone(),
                    label: point.label.clone(),
                    awaits: point.awaits.clone(),
                    place: format!("{file}:{}", flow.line_of(index)),
                    values,
                },
            );
        }
    }
}
