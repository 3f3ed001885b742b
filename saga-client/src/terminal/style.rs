//! How text looks.

use std::io::IsTerminal;

/// Bold and dim text, where somebody looks at it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Style {
    colored: bool,
}

impl Style {
    /// The style of standard output.
    pub fn of_stdout() -> Self {
        Self::of(&std::io::stdout())
    }

    /// The style of standard error.
    pub fn of_stderr() -> Self {
        Self::of(&std::io::stderr())
    }

    fn of(stream: &impl IsTerminal) -> Self {
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self {
            colored: stream.is_terminal() && !unwanted,
        }
    }

    /// What stands out.
    pub fn bold(self, text: &str) -> String {
        self.set("1", text)
    }

    /// What can be passed over.
    pub fn dim(self, text: &str) -> String {
        self.set("2", text)
    }

    /// What went well.
    pub fn good(self, text: &str) -> String {
        self.set("32", text)
    }

    /// What went wrong.
    pub fn bad(self, text: &str) -> String {
        self.set("31", text)
    }

    fn set(self, code: &str, text: &str) -> String {
        match self.colored {
            true => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            false => text.to_owned(),
        }
    }
}

/// A text from elsewhere without what would steer the terminal.
pub fn plain(text: &str) -> String {
    let shown = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    text.chars().filter(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a_text_from_elsewhere_does_not_steer_the_terminal() {
        assert_eq!(plain("a\u{1b}[2Jb\r\n\tc\u{9b}"), "a[2Jb\n\tc");
    }
}
