//! What a compilation tells a tool that reads its errors: the functions as rustc sees them, and the types of their variables.
//!
//! Which code stands under `#[cfg]`, what a `macro_rules` makes and what type a variable has only rustc knows, and a macro's only
//! way to say it is an error.

use std::sync::atomic::{AtomicU64, Ordering};

use proc_macro2::TokenStream;

use crate::describe;

const FUNCTION: &str = "saga-function ";
const TYPE: &str = "saga-type ";

/// An error of [`saga_with_types`](crate::saga_with_types).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Told {
    /// A function; the error stands at its name.
    Function(Function),
    /// The type of a variable; the error stands where it is declared.
    Type {
        /// [`Function::number`].
        function: u64,
        /// The variable.
        slot: usize,
        /// As rustc prints it.
        ty: String,
    },
}

/// A function as rustc sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Function {
    /// Which one of its compilation it is.
    pub number: u64,
    /// The module that it is in.
    pub module: String,
    /// Of the function.
    pub fingerprint: u64,
    /// Those of its points.
    pub points: Vec<u64>,
    attribute: String,
    item: String,
}

impl Function {
    /// The function, without places in the text.
    ///
    /// # Errors
    /// Where what a macro made of it cannot be written down as text.
    pub fn describe(&self) -> Result<describe::Function, syn::Error> {
        let item = tokens(&self.item)?;
        let mut function = crate::describe(tokens(&self.attribute)?, item)?;
        if function.points.len() != self.points.len() {
            let message = "what a macro made of it reads differently as text";
            return Err(syn::Error::new(proc_macro2::Span::call_site(), message));
        }
        // Groups that no character stands for are lost in the text, and count.
        function.fingerprint = self.fingerprint;
        for (point, print) in function.points.iter_mut().zip(&self.points) {
            point.fingerprint = *print;
        }
        Ok(function)
    }
}

fn tokens(text: &str) -> Result<TokenStream, syn::Error> {
    Ok(text.replace("$crate", "crate").parse()?)
}

/// What an error's message tells; `None` where it is another error.
pub fn read(message: &str) -> Option<Told> {
    if let Some(told) = message.strip_prefix(FUNCTION) {
        return function(told).map(Told::Function);
    }
    let (ids, ty) = message.strip_prefix(TYPE)?.split_once("]) ")?;
    let (function, slot) = ids.strip_prefix("([(); ")?.split_once("], [(); ")?;
    Some(Told::Type {
        function: function.parse().ok()?,
        slot: slot.parse().ok()?,
        ty: ty.to_owned(),
    })
}

fn function(told: &str) -> Option<Function> {
    let (head, text) = told.split_once('\n')?;
    let mut head = head.split(' ');
    let (module, number, length) = (head.next()?, head.next()?, head.next()?);
    let prints = head.next()?;
    let (attribute, item) = text.split_at_checked(length.parse().ok()?)?;
    let prints = prints.split(',').map(|hex| u64::from_str_radix(hex, 16));
    let mut prints = prints.collect::<Result<Vec<_>, _>>().ok()?;
    Some(Function {
        number: number.parse().ok()?,
        module: module.to_owned(),
        fingerprint: prints.remove(0),
        points: prints,
        attribute: attribute.to_owned(),
        item: item.to_owned(),
    })
}

/// What is told of a function.
pub(crate) struct Telling {
    pub(crate) number: u64,
    /// How much of the text is the attribute's.
    attribute: usize,
    text: String,
}

impl Telling {
    pub(crate) fn of(attribute: &TokenStream, item: &TokenStream) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let mut text = attribute.to_string();
        let attribute = text.len();
        text.push_str(&item.to_string());
        Self {
            number: COUNT.fetch_add(1, Ordering::Relaxed),
            attribute,
            text,
        }
    }

    /// The message, around the module's name.
    pub(crate) fn message(&self, prints: &[u64]) -> (&'static str, String) {
        let prints: Vec<_> = prints.iter().map(|print| format!("{print:x}")).collect();
        let (number, length, text) = (self.number, self.attribute, &self.text);
        (
            FUNCTION,
            format!(" {number} {length} {}\n{text}", prints.join(",")),
        )
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

    use super::*;

    const ITEM: &str = "/// Says \"größe\"\n/// in two lines.\nasync fn sure(peer: &Peer<RoleServer>, name: &str) -> bool {
        let asked = name.len();
        peer.elicit::<Confirm>(format!(\"{name}?\")).await.is_ok_and(|_| asked > 0)
    }";

    #[test]
    fn a_function_is_read_as_it_was_told() {
        let item: TokenStream = ITEM.parse().unwrap();
        let attribute: TokenStream = "once, plain(log)".parse().unwrap();
        let (before, after) = Telling::of(&attribute, &item).message(&[7, 9]);
        let Some(Told::Function(told)) = read(&format!("{before}shop::desk{after}")) else {
            panic!("it is a function");
        };
        assert_eq!(told.module, "shop::desk");
        assert_eq!((told.fingerprint, &told.points[..]), (7, &[9][..]));
        assert_eq!(told.attribute, attribute.to_string());
        assert!(told.describe().is_err(), "`once` is for tools");
        let (before, after) = Telling::of(&TokenStream::new(), &item).message(&[7, 9]);
        let Some(Told::Function(told)) = read(&format!("{before}shop{after}")) else {
            panic!("it is a function");
        };
        let function = told.describe().unwrap();
        assert_eq!(function.points[0].fingerprint, 9);
        assert_eq!(function.points[0].frame[0].name, "asked");
    }

    #[test]
    fn types_have_anything_in_them() {
        let message = "saga-type ([(); 3], [(); 12]) Result<(), Box<dyn Fn(()) -> [(); 3]>>";
        let told = read(message).unwrap();
        let Told::Type { function, slot, ty } = told else {
            panic!("it is a type");
        };
        assert_eq!((function, slot), (3, 12));
        assert_eq!(ty, "Result<(), Box<dyn Fn(()) -> [(); 3]>>");
    }

    #[test]
    fn other_errors_tell_nothing() {
        for message in [
            "",
            "mismatched types",
            "saga-type u8",
            "saga-type ([(); x], [(); 1]) u8",
            "saga-function ",
            "saga-function shop 0 9 1\nshort",
            "saga-function shop 0 1 1\nß",
            "saga-function shop 0 0 \nfn",
        ] {
            assert_eq!(read(message), None, "{message}");
        }
    }
}
