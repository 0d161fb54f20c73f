//! Text and numbers in HTML.

/// For text between tags and for attribute values in quotes.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// A number in up to six digits, without trailing zeros.
pub fn short(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    let size = libm::floor(libm::log10(x.abs()));
    if !(-4.0..7.0).contains(&size) {
        return format!("{x:.4e}");
    }
    let text = format!("{x:.*}", (5.0 - size).clamp(0.0, 9.0) as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_text() {
        assert_eq!(escape("<b a=\"1\">&'"), "&lt;b a=&quot;1&quot;&gt;&amp;&#39;");
    }

    #[test]
    fn numbers_have_at_most_six_digits() {
        let shown: Vec<String> = [123456.7, 0.001234567, 0.0, -2.5, 1e9].iter().map(|x| short(*x)).collect();
        assert_eq!(shown, ["123457", "0.00123457", "0", "-2.5", "1.0000e9"]);
    }
}
