#[tool(description = "A tool")]
async fn deploy(&self, peer: Peer<RoleServer>, Parameters(args): Parameters<Args>) -> Json<Report> {
    let service = args.service;
    match peer.elicit::<Target>("Where to?").await {
        Ok(Some(answer)) => Json(Report { service, target: Some(answer.target) }),
        _ => Json(Report { service, target: None }),
    }
}
