//! The saga methods: the token carries the call, and the client tells all that was answered so far.

use serde_json::{Map, Value, json};

use crate::{
    Result,
    relay::Wire,
    request::{Ask, Request, tool_call},
};

#[derive(Default)]
pub(crate) struct Saga {
    sent: usize,
    completed: Vec<Value>,
}

impl Saga {
    fn request(&mut self, method: &str, params: Map<String, Value>) -> Request {
        self.sent += 1;
        Request::stateless(self.sent, method, params)
    }
}

impl Wire for Saga {
    fn call(&mut self) -> Request {
        self.request("tools/callSaga", tool_call())
    }

    fn asks(&self, result: &Value) -> Result<Option<Vec<Ask>>> {
        if result.get("state").is_none_or(|state| state != "suspended") {
            return Ok(None);
        }
        let steps = result.get("steps").and_then(Value::as_array);
        let steps = steps.ok_or("the call is suspended without saying for what")?;
        let asks = steps.iter().map(|step| {
            let id = step
                .get("stepId")
                .and_then(Value::as_str)
                .unwrap_or_default();
            Ask::new(id, step.get("type").unwrap_or(&Value::Null), step)
        });
        asks.collect::<Result<_>>().map(Some)
    }

    fn resume(&mut self, suspended: &Value, answers: Vec<(String, Value)>) -> Request {
        let steps = answers
            .into_iter()
            .map(|(id, result)| json!({ "stepId": id, "result": result }));
        self.completed.extend(steps);
        let mut params = Map::new();
        if let Some(token) = suspended.get("sagaToken") {
            params.insert("sagaToken".to_owned(), token.clone());
        }
        params.insert("completedSteps".to_owned(), json!(self.completed));
        self.request("tools/resumeSaga", params)
    }
}
