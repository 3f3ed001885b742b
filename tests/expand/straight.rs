async fn straight(context: RequestContext<RoleServer>) -> Result<String, Failure> {
    let id = fetch().await?;
    let count = context.peer.elicit::<Count>("how many?").await?;
    Ok(format!("{id} {count:?}"))
}
