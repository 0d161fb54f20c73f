//! Sine and cosine together, in a form that can be inlined and overlapped over many joints.
//!
//! The same mathematics as `libm` (fdlibm): reduction by multiples of π/2 held in three parts, then the minimax
//! polynomials of fdlibm's kernels on [-π/4, π/4]. It differs in having no branches in the usual range of joint angles;
//! beyond [`LARGE`] it calls `libm`. Only additions and multiplications in a fixed order: the same bits everywhere.

/// Multiples of π/2 up to 2²⁰ times the 33-bit parts below are exact [rad].
const LARGE: f64 = 1.0e6;

const TWO_OVER_PI: f64 = std::f64::consts::FRAC_2_PI;
/// Adding and subtracting this rounds to an integer.
const TO_INTEGER: f64 = 6_755_399_441_055_744.0;
/// First 33 bits of π/2, the next 33, and the rest.
const HALF_PI_1: f64 = 1.570_796_326_734_125_6;
const HALF_PI_2: f64 = 6.077_100_506_303_966e-11;
const HALF_PI_3: f64 = 2.022_266_248_795_950_6e-21;

const S: [f64; 6] = [
    -1.666_666_666_666_663_2e-1,
    8.333_333_333_322_49e-3,
    -1.984_126_982_985_795e-4,
    2.755_731_370_707_006_8e-6,
    -2.505_076_025_340_686_3e-8,
    1.589_690_995_211_55e-10,
];
const C: [f64; 6] = [
    4.166_666_666_666_66e-2,
    -1.388_888_888_887_411e-3,
    2.480_158_728_947_673e-5,
    -2.755_731_435_139_066_3e-7,
    2.087_572_321_298_175e-9,
    -1.135_964_755_778_819_5e-11,
];

/// `(sin x, cos x)`, each to within a unit in the last place.
#[inline(always)]
pub fn sincos(x: f64) -> (f64, f64) {
    if x.is_nan() || x.abs() >= LARGE {
        return libm::sincos(x);
    }
    let quarters = (x * TWO_OVER_PI + TO_INTEGER) - TO_INTEGER;
    // x - quarters π/2 as y + tail: the first product is exact, the rest carries 118 bits of π/2.
    let r = x - quarters * HALF_PI_1;
    let w = quarters * HALF_PI_2;
    let t = r - w;
    let w = quarters * HALF_PI_3 - ((r - t) - w);
    let y = t - w;
    let tail = (t - y) - w;

    let z = y * y;
    let v = z * y;
    let p = S[1] + z * (S[2] + z * (S[3] + z * (S[4] + z * S[5])));
    let sin = y - ((z * (0.5 * tail - v * p) - tail) - v * S[0]);
    let p = z * (C[0] + z * (C[1] + z * (C[2] + z * (C[3] + z * (C[4] + z * C[5])))));
    let half = 0.5 * z;
    let w = 1.0 - half;
    let cos = w + (((1.0 - w) - half) + (z * p - y * tail));

    let quadrant = quarters as i32;
    let (a, b) = if quadrant & 1 == 0 { (sin, cos) } else { (cos, sin) };
    let sin = if quadrant & 2 == 0 { a } else { -a };
    let cos = if (quadrant + 1) & 2 == 0 { b } else { -b };
    (sin, cos)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distance in units of the last place of `a`.
    fn ulps(a: f64, b: f64) -> u64 {
        a.to_bits().abs_diff(b.to_bits())
    }

    #[test]
    fn agrees_with_libm_to_a_unit_in_the_last_place() {
        let mut seed = 1u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        for scale in [1.0, 10.0, 1e3, 1e5, 1.9e6] {
            for _ in 0..200_000 {
                let x = (next() - 0.5) * scale;
                let (s, c) = sincos(x);
                assert!(ulps(s, libm::sin(x)) <= 1 && ulps(c, libm::cos(x)) <= 1, "{x:?}");
            }
        }
    }

    #[test]
    fn is_accurate_near_multiples_of_a_quarter_turn() {
        for k in -2000..2000 {
            let at = f64::from(k) * std::f64::consts::FRAC_PI_2;
            for x in [at, at.next_up(), at.next_down(), at + 1e-9, at - 1e-9] {
                let (s, c) = sincos(x);
                assert!(ulps(s, libm::sin(x)) <= 1 && ulps(c, libm::cos(x)) <= 1, "{x:?}");
            }
        }
        assert_eq!(sincos(0.0), (0.0, 1.0));
        assert!(sincos(f64::NAN).0.is_nan() && sincos(f64::INFINITY).0.is_nan());
    }
}
