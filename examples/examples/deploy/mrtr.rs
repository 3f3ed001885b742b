//! Multi Round-Trip Requests (MCP 2026-07-28): the call is sent again, with the answers and the state.

use serde_json::{Map, Value};

use crate::{
    Result,
    relay::Wire,
    request::{Ask, Request, tool_call},
};

#[derive(Default)]
pub(crate) struct Mrtr {
    sent: usize,
}

impl Mrtr {
    fn request(&mut self, params: Map<String, Value>) -> Request {
        self.sent += 1;
        Request::stateless(self.sent, "tools/call", params)
    }
}

impl Wire for Mrtr {
    fn call(&mut self) -> Request {
        self.request(tool_call())
    }

    fn asks(&self, result: &Value) -> Result<Option<Vec<Ask>>> {
        if result
            .get("resultType")
            .is_none_or(|kind| kind != "input_required")
        {
            return Ok(None);
        }
        let requests = result.get("inputRequests").and_then(Value::as_object);
        let requests = requests.ok_or("the result requires input without saying which")?;
        let asks = requests.iter().map(|(key, request)| {
            let method = request.get("method").unwrap_or(&Value::Null);
            Ask::new(key, method, request)
        });
        asks.collect::<Result<_>>().map(Some)
    }

    fn resume(&mut self, suspended: &Value, answers: Vec<(String, Value)>) -> Request {
        let mut params = tool_call();
        params.insert("inputResponses".to_owned(), answers.into_iter().collect());
        if let Some(state) = suspended.get("requestState") {
            params.insert("requestState".to_owned(), state.clone());
        }
        self.request(params)
    }
}
