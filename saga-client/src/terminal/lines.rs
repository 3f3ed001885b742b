//! Lines from whoever answers.

use std::io::{self, Write};

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

use super::Style;

/// Shows questions and takes lines for answers.
pub struct Terminal {
    answers: Box<dyn AsyncBufRead + Send + Unpin>,
    screen: Box<dyn Write + Send>,
    /// Nobody sees what comes from a file, unless it is shown.
    echo: bool,
    pub(super) style: Style,
}

/// What a person said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// A trimmed text.
    Text(String),
    /// That the question is refused.
    Decline,
    /// That all of it is called off; also where the input has ended.
    Cancel,
}

impl Terminal {
    /// A terminal that reads `answers` and writes to `screen`; with `echo` it shows the answers too.
    pub fn new(
        answers: impl AsyncBufRead + Send + Unpin + 'static,
        screen: impl Write + Send + 'static,
        echo: bool,
        style: Style,
    ) -> Self {
        Self {
            answers: Box::new(answers),
            screen: Box::new(screen),
            echo,
            style,
        }
    }

    /// Shows a line.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn say(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.screen, "{line}")
    }

    /// Takes the next line.
    ///
    /// # Errors
    /// Where nothing can be read or written.
    pub async fn line(&mut self, prompt: &str) -> io::Result<Line> {
        write!(self.screen, "{prompt}")?;
        self.screen.flush()?;
        let mut line = String::new();
        if self.answers.read_line(&mut line).await? == 0 {
            // The cursor still is behind the prompt.
            self.say(&self.style.dim("(no answer)"))?;
            return Ok(Line::Cancel);
        }
        let text = line.trim();
        if self.echo {
            self.say(text)?;
        }
        Ok(match text {
            "!decline" => Line::Decline,
            "!cancel" => Line::Cancel,
            _ => Line::Text(text.to_owned()),
        })
    }
}

impl std::fmt::Debug for Terminal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Terminal").finish_non_exhaustive()
    }
}
