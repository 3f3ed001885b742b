//! A call that goes step by step.

use std::{fmt, future::Future, panic::Location};

use serde_json::{Map, Value};

use super::{
    Clock, Ended, Failure, Question, Reply, Request,
    bench::Bench,
    session::{Round, Session},
};

/// A call that goes step by step: it has asked, or it is over.
///
/// Between two steps there is no server: the call is in its token. Each step goes to a fresh one.
pub struct Call<W = ()> {
    session: Session<W>,
    standing: Standing,
    /// The last request, for one that is sent twice.
    last: Value,
    loses: bool,
}

enum Standing {
    Asks(Vec<Question>, String),
    Over(Ended),
}

impl<W> fmt::Debug for Call<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.standing {
            Standing::Asks(questions, _) => f.debug_tuple("Asks").field(questions).finish(),
            Standing::Over(ended) => fmt::Debug::fmt(ended, f),
        }
    }
}

impl From<Round> for Standing {
    fn from(round: Round) -> Self {
        match round {
            Round::Asks(questions, token) => Self::Asks(questions, token),
            Round::Over(ended) => Self::Over(ended),
        }
    }
}

impl<W: Send + Sync + 'static> Call<W> {
    pub(super) async fn begin(request: Request<W>) -> Result<Self, Failure> {
        let kit = &request.kit;
        let bench = Bench::new(kit.keys()?, kit.clock.clone(), kit.principal.clone());
        let session = request.session(kit, bench);
        let last = session.params(None);
        let standing = session.round(last.clone()).await?.into();
        Ok(Self {
            session,
            standing,
            last,
            loses: false,
        })
    }

    /// What it asks now; nothing where it sleeps or is over.
    pub fn questions(&self) -> &[Question] {
        match &self.standing {
            Standing::Asks(questions, _) => questions,
            Standing::Over(_) => &[],
        }
    }

    /// The question under this key.
    ///
    /// # Errors
    /// Where it does not ask that now.
    #[track_caller]
    pub fn question(&self, key: &str) -> Result<&Question, Failure> {
        let at = Location::caller();
        self.open(key).map_err(|failure| failure.at(at))
    }

    /// The same, without the line of a test.
    fn open(&self, key: &str) -> Result<&Question, Failure> {
        let mut questions = self.questions().iter();
        let found = questions.find(|question| question.key() == key);
        found.ok_or_else(|| {
            let text = format!(
                "{} does not ask `{key}` now: {}",
                self.session.name(),
                self.stands()
            );
            Failure::script(text)
        })
    }

    /// How it ended.
    ///
    /// # Errors
    /// Where it is not over.
    #[track_caller]
    pub fn result(&self) -> Result<&Ended, Failure> {
        match &self.standing {
            Standing::Over(ended) => Ok(ended),
            Standing::Asks(..) => {
                let text = format!("{} is not over: {}", self.session.name(), self.stands());
                Err(Failure::script(text).at(Location::caller()))
            }
        }
    }

    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        matches!(self.standing, Standing::Over(_))
    }

    /// Whether it waits for nobody but the clock.
    pub fn is_asleep(&self) -> bool {
        matches!(&self.standing, Standing::Asks(questions, _) if questions.is_empty())
    }

    /// Answers one question, and runs the call up to its next suspension or its end. Where there are others open, they are put
    /// again.
    ///
    /// # Errors
    /// Where it does not ask that now, or the server gives no answer.
    #[track_caller]
    pub fn answer(
        &mut self,
        key: impl Into<String>,
        reply: impl Into<Reply>,
    ) -> impl Future<Output = Result<(), Failure>> + Send {
        self.answer_all([(key.into(), reply.into())])
    }

    /// Answers several questions at once.
    ///
    /// # Errors
    /// Those of [`answer`](Self::answer).
    #[track_caller]
    pub fn answer_all<K: Into<String>, R: Into<Reply>>(
        &mut self,
        replies: impl IntoIterator<Item = (K, R)>,
    ) -> impl Future<Output = Result<(), Failure>> + Send {
        let at = Location::caller();
        let replies = replies.into_iter();
        let replies: Vec<_> = replies
            .map(|(key, reply)| (key.into(), reply.into()))
            .collect();
        async move {
            let answers = self.answers(replies);
            let stepped = match answers {
                Ok(answers) => self.step(answers).await,
                Err(failure) => Err(failure),
            };
            stepped.map_err(|failure| failure.at(at))
        }
    }

    fn answers(&self, replies: Vec<(String, Reply)>) -> Result<Value, Failure> {
        let mut answers = Map::new();
        for (key, reply) in replies {
            let question = self.open(&key)?;
            self.session.bench.clock().advance(reply.delay());
            answers.insert(key, reply.fitting(question)?);
        }
        Ok(Value::Object(answers))
    }

    /// Presents the token without an answer: what is open is asked again, unless its time is over.
    ///
    /// # Errors
    /// Where the call is over, or the server gives no answer.
    #[track_caller]
    pub fn retry(&mut self) -> impl Future<Output = Result<(), Failure>> + Send {
        let at = Location::caller();
        async move {
            let stepped = self.step(Value::Object(Map::new())).await;
            stepped.map_err(|failure| failure.at(at))
        }
    }

    /// Moves the clock to the end of the sleep, or to that of the time that a question has, and goes on.
    ///
    /// # Errors
    /// Where the call does not wait for the clock, or the server gives no answer.
    #[track_caller]
    pub fn wait(&mut self) -> impl Future<Output = Result<(), Failure>> + Send {
        let at = Location::caller();
        let due = self.session.bench.heard().due;
        if let Some(due) = due {
            self.session.bench.clock().reach(due);
        }
        async move {
            if due.is_none() {
                let text = format!(
                    "{} does not wait for the clock: {}",
                    self.session.name(),
                    self.stands()
                );
                return Err(Failure::script(text).at(at));
            }
            let stepped = self.step(Value::Object(Map::new())).await;
            stepped.map_err(|failure| failure.at(at))
        }
    }

    /// The response to the next step is lost on its way: the server has done it, and the client sends the same request again.
    pub fn losing_the_response(&mut self) -> &mut Self {
        self.loses = true;
        self
    }

    /// Sends the last request once more, as a client does that has had no response, or one that wants another. Gives what came; the
    /// call itself stays where it is.
    ///
    /// # Errors
    /// Where the server gives no answer.
    #[track_caller]
    pub fn send_again(&self) -> impl Future<Output = Result<Call<W>, Failure>> + Send {
        let at = Location::caller();
        async move {
            let round = self.session.round(self.last.clone()).await;
            Ok(Self {
                session: self.session.again(),
                standing: round.map_err(|failure| failure.at(at))?.into(),
                last: self.last.clone(),
                loses: false,
            })
        }
    }

    async fn step(&mut self, answers: Value) -> Result<(), Failure> {
        let Standing::Asks(_, token) = &self.standing else {
            let text = format!("{} is over: {}", self.session.name(), self.stands());
            return Err(Failure::script(text));
        };
        self.last = self.session.params(Some((token, answers)));
        if std::mem::take(&mut self.loses) {
            let lost = self.session.send(self.last.clone()).await?;
            drop(lost);
        }
        self.standing = self.session.round(self.last.clone()).await?.into();
        Ok(())
    }

    /// Size in bytes of the token that it waits in; 0 where it is over.
    pub fn token_bytes(&self) -> usize {
        self.token().len()
    }

    /// The token that it waits in; empty where it is over.
    pub fn token(&self) -> &str {
        match &self.standing {
            Standing::Asks(_, token) => token,
            Standing::Over(_) => "",
        }
    }

    /// The variables in the token with their sizes in bytes, the largest first.
    pub fn stored(&self) -> Vec<(&'static str, usize)> {
        self.session.bench.heard().sizes.clone()
    }

    /// The function and suspension point where it stands, or stood last.
    pub fn point(&self) -> Option<(&'static str, u32)> {
        self.session.bench.heard().at
    }

    /// The idempotency keys that were given out so far, each with the effect that it is for, in order. Twice the same where a piece of the
    /// call ran twice.
    pub fn idempotency_keys(&self) -> Vec<(String, String)> {
        self.session.bench.heard().keys.clone()
    }

    /// Why the server refused or failed a request, with what its client is not told.
    pub fn server_errors(&self) -> Vec<String> {
        self.session.bench.heard().errors.clone()
    }

    /// What its servers act on.
    pub fn world(&self) -> &W {
        &self.session.kit.world
    }

    /// Its clock.
    pub fn clock(&self) -> &Clock {
        self.session.bench.clock()
    }

    /// Where it stands, for messages.
    fn stands(&self) -> String {
        let reasons = self.session.reasons();
        match &self.standing {
            Standing::Over(ended) => format!("it is over with {ended:?}{reasons}"),
            Standing::Asks(questions, _) if questions.is_empty() => "it sleeps".to_owned(),
            Standing::Asks(questions, _) => {
                let asks = questions
                    .iter()
                    .map(|question| format!("`{}` ({:?})", question.key(), question.message()));
                format!("it asks {}", asks.collect::<Vec<_>>().join(", "))
            }
        }
    }
}
