//! Closures and methods that take what is used on, and references, functions and clones of which one is chosen.

use super::Gen;
use crate::program::{Node, Type};

impl Gen {
    pub(super) fn taking_stmt(&mut self) -> Option<Node> {
        match self.below(8) {
            0 => self.closure_with_a_count(),
            1 => self.closure_that_is_lent(),
            2 => self.closure_of_what_was(),
            3 => self.method_that_takes(),
            4 => self.chosen_function(),
            5 => self.chosen_reference(),
            6 => self.chosen_to_be_changed(),
            _ => self.mixed_tuples(),
        }
    }

    /// What it counts is its own.
    fn closure_with_a_count(&mut self) -> Option<Node> {
        let (count, next) = (self.unique("count"), self.unique("next"));
        let (start, by) = (self.value(Type::Int, 1), self.value(Type::Int, 2));
        let (first, second) = (self.some_ask()?, self.some_ask()?);
        let text = format!(
            "let mut {count} = $; let mut {next} = move |by: i64| {{ {count} = mix({count}, by); {count} }}; \
             t.effect({next}(1)); $ {count} = mix({count}, 2); t.effect(({next}(4), {count})); $ t.effect({next}($));"
        );
        Some(Node::stmt(&text, vec![start, first, second, by]))
    }

    fn closure_that_is_lent(&mut self) -> Option<Node> {
        let (count, next, all) = (
            self.unique("count"),
            self.unique("next"),
            self.unique("all"),
        );
        let start = self.value(Type::Int, 1);
        let ask = self.some_ask()?;
        let lent = [
            format!("[1i64, 2, 3].iter().map(|one| one * {next}()).collect::<Vec<_>>()"),
            format!("std::iter::repeat_with(&mut {next}).take(2).collect::<Vec<_>>()"),
            format!("vec![{next}(), {next}()]"),
        ];
        let text = format!(
            "let mut {count} = $; let mut {next} = move || {{ {count} += 1; {count} }}; let {all} = {}; \
             $ t.effect((&{all}, {next}(), {count}));",
            lent[self.below(3)]
        );
        Some(Node::stmt(&text, vec![start, ask]))
    }

    /// What it took stays what it was.
    fn closure_of_what_was(&mut self) -> Option<Node> {
        let (rate, old) = (self.unique("rate"), self.unique("old"));
        let start = self.value(Type::Int, 1);
        let (first, second) = (self.some_ask()?, self.some_ask()?);
        let text = format!(
            "let mut {rate} = $; let {old} = move |n: i64| mix(n, {rate}); {rate} = mix({rate}, 5); \
             $ t.effect(({old}(2), {rate})); {rate} = 1; $ t.effect({old}({rate}));"
        );
        Some(Node::stmt(&text, vec![start, first, second]))
    }

    /// Beside values that were made of what is taken.
    fn method_that_takes(&mut self) -> Option<Node> {
        let (cart, sum) = (self.unique("cart"), self.unique("sum"));
        let list = self.no_jumps(|this| this.no_asks(|this| this.value(Type::List, 1)));
        let (more, ask) = (self.value(Type::Int, 1), self.some_ask()?);
        let text = [
            format!(
                "let mut {cart} = Cart {{ lines: $ }}; {cart} = {cart}.with($); let {sum} = {cart}.total(); \
                 $ let {cart} = {cart}.closed(t); t.effect(({sum}, {cart}));"
            ),
            format!(
                "let mut {cart} = Cart {{ lines: $ }}; {cart}.lines.push($); let {sum} = {cart}.lines.first().copied(); \
                 $ t.effect({cart}.closed(t)); t.effect({sum});"
            ),
        ];
        Some(Node::stmt(&text[self.below(2)], vec![list, more, ask]))
    }

    fn chosen_function(&mut self) -> Option<Node> {
        let op = self.unique("op");
        let (by, n) = (self.value(Type::Int, 2), self.value(Type::Int, 1));
        let ask = self.some_ask()?;
        let made = [
            "match mix($, 1).rem_euclid(3) { 0 => i64::signum, 1 => |n| mix(n, 3), _ => { t.note(\"other\"); doubled } }",
            "if $ > 2 { doubled } else { |n| n % 5 }",
        ][self.below(2)];
        let text =
            format!("let {op}: fn(i64) -> i64 = {made}; t.effect({op}(3)); $ t.effect({op}($));");
        Some(Node::stmt(&text, vec![by, ask, n]))
    }

    fn chosen_reference(&mut self) -> Option<Node> {
        let plan = self.unique("plan");
        let by = self.value(Type::Int, 2);
        let ask = self.some_ask()?;
        if self.one_in(2) {
            let inside = self.branches(1, |this, _| this.some_ask()).pop()??;
            let text = format!(
                "let {plan} = if $ > 3 {{ &PLANS[0] }} else {{ $ &OTHER }}; $ t.effect({plan}.name);"
            );
            return Some(Node::stmt(&text, vec![by, inside, ask]));
        }
        let text = format!(
            "let {plan} = if $ > 3 {{ &PLANS[1] }} else if t.effect(true) {{ &OTHER }} else {{ t.note(\"third\"); &PLANS[3] }}; \
             $ t.effect(({plan}.seats, {plan}.tags));"
        );
        Some(Node::stmt(&text, vec![by, ask]))
    }

    fn chosen_to_be_changed(&mut self) -> Option<Node> {
        let (left, right, one) = (
            self.unique("left"),
            self.unique("right"),
            self.unique("one"),
        );
        let (first, second) = (self.value(Type::Int, 1), self.value(Type::Int, 1));
        let by = self.value(Type::Bool, 1);
        let inside = self.branches(1, |this, _| this.some_ask()).pop()??;
        let ask = self.some_ask()?;
        let text = format!(
            "let mut {left} = $; let mut {right} = $; let {one} = if $ {{ &mut {left} }} else {{ $ &mut {right} }}; \
             *{one} += 1; $ *{one} -= 3; t.effect(({left}, {right}));"
        );
        Some(Node::stmt(&text, vec![first, second, by, inside, ask]))
    }

    /// Of references and values of the author's own.
    fn mixed_tuples(&mut self) -> Option<Node> {
        let id = self.find(|var| var.ty == Type::Names && !var.mutable)?;
        let (from, rows) = (self.var(id), self.unique("rows"));
        let ask = self.frozen(id, |this| this.some_ask())?;
        let row = [
            "(one.as_str(), one.trim(), Level::Low)",
            "(Level::Mid(2), one, one.as_str())",
            "(one, Level::Mid(1), &one[..])",
            "(host(), one.as_str(), Level::Low)",
        ][self.below(4)];
        let text = format!(
            "let {rows} = {from}.iter().map(|one| {row}).collect::<Vec<_>>(); $ t.effect(&{rows});"
        );
        Some(Node::stmt(&text, vec![ask]))
    }
}
