//! Values of types without serde that a function puts together itself.

use rmcp::{RoleServer, service::RequestContext};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tests::{
    Case, Failure, Trace,
    answers::{Confirm, Count, Text},
};

type Context = RequestContext<RoleServer>;

#[derive(Debug, PartialEq)]
enum Mode {
    Fast,
    Slow { n: i64 },
    Named(String, u8),
}

#[derive(Debug)]
struct Plan {
    name: String,
    mode: Mode,
    before: Option<Mode>,
    label: &'static str,
}

#[derive(Debug)]
struct Draft {
    name: String,
    tags: Vec<String>,
    n: i64,
}

#[derive(Debug)]
struct Unit;

#[derive(Debug)]
struct Pair(Mode, i64);

#[derive(Debug)]
struct Wrap<T> {
    list: Vec<T>,
    mode: Mode,
}

use Pair as Renamed;

#[derive(Debug)]
struct Grid {
    cells: [i64; 3],
    body: Value,
    mode: Mode,
}

/// It has serde: it is stored whole.
#[derive(Debug, Serialize, Deserialize)]
struct Known {
    n: i64,
    note: Option<String>,
}

impl Mode {
    fn shown(&self, t: &Trace) -> String {
        t.effect(format!("{self:?}"))
    }
}

fn fill(draft: &mut Draft) {
    *draft = made();
}

fn made() -> Draft {
    Draft {
        name: "made".to_owned(),
        tags: vec!["t".to_owned()],
        n: 3,
    }
}

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            $(#[$mark])?
            async fn number(cx: &Context) -> Result<i64, Failure> {
                Ok(cx.peer.elicit::<Count>("how many?").await?.map_or(0, |answer| answer.n))
            }

            $(#[$mark])?
            async fn text(cx: &Context) -> Result<String, Failure> {
                let answer = cx.peer.elicit::<Text>("say").await?;
                Ok(answer.map_or(String::new(), |answer| answer.text))
            }

            $(#[$mark])?
            async fn sure(cx: &Context) -> Result<bool, Failure> {
                let answer = cx.peer.elicit::<Confirm>("sure?").await?;
                Ok(answer.is_some_and(|answer| answer.ok))
            }

            $(#[$mark])?
            pub async fn chosen(cx: Context, t: &Trace) -> Result<String, Failure> {
                let word = text(&cx).await?;
                let mode = match word.as_str() {
                    "" => Mode::Fast,
                    "one" | "two" => {
                        t.note("a number");
                        Mode::Slow { n: word.len() as i64 }
                    }
                    _ => Mode::Named(word.clone(), 4),
                };
                if sure(&cx).await? {
                    t.note(&mode.shown(t));
                }
                Ok(format!("{mode:?} {word}"))
            }

            $(#[$mark])?
            pub async fn inside_each_other(cx: Context, t: &Trace) -> Result<String, Failure> {
                let mode = if sure(&cx).await? { Mode::Fast } else { Mode::Slow { n: 3 } };
                let before = Some(Mode::Named("b".to_owned(), 1));
                let plan = Plan { mode, name: text(&cx).await?, before, label: "plan" };
                t.effect(&plan.name);
                let other = Plan { label: "other", name: plan.name.clone(), before: None, mode: Mode::Fast };
                let n = number(&cx).await?;
                Ok(format!("{plan:?} {other:?} {n}"))
            }

            $(#[$mark])?
            pub async fn a_state_machine(cx: Context, t: &Trace) -> Result<String, Failure> {
                let mut state = Mode::Fast;
                let mut log = vec![];
                for n in 0..4 {
                    log.push(format!("{state:?}"));
                    state = match state {
                        Mode::Fast if sure(&cx).await? => Mode::Slow { n },
                        Mode::Fast => Mode::Fast,
                        Mode::Slow { n } => match sure(&cx).await? {
                            true => Mode::Named(n.to_string(), 7),
                            false => Mode::Slow { n: n + 1 },
                        },
                        Mode::Named(name, n) => Mode::Named(name + "!", n + 1),
                    };
                    t.effect(&state);
                }
                Ok(format!("{log:?} {state:?}"))
            }

            $(#[$mark])?
            pub async fn changed_in_part(cx: Context, t: &Trace) -> Result<String, Failure> {
                let mut draft = Draft { name: "a".to_owned(), tags: Vec::new(), n: 0 };
                while draft.n < 3 && sure(&cx).await? {
                    draft.name.push('!');
                    draft.n += 1;
                    draft.tags.push(text(&cx).await?);
                }
                let lent = &mut draft;
                lent.n *= 2;
                let n = number(&cx).await?;
                t.effect(n);
                Ok(format!("{draft:?}"))
            }

            $(#[$mark])?
            pub async fn given_later(cx: Context, t: &Trace) -> Result<String, Failure> {
                let mode;
                let mut found = None;
                if sure(&cx).await? {
                    mode = Mode::Fast;
                } else {
                    mode = Mode::Named(text(&cx).await?, 3);
                    found = Some(Mode::Slow { n: t.effect(2) });
                }
                let n = number(&cx).await?;
                Ok(format!("{mode:?} {found:?} {n}"))
            }

            $(#[$mark])?
            pub async fn by_a_jump(cx: Context, t: &Trace) -> Result<String, Failure> {
                let mode = loop {
                    match number(&cx).await? {
                        0 => break Mode::Fast,
                        n if n > 3 => break Mode::Slow { n },
                        _ => return Ok("no".to_owned()),
                    }
                };
                let pair = 'pair: {
                    if sure(&cx).await? {
                        break 'pair Pair(Mode::Fast, t.effect(1));
                    }
                    Pair(Mode::Slow { n: 2 }, 2)
                };
                let n = number(&cx).await?;
                Ok(format!("{mode:?} {pair:?} {n}"))
            }

            $(#[$mark])?
            pub async fn in_tuples(cx: Context, t: &Trace) -> Result<String, Failure> {
                let (mode, label) = match sure(&cx).await? {
                    true => (Mode::Fast, "fast"),
                    false => (Mode::Slow { n: 2 }, "slow"),
                };
                let both = (Unit, Mode::Named(label.to_owned(), 1));
                let result = if sure(&cx).await? { Ok(Unit) } else { Err(Pair(Mode::Fast, 1)) };
                let n = number(&cx).await?;
                t.effect(n);
                Ok(format!("{mode:?} {label} {both:?} {result:?}"))
            }

            $(#[$mark])?
            pub async fn in_lists(cx: Context, t: &Trace) -> Result<String, Failure> {
                let mut modes = Vec::new();
                let mut plans = vec![];
                while plans.len() < 2 && sure(&cx).await? {
                    let n = number(&cx).await?;
                    modes.push(if n > 2 { Mode::Fast } else { Mode::Slow { n } });
                    let (name, mode) = (text(&cx).await?, Mode::Named("of".to_owned(), 1));
                    plans.push(Plan { name, mode, before: None, label: "listed" });
                }
                modes.retain(|mode| *mode != Mode::Slow { n: 1 });
                t.effect(sure(&cx).await?);
                let known = vec![("a", Mode::Fast), ("b", Mode::Slow { n: 3 })];
                let wraps = [Wrap { list: vec![1, 2], mode: Mode::Fast }];
                for (name, mode) in &known {
                    if sure(&cx).await? {
                        t.effect((name, mode));
                    }
                }
                Ok(format!("{modes:?} {plans:?} {known:?} {wraps:?}"))
            }

            $(#[$mark])?
            pub async fn changed_in_macros(cx: Context, t: &Trace) -> Result<String, Failure> {
                let mut draft = Draft { name: "a".to_owned(), tags: Vec::new(), n: 0 };
                let mut drafts = vec![Draft { name: "b".to_owned(), tags: Vec::new(), n: 1 }];
                drafts.push(Draft { name: text(&cx).await?, tags: vec![], n: 2 });
                t.note(&format!("{}", { fill(&mut draft); drafts.push(made()); 1 }));
                assert!({ let lent = &mut drafts[0]; lent.n = 7; true });
                let n = number(&cx).await?;
                t.effect(format!("{}", { draft.n += n; draft.tags.len() }));
                let n = number(&cx).await?;
                Ok(format!("{draft:?} {drafts:?} {n}"))
            }

            $(#[$mark])?
            pub async fn written_in_two_ways(cx: Context, t: &Trace) -> Result<String, Failure> {
                let mut pair = if sure(&cx).await? { Pair(Mode::Fast, 1) } else { Renamed { 1: 2, 0: Mode::Slow { n: 3 } } };
                let found = match sure(&cx).await? {
                    true => (Some(Mode::Fast), Unit),
                    false => (Option::Some(Mode::Named("o".to_owned(), t.effect(1))), Unit),
                };
                if sure(&cx).await? {
                    pair = super::Pair(Mode::Named("p".to_owned(), 2), 7);
                }
                let grid = Grid { cells: [1, 2, 3], body: json!({ "n": 1 }), mode: Mode::Fast };
                let n = number(&cx).await?;
                Ok(format!("{pair:?} {found:?} {grid:?} {n}"))
            }

            $(#[$mark])?
            pub async fn items_changed(cx: Context, t: &Trace) -> Result<String, Failure> {
                let mut drafts = vec![Draft { name: text(&cx).await?, tags: Vec::new(), n: 1 }];
                if sure(&cx).await? {
                    drafts[0].n = t.effect(5);
                }
                if let Some(last) = drafts.last_mut() {
                    last.name.push('!');
                }
                let n = number(&cx).await?;
                Ok(format!("{drafts:?} {n}"))
            }

            $(#[$mark])?
            pub async fn with_serde(cx: Context, t: &Trace) -> Result<String, Failure> {
                let known = Known { n: number(&cx).await?, note: None };
                let made = Wrap { list: vec![known], mode: Mode::Fast };
                let shadowed = {
                    let mode = Mode::Slow { n: t.effect(1) };
                    Pair(mode, 2)
                };
                let n = number(&cx).await?;
                Ok(format!("{made:?} {shadowed:?} {n}"))
            }

            $(#[$mark])?
            pub async fn in_a_loop_of_its_own(cx: Context, t: &Trace) -> Result<String, Failure> {
                let mut rounds = 0;
                let mut last = Unit;
                loop {
                    let pair = Pair(if rounds > 1 { Mode::Fast } else { Mode::Slow { n: rounds } }, rounds);
                    if !sure(&cx).await? || rounds > 3 {
                        break Ok(format!("{pair:?} {last:?}"));
                    }
                    rounds += t.effect(1);
                    last = Unit;
                }
            }
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);
written_twice!(
    chosen,
    inside_each_other,
    a_state_machine,
    changed_in_part,
    given_later,
    by_a_jump,
    in_tuples,
    in_lists,
    changed_in_macros,
    written_in_two_ways,
    items_changed,
    with_serde,
    in_a_loop_of_its_own
);
