//! Lists of functions, and what is looked up in what another lookup has found.

use super::Gen;
use crate::program::{Node, Type};

impl Gen {
    pub(super) fn listed_stmt(&mut self) -> Option<Node> {
        match self.below(4) {
            0 => self.function_by_index(),
            1 => self.function_by_name(),
            2 => self.each_function(),
            _ => self.found_in_found(),
        }
    }

    /// A list that is the same wherever it is made.
    fn functions(&mut self, name: &str) -> String {
        let list = [
            "[(\"one\", doubled), (\"two\", |n| mix(n, 3)), (\"three\", i64::signum)]",
            "vec![(\"one\", |n| n % 5), (\"two\", doubled), (\"three\", i64::abs)]",
        ];
        let at = self.below(2);
        let ty = ["[(&str, fn(i64) -> i64); 3]", "Vec<(&str, fn(i64) -> i64)>"][at];
        format!("let {name}: {ty} = {};", list[at])
    }

    fn function_by_index(&mut self) -> Option<Node> {
        let (list, one) = (self.unique("list"), self.unique("one"));
        let (by, n) = (self.value(Type::Int, 2), self.value(Type::Int, 1));
        let (first, second) = (self.some_ask()?, self.some_ask()?);
        let made = self.functions(&list);
        let text = format!(
            "{made} $ let {one} = &{list}[i64::rem_euclid($, 3) as usize]; t.effect(({one}.1)(2)); $ \
             t.effect(({one}.0, ({one}.1)($), {list}.len()));"
        );
        Some(Node::stmt(&text, vec![first, by, second, n]))
    }

    fn function_by_name(&mut self) -> Option<Node> {
        let (list, one) = (self.unique("list"), self.unique("one"));
        let (by, n) = (self.value(Type::Int, 1), self.value(Type::Int, 1));
        let ask = self.some_ask()?;
        let made = self.functions(&list);
        let key = self.unique("key");
        let search = [
            format!("find(|one| t.effect(one.0.len() as i64) > {key})"),
            format!("max_by_key(|one| mix(one.0.len() as i64, {key}))"),
            format!("min_by_key(|one| mix({key}, (one.1)(3)))"),
        ];
        let search = &search[self.below(3)];
        let text = format!(
            "{made} let {key} = $; if let Some({one}) = {list}.iter().{search} {{ $ t.effect(({one}.0, ({one}.1)($))); }}"
        );
        Some(Node::stmt(&text, vec![by, ask, n]))
    }

    fn each_function(&mut self) -> Option<Node> {
        let (list, name, one) = (self.unique("list"), self.unique("name"), self.unique("one"));
        let ask = self.some_ask_in_loop(3)?;
        let made = self.functions(&list);
        let text = format!(
            "{made} for ({name}, {one}) in &{list} {{ t.effect({one}(4)); $ t.effect(({name}, {one}(5))); }}"
        );
        Some(Node::stmt(&text, vec![ask]))
    }

    fn found_in_found(&mut self) -> Option<Node> {
        let (map, one) = (self.unique("map"), self.unique("one"));
        let (start, n) = (self.value(Type::Int, 1), self.value(Type::Int, 1));
        let (first, second) = (self.some_ask()?, self.some_ask()?);
        let found = [
            format!("{map}.get_mut(\"a\").and_then(|list| list.last_mut())"),
            format!("{map}.get_mut(\"a\").unwrap().first_mut()"),
            format!("{map}.get_mut(\"b\").and_then(|list| list.get_mut(1))"),
        ];
        let text = format!(
            "let mut {map} = std::collections::BTreeMap::from([(\"a\", vec![$, 2i64])]); \
             if let Some({one}) = {} {{ $ *{one} += $; $ *{one} -= 1; }} t.effect(&{map});",
            found[self.below(3)]
        );
        Some(Node::stmt(&text, vec![start, first, n, second]))
    }
}
