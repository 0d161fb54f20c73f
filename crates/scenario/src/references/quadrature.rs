//! Integrals of smooth functions by Gauss-Legendre quadrature.

/// Nodes in (0, 1) and weights of the ten-point rule on [-1, 1]; the rule is symmetric. Exact for polynomials up to
/// degree 19.
const RULE: [(f64, f64); 5] = [
    (0.148_874_338_981_631_22, 0.295_524_224_714_752_87),
    (0.433_395_394_129_247_2, 0.269_266_719_309_996_35),
    (0.679_409_568_299_024_4, 0.219_086_362_515_982_04),
    (0.865_063_366_688_984_5, 0.149_451_349_150_580_6),
    (0.973_906_528_517_171_7, 0.066_671_344_308_688_14),
];

/// The integral of `f` from `a` to `b` in panels no longer than `panel`.
pub fn integral(f: impl Fn(f64) -> f64, a: f64, b: f64, panel: f64) -> f64 {
    let count = ((b - a) / panel).abs().ceil().max(1.0);
    let width = (b - a) / count;
    let mut sum = 0.0;
    for i in 0..count as usize {
        let middle = a + (i as f64 + 0.5) * width;
        for (x, weight) in RULE {
            let reach = 0.5 * width * x;
            sum += weight * (f(middle - reach) + f(middle + reach));
        }
    }
    0.5 * width * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_of_degree_19_are_exact() {
        // Rounding only: the weights have 16 digits.
        assert!((integral(|x| x.powi(19), 0.0, 1.0, 1.0) - 0.05).abs() < 1e-15);
        assert!((integral(|x| x.powi(18), -1.0, 1.0, 2.0) - 2.0 / 19.0).abs() < 1e-15);
        assert!((integral(|_| 1.0, 0.0, 3.0, 0.4) - 3.0).abs() < 2e-15);
    }

    #[test]
    fn the_order_is_twenty() {
        let error = |panel: f64| (integral(|x| libm::cos(8.0 * x), 0.0, 4.0, panel) - libm::sin(32.0) / 8.0).abs();
        // Panels of 16 and 8 rad: the larger is not quite in the asymptotic range; below the smaller there is only
        // rounding.
        let order = libm::log2(error(2.0) / error(1.0));
        assert!(order > 19.0, "{order}");
    }
}
