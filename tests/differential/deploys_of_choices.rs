//! One of several places, clones and functions, before and after an edit that has them in another order: what a call under way has
//! chosen is what goes on, or it is refused.

use std::sync::{Arc, LazyLock};

use rmcp::{RoleServer, service::RequestContext};
use tests::{
    Failure, Trace,
    answers::{Confirm, SCRIPTS},
    deploys::{Edit, check_edit},
};

type Context = RequestContext<RoleServer>;

struct Client(&'static str);

struct Both {
    left: Client,
    right: Client,
    third: Client,
    spare: Option<Client>,
    first: Arc<Client>,
    second: Arc<Client>,
}

static BOTH: LazyLock<Both> = LazyLock::new(|| Both {
    left: Client("left"),
    right: Client("right"),
    third: Client("third"),
    spare: Some(Client("spare")),
    first: Arc::new(Client("first")),
    second: Arc::new(Client("second")),
});

fn doubled(n: i64) -> i64 {
    n * 2
}

fn negated(n: i64) -> i64 {
    -n
}

/// Two texts of a function of the state, and the edit between them.
macro_rules! edits {
    ($($name:ident($cx:ident, $t:ident, $both:ident) { $($before:tt)* } { $($after:tt)* })*) => {
        $(
            #[allow(warnings, clippy::all)]
            mod $name {
                pub(super) mod before {
                    use super::super::*;
                    edits!(@texts $cx, $t, $both, $($before)*);
                }
                pub(super) mod after {
                    use super::super::*;
                    edits!(@texts $cx, $t, $both, $($after)*);
                }
            }
        )*
        fn all() -> Vec<Edit> {
            vec![$(Edit {
                name: stringify!($name),
                before: |cx, t| Box::pin($name::before::run(cx, t)),
                after: |cx, t| Box::pin($name::after::run(cx, t)),
            }),*]
        }
    };
    (@texts $cx:ident, $t:ident, $both:ident, $($text:tt)*) => {
        #[saga_runtime::saga]
        async fn edited($cx: &Context, $t: &Trace, $both: &Both) -> Result<String, Failure> { $($text)* }

        #[saga_runtime::saga]
        pub(in super::super) async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
            edited(&cx, t, &BOTH).await
        }
    };
}

edits! {
    assigned(cx, t, both) {
        let mut one = &both.left;
        if t.effect(true) { one = &both.right; }
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(t.effect(one.0).to_owned())
    } {
        let mut one = &both.right;
        if t.effect(true) { one = &both.left; }
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(t.effect(one.0).to_owned())
    }

    assigned_later(cx, t, both) {
        let mut one = &both.left;
        if t.effect(true) { one = &both.right; } else { one = &both.third; }
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(t.effect(one.0).to_owned())
    } {
        let mut one = &both.left;
        if t.effect(true) { one = &both.third; } else { one = &both.right; }
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(t.effect(one.0).to_owned())
    }

    one_more(cx, t, both) {
        let mut one = &both.left;
        if t.effect(true) { one = &both.right; }
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(t.effect(one.0).to_owned())
    } {
        let mut one = &both.left;
        if t.effect(false) { one = &both.third; }
        if t.effect(true) { one = &both.right; }
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(t.effect(one.0).to_owned())
    }

    of_arms(cx, t, both) {
        let one = match &both.spare { Some(spare) if t.effect(true) => spare, Some(_) => &both.left, None => &both.right };
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(t.effect(one.0).to_owned())
    } {
        let one = match &both.spare { None => &both.right, Some(_) if t.effect(false) => &both.left, Some(spare) => spare };
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(t.effect(one.0).to_owned())
    }

    of_a_chain(cx, t, both) {
        let one = if t.effect(false) { &both.left } else if t.effect(true) { &both.right } else { &both.left };
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(t.effect(one.0).to_owned())
    } {
        let one = if t.effect(false) { &both.right } else if t.effect(true) { &both.left } else { &both.left };
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(t.effect(one.0).to_owned())
    }

    of_clones(cx, t, both) {
        let one = if t.effect(true) { both.first.clone() } else { both.second.clone() };
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(t.effect(one.0).to_owned())
    } {
        let one = if t.effect(true) { both.second.clone() } else { both.first.clone() };
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(t.effect(one.0).to_owned())
    }

    of_functions(cx, t, both) {
        let op = if t.effect(true) { doubled } else { negated };
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{}", op(3)))
    } {
        let op = if t.effect(true) { negated } else { doubled };
        let _ = cx.peer.elicit::<Confirm>("sure?").await;
        Ok(format!("{}", op(3)))
    }
}

#[tokio::test]
async fn what_was_chosen_goes_on_or_is_refused() {
    // Where it is borrowed or made again by a number, that is read with what it chose of.
    let by_number = ["of_a_chain", "of_clones", "of_functions"];
    for edit in all() {
        let deployed = check_edit(&edit, 0..SCRIPTS).await;
        assert_eq!(
            deployed.on == 0,
            by_number.contains(&edit.name),
            "{}: {deployed:?}",
            edit.name
        );
    }
}
