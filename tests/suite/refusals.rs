//! What the compiler says to an author whose function cannot be continued.

#[test]
fn every_refusal_says_what_and_why_and_what_instead() {
    trybuild::TestCases::new().compile_fail("ui/*.rs");
}
