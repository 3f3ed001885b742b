//! The catalogue: what plain Rust does, `#[saga]` does.

mod straight;

async fn check_all(cases: Vec<tests::Case>) {
    let mut runs = 0;
    for case in &cases {
        runs += tests::check(case).await;
    }
    println!("{} functions, {runs} runs", cases.len());
    assert!(runs > cases.len());
}

#[tokio::test]
async fn straight_line() {
    check_all(straight::all()).await;
}
