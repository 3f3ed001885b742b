use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Form {
    n: u8,
}
rmcp::elicit_safe!(Form);

struct Work(u8);

struct Repo(Vec<Work>);

// Of names that std's types have, with what std's do not.
impl Repo {
    fn ok(&self) -> Work {
        Work(1)
    }

    fn expect(&self, what: &str) -> Work {
        Work(what.len() as u8)
    }

    fn context(&self, id: u8) -> Result<Work, Work> {
        Ok(Work(id))
    }
}

impl Work {
    fn clone(of: &Repo) -> Self {
        Work(of.0.len() as u8)
    }
}

trait Checkout {
    fn clone(&self) -> Work;
}

impl Checkout for Repo {
    fn clone(&self) -> Work {
        Work(2)
    }
}

impl std::ops::Index<u8> for Repo {
    type Output = u64;

    fn index(&self, _: u8) -> &u64 {
        &7
    }
}

struct Server<'a> {
    repo: &'a Repo,
}

impl Server<'_> {
    #[saga]
    async fn ok(&self, peer: Peer<RoleServer>) -> u8 {
        let work = self.repo.ok();
        let form = peer.elicit::<Form>("?").await;
        work.0 + form.is_ok() as u8
    }

    #[saga]
    async fn expect(&self, peer: Peer<RoleServer>) -> u8 {
        let work = self.repo.expect("work");
        let form = peer.elicit::<Form>("?").await;
        work.0 + form.is_ok() as u8
    }

    #[saga]
    async fn context(&self, peer: Peer<RoleServer>) -> Result<u8, Work> {
        let work = self.repo.context(1)?;
        let form = peer.elicit::<Form>("?").await;
        Ok(work.0 + form.is_ok() as u8)
    }

    #[saga]
    async fn associated(&self, peer: Peer<RoleServer>) -> u8 {
        let work = Work::clone(&self.repo);
        let form = peer.elicit::<Form>("?").await;
        work.0 + form.is_ok() as u8
    }

    #[saga]
    async fn method(&self, peer: Peer<RoleServer>) -> u8 {
        let work = self.repo.clone();
        let form = peer.elicit::<Form>("?").await;
        work.0 + form.is_ok() as u8
    }

    #[saga]
    async fn mapped(&self, peer: Peer<RoleServer>) -> u8 {
        let form = peer.elicit::<Form>("?").await.map_err(|error| Work(error.to_string().len() as u8));
        let other = peer.elicit::<Form>("?").await;
        form.is_ok() as u8 + other.is_ok() as u8
    }
}

fn main() {}
