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
    ($($name:ident $future:ident $items:ident: $($parameter:ident)*;)*) => {
        $(impl<$($parameter,)* R> Signature<($($parameter,)*), R> {
            /// Takes the closure's.
            pub fn $name<F: FnOnce($($parameter),*) -> R>(&self, _: &F) {}

            /// The same of one that gives a future: that is another type in each place, and what it gives is not.
            pub fn $future<F, G: Future<Output = R>>(&self, _: &F)
            where
                F: FnOnce($($parameter),*) -> G,
            {
            }

            /// The same of one that gives an iterator, or an option.
            pub fn $items<F, G: IntoIterator<Item = R>>(&self, _: &F)
            where
                F: FnOnce($($parameter),*) -> G,
            {
            }
        })*
    };
}

signatures! {
    of_0 future_0 items_0: ;
    of_1 future_1 items_1: A;
    of_2 future_2 items_2: A B;
    of_3 future_3 items_3: A B C;
    of_4 future_4 items_4: A B C D;
    of_5 future_5 items_5: A B C D E;
    of_6 future_6 items_6: A B C D E H;
}
