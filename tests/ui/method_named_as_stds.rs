//! A method of a trait of one's own may be closer to a collection than std's of the same name.

use std::collections::VecDeque;

use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use tests::answers::Confirm;

trait Inbox {
    fn last_mut(&mut self) -> Option<&mut (String, bool)>;
}

impl Inbox for VecDeque<(String, bool)> {
    fn last_mut(&mut self) -> Option<&mut (String, bool)> {
        self.iter_mut().rev().find(|mail| !mail.1)
    }
}

trait Walk {
    fn iter(&self) -> std::slice::Iter<'_, u8>;
}

impl Walk for Vec<u8> {
    fn iter(&self) -> std::slice::Iter<'_, u8> {
        self[1..].iter()
    }
}

#[saga]
async fn read(peer: &Peer<RoleServer>, mut inbox: VecDeque<(String, bool)>) -> usize {
    let Some(mail) = inbox.last_mut() else {
        return 0;
    };
    mail.1 = true;
    let _ = peer.elicit::<Confirm>("Read?").await;
    mail.0.len()
}

#[saga]
async fn walk(peer: &Peer<RoleServer>, steps: Vec<u8>) {
    for _ in steps.iter() {
        let _ = peer.elicit::<Confirm>("Step?").await;
    }
}

fn main() {}
