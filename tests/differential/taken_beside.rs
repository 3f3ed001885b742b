//! Methods that take a variable which may be changed, beside what was made of it.

use rmcp::{RoleServer, service::RequestContext};
use serde::{Deserialize, Serialize};
use tests::{
    Case, Failure, Trace,
    answers::{Confirm, Count, Text},
};

type Context = RequestContext<RoleServer>;

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            asks!($(#[$mark])?);

pub mod values_live_behind {
use super::*;
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Wizard { page: u8, answers: Vec<(u8, String)>, title: String }
impl Wizard {
    $(#[$mark])?
    async fn finish(self, cx: &Context, t: &Trace) -> Result<String, Failure> { let n = num(cx, "keep").await?; t.effect((&self, n)); Ok(format!("{}{n}", self.title)) }
    $(#[$mark])?
    async fn again(mut self, cx: &Context, t: &Trace) -> Result<Self, Failure> { self.page += 1; let a = text(cx, "a").await?; self.answers.push((self.page, a)); Ok(self) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut w = Wizard::default();
    w.title.push('x');
    w = w.again(&cx, t).await?;
    let first = w.answers.first().map(|a| a.1.len());
    if first.is_some_and(|n| n > 2) { w = w.again(&cx, t).await?; }
    let n = w.answers.len();
    let page = w.page;
    let title = w.title.clone();
    let label = format!("{}-{}", w.title, w.page);
    let all: i64 = w.answers.iter().map(|a| a.0 as i64).sum();
    let copy = w.clone();
    let s = w.finish(&cx, t).await?;
    Ok(format!("{s} {first:?} {n} {page} {title} {label} {all} {}", copy.answers.len()))
}

}
pub mod a_total_live_behind {
use super::*;
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Cart { lines: Vec<(String, i64)>, paid: bool }
impl Cart {
    fn total(&self) -> i64 { self.lines.iter().map(|l| l.1).sum() }
    $(#[$mark])?
    async fn pay(mut self, cx: &Context, t: &Trace) -> Result<Cart, Failure> { if sure(cx, &format!("pay {}", self.total())).await? { self.paid = true; } t.effect(&self); Ok(self) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut cart = Cart::default();
    for i in 0..2 { let name = text(&cx, "item").await?; cart.lines.push((name, i)); }
    let total = cart.total();
    let ok = sure(&cx, &format!("{} lines", cart.lines.len())).await?;
    if !ok { cart.lines.pop(); }
    let cart = cart.pay(&cx, t).await?;
    let more = num(&cx, "more").await?;
    Ok(format!("{total} {ok} {more} {cart:?}"))
}

}
pub mod lent_beside_what_refers_to_it {
use super::*;
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Cart { lines: Vec<(String, i64)>, paid: bool }
#[derive(Clone, Debug, Serialize, Deserialize)] struct Sum { n: i64, label: String }
impl Cart {
    fn total(&self) -> i64 { self.lines.iter().map(|l| l.1).sum() }
    fn best(&self) -> Option<&(String, i64)> { self.lines.iter().max_by_key(|l| l.1) }
    fn sum(&self) -> Sum { Sum { n: self.total(), label: "s".into() } }
    $(#[$mark])?
    async fn show(&self, cx: &Context, t: &Trace) -> Result<i64, Failure> { let n = num(cx, "show").await?; t.effect((&self, n)); Ok(n) }
    $(#[$mark])?
    async fn add(&mut self, cx: &Context, t: &Trace) -> Result<i64, Failure> { let n = num(cx, "add").await?; self.lines.push(("x".into(), n)); t.effect(&self); Ok(n) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut cart = Cart::default();
    for i in 0..2 { let name = text(&cx, "item").await?; cart.lines.push((name, i)); }
    let total = cart.total();
    let n = cart.add(&cx, t).await?;
    let best = cart.best().ok_or("none")?;
    let m = cart.show(&cx, t).await?;
    let best_name = best.0.clone();
    let sum = cart.sum();
    let k = cart.add(&cx, t).await?;
    Ok(format!("{total} {n} {m} {k} {best_name} {sum:?} {cart:?}"))
}


}
pub mod assigned_again {
use super::*;
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Wizard { page: u8, answers: Vec<(u8, String)>, title: String }
impl Wizard {
    $(#[$mark])?
    async fn again(mut self, cx: &Context, t: &Trace) -> Result<Self, Failure> { self.page += 1; let a = text(cx, "a").await?; self.answers.push((self.page, a)); Ok(self) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut w = Wizard::default();
    w.title.push('x');
    w = w.again(&cx, t).await?;
    Ok(format!("{w:?}"))
}

}
pub mod of_a_unit_variant {
use super::*;
#[derive(Debug)]
enum Act { Tick, Up { n: i64 } }
impl Act {
    $(#[$mark])?
    async fn go(self, cx: &Context, t: &Trace) -> Result<i64, Failure> {
        let k = num(cx, "k").await?;
        Ok(match self { Act::Tick => k, Act::Up { n } => n + k % 7 })
    }
    $(#[$mark])?
    async fn look(&self, cx: &Context) -> Result<i64, Failure> { num(cx, "l").await }
}
const UP: Act = Act::Up { n: 5 };
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let a = Act::Tick.go(&cx, t).await?;
    let b = Act::Up { n: 4 }.go(&cx, t).await?;
    let d = Act::Tick.look(&cx).await?;
    t.effect((a, b, d));
    Ok("ok".into())
}

}
pub mod behind_two_calls {
use super::*;
#[derive(Debug, Clone, Default, Serialize, Deserialize)] struct Game { score: i64, history: Vec<String> }
impl Game {
    fn draw(&mut self, t: &Trace, n: i64) -> &mut Self { t.effect(n); self.score += n; self }
    $(#[$mark])? async fn bet(&mut self, cx: &Context, t: &Trace) -> Result<i64, Failure> { let n = num(cx, "bet").await?; self.score = self.score.wrapping_add(n); t.effect(self.score); Ok(n) }
    $(#[$mark])? async fn named(mut self, cx: &Context, t: &Trace) -> Result<Self, Failure> { let name = text(cx, "nm").await?; self.history.insert(0, t.effect(name)); Ok(self) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut game = Game::default();
    game.draw(t, 1).draw(t, 2);
    let won = game.bet(&cx, t).await? + game.bet(&cx, t).await? * 100;
    let game = game.named(&cx, t).await?;
    Ok(format!("{won} {game:?}"))
}
}
pub mod by_another_name {
use super::*;
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Shop { left: i64, log: Vec<String> }
impl Shop {
    $(#[$mark])?
    async fn sell(&mut self, cx: &Context, t: &Trace, name: &str) -> Result<i64, Failure> {
        let mut sold = 0i64;
        let shop = self;
        sold += 1; shop.left -= 1; shop.log.push(format!("{name}"));
        let n = num(cx, &format!("How many {name} of {}?", shop.left)).await?;
        sold += n; shop.left -= n; shop.log.push(format!("{name}"));
        if sure(cx, "more").await? { shop.left -= 1; }
        Ok(sold)
    }
}
$(#[$mark])?
async fn fill(store: &mut Shop, cx: &Context, t: &Trace) -> Result<usize, Failure> {
    let store = store;
    store.left += 1;
    let n = num(cx, "How many?").await?;
    store.left += n;
    t.effect(&store);
    let shelf = store;
    let name = text(cx, "Of what?").await?;
    shelf.log.push(name);
    Ok(shelf.log.len())
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut s = Shop { left: 5, log: vec![] };
    let n = s.sell(&cx, t, "x").await?;
    let m = fill(&mut s, &cx, t).await?;
    Ok(format!("{s:?} {n} {m}"))
}
}

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    values_live_behind::run,
    a_total_live_behind::run,
    lent_beside_what_refers_to_it::run,
    assigned_again::run,
    of_a_unit_variant::run,
    behind_two_calls::run,
    by_another_name::run
);
