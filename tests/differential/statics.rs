//! References to values with texts in them that are there for good: what they point to comes back with texts that are, too.

use std::collections::{BTreeMap, HashMap};

use rmcp::{RoleServer, service::RequestContext};
use serde::{Deserialize, Serialize};
use tests::{
    Failure, Trace,
    answers::{Confirm, Count},
    cases,
};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Card {
    front: &'static str,
    n: i64,
    tags: Vec<&'static str>,
    own: String,
}

fn cards() -> Vec<Card> {
    let card = |front, n, tags: &[&'static str]| Card {
        front,
        n,
        tags: tags.to_vec(),
        own: format!("{front}{n}"),
    };
    vec![
        card("a", 1, &["x", "y"]),
        card("b", 3, &[]),
        card("a", 2, &["y"]),
    ]
}

static QUIZ: std::sync::LazyLock<Vec<Card>> = std::sync::LazyLock::new(cards);

/// Needs a text that is there for good.
fn named(name: &'static str) -> usize {
    name.len()
}

cases! {
    async fn one_or_several(cx, t) {
        let cards = cards();
        let best = cards.iter().max_by_key(|card| t.effect(card.n)).unwrap();
        let found = cards.iter().find(|card| card.n == 7);
        let all: Vec<&Card> = cards.iter().filter(|card| card.n > 1).collect();
        let (pair, rest) = ((3, &cards[1]), &cards[1..]);
        let n = cx.peer.elicit::<Count>(best.front).await?.map_or(0, |c| c.n);
        t.effect((best, found, &all, pair, rest, named(best.front)));
        let m = cx.peer.elicit::<Count>("m").await?.map_or(0, |c| c.n);
        Ok(format!("{n} {m} {best:?} {all:?} {rest:?} {}", pair.1.own))
    }

    async fn grouped(cx, t) {
        let cards = cards();
        let mut groups: BTreeMap<&str, Vec<&Card>> = BTreeMap::new();
        for card in &cards { groups.entry(card.front).or_default().push(card); }
        let counts: HashMap<&str, &Card> = cards.iter().map(|card| (card.own.as_str(), card)).collect();
        for (front, group) in &groups {
            cx.peer.elicit::<Confirm>(format!("{front} {}", group.len())).await?;
            t.effect(group);
        }
        let mut out = String::new();
        for (front, group) in groups {
            for card in group {
                let n = cx.peer.elicit::<Count>(format!("{front} {}", card.n)).await?.map_or(0, |c| c.n);
                out += &format!("{} {n}", counts[card.own.as_str()].tags.join("+"));
            }
        }
        Ok(out)
    }

    async fn in_loops(cx, t) {
        let cards = cards();
        let order: Vec<&Card> = QUIZ.iter().collect();
        let mut best = &cards[0];
        for card in order {
            let n = cx.peer.elicit::<Count>(card.front).await?.map_or(0, |c| c.n);
            t.effect((card, n));
        }
        for card in &cards {
            let n = cx.peer.elicit::<Count>(format!("{}?", card.front)).await?.map_or(0, |c| c.n);
            if card.n > n { best = card; }
            t.effect(&best.own);
        }
        let mut last = None;
        for card in cards.iter().rev() { if last.is_none() { last = Some(card); } cx.peer.elicit::<Confirm>("more?").await?; }
        Ok(format!("{best:?} {last:?} {}", named(best.front)))
    }
}
