//! The bound on every variable that is live across an ask.

use serde::{Serialize, de::DeserializeOwned};

use crate::codec;

/// A value that can ride in a continuation: anything that is `Serialize + DeserializeOwned`.
///
/// Not implemented by hand. A variable that is live across an ask must have it; the compiler's
/// message names the variable that does not.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` is held across an ask and cannot be stored in a continuation",
    label = "this variable is live after the ask",
    note = "derive `serde::Serialize` and `serde::Deserialize` for it, or make it from the arguments (those need only `Deserialize`)",
    note = "for a reference, hold the owner instead (`.to_owned()`, `.clone()`)",
    note = "for a lock or a permit: nothing can be held while the client answers, so release it first (`drop(guard)`, or a block around its use)",
    note = "above its `let`: `#[saga(with = module)]` stores it another way (there is `saga_runtime::with::instant`, `tokio_instant` and `arc`), `#[saga(remake)]` evaluates it again (right for a client or a compiled pattern, wrong for a transaction or a stream), `#[saga(skip)]` brings back its `Default`"
)]
pub trait Stored: Sized {
    #[doc(hidden)]
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), String>;
    #[doc(hidden)]
    fn decode(input: &mut &[u8]) -> Result<Self, String>;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> Stored for T {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), String> {
        codec::encode(self, out)
    }

    fn decode(input: &mut &[u8]) -> Result<Self, String> {
        codec::decode_next(input)
    }
}
