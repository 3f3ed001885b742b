//! Helpers: functions with `#[saga]` of their own, and the calls of them.

use super::{Gen, Output};
use crate::program::{Function, Kind, Node, Type};

/// What a call has to know.
#[derive(Debug, Clone)]
pub(super) struct Helper {
    name: String,
    handle: Handle,
    params: Vec<Type>,
    output: Output,
    /// Asks that a call makes at most.
    cost: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Handle {
    Context,
    PeerRef,
    Peer,
}

const PARAMS: [Type; 11] = [
    Type::RefStr,
    Type::RefStr,
    Type::RefList,
    Type::Int,
    Type::Int,
    Type::Str,
    Type::List,
    Type::Bool,
    Type::Maybe,
    Type::RefHost,
    Type::Host,
];

impl Gen {
    /// A helper, which may call the earlier ones.
    pub(super) fn helper(&mut self, number: usize) -> Function {
        let name = format!("helper_{number}");
        let handle = [Handle::Context, Handle::PeerRef, Handle::Peer][self.below(3)];
        let ty = [Type::Int, Type::Int, Type::Str, Type::Bool][self.below(4)];
        self.output = Output {
            ty,
            // One that can be stored, as it has to be in a `join!`.
            error: if self.joins { "Trouble" } else { "Failure" },
            fallible: !self.one_in(4),
        };
        self.has_alias = false;
        let (shown, peer, context) = match handle {
            Handle::Context => ("cx: &RequestContext<RoleServer>", "cx.peer", Some("cx")),
            Handle::PeerRef => ("peer: &Peer<RoleServer>", "peer", None),
            Handle::Peer => ("peer: Peer<RoleServer>", "peer", None),
        };
        (self.peer, self.context) = (peer, context);
        let mut params = Vec::new();
        let mut signature = format!("{name}({shown}, t: &Trace");
        let is_mut = self.one_in(4);
        for at in 0..self.below(3) + usize::from(is_mut) {
            let ty = if is_mut && at == 0 {
                Type::MutList
            } else {
                PARAMS[self.below(PARAMS.len())]
            };
            let mutable = !ty.is_copy() && ty != Type::MutList && self.one_in(3);
            let (name, prefix) = (format!("arg{at}"), if mutable { "mut " } else { "" });
            signature.push_str(&format!(", {prefix}{name}: {}", ty.name()));
            self.declare(&name, ty, mutable);
            params.push(ty);
        }
        let output = self.output;
        let shown = if output.fallible {
            format!("Result<{}, {}>", ty.name(), output.error)
        } else {
            ty.name().to_owned()
        };
        signature.push_str(&format!(") -> {shown}"));
        self.budget = 1 + self.below(2);
        let before = self.budget;
        self.fuel = 1 + self.below(4);
        let body = self.body(Vec::new());
        self.helpers.push(Helper {
            name,
            handle,
            params,
            output,
            cost: before.max(1),
        });
        Function { signature, body }
    }

    /// A call as an expression of the type.
    pub(super) fn helper_value(&mut self, ty: Type) -> Option<Node> {
        let tries = self.tries();
        let (call, fallible) = self.call(ty)?;
        let template = match (fallible, ty) {
            (false, _) => "$",
            (true, _) if tries && !self.one_in(4) => "$?",
            (true, Type::Int) => "(match $ { Ok(n) => n, Err(e) => { t.note(&e.0); -3 } })",
            (true, Type::Str) => "(match $ { Ok(s) => s, Err(e) => e.0 })",
            (true, _) => "$.is_ok()",
        };
        Some(Node::expr(ty, template, vec![call]))
    }

    pub(super) fn call_stmt(&mut self) -> Option<Node> {
        let ty = [Type::Int, Type::Str, Type::Bool][self.below(3)];
        let value = self.helper_value(ty)?;
        Some(Node::stmt("$;", vec![value]))
    }

    /// A type that some helper gives.
    pub(super) fn helper_type(&mut self) -> Type {
        let at = self.below(self.helpers.len().max(1));
        self.helpers
            .get(at)
            .map_or(Type::Int, |helper| helper.output.ty)
    }

    /// The awaited call, and whether it gives a `Result`.
    fn call(&mut self, ty: Type) -> Option<(Node, bool)> {
        if self.one_in(8) {
            return self.limited_call(ty);
        }
        let (call, fallible) = self.call_with(ty, false)?;
        Some((Node::new(Kind::Part, "$.await", vec![call]), fallible))
    }

    /// The same with more time than it needs.
    fn limited_call(&mut self, ty: Type) -> Option<(Node, bool)> {
        let beside = [
            "tokio::select! { value = $ => value, _ = sleep(Duration::from_secs(600)) => unreachable!() }",
            "tokio::select! { biased; () = tokio::time::sleep(Duration::from_secs(600)) => unreachable!(), value = $ => value }",
        ];
        let forms = [
            "(match tokio::time::timeout($, $).await { Ok(value) => value, Err(_) => unreachable!() })",
            "(match tokio::time::timeout_at(tokio::time::Instant::now() + $, $).await { Ok(value) => value, Err(_) => unreachable!() })",
            "tokio::time::timeout($, $).await?",
        ];
        if self.one_in(3) {
            let (call, fallible) = self.call_with(ty, true)?;
            let form = format!("({})", beside[self.below(beside.len())]);
            return Some((Node::new(Kind::Part, &form, vec![call]), fallible));
        }
        let limit = self.duration();
        let (call, fallible) = self.call_with(ty, false)?;
        let form = forms[self.below(forms.len() - usize::from(!self.tries()))];
        Some((Node::new(Kind::Part, form, vec![limit, call]), fallible))
    }

    /// A call as an arm of a `join!`.
    pub(super) fn call_future(&mut self, ty: Type) -> Option<(Node, bool)> {
        self.call_with(ty, true)
    }

    fn call_with(&mut self, ty: Type, in_macro: bool) -> Option<(Node, bool)> {
        if !self.within.asks {
            return None;
        }
        let weight = self.weight;
        let fitting: Vec<Helper> = self
            .helpers
            .iter()
            .filter(|helper| {
                helper.output.ty == ty
                    && helper.cost * weight <= self.budget
                    && (self.context.is_some() || helper.handle != Handle::Context)
            })
            .cloned()
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let helper = fitting[self.below(fitting.len())].clone();
        // What is given away as `&mut` is not in the other arguments.
        let mut locked = None;
        if helper.params.contains(&Type::MutList) {
            let id = self.find_mutable(Type::List)?;
            self.vars[id].alive = false;
            self.vars[id].frozen += 1;
            locked = Some(id);
        }
        self.budget -= helper.cost * weight;
        self.asked += 1;
        let handle = self.handle(helper.handle);
        let mut template = format!("{}({handle}, t", helper.name);
        let (mut arguments, mut borrowed) = (Vec::new(), Vec::new());
        for (at, ty) in helper.params.iter().enumerate() {
            let last = at + 1 == helper.params.len();
            template.push_str(", $");
            arguments.push(match (ty, locked) {
                (Type::MutList, Some(id)) => {
                    let is_reference = self.vars[id].ty == Type::MutList;
                    let form = if is_reference { "@" } else { "&mut @" };
                    self.leaf_of(id, Type::MutList, form)
                }
                _ if ty.is_reference() => {
                    let (node, from) = self.reference(*ty, last);
                    // Nothing that a later argument does may touch it.
                    if let Some(id) = from {
                        self.vars[id].frozen += 1;
                        borrowed.push(id);
                    }
                    node
                }
                _ if in_macro => self.no_asks(|this| this.value(*ty, 2)),
                _ => self.value(*ty, 2),
            });
        }
        for id in borrowed {
            self.vars[id].frozen -= 1;
        }
        if let Some(id) = locked {
            self.vars[id].alive = true;
            self.vars[id].frozen -= 1;
        }
        template.push(')');
        Some((
            Node::new(Kind::Part, &template, arguments),
            helper.output.fallible,
        ))
    }

    /// A call of one function for each of the items of `join_all`, the type of its value, and whether that is in a `Result`.
    pub(super) fn call_of_items(
        &mut self,
        names: &[String],
        item: Type,
    ) -> Option<(Vec<String>, Type, bool)> {
        let cost = 2 * self.weight;
        let fitting: Vec<Helper> = self
            .helpers
            .iter()
            .filter(|helper| {
                helper.cost * cost <= self.budget
                    && (self.context.is_some() || helper.handle != Handle::Context)
                    && helper.output.ty != Type::Bool
                    && !helper.params.contains(&Type::MutList)
                    && !helper.params.contains(&Type::List)
            })
            .cloned()
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let helper = fitting[self.below(fitting.len())].clone();
        self.budget -= helper.cost * cost;
        self.asked += 1;
        let calls = names.iter().map(|name| self.call_of(&helper, name, item));
        Some((calls.collect(), helper.output.ty, helper.output.fallible))
    }

    fn call_of(&mut self, helper: &Helper, name: &str, item: Type) -> String {
        let mut call = format!("{}({}, t", helper.name, self.handle(helper.handle));
        for ty in &helper.params {
            let argument = match (ty, item) {
                (Type::Int, Type::Int) => name.to_owned(),
                (Type::RefStr, Type::RefString) => format!("{name}.as_str()"),
                (Type::Str, Type::RefString | Type::Str) => format!("{name}.clone()"),
                (Type::Str, _) => format!("format!(\"i{{{name}}}\")"),
                (Type::RefStr, _) => self.word(),
                (Type::RefList, _) => "&NUMBERS".to_owned(),
                (Type::RefHost, _) => "&HOST".to_owned(),
                // A call is taken for an effect.
                (Type::Maybe, _) => "None".to_owned(),
                (Type::Host, _) => "START".to_owned(),
                (ty, _) => ty.smallest().unwrap_or("()").to_owned(),
            };
            call.push_str(&format!(", {argument}"));
        }
        call + ")"
    }

    fn handle(&mut self, handle: Handle) -> String {
        let context = self.context.unwrap_or("cx");
        match (handle, self.peer) {
            (Handle::Context, _) => context.to_owned(),
            (Handle::Peer, peer) => format!("{peer}.clone()"),
            (Handle::PeerRef, "cx.peer") => "&cx.peer".to_owned(),
            (Handle::PeerRef, _) => "&peer".to_owned(),
        }
    }
}
