//! Redis as a guard.

use redis::Value;
use saga_runtime::{Consumed, Guard, Guarding, Leg};

use super::{LARGEST, consumed, until};
use crate::store::{
    StoreError,
    redis::{RedisStore, hex},
};

impl RedisStore {
    async fn leg(
        &self,
        step: &str,
        leg: &Leg,
        given: &[u8],
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let name = format!("{}:{}", hex(&leg.call), leg.number);
        let found: Value = self
            .step(step, |call| {
                call.arg(&name).arg(given);
            })
            .await?;
        Ok(match found {
            Value::BulkString(found) => Some(found),
            _ => None,
        })
    }
}

impl Guard for RedisStore {
    fn consume<'a>(&'a self, leg: &'a Leg) -> Guarding<'a, Consumed> {
        Box::pin(async move {
            let forgotten = until(leg).to_string();
            let known = self.leg("consume", leg, forgotten.as_bytes()).await?;
            Ok(match known {
                None => Consumed::First,
                // An outcome begins with a sign of its own: it may be empty.
                Some(known) => consumed(known.split_first().map(|(_, outcome)| outcome.to_vec())),
            })
        })
    }

    fn keeps(&self) -> bool {
        true
    }

    fn release<'a>(&'a self, leg: &'a Leg) -> Guarding<'a, ()> {
        Box::pin(async move {
            self.leg("release", leg, &[]).await?;
            Ok(())
        })
    }

    fn keep<'a>(&'a self, leg: &'a Leg, outcome: Vec<u8>) -> Guarding<'a, ()> {
        Box::pin(async move {
            if outcome.len() <= LARGEST {
                self.leg("keep", leg, &[b"=".as_slice(), &outcome].concat())
                    .await?;
            }
            Ok(())
        })
    }
}
