//! What the macro knows of a saga function.

/// A function compiled by `#[saga]`.
#[derive(Debug)]
pub struct Function {
    /// Name in the source.
    pub name: &'static str,
    /// Changes with the function's signature and body; not with comments, formatting or attributes.
    pub fingerprint: u64,
    /// The suspension points; point 1 is the first.
    pub points: &'static [Point],
    /// The points that may come first; 0 where the function may return without any.
    pub first: &'static [u32],
}

/// One suspension point.
#[derive(Debug)]
pub struct Point {
    /// The base of the ask's key; empty for a call of another saga function.
    pub key: &'static str,
    /// What is awaited: an ask's method and answer type, or the name of a function.
    pub awaits: &'static str,
    /// Names of the variables that are stored while the function waits here.
    pub stored: &'static [&'static str],
    /// The points that may come next; 0 where the function may return.
    pub next: &'static [u32],
}

impl Function {
    pub(crate) fn point(&self, point: u32) -> Option<&'static Point> {
        self.points.get((point as usize).checked_sub(1)?)
    }
}
