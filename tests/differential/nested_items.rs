//! Items that have items: `flat_map` and `flatten` are a loop in the loop; `scan` and `map_while` carry on and end as in plain Rust.

use rmcp::{RoleServer, service::RequestContext};
use tests::{
    Failure, Trace,
    answers::{Confirm, Count},
    cases,
};

/// Without serde: only places of it live on.
struct Order {
    id: i64,
    lines: Vec<Line>,
    note: Option<String>,
}

struct Line {
    name: String,
    count: i64,
}

static ORDERS: std::sync::LazyLock<Vec<Order>> = std::sync::LazyLock::new(|| {
    let line = |name: &str, count| Line {
        name: name.to_owned(),
        count,
    };
    vec![
        Order {
            id: 1,
            lines: vec![line("a", 2), line("b", 3)],
            note: None,
        },
        Order {
            id: 2,
            lines: vec![],
            note: Some("empty".to_owned()),
        },
        Order {
            id: 3,
            lines: vec![line("c", 0), line("d", 4)],
            note: Some("last".to_owned()),
        },
    ]
});

/// Owned, mostly: of closures over what is borrowed, rustc cannot prove that a future with a `flat_map` of them is `Send`.
static ROWS: &[&[i64]] = &[&[1, 2, 3], &[], &[4, 5], &[6, 7]];

fn rows() -> Vec<Vec<i64>> {
    ROWS.iter().map(|row| row.to_vec()).collect()
}

fn doubled(n: &i64) -> Vec<i64> {
    vec![*n, n * 2]
}

cases! {
    async fn lines_of_orders(cx, t) {
        let mut sum = 0;
        for line in ORDERS.iter().flat_map(|order| order.lines.iter()) {
            t.note(&line.name);
            sum += line.count * cx.peer.elicit::<Count>(format!("{}?", line.name)).await?.map_or(1, |c| c.n);
            t.note(&line.name);
        }
        Ok(format!("{sum}"))
    }

    async fn with_the_outer_one(cx, t) {
        let factor = 3;
        let mut seen = Vec::new();
        for (id, line) in ORDERS.iter().filter(|order| t.effect(order.id) != 2).flat_map(|order| (0..order.lines.len()).map(move |n| (order.id * factor, &order.lines[n]))) {
            cx.peer.elicit::<Confirm>(format!("{id} {}", line.name)).await?;
            seen.push(format!("{id}{}{}", line.name, line.count));
        }
        Ok(seen.join(","))
    }

    async fn break_and_continue_are_those_of_the_whole(cx, t) {
        let mut sum = 0;
        for n in rows().into_iter().filter(|list| { t.note("row"); list.len() < 9 }).flatten() {
            if n % 2 == 0 { continue; }
            if n > 5 { break; }
            sum += n + i64::from(cx.peer.elicit::<Confirm>(format!("{n}")).await?.is_some_and(|c| c.ok));
            t.effect(sum);
        }
        'all: for a in rows().into_iter().map(|row| { t.effect(row.len()); row }).flat_map(|row| row) {
            for b in rows().into_iter().flat_map(|row| row.into_iter().map(|b| t.effect(b + 1))) {
                if b == 3 { continue; }
                if b > 4 { break; }
                if a == 3 { break 'all; }
                if a == 2 { continue 'all; }
                sum += cx.peer.elicit::<Count>(format!("{a} {b}")).await?.map_or(1, |c| c.n);
            }
            loop { if sum > 3 { break; } sum += 1; }
            t.effect((a, sum));
        }
        Ok(format!("{sum}"))
    }

    async fn items_that_are_owned(cx, t) {
        let text = "3,x;4;,5";
        let mut out = String::new();
        for n in text.split(';').flat_map(|part| part.split(',')).flat_map(|n| n.parse::<i64>().ok()) {
            cx.peer.elicit::<Confirm>(format!("{n}")).await?;
            out += &n.to_string();
        }
        for n in [1i64, 2, 3].iter().flat_map(doubled).enumerate().filter(|(i, _)| i % 2 == 0) {
            cx.peer.elicit::<Confirm>(format!("{n:?}")).await?;
            out += &t.effect(n.1).to_string();
        }
        for n in (0..3).flat_map(|n| vec![t.effect(n); n]) { cx.peer.elicit::<Confirm>(format!("{n}")).await?; t.note("after"); }
        for n in (1..3).flat_map(|n| [n, -n]).skip(1) { cx.peer.elicit::<Confirm>(format!("{n}")).await?; }
        for note in ORDERS.iter().flat_map(|order| order.note.as_deref()) { cx.peer.elicit::<Confirm>(note).await?; out += note; }
        Ok(out)
    }

    async fn names_of_the_closure_are_its_own(cx, t) {
        let n = 100i64;
        let row = "outer";
        let rows = vec![(1i64, vec![2i64, 3]), (4, vec![5])];
        for n in rows.into_iter().flat_map(|(n, row)| row.into_iter().map(move |m| n * m)).filter(|m| { t.effect((n, *m)); m % 4 != 1 }) {
            cx.peer.elicit::<Confirm>(format!("{n} {row}")).await?;
        }
        for Line { name, count } in ORDERS.iter().flat_map(|Order { lines, .. }| lines) {
            cx.peer.elicit::<Confirm>(format!("{name} {count}")).await?;
            t.effect(count);
        }
        Ok(format!("{n} {row}"))
    }

    async fn three_deep(cx, t) {
        let cube = vec![vec![vec![1i64], vec![2, 3]], vec![vec![], vec![4]]];
        let mut sum = 0;
        for n in cube.iter().flat_map(|plane| plane.iter()).flat_map(|row| row.iter()).inspect(|n| { t.effect(**n); }) {
            if *n == 3 { break; }
            sum += n * cx.peer.elicit::<Count>(format!("{n}")).await?.map_or(1, |c| c.n);
        }
        for n in cube.into_iter().flat_map(|plane| plane).filter(|row| !row.is_empty()).flatten().skip_while(|n| t.effect(*n) < 2) {
            sum += n * cx.peer.elicit::<Count>(format!("{n}")).await?.map_or(1, |c| c.n);
        }
        Ok(format!("{sum}"))
    }

    async fn carried_on(cx, t) {
        let list = [3i64, 1, 4, 1, 5, 9];
        let mut out = Vec::new();
        for sum in list.iter().scan(0i64, |sum, n| { *sum += t.effect(*n); (*sum < 12).then_some(*sum) }) {
            let more = cx.peer.elicit::<Count>(format!("{sum}")).await?.map_or(0, |c| c.n);
            out.push(sum + more);
        }
        let first = String::from(">");
        for text in list.iter().scan(first.clone(), |text, n| { text.push_str(&n.to_string()); Some(text.clone()) }).take(3) {
            cx.peer.elicit::<Confirm>(text.as_str()).await?;
            t.note(&text);
        }
        Ok(format!("{out:?} {first}"))
    }

    async fn while_it_maps(cx, t) {
        let text = "1 2 x 3";
        let mut sum = 0;
        for n in text.split(' ').map_while(|n| { t.note(n); n.parse::<i64>().ok() }) {
            sum += n * cx.peer.elicit::<Count>(format!("{n}")).await?.map_or(1, |c| c.n);
        }
        for n in vec![vec!["1", "2"], vec!["-", "3"], vec!["4"]].iter().flat_map(|row| row.iter()).map_while(|n| { t.note(n); n.parse::<i64>().ok() }) {
            sum += n * cx.peer.elicit::<Count>(format!("{n}")).await?.map_or(1, |c| c.n);
        }
        Ok(format!("{sum}"))
    }

    async fn taken_by_value(cx, t) {
        let factor = 2;
        for text in (0..2).flat_map(|n| (0..3).map(move |name| format!("{name}{}", n * factor))) {
            cx.peer.elicit::<Confirm>(text.as_str()).await?;
            t.note(&text);
        }
        for n in [1, 2].into_iter().map(move |n| n * factor) { cx.peer.elicit::<Confirm>(format!("{n}")).await?; }
        Ok(format!("{factor}"))
    }

    async fn parts_of_a_tuple_by_themselves(cx, t) {
        let mut seen = Vec::new();
        for (i, order) in ORDERS.iter().filter(|order| order.id != 2).enumerate() {
            cx.peer.elicit::<Confirm>(format!("{i} {}", order.id)).await?;
            seen.push(format!("{i} {}", order.lines.len()));
        }
        for (id, note, order) in ORDERS.iter().map(|order| (t.effect(order.id), &order.note, order)) {
            cx.peer.elicit::<Confirm>(format!("{id} {note:?}")).await?;
            seen.push(format!("{id} {note:?} {}", order.lines.len()));
        }
        let mut n = 0;
        for order in ORDERS.iter() {
            let (id, same, lines, length) = (t.effect(order.id), order, &order.lines, { n += 1; order.lines.len() });
            let (before, after) = (n, { n += 1; n });
            cx.peer.elicit::<Confirm>(format!("{id} {before} {after} {length}")).await?;
            seen.push(format!("{} {}", same.id, lines.len()));
        }
        let mut current = &ORDERS[0];
        let (was, now) = (current.id, { current = &ORDERS[2]; current.id });
        seen.push(format!("{was} {now}"));
        Ok(seen.join(","))
    }
}
