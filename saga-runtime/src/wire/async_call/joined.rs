//! Who has joined an async call, over a connection that can be written to: they are told of its progress and its cancellation.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rmcp::{
    Peer, RoleServer,
    model::{CustomNotification, NumberOrString, ProgressToken, ServerNotification, TaskPayload},
    service::RequestContext,
};
use serde_json::json;

use super::{TOKEN, waiting::Pauses};
use crate::{ask::client::Client, background::Hosted};

/// How many of those who have joined a call are told of it.
const MOST: usize = 1000;

/// Who has joined which call, in this process.
#[derive(Default)]
pub(crate) struct Joined(Mutex<HashMap<String, Vec<Member>>>);

/// A client that has joined.
#[derive(Clone)]
struct Member {
    peer: Peer<RoleServer>,
    /// Its own request, by which it called or joined.
    request: NumberOrString,
    progress: Option<ProgressToken>,
}

impl Joined {
    fn calls(&self) -> MutexGuard<'_, HashMap<String, Vec<Member>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a client, where it has a connection beyond its request.
    pub(super) fn join(
        self: &Arc<Self>,
        hosted: &Hosted,
        token: &str,
        principal: Option<String>,
        context: &RequestContext<RoleServer>,
    ) {
        if Client::of(context).is_stateless() {
            return;
        }
        let member = Member {
            peer: context.peer.clone(),
            request: context.id.clone(),
            progress: context.meta.get_progress_token(),
        };
        let mut calls = self.calls();
        let members = calls.entry(token.to_owned()).or_default();
        let first = members.is_empty();
        // Who joins again and again is told by the newest of its requests.
        if members.len() >= MOST {
            members.remove(0);
        }
        members.push(member);
        drop(calls);
        if first {
            let following = Arc::clone(self).follow(hosted.clone(), token.to_owned(), principal);
            tokio::spawn(following);
        }
    }

    fn members(&self, token: &str) -> Vec<Member> {
        let mut calls = self.calls();
        let Some(members) = calls.get_mut(token) else {
            return Vec::new();
        };
        members.retain(|member| !member.peer.is_transport_closed());
        members.clone()
    }

    /// Tells of the progress of a call until it is over, or nobody is there any more.
    async fn follow(self: Arc<Self>, hosted: Hosted, token: String, principal: Option<String>) {
        let mut known = None;
        let mut last: Option<f64> = None;
        let mut pauses = Pauses::new();
        loop {
            let changed = hosted.host.changed(&token);
            let members = self.members(&token);
            let task = hosted.host.get(token.clone(), principal.clone()).await;
            let Ok(task) = task.map(|task| task.task) else {
                break;
            };
            let message = task.task.status_message;
            if message != known
                && let Some(message) = &message
            {
                let (done, total) = amounts(message).unwrap_or((last.unwrap_or(0.0) + 1.0, None));
                // What goes on must grow.
                if last.is_none_or(|last| done > last) {
                    last = Some(done);
                    for member in &members {
                        member.tell(&token, done, total, message).await;
                    }
                }
            }
            known = message;
            let over = !matches!(
                task.payload,
                TaskPayload::Working | TaskPayload::InputRequired { .. }
            );
            if members.is_empty() && self.is_left(&token) {
                return;
            }
            if over {
                break;
            }
            pauses.pass(changed, None).await;
        }
        self.calls().remove(&token);
    }

    /// Whether nobody has come meanwhile: who comes from now on is the first again.
    fn is_left(&self, token: &str) -> bool {
        let mut calls = self.calls();
        let left = calls.get(token).is_none_or(Vec::is_empty);
        if left {
            calls.remove(token);
        }
        left
    }

    /// Tells everybody that the call is cancelled.
    pub(super) async fn cancelled(&self, token: &str) {
        for member in self.members(token) {
            let params = json!({
                "requestId": member.request,
                "reason": "the call was cancelled",
                "_meta": { TOKEN: token },
            });
            member.send("notifications/cancelled", params).await;
        }
    }
}

impl Member {
    async fn tell(&self, token: &str, done: f64, total: Option<f64>, message: &str) {
        let Some(progress) = &self.progress else {
            return;
        };
        let mut params = json!({
            "progressToken": progress,
            "progress": done,
            "message": message,
            "resourceUri": resource(token),
        });
        if let Some(total) = total {
            params["total"] = json!(total);
        }
        self.send("notifications/progress", params).await;
    }

    async fn send(&self, method: &str, params: serde_json::Value) {
        let notification = CustomNotification::new(method, Some(params));
        let notification = ServerNotification::CustomNotification(notification);
        if let Err(error) = self.peer.send_notification(notification).await {
            tracing::debug!(%error, "a client that has joined was not told");
        }
    }
}

/// Where what is known of a call can be read; nowhere listed.
pub(crate) fn resource(token: &str) -> String {
    format!("saga://async/{token}/progress")
}

/// The token in such an address.
pub(crate) fn token_of(uri: &str) -> Option<&str> {
    let token = uri
        .strip_prefix("saga://async/")?
        .strip_suffix("/progress")?;
    (!token.is_empty() && !token.contains('/')).then_some(token)
}

/// The amounts at the end of a status message: `rendering (3/10)`.
fn amounts(message: &str) -> Option<(f64, Option<f64>)> {
    let amounts = message
        .rsplit_once('(')
        .map_or(message, |(_, amounts)| amounts);
    let amounts = amounts.trim_end_matches(')');
    match amounts.split_once('/') {
        Some((done, total)) => Some((number(done)?, number(total))),
        None => Some((number(amounts)?, None)),
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_as_they_are_written() {
        assert_eq!(amounts("rendering (3/10)"), Some((3.0, Some(10.0))));
        assert_eq!(amounts("a (b) (0.5/1)"), Some((0.5, Some(1.0))));
        assert_eq!(amounts("7"), Some((7.0, None)));
        assert_eq!(amounts("half of it"), None);
        assert_eq!(token_of(&resource("abc")), Some("abc"));
        assert_eq!(token_of("saga://async/a/b/progress"), None);
    }
}
