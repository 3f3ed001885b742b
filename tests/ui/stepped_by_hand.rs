use saga_runtime::{Cx, Elicit, saga};

#[derive(serde::Serialize, serde::Deserialize, Elicit)]
struct Confirm {
    ok: bool,
}

#[derive(Clone, serde::Serialize, serde::Deserialize)]
struct Ticket(u8);

impl Drop for Ticket {
    fn drop(&mut self) {
        println!("{} is void", self.0);
    }
}

trait Counting {
    fn next(&self) -> Option<u8>;
}

impl Counting for std::ops::Range<u8> {
    fn next(&self) -> Option<u8> {
        (self.start < 3).then_some(7)
    }
}

#[saga]
async fn what_is_left_is_dropped(cx: Cx, tickets: Vec<Ticket>) -> bool {
    let mut rest = tickets.into_iter();
    while let Some(ticket) = rest.next() {
        if cx.elicit::<Confirm>(format!("{}?", ticket.0)).await.is_ok() {
            break;
        }
    }
    true
}

#[saga]
async fn another_next(cx: Cx) -> u8 {
    let mut numbers = 0u8..3;
    let mut sum = 0;
    while let Some(n) = numbers.next() {
        sum += n + u8::from(cx.elicit::<Confirm>("go on?").await.is_ok());
    }
    sum
}

mod own {
    macro_rules! assert {
        ($($condition:tt)*) => {};
    }
    pub(crate) use assert;
}

#[saga]
async fn another_assert(cx: Cx) -> bool {
    own::assert!(cx.elicit::<Confirm>("asked?").await.is_ok());
    cx.elicit::<Confirm>("again?").await.is_ok()
}

fn main() {}
