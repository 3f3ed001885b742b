//! What the ported servers act on. It outlives each of them, as a database would.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex as StdMutex, PoisonError},
};

use tokio::sync::{Mutex, Semaphore};

/// Everything outside of the servers, and what was done to it.
#[derive(Debug)]
pub struct World {
    /// The volumes of the storage pool, by name.
    pub volumes: Mutex<BTreeMap<String, Volume>>,
    /// The departments that take people on.
    pub departments: Vec<Department>,
    /// How many incidents may be worked on at a time.
    pub slots: Semaphore,
    effects: StdMutex<Vec<String>>,
    orders: StdMutex<BTreeSet<(String, String)>>,
}

/// A volume of the storage pool.
#[derive(Debug, Clone)]
pub struct Volume {
    /// Asks twice before it goes.
    pub protected: bool,
    /// The names of its snapshots, the oldest first.
    pub snapshots: Vec<String>,
}

/// A department, and what its people work with.
#[derive(Debug, Clone)]
pub struct Department {
    /// Its name.
    pub name: String,
    /// The systems in which its people have a role.
    pub systems: Vec<String>,
}

impl Default for World {
    fn default() -> Self {
        let volume = |protected, snapshots: &[&str]| Volume {
            protected,
            snapshots: snapshots.iter().map(|&name| name.to_owned()).collect(),
        };
        let department = |name: &str, systems: &[&str]| Department {
            name: name.to_owned(),
            systems: systems.iter().map(|&name| name.to_owned()).collect(),
        };
        Self {
            volumes: Mutex::new(BTreeMap::from([
                ("scratch".to_owned(), volume(false, &[])),
                (
                    "orders".to_owned(),
                    volume(true, &["mon", "tue", "keep-wed", "thu"]),
                ),
            ])),
            departments: vec![
                department("sales", &["crm", "phone"]),
                department("lab", &["bench", "freezer", "wiki"]),
            ],
            slots: Semaphore::new(1),
            effects: StdMutex::default(),
            orders: StdMutex::default(),
        }
    }
}

impl World {
    /// Does something that must be done once.
    pub async fn act(&self, effect: impl Into<String>) {
        // Whatever it is, it takes its time.
        tokio::task::yield_now().await;
        let mut effects = self.effects.lock().unwrap_or_else(PoisonError::into_inner);
        effects.push(effect.into());
    }

    /// The same, once for each key: what was done under this key is not done again.
    pub async fn act_once(&self, key: Option<String>, effect: impl Into<String>) {
        let effect = effect.into();
        if let Some(key) = key {
            let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
            if !orders.insert((key, effect.clone())) {
                return;
            }
        }
        self.act(effect).await;
    }

    /// What was done so far, in order.
    pub fn effects(&self) -> Vec<String> {
        let effects = self.effects.lock();
        effects.unwrap_or_else(PoisonError::into_inner).clone()
    }
}
