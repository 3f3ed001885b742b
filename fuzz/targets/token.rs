//! The reader of tokens: nothing but the token itself opens.
#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use saga_runtime::{Keyring, Settings};

mod edits;

static SETTINGS: OnceLock<(Settings, String)> = OnceLock::new();

fn settings() -> &'static (Settings, String) {
    SETTINGS.get_or_init(|| {
        let settings = Settings::new(Keyring::new("k", [7; 32]).unwrap());
        let token = settings.seal(&[b"fuzz"], b"the body of a token").unwrap();
        (settings, token)
    })
}

fuzz_target!(|data: &[u8]| {
    let (settings, token) = settings();
    let Some((kind, data)) = data.split_first() else {
        return;
    };
    let text = match kind % 2 {
        0 => data.to_vec(),
        _ => edits::edited(token.as_bytes(), data),
    };
    let Ok(text) = String::from_utf8(text) else {
        return;
    };
    match settings.open(&[b"fuzz"], &text) {
        Ok(body) => {
            assert_eq!(text, *token);
            assert_eq!(body, b"the body of a token");
        }
        Err(error) => drop(error.to_string()),
    }
});
