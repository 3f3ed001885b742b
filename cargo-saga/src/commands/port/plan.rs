//! What is to be edited, as decisions: the text is made from the originals each time, so that any can be taken back.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    path::PathBuf,
    rc::Rc,
};

use proc_macro2::{TokenStream, TokenTree};

use super::{derives, manifest::Needed, text::Edit};
use crate::{
    graph::{FunctionId, Graph, Handle, handle_type},
    source::{File, Function, ModuleId, TypeItem, range_of},
    workspace::{Package, Workspace},
};

/// A function or a type, by where it is in the original.
pub(super) type Spot = (PathBuf, usize);

/// What `#[saga]` says of a function.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) asks: BTreeSet<String>,
    pub(super) plain: BTreeSet<String>,
}

impl Words {
    /// Those in the arguments of an attribute.
    fn said(arguments: &TokenStream) -> Self {
        let mut said = Self::default();
        let arguments: Vec<_> = arguments.clone().into_iter().collect();
        for pair in arguments.windows(2) {
            let [TokenTree::Ident(word), TokenTree::Group(list)] = pair else {
                continue;
            };
            let names = list.stream().into_iter().filter_map(|token| match token {
                TokenTree::Ident(name) => Some(name.to_string()),
                _ => None,
            });
            match word.to_string().as_str() {
                "asks" => said.asks.extend(names),
                "plain" => said.plain.extend(names),
                _ => {}
            }
        }
        said
    }

    /// Without the names of which the author has said something.
    fn without(&self, said: &Self) -> Self {
        let is_new = |name: &&String| !said.asks.contains(*name) && !said.plain.contains(*name);
        Self {
            asks: self.asks.iter().filter(is_new).cloned().collect(),
            plain: self.plain.iter().filter(is_new).cloned().collect(),
        }
    }

    /// As the attribute takes them.
    fn arguments(&self) -> Vec<String> {
        let lists = [("asks", &self.asks), ("plain", &self.plain)];
        let lists = lists.into_iter().filter(|(_, names)| !names.is_empty());
        let written = lists.map(|(word, names)| {
            let names: Vec<_> = names.iter().map(String::as_str).collect();
            format!("{word}({})", names.join(", "))
        });
        written.collect()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Derive {
    Clone,
    Serialize,
    Deserialize,
}

/// All decisions.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) functions: BTreeMap<Spot, Words>,
    pub(super) types: BTreeMap<Spot, BTreeSet<Derive>>,
    /// Of methods of the handle, where they ask by `self`.
    pub(super) of_self: BTreeMap<Spot, BTreeSet<usize>>,
    /// What did not compile when it was tried.
    pub(super) taken_back: BTreeSet<Spot>,
}

/// Where a function is in the original.
pub(super) fn spot(file: &File, range: &Range<usize>) -> Spot {
    (file.path.clone(), range.start)
}

impl Plan {
    /// `#[saga]` on everything between a tool and an ask, with the words that the call graph says.
    pub(super) fn of(graph: &Graph<'_>) -> Self {
        let mut plan = Self::default();
        for id in graph.on_the_way() {
            let function = graph.function(id);
            let words = plan
                .functions
                .entry(spot(&function.file, &function.range))
                .or_default();
            let unseen = graph
                .facts(id)
                .calls
                .iter()
                .filter(|call| call.is_followed() && !call.gives_handle);
            for call in unseen {
                if !graph.asked_by(call).is_empty() {
                    words.asks.insert(call.name.clone());
                }
            }
        }
        plan
    }

    pub(super) fn words(&self, function: &Function) -> Option<&Words> {
        self.functions.get(&spot(&function.file, &function.range))
    }

    /// The edits of the originals, sorted, and what manifests need for them.
    pub(super) fn edits<'a>(&self, workspace: &'a Workspace, graph: &'a Graph<'a>) -> Edits<'a> {
        let mut edits = Edits {
            workspace,
            graph,
            edits: BTreeSet::new(),
            needed: BTreeMap::new(),
        };
        for id in graph.ids() {
            let function = graph.function(id);
            if let Some(words) = self.words(function) {
                edits.saga(id, function, words);
            }
            let places = self.of_self.get(&spot(&function.file, &function.range));
            if let Some(places) = places {
                edits.of_self(function, places);
            }
        }
        for item in &graph.index.types {
            if let Some(derives) = self.types.get(&spot(&item.file, &item.range)) {
                edits.derive(item, derives);
            }
        }
        edits
    }
}

/// The edits that a plan comes to.
pub(super) struct Edits<'a> {
    workspace: &'a Workspace,
    pub(super) graph: &'a Graph<'a>,
    pub(super) edits: BTreeSet<Edit>,
    pub(super) needed: BTreeMap<PathBuf, BTreeSet<Needed>>,
}

impl Edits<'_> {
    pub(super) fn put(&mut self, file: &Rc<File>, range: Range<usize>, text: String) {
        self.edits.insert(Edit {
            file: file.path.clone(),
            start: range.start,
            end: range.end,
            text,
        });
    }

    pub(super) fn package(&self, module: ModuleId) -> Option<&Package> {
        let of_crate = self.graph.index.module(module).of_crate;
        let name = &self.graph.index.crates[of_crate.0].package;
        self.workspace
            .members
            .iter()
            .find(|member| member.name == *name)
    }

    /// The name of a dependency in the code of `module`; it is added to the manifest where it is lacking.
    pub(super) fn dependency(&mut self, module: ModuleId, name: &str, needed: Needed) -> String {
        let underscored = name.replace('-', "_");
        let Some(package) = self.package(module) else {
            return underscored;
        };
        let manifest = package.manifest.clone();
        let of_crate = self.graph.index.module(module).of_crate;
        let kind = self.graph.index.crates[of_crate.0].kind;
        let known = package.name_within(kind, name);
        if known.is_none() || needed == Needed::Serde {
            self.needed.entry(manifest).or_default().insert(needed);
        }
        known.unwrap_or(underscored)
    }

    fn saga(&mut self, id: FunctionId, function: &Function, words: &Words) {
        let runtime = self.dependency(function.module, "saga-runtime", Needed::SagaRuntime);
        if let Some(known) = function.attribute("saga") {
            return self.say_more(function, known, words);
        }
        let mut said = words.arguments();
        if runtime != "saga_runtime" {
            said.push(format!("crate = ::{runtime}"));
        }
        let said = match said.is_empty() {
            true => String::new(),
            false => format!("({})", said.join(", ")),
        };
        let name = self.name_of_saga(id, function, &runtime);
        let is_doc = |attribute: &&syn::Attribute| attribute.path().is_ident("doc");
        let first = function.attrs.iter().find(|attribute| !is_doc(attribute));
        let at = first.map_or(function.code().start, |attribute| range_of(attribute).start);
        let text = format!("#[{name}{said}]{}", function.file.gap(at));
        self.put(&function.file, at..at, text);
    }

    /// Words that an attribute does not say yet, behind those that it says.
    fn say_more(&mut self, function: &Function, known: &syn::Attribute, words: &Words) {
        let list = match &known.meta {
            syn::Meta::List(list) => Some(list),
            _ => None,
        };
        let said = list.map_or_else(Words::default, |list| Words::said(&list.tokens));
        let new = words.without(&said).arguments().join(", ");
        if new.is_empty() {
            return;
        }
        let ends_in_comma = |tokens: &TokenStream| {
            let last = tokens.clone().into_iter().last();
            matches!(last, Some(TokenTree::Punct(mark)) if mark.as_char() == ',')
        };
        let (at, text) = match list.map(|list| &list.tokens) {
            None => (range_of(&known.meta).end, format!("({new})")),
            Some(tokens) if tokens.is_empty() => (range_of(&known.meta).end - 1, new),
            // Behind the last word, also where the brackets are on lines of their own.
            Some(tokens) if ends_in_comma(tokens) => (range_of(tokens).end, format!(" {new}")),
            Some(tokens) => (range_of(tokens).end, format!(", {new}")),
        };
        self.put(&function.file, at..at, text);
    }

    /// `saga`, with a `use` for it where there are others; else its whole path.
    fn name_of_saga(&mut self, id: FunctionId, function: &Function, runtime: &str) -> String {
        let (names, module) = (&self.graph.names, function.module);
        let whole = format!("{runtime}::saga");
        if let Some(known) = names.import(module, "saga") {
            let is_ours = known.first().is_some_and(|first| first == runtime);
            return if is_ours { "saga".to_owned() } else { whole };
        }
        let is_taken = self.graph.ids().any(|other| {
            let other = self.graph.function(other);
            other.module == module && other.owner.is_none() && other.sig.ident == "saga"
        });
        let is_module = self.graph.index.modules.iter().any(|other| {
            other.parent == Some(module) && other.path.last().is_some_and(|last| last == "saga")
        });
        debug_assert_eq!(self.graph.function(id).module, module);
        match is_taken || is_module || !self.import(function, runtime) {
            true => whole,
            false => "saga".to_owned(),
        }
    }

    /// A `use` among those of other crates, in the order of the alphabet.
    fn import(&mut self, function: &Function, runtime: &str) -> bool {
        let module = self.graph.index.module(function.module);
        let Some(file) = &module.file else {
            return false;
        };
        let first = |item: &syn::ItemUse| match &item.tree {
            syn::UseTree::Path(path) => path.ident.to_string(),
            _ => String::new(),
        };
        let own = ["std", "core", "alloc", "crate", "self", "super", ""];
        let is_plain = |item: &&syn::ItemUse| {
            item.attrs.is_empty()
                && matches!(item.vis, syn::Visibility::Inherited)
                && !own.contains(&first(item).as_str())
        };
        let uses: Vec<_> = module.uses.iter().filter(is_plain).collect();
        let later = uses.iter().find(|item| first(item).as_str() > runtime);
        if let Some(item) = later {
            let at = match range_of(item).start {
                at if file.is_first(at) => file.before_comments(at),
                at => at,
            };
            let (newline, indent) = (file.newline(at), file.indent(at));
            let text = format!("use {runtime}::saga;{newline}{indent}");
            self.put(file, at..at, text);
        } else if let Some(item) = uses.last() {
            let range = range_of(item);
            let at = match file.is_first(range.start) {
                true => file.after_comment(range.end),
                false => range.end,
            };
            let text = format!("{}use {runtime}::saga;", file.gap(range.start));
            self.put(file, at..at, text);
        } else {
            return false;
        }
        true
    }

    /// The handle under a name, since `self` is not seen to be it.
    fn of_self(&mut self, function: &Function, places: &BTreeSet<usize>) {
        let first = function
            .block
            .as_ref()
            .and_then(|block| block.stmts.first());
        let (Some(first), Some(owner)) = (first, &function.owner) else {
            return;
        };
        let ty = &owner.self_type;
        let file = &function.file;
        let text = file.at(function.range.clone());
        let is_free = |name: &&&str| {
            let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            words.all(|word| word != **name)
        };
        let names: &[&str] = match handle_type(&self.graph.names.unaliased(function.scope, ty)) {
            Some(Handle::Cx) => &["cx", "handle", "client_cx"],
            _ => &["peer", "handle", "client_peer"],
        };
        let Some(name) = names.iter().find(is_free) else {
            return;
        };
        let receiver = function.sig.receiver().map(|receiver| &receiver.kind);
        let by_value = matches!(receiver, Some(syn::ReceiverKind::Value));
        let lent = if by_value { "&" } else { "" };
        let at = match range_of(first).start {
            at if file.is_first(at) => file.before_comments(at),
            at => at,
        };
        let (ty, gap) = (file.at(range_of(ty)), file.gap(at));
        let text = format!("let {name}: &{ty} = {lent}self;{gap}");
        self.put(file, at..at, text);
        for place in places {
            self.put(file, *place..place + "self".len(), (*name).to_owned());
        }
    }

    fn derive(&mut self, item: &TypeItem, derives: &BTreeSet<Derive>) {
        derives::derive(self, item, derives);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{commands::port::text::Edited, source::tests::index, workspace::Dependency};

    /// A library with `#[saga]` where its calls lead, before anything is compiled.
    fn ported(text: &str) -> String {
        let (index, _directory) = index(&[("src/lib.rs", text.as_bytes())]);
        let graph = Graph::of(&index);
        let package = Package {
            name: "sample".to_owned(),
            manifest: PathBuf::new(),
            targets: Vec::new(),
            dependencies: vec![Dependency {
                name: "saga-runtime".to_owned(),
                rename: None,
                reach: crate::workspace::Reach::All,
                requirement: cargo_metadata::semver::VersionReq::STAR,
            }],
        };
        let workspace = Workspace {
            root: PathBuf::new(),
            target_directory: PathBuf::new(),
            selected: Vec::new(),
            members: vec![package],
        };
        let edits = Plan::of(&graph).edits(&workspace, &graph);
        assert!(edits.needed.is_empty(), "{:?}", edits.needed);
        Edited::of(text, &edits.edits).text
    }

    const HOLD: &str = "struct S { peer: Peer<RoleServer> }\nimpl S {\n    #[saga]\n    async fn hold(&self) { self.peer.list_roots().await; }\n}\n";

    #[test]
    fn words_go_behind_those_that_are_there() {
        for (before, after) in [
            ("#[saga]", "#[saga(asks(hold))]"),
            ("#[saga()]", "#[saga(asks(hold))]"),
            ("#[saga(task)]", "#[saga(task, asks(hold))]"),
            ("#[saga(asks(hold))]", "#[saga(asks(hold))]"),
            ("#[saga(asks( hold ))]", "#[saga(asks( hold ))]"),
            ("#[saga(asks(hold, other))]", "#[saga(asks(hold, other))]"),
            (
                "#[saga(asks(other), asks(hold,))]",
                "#[saga(asks(other), asks(hold,))]",
            ),
            (
                "#[saga(asks(holder),)]",
                "#[saga(asks(holder), asks(hold))]",
            ),
            (
                "#[saga(\n    task, // Long.\n)]",
                "#[saga(\n    task, asks(hold) // Long.\n)]",
            ),
            // What the author says of it stands.
            ("#[saga(plain(hold))]", "#[saga(plain(hold))]"),
            ("#[saga_runtime::saga]", "#[saga_runtime::saga(asks(hold))]"),
        ] {
            let tool = |saga| {
                format!("{HOLD}{saga}\n#[tool]\nasync fn tool(s: S) {{ s.hold().await; }}\n")
            };
            assert_eq!(ported(&tool(before)), tool(after));
        }
    }

    #[test]
    fn the_import_stands_in_its_place_and_the_attribute_above_the_others() {
        let text = "mod inner {\n    use std::time::Duration;\n    use rmcp::tool;\n\n    /// Docs.\n    #[tool]\n    // Here.\n    pub async fn tool(peer: Peer<RoleServer>) { peer.list_roots().await; }\n}\n";
        let expected = text
            .replace(
                "use rmcp::tool;",
                "use rmcp::tool;\n    use saga_runtime::saga;",
            )
            .replace("    #[tool]", "    #[saga]\n    #[tool]");
        assert_eq!(ported(text), expected);
        let alone = "#[tool] async fn tool(peer: Peer<RoleServer>) { peer.list_roots().await; }\n";
        assert_eq!(ported(alone), format!("#[saga_runtime::saga]\n{alone}"));
        let taken = format!("use rmcp::tool;\nuse other::saga;\n{alone}");
        assert_eq!(
            ported(&taken),
            taken.replace(alone, &format!("#[saga_runtime::saga]\n{alone}"))
        );
    }
}
