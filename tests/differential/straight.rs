//! Straight lines: asks as statements, in `let`, under `?`, in chains, as arguments and operands.

use rmcp::{
    RoleServer,
    model::*,
    service::{ElicitationError, ElicitationMode, RequestContext},
};
use tests::{
    Failure, Trace,
    answers::{Confirm, Count, Text},
    cases,
};

cases! {
    async fn one_ask(cx, t) {
        let id = t.fetch(7).await;
        let count = cx.peer.elicit::<Count>("how many?").await?;
        t.note("after");
        Ok(format!("{id} {count:?}"))
    }

    async fn two_asks(cx, t) {
        let id = t.effect(1u8);
        let first = cx.peer.elicit::<Count>("first").await?.ok_or("none")?;
        t.effect(first.n);
        let second = cx.peer.elicit::<Count>(format!("second after {}", first.n)).await?.ok_or("none")?;
        Ok(format!("{id} {} {}", first.n, second.n))
    }

    async fn statement(cx, t) {
        t.note("before");
        cx.peer.elicit::<Confirm>("go on?").await?;
        t.note("between");
        let _ = cx.peer.elicit::<Confirm>("really?").await;
        Ok("done".into())
    }

    async fn peer_alias(cx, t) {
        let peer = cx.peer.clone();
        let a = peer.elicit::<Count>("a").await?;
        let peer = &cx.peer;
        t.note("x");
        let b = peer.elicit::<Count>("b").await?;
        Ok(format!("{a:?} {b:?}"))
    }

    async fn inferred_type(cx, t) {
        let a: Option<Count> = cx.peer.elicit("a").await?;
        let b: Result<Option<Confirm>, ElicitationError> = cx.peer.elicit("b").await;
        Ok(format!("{a:?} {:?}", b.is_ok()))
    }

    async fn in_a_chain(cx, t) {
        let n = cx.peer.elicit::<Count>("n").await.map_err(|e| { t.note("mapped"); Failure(format!("{e:?}")) })?.map(|c| c.n + 1).unwrap_or_default();
        let m = cx.peer.elicit::<Count>("m").await.ok().flatten().map_or(-1, |c| c.n);
        Ok(format!("{}", n * m))
    }

    async fn arguments_in_order(cx, t) {
        fn join(a: String, b: i64, c: String) -> String { format!("{a}-{b}-{c}") }
        let s = String::from("s");
        let text = join(t.effect(s.clone()), cx.peer.elicit::<Count>("n").await?.ok_or("none")?.n, t.effect(format!("{s}!")));
        Ok(text)
    }

    async fn two_in_one_call(cx, t) {
        let pair = (t.effect(1), cx.peer.elicit::<Count>("a").await?.ok_or("none")?.n, t.effect(2), cx.peer.elicit::<Count>("b").await?.ok_or("none")?.n, t.effect(3));
        Ok(format!("{pair:?}"))
    }

    async fn operand(cx, t) {
        let mut x = 10;
        let sum = x + { x += 1; t.effect(x) } + cx.peer.elicit::<Count>("n").await?.ok_or("none")?.n + { x += 100; x };
        Ok(format!("{sum} {x}"))
    }

    async fn mutable_operand_keeps_its_value(cx, t) {
        let mut x = 1i64;
        let pair = (x, { x = 5; cx.peer.elicit::<Count>("n").await?.ok_or("none")?.n }, x);
        Ok(format!("{pair:?}"))
    }

    async fn receiver_is_evaluated_first(cx, t) {
        let text = t.effect(String::from("abc")).replace("b", &cx.peer.elicit::<Text>("t").await?.ok_or("none")?.text);
        Ok(text)
    }

    async fn struct_and_array(cx, t) {
        #[derive(Debug)]
        struct Pair { a: i64, b: [i64; 2] }
        let pair = Pair { a: t.effect(4), b: [t.effect(5), cx.peer.elicit::<Count>("n").await?.ok_or("none")?.n] };
        Ok(format!("{pair:?}"))
    }

    async fn short_circuit(cx, t) {
        let yes = t.effect(true) && cx.peer.elicit::<Confirm>("a").await?.ok_or("none")?.ok && t.effect(true);
        let no = yes || cx.peer.elicit::<Confirm>("b").await?.ok_or("none")?.ok;
        Ok(format!("{yes} {no}"))
    }

    async fn assignment(cx, t) {
        let mut n = 1;
        n = cx.peer.elicit::<Count>("n").await?.ok_or("none")?.n + n;
        n += cx.peer.elicit::<Count>("m").await?.ok_or("none")?.n;
        let mut list = vec![0, 0, 0];
        list[1] = cx.peer.elicit::<Count>("i").await?.ok_or("none")?.n;
        Ok(format!("{n} {list:?}"))
    }

    async fn comparison(cx, t) {
        let limit = String::from("alpha");
        let same = limit == cx.peer.elicit::<Text>("t").await?.ok_or("none")?.text;
        Ok(format!("{same} {limit}"))
    }

    async fn negation_and_cast(cx, t) {
        let n = -(cx.peer.elicit::<Count>("n").await?.ok_or("none")?.n) as f64;
        let not = !cx.peer.elicit::<Confirm>("ok").await?.ok_or("none")?.ok;
        Ok(format!("{n} {not}"))
    }

    async fn sampling_and_roots(cx, t) {
        let prompt = SamplingMessage::user_text("hello");
        let reply = cx.peer.create_message(CreateMessageRequestParams::new(vec![prompt], 10)).await?;
        t.effect(reply.model.clone());
        let roots = cx.peer.list_roots().await?;
        Ok(format!("{:?} {:?}", reply.message, roots.roots.len()))
    }

    async fn elicitation_kinds(cx, t) {
        let raw = ElicitRequestParams::FormElicitationParams { meta: None, message: "raw".into(), requested_schema: ElicitationSchema::from_type::<Count>()? };
        let first = cx.peer.create_elicitation(raw).await?;
        let waited = cx.peer.elicit_with_timeout::<Count>("w", Some(std::time::Duration::from_secs(600))).await?;
        Ok(format!("{first:?} {waited:?}"))
    }

    async fn what_the_client_can(cx, t) {
        let forms = cx.peer.supported_elicitation_modes().contains(&ElicitationMode::Form);
        let tools = cx.peer.supports_sampling_tools();
        let n = cx.peer.elicit::<Count>("n").await?;
        let again = cx.peer.supports_sampling_tools();
        Ok(format!("{forms} {tools} {n:?} {again}"))
    }

    async fn early_return(cx, t) {
        let n = cx.peer.elicit::<Count>("n").await?.ok_or("none")?.n;
        if n > 1 { t.note("big"); return Ok(format!("big {n}")); }
        let m = cx.peer.elicit::<Count>("m").await?.ok_or("none")?.n;
        return Ok(format!("{n} {m}"));
    }

    async fn shadowing(cx, t) {
        let x = 1;
        let x = x + cx.peer.elicit::<Count>("n").await?.ok_or("none")?.n;
        let y = { let x = String::from("inner"); let n = cx.peer.elicit::<Count>("m").await?.ok_or("none")?.n; format!("{x}{n}") };
        let x = format!("{x}/{y}");
        cx.peer.elicit::<Confirm>("ok").await?;
        Ok(x)
    }

    async fn captures(cx, t) {
        let name = t.effect(String::from("n"));
        let width = 6usize;
        cx.peer.elicit::<Confirm>(format!("{name:>width$}")).await?;
        Ok(format!("{name:>width$} {{name}}"))
    }

    async fn items_in_the_body(cx, t) {
        const LIMIT: i64 = 3;
        fn double(n: i64) -> i64 { n * 2 }
        let n = cx.peer.elicit::<Count>("n").await?.ok_or("none")?.n;
        struct Late(i64);
        let late = Late(double(n));
        cx.peer.elicit::<Confirm>("ok").await?;
        Ok(format!("{}", n.min(LIMIT)))
    }

    async fn ordinary_awaits_between(cx, t) {
        let a = t.fetch(1).await;
        let n = cx.peer.elicit::<Count>("n").await?.ok_or("none")?.n + t.fetch(2).await;
        let b = t.fetch(3).await;
        cx.peer.elicit::<Confirm>("ok").await?;
        Ok(format!("{a} {n} {b} {}", t.fetch(4).await))
    }

    async fn uninitialized(cx, t) {
        let label;
        let n;
        n = cx.peer.elicit::<Count>("n").await?.ok_or("none")?.n;
        if n > 1 { label = "many".to_string(); } else { label = "few".to_string(); }
        cx.peer.elicit::<Confirm>("ok").await?;
        Ok(format!("{n} {label}"))
    }

    async fn a_type_beside_a_pattern_is_each_variables_part_of_it(cx, t) {
        let (mut x, y): (u8, bool) = t.effect((1, true));
        let (mut a, (mut b, _)): (i64, (u16, u8)) = t.effect((1, (2, 3)));
        let first = cx.peer.elicit::<Confirm>("first").await?.is_some();
        x = 200;
        a = 5;
        b = 7;
        let second = cx.peer.elicit::<Confirm>("second").await?.is_some();
        Ok(format!("{} {y} {a} {} {first} {second}", x.wrapping_add(100), b.leading_zeros()))
    }

    async fn a_variable_keeps_its_type_where_it_is_given_another_value(cx, t) {
        let mut x = t.effect(0u8);
        let mut y = 1u16;
        let mut list = vec![0u8];
        let sure = cx.peer.elicit::<Confirm>("sure?").await?.is_some();
        x = 200;
        y = -1i64 as _;
        list = Vec::new();
        list.extend(std::iter::repeat_n(255, 2));
        Ok(format!("{} {y} {list:?} {sure}", x.wrapping_add(100)))
    }

    async fn a_block_whose_value_nobody_takes(cx, t) {
        let stop = t.effect(false);
        async { if stop { return 3u8; } let sure = cx.peer.elicit::<Confirm>("a").await.is_ok(); t.effect(sure); if sure { 1 } else { 2 } }.await;
        'block: { if stop { break 'block Some(1u8); } let sure = cx.peer.elicit::<Confirm>("b").await.is_ok(); if sure { break 'block None; } Some(2) };
        let _ = async { if stop { return Err(3u8); } let sure = cx.peer.elicit::<Confirm>("c").await.is_ok(); if sure { Err(1u8)?; } Ok(2u8) }.await;
        Ok(format!("{stop}"))
    }
}
