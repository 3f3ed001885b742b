//! Asks, and what is done with them on the spot.

use super::Gen;
use crate::program::{Answer, Kind, Node, Type};

impl Gen {
    pub(super) fn can_ask(&self) -> bool {
        self.within.asks && self.budget >= self.weight
    }

    pub(super) fn count_ask(&mut self) {
        self.budget = self.budget.saturating_sub(self.weight);
        self.asked += 1;
    }

    /// A time that is never over.
    pub(super) fn duration(&mut self) -> Node {
        let (template, parts) = match self.below(4) {
            0 => ("t.effect(Duration::from_secs(3600))", Vec::new()),
            1 => {
                let more = self.value(Type::Int, 1);
                (
                    "Duration::from_secs(600 + i64::unsigned_abs($))",
                    vec![more],
                )
            }
            _ => ("Duration::from_secs(3600)", Vec::new()),
        };
        Node::new(Kind::Part, template, parts)
    }

    /// The future of an ask, which may have a time of its own.
    pub(super) fn raw_ask(&mut self, answer: Answer, may_end: bool) -> Node {
        self.count_ask();
        let message = self.message();
        let peer = if self.has_alias && self.one_in(2) {
            "peer"
        } else {
            self.peer
        };
        let name = answer.name();
        let template = if may_end && self.one_in(10) {
            format!("{peer}.elicit_with_timeout::<{name}>($, Some(Duration::from_secs(600)))")
        } else {
            format!("{peer}.elicit::<{name}>($)")
        };
        Node::new(Kind::Part, &template, vec![message])
    }

    /// `Result<Option<answer>, ElicitationError>`
    pub(super) fn asked(&mut self, answer: Answer) -> Node {
        if self.tries() && self.one_in(10) {
            let limit = self.duration();
            let ask = self.raw_ask(answer, false);
            return Node::new(
                Kind::Part,
                "tokio::time::timeout($, $).await?",
                vec![limit, ask],
            );
        }
        let ask = self.raw_ask(answer, true);
        Node::new(Kind::Part, "$.await", vec![ask])
    }

    /// The same in forms that are no longer an answer, which can be made again, but a value.
    fn asked_within(&mut self, answer: Answer) -> Node {
        match self.below(10) {
            0 => {
                let limit = self.duration();
                let ask = self.raw_ask(answer, false);
                let template = [
                    "tokio::time::timeout($, $).await.unwrap_or(Ok(None))",
                    "(match tokio::time::timeout($, $).await { Ok(answer) => answer, Err(_) => Ok(None) })",
                ][self.below(2)];
                Node::new(Kind::Part, template, vec![limit, ask])
            }
            1 => {
                // The block's error is the ask's own.
                let fallible = std::mem::replace(&mut self.output.fallible, false);
                let exits = std::mem::take(&mut self.exits);
                let ask = self.no_jumps(|this| this.raw_ask(answer, true));
                self.exits = exits;
                self.output.fallible = fallible;
                Node::new(Kind::Part, "async { $.await }.await", vec![ask])
            }
            _ => self.asked(answer),
        }
    }

    /// What `elicit` is given; now and then there is an ask in it.
    pub(super) fn message(&mut self) -> Node {
        match self.below(8) {
            0 => self.text(),
            1 if self.can_ask() => self.value(Type::Str, 2),
            2 | 3 => self.formatted(),
            _ => {
                let name = self.unique("ask ");
                Node::leaf(Type::RefStr, format!("\"{name}\""))
            }
        }
    }

    /// An ask as an expression of the type, if there is such a one.
    pub(super) fn ask(&mut self, ty: Type, depth: usize) -> Option<Node> {
        let tries = self.tries();
        let (answer, tried, plain): (Answer, &[&str], &[&str]) = match ty {
            Type::Int => (
                Answer::Count,
                &[
                    "$?.ok_or(\"none\")?.n",
                    "$?.ok_or(\"none\")?.n",
                    "$?.map(|c| c.n).unwrap_or_default()",
                ],
                &["$.ok().flatten().map_or(-1, |c| c.n)"],
            ),
            Type::Bool => (
                Answer::Confirm,
                &["$?.ok_or(\"none\")?.ok", "$?.is_some_and(|c| c.ok)"],
                &[
                    "matches!($, Ok(Some(Confirm { ok: true })))",
                    "matches!($, Ok(Some(c)) if c.ok)",
                    "$.is_ok()",
                ],
            ),
            Type::Str => (
                Answer::Text,
                &[
                    "$?.ok_or(\"none\")?.text",
                    "$?.map(|a| a.text).unwrap_or_default()",
                ],
                &["$.ok().flatten().map_or(String::from(\"no\"), |a| a.text)"],
            ),
            Type::Maybe => (
                Answer::Count,
                &["$?.map(|c| c.n)"],
                &["$.ok().flatten().map(|c| c.n)"],
            ),
            Type::MaybeStr => (
                Answer::Text,
                &["$?.and_then(|a| a.note)"],
                &["$.ok().flatten().and_then(|a| a.note)"],
            ),
            _ => return None,
        };
        if self.one_in(4)
            && let Some(call) = self.helper_value(ty)
        {
            return Some(call);
        }
        if ty == Type::Int && self.one_in(6) && self.can_join() {
            return Some(self.join_value());
        }
        if ty == Type::Int && tries && self.one_in(10) {
            let (ask, error) = (self.asked(Answer::Count), self.output.error);
            let template =
                format!("$.map_err(|e| {error}(format!(\"{{e:?}}\")))?.map_or(7, |c| c.n)");
            return Some(Node::expr(ty, &template, vec![ask]));
        }
        if ty == Type::Int && self.one_in(5) && self.fuel > 0 {
            return Some(self.matched_ask(depth));
        }
        if tries && self.one_in(12) {
            return self.other_ask(ty);
        }
        let templates = if tries && !self.one_in(4) {
            tried
        } else {
            plain
        };
        let template = templates[self.below(templates.len())];
        let ask = self.asked_within(answer);
        Some(Node::expr(ty, template, vec![ask]))
    }

    fn other_ask(&mut self, ty: Type) -> Option<Node> {
        let peer = self.peer;
        match ty {
            Type::Int => {
                self.count_ask();
                let text = format!("({peer}.list_roots().await?.roots.len() as i64)");
                Some(Node::leaf(ty, text))
            }
            Type::Str => {
                self.count_ask();
                let prompt = self.no_asks(|this| this.value(Type::Str, 1));
                let template = format!(
                    "{peer}.create_message(CreateMessageRequestParams::new(vec![SamplingMessage::user_text($)], 10)).await?.model"
                );
                Some(Node::expr(ty, &template, vec![prompt]))
            }
            _ => None,
        }
    }

    /// `match ask { .. }` as a number.
    fn matched_ask(&mut self, depth: usize) -> Node {
        let ask = self.asked(Answer::Count);
        let d = depth.saturating_sub(1);
        let name = self.name();
        let mut parts = self.branches(4, |this, arm| match arm {
            0 => {
                this.declare(&name, Type::Int, false);
                this.value(Type::Int, d)
            }
            1 => {
                this.declare("c", Type::Answer(Answer::Count), false);
                this.block_of(Type::Int, d)
            }
            2 => this.value(Type::Int, 1),
            _ => {
                this.declare("e", Type::Error, false);
                this.block_of(Type::Int, d)
            }
        });
        parts.insert(0, ask);
        Node::expr(
            Type::Int,
            &format!(
                "(match $ {{ Ok(Some(Count {{ n: {name} }})) if {name} > LIMIT => $, Ok(Some(c)) => $, Ok(None) => $, Err(e) => $ }})"
            ),
            parts,
        )
    }

    /// An ask of which the answer does not matter.
    pub(super) fn ask_stmt(&mut self) -> Node {
        let answer = Answer::ALL[self.below(3)];
        let ask = self.asked(answer);
        let template = match (self.tries(), self.below(3)) {
            (true, 0 | 1) => "$?;",
            (_, 2) => "$.ok();",
            _ => "let _ = $;",
        };
        Node::stmt(template, vec![ask])
    }

    /// `let` of an answer, or of what is around it.
    pub(super) fn let_answer(&mut self) -> Node {
        let answer = Answer::ALL[self.below(3)];
        let ask = self.asked(answer);
        let name = self.name();
        let (shown, error) = (answer.name(), self.output.error);
        let (ty, template) = match (self.tries(), self.below(8)) {
            (true, 0..=2) => (
                Type::Answer(answer),
                format!("let {name} = $?.ok_or(\"none\")?;"),
            ),
            (true, 3) => (Type::Opt(answer), format!("let {name} = $?;")),
            (true, 4) => (
                Type::Opt(answer),
                format!("let {name}: Option<{shown}> = $?;"),
            ),
            (true, 5) => (
                Type::Answer(answer),
                format!(
                    "let Some({name}) = $? else {{ return Err({error}(\"let else\".into())) }};"
                ),
            ),

            _ => (Type::Res(answer), format!("let {name} = $;")),
        };
        self.declare(&name, ty, false);
        Node::stmt(&template, vec![ask])
    }
}
