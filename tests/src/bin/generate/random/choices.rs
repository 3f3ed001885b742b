//! A `match` or an `if let` that picks the answer out of what an ask gives, for a `let` or a `for`.

use super::Gen;
use crate::program::{Answer, Kind, Node, Type};

impl Gen {
    /// `let x = match answer { Ok(Some(x)) => x, _ => leave };` and its like.
    pub(super) fn let_chosen(&mut self) -> Option<Node> {
        let answer = Answer::ALL[self.below(3)];
        let from = self.result_of(answer)?;
        let (inner, name) = (self.name(), self.name());
        let (ty, template, leaves) = match self.below(6) {
            0 => (
                Type::Answer(answer),
                "let # = if let Ok(Some(@)) = $ { @ } else $;",
                1,
            ),
            1 => (
                Type::Answer(answer),
                "let # = match $ { Ok(Some(@)) => @, _ => $ };",
                1,
            ),
            2 => (
                Type::Answer(answer),
                "let # = match $ { Ok(Some(@)) => { t.note(\"given\"); @ } Ok(None) => $ Err(e) => $ };",
                2,
            ),
            3 => (
                Type::Answer(answer),
                "let # = match $ { Ok(None) => $ Ok(Some(@)) if t.effect(true) => @, _ => $ };",
                2,
            ),
            4 => (
                Type::Opt(answer),
                "let # = match $ { Ok(@) => @, Err(_) => None };",
                0,
            ),
            _ => (
                Type::Opt(answer),
                "let # = match $ { Ok(None) => None, Ok(Some(@)) => Some(@), Err(_) => $ };",
                1,
            ),
        };
        let mut parts = vec![from];
        for _ in 0..leaves {
            parts.push(self.leaving()?);
        }
        self.declare(&name, ty, false);
        let template = template.replace('#', &name).replace('@', &inner);
        Some(Node::stmt(&template, parts))
    }

    /// Something to go over that is made of an answer, and that may not be there.
    pub(super) fn picked_list(&mut self) -> Option<(Vec<Node>, &'static str)> {
        let from = self.result_of(Answer::Text)?;
        if self.tries() && self.one_in(2) {
            return Some((vec![from], "$?.ok_or(\"none\")?.note"));
        }
        let leaving = self.leaving()?;
        let template = "match $ { Ok(Some(picked)) => picked, _ => $ }.note";
        Some((vec![from, leaving], template))
    }

    /// What an ask gave, from a variable or from the ask itself.
    fn result_of(&mut self, answer: Answer) -> Option<Node> {
        if self.one_in(2)
            && let Some(id) = self.find_movable(Type::Res(answer))
        {
            let from = self.var(id);
            self.moved(id);
            return Some(Node::new(Kind::Part, &from, Vec::new()));
        }
        self.can_ask().then(|| self.asked(answer))
    }

    /// A block that leaves.
    fn leaving(&mut self) -> Option<Node> {
        self.within.jumps.then(|| {
            self.maybe(|this| {
                let mut stmts = if this.one_in(2) && this.fuel > 0 {
                    this.stmts(1)
                } else {
                    Vec::new()
                };
                stmts.push(this.jump());
                Node::block(stmts)
            })
        })
    }
}
