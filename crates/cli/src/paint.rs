//! Colours, only on a terminal that wants them: not in a pipe, not with `NO_COLOR` set (see no-color.org).

use std::borrow::Cow;
use std::io::{self, IsTerminal};

/// Colours text, or leaves it unchanged.
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
    /// Colour of errors.
    pub fn bad(self, text: impl AsRef<str>) -> String {
        self.with("1;31", text)
    }

    /// Colour of warnings.
    pub fn doubtful(self, text: impl AsRef<str>) -> String {
        self.with("1;33", text)
    }

    /// Colour of successes.
    pub fn good(self, text: impl AsRef<str>) -> String {
        self.with("1;32", text)
    }

    /// Colour of secondary information.
    pub fn quiet(self, text: impl AsRef<str>) -> String {
        self.with("2", text)
    }

    /// Headings and names.
    pub fn strong(self, text: impl AsRef<str>) -> String {
        self.with("1", text)
    }

    fn with(self, code: &str, text: impl AsRef<str>) -> String {
        let text = text.as_ref();
        if self.on { format!("{BEGIN}{code}{END}{text}{BEGIN}{PLAIN}{END}") } else { text.to_string() }
    }

    /// Replaces marks by escape sequences on output. A mark from untrusted text can become at most one of our colours,
    /// and nothing if colours are off.
    pub fn translate(self, text: &str) -> Cow<'_, str> {
        if !text.contains(BEGIN) {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        for (at, part) in text.split(BEGIN).enumerate() {
            match part.split_once(END) {
                Some((code, rest)) if at > 0 && CODES.contains(&code) => {
                    if self.on {
                        out.push_str(&format!("\x1b[{code}m"));
                    }
                    out.push_str(rest);
                }
                _ => out.push_str(part),
            }
        }
        Cow::Owned(out)
    }
}

/// Delimiters of a colour code. Unicode reserves these two for use inside a program: no text contains them.
const BEGIN: char = '\u{fdd0}';
const END: char = '\u{fdd1}';
/// The code that ends a colour, then all codes.
const PLAIN: &str = "0";
const CODES: [&str; 6] = ["1;31", "1;33", "1;32", "2", "1", PLAIN];

#[cfg(test)]
mod tests {
    use super::Paint;

    #[test]
    fn paint_that_is_off_changes_nothing() {
        assert_eq!(Paint { on: false }.bad("x"), "x");
        let on = Paint { on: true };
        assert_eq!(on.translate(&on.bad("x")), "\x1b[1;31mx\x1b[0m");
        assert_eq!(Paint { on: false }.translate(&on.bad("x")), "x");
        assert_eq!(on.translate("\u{fdd0}2J\u{fdd1}x"), "2J\u{fdd1}x");
    }
}
