//! Changes to something valid, read from the fuzzer's bytes: most random bytes are refused at the first
//! look, and what is nearly right goes deeper.

/// `valid` after the edits in `data`: four bytes each, of kind, place (two) and value.
pub fn edited(valid: &[u8], data: &[u8]) -> Vec<u8> {
    let mut bytes = valid.to_vec();
    for edit in data.chunks_exact(4) {
        let place = usize::from(u16::from_le_bytes([edit[1], edit[2]]));
        let at = place % (bytes.len() + 1);
        match edit[0] % 5 {
            0 if at < bytes.len() => bytes[at] = edit[3],
            1 => bytes.insert(at, edit[3]),
            2 if at < bytes.len() => {
                bytes.remove(at);
            }
            3 => bytes.truncate(at),
            _ => {
                let copied = bytes[..at].to_vec();
                bytes.extend_from_slice(&copied[..copied.len().min(usize::from(edit[3]))]);
            }
        }
    }
    bytes
}
