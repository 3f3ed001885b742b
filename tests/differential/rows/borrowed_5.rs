//! Places that are borrowed again, and names that only look like constants.

/// A list in a list, both changed in place while it asks.
mod nested_in_place {
    use rmcp::{RoleServer, service::RequestContext};
    use tests::{Failure, Trace, answers::Count};

    tests::cases! {
        async fn nested_in_place(cx, t) {
            let mut shelves: Vec<Vec<i64>> = vec![vec![1, 2], vec![3]];
            for shelf in shelves.iter_mut() {
                for book in shelf.iter_mut() {
                    *book += cx.peer.elicit::<Count>(format!("{book}?")).await?.ok_or("none")?.n;
                    t.effect(&*book);
                }
                shelf.push(0);
            }
            Ok(format!("{shelves:?}"))
        }
    }
}

/// An item of a list that is changed by what is answered, beside a map with borrowed keys.
mod item_in_place {
    use std::collections::BTreeMap;

    use rmcp::{RoleServer, service::RequestContext};
    use tests::{Failure, Trace, answers::Count};

    tests::cases! {
        async fn item_in_place(cx, t) {
            let mut shelves: BTreeMap<&str, Vec<i64>> = BTreeMap::from([("a", vec![1, 2]), ("b", vec![3])]);
            shelves.insert("c", vec![]);
            let at = 1;
            let mut rows = vec![vec![1i64, 2], vec![3]];
            let row = &mut rows[at];
            row.push(cx.peer.elicit::<Count>(format!("{row:?}?")).await?.ok_or("none")?.n);
            t.effect(&*row);
            Ok(format!("{shelves:?} {rows:?}"))
        }
    }
}

/// Variables in upper case are no constants where they are written with `mut`, `ref` or `@`.
#[allow(non_snake_case)]
mod upper_case {
    use rmcp::{RoleServer, service::RequestContext};
    use tests::{Failure, Trace, answers::Count};

    tests::cases! {
        async fn upper_case(cx, t) {
            let mut TOTAL = 1i64;
            TOTAL += cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            t.effect(TOTAL);
            let ALL @ (_, LAST @ _) = (TOTAL, 2i64);
            TOTAL += cx.peer.elicit::<Count>("more?").await?.ok_or("none")?.n;
            Ok(format!("{TOTAL} {ALL:?} {LAST}"))
        }
    }
}

/// What borrows is dropped before what it borrows, in whichever order they were declared.
mod owner_declared_later {
    use rmcp::{RoleServer, service::RequestContext};
    use tests::{Failure, Trace, answers::Count};

    tests::cases! {
        async fn owner_declared_later(cx, t) {
            let part: &[i64];
            let mut list = vec![1i64, 2, 3];
            list.push(cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n);
            part = &list[1..];
            t.effect(part);
            let more = cx.peer.elicit::<Count>(format!("{part:?}")).await?.ok_or("none")?.n;
            Ok(format!("{part:?} {more}"))
        }
    }
}

/// A `Clone` of one's own is called once for each item, when it is taken.
mod own_clone_of_items {
    use rmcp::{RoleServer, service::RequestContext};
    use serde::{Deserialize, Serialize};
    use tests::{Failure, Trace, answers::Count};

    #[derive(Debug, Serialize, Deserialize)]
    struct Card {
        name: String,
        copies: u32,
    }

    impl Clone for Card {
        fn clone(&self) -> Self {
            Self {
                name: format!("{}'", self.name),
                copies: self.copies + 1,
            }
        }
    }

    tests::cases! {
        async fn own_clone_of_items(cx, t) {
            let cards = vec![Card { name: "a".into(), copies: 0 }, Card { name: "b".into(), copies: 0 }];
            let mut total = 0;
            for mut card in cards.iter().cloned() {
                t.effect(&card.name);
                let n = cx.peer.elicit::<Count>(card.name.as_str()).await?.ok_or("none")?.n;
                card.name.push('!');
                total += n;
                cx.peer.elicit::<Count>(card.name.as_str()).await?.ok_or("none")?;
                t.effect(card);
            }
            let words = ["a".to_owned(), "b".to_owned()];
            for (at, word) in words.iter().cloned().enumerate() {
                total += cx.peer.elicit::<Count>(format!("{at} {word}")).await?.ok_or("none")?.n;
                t.effect(word);
            }
            Ok(format!("{cards:?} {total}"))
        }
    }
}

/// All cases of this module.
pub(super) fn all() -> Vec<tests::Case> {
    let all = [
        nested_in_place::all(),
        item_in_place::all(),
        upper_case::all(),
        owner_declared_later::all(),
        own_clone_of_items::all(),
    ];
    all.into_iter().flatten().collect()
}
