//! What ordinary and hostile functions do with borrowed.

#![allow(
    warnings,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

/// `[&str; 3]`.
mod str_array_01 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    tests::cases! {
        async fn str_array_01(cx, t) {
            let owner = t.effect(String::from("x/y/z"));
            let parts: [&str; 3] = { let mut p = owner.split('/'); [p.next().unwrap(), p.next().unwrap(), p.next().unwrap()] };
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n as usize;
            t.note(parts[n % 3]);
            let ok = cx.peer.elicit::<Confirm>(parts[1]).await?.ok_or("none")?.ok;
            Ok(format!("{parts:?} {ok}"))
        }
    }
}

/// `&'static str` of a function of the author's, evaluated once.
mod str_literal_static_01 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    fn level(t: &Trace, n: i64) -> &'static str {
        t.note("level");
        if n > 1 { "high" } else { "low" }
    }

    tests::cases! {
        async fn str_literal_static_01(cx, t) {
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            let level = level(t, n);
            let ok = cx.peer.elicit::<Confirm>(format!("{level}?")).await?.ok_or("none")?.ok;
            t.note(level);
            Ok(format!("{level} {ok}"))
        }
    }
}

/// `HashMap<&str, _>`.
mod str_map_01 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    tests::cases! {
        async fn str_map_01(cx, t) {
            use std::collections::HashMap;
            let text = t.effect(String::from("a b a c a b"));
            let mut words: HashMap<&str, usize> = HashMap::new();
            for word in text.split(' ') { *words.entry(word).or_default() += 1; }
            let ok = cx.peer.elicit::<Confirm>("count?").await?.ok_or("none")?.ok;
            let mut list: Vec<_> = words.into_iter().collect();
            list.sort();
            Ok(format!("{list:?} {ok}"))
        }
    }
}

/// `BTreeMap<&str, Vec<&str>>`.
mod str_map_02 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    tests::cases! {
        async fn str_map_02(cx, t) {
            use std::collections::BTreeMap;
            let files = vec![String::from("src/a.rs"), String::from("src/b.rs"), String::from("docs/c.md")];
            let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
            for file in &files {
                let (folder, name) = file.split_once('/').unwrap();
                groups.entry(folder).or_default().push(name);
            }
            let mut done = Vec::new();
            for (folder, names) in &groups {
                if cx.peer.elicit::<Confirm>(format!("{folder}: {}?", names.len())).await?.ok_or("none")?.ok { done.push(format!("{folder}{names:?}")); }
                t.note(folder);
            }
            Ok(format!("{done:?} {groups:?}"))
        }
    }
}

/// Nested: `Option<(&str, Vec<&str>)>`, `Result<&str, String>`.
mod str_nested_01 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    tests::cases! {
        async fn str_nested_01(cx, t) {
            let line = t.effect(String::from("git commit -a -m"));
            let parsed: Option<(&str, Vec<&str>)> = line.split_once(' ').map(|(program, rest)| (program, rest.split(' ').collect()));
            let checked: Result<&str, String> = line.strip_prefix("git ").ok_or_else(|| String::from("no git"));
            let ok = cx.peer.elicit::<Confirm>("run?").await?.ok_or("none")?.ok;
            if let Some((program, flags)) = &parsed { t.effect((program, flags.len())); }
            let n = cx.peer.elicit::<Count>(checked.clone().unwrap_or("x")).await?.ok_or("none")?.n;
            Ok(format!("{parsed:?} {checked:?} {ok} {n}"))
        }
    }
}

/// `(&str, u32)`.
mod str_tuple_01 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    tests::cases! {
        async fn str_tuple_01(cx, t) {
            let spec = t.effect(String::from("cpu=4"));
            let pair: (&str, u32) = spec.split_once('=').map(|(k, v)| (k, v.parse().unwrap())).unwrap_or(("none", 0));
            let ok = cx.peer.elicit::<Confirm>(format!("{} of {}", pair.1, pair.0)).await?.ok_or("none")?.ok;
            Ok(format!("{pair:?} {ok}"))
        }
    }
}

/// `Vec<&str>`.
mod vec_str_01 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    tests::cases! {
        async fn vec_str_01(cx, t) {
            let list = t.effect(String::from("api, web, db"));
            let names: Vec<&str> = list.split(',').map(str::trim).collect();
            let mut gone = Vec::new();
            for name in &names {
                if cx.peer.elicit::<Confirm>(format!("stop {name}?")).await?.ok_or("none")?.ok { gone.push(*name); }
            }
            t.effect(&gone);
            Ok(format!("{gone:?} of {names:?}"))
        }
    }
}

/// `Vec<&str>` of literals with pushes.
mod vec_str_02 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    tests::cases! {
        async fn vec_str_02(cx, t) {
            let mut reasons = vec!["list price"];
            if cx.peer.elicit::<Confirm>("student?").await?.ok_or("none")?.ok { reasons.push("student"); }
            let n = cx.peer.elicit::<Count>("years?").await?.ok_or("none")?.n;
            if n > 2 { reasons.push("loyal"); }
            reasons.retain(|r| !r.is_empty());
            let ok = cx.peer.elicit::<Confirm>(reasons.join(", ")).await?.ok_or("none")?.ok;
            Ok(format!("{reasons:?} {ok}"))
        }
    }
}

/// All cases of this module.
pub(super) fn all() -> Vec<tests::Case> {
    let all = [
        str_array_01::all(),
        str_literal_static_01::all(),
        str_map_01::all(),
        str_map_02::all(),
        str_nested_01::all(),
        str_tuple_01::all(),
        vec_str_01::all(),
        vec_str_02::all(),
    ];
    all.into_iter().flatten().collect()
}
