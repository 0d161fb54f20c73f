//! Elliptic integrals and Jacobi's elliptic functions, to rounding.
//!
//! ```text
//! (1)  K(m) = π / (2 agm(1, √(1-m)))
//! (2)  F(φ|m) = sin φ · R_F(cos²φ, 1 - m sin²φ, 1)                       |φ| ≤ π/2; F(φ + nπ) = F(φ) + 2nK
//! (3)  am(u|m): φ_N = 2^N a_N u,  φ_{n-1} = (φ_n + asin(c_n/a_n · sin φ_n)) / 2,  am = φ_0
//! (4)  sn = sin am,  cn = cos am,  dn = √(1 - m sn²)
//! ```
//!
//! with the parameter `m = k²` in [0, 1). (1) and (3) are the descending Landen transformation through the
//! arithmetic-geometric mean (Abramowitz and Stegun 16.4, 17.6), (2) is Carlson's symmetric integral by duplication
//! (Numer. Math. 33, 1979). The mean doubles its digits every iteration: eight iterations are always enough.

use std::f64::consts::{FRAC_PI_2, PI};

/// Iterations of the arithmetic-geometric mean; it is stationary long before for every `m` a double can hold below 1.
const ROUNDS: usize = 12;

/// Complete integral of the first kind, (1). `m` in [0, 1).
pub fn complete(m: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - m).sqrt());
    for _ in 0..ROUNDS {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    FRAC_PI_2 / a
}

/// Incomplete integral of the first kind, (2), for any angle.
pub fn incomplete(phi: f64, m: f64) -> f64 {
    let turns = (phi / PI).round();
    let rest = phi - turns * PI;
    let (s, c) = libm::sincos(rest);
    let part = s * carlson(c * c, 1.0 - m * s * s, 1.0);
    if turns == 0.0 { part } else { part + 2.0 * turns * complete(m) }
}

/// Carlson's R_F for non-negative arguments, at most one of them zero.
fn carlson(mut x: f64, mut y: f64, mut z: f64) -> f64 {
    loop {
        let mean = (x + y + z) / 3.0;
        let (dx, dy, dz) = (1.0 - x / mean, 1.0 - y / mean, 1.0 - z / mean);
        // The truncation error of the series below is the sixth power of the largest of the three.
        if dx.abs().max(dy.abs()).max(dz.abs()) < 1.0e-3 {
            let (e2, e3) = (dx * dy - dz * dz, dx * dy * dz);
            let series = 1.0 - e2 / 10.0 + e3 / 14.0 + e2 * e2 / 24.0 - 3.0 * e2 * e3 / 44.0;
            return series / mean.sqrt();
        }
        let lambda = (x * y).sqrt() + (y * z).sqrt() + (z * x).sqrt();
        (x, y, z) = (0.25 * (x + lambda), 0.25 * (y + lambda), 0.25 * (z + lambda));
    }
}

/// Jacobi's functions at one argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jacobi {
    /// The amplitude: grows by π for every 2 K.
    pub am: f64,
    /// Sine of the amplitude.
    pub sn: f64,
    /// Cosine of the amplitude.
    pub cn: f64,
    /// Delta of the amplitude.
    pub dn: f64,
}

/// (3) and (4). `m` in [0, 1), any `u`.
pub fn jacobi(u: f64, m: f64) -> Jacobi {
    // Whole half periods are subtracted first: (3) doubles its argument every iteration.
    let half = 2.0 * complete(m);
    let turns = (u / half).round();
    let u = u - turns * half;
    let (mut a, mut b) = (1.0, (1.0 - m).sqrt());
    let mut ratios = [0.0; ROUNDS];
    let mut scale = 1.0;
    for ratio in &mut ratios {
        let c = 0.5 * (a - b);
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
        *ratio = c / a;
        scale *= 2.0;
    }
    let mut phi = scale * a * u;
    for ratio in ratios.iter().rev() {
        phi = 0.5 * (phi + libm::asin(ratio * libm::sin(phi)));
    }
    let (s, c) = libm::sincos(phi);
    // dn never changes sign; cos² + (1 - m) sin² has no cancellation where m is near 1.
    let dn = (c * c + (1.0 - m) * s * s).sqrt();
    let sign = if turns % 2.0 == 0.0 { 1.0 } else { -1.0 };
    Jacobi { am: phi + turns * PI, sn: sign * s, cn: sign * c, dn }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complete_integrals_have_their_printed_values() {
        // Abramowitz and Stegun, table 17.1 (m = 0.1, 0.5, 0.9), 15 decimals.
        for (m, k) in [(0.1, 1.612441348720219), (0.5, 1.854074677301371), (0.9, 2.578092113348173)] {
            // One unit of the last printed digit.
            assert!((complete(m) - k).abs() < 1.1e-15, "{m}: {}", complete(m));
        }
    }

    #[test]
    fn incomplete_is_the_inverse_of_the_amplitude() {
        for m in [0.0, 0.1, 0.5, 0.9, 0.999, 0.9999999] {
            for i in -40..=40 {
                let phi = 0.171 * i as f64;
                let back = jacobi(incomplete(phi, m), m).am;
                // Near m = 1 the amplitude stays near ±π/2 for long and is ill-conditioned by dn ≥ √(1-m).
                let bound = 4e-15 * (1.0 + phi.abs()) + 1e-15 * (1.0 + incomplete(phi, m).abs());
                assert!((back - phi).abs() < bound, "m {m} phi {phi}: {}", back - phi);
            }
        }
    }

    #[test]
    fn jacobi_satisfies_its_differential_equation_and_identities() {
        for m in [0.0, 0.3, 0.8, 0.99] {
            for i in 0..60 {
                let u = 0.37 * i as f64 - 9.0;
                let j = jacobi(u, m);
                assert!((j.sn * j.sn + j.cn * j.cn - 1.0).abs() < 1e-15);
                assert!((j.dn * j.dn + m * j.sn * j.sn - 1.0).abs() < 1e-15);
                // am' = dn, by a central difference of order 4: h⁴ and ε/h balance at 1e-3.
                let h = 1e-3;
                let am = |x: f64| jacobi(x, m).am;
                let slope = (8.0 * (am(u + h) - am(u - h)) - (am(u + 2.0 * h) - am(u - 2.0 * h))) / (12.0 * h);
                assert!((slope - j.dn).abs() < 1e-10, "m {m} u {u}: {}", slope - j.dn);
            }
        }
    }

    #[test]
    fn the_functions_are_circular_at_zero() {
        let j = jacobi(1.2, 0.0);
        assert!((j.am - 1.2).abs() < 1e-15 && j.dn == 1.0);
    }
}
