//! The same of a pointer to a collection: it is closer still.

use std::{collections::BTreeMap, collections::btree_map, iter::Rev};

use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use tests::answers::Confirm;

trait Last {
    fn last_mut(&mut self) -> Option<&mut u8>;
}

impl Last for Box<Vec<u8>> {
    fn last_mut(&mut self) -> Option<&mut u8> {
        self.push(7);
        self.first_mut()
    }
}

trait Backwards {
    fn values_mut(&mut self) -> Rev<btree_map::ValuesMut<'_, u8, u8>>;
}

impl Backwards for Box<BTreeMap<u8, u8>> {
    fn values_mut(&mut self) -> Rev<btree_map::ValuesMut<'_, u8, u8>> {
        (**self).values_mut().rev()
    }
}

#[saga]
async fn last(peer: &Peer<RoleServer>, mut list: Box<Vec<u8>>) {
    let Some(last) = list.last_mut() else { return };
    let _ = peer.elicit::<Confirm>("Go on?").await;
    *last += 1;
}

#[saga]
async fn behind(peer: &Peer<RoleServer>, list: &mut Box<Vec<u8>>) {
    let Some(last) = list.last_mut() else { return };
    let _ = peer.elicit::<Confirm>("Go on?").await;
    *last += 1;
}

#[saga]
async fn values(peer: &Peer<RoleServer>, mut map: Box<BTreeMap<u8, u8>>) {
    for value in map.values_mut() {
        let _ = peer.elicit::<Confirm>("Go on?").await;
        *value += 1;
    }
}

fn main() {}
