//! Escaping of JSON in HTML: a scenario called `</script>` must show its name and do nothing else.

/// For JSON inside a `<script>` element. An HTML parser looks for `</script` and `<!--` there and does not know JSON's
/// quotes; in JSON these characters occur only in strings, where `\u003c` means the same as `<`. The two line
/// separators are escaped for readers that parse the block as JavaScript.
pub fn json_in_script(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '<' => escaped.push_str("\\u003c"),
            '>' => escaped.push_str("\\u003e"),
            '&' => escaped.push_str("\\u0026"),
            '\u{2028}' => escaped.push_str("\\u2028"),
            '\u{2029}' => escaped.push_str("\\u2029"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_json_is_equal_json_without_markup() {
        let value = serde_json::json!({ "</script><!--": "a & b\u{2028}\u{2029}" });
        let escaped = json_in_script(&value.to_string());
        assert!(!escaped.contains(['<', '>', '&', '\u{2028}', '\u{2029}']), "{escaped}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).unwrap(), value);
    }
}
