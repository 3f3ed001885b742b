//! Iterators made of others: what runs for each item runs as often, as late and in the order of plain Rust.

use std::{
    collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, VecDeque},
    hash::{BuildHasherDefault, DefaultHasher},
};

use rmcp::{RoleServer, service::RequestContext};
use tests::{
    Failure, Trace,
    answers::{Confirm, Count, Text},
    cases,
};

#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Desk {
    items: Vec<i64>,
    most: usize,
}

impl Desk {
    fn grown(&mut self) -> Vec<i64> {
        self.most += 2;
        self.items.clone()
    }
}

/// No iterator of std's, so that it stays one.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Numbers {
    left: i64,
}

impl Numbers {
    fn next(&mut self) -> Option<i64> {
        self.left -= 1;
        (self.left >= 0).then_some(self.left)
    }
}

/// The same order in each run.
type Alike = BuildHasherDefault<DefaultHasher>;

/// Named as std's of iterators, and not for one.
trait Batch {
    fn rev(&self, t: &Trace) -> Vec<i64>;
    fn take(&mut self, most: usize) -> Vec<i64>;
    fn cycle(&mut self) -> Vec<i64>;
}

impl Batch for Vec<i64> {
    fn rev(&self, t: &Trace) -> Vec<i64> {
        t.note("reversed");
        self.iter().rev().map(|n| n * 10).collect()
    }

    fn take(&mut self, most: usize) -> Vec<i64> {
        self.drain(..most.min(self.len())).collect()
    }

    fn cycle(&mut self) -> Vec<i64> {
        self.push(9);
        vec![5, 6]
    }
}

fn half(n: &i64) -> Option<i64> {
    (n % 2 == 0).then_some(n / 2)
}

cases! {
    async fn a_number_of_those_that_are_kept(cx, t) {
        let list = [1i64, 2, 3, 4, 5, 6];
        let two = 2;
        for n in list.iter().filter(|n| t.effect(**n) > 1).take(2) { t.note("body"); cx.peer.elicit::<Confirm>(format!("{n}")).await?; }
        for n in list.iter().map(|n| t.effect(n * 2)).skip(two).take(two).enumerate() { t.effect(n); cx.peer.elicit::<Confirm>("b").await?; }
        for n in list.iter().inspect(|n| t.note(&n.to_string())).take(0) { cx.peer.elicit::<Confirm>(format!("never {n}")).await?; }
        for n in list.iter().take(5).filter(|n| t.effect(**n) > 3).take(1).map(|n| t.effect(*n)) { cx.peer.elicit::<Confirm>(format!("{n}")).await?; }
        Ok(format!("{two}"))
    }

    async fn a_number_that_the_items_change(cx, t) {
        let mut desk = Desk { items: vec![1, 2, 3, 4], most: 1 };
        for n in desk.items.iter().map(|n| t.effect(*n)).take(desk.most + 1) { cx.peer.elicit::<Confirm>(format!("{n}")).await?; }
        for n in desk.grown().into_iter().filter(|_| true).collect::<Vec<_>>().into_iter().take(desk.most) { cx.peer.elicit::<Confirm>(format!("{n}")).await?; t.effect(n); }
        Ok(format!("{desk:?}"))
    }

    async fn a_break_behind_a_number(cx, t) {
        let list = vec![3i64, 4, 5, 6];
        let mut sum = 0;
        'all: for n in list.iter().map(|n| t.effect(*n)).take(3).skip(1) {
            for m in list.iter().filter(|m| t.effect(**m) > n).take(1) {
                sum += m * cx.peer.elicit::<Count>(format!("{n} {m}")).await?.map_or(1, |c| c.n);
                if sum > 7 { break 'all; }
                continue 'all;
            }
        }
        Ok(format!("{sum}"))
    }

    async fn from_behind(cx, t) {
        let list = vec![1i64, 2, 3, 4];
        let mut seen = Vec::new();
        for n in list.iter().map(|n| t.effect(*n)).rev() { cx.peer.elicit::<Confirm>(format!("{n}")).await?; seen.push(n); }
        for n in list.iter().copied().filter(|n| t.effect(*n) != 2).rev().take(2) { cx.peer.elicit::<Confirm>(format!("{n}")).await?; seen.push(n); }
        for n in list.into_iter().filter_map(|n| t.effect(half(&n))).rev() { cx.peer.elicit::<Confirm>(format!("{n}")).await?; seen.push(n); }
        Ok(format!("{seen:?}"))
    }

    async fn functions_by_their_names(cx, t) {
        let list = vec![2i64, 3, 4];
        let words = vec![String::from(" a "), String::from("b")];
        let maybe = [Some(1i64), None, Some(2)];
        let mut seen = Vec::new();
        for n in list.iter().filter_map(half) { cx.peer.elicit::<Confirm>(format!("{n}")).await?; seen.push(n.to_string()); }
        for word in words.iter().map(String::as_str).map(str::trim) { cx.peer.elicit::<Text>(word).await?; seen.push(word.to_owned()); }
        for n in maybe.iter().filter(|n| n.is_some()).map(Option::as_ref) { cx.peer.elicit::<Confirm>("some").await?; t.effect(n); }
        for n in list.iter().copied().map(Some) { cx.peer.elicit::<Confirm>("made").await?; t.effect(n); }
        Ok(format!("{seen:?}"))
    }

    async fn flattened(cx, t) {
        let rows = vec![vec![1i64, 2], vec![], vec![3]];
        let mut seen = Vec::new();
        for n in rows.iter().flatten() { seen.push(*n); cx.peer.elicit::<Confirm>(format!("{n}")).await?; }
        for n in rows.into_iter().flatten().filter(|n| t.effect(*n) > 1) { seen.push(n); cx.peer.elicit::<Confirm>(format!("{n}")).await?; }
        for n in [Some(4i64), None, Some(5)].into_iter().flatten() { seen.push(n); cx.peer.elicit::<Confirm>(format!("{n}")).await?; }
        Ok(format!("{seen:?}"))
    }

    async fn beside_one_without_an_end(cx, t) {
        let names = vec![String::from("a"), String::from("b"), String::from("c")];
        let colours = ["red", "blue"];
        for (n, name) in (1..).zip(&names) { t.effect((n, name)); cx.peer.elicit::<Confirm>("a").await?; }
        for (name, colour) in names.iter().zip(colours.iter().cycle()) { t.effect((name, colour)); cx.peer.elicit::<Confirm>("b").await?; }
        for (n, name) in (10u8..).zip(names) { t.effect((n, &name)); cx.peer.elicit::<Confirm>(name).await?; }
        Ok(String::from("s"))
    }

    async fn drained(cx, t) {
        let mut queue = VecDeque::from([1i64, 2, 3, 4]);
        let mut heap = BinaryHeap::from([7i64]);
        let mut text = String::from("xyz");
        for n in queue.drain(1..3) { t.effect(n); cx.peer.elicit::<Confirm>("q").await?; }
        for n in heap.drain() { t.effect(n); cx.peer.elicit::<Confirm>("h").await?; }
        for c in text.drain(1..) { t.effect(c); if c == 'y' { break; } cx.peer.elicit::<Confirm>("t").await?; }
        Ok(format!("{queue:?} {} {text}", heap.len()))
    }

    async fn the_values_of_a_hash_map(cx, t) {
        let mut counts: HashMap<String, i64, Alike> = HashMap::default();
        counts.extend([("a".to_owned(), 1), ("b".to_owned(), 2), ("c".to_owned(), 3)]);
        for (name, n) in &mut counts {
            *n += cx.peer.elicit::<Count>(name.as_str()).await?.map_or(0, |c| c.n);
            if name == "b" { *n *= 10; }
        }
        for (_, n) in counts.iter_mut() { *n += 100; cx.peer.elicit::<Confirm>("again").await?; }
        for n in counts.values_mut() { *n -= cx.peer.elicit::<Count>("less").await?.map_or(0, |c| c.n); }
        let sorted: BTreeMap<_, _> = counts.iter().collect();
        t.effect(format!("{sorted:?}"));
        let words = [String::from("x")];
        let mut lengths: HashMap<&str, usize> = words.iter().map(|word| (word.as_str(), word.len())).collect();
        for (word, n) in &mut lengths { cx.peer.elicit::<Confirm>(*word).await?; *n += 1; }
        Ok(format!("{lengths:?}"))
    }

    async fn an_item_of_an_item(cx, t) {
        let mut grid = vec![vec![0i64; 3]; 2];
        let mut rows: Vec<(String, [i64; 2])> = vec![("a".into(), [1, 2]), ("b".into(), [3, 4])];
        let row = 1;
        let cell = &mut grid[row][2];
        *cell += 1;
        *cell += cx.peer.elicit::<Count>("cell").await?.map_or(0, |c| c.n);
        let part = &mut rows[row].1[0];
        *part += cx.peer.elicit::<Count>("part").await?.map_or(0, |c| c.n);
        let name = &mut rows[0].0;
        name.push_str(&cx.peer.elicit::<Text>("name").await?.map_or_else(String::new, |text| text.text));
        t.effect(name.len());
        let last = grid[0].last_mut().ok_or("none")?;
        *last -= cx.peer.elicit::<Count>("last").await?.map_or(0, |c| c.n);
        Ok(format!("{grid:?} {rows:?}"))
    }

    async fn looked_up_to_be_changed(cx, t) {
        let mut lists: BTreeMap<String, Vec<i64>> = BTreeMap::from([("a".into(), vec![1])]);
        let mut sets = vec![BTreeSet::from([1i64])];
        let key = String::from("a");
        if let Some(list) = lists.get_mut("a") { list.push(cx.peer.elicit::<Count>("k").await?.map_or(0, |c| c.n)); }
        lists.get_mut("a").unwrap().push(cx.peer.elicit::<Count>("n").await?.map_or(0, |c| c.n));
        t.effect(lists.get_mut(&key).ok_or("gone")?.pop());
        lists.get_mut(&key).ok_or("gone")?.insert(0, { t.note("first"); cx.peer.elicit::<Count>("m").await?.map_or(0, |c| c.n) });
        sets.last_mut().expect("one").insert(cx.peer.elicit::<Count>("s").await?.map_or(0, |c| c.n));
        lists.get_mut("b").ok_or("gone before it is asked")?.push(cx.peer.elicit::<Count>("never").await?.map_or(0, |c| c.n));
        Ok(format!("{lists:?} {sets:?}"))
    }

    async fn stepped_by_hand(cx, t) {
        let text = String::from("a\nbb\nccc");
        let mut lines = text.lines();
        let first = t.effect(lines.next());
        let mut sum = 0;
        while let Some(line) = lines.next() {
            let n = cx.peer.elicit::<Count>(line).await?.map_or(0, |c| c.n);
            sum += n + line.len() as i64;
            if t.effect(n) > 7 { break; }
        }
        let pairs = vec![(1i64, String::from("x")), (2, String::from("y"))];
        let mut rest = pairs.iter().enumerate().rev();
        'all: while let Some((at, (n, name))) = rest.next() {
            for turn in 0..2 {
                if cx.peer.elicit::<Confirm>(name.as_str()).await?.is_some_and(|c| c.ok) { continue 'all; }
                t.effect((at, n, turn));
            }
        }
        Ok(format!("{first:?} {sum}"))
    }

    async fn stepped_and_no_iterator(cx, t) {
        let names = vec!["one ".to_owned(), "".to_owned(), " three".to_owned()];
        let mut owned = names.into_iter().enumerate().skip(1);
        while let Some((at, name)) = owned.next() {
            t.effect((at, &name));
            let text = format!("{} {name}", cx.peer.elicit::<Count>(name.as_str()).await?.map_or(0, |c| c.n));
            t.effect(text);
        }
        let mut own = Numbers { left: 2 };
        while let Some(n) = own.next() { t.effect(n); cx.peer.elicit::<Confirm>("own").await?; if n == 1 { own.left -= 1; } }
        let mut queue = VecDeque::from([1i64, 2]);
        while let Some(n) = queue.pop_front() {
            if cx.peer.elicit::<Confirm>(format!("{n}?")).await?.is_some_and(|c| c.ok) && n < 3 { queue.push_back(n + 2); }
        }
        Ok(format!("{own:?} {queue:?}"))
    }

    async fn looked_up_in_the_head(cx, t) {
        let mut rows = vec![vec![1i64, 2], vec![3]];
        let mut groups = BTreeMap::from([(1i64, vec![1i64, 2]), (2, vec![3])]);
        let mut best = Some(4i64);
        let (at, key) = (1usize, 2i64);
        'rows: for n in rows.last_mut().unwrap() { *n += cx.peer.elicit::<Count>("r").await?.map_or(0, |c| c.n); t.effect(&*n); if *n > 5 { continue 'rows; } *n += 10; }
        for (i, n) in groups.get_mut(&1).ok_or("none")?.iter_mut().enumerate().skip(1) { *n += cx.peer.elicit::<Count>("g").await?.map_or(0, |c| c.n) + i as i64; }
        for n in groups.entry(key).or_default() { *n += cx.peer.elicit::<Count>("e").await?.map_or(0, |c| c.n); }
        for n in groups.entry(key + 1).or_insert_with(|| vec![7, 8]).iter_mut().rev() { if *n == 7 { break; } *n += cx.peer.elicit::<Count>("i").await?.map_or(0, |c| c.n); }
        for n in rows.iter_mut().max_by_key(|row| row.len()).unwrap().iter_mut() { *n += cx.peer.elicit::<Count>("m").await?.map_or(0, |c| c.n); }
        for n in rows.get_mut(at).unwrap().iter_mut().take(2) { *n += cx.peer.elicit::<Count>("t").await?.map_or(0, |c| c.n); }
        for n in &mut best { *n += cx.peer.elicit::<Count>("b").await?.map_or(0, |c| c.n); }
        for n in best.as_mut() { *n += cx.peer.elicit::<Count>("a").await?.map_or(0, |c| c.n); }
        Ok(format!("{rows:?} {groups:?} {best:?}"))
    }

    async fn methods_of_a_collection(cx, t) {
        let mut list = vec![1i64, 2, 3];
        for n in (&list).rev(t) { t.effect(n + cx.peer.elicit::<Count>("r").await?.map_or(0, |c| c.n)); }
        let lent = &mut list;
        for n in lent.take(2) { t.effect(n + cx.peer.elicit::<Count>("t").await?.map_or(0, |c| c.n)); }
        for n in (&mut *lent).take(1) { t.effect(n + cx.peer.elicit::<Count>("u").await?.map_or(0, |c| c.n)); }
        let others = vec![String::from("a")];
        let others = &others;
        let again = &mut list;
        for n in again.cycle() { t.effect(n + cx.peer.elicit::<Count>("v").await?.map_or(0, |c| c.n)); }
        for n in (&mut list).rev(t) { t.effect((n, others)); }
        Ok(format!("{list:?}"))
    }

    async fn options_and_what_an_ask_gives(cx, t) {
        let (some, none, nested) = (Some(3i64), None::<i64>, Some(Some(2i64)));
        for n in some.map(|n| t.effect(n)).filter(|n| *n > 2) { t.effect(n + cx.peer.elicit::<Count>("s").await?.map_or(0, |c| c.n)); }
        for n in none.map(|n| t.effect(n)) { t.effect(n + cx.peer.elicit::<Count>("n").await?.map_or(0, |c| c.n)); }
        for n in nested.flatten().map(|n| t.effect(n)) { t.effect(n + cx.peer.elicit::<Count>("f").await?.map_or(0, |c| c.n)); }
        let found: Result<i64, String> = Ok(4);
        for n in found.map(|n| t.effect(n)) { t.effect(n + cx.peer.elicit::<Count>("o").await?.map_or(0, |c| c.n)); }
        for n in cx.peer.elicit::<Text>("words").await?.map_or(Vec::new(), |a| a.text.chars().collect()).into_iter().map(|c| t.effect(c)).filter(|c| *c != 'p') {
            t.effect((n, cx.peer.elicit::<Count>("w").await?.map_or(0, |c| c.n)));
        }
        for (i, n) in t.fetch(vec![1i64, 2]).await.iter().copied().filter(|n| n % 2 == 1).enumerate() { t.effect((i, n, cx.peer.elicit::<Count>("p").await?.map_or(0, |c| c.n))); }
        let eager = [1i64, 2].map(|n| t.effect(n));
        for n in eager { t.effect(n + cx.peer.elicit::<Count>("e").await?.map_or(0, |c| c.n)); }
        Ok(format!("{some:?}"))
    }

}
