//! Who was called, by the names that the compiler gives to functions and their futures: the frame of a call belongs to the
//! function that is called, and not to one that this one calls.

use std::any::type_name;

/// What a call names.
#[derive(Debug, Clone, Copy)]
pub enum Named {
    /// A function, by its whole path.
    Function(&'static str),
    /// A method.
    Method(&'static str),
    /// What has no name.
    Other,
}

/// Who may take the frame of a call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Expected {
    named: Named,
    future: &'static str,
}

/// What the compiler adds to a path for what is inside of a function's body.
const INSIDE: &str = "::{{closure}}";

impl Named {
    /// What is called where a function, or a variable, is.
    pub fn function<F>(_: &F) -> Self {
        let name = type_name::<F>();
        // Not a pointer to one, a closure, or what is found when it runs.
        let has_path = !name.ends_with(INSIDE)
            && !name.contains("dyn ")
            && !name.starts_with(['&', '('])
            && !name.contains("fn(");
        if has_path {
            Self::Function(name)
        } else {
            Self::Other
        }
    }
}

impl Expected {
    /// Of a call that gives an `F`.
    pub(crate) fn of<F>(named: Named) -> Self {
        Self {
            named,
            future: bare(type_name::<F>()),
        }
    }

    /// Whether it is the body in which `here` stands, the path of a closure.
    pub(crate) fn is_body_of(self, here: &str) -> bool {
        let of_future = !self.future.ends_with(INSIDE) || is_inside(here, self.future);
        of_future
            && match self.named {
                Named::Function(path) => is_inside(here, path),
                Named::Method(name) => last_name(here) == name.trim_start_matches("r#"),
                Named::Other => true,
            }
    }
}

/// The path of the body of a function in which `_inside` stands.
pub fn here<C>(_inside: &C) -> &'static str {
    type_name::<C>()
}

/// A future without the boxes and pins around it.
fn bare(mut name: &'static str) -> &'static str {
    let around = ["core::pin::Pin<", "alloc::boxed::Box<", "&mut "];
    while let Some(inner) = around.iter().find_map(|before| name.strip_prefix(before)) {
        name = inner.strip_suffix('>').unwrap_or(inner);
    }
    name
}

fn is_inside(here: &str, path: &str) -> bool {
    let rest = here.strip_prefix(path);
    rest.is_some_and(|rest| rest.trim_start_matches(INSIDE).is_empty())
}

/// The name of the function in whose body `here` stands.
fn last_name(here: &str) -> &str {
    let path = here.trim_end_matches(INSIDE);
    // Without the types that it is generic in.
    let mut depth = 0;
    let mut end = path.len();
    for (at, one) in path.char_indices().rev() {
        match one {
            // Not that of `fn() -> i64`.
            '>' if !path.get(..at).is_some_and(|before| before.ends_with('-')) => depth += 1,
            '<' => {
                depth -= 1;
                if depth == 0 && end == path.len() {
                    end = at;
                }
            }
            ':' if depth == 0 => {
                return path
                    .get(at + 1..end)
                    .unwrap_or_default()
                    .trim_start_matches("r#");
            }
            _ => {}
        }
    }
    path.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Expected, Named, here, last_name};

    async fn called() -> &'static str {
        here(&|| ())
    }

    async fn generic<T>(_: T) -> &'static str {
        here(&|| ())
    }

    trait Ask {
        async fn ask(&self) -> &'static str {
            here(&|| ())
        }
        async fn own(&self) -> &'static str;
    }

    struct One<T>(T);

    impl<T> Ask for One<T> {
        async fn own(&self) -> &'static str {
            here(&|| ())
        }
    }

    impl<T> One<T> {
        async fn inherent<U>(&self, _: U) -> &'static str {
            here(&|| ())
        }
    }

    async fn fixed<const N: usize, T>(_: &T) -> &'static str {
        here(&|| N)
    }

    async fn around() -> &'static str {
        called().await
    }

    fn given() -> impl Future<Output = &'static str> {
        called()
    }

    fn boxed() -> std::pin::Pin<Box<dyn Future<Output = &'static str>>> {
        Box::pin(async move { here(&|| ()) })
    }

    fn is_body_of<F: Future<Output = &'static str>>(named: Named, future: F) -> bool {
        let future = std::pin::pin!(future);
        let expected = expected_of(named, &future);
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        match future.poll(&mut context) {
            std::task::Poll::Ready(here) => expected.is_body_of(here),
            std::task::Poll::Pending => false,
        }
    }

    fn expected_of<F>(named: Named, _: &F) -> Expected {
        Expected::of::<F>(named)
    }

    #[test]
    fn a_function_is_known_by_its_path_and_its_future() {
        assert!(is_body_of(Named::function(&called), called()));
        assert!(is_body_of(Named::Other, called()));
        assert!(is_body_of(Named::function(&called), Box::pin(called())));
        assert!(is_body_of(Named::function(&generic::<u8>), generic(3u8)));
        assert!(is_body_of(Named::function(&boxed), boxed()));
        let pointer: fn() -> _ = called;
        assert!(is_body_of(Named::function(&pointer), pointer()));
    }

    #[test]
    fn a_method_is_known_by_its_name() {
        let one = One(3u8);
        assert!(is_body_of(Named::Method("ask"), one.ask()));
        assert!(is_body_of(Named::function(&One::<u8>::ask), one.ask()));
        assert!(is_body_of(
            Named::function(&<One<u8> as Ask>::own),
            one.own()
        ));
        assert!(is_body_of(Named::Method("own"), one.own()));
        let path = Named::function(&One::<u8>::inherent::<&str>);
        assert!(is_body_of(path, one.inherent("x")));
        let path = Named::function(&fixed::<3, One<u8>>);
        assert!(is_body_of(path, fixed::<3, One<u8>>(&one)));
        assert!(is_body_of(Named::Method("inherent"), one.inherent("x")));
        assert!(is_body_of(Named::Method("r#inherent"), one.inherent(2)));
        assert!(!is_body_of(Named::Method("ask"), one.own()));
    }

    #[test]
    fn what_is_called_in_between_is_another() {
        assert!(!is_body_of(Named::function(&around), around()));
        assert!(!is_body_of(Named::Other, around()));
        assert!(!is_body_of(Named::function(&given), given()));
        assert!(!is_body_of(Named::Other, async { called().await }));
    }

    #[test]
    fn the_name_of_a_function_stands_last() {
        assert_eq!(
            last_name("a::b::<impl a::T for a::X<u8>>::own::{{closure}}"),
            "own"
        );
        assert_eq!(last_name("a::b<c::D<e::F>>::{{closure}}::{{closure}}"), "b");
        assert_eq!(
            last_name("a::B::ask<&dyn core::ops::function::Fn(i64) -> i64>::{{closure}}"),
            "ask"
        );
        assert_eq!(last_name("own"), "own");
    }
}
