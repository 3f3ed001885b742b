//! Methods of one's own with names that std's have, and changes that hide behind an alias or in a macro.

use std::{collections::BTreeMap, fmt::Write, sync::LazyLock};

use rmcp::{Peer, RoleServer, service::RequestContext};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tests::{Case, Failure, Trace, answers::Count};

type Result<T, E = Failure> = std::result::Result<T, E>;
type Context = RequestContext<RoleServer>;

/// What a method named like one of `Option`'s gives is stored.
trait Runs {
    fn output(&self) -> String;
    fn ok(&self) -> bool;
    fn unwrap(&self) -> String;
    fn context(&self, id: u8) -> Result<String>;
    fn flatten(&self) -> Option<String>;
}

impl Runs for Trace {
    fn output(&self) -> String {
        self.effect("output".to_owned())
    }

    fn ok(&self) -> bool {
        self.effect(true)
    }

    fn unwrap(&self) -> String {
        self.effect("unwrap".to_owned())
    }

    fn context(&self, id: u8) -> Result<String> {
        Ok(self.effect(format!("context {id}")))
    }

    fn flatten(&self) -> Option<String> {
        self.effect(Some("flatten".to_owned()))
    }
}

/// Changed by methods of `Option`'s names.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Cursor(usize);

#[allow(clippy::wrong_self_convention, reason = "what is tried")]
impl Cursor {
    fn expect(&mut self, n: usize) -> usize {
        self.0 += n;
        self.0
    }

    fn unwrap_next(&mut self) -> usize {
        self.expect(1)
    }

    fn into_next(&mut self) -> usize {
        self.expect(1)
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Parser {
    cursor: Cursor,
    name: Option<String>,
    bytes: String,
    depth: i64,
}

static TABLE: LazyLock<Vec<String>> = LazyLock::new(|| vec!["a".to_owned(), "b".to_owned()]);

fn never(why: &str) -> ! {
    panic!("{why}")
}

/// A text that `push` goes on in.
#[derive(Debug, Serialize, Deserialize)]
struct Scanner<'t> {
    #[serde(borrow)]
    rest: &'t str,
}

impl Scanner<'_> {
    fn push(&mut self) {
        self.rest = &self.rest[1..];
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Node {
    name: String,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Desk {
    flag: bool,
    key: String,
    place: usize,
    a: Vec<i64>,
    b: Vec<i64>,
    map: BTreeMap<String, Vec<i64>>,
}

type Lent<'d> = &'d mut Desk;

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            $(#[$mark])?
            pub async fn evaluated_once(cx: Context, t: &Trace) -> Result<String> {
                let output = t.output();
                let ok = t.ok();
                let unwrapped = Runs::unwrap(t);
                let inherent = t.unwrap();
                let context = t.context(1)?;
                let flat = t.flatten().unwrap();
                t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                let kept = cx.peer.elicit::<Count>("m?").await.map_err(|error| t.effect(error.to_string())).is_ok();
                t.effect(cx.peer.elicit::<Count>("o?").await?.map(|c| c.n));
                Ok(format!("{output}{ok}{unwrapped}{inherent}{context}{flat}{kept}"))
            }

            $(#[$mark])?
            pub async fn fields(cx: Context, t: &Trace) -> Result<String> {
                let mut parser = Parser { cursor: Cursor(0), name: Some("n".into()), bytes: "ab".into(), depth: 0 };
                let mut pair = (Cursor(0), 5);
                parser.cursor.expect(3);
                pair.0.into_next();
                parser.depth += cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
                t.effect((parser.cursor.unwrap_next(), parser.cursor.into_next(), pair.0.expect(2)));
                let name = parser.name.unwrap();
                let bytes = parser.bytes.into_bytes();
                parser.name = None;
                parser.bytes = String::new();
                t.effect(cx.peer.elicit::<Count>("m?").await?.map(|c| c.n));
                Ok(format!("{parser:?}{pair:?}{name}{bytes:?}"))
            }

            $(#[$mark])?
            async fn lent(cx: &Context, desk: Lent<'_>) -> Result<()> {
                let part = if desk.flag { &mut desk.a } else { &mut desk.b };
                desk.flag = !desk.flag;
                part.push(cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n);
                part.push(1);
                let part = desk.map.get_mut(&desk.key).unwrap();
                desk.key = "b".into();
                part.push(cx.peer.elicit::<Count>("m?").await?.ok_or("none")?.n);
                Ok(())
            }

            trait Turn {
                async fn turn(self, cx: &Context) -> Result<()>;
            }

            impl Turn for &mut Desk {
                $(#[$mark])?
                async fn turn(self, cx: &Context) -> Result<()> {
                    let part = if self.flag { &mut self.a } else { &mut self.b };
                    self.flag = !self.flag;
                    part.push(cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n);
                    part.push(2);
                    Ok(())
                }
            }

            #[derive(Debug, Clone, Serialize, Deserialize)]
            struct Own { turns: i64, list: Vec<i64> }

            impl Own {
                $(#[$mark])?
                async fn typed(mut self: Self, cx: &Context) -> Result<Vec<i64>> {
                    for turn in 0..2 {
                        self.turns += 1;
                        let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
                        self.list.push(turn + self.turns + n);
                    }
                    Ok(self.list)
                }

                $(#[$mark])?
                async fn boxed(mut self: Box<Self>, cx: &Context) -> Result<String> {
                    self.turns += 1;
                    let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
                    self.turns += 10;
                    let m = cx.peer.elicit::<Count>("m?").await?.ok_or("none")?.n;
                    Ok(format!("{self:?}{n}{m}"))
                }
            }

            $(#[$mark])?
            pub async fn raw_names(cx: Context, t: &Trace) -> Result<String> {
                let x = 1;
                {
                    let r#x = 2;
                    let n = cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                    t.effect(n + x);
                }
                let mut sum = x;
                for r#x in 0..2 {
                    sum += x * 10 + cx.peer.elicit::<Count>("m?").await?.map_or(0, |c| c.n);
                }
                let r#type = "a".to_owned();
                t.effect(cx.peer.r#elicit::<Count>("k?").await?.is_some());
                t.effect(Peer::<RoleServer>::r#elicit::<Count>(&cx.peer, "p?").await?.is_some());
                let width = 9;
                {
                    let r#type = format!("{type}{type:>width$}");
                    t.effect(cx.peer.elicit::<Count>("j?").await?.is_some());
                    t.effect(format!("{type}"));
                }
                Ok(format!("{x} {sum} {type}"))
            }

            $(#[$mark])?
            pub async fn lent_by_other_names(cx: Context, t: &Trace) -> Result<String> {
                let mut desk = Desk { flag: true, key: "a".into(), ..Desk::default() };
                desk.map = BTreeMap::from([("a".to_owned(), vec![]), ("b".to_owned(), vec![])]);
                lent(&cx, &mut desk).await?;
                Turn::turn(&mut desk, &cx).await?;
                let own = Own::typed(Own { turns: 0, list: vec![] }, &cx).await?;
                let boxed = Own::boxed(Box::new(Own { turns: 0, list: vec![] }), &cx).await?;
                Ok(format!("{desk:?}{own:?}{boxed}"))
            }

            $(#[$mark])?
            async fn in_a_context(cx: &Context, context: &CommandContext) -> Result<i64> {
                must!(!context.name.is_empty(), context.name);
                let n = looked_at(context, 1).await;
                Ok(n + cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n))
            }

            /// Nothing here is asked, so that both may be the handle by their types' names.
            $(#[$mark])?
            async fn handed_on(cx: &Context, context: &CommandContext) -> Result<i64> {
                if context.name.is_empty() {
                    bail!("no {}", context.name);
                }
                in_a_context(cx, context).await
            }

            $(#[$mark])?
            pub async fn a_context_of_its_own(cx: Context, t: &Trace) -> Result<String> {
                let context = CommandContext { name: "desk".to_owned() };
                let n = handed_on(&cx, &context).await?;
                Ok(format!("{n} {}", t.effect(context.name)))
            }

            $(#[$mark])?
            pub async fn changed_unseen(cx: Context, t: &Trace) -> Result<String> {
                let (one, two) = (Node { name: "one".into() }, Node { name: "two".into() });
                let mut current = &one;
                let name = &current.name;
                assert!({ current = &two; true });
                t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                let (list, other) = (vec![1, 2], vec![8, 9, 10]);
                let mut walked = &list;
                let mut out = String::new();
                for item in walked.iter() {
                    write!(out, "{item}{};", { walked = &other; walked.len() })?;
                    t.effect(cx.peer.elicit::<Count>("m?").await?.map(|c| c.n));
                }
                let text = "abcdef".to_owned();
                let mut scanner: Scanner<'_> = Scanner { rest: &text };
                for letter in scanner.rest.chars() {
                    scanner.push();
                    out += &format!("{letter}{:?}", cx.peer.elicit::<Count>("o?").await?.map(|c| c.n));
                    if out.len() > 40 { break; }
                }
                Ok(format!("{name}{}{out}{scanner:?}", current.name))
            }

            $(#[$mark])?
            pub async fn texts_in_macros(cx: Context, t: &Trace) -> Result<String> {
                macro_rules! text { ($text:literal) => { $text }; }
                macro_rules! filled { ($text:literal) => { format!($text) }; }
                let name = cx.peer.elicit::<Count>("name?").await?.map(|c| c.n);
                let mut out = String::new();
                {
                    let name = concat!(stringify!(name), "!");
                    let (text, filled) = (text!("Hi {name}"), filled!("Hi {name}"));
                    t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                    let name = format!("{name}{name:?}", name = text);
                    out += &format!("{name}{text}{filled}");
                    let Some(n) = cx.peer.elicit::<Count>("m?").await?.map(|c| c.n).filter(|n| *n < 1000) else {
                        let why = cx.peer.elicit::<Count>("why?").await?.map(|c| c.n);
                        never(&format!("{why:?}"))
                    };
                    t.effect((n, name));
                }
                Ok(format!("{name:?}{out}"))
            }

            $(#[$mark])?
            pub async fn macros_beside(cx: Context, t: &Trace) -> Result<String> {
                let k = 1;
                let moved = "moved".to_owned();
                let mut list = vec![k];
                let lent = &mut list;
                let mut late = 0;
                {
                    noted!(t, k);
                    declared!(other, k);
                    noted!(t, other);
                    noted!(t, moved);
                    pushed!(lent, k);
                    assigned!(late, k);
                    t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                    noted!(t, lent.len());
                    for k in 0..2 {
                        noted!(t, k);
                        t.effect(cx.peer.elicit::<Count>("m?").await?.map(|c| c.n));
                    }
                }
                let length = taken!(moved);
                taken!(moved = length);
                t.effect(cx.peer.elicit::<Count>("o?").await?.map(|c| c.n));
                Ok(format!("{k}{late}{length}{list:?}"))
            }

            $(#[$mark])?
            pub async fn json_and_closures(cx: Context, t: &Trace) -> Result<String> {
                let name = "name".to_owned();
                let made = json!({ "a": name, t.effect("k".to_owned()): t.effect(1), "n": cx.peer.elicit::<Count>("n?").await?.map(|c| c.n), "z": name.len() });
                let mut out = vec![];
                for item in [1_i64, 2].iter().map(|_| -> u8 { 1 }) {
                    out.push(!item);
                    t.effect(cx.peer.elicit::<Count>("m?").await?.map(|c| c.n));
                }
                let mut lines = vec![];
                for line in [Some(1), None].iter().map(|item| format!("{item:?}?")) {
                    lines.push(format!("{line}{:?}", cx.peer.elicit::<Count>("o?").await?.map(|c| c.n)));
                }
                for entry in TABLE.iter().filter(|entry| { assert!(!entry.is_empty(), "why?"); true }) {
                    lines.push(format!("{entry}{:?}", cx.peer.elicit::<Count>("p?").await?.map(|c| c.n)));
                }
                Ok(format!("{made}{name}{out:?}{lines:?}"))
            }
        }
    };
}

/// Macros of one's own that are given variables.
macro_rules! noted {
    ($t:expr, $value:expr) => {
        $t.effect(format!("{:?}", $value));
    };
}

macro_rules! declared {
    ($name:ident, $value:expr) => {
        let $name = $value + 1;
    };
}

macro_rules! pushed {
    ($list:expr, $value:expr) => {
        $list.push($value);
    };
}

/// No handle, though an alias of it may have such a name.
#[derive(Debug)]
struct CommandContext {
    name: String,
}

async fn looked_at(context: &CommandContext, n: i64) -> i64 {
    n + i64::try_from(context.name.len()).unwrap_or_default()
}

/// As `anyhow` has it.
macro_rules! bail {
    ($($text:tt)*) => {
        return Err(format!($($text)*).into())
    };
}

macro_rules! must {
    ($holds:expr, $name:expr) => {
        if !$holds {
            return Err(format!("no {}", $name).into());
        }
    };
}

macro_rules! assigned {
    ($name:ident, $value:expr) => {
        $name = $value;
    };
}

macro_rules! taken {
    ($value:ident) => {
        $value.into_bytes().len()
    };
    ($value:ident = $length:expr) => {
        let $value = $length;
        assert!($value > 0);
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    evaluated_once,
    fields,
    lent_by_other_names,
    raw_names,
    a_context_of_its_own,
    changed_unseen,
    texts_in_macros,
    macros_beside,
    json_and_closures
);
