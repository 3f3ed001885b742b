//! A function's suspension points as a drawing, with the ones where a call stands.

use maud::{Markup, html};
use saga_runtime::flow::{Function, Point};

/// A box, and the gap below it.
const WIDTH: usize = 380;
const HEIGHT: usize = 50;
const GAP: usize = 26;
/// The pills at both ends.
const PILL: usize = 28;
/// How far one line beside the boxes is from the next.
const LANE: usize = 16;
/// How many characters a box has room for.
const ROOM: usize = 44;

/// A way from one box to one that is not the next.
struct Detour {
    from: usize,
    to: usize,
    /// Which of the lines beside the boxes it is.
    lane: usize,
}

/// The ways of a function, over boxes that are numbered from its beginning (0) to its end.
struct Ways {
    /// Boxes that lead to the next one.
    straight: Vec<usize>,
    /// Past others, on the right.
    forward: Vec<Detour>,
    /// Back to one before, or to itself, on the left.
    back: Vec<Detour>,
}

impl Ways {
    fn of(function: &Function) -> Self {
        let end = function.points.len() + 1;
        let mut ways = Self {
            straight: Vec::new(),
            forward: Vec::new(),
            back: Vec::new(),
        };
        let points = function.points.iter().map(|point| point.next);
        for (from, next) in std::iter::once(function.first).chain(points).enumerate() {
            for to in next {
                let to = match usize::try_from(*to) {
                    Ok(0) | Err(_) => end,
                    Ok(point) => point.min(end),
                };
                if to == from + 1 {
                    ways.straight.push(from);
                    continue;
                }
                let side = match to > from {
                    true => &mut ways.forward,
                    false => &mut ways.back,
                };
                let lane = lane(side, from, to);
                side.push(Detour { from, to, lane });
            }
        }
        ways
    }
}

/// The first line on which no other way runs beside this one.
fn lane(others: &[Detour], from: usize, to: usize) -> usize {
    let (top, bottom) = (from.min(to), from.max(to));
    let beside = |other: &&Detour| {
        let (first, last) = (other.from.min(other.to), other.from.max(other.to));
        first <= bottom && top <= last
    };
    let taken: Vec<_> = others
        .iter()
        .filter(beside)
        .map(|other| other.lane)
        .collect();
    (0..).find(|lane| !taken.contains(lane)).unwrap_or(0)
}

fn lanes(detours: &[Detour]) -> usize {
    detours
        .iter()
        .map(|detour| detour.lane + 1)
        .max()
        .unwrap_or(0)
}

/// Where a box begins and how high it is.
fn place(at: usize, end: usize) -> (usize, usize) {
    match at {
        0 => (2, PILL),
        at => {
            let top = 2 + PILL + GAP + (at - 1) * (HEIGHT + GAP);
            (top, if at == end { PILL } else { HEIGHT })
        }
    }
}

/// The drawing of a function; `stands` are the points where a call waits in it.
pub(super) fn drawing(function: &Function, stands: &[u32]) -> Markup {
    let ways = Ways::of(function);
    let end = function.points.len() + 1;
    let left = LANE * (lanes(&ways.back) + 1);
    let width = left + WIDTH + LANE * (lanes(&ways.forward) + 1);
    let (top, height) = place(end, end);
    let height = top + height + 2;
    let points: Vec<_> = stands.iter().map(u32::to_string).collect();
    let label = match points.is_empty() {
        true => format!("The suspension points of {}", function.name),
        false => format!(
            "The suspension points of {}; it stands at {}",
            function.name,
            points.join(", ")
        ),
    };
    html! {
        svg .flow role="img" aria-label=(label) width=(width) height=(height) viewBox={ "0 0 " (width) " " (height) } {
            @for from in &ways.straight { (straight(*from, left, end)) }
            @for detour in &ways.forward { (around(detour, left + WIDTH, true, end)) }
            @for detour in &ways.back { (around(detour, left, false, end)) }
            (pill(left, 0, end, function.name))
            @for (number, each) in (1u32..).zip(function.points) {
                (point(left, number, end, each, stands.contains(&number)))
            }
            (pill(left, end, end, "returns"))
        }
    }
}

fn straight(from: usize, left: usize, end: usize) -> Markup {
    let (top, height) = place(from, end);
    let (middle, begin) = (left + WIDTH / 2, top + height);
    html! {
        path .way d={ "M" (middle) " " (begin) "v" (GAP - 5) } {}
        path .head d={ "M" (middle) " " (begin + GAP) "l-5-8h10z" } {}
    }
}

/// A line beside the boxes, from the lower part of one to the upper part of another.
fn around(detour: &Detour, edge: usize, right: bool, end: usize) -> Markup {
    let half = |at: usize| {
        if at == 0 || at == end {
            WIDTH / 2 - 60
        } else {
            0
        }
    };
    let at = |inside: usize| if right { edge - inside } else { edge + inside };
    let (top, height) = place(detour.from, end);
    let begin = top + height * 2 / 3;
    let (top, height) = place(detour.to, end);
    let finish = top + height / 3;
    let out = LANE * (detour.lane + 1);
    let beside = if right { edge + out } else { edge - out };
    let (head, tip) = (
        at(half(detour.to)),
        if right { "l8-5v10z" } else { "l-8-5v10z" },
    );
    html! {
        path .way d={ "M" (at(half(detour.from))) " " (begin) "H" (beside) "V" (finish) "H" (head) } {}
        path .head d={ "M" (head) " " (finish) (tip) } {}
    }
}

fn pill(left: usize, at: usize, end: usize, text: &str) -> Markup {
    let (top, height) = place(at, end);
    html! {
        rect .pill x=(left + WIDTH / 2 - 60) y=(top) width="120" height=(height) rx="14" {}
        text .end x=(left + WIDTH / 2) y=(top + 18) { title { (text) } (short(text, 15)) }
    }
}

fn point(left: usize, number: u32, end: usize, point: &Point, here: bool) -> Markup {
    let (top, height) = place(usize::try_from(number).unwrap_or(end), end);
    // A sleep's name is one of the macro's; a pause asks nobody, so its key says nothing.
    let name = point.awaits.trim_start_matches("__saga_");
    let pause = ["sleep", "try_sleep", "checkpoint", "partial", "background"].contains(&name);
    let awaits = match name {
        "" => number.to_string(),
        awaits => format!("{number} · {awaits}"),
    };
    let key = (!point.key.is_empty() && !pause).then(|| format!("key {} · ", point.key));
    let stored = match point.stored {
        [] => "keeps nothing".to_owned(),
        names => format!("keeps {}", names.join(", ")),
    };
    let kept = format!("{}{stored}", key.unwrap_or_default());
    html! {
        g .point.here[here] {
            title { (awaits) " – " (kept) @if here { " – it stands here" } }
            rect x=(left) y=(top) width=(WIDTH) height=(height) rx="8" {}
            text .awaits x=(left + 14) y=(top + 21) { (short(&awaits, ROOM - if here { 8 } else { 0 })) }
            text .kept x=(left + 14) y=(top + 39) { (short(&kept, ROOM + 6)) }
            @if here { text .mark x=(left + WIDTH - 14) y=(top + 21) { "● here" } }
        }
    }
}

fn short(text: &str, room: usize) -> String {
    match text.chars().count() > room {
        true => text
            .chars()
            .take(room.saturating_sub(1))
            .chain(['…'])
            .collect(),
        false => text.to_owned(),
    }
}
