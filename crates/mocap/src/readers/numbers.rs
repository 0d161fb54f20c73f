//! Parsing of decimal numbers in bytes.
//!
//! A decimal with at most 15 digits and a power of ten of at most 22 is the quotient or product of two numbers that are
//! exact in double precision: one rounding, the correct one (Clinger, PLDI 1990). Nearly every number of a recording is
//! of that kind; the others are parsed by the standard library.

/// Exact powers of ten.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
    1e20, 1e21, 1e22,
];

/// The number in a field, surrounding blanks allowed; `None` if it is not a number. `nan` and `inf` are parsed; the
/// reader decides what they mean.
pub fn number(field: &[u8]) -> Option<f64> {
    let field = field.trim_ascii();
    short_decimal(field).or_else(|| std::str::from_utf8(field).ok()?.parse().ok())
}

/// A whole number without sign.
pub fn whole(field: &[u8]) -> Option<u64> {
    let field = field.trim_ascii();
    if field.is_empty() || field.len() > 18 || !field.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(field.iter().fold(0, |n, digit| n * 10 + u64::from(digit - b'0')))
}

/// `N` numbers separated by commas, and nothing else.
pub fn comma_separated<const N: usize>(text: &[u8]) -> Option<[f64; N]> {
    let mut out = [0.0; N];
    let mut fields = text.split(|b| *b == b',');
    for value in &mut out {
        *value = number(fields.next()?)?;
    }
    fields.next().is_none().then_some(out)
}

fn short_decimal(field: &[u8]) -> Option<f64> {
    let (negative, digits) = match field {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    // 15 digits are below 2^53; one more byte for the point.
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    let mut mantissa = 0u64;
    let mut point = digits.len();
    for (i, byte) in digits.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            mantissa = mantissa * 10 + u64::from(digit);
        } else if *byte == b'.' && point == digits.len() {
            point = i;
        } else {
            return None;
        }
    }
    let has_point = point < digits.len();
    let count = digits.len() - usize::from(has_point);
    if count == 0 || count > 15 {
        return None;
    }
    let value = mantissa as f64 / POWERS[if has_point { digits.len() - 1 - point } else { 0 }];
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_decimal_is_what_the_standard_library_says(text in "[-+]?[0-9]{0,9}[.]?[0-9]{0,9}(e-?[0-9]{1,2})?") {
            let ours = number(text.as_bytes()).map(f64::to_bits);
            prop_assert_eq!(ours, text.parse::<f64>().ok().map(f64::to_bits));
        }
    }

    #[test]
    fn invalid_numbers_are_rejected() {
        for text in ["", " ", ".", "-", "1.2.3", "1,2", "0x1", "--1", "1e"] {
            assert_eq!(number(text.as_bytes()), None, "{text}");
        }
        assert!(number(b" NaN ").unwrap().is_nan());
        assert_eq!(comma_separated::<2>(b" 1.5, -2"), Some([1.5, -2.0]));
        assert_eq!(comma_separated::<2>(b"1,2,3"), None);
        assert_eq!((whole(b"042"), whole(b"-1"), whole(b"")), (Some(42), None, None));
    }
}
