//! A source file with its text: spans lead into it.

use std::{
    fmt,
    ops::Range,
    path::{Component, Path, PathBuf},
};

use proc_macro2::Span;

/// A source file.
pub(crate) struct File {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    /// `None` where it does not parse.
    pub(crate) syntax: Option<syn::File>,
}

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("File").field(&self.path).finish()
    }
}

/// Why a file does not parse, and where.
pub(crate) struct SyntaxError {
    pub(crate) range: Range<usize>,
    pub(crate) message: String,
}

impl File {
    /// Parses `text`; with the error beside a file whose text can be shown.
    pub(crate) fn read(path: PathBuf, text: String) -> (Self, Option<SyntaxError>) {
        let (syntax, error) = match syn::parse_str::<syn::File>(&blanked(&text)) {
            Ok(syntax) => (Some(syntax), None),
            Err(error) => {
                let range = error.span().byte_range();
                let message = error.to_string();
                (None, Some(SyntaxError { range, message }))
            }
        };
        (Self { path, text, syntax }, error)
    }

    #[cfg(test)]
    pub(crate) fn of(path: impl AsRef<Path>, text: &str) -> Option<Self> {
        let (file, error) = Self::read(path.as_ref().to_owned(), text.to_owned());
        error.is_none().then_some(file)
    }

    /// Line and column in characters, both from 1.
    pub(crate) fn position(&self, offset: usize) -> (usize, usize) {
        let before = self.text.get(..offset).unwrap_or(&self.text);
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = before.matches('\n').count() + 1;
        let column = before
            .get(line_start..)
            .map_or(0, |line| line.chars().count())
            + 1;
        (line, column)
    }

    /// The text of a span.
    pub(crate) fn at(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    /// The white space that the line of `offset` begins with.
    pub(crate) fn indent(&self, offset: usize) -> &str {
        let line = self.text.get(self.line_start(offset)..);
        let line = line.unwrap_or_default();
        let code = line
            .find(|c: char| c != ' ' && c != '\t')
            .unwrap_or(line.len());
        line.get(..code).unwrap_or_default()
    }

    /// What comes between an attribute that is put at `offset` and what is there: a line, unless there is something before it.
    pub(crate) fn gap(&self, offset: usize) -> String {
        match self.is_first(offset) {
            true => format!("{}{}", self.newline(offset), self.indent(offset)),
            false => " ".to_owned(),
        }
    }

    /// The end of the comment that follows `offset` on its line; `offset` itself where there is none, or more than that.
    pub(crate) fn after_comment(&self, offset: usize) -> usize {
        let rest = self.text.get(offset..).unwrap_or_default();
        let code = rest.trim_start_matches([' ', '\t']);
        let end = match code {
            _ if code.starts_with("//") => code.find('\n').unwrap_or(code.len()),
            _ if code.starts_with("/*") => code.find("*/").map_or(0, |end| end + "*/".len()),
            _ => 0,
        };
        let behind = code.get(end..).unwrap_or_default().lines().next();
        match end > 0 && behind.unwrap_or_default().trim().is_empty() {
            true => {
                let comment = code.get(..end).unwrap_or_default().trim_end();
                offset + (rest.len() - code.len()) + comment.len()
            }
            false => offset,
        }
    }

    /// Where the comments begin that stand on the lines right above `offset`, which is the first on its line.
    pub(crate) fn before_comments(&self, offset: usize) -> usize {
        let (mut start, mut first) = (self.line_start(offset), offset);
        let above = self.text.get(..start).unwrap_or_default();
        for line in above.split_inclusive('\n').rev() {
            let code = line.trim_start();
            // Those of the module itself stay at its beginning.
            if !code.starts_with("//") || code.starts_with("//!") {
                break;
            }
            start -= line.len();
            first = start + (line.len() - code.len());
        }
        first
    }

    /// Whether nothing but white space is before `offset` on its line.
    pub(crate) fn is_first(&self, offset: usize) -> bool {
        let line = self.text.get(self.line_start(offset)..offset);
        line.unwrap_or_default().trim().is_empty()
    }

    /// Where the line of `offset` begins.
    fn line_start(&self, offset: usize) -> usize {
        let before = self.text.get(..offset).unwrap_or_default();
        before.rfind('\n').map_or(0, |end| end + 1)
    }

    /// How the line of `offset` ends; the last one, how that before it does.
    pub(crate) fn newline(&self, offset: usize) -> &'static str {
        let (before, after) = self.text.split_at_checked(offset).unwrap_or_default();
        let line = match after.split_once('\n') {
            Some(("", _)) => before,
            Some((line, _)) => line,
            None => before.rsplit_once('\n').map_or("", |(lines, _)| lines),
        };
        match line.ends_with('\r') {
            true => "\r\n",
            false => "\n",
        }
    }
}

/// From the first to the last byte of what `tokens` are made of.
pub(crate) fn range_of(tokens: impl quote::ToTokens) -> Range<usize> {
    let spans = tokens
        .into_token_stream()
        .into_iter()
        .map(|token| token.span());
    let range = |span: Span| span.byte_range();
    spans
        .map(range)
        .filter(|range| !range.is_empty())
        .reduce(|all, one| all.start.min(one.start)..all.end.max(one.end))
        .unwrap_or(0..0)
}

/// Where a block begins: no two of a file begin there.
pub(super) fn start_of(block: &syn::Block) -> usize {
    block.brace_token.span.open().byte_range().start
}

/// The path without `..` and `.` in it.
pub(crate) fn without_detours(path: &Path) -> PathBuf {
    let mut direct = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = direct.pop(),
            Component::CurDir => {}
            part => direct.push(part),
        }
    }
    direct
}

/// The path under which a file is read: two ways to one file are one file. A detour behind a link may lead elsewhere.
pub(crate) fn direct(path: &Path) -> PathBuf {
    let direct = without_detours(path);
    match direct.is_file() {
        true => direct,
        false => path.to_owned(),
    }
}

/// The byte order mark and the line for the shell are white space of the same length, so that spans fit the file.
fn blanked(text: &str) -> String {
    const MARK: &str = "\u{feff}";
    let (mark, rest) = match text.strip_prefix(MARK) {
        Some(rest) => (MARK.len(), rest),
        None => (0, text),
    };
    let shell = match rest.strip_prefix("#!") {
        Some(line) if !line.trim_start().starts_with('[') => rest.find('\n').unwrap_or(rest.len()),
        _ => 0,
    };
    let blank = " ".repeat(mark + shell);
    blank + rest.get(shell..).unwrap_or_default()
}
