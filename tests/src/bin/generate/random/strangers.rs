//! More shapes that strangers wrote: constants that are lent, searches for what is changed, ranges, functions in variables,
//! macros of one's own, names like keywords.

use super::Gen;
use crate::program::{Node, Type};

impl Gen {
    pub(super) fn stranger_stmt(&mut self) -> Option<Node> {
        match self.below(15) {
            0 => self.lent_constant(),
            1 => self.search_to_change(),
            2 => self.range(),
            3 => self.function(),
            4 => self.own_macro(),
            5 => self.keyword(),
            6 => self.open_types(),
            7 => self.array_that_its_index_changes(),
            8 => self.two_steps(),
            9 => self.lent_then_changed(),
            10..=13 => self.aggregate_stmt(),
            _ => self.found_or_else(),
        }
    }

    /// Each mention of a constant is a value of its own.
    fn lent_constant(&mut self) -> Option<Node> {
        if !self.can_ask() {
            return None;
        }
        let (name, value) = (self.unique("lent"), self.value(Type::Int, 1));
        let ask = self.ask_stmt();
        let (declared, changed) = [
            ("&mut START", "{}.port += 1"),
            ("&mut START.tags", "{}.push(1)"),
            ("&mut START.port", "*{} += 1"),
            ("&mut LIMIT", "*{} += 1"),
            ("&mut 5i64", "*{} += 1"),
        ][self.below(5)];
        let changed = changed.replace("{}", &name);
        let text = format!(
            "let {name} = {declared}; {changed}; t.effect($); $ {changed}; t.effect((&{name}, LIMIT, START));"
        );
        Some(Node::stmt(&text, vec![value, ask]))
    }

    /// What a search has found is there again.
    fn search_to_change(&mut self) -> Option<Node> {
        let id = self.find_mutable(Type::List)?;
        let (from, item, by) = (self.var(id), self.unique("item"), self.unique("q"));
        let ask = self.ask_while_lent(id)?;
        let search = [
            format!("iter_mut().max_by_key(|{by}| **{by})"),
            format!("iter_mut().min_by_key(|{by}| t.effect(**{by} % 7))"),
            format!("iter_mut().rev().max_by(|a, {by}| a.cmp({by}))"),
            format!("iter_mut().skip(1).min_by(|a, {by}| a.cmp({by}))"),
            format!("iter_mut().find(|{by}| **{by} > 1)"),
        ];
        let search = &search[self.below(5)];
        let text =
            format!("if let Some({item}) = {from}.{search} {{ *{item} += 9; $ *{item} -= 10; }}");
        Some(Node::stmt(&text, vec![ask]))
    }

    /// What is lent and asked about changes once it is not looked at any more, here or in another branch.
    fn lent_then_changed(&mut self) -> Option<Node> {
        let id = self.find_mutable(Type::List)?;
        let (from, item, by) = (self.var(id), self.unique("item"), self.unique("turn"));
        let ask = self.no_jumps(|this| this.ask_while_lent(id))?;
        let texts = [
            format!(
                "if let Some({item}) = {from}.first() {{ $ t.effect({item}); }} else {{ {from}.push(3); }}"
            ),
            format!(
                "{{ let {item} = {from}.as_slice(); $ t.effect({item}.len()); {from}.push(1); }}"
            ),
            format!(
                "if {from}.len() < 50 {{ let {item} = &{from}[..]; $ t.effect({item}); {from}.retain(|one| one % 2 == 0); }}"
            ),
            format!(
                "match {from}.last() {{ Some({item}) if *{item} > 1 => {{ $ t.effect({item}); }} Some(_) => {{ {from}.pop(); }} None => {from}.push(5) }}"
            ),
            format!(
                "for {by} in 0..2 {{ let {item} = {from}.iter().max(); $ t.effect(({by}, {item})); {from}.push({by}); }}"
            ),
            format!(
                "if let Some({item}) = {from}.iter().find(|one| **one > 2) {{ $ t.effect({item}); }} else if {from}.len() > 9 {{ {from}.clear(); }}"
            ),
        ];
        Some(Node::stmt(&texts[self.below(6)], vec![ask]))
    }

    /// Ranges of a sorted collection.
    fn range(&mut self) -> Option<Node> {
        if !self.can_ask() {
            return None;
        }
        let list = self.no_jumps(|this| this.no_asks(|this| this.value(Type::List, 1)));
        let (map, key, of) = (self.unique("map"), self.unique("key"), self.unique("of"));
        let range = ["1..", "..=3", "0..5", "..", "..mix(5, 1)"][self.below(5)];
        let (label, body) = self.looping_body(2, &key);
        let text = match self.below(3) {
            0 => format!(
                "let {map}: std::collections::BTreeMap<i64, String> = $.into_iter().map(|n| (n % 7, n.to_string())).collect(); \
                 {label}for (&{key}, {of}) in {map}.range({range}) {{ t.effect({of}); $ }} t.effect({map});"
            ),
            1 => format!(
                "let mut {map}: std::collections::BTreeMap<i64, i64> = $.into_iter().map(|n| (n % 7, n)).collect(); \
                 {label}for (&{key}, {of}) in {map}.range_mut({range}) {{ *{of} += 1; $ *{of} += 1; }} t.effect({map});"
            ),
            _ => format!(
                "let {map}: std::collections::BTreeSet<i64> = $.into_iter().map(|n| n % 7).collect(); \
                 {label}for &{key} in {map}.range({range}) $ t.effect({map});"
            ),
        };
        Some(Node::stmt(&text, vec![list, body]))
    }

    /// A function by another name.
    fn function(&mut self) -> Option<Node> {
        let value = self.value(Type::Int, 1);
        let name = self.unique("f");
        let ask = self.some_ask()?;
        let declared = [
            format!("let {name} = mix;"),
            format!("let {name}: fn(i64, i64) -> i64 = mix;"),
            format!("let {name} = i64::wrapping_add;"),
        ];
        let text = format!("{} $ t.effect({name}($, 3));", declared[self.below(3)]);
        Some(Node::stmt(&text, vec![ask, value]))
    }

    /// Statements that a macro of one's own makes.
    fn own_macro(&mut self) -> Option<Node> {
        let value = self.no_jumps(|this| this.no_asks(|this| this.value(Type::Int, 1)));
        let (name, list) = (self.unique("made"), self.unique("list"));
        let ask = self.scope(Self::some_ask)?;
        let text = match self.below(3) {
            0 => format!("{{ declared!({name}, $); t.effect({name}); $ }}"),
            1 => format!(
                "let {name} = $; let mut {list} = vec![{name}]; $ pushed!({list}, {name}); t.effect({list});"
            ),
            _ => format!("let {name} = $; {{ noted!(t, {name}); $ noted!(t, {name} + 1); }}"),
        };
        Some(Node::stmt(&text, vec![value, ask]))
    }

    /// A raw identifier, which a format string names without its prefix.
    fn keyword(&mut self) -> Option<Node> {
        let (value, hidden) = (self.value(Type::Int, 1), self.value(Type::Int, 1));
        let ask = self.scope(Self::some_ask)?;
        Some(Node::stmt(
            "{ let r#type = $; { let r#type = (r#type, $); $ t.effect(format!(\"{type:?}\")); } t.effect(format!(\"{type}\")); }",
            vec![value, hidden, ask],
        ))
    }

    /// A closure whose types only its uses say.
    fn open_types(&mut self) -> Option<Node> {
        let (name, first) = (self.unique("f"), self.unique("first"));
        let ask = self.some_ask()?;
        let (made, used, behind) = [
            ("|x| x", "f(7)", "size_of_val(&f(2))"),
            ("|s: &str| s.parse().unwrap_or(3)", "f(\"9\")", "f(\"400\")"),
            (
                "|a, b| if a > b { a } else { b }",
                "f(2, 3)",
                "f(1, 2) << 7 << 1",
            ),
        ][self.below(3)];
        let (used, behind) = (
            used.replace("f(", &format!("{name}(")),
            behind.replace("f(", &format!("{name}(")),
        );
        let text = format!(
            "let {name} = {made}; let {first}: u8 = {used}; $ t.effect(({first}, {behind}));"
        );
        Some(Node::stmt(
            &text.replace("size_of_val", "std::mem::size_of_val"),
            vec![ask],
        ))
    }

    /// The item is looked at behind the index.
    fn array_that_its_index_changes(&mut self) -> Option<Node> {
        if !self.can_ask() {
            return None;
        }
        let name = self.unique("array");
        let (item, index) = (self.value(Type::Int, 1), self.value(Type::Int, 2));
        let text = format!(
            "let mut {name} = [$, 1, 2]; t.effect({name}[{{ {name}[1] += 5; {name}.rotate_left(1); ($).rem_euclid(3) as usize }}]); t.effect({name});"
        );
        Some(Node::stmt(&text, vec![item, index]))
    }

    /// What is borrowed by way of another variable.
    fn two_steps(&mut self) -> Option<Node> {
        let list = self.no_jumps(|this| this.no_asks(|this| this.value(Type::List, 1)));
        let (from, best, item) = (
            self.unique("from"),
            self.unique("best"),
            self.unique("item"),
        );
        let ask = self.some_ask()?;
        let found = ["first()", "iter().max()", "get(1)"][self.below(3)];
        let step = [
            format!("let {item} = {best}.unwrap_or(&0);"),
            format!("let Some({item}) = {best} else {{ unreachable!() }};"),
            format!("let {item} = match {best} {{ Some({item}) => {item}, None => &5 }};"),
        ];
        let text = format!(
            "let mut {from} = $; {from}.push(4); {from}.push(1); let {best} = {from}.{found}; {} $ t.effect({item}); {from}.push(*{item}); t.effect({from});",
            step[self.below(3)]
        );
        Some(Node::stmt(&text, vec![list, ask]))
    }

    /// What a choice finds to be changed.
    fn found_or_else(&mut self) -> Option<Node> {
        let id = self.find_mutable(Type::List)?;
        let (from, item) = (self.var(id), self.unique("item"));
        let label = self.unique("'u");
        let ask = self.no_jumps(|this| this.ask_while_lent(id))?;
        let out = format!("break {label}");
        let find = ["last_mut()", "get_mut(1)", "iter_mut().find(|n| **n > 0)"][self.below(3)];
        let chosen = [
            format!("match {from}.{find} {{ Some(one) => one, None => {out} }}"),
            format!("if let Some(one) = {from}.{find} {{ one }} else {{ {out} }}"),
        ];
        let text = format!(
            "{label}: {{ let {item} = {}; *{item} += 1; $ *{item} += 2; }}",
            chosen[self.below(2)]
        );
        Some(Node::stmt(&text, vec![ask]))
    }
}
