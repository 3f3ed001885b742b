//! std's iterators of references to texts, over a list: what they refer to is written.

use std::{
    iter::{Cloned, Copied, Peekable},
    slice, vec,
};

/// An iterator over a list of references to texts.
pub trait TextSteps<'s>: Sized {
    /// The same type, with a list that is kept.
    type Home;

    /// The texts that are left.
    fn left(&self) -> Vec<&str>;

    /// One over those.
    fn over(left: &'s [&'s str]) -> Self::Home;
}

impl<'s> TextSteps<'s> for vec::IntoIter<&str> {
    type Home = vec::IntoIter<&'s str>;

    fn left(&self) -> Vec<&str> {
        self.as_slice().to_vec()
    }

    fn over(left: &'s [&'s str]) -> Self::Home {
        Vec::from(left).into_iter()
    }
}

impl<'s> TextSteps<'s> for slice::Iter<'_, &str> {
    type Home = slice::Iter<'s, &'s str>;

    fn left(&self) -> Vec<&str> {
        self.as_slice().to_vec()
    }

    fn over(left: &'s [&'s str]) -> Self::Home {
        left.iter()
    }
}

/// What is around them, and gives the same texts.
macro_rules! around {
    ($([$($lifetime:lifetime)*] $ty:ty: $home:ty, |$left:ident| $over:expr, |$text:ident| $read:expr;)*) => {
        $(impl<'s, $($lifetime),*> TextSteps<'s> for $ty {
            type Home = $home;

            fn left(&self) -> Vec<&str> {
                self.clone().map(|$text| $read).collect()
            }

            fn over($left: &'s [&'s str]) -> Self::Home {
                $over
            }
        })*
    };
}

around! {
    ['t] Peekable<vec::IntoIter<&'t str>>: Peekable<vec::IntoIter<&'s str>>, |left| Vec::from(left).into_iter().peekable(), |text| text;
    ['l 't] Peekable<slice::Iter<'l, &'t str>>: Peekable<slice::Iter<'s, &'s str>>, |left| left.iter().peekable(), |text| *text;
    ['l 't] Copied<slice::Iter<'l, &'t str>>: Copied<slice::Iter<'s, &'s str>>, |left| left.iter().copied(), |text| text;
    ['l 't] Cloned<slice::Iter<'l, &'t str>>: Cloned<slice::Iter<'s, &'s str>>, |left| left.iter().cloned(), |text| text;
    ['l 't] Peekable<Copied<slice::Iter<'l, &'t str>>>: Peekable<Copied<slice::Iter<'s, &'s str>>>, |left| left.iter().copied().peekable(), |text| text;
    ['l 't] Peekable<Cloned<slice::Iter<'l, &'t str>>>: Peekable<Cloned<slice::Iter<'s, &'s str>>>, |left| left.iter().cloned().peekable(), |text| text;
}
