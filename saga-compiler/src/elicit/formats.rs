//! Formats of text, as far as a default in the source needs them: the runtime checks what users write.

/// Whether `text` is of this format; an unknown one is refused elsewhere.
pub(super) fn fits(format: &str, text: &str) -> bool {
    match format {
        "email" => email(text),
        "uri" => uri(text),
        "date" => date(text),
        "date-time" => date_time(text),
        _ => true,
    }
}

fn email(text: &str) -> bool {
    let parts = text.rsplit_once('@');
    parts.is_some_and(|(local, domain)| {
        let spaces = |text: &str| text.contains(char::is_whitespace);
        !local.is_empty() && !domain.is_empty() && !spaces(domain) && !local.ends_with(' ')
    })
}

fn uri(text: &str) -> bool {
    let rest = |scheme: &str| {
        let mut letters = scheme.chars();
        letters
            .next()
            .is_some_and(|first| first.is_ascii_alphabetic())
            && letters.all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    };
    let parts = text.split_once(':');
    parts.is_some_and(|(scheme, path)| rest(scheme) && !path.is_empty())
        && !text.contains(char::is_whitespace)
}

fn date(text: &str) -> bool {
    let [year, month, day] = text.split('-').collect::<Vec<_>>()[..] else {
        return false;
    };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2))
    else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

fn date_time(text: &str) -> bool {
    let Some((day, time)) = text.split_once(['T', 't']) else {
        return false;
    };
    let Some(offset) = time.find(['Z', 'z', '+', '-']) else {
        return false;
    };
    let (clock, offset) = time.split_at(offset);
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let [hour, minute, second] = clock.split(':').collect::<Vec<_>>()[..] else {
        return false;
    };
    let below = |text, limit| number(text, 2).is_some_and(|number| number < limit);
    let zone = match offset.get(1..).and_then(|offset| offset.split_once(':')) {
        Some((hours, minutes)) => below(hours, 24) && below(minutes, 60),
        None => matches!(offset, "Z" | "z"),
    };
    let fraction = !fraction.is_empty() && fraction.chars().all(|c| c.is_ascii_digit());
    date(day) && below(hour, 24) && below(minute, 60) && below(second, 61) && fraction && zone
}

fn number(text: &str, digits: usize) -> Option<u32> {
    let all = text.len() == digits && text.chars().all(|c| c.is_ascii_digit());
    all.then(|| text.parse().ok()).flatten()
}
