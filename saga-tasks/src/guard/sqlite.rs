//! A file as a guard.

use rusqlite::{OptionalExtension, TransactionBehavior, params};
use saga_runtime::{Consumed, Guard, Guarding, Leg};

use super::{FORGOTTEN, LARGEST, consumed, until};
use crate::store::{StoreError, sqlite::SqliteStore};

/// Made with every file: older programs do not look at it.
pub(crate) const TABLE: &str = "
CREATE TABLE IF NOT EXISTS saga_leg (
    call BLOB NOT NULL,
    number INTEGER NOT NULL,
    until INTEGER NOT NULL,
    outcome BLOB,
    PRIMARY KEY (call, number)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS saga_leg_until ON saga_leg (until);
";

impl Guard for SqliteStore {
    fn consume<'a>(&'a self, leg: &'a Leg) -> Guarding<'a, Consumed> {
        let leg = *leg;
        Box::pin(async move {
            let consumed = self.on_disk(move |connection, now| {
                let consuming =
                    connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                consuming
                    .prepare_cached(
                        "DELETE FROM saga_leg WHERE (call, number) IN
                        (SELECT call, number FROM saga_leg WHERE until <= ? LIMIT ?)",
                    )?
                    .execute(params![now, FORGOTTEN])?;
                let known: Option<Option<Vec<u8>>> = consuming
                    .prepare_cached("SELECT outcome FROM saga_leg WHERE call = ? AND number = ?")?
                    .query_row(params![leg.call.as_bytes(), leg.number], |row| row.get(0))
                    .optional()?;
                if let Some(outcome) = known {
                    return Ok(consumed(outcome));
                }
                consuming
                    .prepare_cached("INSERT INTO saga_leg (call, number, until) VALUES (?, ?, ?)")?
                    .execute(params![leg.call.as_bytes(), leg.number, until(&leg)])?;
                consuming.commit()?;
                Ok::<_, StoreError>(Consumed::First)
            });
            Ok(consumed.await?)
        })
    }

    fn keeps(&self) -> bool {
        true
    }

    fn release<'a>(&'a self, leg: &'a Leg) -> Guarding<'a, ()> {
        let leg = *leg;
        Box::pin(async move {
            let released = self.on_disk(move |connection, _| {
                connection.execute(
                    "DELETE FROM saga_leg WHERE call = ? AND number = ? AND outcome IS NULL",
                    params![leg.call.as_bytes(), leg.number],
                )?;
                Ok(())
            });
            Ok(released.await?)
        })
    }

    fn keep<'a>(&'a self, leg: &'a Leg, outcome: Vec<u8>) -> Guarding<'a, ()> {
        let leg = *leg;
        Box::pin(async move {
            if outcome.len() > LARGEST {
                return Ok(());
            }
            let kept = self.on_disk(move |connection, _| {
                connection.execute(
                    "UPDATE saga_leg SET outcome = ? WHERE call = ? AND number = ? AND outcome IS NULL",
                    params![outcome, leg.call.as_bytes(), leg.number],
                )?;
                Ok(())
            });
            Ok(kept.await?)
        })
    }
}
