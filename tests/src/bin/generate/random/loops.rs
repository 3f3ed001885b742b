//! Loops, each with a bound.

use super::{Exit, Gen};
use crate::program::{Answer, Node, Type};

/// The names and types that a `for` binds, and what it borrows from.
type Over = (Vec<Node>, String, Vec<(String, Type)>, Option<usize>, usize);

impl Gen {
    pub(super) fn loop_stmt(&mut self) -> Node {
        match self.below(10) {
            0 => self.while_stmt(),
            1 => self.while_let(),
            2 if self.can_ask() => self.while_let_ask(),
            3 if !self.within.invocation => {
                let value = self.loop_value(Type::Int, 2);
                Node::stmt("t.effect($);", vec![value])
            }
            _ => self.for_stmt(),
        }
    }

    pub(super) fn label(&mut self, value: Option<Type>) -> String {
        let label = self.one_in(3).then(|| self.unique("'l"));
        self.exits.push(Exit {
            label: label.clone(),
            value,
            block: false,
        });
        label.map(|label| format!("{label}: ")).unwrap_or_default()
    }

    /// `loop` that gives a value, with its counter before it.
    pub(super) fn loop_value(&mut self, ty: Type, d: usize) -> Node {
        let counter = self.unique("k");
        let times = 1 + self.below(3);
        let last = self.value_without_moves(ty);
        let label = self.label(Some(ty));
        let body = self.looping(times, |this| {
            let mut stmts = vec![
                Node::stmt(&format!("{counter} += 1;"), Vec::new()),
                Node::stmt(
                    &format!("if {counter} > {times} {{ break $; }}"),
                    vec![last],
                ),
            ];
            let saved = this.declare(&counter, Type::Int, false);
            stmts.extend(this.stmts(3));
            if this.one_in(2) {
                let cond = this.condition(2);
                let value = this.maybe(|this| this.value(ty, d));
                stmts.push(Node::stmt("if $ { break $; }", vec![cond, value]));
            }
            this.vars[saved].alive = false;
            Node::block(stmts)
        });
        self.exits.pop();
        Node::expr(
            ty,
            &format!("({{ let mut {counter} = 0; {label}loop $ }})"),
            vec![body],
        )
    }

    /// What is evaluated at most once a round.
    fn value_without_moves(&mut self, ty: Type) -> Node {
        self.looping(1, |this| this.no_jumps(|this| this.value(ty, 1)))
    }

    fn while_stmt(&mut self) -> Node {
        let counter = self.unique("k");
        let times = 1 + self.below(3);
        let in_head = self.one_in(2);
        let label = self.label(None);
        let (cond, body) = self.looping(times + 1, |this| {
            let saved = this.declare(&counter, Type::Int, false);
            let cond = this.no_jumps(|this| this.value(Type::Bool, 2));
            let mut stmts = Vec::new();
            if !in_head {
                stmts.push(Node::stmt(&format!("{counter} += 1;"), Vec::new()));
            }
            stmts.extend(this.stmts(3));
            this.vars[saved].alive = false;
            (cond, Node::block(stmts))
        });
        self.exits.pop();
        let head = if in_head {
            format!("{{ {counter} += 1; {counter} <= {times} }}")
        } else {
            format!("{counter} < {times}")
        };
        Node::stmt(
            &format!("let mut {counter} = 0; {label}while {head} && $ $"),
            vec![cond, body],
        )
    }

    fn while_let(&mut self) -> Node {
        let (stack, top) = (self.unique("s"), self.name());
        let label = self.label(None);
        let body = self.looping(2, |this| {
            this.declare(&top, Type::Int, false);
            Node::block(this.stmts(3))
        });
        self.exits.pop();
        Node::stmt(
            &format!(
                "let mut {stack} = vec![5i64, 6]; {label}while let Some({top}) = {stack}.pop() $"
            ),
            vec![body],
        )
    }

    fn while_let_ask(&mut self) -> Node {
        let (counter, name) = (self.unique("k"), self.name());
        let label = self.label(None);
        let (ask, body) = self.looping(2, |this| {
            let ask = this.no_jumps(|this| this.asked(Answer::Count));
            this.declare(&name, Type::Answer(Answer::Count), false);
            let mut stmts = vec![
                Node::stmt(&format!("{counter} += 1;"), Vec::new()),
                Node::stmt(&format!("if {counter} >= 2 {{ break; }}"), Vec::new()),
            ];
            stmts.extend(this.stmts(2));
            (ask, Node::block(stmts))
        });
        self.exits.pop();
        Node::stmt(
            &format!("let mut {counter} = 0; {label}while let Ok(Some({name})) = $ $"),
            vec![ask, body],
        )
    }

    fn for_stmt(&mut self) -> Node {
        let over = match self.below(3) {
            0 => self.over_range(),
            1 => self.over_borrow().unwrap_or_else(|| self.over_range()),
            _ => self.over_owned(),
        };
        let (mut parts, head, bindings, borrowed, times) = over;
        let label = self.label(None);
        let body = self.looping(times, |this| {
            for (name, ty) in &bindings {
                match borrowed {
                    Some(from) => this.declare_borrow(name, *ty, from),
                    None => this.declare(name, *ty, false),
                };
            }
            // The items keep what they are of borrowed through the whole body.
            this.scope(|this| Node::block(this.stmts(3)))
        });
        self.exits.pop();
        parts.push(body);
        Node::stmt(&format!("{label}for {head} $"), parts)
    }

    fn over_range(&mut self) -> Over {
        let (name, n) = (self.name(), 1 + self.below(3));
        let one = vec![(name.clone(), Type::Int)];
        match self.below(6) {
            0 => (
                Vec::new(),
                format!("{name} in (0..{n}i64).rev()"),
                one,
                None,
                n,
            ),
            1 => (Vec::new(), format!("{name} in 1..={n}i64"), one, None, n),
            2 => (
                Vec::new(),
                format!("{name} in (0..6i64).step_by(3)"),
                one,
                None,
                2,
            ),
            3 => {
                let end = self.value(Type::Int, 2);
                (vec![end], format!("{name} in 0..($ % 3)"), one, None, 2)
            }
            4 => {
                let other = self.unique("z");
                let both = vec![(name.clone(), Type::Int), (other.clone(), Type::Int)];
                let head = format!("({name}, {other}) in (0..2i64).zip(5..9i64)");
                (Vec::new(), head, both, None, 2)
            }
            _ => (Vec::new(), format!("{name} in 0..{n}"), one, None, n),
        }
    }

    fn over_borrow(&mut self) -> Option<Over> {
        let (from, template, ty): (Type, &str, Type) = match self.below(16) {
            0 => (Type::List, "&# in &@", Type::Int),
            1 => (Type::List, "# in @.iter().copied()", Type::Int),
            2 => (Type::Names, "# in &@", Type::RefString),
            3 => (Type::Names, "# in @.iter()", Type::RefString),
            4 => (
                Type::Names,
                "(_, #) in @.iter().enumerate()",
                Type::RefString,
            ),
            5 => (Type::Names, "# in @.iter().rev()", Type::RefString),
            6 => (Type::Str, "# in @.chars().take(3)", Type::Char),
            7 => (Type::RefStr, "# in @.chars().take(2)", Type::Char),
            8 => (Type::Names, "# in @.iter().skip(1)", Type::RefString),
            9 => (Type::RefList, "&# in @", Type::Int),
            10 => (Type::Str, "# in @.split(' ')", Type::RefStr),
            11 => (Type::Host, "# in @.tags.iter().copied()", Type::Int),
            12 => (
                Type::List,
                "# in @.iter().copied().filter(|q| q % 2 == 0)",
                Type::Int,
            ),
            13 => (
                Type::Names,
                "# in @.iter().filter(|q| q.len() > 1)",
                Type::RefString,
            ),
            14 => (
                Type::Names,
                "# in @.iter().map(|q| q.len() as i64)",
                Type::Int,
            ),
            _ => (Type::Names, "(_, #) in (0..2i64).zip(&@)", Type::RefString),
        };
        let id = self.find_type(from)?;
        let name = self.name();
        let head = template.replace('@', &self.var(id)).replace('#', &name);
        Some((Vec::new(), head, vec![(name, ty)], Some(id), 2))
    }

    fn over_owned(&mut self) -> Over {
        if self.within.jumps
            && self.one_in(5)
            && let Some((parts, items)) = self.picked_list()
        {
            let name = self.name();
            let one = vec![(name.clone(), Type::Str)];
            return (parts, format!("{name} in {items}"), one, None, 1);
        }
        let (from, item) = if self.one_in(2) {
            (Type::List, Type::Int)
        } else {
            (Type::Names, Type::Str)
        };
        let owned = self.value(from, 2);
        let name = self.name();
        let one = vec![(name.clone(), item)];
        match self.below(4) {
            0 => {
                let index = self.unique("i");
                let head = format!("({index}, {name}) in $.into_iter().enumerate()");
                (vec![owned], head, one, None, 2)
            }
            1 => (
                vec![owned],
                format!("{name} in $.into_iter()"),
                one,
                None,
                2,
            ),
            2 => (
                vec![owned],
                format!("{name} in $.into_iter().rev()"),
                one,
                None,
                2,
            ),
            _ => (vec![owned], format!("{name} in $"), one, None, 2),
        }
    }
}
