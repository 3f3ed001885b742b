async fn looping(peer: &Peer<RoleServer>, hosts: &[Host]) -> usize {
    let mut done = 0;
    for host in hosts {
        let name = host.name.as_str();
        if !confirm(peer, format!("{name}?")).await {
            continue;
        }
        done += 1;
    }
    done
}
