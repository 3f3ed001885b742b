//! What is found in tables of values without serde, items that have items, and references that lead elsewhere after a while.
//!
//! The names of these shapes are theirs alone, so that they need no numbers.

use super::Gen;
use crate::program::{Node, Type};

impl Gen {
    pub(super) fn finding_stmt(&mut self) -> Option<Node> {
        match self.below(6) {
            0 | 1 => self.found_in_a_table(),
            2 => self.table_with_numbers(),
            3 => self.items_of_items(),
            4 => self.reference_that_moves_on(),
            _ => self.parts_of_a_tuple(),
        }
    }

    /// A number for a closure that runs for each item.
    fn limit(&mut self) -> Node {
        self.in_closure(|this| this.value(Type::Int, 1))
    }

    /// An item, or several, that live on.
    fn found_in_a_table(&mut self) -> Option<Node> {
        let limit = self.limit();
        let ask = self.some_ask()?;
        let search = [
            "iter().find(|one| t.effect(one.seats) > $ % 5)",
            "iter().rev().find(|one| one.seats > $ % 5)",
            "iter().skip(1).max_by_key(|one| (one.seats - $).rem_euclid(5))",
            "iter().min_by_key(|one| t.effect((one.seats - $).rem_euclid(7)))",
            "iter().filter(|one| one.seats != $).nth(1)",
            "iter().filter(|one| one.seats > $ % 4).last()",
            "get(mix($, 1).rem_euclid(6) as usize)",
        ][self.below(7)];
        let text = match self.below(4) {
            0 => format!(
                "let plan = PLANS.{search}; $ t.effect(plan.map(|one| (one.name, one.tags)));"
            ),
            1 => format!(
                "let plan = PLANS.{search}.unwrap_or(&OTHER); $ t.effect((plan.seats, &plan.tags));"
            ),
            2 => format!("if let Some(plan) = PLANS.{search} {{ $ t.effect(plan.name); }}"),
            _ => "let plans = PLANS.iter().filter(|one| one.seats != $).collect::<Vec<_>>(); $ \
                 for plan in &plans { t.effect(plan.seats); }"
                .to_owned(),
        };
        Some(Node::stmt(&text, vec![limit, ask]))
    }

    /// A loop over them, numbered or with a part of each.
    fn table_with_numbers(&mut self) -> Option<Node> {
        if !self.can_ask() {
            return None;
        }
        let at = self.unique("at");
        let limit = self.limit();
        let (label, body) = self.looping_body(3, &at);
        let (head, number) = [
            (
                "(n, plan) in PLANS.iter().filter(|one| t.effect(one.seats) != $).map(|one| (one.seats, one))",
                "n",
            ),
            (
                "(n, plan) in PLANS.iter().map(|one| (t.effect(one.seats - $), one))",
                "n",
            ),
            (
                "plan @ Plan { seats, .. } in PLANS.iter().take_while(|one| one.seats < 4 + $ % 2)",
                "*seats",
            ),
            (
                "(n, plan) in PLANS.iter().skip_while(|one| one.seats > $ % 3).enumerate()",
                "n as i64",
            ),
        ][self.below(4)];
        let text = format!(
            "{label}for {head} {{ let mut {at} = {number}; $ {at} += 1; t.effect(({at}, plan.name)); }}"
        );
        Some(Node::stmt(&text, vec![limit, body]))
    }

    /// A loop in the loop.
    fn items_of_items(&mut self) -> Option<Node> {
        if !self.can_ask() {
            return None;
        }
        let item = self.unique("item");
        let limit = self.limit();
        let (label, body) = self.looping_body(4, &item);
        let head = [
            "(0..3i64).flat_map(|one| vec![t.effect(one); one as usize]).filter(|one| one % 4 != $)",
            "PLANS.iter().flat_map(|one| one.tags).skip_while(|one| *one < $ % 4)",
            "[vec![1, 2], Vec::new(), vec![3i64]].into_iter().flat_map(|row| row.into_iter().map(|one| t.effect(one + $)))",
            "[Some(2i64), None, Some(3)].into_iter().inspect(|one| { t.effect((one, $)); }).flatten()",
            "[5i64, 6, 7].into_iter().scan(1i64, |sum, one| { *sum += t.effect(one + $ % 3); Some(*sum % 50) })",
            "[4i64, 3, 2].into_iter().map_while(|one| (one > $ % 3).then_some(one * 2))",
            "(1..3i64).flat_map(|row| [row, -row]).flat_map(|one| (one != $).then_some(t.effect(one))).enumerate().map(|(n, one)| n as i64 + one)",
        ][self.below(7)];
        let text =
            format!("{label}for mut {item} in {head} {{ $ {item} += 1; t.effect({item}); }}");
        Some(Node::stmt(&text, vec![limit, body]))
    }

    /// What is made of a reference keeps what it led to.
    fn reference_that_moves_on(&mut self) -> Option<Node> {
        let (one, two) = (self.value(Type::Int, 1), self.value(Type::Int, 1));
        let (first, second) = (self.some_ask()?, self.some_ask()?);
        let text = [
            "let (former, latter) = ($, $); let mut current = &former; $ \
             t.effect(mix(*current, { current = &latter; $ 3 })); t.effect(current);",
            "let former = $; let latter = $; let mut current = &former; \
             { let double = |n: i64| n * 2 + *current; $ t.effect(double(1)); } current = &latter; $ t.effect(current);",
            "let all = [$, $]; let mut current = &all[..]; \
             while let [head, rest @ ..] = current { let whole = current; current = rest; $ t.effect((head, whole.len(), current.len())); $ }",
        ][self.below(3)];
        Some(Node::stmt(text, vec![one, two, first, second]))
    }

    /// References in a tuple beside what is evaluated.
    fn parts_of_a_tuple(&mut self) -> Option<Node> {
        let (before, after) = (self.value(Type::Int, 2), self.value(Type::Int, 2));
        let ask = self.some_ask()?;
        let place = ["&PLANS[1]", "&OTHER", "&PLANS[3]", "&PLANS[2].tags"][self.below(4)];
        let text =
            format!("let (left, plan, right) = ($, {place}, $); $ t.effect((left, plan, right));");
        Some(Node::stmt(&text, vec![before, after, ask]))
    }
}
