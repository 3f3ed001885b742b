//! References that a method or a macro may have lead elsewhere, while something is looked at by way of them.

use std::io::Read;

use rmcp::{RoleServer, service::{ElicitationError, RequestContext}};
use saga_runtime::{Elicit, saga};
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
struct Count {
    n: i64,
}

type Context = RequestContext<RoleServer>;
type Result<T> = std::result::Result<T, ElicitationError>;

#[saga]
async fn num(cx: &Context) -> Result<usize> {
    Ok(cx.peer.elicit::<Count>("How many?").await?.map_or(0, |count| count.n as usize))
}

#[saga]
async fn lent(cx: &Context, first: &u8, k: usize) -> Result<usize> {
    Ok(num(cx).await? + k + usize::from(*first))
}

#[saga]
async fn call(cx: &Context, f: impl Fn() -> usize + Send + Sync, k: usize) -> Result<usize> {
    Ok(num(cx).await? + k + f())
}

fn plainly(f: impl Fn() -> usize, k: usize, n: usize) -> usize {
    f() + k + n
}

#[saga]
async fn argument(cx: &Context, mut text: &[u8]) -> Result<usize> {
    lent(cx, &text[0], text.read(&mut [0]).unwrap_or(0)).await
}

#[saga]
async fn closure(cx: &Context, mut text: &[u8]) -> Result<usize> {
    call(cx, || text.len(), text.read(&mut [0]).unwrap_or(0)).await
}

#[saga]
async fn operand(cx: &Context, mut text: &[u8]) -> Result<usize> {
    Ok(plainly(|| text.len(), text.read(&mut [0]).unwrap_or(0), num(cx).await?))
}

#[saga]
async fn hidden(cx: &Context, limits: &[usize]) -> Result<usize> {
    let mut limit = &limits[0];
    Ok(plainly(|| *limit, { assert!({ limit = &limits[1]; true }); 1 }, num(cx).await?))
}

#[saga]
async fn head(cx: &Context, mut text: &[u8]) -> Result<usize> {
    let mut sum = 0;
    for n in [1u8, 2].into_iter().filter(|n| text.contains(n)) {
        text.read(&mut [0]).ok();
        sum += usize::from(n) + num(cx).await?;
    }
    Ok(sum)
}

#[saga]
async fn index(cx: &Context, one: &Vec<usize>, two: &Vec<usize>) -> Result<usize> {
    let mut current = one;
    Ok(current[{ current = two; num(cx).await? }])
}

#[saga]
async fn index_of_text(cx: &Context) -> Result<String> {
    let mut text = "ab";
    Ok(text[{ text = "xy"; num(cx).await? }..].to_owned())
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn skip(&mut self) -> usize {
        self.rest = &self.rest[1..];
        1
    }
}

#[saga]
async fn inside(cx: &Context, text: &[u8]) -> Result<usize> {
    let mut reader = Reader { rest: text };
    let length = || reader.rest.len();
    reader.skip();
    Ok(num(cx).await? + length())
}

#[saga]
async fn inside_an_argument(cx: &Context, text: &[u8]) -> Result<usize> {
    let mut reader = Reader { rest: text };
    lent(cx, &reader.rest[0], reader.skip()).await
}

#[saga]
async fn by_a_macro_of_the_block(cx: &Context, limits: &[usize]) -> Result<usize> {
    let mut limit = &limits[0];
    let twice = || *limit * 2;
    {
        macro_rules! next {
            () => {
                limit = &limits[1]
            };
        }
        next!();
    }
    Ok(num(cx).await? + twice())
}

macro_rules! set {
    ($name:ident = $value:expr) => {
        $name = $value
    };
}

#[saga]
async fn by_name(cx: &Context, limits: &[usize]) -> Result<usize> {
    let mut limit = &limits[0];
    let twice = || *limit * 2;
    set!(limit = &limits[1]);
    Ok(num(cx).await? + twice())
}

trait Add {
    async fn add(&self, cx: &Context, k: usize) -> Result<usize>;
}

impl Add for u8 {
    #[saga]
    async fn add(&self, cx: &Context, k: usize) -> Result<usize> {
        Ok(num(cx).await? + k + usize::from(*self))
    }
}

#[saga]
async fn receiver(cx: &Context, mut text: &[u8]) -> Result<usize> {
    text[0].add(cx, text.read(&mut [0]).unwrap_or(0)).await
}

#[saga]
async fn item(cx: &Context, first: &(u8, u8), second: &(u8, u8)) -> Result<usize> {
    let mut queue = vec![first, second];
    lent(cx, &queue[0].0, { queue.remove(0); 1 }).await
}

#[saga]
async fn items(cx: &Context, queue: &mut [&(u8, u8); 2], other: &'static (u8, u8)) -> Result<usize> {
    lent(cx, &queue[0].0, { queue.iter_mut().for_each(|one| *one = other); 1 }).await
}

#[saga]
async fn taken(cx: &Context, text: &str) -> Result<String> {
    let mut chars = text.chars();
    for c in chars.by_ref().map(|c| c.to_ascii_uppercase()).take(1) {
        cx.peer.elicit::<Count>(c).await?;
    }
    Ok(chars.collect())
}

fn main() {}
