//! Formatting of numbers for reports.

/// Four significant digits, without an exponent unless needed.
pub fn number(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    if !(1e-3..1e6).contains(&size) {
        return format!("{x:.3e}");
    }
    let whole_digits = size.log10().floor() as i32 + 1;
    let decimals = usize::try_from(4 - whole_digits).unwrap_or(0);
    let text = format!("{x:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

/// A length in a unit that suits its size.
pub fn length(metres: f64) -> String {
    match metres.abs() {
        m if m >= 1.0 => format!("{} m", number(metres)),
        m if m >= 1e-3 => format!("{} mm", number(metres * 1e3)),
        _ => format!("{} µm", number(metres * 1e6)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits_and_no_idle_zeros() {
        for (x, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (17.5, "17.5"),
            (-2.792526803190927, "-2.793"),
            (0.0349066, "0.03491"),
            (121487.3, "121487"),
            (2.4718e-5, "2.472e-5"),
            (1.2e10, "1.200e10"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(number(x), text);
        }
        assert_eq!(length(0.065), "65 mm");
        assert_eq!(length(2e-6), "2 µm");
    }
}
