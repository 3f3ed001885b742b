//! Functions that nobody of the lowering wrote, each for something that once went wrong or was refused.

mod borrowed_1;
mod borrowed_2;
mod borrowed_3;
mod borrowed_4;
mod borrowed_5;
mod conditional;
mod handles;
mod loops;
mod macros;
mod ordinary_1;
mod ordinary_2;
mod ordinary_3;
mod ordinary_4;
mod ordinary_5;
mod own_types_1;
mod own_types_2;
mod own_types_3;
mod receivers_1;
mod receivers_2;
mod receivers_3;
mod receivers_4;
mod serde;
mod state_1;
mod state_2;
mod state_3;
mod strangers_1;
mod strangers_2;

use super::check_all;

#[tokio::test]
async fn borrowed_1_agree() {
    check_all(borrowed_1::all()).await;
}

#[tokio::test]
async fn borrowed_2_agree() {
    check_all(borrowed_2::all()).await;
}

#[tokio::test]
async fn borrowed_3_agree() {
    check_all(borrowed_3::all()).await;
}

#[tokio::test]
async fn borrowed_4_agree() {
    check_all(borrowed_4::all()).await;
}

#[tokio::test]
async fn borrowed_5_agree() {
    check_all(borrowed_5::all()).await;
}

#[tokio::test]
async fn conditional_agree() {
    check_all(conditional::all()).await;
}

#[tokio::test]
async fn handles_agree() {
    check_all(handles::all()).await;
}

#[tokio::test]
async fn loops_agree() {
    check_all(loops::all()).await;
}

#[tokio::test]
async fn macros_agree() {
    check_all(macros::all()).await;
}

#[tokio::test]
async fn ordinary_1_agree() {
    check_all(ordinary_1::all()).await;
}

#[tokio::test]
async fn ordinary_2_agree() {
    check_all(ordinary_2::all()).await;
}

#[tokio::test]
async fn ordinary_3_agree() {
    check_all(ordinary_3::all()).await;
}

#[tokio::test]
async fn ordinary_4_agree() {
    check_all(ordinary_4::all()).await;
}

#[tokio::test]
async fn ordinary_5_agree() {
    check_all(ordinary_5::all()).await;
}

#[tokio::test]
async fn own_types_1_agree() {
    check_all(own_types_1::all()).await;
}

#[tokio::test]
async fn own_types_2_agree() {
    check_all(own_types_2::all()).await;
}

#[tokio::test]
async fn own_types_3_agree() {
    check_all(own_types_3::all()).await;
}

#[tokio::test]
async fn receivers_1_agree() {
    check_all(receivers_1::all()).await;
}

#[tokio::test]
async fn receivers_2_agree() {
    check_all(receivers_2::all()).await;
}

#[tokio::test]
async fn receivers_3_agree() {
    check_all(receivers_3::all()).await;
}

#[tokio::test]
async fn receivers_4_agree() {
    check_all(receivers_4::all()).await;
}

#[tokio::test]
async fn serde_agree() {
    check_all(serde::all()).await;
}

#[tokio::test]
async fn state_1_agree() {
    check_all(state_1::all()).await;
}

#[tokio::test]
async fn state_2_agree() {
    check_all(state_2::all()).await;
}

#[tokio::test]
async fn state_3_agree() {
    check_all(state_3::all()).await;
}

#[tokio::test]
async fn strangers_1_agree() {
    check_all(strangers_1::all()).await;
}

#[tokio::test]
async fn strangers_2_agree() {
    check_all(strangers_2::all()).await;
}
