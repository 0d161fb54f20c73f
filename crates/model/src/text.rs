//! Escaping of untrusted text before it is printed.
//!
//! A name with a line break can forge a line, an escape sequence can move the cursor, and a character that changes the
//! writing direction can make text look like other text. Such characters are shown as `\u001b`: the same form is an
//! escape in JSON, so JSON documents keep their meaning.

use std::borrow::Cow;

/// Whether a character is safe to print: no control character and none that changes the writing direction.
pub fn is_plain(c: char) -> bool {
    let turns = matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !c.is_control() && !turns
}

/// Text of several lines: escapes everything that is not plain, except line breaks and tabs.
pub fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_plain(c) || c == '\n' || c == '\t')
}

/// One line: escapes line breaks as well.
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
            // All of them are below U+10000, so four digits suffice.
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
