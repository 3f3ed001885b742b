//! Several asks in one round: `join!` and `try_join!`.

use super::Gen;
use crate::program::{Answer, Kind, Node, Type};

/// A future that is awaited with others, and what it gives.
struct Arm {
    future: Node,
    gives: Type,
}

impl Gen {
    pub(super) fn can_join(&self) -> bool {
        self.joins && self.within.asks && self.budget >= self.weight * 2
    }

    pub(super) fn join_stmt(&mut self) -> Option<Node> {
        if !self.can_join() {
            return None;
        }
        match self.below(8) {
            0 | 1 => Some(self.let_join()),
            2 => Some(self.match_join()),
            3 => Some(self.if_let_join()),
            4 | 5 if self.can_fail() => self.let_try_join(),
            _ => Some(self.all_stmt()),
        }
    }

    /// Whether an error ends the whole case: how far the other arms are then is nobody's promise.
    pub(super) fn can_fail(&self) -> bool {
        self.in_case && self.blocks_around == 0 && self.tries()
    }

    /// `let (a, b) = join!(.., ..);`
    fn let_join(&mut self) -> Node {
        let count = 2 + self.below(2);
        let arms = self.apart(count, |this, _| this.arm());
        let gives: Vec<Type> = arms.iter().map(|arm| arm.gives).collect();
        let joined = self.joined(arms);
        if self.one_in(8) {
            return Node::stmt("$;", vec![joined]);
        }
        let pattern = self.bind_all(&gives);
        Node::stmt(&format!("let {pattern} = $;"), vec![joined])
    }

    /// A pattern of new names, of which some may shadow.
    fn bind_all(&mut self, types: &[Type]) -> String {
        let mut names: Vec<String> = Vec::new();
        let mut shown = String::new();
        for ty in types {
            if self.one_in(8) {
                shown.push_str("_, ");
                continue;
            }
            let mut name = self.name();
            if names.contains(&name) {
                name = self.unique("j");
            }
            let mutable = Type::VALUES.contains(ty) && self.one_in(3);
            self.declare(&name, *ty, mutable);
            shown.push_str(if mutable { "mut " } else { "" });
            shown.push_str(&format!("{name}, "));
            names.push(name);
        }
        format!("({})", shown.trim_end())
    }

    /// `match join!(ask, ask) { .. }`
    fn match_join(&mut self) -> Node {
        let arms = self.two_asks(Answer::Count, Answer::Text);
        let joined = self.joined(arms);
        let (a, b) = (self.name(), self.unique("m"));
        let mut parts = self.branches(3, |this, arm| {
            match arm {
                0 => {
                    this.declare(&a, Type::Int, false);
                    this.declare(&b, Type::Str, false)
                }
                1 => this.declare(&a, Type::Answer(Answer::Count), false),
                _ => 0,
            };
            Node::block(this.stmts(2))
        });
        parts.insert(0, joined);
        Node::stmt(
            &format!(
                "match $ {{ (Ok(Some(Count {{ n: {a} }})), Ok(Some(Text {{ text: {b}, .. }}))) if {a} > LIMIT => $, (Ok(Some({a})), _) => $, _ => $ }}"
            ),
            parts,
        )
    }

    fn if_let_join(&mut self) -> Node {
        let arms = self.two_asks(Answer::Confirm, Answer::Count);
        let joined = self.joined(arms);
        let (a, b) = (self.name(), self.unique("m"));
        let mut parts = self.branches(2, |this, branch| {
            if branch == 0 {
                this.declare(&a, Type::Answer(Answer::Confirm), false);
                this.declare(&b, Type::Res(Answer::Count), false);
            }
            Node::block(this.stmts(2))
        });
        parts.insert(0, joined);
        Node::stmt(&format!("if let (Ok(Some({a})), {b}) = $ $ else $"), parts)
    }

    /// `join!` of two asks as a number.
    pub(super) fn join_value(&mut self) -> Node {
        let arms = self.two_asks(Answer::Count, Answer::Confirm);
        let joined = self.joined(arms);
        let template = match (self.tries(), self.below(3)) {
            (true, 0) => "$.0?.map_or(-1, |c| c.n)",
            (_, 1) => "i64::from($.1.is_ok())",
            _ => {
                "(match $ { (Ok(Some(a)), Ok(Some(b))) => a.n + i64::from(b.ok), (a, b) => i64::from(a.is_ok()) - i64::from(b.is_err()) })"
            }
        };
        Node::expr(Type::Int, template, vec![joined])
    }

    fn two_asks(&mut self, first: Answer, second: Answer) -> Vec<Arm> {
        self.apart(2, |this, arm| {
            let answer = [first, second][arm];
            Arm {
                future: this.no_asks(|this| this.raw_ask(answer, true)),
                gives: Type::Res(answer),
            }
        })
    }

    fn joined(&mut self, arms: Vec<Arm>) -> Node {
        let path = ["tokio", "saga_runtime"][self.below(2)];
        let biased = if self.one_in(6) { "biased; " } else { "" };
        let comma = if self.one_in(4) { "," } else { "" };
        let holes = vec!["$"; arms.len()].join(", ");
        Node::new(
            Kind::Part,
            &format!("{path}::join!({biased}{holes}{comma})"),
            arms.into_iter().map(|arm| arm.future).collect(),
        )
    }

    /// An ask, a call of a helper, or work that does not ask.
    fn arm(&mut self) -> Arm {
        if self.within.asks && self.budget >= self.weight && self.one_in(4) {
            let gives = [Type::Int, Type::Str, Type::List][self.below(3)];
            let body = self.async_body(gives, 1, false, false);
            let future = Node::new(Kind::Part, "async $", vec![body]);
            return Arm { future, gives };
        }
        if self.one_in(2) {
            let ty = self.helper_type();
            if let Some((future, fallible)) = self.call_future(ty) {
                let gives = if fallible { ty.tried() } else { ty };
                return Arm { future, gives };
            }
        }
        if self.budget < self.weight || self.one_in(8) {
            let ty = [Type::Int, Type::Str, Type::List][self.below(3)];
            let (template, value) = match self.below(2) {
                0 => ("t.fetch($)", self.no_asks(|this| this.value(ty, 2))),
                _ => (
                    "async { t.effect($) }",
                    self.in_closure(|this| this.value(ty, 1)),
                ),
            };
            return Arm {
                future: Node::new(Kind::Part, template, vec![value]),
                gives: ty,
            };
        }
        let answer = Answer::ALL[self.below(3)];
        if self.one_in(6) {
            let limit = self.no_asks(Self::duration);
            let ask = self.no_asks(|this| this.raw_ask(answer, false));
            return Arm {
                future: Node::new(Kind::Part, "tokio::time::timeout($, $)", vec![limit, ask]),
                gives: Type::Limited(answer),
            };
        }
        Arm {
            future: self.no_asks(|this| this.raw_ask(answer, true)),
            gives: Type::Res(answer),
        }
    }

    /// `let (a, b) = try_join!(.., ..)?;` of asks, or of calls.
    fn let_try_join(&mut self) -> Option<Node> {
        let count = 2 + self.below(2);
        let calls = self.one_in(2);
        let arms = self.apart(count, |this, _| {
            if calls {
                let ty = this.helper_type();
                let (future, fallible) = this.call_future(ty)?;
                return fallible.then_some(Arm { future, gives: ty });
            }
            let answer = Answer::ALL[this.below(3)];
            (this.budget >= this.weight).then(|| Arm {
                future: this.no_asks(|this| this.raw_ask(answer, true)),
                gives: Type::Opt(answer),
            })
        });
        let arms: Vec<Arm> = arms.into_iter().flatten().collect();
        if arms.is_empty() {
            return None;
        }
        let gives: Vec<Type> = arms.iter().map(|arm| arm.gives).collect();
        let holes = vec!["$"; arms.len()].join(", ");
        let path = ["tokio", "saga_runtime"][self.below(2)];
        let pattern = self.bind_all(&gives);
        Some(Node::stmt(
            &format!("let {pattern} = {path}::try_join!({holes})?;"),
            arms.into_iter().map(|arm| arm.future).collect(),
        ))
    }
}
