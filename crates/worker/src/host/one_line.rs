//! Texts from a worker, reduced to one line of plain text.

/// Longest text that is passed on (in characters).
const LONGEST: usize = 1000;

/// One line without control characters; a longer one is cut.
pub fn line(text: &str) -> String {
    let mut out = String::new();
    for (at, c) in text.chars().enumerate() {
        if at == LONGEST {
            out.push('…');
            break;
        }
        match c {
            '\n' | '\r' | '\t' => out.push(' '),
            c => out.push(c),
        }
    }
    veracity_model::text::one_line(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn a_line_is_one_line_of_plain_text() {
        assert_eq!(line("a\nb\u{1b}[31m\u{202e}c"), r"a b\u001b[31m\u202ec");
        assert_eq!(line(&"x".repeat(5000)).chars().count(), 1001);
    }
}
