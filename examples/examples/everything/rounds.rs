//! Tools that take several rounds, or several answers in one. The key of a question is the name of
//! the variable that its answer goes to.

use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolResult, ClientCapabilities},
    service::RequestContext,
    tool, tool_router,
};
use saga_runtime::{join, saga};

use crate::{
    answers::{Color, Confirmation, Name, given, question, said, text, unanswered, uris, without},
    server::Everything,
};

#[tool_router(router = round_tools, vis = "pub(crate)")]
impl Everything {
    /// Asks the user
    #[saga]
    #[tool]
    async fn test_input_required_result_elicitation(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let user_name = context.peer.elicit::<Name>("What is your name?").await;
        let Some(Name { name }) = given(user_name)? else {
            return Ok(without("a name"));
        };
        Ok(text(format!("Hello, {name}!")))
    }

    /// Asks the model
    #[saga]
    #[tool]
    async fn test_input_required_result_sampling(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let capital_question = context
            .peer
            .create_message(question("What is the capital of France?"))
            .await;
        let reply = capital_question.map_err(unanswered)?;
        Ok(text(said(&reply)))
    }

    /// Asks the client for its roots
    #[saga]
    #[tool]
    async fn test_input_required_result_list_roots(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let client_roots = context.peer.list_roots().await.map_err(unanswered)?;
        Ok(text(format!("Roots: {}", uris(&client_roots))))
    }

    /// Remembers something while the user thinks
    #[saga]
    #[tool]
    async fn test_input_required_result_request_state(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let remembered = ["state", "ok"].join("-");
        let confirm = context.peer.elicit::<Confirmation>("Go on?").await;
        match given(confirm)? {
            Some(Confirmation { ok: true }) => Ok(text(remembered)),
            _ => Ok(without("a confirmation")),
        }
    }

    /// Goes on with nothing but its own state
    #[saga]
    #[tool]
    async fn test_input_required_result_tampered_state(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let confirm = context.peer.elicit::<Confirmation>("Go on?").await;
        match given(confirm)? {
            Some(Confirmation { ok: true }) => Ok(text("Went on")),
            _ => Ok(without("a confirmation")),
        }
    }

    /// Asks the user, the model and the client at once
    #[saga]
    #[tool]
    async fn test_input_required_result_multiple_inputs(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let (user_name, greeting, client_roots) = join!(
            context.peer.elicit::<Name>("What is your name?"),
            context.peer.create_message(question("Greet somebody")),
            context.peer.list_roots(),
        );
        let Some(Name { name }) = given(user_name)? else {
            return Ok(without("a name"));
        };
        let greeting = greeting.map_err(unanswered)?;
        let client_roots = client_roots.map_err(unanswered)?;
        let (greeting, roots) = (said(&greeting), uris(&client_roots));
        Ok(text(format!("{greeting} {name}, your roots are {roots}")))
    }

    /// Asks twice
    #[saga]
    #[tool]
    async fn test_input_required_result_multi_round(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let step1 = context.peer.elicit::<Name>("What is your name?").await;
        let Some(Name { name }) = given(step1)? else {
            return Ok(without("a name"));
        };
        let message = format!("What is your favorite color, {name}?");
        let step2 = context.peer.elicit::<Color>(message).await;
        let Some(Color { color }) = given(step2)? else {
            return Ok(without("a color"));
        };
        Ok(text(format!("{name} likes {color}")))
    }

    /// Asks for what the client can give
    #[saga]
    #[tool]
    async fn test_input_required_result_capabilities(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let mut answers = Vec::new();
        if declares(&context, |client| client.elicitation.is_some()) {
            let user_name = context.peer.elicit::<Name>("What is your name?").await;
            answers.extend(given(user_name)?.map(|user_name| user_name.name));
        }
        if declares(&context, |client| client.sampling.is_some()) {
            let greeting = context
                .peer
                .create_message(question("Greet somebody"))
                .await;
            answers.push(said(&greeting.map_err(unanswered)?).to_owned());
        }
        if declares(&context, |client| client.roots.is_some()) {
            let client_roots = context.peer.list_roots().await.map_err(unanswered)?;
            answers.push(uris(&client_roots));
        }
        Ok(text(format!("Answered: {}", answers.join(", "))))
    }
}

fn declares(
    context: &RequestContext<RoleServer>,
    capability: impl Fn(&ClientCapabilities) -> bool,
) -> bool {
    context
        .client_capabilities()
        .is_some_and(|client| capability(&client))
}
