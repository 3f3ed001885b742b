//! std's iterators in a variable that lives on at an ask: what is left of them is what it is in plain Rust.

use rmcp::{RoleServer, service::RequestContext};
use tests::{
    Failure, Trace,
    answers::{Confirm, Count, Text},
    cases,
};

#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
enum Token {
    Number(i64),
    Word(String),
}

fn tokens() -> Vec<Token> {
    vec![
        Token::Number(1),
        Token::Word("plus".to_owned()),
        Token::Number(2),
        Token::Word("end".to_owned()),
    ]
}

cases! {
    async fn words_of_a_command(cx, t) {
        let command = "move  box\tto shelf\n7";
        let owned = command.to_owned();
        let mut words = owned.split_whitespace();
        let verb = words.next().unwrap_or("");
        let sure = cx.peer.elicit::<Confirm>(format!("{verb}?")).await?;
        let what = words.next();
        t.effect(what.map(str::to_owned));
        let n = cx.peer.elicit::<Count>(format!("how many {what:?}")).await?;
        let rest: Vec<&str> = words.collect();
        Ok(format!("{verb} {what:?} {rest:?} {} {:?}", sure.is_some(), n.map(|n| n.n)))
    }

    async fn lines_with_every_end(cx, t) {
        let text = "a\r\r\nb\n\nlast\r".to_owned();
        let mut lines = text.lines();
        let mut seen = Vec::new();
        loop {
            let Some(line) = lines.next() else { break };
            t.note(line);
            let more = cx.peer.elicit::<Confirm>(format!("{line:?}")).await?.is_some();
            if more { seen.push(lines.clone().count()); } else { seen.push(99); lines.next(); }
        }
        Ok(format!("{seen:?} {:?}", lines.next()))
    }

    async fn pieces_of_a_text(cx, t) {
        let text = "\u{1}a,b,,\u{2},c;d".to_owned();
        let mut by_letter = text.split(',');
        let mut by_text = text.split(", ");
        let mut first_two = text.splitn(2, ',');
        let mut by_words = text.splitn(3, ",,");
        let a = (by_letter.next(), first_two.next());
        cx.peer.elicit::<Confirm>(format!("{a:?}")).await?;
        let b = (by_letter.next_back(), by_text.next(), first_two.next(), by_words.next());
        t.effect(format!("{b:?}"));
        cx.peer.elicit::<Text>("again").await?;
        // They are at their ends.
        let c = (by_text.next(), first_two.next(), by_words.next(), by_words.next());
        cx.peer.elicit::<Text>("and again").await?;
        let left: Vec<_> = by_letter.collect();
        Ok(format!("{a:?} {b:?} {c:?} {left:?} {:?} {:?}", by_text.next(), by_words.next()))
    }

    async fn letters_and_where_they_are(cx, t) {
        let text = "aä€b😀c".to_owned();
        let (mut letters, mut indices, mut ascii) = (text.chars(), text.char_indices(), text.split_ascii_whitespace());
        let a = (letters.next(), indices.next(), indices.next(), letters.next_back());
        cx.peer.elicit::<Confirm>(format!("{a:?}")).await?;
        t.note(letters.as_str());
        let b = (letters.next(), indices.next(), indices.next_back());
        cx.peer.elicit::<Confirm>(format!("{b:?}")).await?;
        let c = (indices.offset(), indices.next(), ascii.next(), ascii.next());
        Ok(format!("{a:?} {b:?} {c:?} {:?} {:?}", letters.collect::<String>(), indices.collect::<Vec<_>>()))
    }

    async fn tokens_that_are_looked_at_before(cx, t) {
        let mut tokens = tokens().into_iter().peekable();
        let mut sum = 0;
        while let Some(token) = tokens.next() {
            match token {
                Token::Number(n) => sum += n * cx.peer.elicit::<Count>(format!("{n} times")).await?.map_or(1, |c| c.n),
                Token::Word(word) => {
                    let next = tokens.peek().cloned();
                    let sure = cx.peer.elicit::<Confirm>(format!("{word} {next:?}")).await?.is_some();
                    t.note(&word);
                    if !sure && tokens.next_if_eq(&Token::Number(2)).is_some() { sum += 100; }
                }
            }
        }
        Ok(format!("{sum} {:?}", tokens.peek()))
    }

    async fn items_by_value(cx, t) {
        let mut all = tokens().into_iter();
        let first = all.next();
        cx.peer.elicit::<Confirm>(format!("{first:?}")).await?;
        let last = all.next_back();
        t.effect(all.len());
        for token in all { cx.peer.elicit::<Text>(format!("{token:?} {last:?}")).await?; t.effect(token); }
        Ok(format!("{first:?} {last:?}"))
    }

    async fn items_of_a_list(cx, t) {
        let list = vec![3i64, 1, 4, 1, 5, 9, 2, 6];
        let mut forth = list.iter();
        let mut back = list.iter().rev().skip(1);
        let mut few = list.iter().copied().take(3);
        let mut ahead = list.iter().peekable();
        let mut copies = list.iter().cloned();
        let mut sum = 0;
        while let Some(n) = forth.next() {
            sum += *n * cx.peer.elicit::<Count>(format!("{n}")).await?.map_or(1, |c| c.n);
            if ahead.peek().is_some_and(|next| **next == *n) { ahead.next(); }
            t.effect(format!("{:?} {:?} {:?} {:?}", back.next(), few.next(), ahead.peek(), copies.next()));
            forth.nth(1);
        }
        Ok(format!("{sum} {:?} {:?} {:?}", back.collect::<Vec<_>>(), few.next(), copies.len()))
    }

    async fn options_of_a_command_line(cx, t) {
        let arguments: Vec<String> = ["-n", "3", "-v", "file"].map(str::to_owned).to_vec();
        let mut left = arguments.iter();
        let mut out = String::new();
        while let Some(argument) = left.next() {
            match argument.as_str() {
                "-n" => {
                    let number = left.next().map_or("", |number| number);
                    if cx.peer.elicit::<Confirm>(format!("{number} of them")).await?.is_some() { out += number; }
                }
                "-v" => out += "v",
                file => { cx.peer.elicit::<Confirm>(file.to_owned()).await?; out += file; t.note(file); }
            }
        }
        Ok(out)
    }

    async fn a_loop_over_what_is_left(cx, t) {
        let text = "one two three four five".to_owned();
        let mut words = text.split(' ');
        for word in words.by_ref().take(2) { t.note(word); }
        cx.peer.elicit::<Confirm>("go on").await?;
        let mut out = Vec::new();
        for word in words { if cx.peer.elicit::<Confirm>(word).await?.is_some() { out.push(word); } }
        Ok(out.join("-"))
    }

    async fn one_in_a_loop_of_others(cx, t) {
        let text = "a=1\nb\nc=3=4".to_owned();
        let mut out = Vec::new();
        for line in text.lines() {
            let mut parts = line.splitn(2, '=');
            let (Some(key), value) = (parts.next(), parts.next()) else { continue };
            if cx.peer.elicit::<Confirm>(format!("{key} {value:?}")).await?.is_some() { out.push((key, value)); }
            t.effect(parts.next().is_none());
        }
        Ok(format!("{out:?}"))
    }

    async fn a_loop_that_leaves_the_rest(cx, t) {
        let text = "one two three four five six".to_owned();
        let mut words = text.split_whitespace();
        let mut out = Vec::new();
        'all: for word in words.by_ref() {
            if cx.peer.elicit::<Confirm>(word).await?.is_some() { out.push(word); } else { continue 'all; }
            if out.len() == 2 { break; }
        }
        t.note(&format!("{:?}", words.next()));
        for word in words.by_ref() { t.note(word); if word == "four" { break } }
        cx.peer.elicit::<Confirm>("rest").await?;
        Ok(format!("{out:?} {:?}", words.collect::<Vec<_>>()))
    }

    async fn lists_of_texts(cx, t) {
        let line = "get -v box shelf -n".to_owned();
        let parts: Vec<&str> = line.split(' ').collect();
        let (mut all, mut lent, mut copies) = (parts.clone().into_iter(), parts.iter(), parts.clone().into_iter().peekable());
        let mut ahead = parts.iter().peekable();
        let verb = (all.next(), lent.next().copied(), copies.next());
        cx.peer.elicit::<Confirm>(format!("{verb:?}")).await?;
        t.note(&format!("{:?} {:?} {:?}", all.next_back(), copies.peek(), ahead.next_if(|word| **word == "get")));
        while let Some(word) = all.next() {
            if word.starts_with('-') { continue; }
            cx.peer.elicit::<Text>(word).await?;
            t.note(&format!("{:?} {:?}", lent.next(), ahead.peek()));
        }
        let mut fixed = ["x", "y", "z"].iter();
        let mut owned = vec!["p", "q"].into_iter().peekable();
        let one = (fixed.next().copied(), owned.next());
        cx.peer.elicit::<Confirm>("fixed").await?;
        Ok(format!("{verb:?} {one:?} {:?} {:?} {:?} {:?}", fixed.next(), owned.peek(), copies.collect::<Vec<_>>(), lent.len()))
    }

    async fn copies_of_texts(cx, t) {
        let line = "get -v box shelf -n".to_owned();
        let parts: Vec<&str> = line.split(' ').collect();
        let (mut copied, mut cloned) = (parts.iter().copied(), parts.iter().cloned());
        let verb = (copied.next(), cloned.next());
        cx.peer.elicit::<Confirm>(format!("{verb:?}")).await?;
        t.note(&format!("{:?} {:?} {}", copied.next(), cloned.next_back(), copied.len()));
        cx.peer.elicit::<Confirm>("rest").await?;
        Ok(format!("{verb:?} {:?} {:?}", copied.collect::<Vec<_>>(), cloned.collect::<Vec<_>>()))
    }
}
