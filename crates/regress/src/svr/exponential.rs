//! `exp(t)` for `t ≤ 0` in single precision, in plain arithmetic that a compiler turns into vector instructions.
//!
//! ```text
//! (1)  k = round(t / ln 2),   r = t - k ln 2,   |r| ≤ ln 2 / 2     (ln 2 in two parts, so that r keeps its digits)
//! (2)  exp(t) = 2^k (1 + r + r²/2! + … + r⁶/6!)                    (the next term is below 1.3e-7)
//! ```
//!
//! A kernel row needs thousands of these; `libm`'s, one at a time, would cost more than the distances. The order of
//! operations is fixed, so the bits are the same on every machine.

/// Adding and subtracting 1.5 · 2²³ rounds to a whole number, which is then in the low bits of the sum.
const ROUND: f32 = 12_582_912.0;
/// The leading bits of ln 2 (a multiple of 2⁻¹⁴, so that `k` times it is exact), and the rest.
const LN_2_HIGH: f32 = 0.693_145_75;
const LN_2_LOW: f32 = 1.428_606_8e-6;
/// Below this the result would be subnormal.
const LEAST: f32 = -87.0;

/// `exp(t)` for `t ≤ 0`, to 3e-7 of its value; below -87 as at -87, which is 1.6e-38.
#[inline(always)]
pub fn exp_of_negative(t: f32) -> f32 {
    // Not `max`: this form, which propagates NaN, is one instruction.
    let t = if t < LEAST { LEAST } else { t };
    // (1)
    let rounded = t * std::f32::consts::LOG2_E + ROUND;
    let k = rounded - ROUND;
    let r = (t - k * LN_2_HIGH) - k * LN_2_LOW;
    // (2)
    let mut p = 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    let power_of_two = f32::from_bits((rounded.to_bits() << 23).wrapping_add(127 << 23));
    p * power_of_two
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_of_negative_agrees_with_libm() {
        assert_eq!(exp_of_negative(0.0), 1.0);
        for step in 0..87_000 {
            let t = -(step as f32) * 1e-3;
            let (found, exact) = (f64::from(exp_of_negative(t)), libm::exp(f64::from(t)));
            // Two roundings of single precision and the omitted term.
            assert!((found / exact - 1.0).abs() < 3e-7, "{t}: {found} {exact}");
        }
        assert!(exp_of_negative(-1e9) < 2e-38);
        assert!(exp_of_negative(f32::NAN).is_nan());
    }
}
