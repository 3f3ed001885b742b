//! What is found in collections of types without serde, errors, and streams.

use std::{
    collections::{BTreeMap, HashMap},
    io,
    path::Path,
    sync::{
        LazyLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use rmcp::{RoleServer, service::RequestContext};
use serde::{Deserialize, Serialize};
use tests::{
    Failure, Trace,
    answers::{Confirm, Count},
};

use super::helpers::helper_cases;

trait Plugin: Send + Sync {
    fn name(&self) -> &str;
}

/// Without serde.
struct Desk(String);

impl Plugin for Desk {
    fn name(&self) -> &str {
        &self.0
    }
}

struct State {
    plugins: HashMap<String, Box<dyn Plugin>>,
    desks: Vec<Desk>,
    first: Option<Desk>,
    by_number: BTreeMap<u8, Result<Desk, String>>,
}

/// Without serde.
#[derive(Clone, Default)]
struct Client(u8);

#[derive(Serialize, Deserialize)]
struct Session {
    #[serde(skip, default = "client")]
    http: Client,
    calls: Vec<i64>,
}

fn client() -> Client {
    Client(7)
}

static HTTP: LazyLock<Client> = LazyLock::new(client);
static LOBBY: LazyLock<Desk> = LazyLock::new(|| Desk("lobby".to_owned()));

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
enum Kind {
    A,
    B(String),
    C,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Row {
    seen: Vec<i64>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Own(i64);

struct Query<'q> {
    name: Option<&'q str>,
    desk: &'q Desk,
}

static STATE: LazyLock<State> = LazyLock::new(|| {
    let desk = |name: &str| Desk(name.to_owned());
    State {
        plugins: HashMap::from([("a".to_owned(), Box::new(desk("plugin")) as Box<dyn Plugin>)]),
        desks: vec![desk("one"), desk("two")],
        first: Some(desk("first")),
        by_number: BTreeMap::from([(1, Ok(desk("in a result")))]),
    }
});

/// Of one's own, with effects: what it gives is stored.
struct Counting(&'static [&'static str]);

static COUNTED: Counting = Counting(&["x"]);

/// Of one function, whose runs come one after the other.
static CALLS: AtomicUsize = AtomicUsize::new(0);

impl Counting {
    fn get(&self, place: usize) -> Option<&String> {
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        Some(Box::leak(Box::new(format!("{}{call}", self.0.get(place)?))))
    }

    fn first(&self) -> Option<&String> {
        self.get(0)
    }
}

helper_cases! {
    async fn in_state(cx: &RequestContext<RoleServer>, t: &Trace, state: &State, name: &str) -> Result<String, Failure> {
        let Some(plugin) = state.plugins.get(name) else { return Ok("no plugin".into()) };
        let first = state.desks.first();
        let last = state.desks.last().ok_or("no last")?;
        let found = state.by_number.get(&1).ok_or_else(|| "none")?;
        let option = state.first.as_ref();
        let query = Query { name: Some(name), desk: &state.desks[0] };
        if let Some(desk) = state.desks.get(1) {
            t.effect((&desk.0, cx.peer.elicit::<Count>("inner?").await?.map(|c| c.n)));
            t.note(&desk.0);
        }
        let n = cx.peer.elicit::<Count>("how many?").await?.ok_or("none")?.n;
        t.note(plugin.name());
        t.effect((first.map(|desk| &desk.0), &last.0, found.as_ref().map(|desk| &desk.0).ok(), option.map(|desk| &desk.0)));
        let both = match cx.peer.elicit::<Confirm>("both?").await?.map(|c| c.ok) { Some(true) => "both", _ => "one" };
        Ok(format!("{n} {} {both} {:?} {}", last.0, query.name, query.desk.0))
    }

    async fn in_a_collection_of_ones_own(cx: &RequestContext<RoleServer>, t: &Trace, list: &Counting) -> Result<String, Failure> {
        CALLS.store(0, Ordering::Relaxed);
        let one = list.get(0);
        let Some(first) = list.first() else { return Ok("empty".into()) };
        t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
        Ok(format!("{one:?}{first}{}", CALLS.load(Ordering::Relaxed)))
    }

    async fn of_a_state_that_changes(cx: &RequestContext<RoleServer>, t: &Trace, session: &mut Session) -> Result<u8, Failure> {
        let http = session.http.clone();
        session.calls.push(t.effect(1));
        session.calls.push(cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n);
        t.effect(session.calls.len());
        Ok(http.0)
    }

    async fn lookups(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        let a = in_state(&cx, t, &STATE, "a").await?;
        let b = in_state(&cx, t, &STATE, "b").await?;
        let c = in_a_collection_of_ones_own(&cx, t, &COUNTED).await?;
        let mut session = Session { http: Client(7), calls: vec![] };
        let d = of_a_state_that_changes(&cx, t, &mut session).await?;
        Ok(format!("{a} {b} {c} {d} {:?}", session.calls))
    }

    async fn errors(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        let mut last: Option<io::Error> = None;
        for name in ["/no/such/file", "/", "\0"] {
            match std::fs::read(name) {
                Ok(bytes) => { t.effect(bytes.len()); }
                Err(error) => {
                    let again = cx.peer.elicit::<Confirm>(format!("{error}: again?")).await?.is_some_and(|c| c.ok);
                    t.note(&format!("{error:?} {:?} {:?}", error.kind(), error.raw_os_error()));
                    if !again { last = Some(error); }
                }
            }
        }
        let short = io::Read::read_exact(&mut io::empty(), &mut [0]);
        let broken = Some(io::Error::from(io::ErrorKind::BrokenPipe));
        let other = io::Error::other("text");
        let read = String::from_utf8(vec![0xff]).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()));
        let parsed = "12x".parse::<i64>();
        let good = "12".parse::<u8>();
        t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
        Ok(format!("{last:?} {read:?} {parsed:?} {good:?} {short:?} {broken:?} {other:?}"))
    }

    async fn names_of_files(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        let path = Path::new("/a/b.txt");
        let name = path.file_name().unwrap_or_default();
        let stem = path.file_stem();
        let mut out = io::stdout();
        t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
        io::Write::flush(&mut out).map_err(|_| "flush")?;
        Ok(format!("{name:?} {stem:?}"))
    }

    async fn desk_of(cx: &RequestContext<RoleServer>, desk: &Desk) -> Result<String, Failure> {
        let n = cx.peer.elicit::<Count>(desk.name()).await?.map(|c| c.n);
        Ok(format!("{} {n:?}", desk.name()))
    }

    async fn of_statics(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        let (state, lobby, http) = (&*STATE, &LOBBY, HTTP.clone());
        let (desks, first) = (&STATE.desks, STATE.desks.first().ok_or("none")?);
        let plugin = &STATE.plugins["a"];
        t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
        let one = desk_of(&cx, &LOBBY).await?;
        let two = desk_of(&cx, STATE.desks.last().ok_or("none")?).await?;
        Ok(format!("{one} {two} {} {} {} {} {} {}", state.desks.len(), lobby.name(), http.0, desks.len(), first.name(), plugin.name()))
    }

    async fn row_of(cx: &RequestContext<RoleServer>, row: &mut Row) -> Result<(), Failure> {
        for _ in 0..2 {
            row.seen.extend(cx.peer.elicit::<Count>("row").await?.map(|c| c.n));
        }
        Ok(())
    }

    async fn entries(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        let mut rows: HashMap<Kind, Row> = HashMap::new();
        for kind in [Kind::A, Kind::B("x".into()), Kind::A] {
            let made = || { t.note("made"); Row::default() };
            rows.entry(kind).or_insert_with(made).seen.extend(cx.peer.elicit::<Count>("n").await?.map(|c| c.n));
        }
        row_of(&cx, rows.entry(t.effect(Kind::C)).or_default()).await?;
        let mut sums: BTreeMap<&str, i64> = BTreeMap::new();
        *sums.entry(t.effect("q")).or_insert(t.effect(3)) += cx.peer.elicit::<Count>("m").await?.map_or(0, |c| c.n);
        let mut groups: BTreeMap<String, Vec<i64>> = BTreeMap::new();
        let list = groups.entry(t.effect("a".to_owned())).or_default();
        list.push(0);
        let n = cx.peer.elicit::<Count>("list").await?.map_or(0, |c| c.n);
        list.push(n);
        if n > 0 {
            list.extend(cx.peer.elicit::<Count>("more").await?.map(|c| c.n));
        }
        // Its key is no `Clone`, and need not be.
        let mut own = BTreeMap::new();
        *own.entry(Own(1)).or_insert(2) += 1;
        let one = own.entry(Own(1)).or_insert(0);
        *one += n;
        groups.get_mut(&t.effect("a".to_owned())).ok_or("no a")?.push(cx.peer.elicit::<Count>("key").await?.map_or(0, |c| c.n));
        let mut items = [1_i64, 2];
        items[t.effect(1)] += cx.peer.elicit::<Count>("item").await?.map_or(0, |c| c.n);
        let mut rows: Vec<_> = rows.into_iter().collect();
        rows.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(format!("{rows:?}{sums:?}{groups:?}{items:?}"))
    }

    cases: entries, lookups, errors, names_of_files, of_statics
}
