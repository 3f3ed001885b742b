//! `for` over `filter`, `map` and their kin: the closures become the head of the loop, so that they run
//! as lazily, and in the same order, as the iterator would run them.

use std::collections::HashMap;

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote_spanned};
use syn::{Expr, ExprClosure, ExprForLoop, Ident, Pat, Stmt, ext::IdentExt, visit::Visit};

mod levels;

use levels::{Level, leave_all};

use crate::{
    ast::{
        assigned_places::LookedAt,
        calls::{strip_parentheses, strip_parentheses_mut},
        changed::may_change,
        macros::{arguments, is_known},
        order::in_any_order,
        patterns::pattern_bindings,
        rename::{rename, rename_pattern},
        uses::{Uses, binary_assigns},
    },
    cfg::iterated::is_iterated_place,
};

/// What is known of names around the loop.
pub(super) struct Names<'a> {
    pub(super) is_variable: &'a dyn Fn(&str) -> bool,
    /// A closure that is made again wherever it is called.
    pub(super) is_remade: &'a dyn Fn(&str) -> bool,
    /// Whether a method may be given a `&mut` of it.
    pub(super) is_changeable: &'a dyn Fn(&str) -> bool,
    /// A number that no loop around this one has.
    pub(super) level: usize,
}

impl Names<'_> {
    /// Whether a closure's body does in the loop what it does in the closure.
    fn may_inline(&self, closure: &ExprClosure) -> bool {
        // Taken by value it may be another variable than the one of its name; what never changes is the same one.
        let takes = closure.capture.is_some();
        let mut reads = Uses::of_expr(&closure.body).reads.into_keys();
        closure.asyncness.is_none()
            && !leaves(&closure.body)
            && closure.inputs.iter().all(binds_simply)
            && !(takes && reads.any(|name| (self.is_changeable)(&name)))
    }

    /// Whether a number may be evaluated before the items' expression.
    fn in_any_order(&self, number: &Does<'_>, items: &Expr) -> bool {
        match number {
            Does::Count(number) | Does::Scan(number, _) => {
                in_any_order(items, number, self.is_changeable)
            }
            _ => false,
        }
    }

    /// Whether the expression of the items may change a number.
    fn changed(&self, number: &Does<'_>, items: &Expr) -> bool {
        let (Does::Count(number) | Does::Scan(number, _)) = number else {
            return false;
        };
        if is_iterated_place(items) {
            return false;
        }
        let touched = may_change(items);
        let mut names = Uses::of_expr(number).reads.into_keys();
        names.any(|name| touched.contains(&name) && (self.is_changeable)(&name))
    }
}

/// A loop without them.
pub(super) struct Inlined {
    pub(super) looped: Expr,
    /// That they are std's.
    pub(super) proof: TokenStream,
    /// The closures that were in the head of the loop, and what each looks at.
    pub(super) closures: Vec<(ExprClosure, LookedAt)>,
    /// How many were taken off.
    adapters: usize,
}

impl Inlined {
    /// What the items are made from: what is under all that is taken off the head.
    pub(super) fn source_mut<'h>(&self, head: &'h mut Expr) -> Option<&'h mut Expr> {
        let mut source = head;
        for _ in 0..self.adapters {
            let Expr::MethodCall(call) = strip_parentheses_mut(source) else {
                return None;
            };
            source = &mut call.receiver;
        }
        Some(source)
    }
}

/// What a `for` goes over: std's items, and what is done to each.
struct Chain<'e> {
    items: Expr,
    /// The names of all methods that are taken off, the innermost first.
    names: Vec<&'e Ident>,
    /// The innermost first.
    steps: Vec<Step<'e>>,
}

/// An adapter.
struct Step<'e> {
    name: String,
    does: Does<'e>,
}

/// What an adapter is given.
enum Does<'e> {
    Nothing,
    Closure(&'e ExprClosure),
    /// The path of a function, or a closure's name.
    Function(&'e Expr),
    /// A number that does not change.
    Count(&'e Expr),
    /// What is carried from item to item, and what makes the next one of it.
    Scan(&'e Expr, &'e ExprClosure),
}

/// ```text
/// for x in list.iter().filter(|x| c(x)).map(|x| f(x)) { … }
///     →   for i in list.iter() { if !{ let x = &i; c(x) } { continue; } let x = { let x = i; f(x) }; … }
/// for x in list.iter().flat_map(|x| f(x)) { … }
///     →   for i in list.iter() { let x = i; for i in f(x) { let x = i; … } }
/// ```
pub(super) fn inlined(looped: &ExprForLoop, names: &Names<'_>) -> Option<Inlined> {
    let chain = Chain::of(&looped.expr, names)?;
    if !chain.steps.iter().any(Step::runs_code) {
        return None;
    }
    let mut before: Vec<Stmt> = Vec::new();
    let mut levels = vec![Level::over(chain.items.clone(), 0)];
    let nests = chain.steps.iter().any(Step::nests);
    let outermost = format_ident!("__saga_items_{}", names.level);
    let outermost = syn::Lifetime::new(&format!("'{outermost}"), outermost.span());
    let own_label = looped.label.as_ref().map(|label| &label.name);
    let ends = if nests { Some(&outermost) } else { own_label };
    for (index, step) in chain.steps.iter().enumerate() {
        let is_nested = levels.len() > 1;
        let level = levels.last_mut()?;
        let (item, head) = (level.item.clone(), &mut level.head);
        let next = format_ident!("__saga_item_{}", index + 1);
        match step.name.as_str() {
            "filter" => {
                let keeps = step.of(&syn::parse_quote!(&#item))?;
                head.push(syn::parse_quote!(if !#keeps { continue; }));
            }
            "take_while" => {
                let goes_on = step.of(&syn::parse_quote!(&#item))?;
                head.push(syn::parse_quote!(if !#goes_on { break #ends; }));
            }
            "skip_while" => {
                let skips = step.of(&syn::parse_quote!(&#item))?;
                let skipping = format_ident!("__saga_skipping_{index}");
                before.push(syn::parse_quote!(let mut #skipping = true;));
                head.push(syn::parse_quote!(if #skipping {
                    #skipping = #skips;
                    if #skipping { continue; }
                }));
            }
            "inspect" => {
                let looks = step.of(&syn::parse_quote!(&#item))?;
                head.push(syn::parse_quote!({ #looks; }));
            }
            "map" => {
                let mapped = match step.gives_several() {
                    true => step.unfolded(&item, index, head)?,
                    false => step.of(&syn::parse_quote!(#item))?,
                };
                head.push(syn::parse_quote!(let #next = #mapped;));
                level.item = next;
            }
            "filter_map" => {
                let mapped = step.of(&syn::parse_quote!(#item))?;
                head.push(syn::parse_quote!(
                    let ::core::option::Option::Some(#next) = (#mapped) else { continue; };
                ));
                level.item = next;
            }
            "map_while" => {
                let mapped = step.of(&syn::parse_quote!(#item))?;
                head.push(syn::parse_quote!(
                    let ::core::option::Option::Some(#next) = (#mapped) else { break #ends; };
                ));
                level.item = next;
            }
            "scan" => {
                let Does::Scan(start, closure) = step.does else {
                    return None;
                };
                let state = format_ident!("__saga_state_{index}");
                before.push(syn::parse_quote!(let mut #state = #start;));
                let given = [syn::parse_quote!(&mut #state), syn::parse_quote!(#item)];
                let mapped = called(closure, &given)?;
                head.push(syn::parse_quote!(
                    let ::core::option::Option::Some(#next) = (#mapped) else { break #ends; };
                ));
                level.item = next;
            }
            "flat_map" => {
                let items = step.unfolded(&item, index, head)?;
                levels.push(Level::over(items, index + 1));
            }
            "flatten" => levels.push(Level::over(syn::parse_quote!(#item), index + 1)),
            // One by one, as a `Clone` of one's own may do something.
            "cloned" => {
                head.push(syn::parse_quote!(let #next = ::core::clone::Clone::clone(#item);));
                level.item = next;
            }
            "copied" => {
                head.push(syn::parse_quote!(let #next = *#item;));
                level.item = next;
            }
            "enumerate" => {
                let count = format_ident!("__saga_count_{index}");
                before.push(syn::parse_quote!(let mut #count = 0usize;));
                let number = format_ident!("__saga_number_{index}");
                head.push(syn::parse_quote!(let #number = #count;));
                head.push(syn::parse_quote!(#count += 1;));
                head.push(syn::parse_quote!(let #next = (#number, #item);));
                level.item = next;
            }
            "take" | "skip" => {
                let Does::Count(count) = step.does else {
                    return None;
                };
                let left = format_ident!("__saga_left_{index}");
                before.push(syn::parse_quote!(let mut #left: ::core::primitive::usize = #count;));
                match step.name.as_str() {
                    // What a closure gave would be stepped once more, which may do something.
                    "take" if is_nested => return None,
                    "take" => {
                        level
                            .first
                            .push(syn::parse_quote!(if #left == 0 { break #ends; }));
                        head.push(syn::parse_quote!(#left -= 1;));
                    }
                    _ => head.push(syn::parse_quote!(if #left > 0 {
                        #left -= 1;
                        continue;
                    })),
                }
            }
            _ => return None,
        }
    }
    let label = &looped.label;
    let mut innermost = levels.pop()?;
    let mut body = looped.body.stmts.clone();
    if nests {
        leave_all(&mut body, own_label, &outermost);
    }
    let mut nested = match innermost.head.is_empty() {
        true => innermost.around(label.as_ref(), &looped.pat, body),
        false => {
            body.insert(0, innermost.bound_to(&looped.pat));
            innermost.each(label.as_ref(), body)
        }
    };
    let mut label = nests.then(|| syn::parse_quote!(#outermost:));
    while let Some(level) = levels.pop() {
        let label = if levels.is_empty() {
            label.take()
        } else {
            None
        };
        nested = level.each(label.as_ref(), vec![Stmt::Expr(nested, None)]);
    }
    Some(Inlined {
        looped: syn::parse_quote!({
            #(#before)*
            #nested
        }),
        proof: chain.proof(&looped.expr)?,
        closures: chain.closures(&looped.pat),
        adapters: chain.names.len(),
    })
}

/// What a closure gives.
fn called(closure: &ExprClosure, given: &[Expr]) -> Option<Expr> {
    if closure.inputs.len() != given.len() {
        return None;
    }
    let (pats, body) = (closure.inputs.iter(), &closure.body);
    Some(match &closure.output {
        syn::ReturnType::Default => syn::parse_quote!({ #(let #pats = #given;)* #body }),
        syn::ReturnType::Type(_, ty) => syn::parse_quote!({
            #(let #pats = #given;)*
            let __saga_given: #ty = #body;
            __saga_given
        }),
    })
}

impl Chain<'_> {
    /// Has rustc look whether what is taken off `head` are std's iterators.
    fn proof(&self, head: &Expr) -> Option<TokenStream> {
        let none: syn::Type = syn::parse_quote!(());
        let adapters = self.names.iter().fold(none, |inner, name| {
            let name = name.unraw();
            syn::parse_quote!((::saga_runtime::__private::adapters::#name, #inner))
        });
        let outermost = self.names.last()?.span();
        Some(quote_spanned! {outermost.resolved_at(Span::call_site())=>
            ::saga_runtime::__private::adapted_by_std::<#adapters, _>(&(#head));
        })
    }

    /// Its closures, and what each looks at.
    fn closures(&self, pat: &Pat) -> Vec<(ExprClosure, LookedAt)> {
        let closures = self.steps.iter().filter_map(|step| match step.does {
            Does::Closure(closure) | Does::Scan(_, closure) => Some(closure.clone()),
            _ => None,
        });
        let looked_at = closures.map(|closure| {
            let looked_at = LookedAt::in_expr(&Expr::Closure(closure.clone()));
            (closure, looked_at.without(pat))
        });
        looked_at.collect()
    }
}

impl Step<'_> {
    /// Whether only std's code runs in it: that may stay an iterator.
    fn runs_code(&self) -> bool {
        matches!(
            self.does,
            Does::Closure(_) | Does::Function(_) | Does::Scan(..)
        ) || self.name == "cloned"
    }

    /// Whether an item of it has items of its own, which need a loop of their own.
    fn nests(&self) -> bool {
        self.name == "flat_map" || self.name == "flatten"
    }

    /// Whether what it gives for an item is a tuple, whose parts may be places.
    fn gives_several(&self) -> bool {
        matches!(self.does, Does::Closure(closure)
            if matches!(strip_parentheses(&closure.body), Expr::Tuple(_)))
    }

    /// What it gives for an item.
    fn of(&self, item: &Expr) -> Option<Expr> {
        match &self.does {
            Does::Closure(closure) => called(closure, std::slice::from_ref(item)),
            Does::Function(function) => Some(syn::parse_quote!((#function(#item)))),
            Does::Nothing | Does::Count(_) | Does::Scan(..) => None,
        }
    }

    /// The items that it gives for one, as an expression that a loop can find again: the closure's names are those of the code
    /// around it, and no others.
    fn unfolded(&self, item: &Ident, index: usize, head: &mut Vec<Stmt>) -> Option<Expr> {
        let closure = match &self.does {
            Does::Closure(closure) if matches!(closure.output, syn::ReturnType::Default) => closure,
            _ => return self.of(&syn::parse_quote!(#item)),
        };
        let mut pat = closure.inputs.first()?.clone();
        let mut items = (*closure.body).clone();
        let names: HashMap<String, Ident> = pattern_bindings(&pat)
            .map(|binding| {
                let name = binding.ident.to_string();
                let of = format_ident!("__saga_{}_{index}", binding.ident.unraw());
                (name, of)
            })
            .collect();
        if binds_again(&items, &names) {
            // A `map` needs none; where there are items of it, they are not found again.
            return self.of(&syn::parse_quote!(#item));
        }
        rename_pattern(&mut pat, &names);
        rename(&mut items, &names);
        head.push(syn::parse_quote!(let #pat = #item;));
        Some(items)
    }
}

/// Whether a name is that of another variable, too.
fn binds_again(expr: &Expr, names: &HashMap<String, Ident>) -> bool {
    struct Again<'n>(&'n HashMap<String, Ident>, bool);
    impl<'ast> Visit<'ast> for Again<'_> {
        fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
            self.1 |= self.0.contains_key(&pat.ident.to_string());
            syn::visit::visit_pat_ident(self, pat);
        }
    }
    let mut again = Again(names, false);
    again.visit_expr(expr);
    again.1
}

impl<'e> Chain<'e> {
    /// Takes the adapters off; what only std's code runs for stays where nothing else is inside of it.
    fn of(items: &'e Expr, names: &Names<'_>) -> Option<Self> {
        let innermost = || Self {
            items: items.clone(),
            names: Vec::new(),
            steps: Vec::new(),
        };
        let Expr::MethodCall(call) = strip_parentheses(items) else {
            return Some(innermost());
        };
        if call.turbofish.is_some() {
            return Some(innermost());
        }
        let name = call.method.to_string();
        let mut arguments = call.args.iter().map(strip_parentheses);
        let argument = (arguments.next(), arguments.next());
        let does = match (name.as_str(), argument) {
            (name, (Some(Expr::Closure(closure)), None)) if CALLING.contains(&name) => {
                if closure.inputs.len() != 1 || !names.may_inline(closure) {
                    return None;
                }
                Does::Closure(closure)
            }
            ("scan", (Some(start), Some(Expr::Closure(closure)))) => {
                if closure.inputs.len() != 2 || !names.may_inline(closure) || !is_quiet(start) {
                    return None;
                }
                Does::Scan(start, closure)
            }
            (name, (Some(function @ Expr::Path(path)), None))
                if CALLING.contains(&name) && is_function(path, names) =>
            {
                Does::Function(function)
            }
            ("cloned" | "copied" | "enumerate" | "flatten" | "rev", (None, None)) => Does::Nothing,
            ("take" | "skip", (Some(count), None)) if is_count(count) => Does::Count(count),
            _ => return Some(innermost()),
        };
        let mut chain = Self::of(&call.receiver, names)?;
        let runs_code = chain.steps.iter().any(Step::runs_code);
        match name.as_str() {
            _ if !runs_code
                && matches!(does, Does::Nothing | Does::Count(_))
                && name != "cloned" =>
            {
                return Some(innermost());
            }
            // Each item by itself is the same from behind.
            "rev" => {
                let each = ["filter", "filter_map", "inspect", "map", "cloned", "copied"];
                let known = |step: &Step<'_>| each.contains(&step.name.as_str());
                if !chain.steps.iter().all(known) {
                    return None;
                }
                let items = &chain.items;
                chain.items = syn::parse_quote!(#items.rev());
            }
            // A number that the items' expression changes is another one before it.
            // What is left of an iterator somebody else goes on with: `take` asks it for none behind its last.
            "take" if is_borrowed(&chain.items) => return None,
            "take" | "skip" | "scan"
                if !names.in_any_order(&does, &chain.items)
                    || names.changed(&does, &chain.items) =>
            {
                return None;
            }
            _ => chain.steps.push(Step { name, does }),
        }
        chain.names.push(&call.method);
        Some(chain)
    }
}

/// Adapters that call what they are given for each item.
const CALLING: &[&str] = &[
    "filter",
    "filter_map",
    "flat_map",
    "inspect",
    "map",
    "map_while",
    "skip_while",
    "take_while",
];

/// Whether a path can be called for each item: that of a function, and a closure that each call finds again. Another variable
/// would be taken by the first.
fn is_function(path: &syn::ExprPath, names: &Names<'_>) -> bool {
    let name = path.path.get_ident().map(ToString::to_string);
    name.is_none_or(|name| !(names.is_variable)(&name) || (names.is_remade)(&name))
}

fn is_count(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) | Expr::Path(_) => true,
        Expr::Field(field) => is_count(strip_parentheses(&field.base)),
        Expr::Binary(binary) if !binary_assigns(&binary.op) => {
            is_count(strip_parentheses(&binary.left)) && is_count(strip_parentheses(&binary.right))
        }
        Expr::Cast(cast) => is_count(strip_parentheses(&cast.expr)),
        _ => false,
    }
}

/// Whether an expression assigns nothing, as far as its form says.
fn is_quiet(expr: &Expr) -> bool {
    match strip_parentheses(expr) {
        Expr::Lit(_) | Expr::Path(_) => true,
        Expr::Field(field) => is_quiet(&field.base),
        Expr::Reference(reference) => is_quiet(&reference.expr),
        Expr::Array(list) => list.elems.iter().all(is_quiet),
        Expr::Unary(unary) => is_quiet(&unary.expr),
        Expr::MethodCall(call) => is_quiet(&call.receiver) && call.args.iter().all(is_quiet),
        Expr::Range(range) => {
            let mut ends = range.start.iter().chain(&range.end);
            ends.all(|end| is_quiet(end))
        }
        _ => false,
    }
}

/// Whether an iterator goes on behind the loop, as far as its form says: `lines.by_ref()`, and one in a variable, which may be lent.
fn is_borrowed(items: &Expr) -> bool {
    match strip_parentheses(items) {
        Expr::Path(_) | Expr::Field(_) | Expr::Unary(_) => true,
        Expr::Reference(lent) => lent.mutability.is_some(),
        Expr::MethodCall(call) if call.method == "by_ref" => true,
        Expr::MethodCall(call) => {
            ["rev", "skip", "enumerate", "cloned", "copied", "step_by"]
                .iter()
                .any(|name| call.method == name)
                && is_borrowed(&call.receiver)
        }
        _ => false,
    }
}

fn binds_simply(pat: &Pat) -> bool {
    !matches!(pat, Pat::Or(_))
}

/// Whether a closure's body has a way out of its own, or a name for what the loop would have to keep.
fn leaves(body: &Expr) -> bool {
    struct Leaves(bool);
    impl<'ast> Visit<'ast> for Leaves {
        fn visit_expr(&mut self, expr: &'ast Expr) {
            match expr {
                Expr::Return(_) | Expr::Try(_) | Expr::Await(_) => self.0 = true,
                Expr::Closure(_) | Expr::Async(_) => {}
                other => syn::visit::visit_expr(self, other),
            }
        }

        fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
            if !is_known(invocation) {
                // It may return from the closure, which would be from the function.
                self.0 = true;
                return;
            }
            match arguments(invocation) {
                Some(all) => {
                    let values = all.iter().map(|argument| &argument.value);
                    values.for_each(|value| self.visit_expr(value));
                }
                None => {
                    let text = invocation.tokens.to_string();
                    self.0 |= text.contains('?') || text.contains("return");
                }
            }
        }
    }
    let mut leaves = Leaves(false);
    leaves.visit_expr(body);
    leaves.0
}
