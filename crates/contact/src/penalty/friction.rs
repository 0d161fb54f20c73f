//! Friction under a known bound: regularised, or by bristles that really stick.
//!
//! For one or two directions with speeds `w` (sliding, or spinning and rolling), weights `r` and the largest impulse
//! `F`, the impulse stays inside the ellipse with half axes `rᵢ F`. Sliding has `rᵢ = μᵢ / μ_max` and `F = μ_max f`;
//! spinning has the torsional coefficient [m] as its weight and the normal impulse `f` as `F`. With `y = r w` and the
//! impulse `r s`:
//!
//! ```text
//! (1)  regularised:  s = -F y / √(|y|² + v_s²)
//! (2)  bristles:     t = -σ h (r z + (h + τ) y),   s = t if |t| <= F, else F t / |t|
//! (3)  afterwards:   -σ (h r z₁ + τ r (z₁ - z)) = s
//! ```
//!
//! `z` is the bristles' deflection, `σ` their stiffness, `τ` their relaxation time: a spring and a damper in parallel,
//! attached to a slider that yields at the bound; (2), (3) is its backward Euler step. Below the bound `z₁ = z + h w`:
//! a spring, and the contact comes to rest exactly; in steady sliding, `z = F / σ`. (1) and (2) are gradients of convex
//! functions of `w` for any `F >= 0`: neither gives the bodies more energy than the bristles store.

/// Friction law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FrictionLaw {
    /// (1): creeps under every load.
    Regularised {
        /// `v_s`: the slip at which 70 % of the bound acts [m/s].
        slip_speed: f64,
    },
    /// (2).
    Bristle {
        /// `σ` [N/m].
        stiffness: f64,
        /// `τ` [s].
        relaxation_s: f64,
    },
}

/// Impulse in two directions and its dependence on the slip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Friction {
    /// On the first body [N s or N m s].
    pub impulse: [f64; 2],
    /// `-∂ impulse / ∂ w`: xx, xy, yy; positive semidefinite.
    pub slope: [f64; 3],
    /// Impulse over slip, in each direction: a slope with which a step never overshoots, where the true slope of a
    /// sliding contact is 0.
    pub secant: [f64; 2],
    /// `∂ impulse / ∂ F`: where the bound is active, impulses follow it.
    pub follow: [f64; 2],
    /// Whether the bound is not reached.
    pub sticks: bool,
}

impl FrictionLaw {
    /// The impulse of a step of size `h` that ends with speeds `w`, with bristle deflection `bend` at its beginning.
    pub fn over_step(&self, h: f64, r: [f64; 2], bound: f64, bend: [f64; 2], w: [f64; 2]) -> Friction {
        let y = [r[0] * w[0], r[1] * w[1]];
        match *self {
            FrictionLaw::Regularised { slip_speed } => {
                let length = (y[0] * y[0] + y[1] * y[1] + slip_speed * slip_speed).sqrt();
                let k = bound / length;
                let n = [y[0] / length, y[1] / length];
                Friction {
                    impulse: [-k * y[0] * r[0], -k * y[1] * r[1]],
                    slope: [
                        k * (1.0 - n[0] * n[0]) * r[0] * r[0],
                        -k * n[0] * n[1] * r[0] * r[1],
                        k * (1.0 - n[1] * n[1]) * r[1] * r[1],
                    ],
                    secant: [k * r[0] * r[0], k * r[1] * r[1]],
                    follow: [-n[0] * r[0], -n[1] * r[1]],
                    sticks: false,
                }
            }
            FrictionLaw::Bristle { stiffness, relaxation_s } => {
                let rate = stiffness * (h + relaxation_s) * h;
                let t = [0, 1].map(|i| -stiffness * h * r[i] * bend[i] - rate * y[i]);
                let length = (t[0] * t[0] + t[1] * t[1]).sqrt();
                if length <= bound {
                    return Friction {
                        impulse: [t[0] * r[0], t[1] * r[1]],
                        slope: [rate * r[0] * r[0], 0.0, rate * r[1] * r[1]],
                        secant: [rate * r[0] * r[0], rate * r[1] * r[1]],
                        follow: [0.0; 2],
                        sticks: true,
                    };
                }
                let k = bound / length;
                let n = [t[0] / length, t[1] / length];
                Friction {
                    impulse: [k * t[0] * r[0], k * t[1] * r[1]],
                    slope: [
                        rate * k * (1.0 - n[0] * n[0]) * r[0] * r[0],
                        -rate * k * n[0] * n[1] * r[0] * r[1],
                        rate * k * (1.0 - n[1] * n[1]) * r[1] * r[1],
                    ],
                    secant: [rate * k * r[0] * r[0], rate * k * r[1] * r[1]],
                    follow: [n[0] * r[0], n[1] * r[1]],
                    sticks: false,
                }
            }
        }
    }

    /// (3): the deflection after a step with impulse `friction`; 0 for a law without memory.
    pub fn bend_after(&self, h: f64, r: [f64; 2], bend: [f64; 2], w: [f64; 2], friction: &Friction) -> [f64; 2] {
        match *self {
            FrictionLaw::Regularised { .. } => [0.0; 2],
            FrictionLaw::Bristle { stiffness, relaxation_s } => [0, 1].map(|i| {
                if r[i] <= 0.0 {
                    0.0
                } else if friction.sticks {
                    bend[i] + h * w[i]
                } else {
                    let force = friction.impulse[i] / (r[i] * r[i] * stiffness);
                    (relaxation_s * bend[i] - force) / (h + relaxation_s)
                }
            }),
        }
    }

    /// Energy in the bristles [J].
    pub fn energy(&self, r: [f64; 2], bend: [f64; 2]) -> f64 {
        match *self {
            FrictionLaw::Regularised { .. } => 0.0,
            FrictionLaw::Bristle { stiffness, .. } => {
                0.5 * stiffness * (r[0] * r[0] * bend[0] * bend[0] + r[1] * r[1] * bend[1] * bend[1])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BRISTLE: FrictionLaw = FrictionLaw::Bristle { stiffness: 1e6, relaxation_s: 6e-4 };
    const SMOOTH: FrictionLaw = FrictionLaw::Regularised { slip_speed: 1e-3 };

    /// A mass of 1 kg pulled by up to `pull` [N] (ramped over 0.1 s: a sudden load would overshoot) against a bound of
    /// 10 N for a second: distance, and final speed.
    fn pulled(law: FrictionLaw, pull: f64) -> (f64, f64) {
        let (h, bound) = (1e-3, 10.0e-3);
        let (mut x, mut v, mut z) = (0.0, 0.0, [0.0; 2]);
        for step in 0..1000 {
            let pull = pull * (f64::from(step) / 100.0).min(1.0);
            // v₁ - v - pull h = impulse(v₁), by bisection: the right side falls with v₁.
            let (mut low, mut high) = (v - 1.0, v + 1.0);
            for _ in 0..200 {
                let w = 0.5 * (low + high);
                let f = law.over_step(h, [1.0; 2], bound, z, [w, 0.0]);
                if w - v - pull * h > f.impulse[0] { high = w } else { low = w }
            }
            v = 0.5 * (low + high);
            let f = law.over_step(h, [1.0; 2], bound, z, [v, 0.0]);
            z = law.bend_after(h, [1.0; 2], z, [v, 0.0], &f);
            x += h * v;
        }
        (x, v)
    }

    #[test]
    fn bristles_stick_below_the_bound_and_slide_above_it() {
        let (x, v) = pulled(BRISTLE, 9.9);
        // Deflected by load over stiffness; what remains of the approach after 1000 steps is rounding.
        assert!((x - 9.9e-6).abs() < 1e-12 && v.abs() < 1e-12, "{x} {v}");
        let (_, v) = pulled(BRISTLE, 10.1);
        // 0.1 m/s² for 0.9 s, minus the 10 N of the bristles, plus what they gave before they slid: some steps' worth.
        assert!((v - 0.09).abs() < 2e-3, "{v}");
    }

    #[test]
    fn regularised_friction_creeps_as_its_law_says() {
        let (_, v) = pulled(SMOOTH, 6.0);
        // r = 0.6: v = v_s r / √(1 - r²) = 0.75 v_s, reached within e^-1000.
        assert!((v - 0.75e-3).abs() < 1e-12, "{v}");
    }

    #[test]
    fn the_bound_is_an_ellipse_and_the_slope_is_the_slope() {
        let (h, r, bound) = (1e-3, [1.0, 0.4], 2e-3);
        for law in [BRISTLE, SMOOTH] {
            for (i, j) in (-8..8).flat_map(|i| (-8..8).map(move |j| (i, j))) {
                let w = [3e-4 * (f64::from(i) + 0.3), 5e-4 * (f64::from(j) + 0.1)];
                let bend = [2e-7, -5e-7];
                let at = |w: [f64; 2]| law.over_step(h, r, bound, bend, w);
                let f = at(w);
                let s = [f.impulse[0] / r[0], f.impulse[1] / r[1]];
                assert!(s[0] * s[0] + s[1] * s[1] <= bound * bound * (1.0 + 1e-12));
                let d = 1e-9;
                for (k, l, slope) in [(0, 0, f.slope[0]), (0, 1, f.slope[1]), (1, 1, f.slope[2])] {
                    let (mut up, mut down) = (w, w);
                    up[l] += d;
                    down[l] -= d;
                    let difference = (at(down).impulse[k] - at(up).impulse[k]) / (2.0 * d);
                    // Rounding of 2e-3 over 1e-9, and the curvature over 1e-9: parts in a million of the largest slope.
                    assert!((difference - slope).abs() < 1e-5 * f.slope[0].max(f.slope[2]), "{law:?} {w:?}");
                }
            }
        }
    }

    #[test]
    fn a_cycle_of_slip_takes_energy() {
        // Driven back and forth: the work done on the bristles is positive over every cycle, and equals the loss by
        // sliding.
        let (h, bound) = (1e-3, 10.0e-3);
        let (mut z, mut work) = ([0.0; 2], 0.0);
        for step in 0..2000 {
            let w = 0.05 * libm::cos(2.0 * std::f64::consts::PI * f64::from(step) / 1000.0);
            let f = BRISTLE.over_step(h, [1.0; 2], bound, z, [w, 0.0]);
            z = BRISTLE.bend_after(h, [1.0; 2], z, [w, 0.0], &f);
            work -= f.impulse[0] * w;
        }
        // 10 N over the path ∫ |w| dt = 2 · 0.05 · 2 / π, minus the deflections of 10 µm in each of the four turns.
        let path = 2.0 * 0.05 * 2.0 / std::f64::consts::PI;
        assert!((work - 10.0 * path).abs() < 10.0 * 4.0 * 2e-5, "{work} {}", 10.0 * path);
    }
}
