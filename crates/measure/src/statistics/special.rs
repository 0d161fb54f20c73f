//! The distributions used by confidence intervals.
//!
//! ```text
//! (1)  I_x(a, b) = x^a (1 - x)^b / (a B(a, b)) · 1 / (1 + d₁ / (1 + d₂ / (1 + …)))
//!      d₂ₘ = m (b - m) x / ((a + 2m - 1)(a + 2m)),   d₂ₘ₊₁ = -(a + m)(a + b + m) x / ((a + 2m)(a + 2m + 1))
//! (2)  P(T ≤ t) = 1 - ½ I_x(n/2, ½),  x = n / (n + t²)          Student with n degrees of freedom, t ≥ 0
//! ```
//!
//! (1) is the continued fraction 8.17.22 of the NIST Digital Library of Mathematical Functions, evaluated with the
//! method of Lentz; it converges fast for `x < (a + 1) / (a + b + 2)`, and the other half follows from `I_x(a, b) = 1 -
//! I_{1-x}(b, a)`.
//! Quantiles are found by bisection: slow, exact to rounding, and needed only a few times.

/// Regularised incomplete beta function, for positive `a` and `b` and `x` in [0, 1].
pub fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return if x <= 0.0 { 0.0 } else { 1.0 };
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, 1.0 - x);
    }
    let log_front = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * libm::log(x) + b * libm::log1p(-x);
    libm::exp(log_front) / (a * fraction(a, b, x))
}

/// The continued fraction of (1), without the prefactor.
fn fraction(a: f64, b: f64, x: f64) -> f64 {
    // Lentz's method keeps numerator and denominator away from zero by this much.
    const TINY: f64 = 1e-300;
    let away = |y: f64| if y.abs() < TINY { TINY } else { y };
    let (mut value, mut c, mut d) = (1.0f64, 1.0f64, 0.0f64);
    // The number of terms is of the order of the square root of the larger parameter.
    for k in 1..10_000 {
        let m = (k / 2) as f64;
        let term = if k % 2 == 0 {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        };
        d = 1.0 / away(1.0 + term * d);
        c = away(1.0 + term / c);
        value *= c * d;
        if (c * d - 1.0).abs() < 1e-16 {
            break;
        }
    }
    value
}

/// The `p` quantile of the beta distribution: where [`incomplete_beta`] reaches `p`.
pub fn beta_quantile(p: f64, a: f64, b: f64) -> f64 {
    let (mut low, mut high) = (0.0f64, 1.0f64);
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if incomplete_beta(a, b, middle) < p { low = middle } else { high = middle }
    }
}

/// (2): the probability that Student's `t` with `n` degrees of freedom is at most `t`.
pub fn student(t: f64, n: f64) -> f64 {
    let tail = 0.5 * incomplete_beta(0.5 * n, 0.5, n / (n + t * t));
    if t >= 0.0 { 1.0 - tail } else { tail }
}

/// The `p` quantile of Student's distribution with `n` degrees of freedom.
pub fn student_quantile(p: f64, n: f64) -> f64 {
    if p < 0.5 {
        return -student_quantile(1.0 - p, n);
    }
    inverse(|t| student(t, n), p)
}

/// The probability that a standard normal number is at most `x`.
pub fn normal(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// The `p` quantile of the standard normal distribution.
pub fn normal_quantile(p: f64) -> f64 {
    if p <= 0.0 || p >= 1.0 {
        return if p <= 0.0 { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    if p < 0.5 {
        // The tail is computed directly: 1 - p would lose its digits.
        return -inverse(|x| -0.5 * libm::erfc(x * std::f64::consts::FRAC_1_SQRT_2), -p);
    }
    inverse(normal, p)
}

/// The positive argument at which an increasing function reaches `p`.
fn inverse(f: impl Fn(f64) -> f64, p: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while f(high) < p {
        (low, high) = (high, 2.0 * high);
        if high > 1e300 {
            return f64::INFINITY;
        }
    }
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if f(middle) < p { low = middle } else { high = middle }
    }
}

#[cfg(test)]
mod tests {
    //! Golden values: scipy 1.17.1 (`special.betainc`, `stats.t`, `stats.norm`).
    use super::*;

    fn close(found: f64, expected: f64, within: f64) {
        assert!((found - expected).abs() <= within * expected.abs(), "{found} and not {expected}");
    }

    #[test]
    fn incomplete_beta_is_scipys() {
        for (a, b, x, expected) in [
            (0.5, 0.5, 0.3, 0.36901011956554536),
            (2.0, 3.0, 0.4, 0.5247999999999999),
            (10.0, 0.5, 0.99, 0.6579281751567845),
            (150.0, 200.0, 0.42, 0.37477846810547866),
            (0.1, 5.0, 1e-3, 0.6128983593749946),
            (1000.0, 0.5, 0.999, 0.15724727426672383),
        ] {
            // Logarithms of gamma functions of a thousand are six thousand: their rounding is 1e-12 each.
            close(incomplete_beta(a, b, x), expected, if a > 100.0 { 1e-11 } else { 1e-14 });
        }
    }

    #[test]
    fn beta_quantiles_invert_the_distribution() {
        for (a, b, p) in [(3.0, 8.0, 0.025), (0.5, 0.5, 0.7), (1.0, 400.0, 0.975), (36.0, 5.0, 0.975)] {
            // The slope of the distribution at its quantile is of order one to a hundred; bisection ends at rounding.
            close(incomplete_beta(a, b, beta_quantile(p, a, b)), p, 1e-12);
        }
    }

    #[test]
    fn student_is_scipys() {
        for (t, n, expected) in [
            (0.0, 3.0, 0.5),
            (1.0, 1.0, 0.75),
            (2.0, 4.0, 0.9419417382415922),
            (-2.5, 10.0, 0.01572342211830441),
            (6.0, 2.0, 0.9866642633922876),
            (1.96, 1e6, 0.9750019662073651),
            (40.0, 7.5, 0.9999999997440472),
        ] {
            // A million degrees of freedom: log-gamma of 5e5 is 6e6 and rounds at 1e-9.
            close(student(t, n), expected, if n > 1e5 { 1e-10 } else { 1e-14 });
        }
        for (p, n, expected) in [
            (0.975, 1.0, 12.706204736174694),
            (0.975, 2.0, 4.302652729749462),
            (0.975, 9.0, 2.262157162798205),
            (0.95, 30.0, 1.697260886593957),
            (0.995, 5.0, 4.032142983555228),
            (0.6, 1000.0, 0.25341451583949876),
            (0.9999, 3.0, 22.203742273205),
        ] {
            close(student_quantile(p, n), expected, 1e-11);
            assert_eq!(student_quantile(1.0 - p, n), -student_quantile(1.0 - (1.0 - p), n));
        }
    }

    #[test]
    fn normal_quantiles_are_scipys() {
        for (p, expected) in [
            (1e-10, -6.361340902404056),
            (0.001, -3.090232306167813),
            (0.025, -1.9599639845400545),
            (0.3, -0.5244005127080409),
            (0.8, 0.8416212335729143),
            (0.975, 1.959963984540054),
        ] {
            close(normal_quantile(p), expected, 1e-14);
        }
        assert!(normal_quantile(0.5).abs() < 1e-15);
        // Near one, p itself is rounded.
        close(normal_quantile(0.9999999), 5.199337582290661, 1e-9);
        assert_eq!(normal_quantile(1.0), f64::INFINITY);
    }
}
