//! An index of one's own into a collection of std's may do anything.

use std::ops::{Index, IndexMut};

use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use serde::{Deserialize, Serialize};
use tests::answers::Confirm;

#[derive(Clone, Copy, Serialize, Deserialize)]
enum Column {
    First,
}

impl Index<Column> for Vec<u8> {
    type Output = u8;

    fn index(&self, column: Column) -> &u8 {
        &self[column as usize]
    }
}

impl IndexMut<Column> for Vec<u8> {
    fn index_mut(&mut self, column: Column) -> &mut u8 {
        self.push(0);
        &mut self[column as usize]
    }
}

#[saga]
async fn count(peer: &Peer<RoleServer>, mut row: Vec<u8>) -> usize {
    let cell = &mut row[Column::First];
    let _ = peer.elicit::<Confirm>("More?").await;
    *cell += 1;
    row.len()
}

fn main() {}
