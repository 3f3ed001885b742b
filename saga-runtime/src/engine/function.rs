//! What the macro knows of a saga function.

/// A function compiled by `#[saga]`.
#[derive(Debug)]
pub struct Function {
    /// Name in the source.
    pub name: &'static str,
    /// Changes with the function's signature and body; not with comments, formatting or attributes above it.
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
    /// Changes with what can still run from here: the code, the variables stored, their keys. An edit before the point, or in
    /// another branch, leaves it.
    pub fingerprint: u64,
    /// Fingerprints of points of earlier code whose calls go on here, by the author's word.
    pub accepts: &'static [Accepted],
}

/// A point of earlier code whose calls go on at a point of this one: `#[saga(accepts(..))]`.
#[derive(Debug)]
pub struct Accepted {
    /// The fingerprint that it had.
    pub fingerprint: u64,
    /// The values of its frames, by name.
    pub from: &'static [&'static str],
    /// Those that this point's frames have.
    pub to: &'static [&'static str],
}

impl Function {
    pub(crate) fn point(&self, point: u32) -> Option<&'static Point> {
        self.points.get((point as usize).checked_sub(1)?)
    }

    /// The number of the point at which a call goes on that waits at `fingerprint`: a point of this function, or one of earlier
    /// code that it accepts.
    pub fn number_of(&self, fingerprint: u64) -> Option<u32> {
        self.standing(fingerprint).map(|(number, _)| number)
    }

    pub(crate) fn standing(&self, fingerprint: u64) -> Option<(u32, Option<&'static Accepted>)> {
        let number = |index: usize| u32::try_from(index + 1).ok();
        let mut accepted = self.points.iter().enumerate().flat_map(|(index, point)| {
            let accepts = point.accepts.iter();
            accepts.map(move |accepted| (index, accepted))
        });
        // Before the points themselves: one that accepts its own fingerprint lets types change, which are not in it.
        if let Some((index, accepted)) =
            accepted.find(|(_, known)| known.fingerprint == fingerprint)
        {
            return Some((number(index)?, Some(accepted)));
        }
        let mut points = self.points.iter();
        let index = points.position(|point| point.fingerprint == fingerprint)?;
        Some((number(index)?, None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn point(fingerprint: u64, accepts: &'static [Accepted]) -> Point {
        Point {
            key: "",
            awaits: "",
            stored: &[],
            next: &[],
            fingerprint,
            accepts,
        }
    }

    #[test]
    fn a_point_may_accept_its_own_fingerprint() {
        const fn of(fingerprint: u64) -> Accepted {
            Accepted {
                fingerprint,
                from: &[],
                to: &[],
            }
        }
        static ACCEPTED: [Accepted; 2] = [of(20), of(5)];
        static POINTS: [Point; 2] = [point(10, &[]), point(20, &ACCEPTED)];
        let function = Function {
            name: "f",
            fingerprint: 1,
            points: &POINTS,
            first: &[1],
        };
        let standing = |print| {
            let standing = function.standing(print);
            standing.map(|(number, accepted)| (number, accepted.is_some()))
        };
        assert_eq!(standing(10), Some((1, false)));
        assert_eq!(standing(20), Some((2, true)));
        assert_eq!(standing(5), Some((2, true)));
        assert_eq!(function.number_of(10), Some(1));
        assert_eq!(function.number_of(5), Some(2));
        assert_eq!(function.number_of(7), None);
        assert_eq!(standing(6), None);
    }
}
