//! Asks that something else may end before their answer: `timeout` and `select!` around them.

use std::{
    future::{Future, pending},
    pin::pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use rmcp::{ErrorData, model::InputRequest};
use serde_json::Value;
use tokio::time::{Instant, error::Elapsed, timeout_at};

use crate::ask::{
    Ask, Judged,
    answer::Answer,
    client::{Client, Need},
    pause::{Question, Sleep},
};

/// What the ask inside does as it would alone.
macro_rules! as_inside {
    () => {
        fn memo(&mut self) -> K::Memo {
            self.ask.memo()
        }

        fn refusal(&self, client: &Client) -> Option<Answer> {
            self.ask.refusal(client)
        }

        fn need(&self) -> Need {
            self.ask.need()
        }

        fn undeclared(need: Need, client: &Client) -> Answer {
            K::undeclared(need, client)
        }

        const CHECKS: bool = K::CHECKS;

        fn key(&self) -> Option<&str> {
            self.ask.key()
        }

        fn request(memo: K::Memo, client: &Client) -> Result<InputRequest, ErrorData> {
            K::request(memo, client)
        }

        fn judge(memo: K::Memo, result: Value) -> Judged<K::Memo> {
            K::judge(memo, result)
        }
    };
}

/// `tokio::time::timeout(time, ask)`: an expiry in the continuation.
#[derive(Debug)]
pub struct Limited<K> {
    time: Duration,
    ask: K,
}

impl<K: Question> Limited<K> {
    /// Gives `ask` so much time.
    pub fn new(time: Duration, ask: K) -> Self {
        Self { time, ask }
    }
}

impl<K: Question> Question for Limited<K> {}
impl<K: Question, const SLEEPS: bool> Question for Raced<K, SLEEPS> {}

impl<K: Question> Ask for Limited<K> {
    type Output = Result<K::Output, Elapsed>;
    type Memo = K::Memo;

    as_inside!();

    fn timeout(&self) -> Option<Duration> {
        Some(self.time)
    }

    fn output(answer: &Answer) -> Self::Output {
        match (answer, elapsed()) {
            (Answer::Timeout(_), Some(elapsed)) => Err(elapsed),
            _ => Ok(K::output(answer)),
        }
    }
}

/// tokio's error, which only a timeout that is over gives. There is none outside of its runtime, and
/// no `timeout` either.
pub(crate) fn elapsed() -> Option<Elapsed> {
    tokio::runtime::Handle::try_current().ok()?;
    let now = Instant::now();
    let past = now.checked_sub(Duration::from_secs(1)).unwrap_or(now);
    // A task that has used up its turn would be told to come again.
    let over = pin!(tokio::task::unconstrained(timeout_at(
        past,
        pending::<()>()
    )));
    match over.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result.err(),
        Poll::Pending => None,
    }
}

/// An ask in a `select!`; nothing where the other branch was ready. `SLEEPS` says whether that is a time limit of another name: else
/// the ask's own time limit is the ask's own answer.
#[derive(Debug)]
pub struct Raced<K, const SLEEPS: bool = false> {
    ask: K,
    /// How long the other branch sleeps, where it does.
    sleep: Option<Duration>,
}

impl<K: Question> Raced<K> {
    /// An ask that need not be waited for.
    pub fn new(ask: K) -> Self {
        Self { ask, sleep: None }
    }
}

impl<K: Question> Raced<K, true> {
    /// An ask beside a branch that sleeps.
    pub fn beside(sleep: Sleep, ask: K) -> Self {
        Self::within(sleep.length(), ask)
    }

    /// The same, where that sleeps for `length`.
    pub fn within(length: Duration, ask: K) -> Self {
        let sleep = Some(length);
        Self { ask, sleep }
    }
}

impl<K: Question, const SLEEPS: bool> Ask for Raced<K, SLEEPS> {
    type Output = Option<K::Output>;
    type Memo = K::Memo;

    as_inside!();

    fn timeout(&self) -> Option<Duration> {
        // One of the two is refused where it shows.
        self.sleep.into_iter().chain(self.ask.timeout()).min()
    }

    fn output(answer: &Answer) -> Self::Output {
        let other = match answer {
            Answer::Abandoned => true,
            Answer::Timeout(_) => SLEEPS,
            _ => false,
        };
        (!other).then(|| K::output(answer))
    }
}
