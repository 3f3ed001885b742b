//! Values that a function puts together, taken apart by patterns, changed in fields, and lent in structs.

use rmcp::{RoleServer, service::RequestContext};
use tests::{
    Case, Failure, Trace,
    answers::{Confirm, Count, Text},
};

type Context = RequestContext<RoleServer>;

const RATE: i64 = 10;

macro_rules! price {
    ($n:expr) => {
        $n * RATE
    };
}

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            struct Raw {
                name: String,
                steps: i64,
            }

            enum Mode {
                Fast,
                Slow { raw: Raw, k: i64 },
                Two(Raw, Raw),
            }

            struct Deep {
                mode: Mode,
                extra: Raw,
                n: (Raw, i64),
            }

            /// Its variants have names of one letter.
            enum Size {
                S,
                M(i64),
                L { n: i64 },
            }

            struct Order {
                name: String,
                n: i64,
                raw: Raw,
                size: Size,
                list: Vec<String>,
            }

            struct View<'a> {
                cx: &'a Context,
                t: &'a Trace,
                name: &'a str,
                of: &'static str,
            }

            struct Filled<'a> {
                list: &'a mut Vec<i64>,
                raw: &'a Raw,
                n: i64,
            }

            impl View<'_> {
                fn say(&self, text: &str) {
                    self.t.effect(format!("{} {text} {}", self.name, self.of));
                }
            }

            $(#[$mark])?
            async fn number(cx: &Context) -> Result<i64, Failure> {
                Ok(cx.peer.elicit::<Count>("how many?").await?.map_or(0, |answer| answer.n))
            }

            $(#[$mark])?
            async fn sure(cx: &Context) -> Result<bool, Failure> {
                let answer = cx.peer.elicit::<Confirm>("sure?").await?;
                Ok(answer.is_some_and(|answer| answer.ok))
            }

            $(#[$mark])?
            async fn name(cx: &Context) -> Result<String, Failure> {
                Ok(cx.peer.elicit::<Text>("name?").await?.map_or(String::new(), |answer| answer.text))
            }

            $(#[$mark])?
            pub async fn by_patterns(cx: Context, t: &Trace) -> Result<String, Failure> {
                let b = number(&cx).await?;
                let deep = Deep {
                    mode: match b {
                        1 => Mode::Fast,
                        2 => Mode::Slow { raw: Raw { name: "a".into(), steps: b }, k: 3 },
                        _ => Mode::Two(Raw { name: "c".into(), steps: 4 }, Raw { name: "d".into(), steps: 5 }),
                    },
                    extra: Raw { name: format!("{b}"), steps: 1 },
                    n: (Raw { name: format!("{b}"), steps: 1 }, 4),
                };
                let mut c = number(&cx).await?;
                let Deep { mode, extra: other, n: (first, k) } = deep;
                c += number(&cx).await? + k;
                t.effect(format!("{} {} {}", other.name, other.steps, first.steps));
                match mode {
                    Mode::Slow { raw, .. } => {
                        c += number(&cx).await?;
                        c += raw.steps;
                    }
                    fast @ Mode::Fast => {
                        c += number(&cx).await?;
                        if let Mode::Fast = fast {
                            c += 1;
                        }
                    }
                    Mode::Two(one, mut two) => {
                        two.steps += number(&cx).await?;
                        c += number(&cx).await? + one.steps + two.steps;
                    }
                }
                let result: Result<Raw, Raw> = match c > 5 {
                    true => Ok(Raw { name: "r".into(), steps: 1 }),
                    false => Err(Raw { name: "e".into(), steps: 2 }),
                };
                c += number(&cx).await?;
                let (Ok(raw) | Err(raw)) = result;
                c += number(&cx).await?;
                let found = sure(&cx).await?.then_some(()).map_or(0, |()| 1);
                let perhaps = if found > 0 { Some(Raw { name: "p".into(), steps: c }) } else { None };
                let d = number(&cx).await?;
                let Some(last) = perhaps else { return Ok("none".into()) };
                let e = number(&cx).await?;
                Ok(format!("{} {} {}", raw.name, last.name, raw.steps + last.steps + c + d + e))
            }

            $(#[$mark])?
            pub async fn changed_in_fields(cx: Context, t: &Trace) -> Result<String, Failure> {
                let k = number(&cx).await?;
                let size = if k > 2 { Size::S } else { Size::M(k) };
                let l = number(&cx).await?;
                let other = match l {
                    1 => Size::S,
                    2 => Size::L { n: 3 },
                    _ => size,
                };
                let m = number(&cx).await?;
                let mut order = Order {
                    name: "a".into(),
                    n: 1,
                    raw: Raw { name: "r".into(), steps: k },
                    size: Size::S,
                    list: vec![],
                };
                order.n += m;
                order.list.push(format!("{k}"));
                if l > 1 {
                    order.name.push('x');
                }
                order.n += number(&cx).await?;
                order.list.push("z".into());
                let r = number(&cx).await?;
                t.effect(format!("{} {} {} {:?}", order.name, order.n, order.raw.steps, order.list));
                let of = |size: &Size| match size {
                    Size::S => 1,
                    Size::M(k) => *k,
                    Size::L { n } => *n,
                };
                let mut pair = (Raw { name: "p".into(), steps: k }, 3, vec![Raw { name: "q".into(), steps: 1 }]);
                pair.1 += k;
                pair.1 += number(&cx).await?;
                let all: i64 = pair.2.iter().map(|raw| raw.steps).sum();
                Ok(format!("{} {} {}", of(&other) + r, of(&order.size), pair.0.steps + pair.1 + all))
            }

            $(#[$mark])?
            pub async fn in_loops(cx: Context, t: &Trace) -> Result<String, Failure> {
                let mut all = 0;
                for i in 0..2 {
                    let raw = Raw { name: String::new(), steps: i };
                    all += number(&cx).await? + raw.steps;
                }
                let names = vec!["a".to_owned(), "bc".to_owned()];
                for (i, name) in names.iter().enumerate() {
                    let raw = Raw { name: name.clone(), steps: i as i64 };
                    let pair = (raw, i);
                    all += number(&cx).await? + pair.1 as i64;
                    all += pair.0.name.len() as i64 + pair.0.steps;
                }
                Ok(format!("{all}"))
            }

            $(#[$mark])?
            pub async fn lent_in_structs(cx: Context, t: &Trace) -> Result<String, Failure> {
                let name = name(&cx).await?;
                let view = View { cx: &cx, t, name: &name, of: "text" };
                let n = number(&cx).await?;
                view.say("a");
                let m = number(&cx).await?;
                view.say("b");
                let raw = Raw { name: "r".into(), steps: n };
                let mut list = vec![m];
                {
                    let filled = Filled { list: &mut list, raw: &raw, n: 5 };
                    let n = number(&cx).await?;
                    filled.list.push(n + filled.n + filled.raw.steps);
                    let n = number(&cx).await?;
                    filled.list.push(n);
                }
                for other in [1, 2] {
                    let view = View { cx: &cx, t, name: &name, of: "loop" };
                    let n = number(&cx).await?;
                    let View { name, of, .. } = view;
                    t.effect(format!("{n} {name} {of}"));
                    let n = number(&cx).await?;
                    t.effect(format!("{} {name}", n + other));
                }
                Ok(format!("{list:?}"))
            }

            /// The constant of a block is not that of a macro.
            $(#[$mark])?
            pub async fn beside_macros(cx: Context, t: &Trace) -> Result<String, Failure> {
                let n = number(&cx).await?;
                let shown = {
                    const RATE: i64 = 3;
                    n + RATE
                };
                let m = number(&cx).await?;
                Ok(format!("{shown} {}", price!(m)))
            }

            struct Grid;

            impl Grid {
                const W: i64 = 4;
                const T: &'static str = "t";
            }

            /// A constant of one letter is no variant, and a variant that is a function is no value.
            $(#[$mark])?
            pub async fn called(cx: Context, t: &Trace) -> Result<String, Failure> {
                let n = number(&cx).await?;
                let make = Size::M;
                let made = matches!(make(n), Size::M(1));
                let (width, text, perhaps) = (Grid::W, Grid::T, Some(Grid::W));
                let m = number(&cx).await?;
                let wrap = Some;
                let all = [wrap(m)];
                Ok(format!("{made} {all:?} {width} {text} {perhaps:?}"))
            }
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);
written_twice!(
    by_patterns,
    changed_in_fields,
    in_loops,
    lent_in_structs,
    beside_macros,
    called
);
