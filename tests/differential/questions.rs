//! `Cx` in place of rmcp's handle: without `#[saga]` its questions go to the peer.

use rmcp::{RoleServer, model::SamplingMessage, service::RequestContext};
use saga_runtime::{AskError, Cx, Elicit};
use serde::{Deserialize, Serialize};
use tests::{Failure, Trace};

/// A yes or no.
#[derive(Debug, Deserialize, Elicit)]
pub(super) struct Sure {
    ok: bool,
}

/// A number.
#[derive(Debug, Deserialize, Elicit)]
pub(super) struct Number {
    pub(super) n: i64,
}

/// A text, with something more.
#[derive(Debug, Deserialize, Elicit)]
pub(super) struct Words {
    text: String,
    note: Option<String>,
}

tests::cases! {
    async fn one_question(cx, t) {
        let cx = Cx::from(cx);
        let before = t.effect(7);
        let number = cx.elicit::<Number>("n?").tries(1).await?;
        t.effect(number.n);
        Ok(format!("{before} {}", number.n))
    }

    async fn what_is_said_of_it_is_evaluated_in_order(cx, t) {
        let cx = Cx::from(cx);
        let words = cx
            .elicit::<Words>(t.effect("text?"))
            .key(t.effect("words"))
            .tries(t.effect(1))
            .timeout(t.effect(std::time::Duration::from_secs(600)))
            .await;
        t.note("after");
        Ok(format!("{words:?}"))
    }

    async fn by_kind_of_error(cx, t) {
        let cx = Cx::from(cx);
        let mut said = Vec::new();
        for i in 0..4 {
            match cx.elicit::<Number>(format!("{i}?")).tries(1).await {
                Ok(number) => said.push(number.n.to_string()),
                Err(AskError::Declined) => said.push("no".to_owned()),
                Err(AskError::Dismissed) => break,
                Err(other) => said.push(other.to_string()),
            }
            t.effect(said.len());
        }
        Ok(said.join(","))
    }

    async fn text_and_a_model_and_roots(cx, t) {
        let cx = Cx::from(cx);
        let words = cx.elicit::<Words>("text?").tries(1).await?;
        let reply = cx.sample(format!("{} {:?}", words.text, words.note)).system("s").max_tokens(5).await?;
        t.note(&reply.text());
        let again = cx.sample(vec![SamplingMessage::user_text(reply.text())]).temperature(0.5).await?;
        let roots = cx.roots().await?;
        Ok(format!("{} {} {}", again.text(), again.model, roots[0].uri))
    }

    async fn a_choice_of_what_was_found(cx, t) {
        let cx = Cx::from(cx);
        let found: Vec<String> = ["red", "green", "red"].map(|color| t.effect(color.to_owned())).into();
        let color = cx.choose("Which?", found.clone()).tries(1).await?;
        t.effect(color.len());
        let numbers = cx.choose_many(t.effect("Which of them?"), 1..=4u8).at_least(t.effect(1)).tries(1).await?;
        t.effect(numbers.len());
        let one = cx.choose("One more?", numbers.iter().map(|n| i64::from(*n) * 100)).key("more").tries(1).await;
        Ok(format!("{color} {numbers:?} {one:?} {}", found.len()))
    }

    async fn a_choice_of_values_without_a_text(cx, t) {
        let cx = Cx::from(cx);
        let mut rest: Vec<Copy> = (0..3).map(|shelf| Copy { shelf, worn: shelf == 1 }).collect();
        let mut taken = Vec::new();
        while let Ok(copy) = cx.choose_by("Which copy?", rest.clone(), |copy| format!("shelf {}", copy.shelf)).tries(1).await {
            rest.retain(|other| *other != copy);
            t.effect(&copy);
            taken.push(copy);
        }
        let worn = cx
            .choose_many_by("Which are worn?", taken, |copy| format!("{copy:?}"))
            .at_most(2)
            .tries(1)
            .timeout(t.effect(std::time::Duration::from_secs(600)))
            .await;
        Ok(format!("{worn:?} {}", rest.len()))
    }

    async fn a_page(cx, t) {
        let cx = Cx::from(cx);
        let visited = cx.elicit_url("sign", "https://example.com/sign").id("e").await;
        t.note("visited");
        let sure = cx.elicit::<Sure>("ok?").tries(1).await.is_ok_and(|sure| sure.ok);
        Ok(format!("{visited:?} {sure}"))
    }

    async fn names_of_the_context(cx, t) {
        let whole = Cx::from(cx.clone());
        let lent = &whole;
        let a = lent.elicit::<Number>("a?").tries(1).await?.n;
        let copy = lent.clone();
        let b = copy.elicit::<Number>("b?").tries(1).await?.n;
        let c = Cx::from(cx.clone()).elicit::<Number>("c?").tries(1).await?.n;
        t.effect(a + b + c);
        Ok(format!("{a} {b} {c}"))
    }

    async fn in_conditions_and_operands(cx, t) {
        let cx = Cx::from(cx);
        let mut sum = 1;
        while cx.elicit::<Sure>("more?").tries(1).await?.ok {
            sum += cx.elicit::<Number>(format!("{sum}?")).tries(1).await?.n + t.effect(1);
            if sum > 6 { break; }
        }
        if let Ok(Words { text, .. }) = cx.elicit("text?").tries(1).await {
            return Ok(format!("{sum} {}", Words { text, note: None }.text));
        }
        Ok(format!("{sum}"))
    }
}

/// What is chosen by more than its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Copy {
    shelf: u8,
    worn: bool,
}

/// Helpers that are given the context.
pub(super) mod helpers {
    use super::{super::helpers::helper_cases, *};

    helper_cases! {
        async fn number(cx: &Cx, t: &Trace, message: &str) -> Result<i64, AskError> {
            let number = cx.elicit::<Number>(message).tries(1).await?;
            Ok(t.effect(number.n))
        }

        async fn several(cx: Cx, t: &Trace, times: usize) -> Result<i64, AskError> {
            let mut sum = 0;
            for i in 0..times {
                sum += number(&cx, t, &format!("{i}?")).await?;
            }
            Ok(sum)
        }

        async fn one_after_another(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let cx = Cx::from(cx);
            let first = number(&cx, t, "first?").await?;
            let more = several(cx.clone(), t, 2).await?;
            let sure = cx.elicit::<Sure>("sure?").tries(1).await?;
            Ok(format!("{first} {more} {}", sure.ok))
        }

        cases: one_after_another
    }
}

/// Questions that are put at once.
pub(super) mod joined {
    use super::*;

    tests::cases! {
        async fn with_keys(cx, t) {
            let cx = Cx::from(cx);
            let (a, b, c) = tokio::join!(
                cx.elicit::<Number>("a?").tries(1).key("first"),
                cx.elicit::<Sure>("b?").tries(1).key("second"),
                cx.roots(),
            );
            t.note("after");
            Ok(format!("{:?} {:?} {}", a.map(|a| a.n), b.map(|b| b.ok), c?.len()))
        }

        async fn choices_at_once(cx, t) {
            let cx = Cx::from(cx);
            let options = t.effect(vec!["a".to_owned(), "b".to_owned()]);
            let (one, some, copy) = tokio::join!(
                cx.choose("one?", options.clone()).tries(1),
                cx.choose_many("some?", options.clone()).tries(t.effect(1)),
                cx.choose_by("copy?", vec![Copy { shelf: 1, worn: true }], |copy| format!("shelf {}", copy.shelf)).tries(1),
            );
            t.note("after");
            Ok(format!("{one:?} {some:?} {copy:?} {}", options.len()))
        }

        async fn what_is_said_of_each_is_evaluated_once(cx, t) {
            let cx = Cx::from(cx);
            let label = t.effect("label".to_owned());
            let (a, b) = tokio::join!(
                cx.elicit::<Number>(t.effect(format!("{label} a?"))).tries(t.effect(1)).key(format!("{label}-a")),
                cx.sample(t.effect(format!("{label} b?"))).system(label.as_str()).max_tokens(t.effect(7)),
            );
            t.note(&label);
            let sure = cx.elicit::<Sure>("sure?").tries(1).await.is_ok_and(|sure| sure.ok);
            Ok(format!("{:?} {} {sure}", a.map(|a| a.n), b?.text()))
        }
    }
}
