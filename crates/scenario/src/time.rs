//! From seconds in files to whole nanoseconds.

/// The longest duration accepted: about four months, far below the range of nanoseconds [s].
pub const MAX_DURATION_S: f64 = 1e7;

/// A time in whole nanoseconds; `None` if it is not positive, too long, or differs from whole nanoseconds by more than
/// the rounding of decimal to binary.
pub fn nanoseconds(seconds: f64) -> Option<i64> {
    if !(seconds > 0.0 && seconds <= MAX_DURATION_S) {
        return None;
    }
    let exact = seconds * 1e9;
    let whole = exact.round();
    // Decimal fractions of a second are off by at most an ulp or two of `exact`.
    let slack = 1e-6f64.max(4.0 * f64::EPSILON * exact);
    ((exact - whole).abs() <= slack && whole >= 1.0).then_some(whole as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_seconds_are_whole_nanoseconds() {
        assert_eq!(nanoseconds(0.001), Some(1_000_000));
        assert_eq!(nanoseconds(10.0), Some(10_000_000_000));
        assert_eq!(nanoseconds(1e-9), Some(1));
        assert_eq!(nanoseconds(86400.000000001), Some(86_400_000_000_001));
        for bad in [0.0, -1.0, 1e12, f64::NAN, f64::INFINITY, 1e-10, 1.0 / 3e9] {
            assert_eq!(nanoseconds(bad), None, "{bad}");
        }
        // A third of a second is not a whole number of nanoseconds.
        assert_eq!(nanoseconds(1.0 / 3.0), None);
    }
}
