//! `for` over `filter`, `map` and their kin: the closures become the head of the loop, so that they run
//! as lazily, and in the same order, as the iterator would run them.

use quote::format_ident;
use syn::{Expr, ExprClosure, ExprForLoop, Pat, Stmt, visit::Visit};

use crate::{
    ast::{
        assigned_places::{Assigned, LookedAt},
        calls::strip_parentheses,
        changed::may_change,
        macros::{arguments, is_known},
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
}

impl Names<'_> {
    /// Whether the expression of the items may change a number.
    fn changed(&self, number: &Does<'_>, items: &Expr) -> bool {
        let Does::Count(number) = number else {
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

/// What a `for` goes over: std's items, and what is done to each.
struct Chain<'e> {
    items: Expr,
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
}

/// ```text
/// for x in list.iter().filter(|x| c(x)).map(|x| f(x)) { … }
///     →   for i in list.iter() { if !{ let x = &i; c(x) } { continue; } let x = { let x = i; f(x) }; … }
/// ```
pub(super) fn inlined(looped: &ExprForLoop, names: &Names<'_>) -> Option<Expr> {
    let chain = Chain::of(&looped.expr, names)?;
    if !chain.steps.iter().any(Step::runs_code) {
        return None;
    }
    let mut before: Vec<Stmt> = Vec::new();
    // Before anything that runs code: after its last item `take` does not go on to look for another one.
    let mut first: Vec<Stmt> = Vec::new();
    let mut head: Vec<Stmt> = Vec::new();
    let label = looped.label.as_ref().map(|label| &label.name);
    let start = format_ident!("__saga_item_0");
    let mut item = start.clone();
    for (index, step) in chain.steps.iter().enumerate() {
        let next = format_ident!("__saga_item_{}", index + 1);
        match step.name.as_str() {
            "filter" => {
                let keeps = step.of(&syn::parse_quote!(&#item))?;
                head.push(syn::parse_quote!(if !#keeps { continue #label; }));
            }
            "take_while" => {
                let goes_on = step.of(&syn::parse_quote!(&#item))?;
                head.push(syn::parse_quote!(if !#goes_on { break #label; }));
            }
            "skip_while" => {
                let skips = step.of(&syn::parse_quote!(&#item))?;
                let skipping = format_ident!("__saga_skipping_{index}");
                before.push(syn::parse_quote!(let mut #skipping = true;));
                head.push(syn::parse_quote!(if #skipping {
                    #skipping = #skips;
                    if #skipping { continue #label; }
                }));
            }
            "inspect" => {
                let looks = step.of(&syn::parse_quote!(&#item))?;
                head.push(syn::parse_quote!({ #looks; }));
            }
            "map" => {
                let mapped = step.of(&syn::parse_quote!(#item))?;
                head.push(syn::parse_quote!(let #next = #mapped;));
                item = next;
            }
            "filter_map" => {
                let mapped = step.of(&syn::parse_quote!(#item))?;
                head.push(syn::parse_quote!(
                    let ::core::option::Option::Some(#next) = (#mapped) else { continue #label; };
                ));
                item = next;
            }
            // One by one, as a `Clone` of one's own may do something.
            "cloned" => {
                head.push(syn::parse_quote!(let #next = ::core::clone::Clone::clone(#item);));
                item = next;
            }
            "copied" => {
                head.push(syn::parse_quote!(let #next = *#item;));
                item = next;
            }
            "enumerate" => {
                let count = format_ident!("__saga_count_{index}");
                before.push(syn::parse_quote!(let mut #count = 0usize;));
                head.push(syn::parse_quote!(let #next = (#count, #item);));
                head.push(syn::parse_quote!(#count += 1;));
                item = next;
            }
            "take" | "skip" => {
                let Does::Count(count) = step.does else {
                    return None;
                };
                let left = format_ident!("__saga_left_{index}");
                before.push(syn::parse_quote!(let mut #left: ::core::primitive::usize = #count;));
                match step.name.as_str() {
                    "take" => {
                        first.push(syn::parse_quote!(if #left == 0 { break #label; }));
                        head.push(syn::parse_quote!(#left -= 1;));
                    }
                    _ => head.push(syn::parse_quote!(if #left > 0 {
                        #left -= 1;
                        continue #label;
                    })),
                }
            }
            _ => return None,
        }
    }
    let items = &chain.items;
    let (pat, body, label) = (&looped.pat, &looped.body.stmts, &looped.label);
    Some(syn::parse_quote!({
        #(#before)*
        #label for #start in #items {
            #(#first)*
            #(#head)*
            let #pat = #item;
            #(#body)*
        }
    }))
}

/// The closure in the head of a loop that looks at what has another value in its body.
pub(super) fn replaced<'e>(looped: &'e ExprForLoop, names: &Names<'_>) -> Option<&'e ExprClosure> {
    let chain = Chain::of(&looped.expr, names)?;
    let assigned = Assigned::in_block(&looped.body);
    let mut closures = chain.steps.iter().filter_map(|step| match step.does {
        Does::Closure(closure) => Some(closure),
        _ => None,
    });
    closures.find(|closure| {
        let looked_at = LookedAt::in_expr(&Expr::Closure((*closure).clone()));
        let looked_at = looked_at.without(&looped.pat);
        assigned.replaces(&looked_at).is_some()
    })
}

impl Step<'_> {
    /// Whether only std's code runs in it: that may stay an iterator.
    fn runs_code(&self) -> bool {
        matches!(self.does, Does::Closure(_) | Does::Function(_)) || self.name == "cloned"
    }

    /// What it gives for an item.
    fn of(&self, item: &Expr) -> Option<Expr> {
        match &self.does {
            Does::Closure(closure) => {
                let (pat, body) = (closure.inputs.first()?, &closure.body);
                Some(match &closure.output {
                    syn::ReturnType::Default => syn::parse_quote!({ let #pat = #item; #body }),
                    syn::ReturnType::Type(_, ty) => syn::parse_quote!({
                        let #pat = #item;
                        let __saga_given: #ty = #body;
                        __saga_given
                    }),
                })
            }
            Does::Function(function) => Some(syn::parse_quote!((#function(#item)))),
            Does::Nothing | Does::Count(_) => None,
        }
    }
}

impl<'e> Chain<'e> {
    /// Takes the adapters off; what only std's code runs for stays where nothing else is inside of it.
    fn of(items: &'e Expr, names: &Names<'_>) -> Option<Self> {
        let innermost = || Self {
            items: items.clone(),
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
                let plain = closure.inputs.len() == 1 && closure.asyncness.is_none();
                // Taken by value it may be another variable than the one of its name.
                if !plain
                    || closure.capture.is_some()
                    || leaves(&closure.body)
                    || !closure.inputs.first().is_some_and(binds_simply)
                {
                    return None;
                }
                Does::Closure(closure)
            }
            (name, (Some(function @ Expr::Path(path)), None))
                if CALLING.contains(&name) && is_function(path, names) =>
            {
                Does::Function(function)
            }
            ("cloned" | "copied" | "enumerate" | "rev", (None, None)) => Does::Nothing,
            ("take" | "skip", (Some(count), None)) if is_count(count) => Does::Count(count),
            _ => return Some(innermost()),
        };
        let mut chain = Self::of(&call.receiver, names)?;
        let runs_code = chain.steps.iter().any(Step::runs_code);
        match name.as_str() {
            _ if !runs_code
                && !matches!(does, Does::Closure(_) | Does::Function(_))
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
            "take" | "skip" if !is_quiet(&chain.items) || names.changed(&does, &chain.items) => {
                return None;
            }
            _ => chain.steps.push(Step { name, does }),
        }
        Some(chain)
    }
}

/// Adapters that call what they are given for each item.
const CALLING: &[&str] = &[
    "filter",
    "filter_map",
    "inspect",
    "map",
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
        Expr::MethodCall(call) => is_quiet(&call.receiver) && call.args.iter().all(is_quiet),
        Expr::Range(range) => {
            let mut ends = range.start.iter().chain(&range.end);
            ends.all(|end| is_quiet(end))
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
