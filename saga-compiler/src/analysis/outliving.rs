//! Variables that may refer to something in what a function was given, and outlive it: what they refer to is found again there, as
//! far as types say that it can be, whatever found it.
//!
//! ```text
//! let best = cheapest(plans); ask; Ok(best)      best = Some(plan); .. ask; Ok(best)      out.push(word); .. ask; Ok(out)
//! ```

use std::collections::{BTreeMap, BTreeSet};

use syn::{Expr, ReceiverKind, Signature, Type, visit::Visit};

use super::{
    named::{Base, Beside, Named},
    referents::{is_same, may_refer},
};
use crate::{
    ast::types::{returns_lent, takes_references},
    cfg::{Access, Flow, Param, ParamId, VarId, persistence::Persistence},
};

/// A place that a reference leads to which the function was given.
pub(crate) struct Given {
    /// The parameter that it is in, if that is not `self`.
    pub(crate) param: Option<ParamId>,
    /// The place itself, behind the reference.
    pub(crate) place: Expr,
    /// It is a literal or a constant: what it is says which one.
    pub(crate) is_fixed: bool,
}

/// A variable that may outlive the function.
#[derive(Default)]
pub(crate) struct Outliving {
    /// Where what it refers to may be.
    pub(crate) places: Vec<Given>,
    /// It may be further inside: found in a part of what was found.
    pub(crate) inside: bool,
}

/// How many are tried for one variable.
const MOST: usize = 4;

/// The places of each of these variables that may outlive the function.
pub(crate) fn outliving(
    flow: &Flow,
    named: &Named,
    signature: &Signature,
    moving: &BTreeSet<VarId>,
) -> BTreeMap<VarId, Outliving> {
    let is_lender = |var: VarId| match flow.var(var).persistence {
        Persistence::Param(id) => takes_references(&flow.param(id).ty),
        _ => false,
    };
    let lends = flow.params.iter().any(|param| takes_references(&param.ty));
    if !lends && !returns_lent(&signature.output) {
        return BTreeMap::new();
    }
    let mut outlives = BTreeSet::new();
    if returns_lent(&signature.output) {
        outlives.extend(&named.returned);
    }
    let all = (0..flow.vars.len()).map(VarId);
    let lenders = all.filter(|var| is_lender(*var));
    let mut open: Vec<VarId> = outlives.iter().copied().chain(lenders).collect();
    while let Some(next) = open.pop() {
        let made_of = named.beside(next).filter_map(|beside| beside.base.var());
        open.extend(made_of.filter(|var| outlives.insert(*var)));
    }
    let refers = outlives.into_iter().filter(|var| moving.contains(var));
    let refers = refers.filter(|var| may_refer(flow, *var));
    let lent_out = lent_out(flow, signature);
    let all = refers.map(|var| {
        let mut of = Outliving::default();
        for beside in named.all_beside(var) {
            let is_new = |given: &Given| {
                let mut known = of.places.iter();
                !known.any(|known| is_same(&known.place, &given.place))
            };
            let given = given(flow, &lent_out, beside).filter(is_new);
            if of.places.iter().filter(|known| !known.is_fixed).count() < MOST {
                of.places.extend(given);
            }
            of.inside |= is_inside(flow, beside);
        }
        (var, of)
    });
    all.filter(|(_, of)| !of.places.iter().all(|place| place.is_fixed))
        .collect()
}

/// The lifetime of a `&self` whose is not written.
const RECEIVER: &str = "&self";

/// The same of the only parameter that has one.
const PARAM: &str = "&";

/// The lifetimes of what the function is left with, and of what may be put in what a `&mut` leads to.
fn lent_out(flow: &Flow, signature: &Signature) -> BTreeSet<String> {
    let mut found = Lifetimes::default();
    found.visit_return_type(&signature.output);
    let receiver = signature.receiver().map(|receiver| &receiver.kind);
    if found.elided {
        found.named.insert(match receiver {
            Some(ReceiverKind::Reference(_, Some(lifetime), _)) => lifetime.to_string(),
            Some(ReceiverKind::Reference(_, None, _)) => RECEIVER.to_owned(),
            _ => PARAM.to_owned(),
        });
    }
    for param in flow
        .params
        .iter()
        .filter(|param| takes_references(&param.ty))
    {
        found.visit_type(&param.ty);
    }
    if let Some(ReceiverKind::Reference(_, Some(lifetime), _)) = receiver
        && found.named.contains(&lifetime.to_string())
    {
        found.named.insert(RECEIVER.to_owned());
    }
    found.named
}

/// Those that are written in a type, and whether there is one that is not.
#[derive(Default)]
struct Lifetimes {
    named: BTreeSet<String>,
    elided: bool,
}

impl Visit<'_> for Lifetimes {
    fn visit_lifetime(&mut self, lifetime: &syn::Lifetime) {
        match lifetime.ident == "_" {
            true => self.elided = true,
            false => drop(self.named.insert(lifetime.to_string())),
        }
    }

    fn visit_type_reference(&mut self, lent: &syn::TypeReference) {
        self.elided |= lent.lifetime.is_none();
        syn::visit::visit_type_reference(self, lent);
    }
}

/// A part of what was found: `cur.kids.first()`.
fn is_inside(flow: &Flow, beside: &Beside) -> bool {
    let is_local = |var: VarId| !matches!(flow.var(var).persistence, Persistence::Param(_));
    let is_part = matches!(beside.place, Expr::Field(_));
    beside.is_lent && is_part && beside.base.var().is_some_and(is_local)
}

/// A place in what a shared reference leads to that the function was given.
fn given(flow: &Flow, lent_out: &BTreeSet<String>, beside: &Beside) -> Option<Given> {
    let place = &beside.place;
    let behind = match place {
        Expr::Path(_) => syn::parse_quote!(*#place),
        part => part.clone(),
    };
    let (param, place) = match beside.base {
        Base::Fixed => (
            None,
            syn::parse_quote!(::saga_runtime::__private::ByContent(&#place)),
        ),
        Base::Receiver => {
            let is_lent = flow.shares_self && lent_out.contains(RECEIVER);
            is_lent.then_some((None, behind))?
        }
        Base::Var(var) => {
            let Persistence::Param(id) = flow.var(var).persistence else {
                return None;
            };
            let param = flow.param(id);
            let place = match (leads_out(param, lent_out), lends_within(param, lent_out)) {
                (true, _) => behind,
                (false, true) => syn::parse_quote!(::saga_runtime::__private::Within(&#behind)),
                (false, false) => return None,
            };
            (Some(id), place)
        }
    };
    Some(Given {
        param,
        place,
        is_fixed: beside.base == Base::Fixed,
    })
}

/// Whether a parameter is one name for a shared reference of such a lifetime, and at hand where a frame is read.
fn leads_out(param: &Param, lent_out: &BTreeSet<String>) -> bool {
    let Type::Reference(lent) = &param.ty else {
        return false;
    };
    let outlives = match &lent.lifetime {
        Some(lifetime) => lent_out.contains(&lifetime.to_string()),
        None => lent_out.contains(PARAM),
    };
    lent.mutability.is_none() && outlives && is_at_hand(param)
}

/// Whether it is one name for a shared reference to what lends something of such a lifetime: `&[&'a str]`.
fn lends_within(param: &Param, lent_out: &BTreeSet<String>) -> bool {
    let Type::Reference(lent) = &param.ty else {
        return false;
    };
    let mut inside = Lifetimes::default();
    inside.visit_type(&lent.elem);
    let outlives = inside
        .named
        .iter()
        .any(|lifetime| lent_out.contains(lifetime));
    lent.mutability.is_none() && outlives && is_at_hand(param)
}

/// Whether a parameter is one name, and there where a frame is read.
fn is_at_hand(param: &Param) -> bool {
    let is_there = matches!(
        param.access,
        Access::Direct | Access::Copied | Access::Rooted
    );
    is_there && matches!(&param.pat, syn::Pat::Ident(name) if name.subpat.is_none())
}
