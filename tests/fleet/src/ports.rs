//! Ports on which a killed server can be started again.

use std::net::{Ipv4Addr, TcpListener};

use crate::Result;

/// Below the ports that systems hand out to outgoing connections: one of those could take the port
/// of a server that is down, or even connect to itself there.
const RANGE: std::ops::Range<u16> = 10_000..32_000;
const ATTEMPTS: usize = 1_000;

/// So many free ports, all different.
pub(crate) fn free(count: usize) -> Result<Vec<u16>> {
    // Not the seed of the run: two runs at the same time need different ports.
    let mut random = fastrand::Rng::new();
    let mut held = Vec::new();
    for _ in 0..ATTEMPTS {
        if held.len() == count {
            break;
        }
        held.extend(TcpListener::bind((Ipv4Addr::LOCALHOST, random.u16(RANGE))));
    }
    if held.len() < count {
        return Err(format!("no {count} free ports in {RANGE:?}").into());
    }
    let ports = held.iter().map(TcpListener::local_addr);
    Ok(ports
        .map(|address| Ok(address?.port()))
        .collect::<std::io::Result<_>>()?)
}
