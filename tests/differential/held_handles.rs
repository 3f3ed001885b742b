//! The client's handle in a field: of structs that a function makes, lends, is given, and changes.

use rmcp::{Peer, RoleServer, service::RequestContext};
use tests::{Case, Failure, Trace, answers::Count};

type Context = RequestContext<RoleServer>;

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            $(#[$mark])?
            async fn number(cx: &Context, question: &str) -> Result<i64, Failure> {
                Ok(cx.peer.elicit::<Count>(question).await?.map_or(-1, |answer| answer.n))
            }

            $(#[$mark])?
            async fn of_peer(peer: &Peer<RoleServer>, question: &str) -> Result<i64, Failure> {
                Ok(peer.elicit::<Count>(question).await?.map_or(-1, |answer| answer.n))
            }

            /// Lent, under names that say nothing.
            struct View<'a> {
                who: &'a Context,
                store: &'a Trace,
            }

            impl View<'_> {
                $(#[$mark])?
                async fn ask(&self, question: &str) -> Result<i64, Failure> {
                    self.store.effect(question);
                    number(self.who, question).await
                }
            }

            $(#[$mark])?
            async fn by_value(view: View<'_>) -> Result<i64, Failure> {
                number(view.who, "by value").await
            }

            $(#[$mark])?
            async fn twice(view: &View<'_>, n: i64) -> Result<i64, Failure> {
                let first = view.ask("p").await?;
                let noted = view.store.fetch(first).await;
                Ok(view.ask("q").await? + noted + n)
            }

            /// Owned.
            struct Wizard {
                who: Context,
                steps: Vec<String>,
                done: i64,
            }

            impl Wizard {
                $(#[$mark])?
                async fn step(&mut self, t: &Trace, question: &str) -> Result<(), Failure> {
                    let n = number(&self.who, question).await?;
                    self.done += n;
                    self.steps.push(t.effect(format!("{question}{n}")));
                    Ok(())
                }

                $(#[$mark])?
                async fn all(&mut self, t: &Trace) -> Result<i64, Failure> {
                    for question in ["a", "b"] {
                        self.step(t, question).await?;
                    }
                    Ok(self.done)
                }
            }

            struct Inner {
                peer: Peer<RoleServer>,
                n: i64,
            }

            struct Outer {
                inner: Inner,
                list: Vec<String>,
            }

            impl Outer {
                $(#[$mark])?
                async fn ask(&mut self, question: &str) -> Result<i64, Failure> {
                    let n = of_peer(&self.inner.peer, question).await?;
                    self.inner.n += n;
                    self.list.push(question.to_owned());
                    Ok(n)
                }
            }

            enum How {
                Live(Context),
                Dry,
            }

            $(#[$mark])?
            async fn run(how: &How, t: &Trace) -> Result<i64, Failure> {
                match how {
                    How::Live(cx) => {
                        t.effect("live");
                        number(cx, "live").await
                    }
                    How::Dry => Ok(0),
                }
            }

            struct Perhaps {
                who: Option<Peer<RoleServer>>,
                n: i64,
            }

            $(#[$mark])?
            async fn perhaps(of: &Perhaps, t: &Trace) -> Result<i64, Failure> {
                match &of.who {
                    Some(peer) => Ok(peer.elicit::<Count>("perhaps").await?.map_or(0, |answer| answer.n)),
                    None => Ok(t.effect(of.n)),
                }
            }

            /// Lent, and changed.
            struct Lines<'a> {
                who: &'a Context,
                n: i64,
                all: Vec<String>,
            }

            impl Lines<'_> {
                $(#[$mark])?
                async fn next(&mut self, question: &str) -> Result<i64, Failure> {
                    self.n += 1;
                    let line = number(self.who, question).await?;
                    self.all.push(format!("{question}{line}"));
                    Ok(self.n + line)
                }
            }

            $(#[$mark])?
            async fn lines(cx: &Context, t: &Trace) -> Result<i64, Failure> {
                let mut lines = Lines { who: cx, n: 0, all: vec![] };
                let a = lines.next("a").await?;
                t.effect(a);
                Ok(a + lines.next("b").await?)
            }

            async fn login(email: &str, word: String) -> Result<i64, String> {
                Ok((email.len() + word.len()) as i64)
            }

            $(#[$mark])?
            pub async fn held_01(cx: Context, t: &Trace) -> Result<String, Failure> {
                let n = by_value(View { who: &cx, store: t }).await?;
                let view = View { who: &cx, store: t };
                let m = twice(&view, n).await?;
                let last = number(view.who, "last").await?;
                Ok(format!("{n} {m} {last}"))
            }

            $(#[$mark])?
            pub async fn held_02(cx: Context, t: &Trace) -> Result<String, Failure> {
                let mut wizard = Wizard { who: cx, steps: vec![], done: 0 };
                let n = wizard.all(t).await?;
                let again = wizard.all(t).await?;
                Ok(format!("{n} {again} {:?}", wizard.steps))
            }

            $(#[$mark])?
            pub async fn held_03(cx: Context, t: &Trace) -> Result<String, Failure> {
                let mut outer = Outer { inner: Inner { peer: cx.peer.clone(), n: 1 }, list: vec![] };
                outer.ask("a").await?;
                while outer.inner.n < 4 {
                    if outer.ask("b").await? <= 0 {
                        break;
                    }
                    t.effect(outer.inner.n);
                }
                Ok(format!("{} {:?}", outer.inner.n, outer.list))
            }

            $(#[$mark])?
            pub async fn held_04(cx: Context, t: &Trace) -> Result<String, Failure> {
                let first = number(&cx, "first").await?;
                let how = if first > 0 { How::Live(cx) } else { How::Dry };
                let a = run(&how, t).await?;
                let b = run(&how, t).await?;
                Ok(format!("{first} {a} {b}"))
            }

            $(#[$mark])?
            pub async fn held_05(cx: Context, t: &Trace) -> Result<String, Failure> {
                let a = perhaps(&Perhaps { who: Some(cx.peer.clone()), n: 1 }, t).await?;
                let none = Perhaps { who: None, n: 7 };
                let b = perhaps(&none, t).await?;
                let some = Perhaps { who: Some(cx.peer.clone()), n: 2 };
                let c = perhaps(&some, t).await?;
                let d = number(&cx, "last").await?;
                Ok(format!("{a} {b} {c} {d} {} {}", none.n, some.n))
            }

            /// Made in the call, and in a macro's arguments.
            $(#[$mark])?
            pub async fn held_06(cx: Context, t: &Trace) -> Result<String, Failure> {
                let n = View { who: &cx, store: t }.ask("n").await?;
                Ok(format!("{n} {}", twice(&View { who: &cx, store: t }, n).await?))
            }

            /// What is lent it beside what it has itself.
            $(#[$mark])?
            pub async fn held_07(cx: Context, t: &Trace) -> Result<String, Failure> {
                let mut own = Lines { who: &cx, n: 10, all: vec![t.effect("first".to_owned())] };
                let a = own.next("c").await?;
                let b = lines(&cx, t).await?;
                let c = own.next("d").await?;
                Ok(format!("{a} {b} {c} {:?}", own.all))
            }

            /// A call beside it, whose future is gone where its arms begin.
            $(#[$mark])?
            pub async fn held_08(cx: Context, t: &Trace) -> Result<String, Failure> {
                let email = String::from("a@b");
                let word = number(&cx, "word").await?.to_string();
                match login(&email, word.clone()).await {
                    Ok(n) => {
                        let k = number(&cx, "k").await?;
                        let owned = email;
                        Ok(t.effect(format!("{owned}{n}{k}")))
                    }
                    Err(error) => Ok(error),
                }
            }

            /// It asks by its own field, and is given on.
            struct Both<'a> { cx: &'a Context, peer: Peer<RoleServer>, inner: Within<'a> }

            struct Within<'a> { who: &'a Peer<RoleServer>, n: i64 }

            impl Within<'_> {
                $(#[$mark])?
                async fn ask(&self, question: &str) -> Result<i64, Failure> {
                    Ok(self.who.elicit::<Count>(question).await?.map_or(-1, |answer| answer.n) + self.n)
                }
            }

            $(#[$mark])?
            async fn beside(desk: &Both<'_>) -> Result<i64, Failure> {
                number(desk.cx, "beside").await
            }

            $(#[$mark])?
            async fn of_inner(inner: &Within<'_>) -> Result<i64, Failure> {
                of_peer(inner.who, "inner").await
            }

            impl Both<'_> {
                async fn noted(&self, t: &Trace, n: i64) -> i64 {
                    t.fetch(n).await
                }

                $(#[$mark])?
                async fn by_field(&self) -> Result<i64, Failure> {
                    Ok(self.peer.elicit::<Count>("field").await?.map_or(-1, |answer| answer.n))
                }

                $(#[$mark])?
                async fn by_all(&self, t: &Trace) -> Result<String, Failure> {
                    let a = number(self.cx, "a").await?;
                    let b = beside(self).await?;
                    let c = self.peer.elicit::<Count>("c").await?.map_or(-1, |answer| answer.n);
                    let d = self.noted(t, a).await + self.by_field().await?;
                    let e = self.inner.who.elicit::<Count>("e").await?.map_or(-1, |answer| answer.n);
                    let f = of_inner(&self.inner).await? + self.inner.ask("f").await?;
                    Ok(t.effect(format!("{a} {b} {c} {d} {e} {f}")))
                }
            }

            $(#[$mark])?
            pub async fn held_09(cx: Context, t: &Trace) -> Result<String, Failure> {
                let desk = Both { cx: &cx, peer: cx.peer.clone(), inner: Within { who: &cx.peer, n: 1 } };
                let said = desk.by_all(t).await?;
                Ok(format!("{said} {}", beside(&desk).await?))
            }

            /// In a list, in an `Option`, and made of another one.
            $(#[$mark])?
            pub async fn held_10(cx: Context, t: &Trace) -> Result<String, Failure> {
                #[derive(Clone)]
                struct Env { ctx: Context, label: String }
                impl Env {
                    $(#[$mark])?
                    async fn say(&self, t: &Trace) -> Result<i64, Failure> {
                        t.effect(&self.label);
                        number(&self.ctx, &self.label).await
                    }
                }
                let env = Env { ctx: cx.clone(), label: "a".into() };
                let more = Env { label: "b".into(), ..env.clone() };
                let mut sum = env.say(t).await? + more.say(t).await?;
                let all = vec![env, more];
                for env in &all { sum += env.say(t).await?; }
                sum += all[1].say(t).await?;
                let some = Some(Env { ctx: cx, label: "c".into() });
                if let Some(env) = &some { sum += env.say(t).await?; }
                Ok(format!("{sum}"))
            }

            /// Beside the handle, what comes with every request, and what changes unseen.
            struct Desk2<'a> { cx: &'a Context, t: &'a Trace, n: i64 }

            impl Desk2<'_> {
                fn note(&mut self, word: &str) {
                    self.n += 1;
                    self.t.effect(format!("{word}{}", self.n));
                }

                $(#[$mark])?
                async fn ask(&mut self, question: &str) -> Result<i64, Failure> {
                    self.note(question);
                    let n = number(self.cx, question).await?;
                    self.n += n;
                    Ok(n)
                }
            }

            $(#[$mark])?
            pub async fn held_11(cx: Context, t: &Trace) -> Result<String, Failure> {
                let mut desk = Desk2 { cx: &cx, t, n: 0 };
                let a = desk.ask("a").await?;
                desk.note("x");
                let b = desk.ask("b").await?;
                Ok(format!("{a} {b} {}", desk.n))
            }

            struct Db { rows: Vec<String>, limit: i64 }

            struct Service { db: Db, name: String }

            struct Job<'a> { db: &'a Db, name: &'a str, rows: &'a [String], done: Vec<Row<'a>>, more: Option<&'a Db> }

            struct Row<'a> { of: &'a Db, at: usize }

            fn touched(job: &mut Job<'_>) {
                job.done.reverse();
            }

            impl Service {
                $(#[$mark])?
                async fn go(&self, cx: &Context, t: &Trace, other: &Db) -> Result<String, Failure> {
                    let db = &self.db;
                    let mut all = Vec::new();
                    let mut job = Job { db, name: &self.name, rows: &self.db.rows, done: vec![Row { of: &self.db, at: 9 }], more: Some(other) };
                    for (at, row) in job.db.rows.iter().enumerate() {
                        let n = number(cx, row).await?;
                        if n > 0 { job.done.push(Row { of: &self.db, at }); }
                        all.push(Row { of: db, at });
                        t.effect(job.name);
                    }
                    number(cx, "last").await?;
                    let done: Vec<_> = job.done.iter().map(|row| (row.at, row.of.limit)).collect();
                    Ok(format!("{done:?} {:?} {} {}", job.rows, job.more.map_or(0, |db| db.limit), all.len()))
                }

                /// One of several, and what is looked at by something unseen.
                $(#[$mark])?
                async fn turned(&self, cx: &Context, t: &Trace, other: &Db) -> Result<String, Failure> {
                    let mut pair = Pair { db: &self.db, kept: other, n: 0 };
                    pair.up();
                    let mut best = None;
                    if number(cx, "up").await? > 0 { pair.db = other; best = Some(&self.db); } else { best = Some(other); }
                    pair.up();
                    number(cx, "once more").await?;
                    let told: &dyn Told = pair.kept;
                    let mut told = Telling { told, n: 0 };
                    told.n += number(cx, "and again").await?;
                    t.effect(told.told.told());
                    Ok(format!("{} {} {} {} {}", pair.db.limit, pair.kept.limit, pair.n, told.n, best.map_or(0, |db| db.limit)))
                }
            }

            /// Chosen, in lists and fields, and beside other clients.
            struct Http { base: String }

            struct Request { url: String }

            impl Http {
                fn get(&self, url: &str) -> Request { Request { url: format!("{}{url}", self.base) } }
            }

            impl Request {
                async fn send(self, t: &Trace) -> String { t.fetch(self.url).await }
            }

            struct Ui<'a> { cx: &'a Context, loud: bool }

            impl Ui<'_> {
                $(#[$mark])?
                async fn ask(&self, question: &str) -> Result<i64, Failure> {
                    number(self.cx, &format!("{question}{}", self.loud)).await
                }
            }

            struct Rooms<'a> { hall: Ui<'a>, all: Vec<Ui<'a>>, http: Http }

            $(#[$mark])?
            pub async fn held_13(cx: Context, t: &Trace) -> Result<String, Failure> {
                let (a, b) = (Ui { cx: &cx, loud: true }, Ui { cx: &cx, loud: false });
                let first = number(&cx, "which").await?;
                let ui = if first > 0 { &a } else { &b };
                let mut sum = ui.ask("q").await?;
                let uis = vec![Ui { cx: &cx, loud: true }];
                sum += uis[0].ask("list").await?;
                let pair = (Ui { cx: &cx, loud: true }, 3);
                sum += pair.0.ask("pair").await? + pair.1;
                let rooms = Rooms { hall: Ui { cx: &cx, loud: false }, all: vec![Ui { cx: &cx, loud: true }], http: Http { base: "b/".into() } };
                let hall = &rooms.hall;
                sum += hall.ask("hall").await? + rooms.all[0].ask("all").await?;
                let sent = rooms.http.get("x").send(t).await;
                let mk = |loud| Ui { cx: &cx, loud };
                let made = mk(true).loud;
                Ok(format!("{sum} {sent} {made}"))
            }

            trait Told: Sync { fn told(&self) -> i64; }

            impl Told for Db { fn told(&self) -> i64 { self.limit } }

            struct Telling<'a> { told: &'a dyn Told, n: i64 }

            struct Pair<'a> { db: &'a Db, kept: &'a Db, n: i64 }

            impl Pair<'_> {
                fn up(&mut self) {
                    self.n += self.db.limit;
                }
            }

            $(#[$mark])?
            pub async fn held_12(cx: Context, t: &Trace) -> Result<String, Failure> {
                let service = Service { db: Db { rows: vec!["a".into(), "b".into()], limit: 1 }, name: "n".into() };
                let other = Db { rows: Vec::new(), limit: 2 };
                let went = service.go(&cx, t, &other).await?;
                let turned = service.turned(&cx, t, &other).await?;
                Ok(format!("{went} {turned}"))
            }

            $(#[$mark])?
            async fn if_there(cx: Option<&Context>, question: &str) -> Result<i64, Failure> {
                match cx {
                    Some(cx) => number(cx, question).await,
                    None => Ok(-2),
                }
            }

            /// Put in by methods.
            $(#[$mark])?
            pub async fn held_put_in(cx: Context, t: &Trace) -> Result<String, Failure> {
                let other = cx.clone();
                let n = number(&cx, "n").await?;
                let a = if_there((n > 0).then_some(&cx), "a").await?;
                let b = if_there((a > 0).then(|| &other), "b").await?;
                let c = if_there(Some(b).filter(|b| *b > 0).map(|b| { t.effect(b); &cx }), "c").await?;
                let d = if_there(Some(&cx).filter(|_| t.effect(c) != 3), "d").await?;
                Ok(format!("{n} {a} {b} {c} {d}"))
            }

            /// Chosen by an ask.
            $(#[$mark])?
            pub async fn held_chosen(cx: Context, t: &Trace) -> Result<String, Failure> {
                let other = cx.clone();
                let a = (if number(&cx, "which").await? > 1 { t.note("one"); &cx } else { &other }).peer.elicit::<Count>(t.effect("a")).await?;
                let b = match a {
                    Some(Count { n }) if number(&other, "guard").await? > t.effect(n) => &other,
                    _ => &cx,
                }
                .peer
                .elicit::<Count>("b")
                .await?;
                Ok(format!("{:?} {:?}", a.map(|a| a.n), b.map(|b| b.n)))
            }
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    held_01,
    held_02,
    held_03,
    held_04,
    held_05,
    held_06,
    held_07,
    held_08,
    held_09,
    held_10,
    held_11,
    held_12,
    held_put_in,
    held_chosen
);
