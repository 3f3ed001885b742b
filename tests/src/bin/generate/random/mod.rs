//! The choice of a program: well-typed by construction, and it ends.
//!
//! A new construct is a production: a function that gives a [`Node`] and keeps the books of
//! [`scope`]. Asks in a new position go to [`asks`], where [`Gen::raw_ask`] gives the future; several at
//! once to [`joins`] and [`all`].

mod aggregates;
mod all;
mod asks;
mod borrows;
mod calls;
mod choices;
mod findings;
mod flow;
mod joins;
mod leaves;
mod listed;
mod loops;
mod names;
mod patterns;
mod scope;
mod shapes;
mod stmts;
mod strangers;
mod taking;
mod values;

use crate::program::{Function, Node, Program, Type};
use calls::Helper;
use scope::Var;

/// How a function gives back its result.
#[derive(Debug, Clone, Copy)]
struct Output {
    ty: Type,
    /// The name of the error's type.
    error: &'static str,
    /// In a `Result`, so that `?` is there.
    fallible: bool,
}

/// What the place allows.
#[derive(Debug, Clone, Copy)]
struct Within {
    /// An ask: not in macros and closures.
    asks: bool,
    /// `break`, `continue` and `return`.
    jumps: bool,
    /// `?` and `.await`: not in closures.
    closure: bool,
    /// In the arguments of a macro.
    invocation: bool,
}

/// A loop or block that can be left.
#[derive(Debug, Clone)]
struct Exit {
    label: Option<String>,
    /// What `break` takes, if anything.
    value: Option<Type>,
    /// A block, which `continue` and a `break` without label pass by.
    block: bool,
}

/// The state of the making of one program.
pub(crate) struct Gen {
    rng: fastrand::Rng,
    vars: Vec<Var>,
    within: Within,
    exits: Vec<Exit>,
    output: Output,
    helpers: Vec<Helper>,
    /// The handle, as asks and calls name it.
    peer: &'static str,
    context: Option<&'static str>,
    has_alias: bool,
    /// Whether several asks are put at once: then the order of asks is not compared.
    joins: bool,
    in_case: bool,
    /// The `async` blocks around, and the variables before the innermost one.
    blocks_around: usize,
    around: usize,
    /// Asks that the function may still make, each as often as its loops go round.
    budget: usize,
    weight: usize,
    asked: usize,
    /// Statements that the function may still have.
    fuel: usize,
    level: usize,
    loops: usize,
    block: usize,
    blocks: usize,
    uniques: usize,
}

/// The program of this number under this seed.
pub(crate) fn program(seed: u64, index: usize) -> Program {
    let mixed = (seed ^ 0x5a6a).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ index as u64;
    let mut make = Gen::new(fastrand::Rng::with_seed(mixed));
    make.joins = make.one_in(2);
    let mut functions = Vec::new();
    let helpers = if make.joins {
        [0, 1, 1, 2, 2, 3]
    } else {
        [0, 0, 1, 1, 2, 3]
    };
    for number in 0..helpers[make.below(6)] {
        functions.push(make.helper(number));
    }
    functions.push(make.case());
    Program {
        index,
        functions,
        edits: Vec::new(),
    }
}

impl Gen {
    fn new(rng: fastrand::Rng) -> Self {
        Self {
            rng,
            vars: Vec::new(),
            within: Within {
                asks: true,
                jumps: true,
                closure: false,
                invocation: false,
            },
            exits: Vec::new(),
            output: Output {
                ty: Type::Str,
                error: "Failure",
                fallible: true,
            },
            helpers: Vec::new(),
            peer: "cx.peer",
            context: None,
            has_alias: false,
            joins: false,
            in_case: false,
            blocks_around: 0,
            around: 0,
            budget: 0,
            weight: 1,
            asked: 0,
            fuel: 0,
            level: 0,
            loops: 0,
            block: 0,
            blocks: 0,
            uniques: 0,
        }
    }

    fn below(&mut self, n: usize) -> usize {
        self.rng.usize(..n)
    }

    /// True once in `n` times.
    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn with<R>(&mut self, within: Within, inside: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.within, within);
        let result = inside(self);
        self.within = before;
        result
    }

    /// In the arguments of a macro.
    fn no_asks<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> R {
        let within = Within {
            asks: false,
            // A jump there is refused: docs/refused.md.
            jumps: false,
            invocation: true,
            ..self.within
        };
        self.with(within, inside)
    }

    /// In a closure or guard: only reads.
    fn in_closure<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> R {
        let within = Within {
            asks: false,
            jumps: false,
            closure: true,
            ..self.within
        };
        self.with(within, inside)
    }

    fn no_jumps<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> R {
        let within = Within {
            jumps: false,
            ..self.within
        };
        self.with(within, inside)
    }

    /// Whether `?` can stand here.
    fn tries(&self) -> bool {
        // In a macro in an `async` block that asks it is refused: docs/refused.md.
        let seen = self.blocks_around == 0 || !self.within.invocation;
        self.output.fallible && seen && !self.within.closure
    }

    fn case(&mut self) -> Function {
        self.output = Output {
            ty: Type::Str,
            error: "Failure",
            fallible: true,
        };
        self.in_case = true;
        self.context = Some("&cx");
        self.peer = "cx.peer";
        self.budget = 3 + self.below(6);
        self.fuel = 4 + self.below(10);
        let mut body = Vec::new();
        self.has_alias = self.one_in(4);
        if self.has_alias {
            let alias = ["let peer = cx.peer.clone();", "let peer = &cx.peer;"][self.below(2)];
            body.push(Node::stmt(alias, Vec::new()));
        }
        Function {
            signature: "case(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure>"
                .to_owned(),
            body: self.body(body),
        }
    }

    /// A whole function's body, from its parameters on.
    fn body(&mut self, mut stmts: Vec<Node>) -> Node {
        (self.weight, self.asked) = (1, 0);
        while self.fuel > 0 {
            stmts.push(self.stmt());
        }
        // What was counted may have been thrown away.
        let asks = ["elicit", "create_message", "list_roots", "helper_"];
        let asked = |stmt: &Node| asks.iter().any(|word| stmt.mentions(word));
        if self.asked == 0 || !stmts.iter().any(asked) {
            self.budget = self.budget.max(1);
            stmts.push(self.ask_stmt());
        }
        stmts.push(self.tail());
        self.vars.clear();
        Node::block(stmts)
    }

    /// The function's value.
    fn tail(&mut self) -> Node {
        let Output {
            ty,
            error,
            fallible,
        } = self.output;
        if fallible && self.one_in(8) {
            let cond = self.value(Type::Bool, 2);
            let value = self.value(ty, 2);
            return Node::expr(
                ty,
                &format!("if $ {{ Ok($) }} else {{ Err({error}(\"refused\".into())) }}"),
                vec![cond, value],
            );
        }
        let value = if ty == Type::Str {
            self.summary()
        } else {
            self.value(ty, 3)
        };
        Node::new(
            crate::program::Kind::Part,
            if fallible { "Ok($)" } else { "$" },
            vec![value],
        )
    }
}
