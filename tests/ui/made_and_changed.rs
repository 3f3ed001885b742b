//! What a helper changes of a value that is made for its call would be gone behind the ask.

use saga_runtime::{AskError, Cx, saga};
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Deserialize)]
struct Order {
    items: Vec<String>,
}

impl Order {
    fn new() -> Self {
        Self { items: Vec::new() }
    }

    #[saga]
    async fn fill(&mut self, cx: &Cx) -> Result<usize, AskError> {
        self.items.push(String::from("first"));
        cx.sample("More?").await?;
        self.items.push(String::from("last"));
        Ok(self.items.len())
    }
}

#[saga]
async fn order(cx: &Cx) -> Result<usize, AskError> {
    let made = Order::new().fill(cx).await?;
    let written = Order { items: Vec::new() }.fill(cx).await?;
    Ok(made + written)
}

fn main() {}
