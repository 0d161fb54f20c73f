//! Location and spread of numbers.

/// Arithmetic mean; NaN for an empty slice.
pub fn mean(x: &[f64]) -> f64 {
    x.iter().sum::<f64>() / x.len() as f64
}

/// Standard deviation of the population the numbers were drawn from (`n - 1`); NaN for fewer than two.
pub fn standard_deviation(x: &[f64]) -> f64 {
    if x.len() < 2 {
        return f64::NAN;
    }
    let m = mean(x);
    (x.iter().map(|v| (v - m) * (v - m)).sum::<f64>() / (x.len() - 1) as f64).sqrt()
}

/// Standard error of the mean.
pub fn standard_error(x: &[f64]) -> f64 {
    standard_deviation(x) / (x.len() as f64).sqrt()
}

/// The value below which a fraction `p` lies: linear between order statistics, the smallest for 0 and the largest for 1
/// (Hyndman and Fan's seventh definition). NaN for an empty slice, or if one of the numbers is NaN.
pub fn quantile(x: &[f64], p: f64) -> f64 {
    let mut sorted = x.to_vec();
    sorted.sort_by(f64::total_cmp);
    quantile_of_sorted(&sorted, p)
}

/// The same for numbers in increasing order.
pub fn quantile_of_sorted(sorted: &[f64], p: f64) -> f64 {
    if sorted.is_empty() || sorted.iter().any(|v| v.is_nan()) {
        return f64::NAN;
    }
    let place = p.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    let rest = place - below as f64;
    // Between equal neighbours, infinite ones included, the value is theirs.
    if rest == 0.0 || sorted[below] == sorted[above] {
        return sorted[below];
    }
    sorted[below] + rest * (sorted[above] - sorted[below])
}

/// The median.
pub fn median(x: &[f64]) -> f64 {
    quantile(x, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// numpy 2.4.6 and scipy 1.17.1 on these ten numbers.
    const DATA: [f64; 10] = [2.1, 3.4, 1.9, 5.6, 2.2, 4.8, 3.3, 2.7, 3.9, 8.1];

    #[test]
    fn summaries_are_numpys() {
        assert!((mean(&DATA) - 3.8).abs() < 1e-15);
        assert!((standard_error(&DATA) - 0.6093712606722878).abs() < 1e-15);
        for (p, expected) in [(0.0, 1.9), (0.1, 2.08), (0.25, 2.325), (0.5, 3.35), (0.9, 5.85), (1.0, 8.1)] {
            assert!((quantile(&DATA, p) - expected).abs() < 1e-14, "{p}");
        }
    }

    #[test]
    fn nothing_is_made_of_nothing() {
        assert!(mean(&[]).is_nan() && median(&[]).is_nan() && standard_deviation(&[1.0]).is_nan());
        assert!(median(&[1.0, f64::NAN, 2.0]).is_nan());
        assert_eq!(quantile(&[f64::INFINITY, f64::INFINITY], 0.3), f64::INFINITY);
    }
}
