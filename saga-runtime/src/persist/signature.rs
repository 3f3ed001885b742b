//! What a closure takes and gives, which is the same wherever it is made again.

use std::marker::PhantomData;

/// Has the types of a closure's parameters, and of what it gives.
#[derive(Debug)]
pub struct Signature<A, R>(PhantomData<fn(A) -> R>, PhantomData<fn(R) -> A>);

impl<A, R> Signature<A, R> {
    /// Of a closure that is not known yet.
    #[allow(clippy::new_without_default, reason = "for generated code")]
    pub fn new() -> Self {
        Self(PhantomData, PhantomData)
    }
}

macro_rules! signatures {
    ($($name:ident: $($parameter:ident)*;)*) => {
        $(impl<$($parameter,)* R> Signature<($($parameter,)*), R> {
            /// Takes the closure's.
            pub fn $name<F: FnOnce($($parameter),*) -> R>(&self, _: &F) {}
        })*
    };
}

signatures! {
    of_0: ;
    of_1: A;
    of_2: A B;
    of_3: A B C;
    of_4: A B C D;
    of_5: A B C D E;
    of_6: A B C D E G;
}
