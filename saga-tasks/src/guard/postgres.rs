//! A database as a guard.

use saga_runtime::{Consumed, Guard, Guarding, Leg};

use super::{FORGOTTEN, LARGEST, consumed, until};
use crate::store::{
    StoreError,
    postgres::{NOW, PostgresStore},
};

pub(crate) const TABLE: &str = "
CREATE TABLE IF NOT EXISTS saga_leg (
    call bytea NOT NULL,
    number bigint NOT NULL,
    until bigint NOT NULL,
    outcome bytea,
    PRIMARY KEY (call, number)
);
CREATE INDEX IF NOT EXISTS saga_leg_until ON saga_leg (until);
";

impl PostgresStore {
    async fn consume_leg(&self, leg: &Leg) -> Result<Consumed, StoreError> {
        let client = self.client().await?;
        let (call, number) = (leg.call.as_bytes().as_slice(), i64::from(leg.number));
        let forget = format!(
            "DELETE FROM saga_leg WHERE (call, number) IN
            (SELECT call, number FROM saga_leg WHERE until <= {NOW} LIMIT $1 FOR UPDATE SKIP LOCKED)"
        );
        let forget = client.prepare_cached(&forget).await?;
        client.execute(&forget, &[&FORGOTTEN]).await?;
        let take =
            "INSERT INTO saga_leg (call, number, until) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
        let take = client.prepare_cached(take).await?;
        if client
            .execute(&take, &[&call, &number, &until(leg)])
            .await?
            == 1
        {
            return Ok(Consumed::First);
        }
        let known = "SELECT outcome FROM saga_leg WHERE call = $1 AND number = $2";
        let known = client.prepare_cached(known).await?;
        let known = client.query_opt(&known, &[&call, &number]).await?;
        // Given back meanwhile: the client may send it again.
        let outcome = known.map(|row| row.try_get(0)).transpose()?;
        Ok(consumed(outcome.flatten()))
    }

    async fn change_leg(
        &self,
        leg: &Leg,
        change: &str,
        outcome: Option<Vec<u8>>,
    ) -> Result<(), StoreError> {
        let client = self.client().await?;
        let (call, number) = (leg.call.as_bytes().as_slice(), i64::from(leg.number));
        let change = client.prepare_cached(change).await?;
        match outcome {
            None => client.execute(&change, &[&call, &number]).await?,
            Some(outcome) => client.execute(&change, &[&call, &number, &outcome]).await?,
        };
        Ok(())
    }
}

impl Guard for PostgresStore {
    fn consume<'a>(&'a self, leg: &'a Leg) -> Guarding<'a, Consumed> {
        Box::pin(async move { Ok(self.consume_leg(leg).await?) })
    }

    fn keeps(&self) -> bool {
        true
    }

    fn release<'a>(&'a self, leg: &'a Leg) -> Guarding<'a, ()> {
        let change = "DELETE FROM saga_leg WHERE call = $1 AND number = $2 AND outcome IS NULL";
        Box::pin(async move { Ok(self.change_leg(leg, change, None).await?) })
    }

    fn keep<'a>(&'a self, leg: &'a Leg, outcome: Vec<u8>) -> Guarding<'a, ()> {
        let change =
            "UPDATE saga_leg SET outcome = $3 WHERE call = $1 AND number = $2 AND outcome IS NULL";
        Box::pin(async move {
            match outcome.len() > LARGEST {
                true => Ok(()),
                false => Ok(self.change_leg(leg, change, Some(outcome)).await?),
            }
        })
    }
}
