//! The compliant normal force of Hunt and Crossley (1975), evaluated at the end of a step.
//!
//! With the depth `d` (the negative gap) and its rate `d'`:
//!
//! ```text
//! (1)  f = k d (d / d₀)^(n-1) (1 + α d')   where both factors are positive, else 0;   n = 1 or 3/2
//! (2)  a step of size h that ends with the normal speed w = -d':   d = -(g + h w)
//! (3)  x - ln(1 + x) = -e x - ln(1 - e x),   x = α v
//! ```
//!
//! (1) never pulls. Both factors fall with `w` in (2), so the force does: the step is the minimum of a convex function.
//! (3) gives the restitution `e` of a body that hits at speed `v`, from `∫ u du / (1 + α u)` over compression and
//! release; mass, stiffness and exponent cancel. For small `x` it is `e = 1 - 2 x / 3`, with `α = 3 c / 2` Hunt and
//! Crossley's `e = 1 - c v`.

/// How the elastic part grows with depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Elastic {
    /// `k d`: flat against flat.
    Linear,
    /// `k d (d / d₀)^½`: Hertz's point contact of round bodies; the secant stiffness is `k` [N/m] at the depth `d₀`
    /// [m].
    Hertz {
        /// `d₀` [m].
        depth_m: f64,
    },
}

/// The law of one contact or joint limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormalLaw {
    /// `k` [N/m or N m/rad].
    pub stiffness: f64,
    /// Exponent.
    pub elastic: Elastic,
    /// `α` [s/m or s/rad]: three halves of Hunt and Crossley's `c`.
    pub dissipation: f64,
}

/// An impulse and its slope with respect to the speed it depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Normal {
    /// Impulse [N s], never negative.
    pub impulse: f64,
    /// `-∂ impulse / ∂ w` [kg], never negative.
    pub slope: f64,
}

impl NormalLaw {
    /// Elastic force and its slope at a depth.
    fn spring(&self, depth: f64) -> (f64, f64) {
        match self.elastic {
            Elastic::Linear => (self.stiffness * depth, self.stiffness),
            Elastic::Hertz { depth_m } => {
                let root = (depth / depth_m).sqrt();
                (self.stiffness * depth * root, 1.5 * self.stiffness * root)
            }
        }
    }

    /// (1) at a depth and its rate [N].
    pub fn force(&self, depth: f64, rate: f64) -> f64 {
        if depth <= 0.0 {
            return 0.0;
        }
        (self.spring(depth).0 * (1.0 + self.dissipation * rate)).max(0.0)
    }

    /// (2): the impulse of a step that begins with the gap `gap` and ends with the normal speed `w`.
    pub fn over_step(&self, gap: f64, step_s: f64, w: f64) -> Normal {
        let depth = -(gap + step_s * w);
        let factor = 1.0 - self.dissipation * w;
        if depth <= 0.0 || factor <= 0.0 {
            return Normal::default();
        }
        let (force, slope) = self.spring(depth);
        Normal {
            impulse: step_s * force * factor,
            slope: step_s * (step_s * slope * factor + self.dissipation * force),
        }
    }

    /// Energy stored at a depth [J].
    pub fn energy(&self, depth: f64) -> f64 {
        if depth <= 0.0 {
            return 0.0;
        }
        match self.elastic {
            Elastic::Linear => 0.5 * self.stiffness * depth * depth,
            Elastic::Hertz { depth_m } => 0.4 * self.stiffness * depth * depth * (depth / depth_m).sqrt(),
        }
    }
}

/// The restitution of (3) for `x = α v`.
pub fn restitution(x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    let left = x - libm::log1p(x);
    // `-y - ln(1 - y)` grows from 0 to infinity on (0, 1): bisect for `y = e x`.
    let (mut low, mut high) = (0.0, 1.0_f64.min(x));
    for _ in 0..200 {
        let y = 0.5 * (low + high);
        if y <= low || y >= high {
            break;
        }
        if -y - libm::log1p(-y) < left { low = y } else { high = y }
    }
    0.5 * (low + high) / x
}

/// `x = α v` that gives a restitution in (0, 1): the inverse of [`restitution`].
pub fn dissipation_number(e: f64) -> f64 {
    if e >= 1.0 {
        return 0.0;
    }
    // At `x = 1 / e` the release would be faster than the force allows: the root lies below.
    let (mut low, mut high) = (0.0, 1.0 / e);
    for _ in 0..200 {
        let x = 0.5 * (low + high);
        if x <= low || x >= high {
            break;
        }
        if restitution(x) > e { low = x } else { high = x }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mass that hits a wall, by small steps of the classical Runge-Kutta method; returns its separation speed.
    fn bounce(law: &NormalLaw, mass: f64, speed: f64, step_s: f64) -> f64 {
        let accel = |d: f64, u: f64| -law.force(d, u) / mass;
        let (mut d, mut u) = (0.0, speed);
        loop {
            let k1 = (u, accel(d, u));
            let k2 = (u + 0.5 * step_s * k1.1, accel(d + 0.5 * step_s * k1.0, u + 0.5 * step_s * k1.1));
            let k3 = (u + 0.5 * step_s * k2.1, accel(d + 0.5 * step_s * k2.0, u + 0.5 * step_s * k2.1));
            let k4 = (u + step_s * k3.1, accel(d + step_s * k3.0, u + step_s * k3.1));
            d += step_s / 6.0 * (k1.0 + 2.0 * k2.0 + 2.0 * k3.0 + k4.0);
            u += step_s / 6.0 * (k1.1 + 2.0 * k2.1 + 2.0 * k3.1 + k4.1);
            if d <= 0.0 {
                return -u;
            }
        }
    }

    #[test]
    fn restitution_is_the_closed_form_whatever_mass_stiffness_and_exponent() {
        for elastic in [Elastic::Linear, Elastic::Hertz { depth_m: 1e-3 }] {
            for (mass, stiffness) in [(1.0, 1e5), (0.2, 3e6)] {
                for c in [0.01, 0.3, 2.0] {
                    let law = NormalLaw { stiffness, elastic, dissipation: 1.5 * c };
                    let speed = 0.7;
                    let time: f64 = (mass / stiffness).sqrt();
                    let e = bounce(&law, mass, speed, 1e-4 * time) / speed;
                    let exact = restitution(1.5 * c * speed);
                    // The last step ends up to 1e-4 of a period past the surface, where no force acts any more.
                    assert!((e - exact).abs() < 1e-6, "{elastic:?} c {c}: {e} against {exact}");
                }
            }
        }
    }

    #[test]
    fn weak_dissipation_takes_c_times_v() {
        // e = 1 - c v to first order: the next term is of the size of (c v)².
        for cv in [1e-2, 1e-3, 1e-4] {
            assert!((1.0 - restitution(1.5 * cv) - cv).abs() < cv * cv);
        }
        // With half the constant it would be 1 - c v / 2: the check can fail.
        assert!((1.0 - restitution(0.75 * 1e-3) - 1e-3).abs() > 1e-4);
    }

    #[test]
    fn a_restitution_has_its_number() {
        for e in [0.01, 0.1, 0.5, 0.9, 0.999] {
            // Bisection to the last bit of x; near e = 1 the number itself is small and e is flat in it.
            assert!((restitution(dissipation_number(e)) - e).abs() < 1e-9, "{e}");
        }
        assert_eq!(dissipation_number(1.0), 0.0);
    }

    #[test]
    fn it_never_pulls_and_the_slope_is_the_slope() {
        for elastic in [Elastic::Linear, Elastic::Hertz { depth_m: 1e-3 }] {
            let law = NormalLaw { stiffness: 1e6, elastic, dissipation: 3.0 };
            let (gap, h) = (-1e-4, 1e-3);
            let mut last = f64::INFINITY;
            for i in -40..=40 {
                let w = 0.02 * f64::from(i);
                let here = law.over_step(gap, h, w);
                assert!(here.impulse >= 0.0 && here.impulse <= last);
                last = here.impulse;
                let d = 1e-7;
                let slope = (law.over_step(gap, h, w - d).impulse - law.over_step(gap, h, w + d).impulse) / (2.0 * d);
                // Central differences of a smooth piece: rounding over the width, and the kink where the force ends.
                if here.impulse > 1e-3 {
                    assert!((slope - here.slope).abs() < 1e-5 * here.slope, "{w}: {slope} {}", here.slope);
                }
            }
        }
    }
}
