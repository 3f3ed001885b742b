//! A function's suspension points as a drawing, with the ones where a call stands.

use std::fmt::Write;

use super::{Drawing, DrawnPoint, escaped};

/// A box, a line in it, and the gap below it.
const WIDTH: usize = 380;
const HEIGHT: usize = 32;
const LINE: usize = 18;
const GAP: usize = 26;
/// The pills at both ends.
const PILL: usize = 28;
/// How far one line beside the boxes is from the next.
const LANE: usize = 16;
/// How many characters a box has room for.
const ROOM: usize = 44;
/// The same of the smaller letters below its first line.
const KEPT_ROOM: usize = 50;

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
    fn of(function: &Drawing) -> Self {
        let end = function.points.len() + 1;
        let mut ways = Self {
            straight: Vec::new(),
            forward: Vec::new(),
            back: Vec::new(),
        };
        let points = function.points.iter().map(|point| &point.next);
        for (from, next) in std::iter::once(&function.first).chain(points).enumerate() {
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

/// Where each box begins and how high it is: the pill of the beginning, the points, and the pill of the end.
struct Places(Vec<(usize, usize)>);

impl Places {
    fn of(boxes: &[Shown]) -> Self {
        let heights = boxes.iter().map(|shown| HEIGHT + LINE * shown.kept.len());
        let heights = std::iter::once(PILL).chain(heights).chain([PILL]);
        let mut top = 2;
        let places = heights.map(|height| {
            let place = (top, height);
            top += height + GAP;
            place
        });
        Self(places.collect())
    }

    fn end(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    fn at(&self, at: usize) -> (usize, usize) {
        self.0.get(at).copied().unwrap_or_default()
    }
}

/// What a box says.
struct Shown {
    awaits: String,
    kept: Vec<String>,
}

impl Shown {
    fn of(number: usize, point: &DrawnPoint) -> Self {
        // A pause asks nobody, so its key says nothing.
        let name = point.shown();
        let pause = ["sleep", "try_sleep", "checkpoint", "partial", "background"].contains(&name);
        let awaits = match name {
            "" => number.to_string(),
            awaits => format!("{number} · {awaits}"),
        };
        let key = (!point.key.is_empty() && !pause).then(|| format!("key {}", point.key));
        let stored = match &point.stored[..] {
            [] => "keeps nothing".to_owned(),
            names => format!("keeps {}", names.join(", ")),
        };
        let all: Vec<_> = key.clone().into_iter().chain([stored]).collect();
        let all = all.join(" · ");
        let kept = match all.chars().count() <= KEPT_ROOM {
            true => vec![all],
            false => key
                .into_iter()
                .chain(point.stored.iter().map(|name| format!("keeps {name}")))
                .collect(),
        };
        Self { awaits, kept }
    }
}

impl Drawing {
    /// Rules for the classes of [`Drawing::svg`], for a picture that stands alone.
    pub const STYLE: &'static str = "\
        .flow { background: #fff; font-family: system-ui, sans-serif }\n\
        .flow rect { fill: #f6f7f9; stroke: #d5d9e0; stroke-width: 1.2 }\n\
        .flow .pill { fill: #e7e9ee; stroke: none }\n\
        .flow text { fill: #1c2330 }\n\
        .flow .awaits, .flow .kept { font-family: ui-monospace, monospace }\n\
        .flow .awaits { font-size: 13px; font-weight: 600 }\n\
        .flow .kept { font-size: 11.5px; fill: #5b6577 }\n\
        .flow .end { font-size: 12.5px; text-anchor: middle; fill: #5b6577; font-weight: 600 }\n\
        .flow .way { fill: none; stroke: #8d97a8; stroke-width: 1.4; stroke-linejoin: round }\n\
        .flow .head { fill: #8d97a8 }\n\
        .flow .here rect { fill: #fff3d6; stroke: #a86a00; stroke-width: 2 }\n\
        .flow .here .kept, .flow .mark { fill: #a86a00 }\n\
        .flow .mark { font-size: 12.5px; font-weight: 700; text-anchor: end }\n";

    /// An `<svg>` of the class `flow`, for a page that has the rules for it; `stands` are the points where a call waits.
    pub fn svg(&self, stands: &[u32]) -> String {
        self.svg_with("", stands)
    }

    /// The same as a file of its own.
    pub fn svg_file(&self) -> String {
        self.svg_with(&format!("<style>\n{}</style>", Self::STYLE), &[])
    }

    fn svg_with(&self, style: &str, stands: &[u32]) -> String {
        let ways = Ways::of(self);
        let boxes = (1..).zip(&self.points);
        let boxes: Vec<_> = boxes
            .map(|(number, point)| Shown::of(number, point))
            .collect();
        let places = Places::of(&boxes);
        let left = LANE * (lanes(&ways.back) + 1);
        let width = left + WIDTH + LANE * (lanes(&ways.forward) + 1);
        let (top, height) = places.at(places.end());
        let height = top + height + 2;
        let points: Vec<_> = stands.iter().map(u32::to_string).collect();
        let mut label = format!("The suspension points of {}", self.name);
        if !points.is_empty() {
            let _ = write!(label, "; it stands at {}", points.join(", "));
        }
        let mut svg = String::new();
        // Writing to a string does not fail.
        let _ = write!(
            svg,
            r#"<svg xmlns="http://www.w3.org/2000/svg" class="flow" role="img" aria-label="{}" width="{width}" height="{height}" viewBox="0 0 {width} {height}">{style}"#,
            escaped(&label)
        );
        for from in &ways.straight {
            straight(&mut svg, *from, left, &places);
        }
        for detour in &ways.forward {
            around(&mut svg, detour, left + WIDTH, true, &places);
        }
        for detour in &ways.back {
            around(&mut svg, detour, left, false, &places);
        }
        pill(&mut svg, left, places.at(0), &self.name);
        for (number, shown) in (1..).zip(&boxes) {
            let here = stands
                .iter()
                .any(|stand| usize::try_from(*stand) == Ok(number));
            point(&mut svg, left, places.at(number), shown, here);
        }
        pill(&mut svg, left, places.at(places.end()), "returns");
        svg.push_str("</svg>");
        svg
    }
}

fn straight(svg: &mut String, from: usize, left: usize, places: &Places) {
    let (top, height) = places.at(from);
    let (middle, begin) = (left + WIDTH / 2, top + height);
    let _ = write!(
        svg,
        r#"<path class="way" d="M{middle} {begin}v{}"/><path class="head" d="M{middle} {}l-5-8h10z"/>"#,
        GAP - 5,
        begin + GAP
    );
}

/// A line beside the boxes, from the lower part of one to the upper part of another.
fn around(svg: &mut String, detour: &Detour, edge: usize, right: bool, places: &Places) {
    let half = |at: usize| match at == 0 || at == places.end() {
        true => WIDTH / 2 - 60,
        false => 0,
    };
    let at = |inside: usize| if right { edge - inside } else { edge + inside };
    let (top, height) = places.at(detour.from);
    let begin = top + height * 2 / 3;
    let (top, height) = places.at(detour.to);
    let finish = top + height / 3;
    let out = LANE * (detour.lane + 1);
    let beside = if right { edge + out } else { edge - out };
    let head = at(half(detour.to));
    let tip = if right { "l8-5v10z" } else { "l-8-5v10z" };
    let from = at(half(detour.from));
    let _ = write!(
        svg,
        r#"<path class="way" d="M{from} {begin}H{beside}V{finish}H{head}"/><path class="head" d="M{head} {finish}{tip}"/>"#
    );
}

fn pill(svg: &mut String, left: usize, (top, height): (usize, usize), text: &str) {
    let _ = write!(
        svg,
        r#"<rect class="pill" x="{}" y="{top}" width="120" height="{height}" rx="14"/><text class="end" x="{}" y="{}"><title>{}</title>{}</text>"#,
        left + WIDTH / 2 - 60,
        left + WIDTH / 2,
        top + 18,
        escaped(text),
        escaped(&short(text, 15))
    );
}

fn point(svg: &mut String, left: usize, (top, height): (usize, usize), shown: &Shown, here: bool) {
    let Shown { awaits, kept } = shown;
    let (class, said, room) = match here {
        true => ("point here", " – it stands here", ROOM - 8),
        false => ("point", "", ROOM),
    };
    let _ = write!(
        svg,
        r#"<g class="{class}"><title>{} – {}{said}</title><rect x="{left}" y="{top}" width="{WIDTH}" height="{height}" rx="8"/><text class="awaits" x="{}" y="{}">{}</text>"#,
        escaped(awaits),
        escaped(&kept.join(" · ")),
        left + 14,
        top + 21,
        escaped(&short(awaits, room))
    );
    for (line, text) in (1..).zip(kept) {
        let _ = write!(
            svg,
            r#"<text class="kept" x="{}" y="{}">{}</text>"#,
            left + 14,
            top + 21 + LINE * line,
            escaped(&short(text, KEPT_ROOM))
        );
    }
    if here {
        let _ = write!(
            svg,
            r#"<text class="mark" x="{}" y="{}">● here</text>"#,
            left + WIDTH - 14,
            top + 21
        );
    }
    svg.push_str("</g>");
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

#[cfg(test)]
mod tests {
    use super::*;

    fn drawing() -> Drawing {
        let point = |awaits: &str, stored: &[&str], next: &[u32]| DrawnPoint {
            awaits: awaits.to_owned(),
            key: "target".to_owned(),
            stored: stored.iter().map(|name| (*name).to_owned()).collect(),
            next: next.to_vec(),
        };
        let long = "confirmed: HashMap<String, Vec<Confirmation>>";
        Drawing {
            name: "deploy".to_owned(),
            first: vec![1],
            points: vec![
                point("elicit::<Target>", &["build: Build"], &[2, 0]),
                point("elicit::<Confirm>", &["build: Build", long], &[1, 0]),
            ],
        }
    }

    #[test]
    fn what_does_not_fit_one_line_has_a_line_each() {
        let svg = drawing().svg(&[2]);
        assert!(
            svg.contains(">key target · keeps build: Build</text>"),
            "{svg}"
        );
        assert!(svg.contains(">keeps build: Build</text>"), "{svg}");
        assert!(
            svg.contains("keeps confirmed: HashMap&lt;String, Vec&lt;Conf"),
            "{svg}"
        );
        assert_eq!(svg.matches("● here").count(), 1);
        // Boxes of two heights, one below the other.
        assert!(
            svg.contains(r#"height="50" rx="8""#) && svg.contains(r#"height="86" rx="8""#),
            "{svg}"
        );
    }

    #[test]
    fn a_name_is_no_markup() {
        let mut drawing = drawing();
        drawing.name = "a\"<b>&".to_owned();
        let svg = drawing.svg_file();
        assert!(
            svg.contains("a&quot;&lt;b&gt;&amp;") && !svg.contains("<b>"),
            "{svg}"
        );
        assert!(svg.contains("<style>"));
        assert!(!drawing.mermaid().contains("<b>"));
    }

    #[test]
    fn ways_past_and_back_are_beside_the_boxes() {
        let ways = Ways::of(&drawing());
        assert_eq!(ways.straight, [0, 1, 2]);
        let ends = |detours: &[Detour]| {
            detours
                .iter()
                .map(|way| (way.from, way.to))
                .collect::<Vec<_>>()
        };
        assert_eq!(ends(&ways.forward), [(1, 3)]);
        assert_eq!(ends(&ways.back), [(2, 1)]);
    }
}
