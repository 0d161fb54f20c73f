//! Friction cones in coordinates in which both coefficients are one: membership and projection.
//!
//! ```text
//! (1)  μ = max(μ₁, μ₂),  aᵢ = μᵢ / μ,  λᵢ = aᵢ tᵢ          scaled tangential impulses t
//! (2)  t ∈ μ λₙ S                                           S: disc, square or polygon, see `Cone`
//! (3)  sᵢ = aᵢ wᵢ,  -s ∈ N(t)                               most power: s is against an outward normal of the set at t
//! ```
//!
//! (3) is Coulomb's law for the disc and equal coefficients. With unequal ones it is the maximum of dissipation over the
//! ellipse: friction is then not against the sliding but against `(μ₁² w₁, μ₂² w₂)`.

use crate::{Cone, Real};

/// Coefficients as in (1): the larger, and the ratios of both to it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scaled<T> {
    /// `μ`.
    pub mu: T,
    /// `a`.
    pub share: [T; 2],
    /// `1/a`, zero for a tangent without friction.
    pub inverse: [T; 2],
}

impl<T: Real> Scaled<T> {
    /// From two coefficients.
    pub fn new(mu: [f64; 2]) -> Scaled<T> {
        if mu[0] == mu[1] {
            return Scaled { mu: T::of(mu[0].max(0.0)), share: [T::ONE; 2], inverse: [T::ONE; 2] };
        }
        let most = mu[0].max(mu[1]);
        if most > 0.0 {
            let inverse = mu.map(|m| if m > 0.0 { T::of(most / m) } else { T::ZERO });
            Scaled { mu: T::of(most), share: mu.map(|m| T::of(m.max(0.0) / most)), inverse }
        } else {
            Scaled { mu: T::ZERO, share: [T::ONE; 2], inverse: [T::ONE; 2] }
        }
    }

    /// `t` of (1), zero for a tangent without friction.
    #[inline]
    pub fn scaled(&self, lambda: [T; 2]) -> [T; 2] {
        [lambda[0] * self.inverse[0], lambda[1] * self.inverse[1]]
    }
}

/// Corner `k` of a cone's polygon; none for the disc.
pub fn corner<T: Real>(cone: Cone, k: u32) -> [T; 2] {
    match cone {
        Cone::Exact => unreachable!("a disc has no corners"),
        Cone::Box => match k % 4 {
            0 => [T::ONE, T::ONE],
            1 => [-T::ONE, T::ONE],
            2 => [-T::ONE, -T::ONE],
            _ => [T::ONE, -T::ONE],
        },
        Cone::Pyramid { sides } => {
            let angle = 2.0 * std::f64::consts::PI * f64::from(k % sides) / f64::from(sides);
            [T::of(libm::cos(angle)), T::of(libm::sin(angle))]
        }
    }
}

/// Number of corners of a cone.
pub fn corners(cone: Cone) -> u32 {
    match cone {
        Cone::Exact => 0,
        Cone::Box => 4,
        Cone::Pyramid { sides } => sides,
    }
}

/// The point of `radius · S` nearest to `y`.
pub fn project<T: Real>(cone: Cone, radius: T, y: [T; 2]) -> [T; 2] {
    if radius <= T::ZERO {
        return [T::ZERO; 2];
    }
    match cone {
        Cone::Exact => project_disc(radius, y),
        Cone::Box => y.map(|y| y.max(-radius).min(radius)),
        Cone::Pyramid { sides } => project_polygon(sides, radius, y),
    }
}

/// The point of a disc nearest to `y`.
#[inline]
pub fn project_disc<T: Real>(radius: T, y: [T; 2]) -> [T; 2] {
    let square = y[0] * y[0] + y[1] * y[1];
    if square <= radius * radius {
        return y;
    }
    let factor = radius / square.sqrt();
    if !factor.is_finite() || square == T::ZERO {
        return [T::ZERO; 2];
    }
    y.map(|y| y * factor)
}

fn project_polygon<T: Real>(sides: u32, radius: T, y: [T; 2]) -> [T; 2] {
    let cone = Cone::Pyramid { sides };
    let mut inside = true;
    let mut best = ([T::ZERO; 2], T::ZERO);
    let mut first = true;
    let mut from: [T; 2] = corner(cone, 0);
    for k in 0..sides {
        let to: [T; 2] = corner(cone, k + 1);
        let edge = [to[0] - from[0], to[1] - from[1]];
        let rel = [y[0] - radius * from[0], y[1] - radius * from[1]];
        // Counter-clockwise: outside is where the cross product is negative.
        if edge[0] * rel[1] - edge[1] * rel[0] < T::ZERO {
            inside = false;
        }
        let along = (edge[0] * rel[0] + edge[1] * rel[1]) / (edge[0] * edge[0] + edge[1] * edge[1]);
        let along = along.max(T::ZERO).min(radius);
        let point = [0, 1].map(|i| radius * from[i] + along * edge[i]);
        let off = [y[0] - point[0], y[1] - point[1]];
        let distance = off[0] * off[0] + off[1] * off[1];
        if first || distance < best.1 {
            best = (point, distance);
            first = false;
        }
        from = to;
    }
    if inside { y } else { best.0 }
}

/// The largest `t · s` for `t` in `S`: the support function, De Saxcé's term per `μ λₙ`.
pub fn support<T: Real>(cone: Cone, s: [T; 2]) -> T {
    match cone {
        Cone::Exact => (s[0] * s[0] + s[1] * s[1]).sqrt(),
        Cone::Box => s[0].abs() + s[1].abs(),
        Cone::Pyramid { sides } => (0..sides)
            .map(|k| corner::<T>(cone, k))
            .map(|c| c[0] * s[0] + c[1] * s[1])
            .fold(T::ZERO, |most, x| most.max(x)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projections_are_nearest_points() {
        // Against a search over the boundary: no sampled point is nearer, up to the spacing of the samples.
        for cone in [Cone::Exact, Cone::Box, Cone::Pyramid { sides: 5 }, Cone::Pyramid { sides: 4 }] {
            for (i, y) in
                [[2.0_f64, 0.3], [-0.4, 3.0], [1.0, 1.0], [-2.0, -2.0], [0.1, -0.05]].into_iter().enumerate()
            {
                let p = project(cone, 0.7, y);
                let found = (y[0] - p[0]).hypot(y[1] - p[1]);
                for k in 0..2000 {
                    let angle = f64::from(k) * 0.001 * std::f64::consts::PI;
                    let direction = [angle.cos(), angle.sin()];
                    let reach = match cone {
                        Cone::Exact => 1.0,
                        _ => {
                            // Distance to the polygon's border along the direction, from its edges.
                            let n = corners(cone);
                            (0..n)
                                .map(|k| (corner::<f64>(cone, k), corner::<f64>(cone, k + 1)))
                                .map(|(a, b)| {
                                    let normal = [b[1] - a[1], a[0] - b[0]];
                                    let offset = normal[0] * a[0] + normal[1] * a[1];
                                    let speed = normal[0] * direction[0] + normal[1] * direction[1];
                                    if speed > 0.0 { offset / speed } else { f64::INFINITY }
                                })
                                .fold(f64::INFINITY, f64::min)
                        }
                    };
                    let q = direction.map(|x| x * 0.7 * reach);
                    assert!((y[0] - q[0]).hypot(y[1] - q[1]) >= found - 1e-12, "{cone:?} {i}");
                }
                let again = project(cone, 0.7, p);
                assert!((again[0] - p[0]).hypot(again[1] - p[1]) < 1e-15, "a projection stays: {cone:?} {i}");
            }
        }
    }
}
