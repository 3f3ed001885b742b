//! A call that one server begins and another one ends.

use std::error::Error;

use rmcp::{
    ClientHandler, RoleClient, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, ClientCapabilities, Implementation,
        InitializeRequestParams, ProtocolVersion,
    },
    service::{RunningService, serve_directly},
};
use saga_runtime::{Keyring, SagaServer, Settings, Toolbox};
use serde_json::{from_value, json};

/// A client that can be asked to fill in forms.
struct Client;

impl ClientHandler for Client {
    fn get_info(&self) -> InitializeRequestParams {
        let capabilities = ClientCapabilities::builder().enable_elicitation().build();
        InitializeRequestParams::new(capabilities, Implementation::new("test", "1"))
            .with_protocol_version(ProtocolVersion::V_2026_07_28)
    }
}

type Connection = (
    RunningService<RoleClient, Client>,
    RunningService<RoleServer, SagaServer<Toolbox>>,
);

/// A client of a new server with these keys.
fn connect(settings: &Settings) -> Result<Connection, Box<dyn Error>> {
    let (near, far) = tokio::io::duplex(1 << 16);
    let server = SagaServer::new(super::server()?).with_settings(settings.clone());
    let mut info = server.get_info();
    info.protocol_version = ProtocolVersion::V_2026_07_28;
    let server = serve_directly(server, near, Some(Client.get_info()));
    Ok((serve_directly(Client, far, Some(info.into())), server))
}

#[tokio::test]
async fn the_answer_may_go_to_another_server() -> Result<(), Box<dyn Error>> {
    let settings = Settings::new(Keyring::random()?);
    let call = CallToolRequestParams::new("greet").with_arguments(from_value(json!({ "name": "Ada" }))?);

    let (client, _server) = connect(&settings)?;
    let CallToolResponse::InputRequired(asked) = client.call_tool_once(call.clone()).await? else {
        return Err("it asks".into());
    };
    let answer = json!({ "language": { "action": "accept", "content": { "language": "French" } } });
    let retry = call
        .with_request_state(asked.request_state.unwrap_or_default())
        .with_input_responses(from_value(answer)?);

    let (client, _server) = connect(&settings)?;
    let CallToolResponse::Complete(result) = client.call_tool_once(retry).await? else {
        return Err("it has all that it needs".into());
    };
    let text = result.content.first().and_then(|block| block.as_text());
    assert_eq!(text.map(|text| text.text.as_str()), Some("Bonjour, Ada!"));
    Ok(())
}
