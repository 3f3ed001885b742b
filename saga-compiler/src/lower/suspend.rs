//! Suspension points: asks, and calls of functions that ask.

use syn::Expr;

use super::{
    Lower,
    captures::{Receiver, Touched},
    limits::{Around, of_tokio},
    structs::{name_fields, parts_of_literal, parts_of_struct, prove_literal},
};

use crate::{
    ast::{
        calls::{
            call_operands, callee, closure_in, is_hidden_name, is_literal, is_self, makes_struct,
            shown_call, strip_parentheses,
        },
        exits::may_exit,
        types::is_unique_reference,
        uses::{Uses, root_name},
        vocabulary::{Method, is_question},
    },
    cfg::{
        Access, AskCall, AskLimit, BlockId, Callee, Facts, Point, PointId, StandsFor, Terminator,
        VarId, copies, persistence::Persistence,
    },
    syntax::{
        asks::{Ask, Limit},
        given::own_ask,
        locks::refuse_lock,
    },
};

/// How the operands of a call wait until it returns.
pub(super) struct Operands {
    pub(super) receiver: Receiver,
    /// Which of them are copies of what.
    copies: Vec<(usize, VarId)>,
}

impl Lower<'_> {
    /// Suspends at `base`, which is awaited; what is left is the value of `base.await`.
    pub(super) fn suspend(&mut self, base: Expr) -> Expr {
        match self.handles.ask(&base) {
            Some(ask) => {
                let mut ask = ask_call(&ask);
                let is_time = |limit: &AskLimit| !matches!(limit, AskLimit::Race(_));
                if let (true, Expr::Call(call)) = (ask.limit.as_ref().is_some_and(is_time), &base) {
                    self.opaque(of_tokio(call));
                }
                let key = self.key.take();
                let simple = self.handles.is_handle(&ask.handle) && !self.is_cut(&ask.handle);
                let mut operands = operands_of(&mut ask);
                // Time and handle are evaluated before what is asked.
                if simple {
                    operands.retain(|(_, is_handle)| !is_handle);
                }
                self.operands_without_jumps(&mut operands);
                if !simple
                    && let Some(AskLimit::Timeout(time) | AskLimit::TimeoutAt(time)) =
                        &mut ask.limit
                {
                    *time = self.spill(time.clone());
                }
                self.key = key;
                self.ask(ask)
            }
            None if self.handles.join(&base).is_some() => self.join(&base, None),
            None => match self.handles.limited_call(&base) {
                Some((call, limit)) => {
                    let around = self.around(&base, limit);
                    self.call(call.clone(), Some(around))
                }
                None => self.call(base, None),
            },
        }
    }

    /// ```text
    /// … peer.elicit::<T>(q).await …   →   ask; resume: let t = answer.output(); … t …
    /// ```
    fn ask(&mut self, ask: AskCall) -> Expr {
        let key = ask.key.clone().or_else(|| self.key.clone());
        let key = key.unwrap_or_else(|| default_key(&ask));
        let facts = self.ask_facts(&ask);
        let answer = self.record();
        let resume = self.new_block();
        let point = self.point(key, ask.shown.clone(), resume);
        let ask = Box::new(ask);
        self.terminate(Terminator::Ask {
            point,
            ask,
            facts,
            answer,
            resume,
        });
        self.enter(resume);
        let record = self.path(answer);
        self.made_of(syn::parse_quote!(#record.saga_output()))
    }

    pub(super) fn ask_facts(&mut self, ask: &AskCall) -> Facts {
        let mut uses = Uses::of_expr(&ask.handle);
        refuse_lock(&ask.handle, &mut self.errors);
        let limit = ask.limit.as_ref().map(AskLimit::expr);
        for argument in ask.arguments.iter().chain(limit) {
            refuse_lock(argument, &mut self.errors);
            let more = Uses::of_expr(argument);
            uses.reads.extend(more.reads);
            uses.assigns.extend(more.assigns);
        }
        let given = ask.arguments.iter().filter_map(given_away);
        let given: Vec<_> = given.collect();
        let mut facts = self.facts(uses);
        facts.moves = self.resolve_all(given);
        facts
    }

    /// The author's value, made of records of answers.
    pub(super) fn made_of(&mut self, init: Expr) -> Expr {
        let value = self.hidden("output");
        self.vars[value.0].stands_for = StandsFor::Value;
        self.pick(value, &init);
        self.define(value, init);
        self.path(value)
    }

    /// A call that is given the handle. Its arguments are made again when the call is: borrows by
    /// evaluating them again, others from a copy that is kept until it returns.
    fn call(&mut self, mut base: Expr, limit: Option<Around>) -> Expr {
        let Operands { receiver, copies } = self.keep_operands(&mut base, &[]);
        self.let_go(&receiver);
        let limit = limit.map(|limit| self.until(limit));
        let block = self.new_block();
        self.terminate(Terminator::Goto(block));
        self.enter(block);
        let mut facts = self.facts(Uses::of_expr(&base));
        let given: Vec<_> = call_operands(&mut base)
            .into_iter()
            .filter_map(|o| given_away(o))
            .collect();
        facts.moves = self.resolve_all(given);
        if let Some(limit) = &limit {
            facts.reads.extend(self.read_by(limit));
        }
        let result = self.standing_for(StandsFor::Value, "result", &base);
        let next = self.new_block();
        let point = self.point(String::new(), shown_call(&base), block);
        self.terminate(Terminator::Call {
            point,
            callee: Callee::One(Box::new(base)),
            limit,
            copies,
            facts,
            results: vec![result],
            next,
        });
        self.enter(next);
        self.path(result)
    }

    /// Lets a call be made again: what does not come again by itself is kept. Its receiver waits for the arms `behind` it, too.
    pub(super) fn keep_operands(&mut self, base: &mut Expr, behind: &[Expr]) -> Operands {
        if let Expr::MethodCall(call) = callee(base)
            && self.handles.is_own_ask(call)
        {
            self.prove(&own_ask(call));
        }
        self.keep_led_to(base, behind);
        let method = matches!(callee(base), Expr::MethodCall(_));
        let touched = Touched::by(&call_operands(base), method, behind);
        // What is given by value is there once it is read; what comes later may change it.
        let is_lent = |index: usize, operand: &Expr| {
            let root = root_name(operand);
            (method && index == 0) || !root.is_some_and(|root| touched.later(index, &root))
        };
        let operands = call_operands(base).into_iter().enumerate();
        let mut all: Vec<_> = operands
            .map(|(index, operand)| {
                let lent = is_lent(index, operand);
                (operand, lent)
            })
            .collect();
        self.operands(&mut all);
        let mut operands = call_operands(base);
        let receiver = match operands.first_mut().filter(|_| method) {
            Some(receiver) => self.keep_receiver(receiver, &touched),
            None => Receiver::Place,
        };
        let mut copies = Vec::new();
        for (index, operand) in operands.into_iter().enumerate() {
            if index == 0 && matches!(receiver, Receiver::Kept) {
                continue;
            }
            self.keep_taken(operand, index, &touched);
            // Until the call returns nothing changes what it was lent: it is there again when the call is made again.
            let root = root_name(operand);
            let touched = root.is_some_and(|root| touched.elsewhere(index, &root));
            match !touched && self.is_lent_now(operand) {
                true => prove_literal(operand),
                false => {
                    let kept = self.keep(operand, method && index == 0);
                    copies.extend(kept.into_iter().map(|kept| (index, kept)));
                }
            }
        }
        Operands { receiver, copies }
    }

    /// Whether this lends places, alone or beside what comes again, until the call returns.
    ///
    /// ```text
    /// look(peer, Some(&text)).await
    /// ```
    fn is_lent_now(&self, operand: &Expr) -> bool {
        let operand = strip_parentheses(operand);
        if self.places(|places| places.is_lent_now(operand)) {
            return true;
        }
        let parts = match operand {
            Expr::Reference(_) => None,
            other => parts_of_literal(other),
        };
        parts.is_some_and(|parts| {
            let mut all = parts.iter();
            let lends = parts.iter().any(|part| self.is_lent_now(part));
            lends && all.all(|part| self.is_lent_now(part) || self.comes_again(part, false))
        })
    }

    /// Lets an operand be evaluated again. Gives the variables of which it, or parts of it, are copies then.
    pub(super) fn keep(&mut self, operand: &mut Expr, is_receiver: bool) -> Vec<VarId> {
        if !is_receiver && self.is_handle_of_its_own(operand) {
            *operand = copies::of_kept(operand, false);
            return Vec::new();
        }
        if self.comes_again(operand, is_receiver) {
            prove_literal(operand);
            return Vec::new();
        }
        if self.keep_item(operand, is_receiver) || self.find_again(operand) {
            return Vec::new();
        }
        if matches!(strip_parentheses(operand), Expr::If(_) | Expr::Match(_))
            && let Some(borrow) = self.places(|places| places.borrow(operand))
        {
            *operand = borrow.init;
            return Vec::new();
        }
        self.own_borrowed(operand);
        // What was a temporary is a variable by now: where it is lent, it takes the type that is expected there.
        if !matches!(strip_parentheses(operand), Expr::Reference(_)) && self.is_lent_now(operand) {
            prove_literal(operand);
            return Vec::new();
        }
        if let Some(made) = lent_struct(operand)
            && self.lends(made)
        {
            return self.keep_parts(made).unwrap_or_default();
        }
        if self.is_lent_again(operand) || self.spill_lent(operand) {
            return Vec::new();
        }
        // A struct need not be kept where its parts can be.
        if makes_struct(operand)
            && let Some(kept) = self.keep_parts(operand)
        {
            return kept;
        }
        // What was evaluated before an ask in a later operand is kept already.
        let is_kept = root_name(operand).is_some_and(|name| is_hidden_name(&name));
        let kept = match is_kept || self.is_given_again(operand) {
            true => operand.clone(),
            false => self.spill(operand.clone()),
        };
        let is_field = matches!(strip_parentheses(operand), Expr::Field(_));
        *operand = copies::of_kept(&kept, is_field);
        let name = given_away(&kept);
        let var = name.and_then(|name| self.resolve(&name));
        var.into_iter().collect()
    }

    /// Lets each part of a struct be evaluated again, and gives what the parts are copies of; `None` where it is none.
    fn keep_parts(&mut self, made: &mut Expr) -> Option<Vec<VarId>> {
        let mut kept = Vec::new();
        for part in parts_of_struct(made)? {
            match self.is_lent_now(part) {
                true => prove_literal(part),
                false => kept.extend(self.keep(part, false)),
            }
        }
        name_fields(made);
        prove_literal(made);
        Some(kept)
    }

    /// Whether a struct has something in it that is lent: it cannot be kept apart from that.
    fn lends(&self, made: &mut Expr) -> bool {
        let parts = parts_of_struct(made).unwrap_or_default();
        let mut parts = parts.into_iter().map(|part| strip_parentheses(part));
        parts.any(|part| matches!(part, Expr::Reference(_)) && self.is_lent_now(part))
    }

    /// Whether this is an argument by value that nothing changes: a helper that is called again is given it again.
    fn is_given_again(&self, operand: &Expr) -> bool {
        let var = given_away(operand).and_then(|name| self.lookup(&name));
        let hints = var.and_then(|var| self.vars[var.0].persistence.hints());
        hints.is_some_and(|hints| hints.given)
    }

    /// A variable that is a handle, and would be given away.
    fn is_handle_of_its_own(&self, operand: &Expr) -> bool {
        let Expr::Path(path) = strip_parentheses(operand) else {
            return false;
        };
        let name = path.path.get_ident().map(ToString::to_string);
        let var = name.and_then(|name| self.lookup(&name));
        self.handles.is_handle(operand)
            && var.is_some_and(|id| self.vars[id.0].persistence.is_spilled())
    }

    /// A temporary that is lent is kept itself, and lent again; `false` where `operand` is none.
    ///
    /// ```text
    /// join(&String::from("a"), ask)   →   let kept = String::from("a"); … join(&kept, answer)
    /// ```
    pub(super) fn spill_lent(&mut self, operand: &mut Expr) -> bool {
        match operand {
            Expr::Paren(paren) => self.spill_lent(&mut paren.expr),
            Expr::Group(group) => self.spill_lent(&mut group.expr),
            Expr::Reference(reference)
                if has_no_place(&reference.expr)
                    || reference.mutability.is_some()
                        && self.places(|places| places.is_global(&reference.expr)) =>
            {
                let kept = self.spill((*reference.expr).clone());
                if reference.mutability.is_some() {
                    self.make_mutable(&kept);
                }
                *reference.expr = kept;
                true
            }
            _ => false,
        }
    }

    /// Whether a part of a temporary that has a variable by now is lent to be changed: that can be done again.
    ///
    /// ```text
    /// count(&mut order.lines, ask)
    /// ```
    fn is_lent_again(&mut self, operand: &mut Expr) -> bool {
        let changed = matches!(strip_parentheses(operand), Expr::Reference(lent) if lent.mutability.is_some());
        changed && (self.comes_again(operand, false) || self.keep_item(operand, false))
    }

    /// Whether an argument gives the same when the call is made again.
    pub(super) fn comes_again(&self, expr: &Expr, is_receiver: bool) -> bool {
        let expr = strip_parentheses(expr);
        let closure = closure_in(expr).is_some();
        if closure || is_self(expr) || self.is_of_request(expr) || is_literal(expr) {
            return true;
        }
        if may_exit(expr) {
            return false;
        }
        if is_receiver && root_name(expr).is_some() {
            return true;
        }
        if !matches!(expr, Expr::Reference(_))
            && let Some(parts) = parts_of_literal(expr)
            && parts.iter().all(|part| self.comes_again(part, false))
        {
            return true;
        }
        if matches!(expr, Expr::Path(path) if path.path.get_ident().is_none_or(|ident| self.resolve(&ident.to_string()).is_none()))
        {
            return true;
        }
        if let Some(name) = root_name(expr)
            && matches!(expr, Expr::Path(_))
            && let Some(var) = self.lookup(&name)
            && let Persistence::Param(param) = self.vars[var.0].persistence
            && is_unique_reference(&self.params[param.0].ty)
        {
            return true;
        }
        if self.is_parsed(expr) {
            return true;
        }
        self.places(|places| match expr {
            Expr::Reference(_) => places.borrow(expr).is_some(),
            _ => places.is_reference(expr),
        })
    }

    /// Whether an operand is an argument of the call, or a field of one: each block parses its own.
    fn is_parsed(&self, expr: &Expr) -> bool {
        match strip_parentheses(expr) {
            Expr::Field(field) => self.is_parsed(&field.base),
            Expr::Path(path) => {
                let name = path.path.get_ident().map(ToString::to_string);
                let var = name.and_then(|name| self.lookup(&name));
                var.is_some_and(|var| match self.vars[var.0].persistence {
                    Persistence::Param(id) => self.params[id.0].access == Access::Parsed,
                    _ => false,
                })
            }
            _ => false,
        }
    }

    /// Makes a hidden variable one that can be lent mutably.
    fn make_mutable(&mut self, hidden: &Expr) {
        let name = root_name(hidden);
        let var = self.vars.iter_mut().rev();
        let mut var = var.filter(|var| var.hidden && Some(var.ident.to_string()) == name);
        if let Some(var) = var.next() {
            var.mutable = true;
        }
    }

    pub(super) fn point(&mut self, key: String, awaits: String, block: BlockId) -> PointId {
        self.points.push(Point { key, awaits, block });
        PointId(u32::try_from(self.points.len()).unwrap_or(u32::MAX))
    }
}

/// `View { cx: &cx, .. }` in `&View { cx: &cx, .. }`.
fn lent_struct(operand: &mut Expr) -> Option<&mut Expr> {
    match operand {
        Expr::Paren(paren) => lent_struct(&mut paren.expr),
        Expr::Group(group) => lent_struct(&mut group.expr),
        Expr::Reference(lent) if lent.mutability.is_none() && makes_struct(&lent.expr) => {
            Some(&mut lent.expr)
        }
        _ => None,
    }
}

/// The variable that an operand is, by value.
fn given_away(operand: &Expr) -> Option<String> {
    match strip_parentheses(operand) {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        _ => None,
    }
}

/// An ask as it is put.
pub(super) fn ask_call(ask: &Ask<'_>) -> AskCall {
    let base = ask.base();
    let arguments = match ask.method {
        Method::Question => vec![Expr::MethodCall(ask.call.clone())],
        _ => base.args.iter().cloned().collect(),
    };
    AskCall {
        method: ask.method,
        handle: (*base.receiver).clone(),
        turbofish: base.turbofish.clone(),
        arguments,
        shown: shown(base),
        key: ask.key(),
        limit: ask.limit.map(|limit| match limit {
            Limit::Timeout(time) => AskLimit::Timeout(time.clone()),
            Limit::TimeoutAt(at) => AskLimit::TimeoutAt(at.clone()),
            Limit::Race(other, _) => AskLimit::Race(other.clone()),
        }),
    }
}

/// What is evaluated before an ask is put, in order; only the handle is borrowed.
pub(super) fn operands_of(ask: &mut AskCall) -> Vec<(&mut Expr, bool)> {
    let time = match &mut ask.limit {
        Some(AskLimit::Timeout(time) | AskLimit::TimeoutAt(time)) => Some(time),
        Some(AskLimit::Race(_)) | None => None,
    };
    let handle = match ask.method {
        Method::Question => None,
        _ => Some(&mut ask.handle),
    };
    let arguments: Vec<&mut Expr> = match ask.method {
        Method::Question => {
            let mut all = Vec::new();
            ask.arguments
                .iter_mut()
                .for_each(|question| collect_links(question, &mut all));
            all
        }
        _ => ask.arguments.iter_mut().collect(),
    };
    let time = time.map(|time| (time, false));
    let handle = handle.map(|handle| (handle, true));
    let arguments = arguments.into_iter().map(|argument| (argument, false));
    time.into_iter().chain(handle).chain(arguments).collect()
}

/// The arguments of a question and of all that is said of it, in order.
fn collect_links<'e>(question: &'e mut Expr, all: &mut Vec<&'e mut Expr>) {
    if let Expr::MethodCall(call) = question {
        if !is_question(&call.method.to_string()) {
            collect_links(&mut call.receiver, all);
        }
        all.extend(call.args.iter_mut());
    }
}

/// An ask as people read it: its method and the answer's type.
fn shown(call: &syn::ExprMethodCall) -> String {
    let types = call.turbofish.as_ref().map(|turbofish| {
        let arguments = &turbofish.args;
        quote::quote!(::<#arguments>).to_string().replace(' ', "")
    });
    format!("{}{}", call.method, types.unwrap_or_default())
}

/// The base of a key where the `let` gives none.
pub(super) fn default_key(ask: &AskCall) -> String {
    answer_type(ask).unwrap_or_else(|| "ask".to_owned())
}

/// The answer's type in snake_case.
fn answer_type(ask: &AskCall) -> Option<String> {
    let argument = ask.turbofish.as_ref()?.args.first()?;
    let syn::GenericArgument::Type(syn::Type::Path(path)) = argument else {
        return None;
    };
    let name = path.path.segments.last()?.ident.to_string();
    let mut key = String::new();
    let mut before_lower = false;
    for character in name.chars() {
        if character.is_uppercase() && before_lower {
            key.push('_');
        }
        before_lower = !character.is_uppercase();
        key.extend(character.to_lowercase());
    }
    Some(key)
}

/// Whether an expression has a value of its own, and is no place, nor a part of one.
fn has_no_place(expr: &Expr) -> bool {
    !matches!(
        strip_parentheses(expr),
        Expr::Path(_) | Expr::Unary(_) | Expr::Index(_) | Expr::Field(_)
    )
}
