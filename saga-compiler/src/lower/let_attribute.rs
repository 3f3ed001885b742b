//! `#[saga(remake)]`, `#[saga(skip)]` and `#[saga(with = module)]` on a `let`: the author's word on what
//! becomes of a variable that cannot be stored as it is.

use syn::{Expr, Local, Meta, Pat, spanned::Spanned};

use super::Lower;

use crate::{
    ast::{
        attributes::is_saga,
        calls::strip_parentheses,
        patterns::{is_name, pattern_bindings},
        types::is_shared_reference,
        uses::Uses,
    },
    cfg::{
        Access,
        persistence::{Form, Persistence},
        place::Borrow,
    },
};

/// What the attribute says.
pub(super) enum LetAttribute {
    Remake,
    Skip,
    With(syn::Path),
}

impl Lower<'_> {
    /// Takes the attribute off a `let`.
    pub(super) fn word(&mut self, local: &mut Local) -> Option<LetAttribute> {
        let (ours, others) = std::mem::take(&mut local.attrs)
            .into_iter()
            .partition::<Vec<_>, _>(|attribute| is_saga(attribute.path()));
        local.attrs = others;
        let attribute = ours.into_iter().next()?;
        let word = attribute.parse_args_with(|input: syn::parse::ParseStream<'_>| {
            let meta: Meta = input.parse()?;
            match &meta {
                Meta::Path(path) if path.is_ident("remake") => Ok(LetAttribute::Remake),
                Meta::Path(path) if path.is_ident("skip") => Ok(LetAttribute::Skip),
                Meta::NameValue(pair) if pair.path.is_ident("with") => match &pair.value {
                    Expr::Path(path) => Ok(LetAttribute::With(path.path.clone())),
                    other => Err(syn::Error::new(other.span(), "not a path")),
                },
                other => Err(syn::Error::new(other.span(), "not known")),
            }
        });
        if word.is_err() {
            self.errors.refuse(
                &attribute,
                "`#[saga(…)]` on a `let` says something unknown",
                "it takes one word on what becomes of the variable at an ask",
                "`#[saga(remake)]`, `#[saga(skip)]` or `#[saga(with = path::to::module)]`",
            );
        }
        let word = word.ok()?;
        let diverges = local
            .init
            .as_ref()
            .is_some_and(|init| init.diverge.is_some());
        if diverges || (!is_name(&local.pat) && !matches!(word, LetAttribute::Remake)) {
            self.errors.refuse(
                &local.pat,
                "`#[saga(…)]` on a `let` with a pattern",
                "it speaks of one variable",
                "`let name = …;`, and take it apart in the next line",
            );
            return None;
        }
        if matches!(word, LetAttribute::Remake)
            && let Some(init) = &mut local.init
        {
            self.clone_operands(&mut init.expr);
        }
        Some(word)
    }

    /// What is evaluated again takes copies of the variables that it is made of.
    ///
    /// ```text
    /// Api::new(client)   →   Api::new(Clone::clone(&client))
    /// ```
    fn clone_operands(&self, init: &mut Expr) {
        let operands: Vec<&mut Expr> = match init {
            Expr::Call(call) => call.args.iter_mut().collect(),
            Expr::MethodCall(call) => {
                self.clone_operands(&mut call.receiver);
                call.args.iter_mut().collect()
            }
            Expr::Struct(literal) => {
                let fields = literal.fields.iter_mut();
                let fields = fields.map(|field| {
                    // `Api { name }` would be printed as it is.
                    field.colon_token.get_or_insert_default();
                    &mut field.expr
                });
                fields.collect()
            }
            Expr::If(chosen) => {
                let then = tail_of(&mut chosen.then_branch);
                let otherwise = chosen.else_branch.as_mut();
                let otherwise = otherwise.map(|(_, otherwise)| &mut **otherwise);
                then.into_iter().chain(otherwise).collect()
            }
            Expr::Match(chosen) => chosen.arms.iter_mut().map(|arm| &mut *arm.body).collect(),
            Expr::Block(block) => tail_of(&mut block.block).into_iter().collect(),
            Expr::Tuple(tuple) => tuple.elems.iter_mut().collect(),
            Expr::Try(tried) => return self.clone_operands(&mut tried.expr),
            Expr::Await(awaited) => return self.clone_operands(&mut awaited.base),
            _ => return,
        };
        for operand in operands {
            let name = match strip_parentheses(operand) {
                Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
                _ => None,
            };
            let var = name.and_then(|name| self.lookup(&name));
            match var {
                Some(var) if self.vars[var.0].persistence.is_spilled() => {
                    *operand = syn::parse_quote!(::core::clone::Clone::clone(&#operand));
                }
                _ => self.clone_operands(operand),
            }
        }
    }

    /// What becomes of the variables of a `let` on which the author has said something.
    pub(super) fn by_attribute(
        &mut self,
        pat: &Pat,
        init: Option<&Expr>,
        word: &LetAttribute,
    ) -> (Option<Borrow>, Option<Form>) {
        match (word, init) {
            (LetAttribute::Skip, _) => (None, Some(Form::Skip)),
            (LetAttribute::With(module), _) => (None, Some(Form::With(module.clone()))),
            (LetAttribute::Remake, None) => {
                self.refuse_remake(pat, "there is nothing to evaluate again", "`let x = …;`");
                (None, Some(Form::Skip))
            }
            (LetAttribute::Remake, Some(init)) => {
                if pattern_bindings(pat).any(|binding| binding.mutable) {
                    let why = "what changed in it before the ask would be lost";
                    self.refuse_remake(pat, why, "a variable without `mut`");
                }
                if self.means_another(&Uses::of_expr(init), pat) {
                    let why = "it mentions an item whose name a variable of the function has, too: where it is evaluated again, that could be meant";
                    self.refuse_remake(pat, why, "another name for that variable");
                }
                // Each closure has a type of its own, and a borrow belongs to its piece.
                let here = matches!(
                    strip_parentheses(init),
                    Expr::Closure(_) | Expr::Reference(_)
                );
                let here = here || !self.importing.is_empty();
                if is_name(pat) && !here && self.stands_alone(init) {
                    (None, Some(Form::Reevaluated(Box::new(init.clone()))))
                } else {
                    (Some(self.made_of_others(init)), None)
                }
            }
        }
    }

    /// Made of other variables, and perhaps a borrow of them: it is made again wherever they have
    /// moved to.
    fn made_of_others(&mut self, init: &Expr) -> Borrow {
        let reads = Uses::of_expr(init).reads.into_keys();
        Borrow::of(init.clone(), self.resolve_all(reads).into_iter().collect())
    }

    /// Whether `init` is made of nothing that moves from piece to piece of the function.
    fn stands_alone(&self, init: &Expr) -> bool {
        let reads = self.resolve_all(Uses::of_expr(init).reads.into_keys());
        reads.iter().all(|id| match self.vars[id.0].persistence {
            Persistence::Param(param) => {
                let param = &self.params[param.0];
                is_shared_reference(&param.ty) || param.access == Access::Direct
            }
            Persistence::Spilled(_) | Persistence::Reborrowed(_) => false,
        })
    }

    fn refuse_remake(&mut self, pat: &Pat, why: &str, instead: &str) {
        self.errors
            .refuse(pat, "`#[saga(remake)]` on this variable", why, instead);
    }
}

/// What a block without names of its own gives.
fn tail_of(block: &mut syn::Block) -> Option<&mut Expr> {
    match block.stmts.as_mut_slice() {
        [syn::Stmt::Expr(tail, None)] => Some(tail),
        _ => None,
    }
}
