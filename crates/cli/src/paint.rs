//! Colours, on a terminal that wants them: not in a pipe, not with `NO_COLOR` set (see no-color.org).

use std::io::{self, IsTerminal};

/// Paints text, or leaves it as it is.
#[derive(Clone, Copy, Debug)]
pub struct Paint {
    on: bool,
}

/// For standard output.
pub fn stdout() -> Paint {
    Paint { on: wanted() && io::stdout().is_terminal() }
}

/// For standard error.
pub fn stderr() -> Paint {
    Paint { on: wanted() && io::stderr().is_terminal() }
}

fn wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()) && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
}

impl Paint {
    /// Wrong.
    pub fn bad(self, text: impl AsRef<str>) -> String {
        self.with("1;31", text)
    }

    /// Doubtful.
    pub fn doubtful(self, text: impl AsRef<str>) -> String {
        self.with("1;33", text)
    }

    /// Right.
    pub fn good(self, text: impl AsRef<str>) -> String {
        self.with("1;32", text)
    }

    /// For information.
    pub fn quiet(self, text: impl AsRef<str>) -> String {
        self.with("2", text)
    }

    /// A heading or a name.
    pub fn strong(self, text: impl AsRef<str>) -> String {
        self.with("1", text)
    }

    fn with(self, code: &str, text: impl AsRef<str>) -> String {
        let text = text.as_ref();
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::Paint;

    #[test]
    fn paint_that_is_off_changes_nothing() {
        assert_eq!(Paint { on: false }.bad("x"), "x");
        assert_eq!(Paint { on: true }.bad("x"), "\x1b[1;31mx\x1b[0m");
    }
}
