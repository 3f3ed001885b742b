//! Expressions with operands.

use super::Gen;
use crate::program::{Node, Type};

impl Gen {
    /// An expression of a value type. It can stand anywhere, a receiver or operand included.
    pub(super) fn value(&mut self, ty: Type, depth: usize) -> Node {
        if depth == 0 || self.within.closure {
            return self.leaf(ty);
        }
        if self.can_ask()
            && self.one_in(3)
            && let Some(ask) = self.ask(ty, depth)
        {
            return ask;
        }
        match self.below(12) {
            0..=2 => self.leaf(ty),
            3 => self.effect(ty, depth),
            4 => self.chosen(ty, depth),
            5 => match self.helper_value(ty) {
                Some(call) => call,
                None => self.composed(ty, depth),
            },
            6 if self.fuel > 0 => self.control(ty, depth),
            _ => self.composed(ty, depth),
        }
    }

    fn effect(&mut self, ty: Type, depth: usize) -> Node {
        let value = self.value(ty, depth - 1);
        let template = match self.below(6) {
            0 | 1 if self.within.asks => "t.fetch($).await",
            2 if self.tries() => "checked(t, $)?",
            _ => "t.effect($)",
        };
        Node::expr(ty, template, vec![value])
    }

    /// A short `if` with values of depth one less.
    fn chosen(&mut self, ty: Type, depth: usize) -> Node {
        let cond = self.value(Type::Bool, depth - 1);
        let mut parts = self.branches(2, |this, _| this.value(ty, depth - 1));
        parts.insert(0, cond);
        Node::expr(ty, "(if $ { $ } else { $ })", parts)
    }

    fn composed(&mut self, ty: Type, depth: usize) -> Node {
        let d = depth - 1;
        match ty {
            Type::Int => self.int(d),
            Type::Bool => self.boolean(d),
            Type::Str => self.string(d),
            Type::Maybe => self.of(ty, "Some($)", &[Type::Int], d),
            Type::MaybeStr => self.of(ty, "Some($)", &[Type::Str], d),
            Type::Pair => self.of(ty, "($, $)", &[Type::Int, Type::Str], d),
            Type::Array => self.of(ty, "[$, $, $]", &[Type::Int, Type::Int, Type::Int], d),
            Type::Level => match self.below(2) {
                0 => self.of(ty, "Level::Mid($)", &[Type::Int], d),
                _ => self.of(ty, "(Level::High { label: $ })", &[Type::Str], d),
            },
            Type::Host => match self.below(3) {
                0 => self.of(ty, "(Host { port: $, ..$ })", &[Type::Int, Type::Host], d),
                _ => self.of(
                    ty,
                    "(Host { name: $, port: $, tags: $ })",
                    &[Type::Str, Type::Int, Type::List],
                    d,
                ),
            },
            Type::List => self.list(d),
            Type::Names => match self.below(2) {
                0 => self.no_asks(|this| this.of(ty, "vec![$, $]", &[Type::Str, Type::Str], d)),
                _ => self.of(ty, "Vec::from([$, $])", &[Type::Str, Type::Str], d),
            },
            _ => self.leaf(ty),
        }
    }

    /// A template of which the holes are evaluated in order.
    pub(super) fn of(&mut self, ty: Type, template: &str, holes: &[Type], depth: usize) -> Node {
        let parts = holes.iter().map(|hole| self.value(*hole, depth)).collect();
        Node::expr(ty, template, parts)
    }

    fn int(&mut self, d: usize) -> Node {
        let ty = Type::Int;
        let two = &[Type::Int, Type::Int];
        match self.below(12) {
            0..=2 => self.of(ty, "(($ + $) % 97)", two, d),
            3 => self.of(ty, "(($ - $) % 89)", two, d),
            4 => self.of(ty, "(($ * $) % 83)", two, d),
            5 => self.of(ty, "mix($, $)", two, d),
            6 => self.of(ty, "($.unwrap_or($))", &[Type::Maybe, Type::Int], d),
            7 => self.of(ty, "($.len() as i64)", &[Type::Str], d),
            8 => self.of(ty, "($.iter().sum::<i64>() % 97)", &[Type::List], d),
            9 => self.of(ty, "(-$)", &[Type::Int], d),
            10 => self.folded(),
            _ => self.receiver(ty, Type::List, "(@.len() as i64 + $)", Type::Int, d),
        }
    }

    /// A closure over what is in scope.
    fn folded(&mut self) -> Node {
        let name = self.unique("q");
        let (inner, list) = self.in_closure(|this| {
            let inner = this.value(Type::Int, 1);
            (inner, this.leaf(Type::List))
        });
        Node::expr(
            Type::Int,
            &format!("($.iter().map(|{name}| *{name} + $).sum::<i64>() % 97)"),
            vec![list, inner],
        )
    }

    /// A place that is borrowed or read before the rest is evaluated.
    fn receiver(&mut self, ty: Type, of: Type, template: &str, hole: Type, d: usize) -> Node {
        let Some(id) = self.find_type(of) else {
            return self.leaf(ty);
        };
        let template = template.replace('@', &self.var(id));
        let part = self.frozen(id, |this| this.value(hole, d));
        Node::expr(ty, &template, vec![part])
    }

    fn boolean(&mut self, d: usize) -> Node {
        let ty = Type::Bool;
        let two = &[Type::Int, Type::Int];
        match self.below(10) {
            0 => self.of(ty, "($ < $)", two, d),
            1 => self.of(ty, "($ == $)", &[Type::Str, Type::Str], d),
            2 => self.of(ty, "(!$)", &[Type::Bool], d),
            3 | 4 => self.shortcut("($ && $)", d),
            5 | 6 => self.shortcut("($ || $)", d),
            7 => self.of(ty, "$.is_empty()", &[Type::Str], d),
            8 => self.of(ty, "$.contains(&$)", &[Type::List, Type::Int], d),
            _ => self.of(ty, "($ % 2 == $)", two, d),
        }
    }

    pub(super) fn shortcut(&mut self, template: &str, d: usize) -> Node {
        let left = self.value(Type::Bool, d);
        let right = self.maybe(|this| this.value(Type::Bool, d));
        Node::expr(Type::Bool, template, vec![left, right])
    }

    fn string(&mut self, d: usize) -> Node {
        let ty = Type::Str;
        match self.below(9) {
            0 | 1 => self.formatted(),
            2 => self.of(ty, "($ + &$)", &[Type::Str, Type::Str], d),
            3 => self.of(ty, "join($, $, &$)", &[Type::Str, Type::Int, Type::Str], d),
            4 => self.of(ty, "pick($, $, $)", &[Type::Bool, Type::Str, Type::Str], d),
            5 => self.of(ty, "$.unwrap_or_default()", &[Type::MaybeStr], d),
            6 => self.of(ty, "$.1", &[Type::Pair], d),
            7 => self.of(ty, "$.join(&$)", &[Type::Names, Type::Str], d),
            _ => self.receiver(
                ty,
                Type::Str,
                "@.replacen(\"a\", $.get(..2).unwrap_or_default(), 1)",
                Type::Str,
                d,
            ),
        }
    }

    fn list(&mut self, d: usize) -> Node {
        let ty = Type::List;
        match self.below(5) {
            0 => self.no_asks(|this| this.of(ty, "vec![$, $]", &[Type::Int, Type::Int], d)),
            1 | 2 => self.of(ty, "Vec::from([$, $])", &[Type::Int, Type::Int], d),
            3 => self.of(ty, "[$, $].concat()", &[Type::List, Type::List], d),
            _ => {
                let name = self.unique("q");
                let inner = self.in_closure(|this| this.value(Type::Int, 1));
                let template =
                    format!("(0..3).map(|{name}: i64| {name} + $).collect::<Vec<i64>>()");
                Node::expr(ty, &template, vec![inner])
            }
        }
    }
}
