//! What every store has to do, as checks to run against a store of one's own. Each check works on tasks of its own, so that
//! all of them can be run on one store, beside one another.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! use saga_tasks::{MemoryStore, suite};
//!
//! let store = MemoryStore::new();
//! // Another replica: a second connection to the same store.
//! suite::run(&store, &store.clone()).await;
//! # }
//! ```

#![allow(clippy::panic, reason = "a check that fails says so by a panic")]

pub mod guard;

use std::{
    collections::HashSet,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use saga_runtime::CallId;

use crate::{
    Claim, CodeId, Created, Expect, Owner, Page, State, StoreError, Swap, TaskId, TaskRecord,
    TaskStore, WorkerId,
};

/// Long enough for any check.
const LEASE: Duration = Duration::from_secs(600);
/// How many writers want one record.
const WRITERS: usize = 100;

/// All checks, on a store as two replicas have it; for one that can list its tasks there is
/// [`tasks_are_listed_by_age`] as well.
///
/// # Panics
/// Where a check fails, with what it found.
pub async fn run<S: TaskStore>(one: &S, other: &S) {
    created_is_there(one, other).await;
    a_call_is_one_task(one, other).await;
    all_of_a_record_is_kept(one, other).await;
    of_many_writers_one_wins(one, other).await;
    a_claim_gives_a_task_once(one, other).await;
    what_is_not_due_is_not_claimed(one).await;
    an_older_fence_writes_nothing(one, other).await;
    a_lease_is_renewed_by_its_holder(one, other).await;
    no_write_takes_a_renewal_back(one, other).await;
    a_cancelled_task_says_so(one, other).await;
    a_note_changes_no_version(one, other).await;
    code_that_is_not_there_is_left_to_others(one, other).await;
    what_is_over_is_swept(one, other).await;
    open_tasks_are_counted_by_owner(one, other).await;
}

fn ok<T>(result: Result<T, StoreError>) -> T {
    result.unwrap_or_else(|error| panic!("the store failed: {error}"))
}

/// A call that nobody has made.
fn call() -> CallId {
    let unique = ok(TaskId::random());
    let mut call = [0; 16];
    for (byte, random) in call.iter_mut().zip(unique.as_str().bytes()) {
        *byte = random;
    }
    CallId::from_bytes(call)
}

/// A task that is due, of an owner that no other check has.
async fn task<S: TaskStore>(store: &S, check: &str) -> TaskRecord {
    let now = ok(store.now().await);
    let id = ok(TaskId::random());
    let owner = Owner::of(Some(&format!("{check} {id}")));
    TaskRecord::new(id, call(), owner, format!("tool of {check}"), now)
}

async fn created<S: TaskStore>(store: &S, record: &TaskRecord) {
    assert_eq!(ok(store.create(record).await), Created::New);
}

async fn read<S: TaskStore>(store: &S, id: &TaskId) -> TaskRecord {
    let record = ok(store.get(id).await);
    record.unwrap_or_else(|| panic!("{id} is not there"))
}

/// Leased by a claim; what else the claim gave is given back.
async fn leased<S: TaskStore>(store: &S, record: &TaskRecord, worker: &WorkerId) -> TaskRecord {
    created(store, record).await;
    claimed(store, &record.id, worker).await
}

async fn claimed<S: TaskStore>(store: &S, id: &TaskId, worker: &WorkerId) -> TaskRecord {
    let mut mine = None;
    // Tasks of other checks may be due, too.
    for _ in 0..1000 {
        for record in ok(store.claim(Claim::new(worker, 16, LEASE)).await).records {
            match record.id == *id {
                true => mine = Some(record),
                false => give_back(store, record).await,
            }
        }
        if let Some(mine) = mine {
            return mine;
        }
    }
    panic!("{id} is due, and was not claimed");
}

async fn give_back<S: TaskStore>(store: &S, mut record: TaskRecord) {
    let expect = held(&record);
    record.state = State::Ready;
    record.due = Some(record.created);
    let _ = store.swap(&record, expect).await;
}

fn held(record: &TaskRecord) -> Expect {
    Expect {
        version: record.version,
        fence: Some(record.fence),
    }
}

fn unheld(record: &TaskRecord) -> Expect {
    Expect {
        version: record.version,
        fence: None,
    }
}

/// Out of the way of the other checks.
async fn done<S: TaskStore>(store: &S, id: &TaskId) {
    let mut record = read(store, id).await;
    let expect = unheld(&record);
    record.state = State::Completed;
    record.due = None;
    record.expires = Some(record.created);
    assert!(matches!(
        ok(store.swap(&record, expect).await),
        Swap::Done(_)
    ));
}

/// A task that was created can be read by every replica.
pub async fn created_is_there<S: TaskStore>(one: &S, other: &S) {
    let record = task(one, "created").await;
    assert_eq!(ok(one.get(&record.id).await), None, "before it was created");
    created(one, &record).await;
    assert_eq!(read(other, &record.id).await, record);
    assert_eq!(ok(other.get(&TaskId::named("nobody's")).await), None);
    done(one, &record.id).await;
}

/// Of two tasks of one call there is the first, whoever creates them.
pub async fn a_call_is_one_task<S: TaskStore>(one: &S, other: &S) {
    let first = task(one, "call").await;
    let mut second = task(one, "call").await;
    second.call = first.call;
    created(one, &first).await;
    assert_eq!(
        ok(other.create(&second).await),
        Created::Exists(first.id.clone())
    );
    assert_eq!(ok(one.get(&second.id).await), None);
    done(one, &first.id).await;
}

/// What is written is what is read, in every column.
pub async fn all_of_a_record_is_kept<S: TaskStore>(one: &S, other: &S) {
    let mut record = task(one, "kept").await;
    created(one, &record).await;
    for (round, (state, _)) in State::NAMES.into_iter().enumerate() {
        let expect = unheld(&record);
        let more = Duration::from_millis(round as u64 * 7 + 1);
        record.code = CodeId(u64::MAX - round as u64);
        record.state = state;
        record.due = (!state.is_final()).then(|| record.created + LEASE + more);
        record.fence = u64::from(u32::MAX) + round as u64;
        if state == State::Leased {
            record.due = Some(record.created + more);
        }
        record.worker = (round % 2 == 0).then(|| WorkerId::named(format!("worker {round} é'\"")));
        record.lease_until =
            (round % 2 == 0 || state == State::Leased).then(|| record.created + more);
        record.attempts = u32::MAX / 2 - 7;
        record.cancel = round % 2 == 1;
        record.updated = record.created + more * 2;
        record.expires = (round % 3 == 0).then(|| record.created + LEASE * 2);
        record.status_message = (round % 2 == 0).then(|| "half \u{1f642} '; --".to_owned());
        record.sealed = (0..=255).cycle().take(round * 1000).collect();
        let Swap::Done(version) = ok(one.swap(&record, expect).await) else {
            panic!("nobody else writes it");
        };
        assert_eq!(version, expect.version + 1);
        record.version = version;
        assert_eq!(read(other, &record.id).await, record, "{state:?}");
    }
    done(one, &record.id).await;
}

/// Of many writers that have read the same version one writes, and the others nothing.
pub async fn of_many_writers_one_wins<S: TaskStore>(one: &S, other: &S) {
    let record = task(one, "writers").await;
    created(one, &record).await;
    let won = AtomicUsize::new(0);
    let writes = (0..WRITERS).map(|writer| {
        let store = if writer % 2 == 0 { one } else { other };
        let (record, won) = (&record, &won);
        async move {
            let mut next = record.clone();
            next.due = Some(record.created + LEASE);
            next.sealed = writer.to_string().into_bytes();
            if let Swap::Done(_) = ok(store.swap(&next, unheld(record)).await) {
                won.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    all(writes).await;
    assert_eq!(won.load(Ordering::Relaxed), 1, "writers that won");
    assert_eq!(read(one, &record.id).await.version, record.version + 1);
    done(one, &record.id).await;
}

/// Runs futures beside one another, all of them to their end.
async fn all<F: Future<Output = ()>>(futures: impl Iterator<Item = F>) {
    let mut futures: Vec<_> = futures.map(|future| Some(Box::pin(future))).collect();
    std::future::poll_fn(|context| {
        let mut waits = false;
        for slot in &mut futures {
            if let Some(future) = slot {
                match future.as_mut().poll(context) {
                    std::task::Poll::Ready(()) => *slot = None,
                    std::task::Poll::Pending => waits = true,
                }
            }
        }
        match waits {
            true => std::task::Poll::Pending,
            false => std::task::Poll::Ready(()),
        }
    })
    .await;
}

/// Whoever claims, and however many at once: a task is one worker's.
pub async fn a_claim_gives_a_task_once<S: TaskStore>(one: &S, other: &S) {
    let mut ids = HashSet::new();
    for _ in 0..20 {
        let record = task(one, "once").await;
        created(one, &record).await;
        ids.insert(record.id);
    }
    let taken = std::sync::Mutex::new(Vec::new());
    let claims = (0..10).map(|number| {
        let store = if number % 2 == 0 { one } else { other };
        let (ids, taken) = (&ids, &taken);
        async move {
            let worker = WorkerId::named(format!("claims {number}"));
            for _ in 0..10 {
                for record in ok(store.claim(Claim::new(&worker, 3, LEASE)).await).records {
                    if !ids.contains(&record.id) {
                        give_back(store, record).await;
                        continue;
                    }
                    assert_eq!((record.state, record.fence), (State::Leased, 1));
                    assert_eq!((record.attempts, record.version), (1, 2));
                    assert_eq!(record.worker.as_ref(), Some(&worker));
                    assert!(record.lease_until.is_some() && record.due == record.lease_until);
                    if let Ok(mut taken) = taken.lock() {
                        taken.push(record.id);
                    }
                }
            }
        }
    });
    all(claims).await;
    let taken = taken.into_inner().unwrap_or_default();
    assert_eq!(taken.len(), ids.len(), "claims of so many tasks");
    assert_eq!(taken.into_iter().collect::<HashSet<_>>(), ids);
    for id in ids {
        done(one, &id).await;
    }
}

/// The store's clock says what is due.
pub async fn what_is_not_due_is_not_claimed<S: TaskStore>(store: &S) {
    let mut record = task(store, "due").await;
    record.due = Some(record.created + LEASE);
    created(store, &record).await;
    let worker = WorkerId::named("early");
    for _ in 0..3 {
        for claimed in ok(store.claim(Claim::new(&worker, 100, LEASE)).await).records {
            assert_ne!(claimed.id, record.id, "it is due in ten minutes");
            give_back(store, claimed).await;
        }
    }
    let next = ok(store.next_due().await);
    assert!(next.is_some_and(|next| next <= record.created + LEASE));
    done(store, &record.id).await;
}

/// A worker whose lease has ended, and whose task another has, writes nothing.
pub async fn an_older_fence_writes_nothing<S: TaskStore>(one: &S, other: &S) {
    let first = WorkerId::named("first");
    let mine = leased(one, &task(one, "fence").await, &first).await;
    let mut given = mine.clone();
    given.state = State::Ready;
    given.due = Some(mine.created);
    assert!(matches!(
        ok(one.swap(&given, held(&mine)).await),
        Swap::Done(_)
    ));
    // Not leased any more: its fence is no lease.
    let now = read(one, &mine.id).await;
    let expect = Expect {
        version: now.version,
        fence: Some(now.fence),
    };
    assert_eq!(ok(one.swap(&now, expect).await), Swap::Lost);
    let theirs = claimed(other, &mine.id, &WorkerId::named("second")).await;
    assert_eq!((theirs.fence, theirs.attempts), (2, 2));
    let stale = Expect {
        version: theirs.version,
        fence: Some(mine.fence),
    };
    assert_eq!(ok(one.swap(&mine, stale).await), Swap::Lost);
    assert_eq!(read(one, &mine.id).await, theirs);
    done(one, &mine.id).await;
}

/// Who holds a lease extends it; who does not is told.
pub async fn a_lease_is_renewed_by_its_holder<S: TaskStore>(one: &S, other: &S) {
    let worker = WorkerId::named("renews");
    let mine = leased(one, &task(one, "renewed").await, &worker).await;
    let held = [
        (mine.id.clone(), mine.fence),
        (mine.id.clone(), mine.fence + 1),
        (TaskId::named("nobody's"), 1),
    ];
    let renewals = ok(other.renew(&held, LEASE * 2).await);
    let seen: Vec<_> = renewals
        .iter()
        .map(|renewal| (renewal.held, renewal.cancel))
        .collect();
    assert_eq!(seen, [(true, false), (false, false), (false, false)]);
    let now = read(one, &mine.id).await;
    assert_eq!(now.version, mine.version, "a renewal is no write");
    assert!(now.lease_until > mine.lease_until && now.due == now.lease_until);
    done(one, &mine.id).await;
}

/// A renewal has no version, and what is written by one who has not seen it leaves the lease as long as it is.
pub async fn no_write_takes_a_renewal_back<S: TaskStore>(one: &S, other: &S) {
    let worker = WorkerId::named("long");
    let mine = leased(one, &task(one, "lease").await, &worker).await;
    ok(other
        .renew(&[(mine.id.clone(), mine.fence)], LEASE * 3)
        .await);
    let renewed = read(one, &mine.id).await.lease_until;
    let mut next = mine.clone();
    next.cancel = true;
    assert!(matches!(
        ok(one.swap(&next, unheld(&mine)).await),
        Swap::Done(_)
    ));
    let now = read(other, &mine.id).await;
    assert_eq!((now.lease_until, now.due), (renewed, renewed));
    // And one who extends it, does.
    let mut longer = now.clone();
    longer.lease_until = renewed.map(|until| until + LEASE);
    assert!(matches!(
        ok(one.swap(&longer, held(&now)).await),
        Swap::Done(_)
    ));
    let now = read(other, &mine.id).await;
    assert_eq!(
        (now.lease_until, now.due),
        (longer.lease_until, longer.lease_until)
    );
    assert_eq!(ok(one.find(&mine.call).await), Some(mine.id.clone()));
    done(one, &mine.id).await;
}

/// A worker hears by its renewal that its task is cancelled.
pub async fn a_cancelled_task_says_so<S: TaskStore>(one: &S, other: &S) {
    let worker = WorkerId::named("cancelled");
    let mine = leased(one, &task(one, "cancelled").await, &worker).await;
    let mut next = mine.clone();
    next.cancel = true;
    assert!(matches!(
        ok(other.swap(&next, unheld(&mine)).await),
        Swap::Done(_)
    ));
    let renewals = ok(one.renew(&[(mine.id.clone(), mine.fence)], LEASE).await);
    assert!(
        renewals
            .iter()
            .all(|renewal| renewal.held && renewal.cancel)
    );
    done(one, &mine.id).await;
}

/// What a client is told can be written by the holder alone, and disturbs no other write.
pub async fn a_note_changes_no_version<S: TaskStore>(one: &S, other: &S) {
    let worker = WorkerId::named("notes");
    let mine = leased(one, &task(one, "noted").await, &worker).await;
    ok(one.note(&mine.id, mine.fence, "half of it").await);
    ok(other.note(&mine.id, mine.fence + 1, "not mine").await);
    let now = read(other, &mine.id).await;
    assert_eq!(now.status_message.as_deref(), Some("half of it"));
    assert_eq!(now.version, mine.version);
    done(one, &mine.id).await;
}

/// A worker leaves tasks alone whose code it does not have, until they are old.
pub async fn code_that_is_not_there_is_left_to_others<S: TaskStore>(one: &S, other: &S) {
    let mut record = task(one, "code").await;
    record.code = CodeId(u64::MAX - 17);
    record.updated = record.created;
    created(one, &record).await;
    let worker = WorkerId::named("old");
    let unknown = [CodeId(1), record.code];
    let claim = Claim::new(&worker, 100, LEASE).without(&unknown, LEASE);
    for claimed in ok(one.claim(claim).await).records {
        assert_ne!(claimed.id, record.id, "its code is not there");
        give_back(one, claimed).await;
    }
    // Nobody took it for so long: it is to be failed.
    let claim = Claim::new(&worker, 100, LEASE).without(&unknown, Duration::ZERO);
    let mut found = false;
    for claimed in ok(other.claim(claim).await).records {
        found |= claimed.id == record.id;
        if claimed.id == record.id {
            assert_eq!(claimed.updated, record.updated, "a claim is no news");
        } else {
            give_back(other, claimed).await;
        }
    }
    assert!(found, "it was old enough");
    done(one, &record.id).await;
}

/// What is over is removed when its time is; nothing else is.
pub async fn what_is_over_is_swept<S: TaskStore>(one: &S, other: &S) {
    let over = task(one, "swept").await;
    let (kept, open) = (task(one, "swept").await, task(one, "swept").await);
    for record in [&over, &kept, &open] {
        created(one, record).await;
    }
    done(one, &over.id).await;
    let mut later = kept.clone();
    later.state = State::Failed;
    later.due = None;
    later.expires = Some(kept.created + LEASE);
    assert!(matches!(
        ok(one.swap(&later, unheld(&kept)).await),
        Swap::Done(_)
    ));
    let mut waits = open.clone();
    waits.state = State::Waiting;
    waits.due = Some(open.created + LEASE);
    waits.expires = Some(open.created);
    assert!(matches!(
        ok(one.swap(&waits, unheld(&open)).await),
        Swap::Done(_)
    ));
    while ok(other.sweep(10).await) > 0 {}
    assert_eq!(ok(one.get(&over.id).await), None);
    assert!(ok(one.get(&kept.id).await).is_some());
    assert!(ok(one.get(&open.id).await).is_some(), "it is not over");
    done(one, &kept.id).await;
    done(one, &open.id).await;
}

/// An owner's open tasks are counted, and nobody else's.
pub async fn open_tasks_are_counted_by_owner<S: TaskStore>(one: &S, other: &S) {
    let first = task(one, "counted").await;
    let mut second = task(one, "counted").await;
    second.owner = first.owner.clone();
    for record in [&first, &second] {
        created(one, record).await;
    }
    assert_eq!(ok(other.open(&first.owner).await), 2);
    done(one, &first.id).await;
    assert_eq!(ok(other.open(&first.owner).await), 1);
    assert_eq!(ok(other.open(&Owner::of(Some("nobody at all"))).await), 0);
    done(one, &second.id).await;
}

/// Page by page, every task is listed once, those created last first; of a state alone where one is named.
pub async fn tasks_are_listed_by_age<S: TaskStore>(one: &S, other: &S) {
    let mut records = Vec::new();
    for round in 0..5 {
        let mut record = task(one, "listed").await;
        // Two of one millisecond.
        record.created -= Duration::from_millis(round / 2);
        record.due = Some(record.created + LEASE);
        record.status_message = Some(format!("listed {round}"));
        record.sealed = vec![7; 1000];
        if round == 3 {
            (record.state, record.due) = (State::Failed, None);
        }
        created(one, &record).await;
        record.sealed.clear();
        records.push(record);
    }
    for limit in [1, 2, 1000] {
        let listed = all_pages(other, Page::new(limit)).await;
        let created: Vec<_> = listed.iter().map(|record| record.created).collect();
        assert!(created.is_sorted_by(|one, next| one >= next), "{created:?}");
        for record in &records {
            let found = listed.iter().filter(|listed| listed.id == record.id);
            assert_eq!(found.collect::<Vec<_>>(), [record], "pages of {limit}");
        }
        let failed = all_pages(other, Page::new(limit).of(State::Failed)).await;
        assert!(failed.iter().all(|record| record.state == State::Failed));
        let mine = failed.iter().filter(|listed| {
            let mut mine = records.iter();
            mine.any(|record| record.id == listed.id)
        });
        assert_eq!(mine.count(), 1);
    }
    assert_eq!(ok(one.list(Page::new(0)).await), []);
    for record in records {
        done(one, &record.id).await;
        while ok(one.sweep(10).await) > 0 {}
        let listed = all_pages(other, Page::new(100)).await;
        assert!(listed.iter().all(|listed| listed.id != record.id), "swept");
    }
}

async fn all_pages<S: TaskStore>(store: &S, page: Page<'_>) -> Vec<TaskRecord> {
    let mut listed: Vec<TaskRecord> = Vec::new();
    loop {
        let next = match listed.last() {
            None => store.list(page).await,
            Some(last) => store.list(page.after(last.created, &last.id)).await,
        };
        let next = ok(next);
        assert!(next.len() <= page.limit);
        if next.is_empty() {
            return listed;
        }
        listed.extend(next);
    }
}
