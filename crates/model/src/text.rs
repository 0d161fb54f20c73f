//! Text that others wrote, on its way to a terminal.
//!
//! A name with a line break forges a line, one with an escape sequence moves the cursor, and a character that turns the direction of
//! writing makes text look like another. Such characters are shown as `\u001b`: the form that is also an escape in JSON, so that
//! a document stays the same document.

use std::borrow::Cow;

/// Whether a character only shows itself: no control character, none that turns the direction of what follows.
pub fn is_plain(c: char) -> bool {
    let turns = matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !c.is_control() && !turns
}

/// Lines of text: everything but line breaks and tabulators that is not plain is escaped.
pub fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_plain(c) || c == '\n' || c == '\t')
}

/// One line: line breaks are escaped too.
pub fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, is_plain)
}

fn escaped(text: &str, keeps: impl Fn(char) -> bool) -> Cow<'_, str> {
    if text.chars().all(&keeps) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if keeps(c) {
            out.push(c);
        } else {
            // All of them are below U+10000: four digits.
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_plain_is_escaped_as_in_json() {
        let forged = "arm\n\u{1b}[2Jaccepted\u{202e}\u{9b}31m\u{7f}";
        assert_eq!(one_line(forged), r"arm\u000a\u001b[2Jaccepted\u202e\u009b31m\u007f");
        assert_eq!(lines("a\n\tb\r"), "a\n\tb\\u000d");
        let back: String = serde_json::from_str(&format!("\"{}\"", one_line(forged))).unwrap();
        assert_eq!(back, forged);
        assert!(matches!(one_line("Größe → 3 μm"), Cow::Borrowed(_)));
    }
}
