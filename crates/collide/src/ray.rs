//! The distance to a shape along a ray `o + t d`, `|d| = 1`.
//!
//! Simple solids are intersections of conditions that are quadratic or linear in `t`, each of which holds on an interval:
//!
//! ```text
//! (1)  a t² + 2 b t + c <= 0      a sphere, an ellipsoid (scaled to a sphere), an infinite cylinder
//! (2)  |o_k + t d_k| <= h         a slab: three for a box, one for the ends of a cylinder
//! ```
//!
//! The shape is entered at the largest lower end. A capsule is the union of a cylinder and two spheres. Hulls of points
//! use parry's GJK ray cast; meshes use the nearest triangle (Möller and Trumbore 1997). A ray that begins inside a convex
//! solid or below a plane hits it at 0; one that begins inside a mesh hits its wall from inside.

use crate::collider::{Collider, Solid};
use crate::convex::{Convex, Core, PlacedCore, from_parry, to_parry};
use crate::surface::Surface;
use nalgebra as na;
use parry3d_f64::partitioning::TraversalAction;
use parry3d_f64::query::Ray as ParryRay;
use parry3d_f64::query::gjk::{VoronoiSimplex, cast_local_ray};
use veracity_model::{Pose, Vec3};

/// A half-line in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Origin [m].
    pub origin: Vec3,
    /// Unit direction.
    pub direction: Vec3,
}

/// The interval along the ray on which conditions hold.
#[derive(Clone, Copy)]
struct Interval {
    low: f64,
    high: f64,
}

impl Ray {
    /// The distance at which a shape is hit [m]; `None` if it is not hit up to `limit`.
    pub fn distance(&self, collider: &Collider, world_from_shape: &Pose, limit: f64) -> Option<f64> {
        let local = Ray {
            origin: world_from_shape.inverse_transform_point(&na::Point3::from(self.origin)).coords,
            direction: world_from_shape.inverse_transform_vector(&self.direction),
        };
        let found = match &collider.solid {
            Solid::Plane => local.plane(),
            Solid::Convex(convex) => local.convex(convex, limit),
            Solid::Surface(surface) => local.surface(surface, limit),
        };
        found.filter(|t| *t <= limit)
    }

    /// The half space z <= 0.
    fn plane(&self) -> Option<f64> {
        let (z, fall) = (self.origin.z, -self.direction.z);
        if z <= 0.0 { Some(0.0) } else { (fall > 0.0).then(|| z / fall) }
    }

    fn convex(&self, convex: &Convex, limit: f64) -> Option<f64> {
        let radius = convex.radius;
        match &convex.core {
            Core::Point => self.ball(&Vec3::zeros(), radius).entry(),
            Core::Segment { half } => {
                let ends = [*half, -half].map(|z| self.ball(&Vec3::new(0.0, 0.0, z), radius).entry());
                let side = self.tube(radius).and(self.slab(2, *half)).entry();
                ends.into_iter().chain([side]).flatten().min_by(f64::total_cmp)
            }
            Core::Box { half } => {
                (0..3).fold(Interval::ALL, |all, axis| all.and(self.slab(axis, half[axis]))).entry()
            }
            Core::Cylinder { radius, half } => self.tube(*radius).and(self.slab(2, *half)).entry(),
            Core::Disc { radius } => self.tube(*radius).and(self.slab(2, 0.0)).entry(),
            Core::Ellipsoid { radii } => {
                let (o, d) = (self.origin.component_div(radii), self.direction.component_div(radii));
                quadratic(d.norm_squared(), o.dot(&d), o.norm_squared() - 1.0).entry()
            }
            core @ (Core::Triangle(_) | Core::Hull(_)) => {
                let placed = PlacedCore { core, pose: &Pose::identity() };
                let ray = ParryRay::new(to_parry(&self.origin), to_parry(&self.direction));
                cast_local_ray(&placed, &mut VoronoiSimplex::new(), &ray, limit).map(|(t, _)| t)
            }
        }
    }

    fn ball(&self, centre: &Vec3, radius: f64) -> Interval {
        let o = self.origin - centre;
        quadratic(self.direction.norm_squared(), o.dot(&self.direction), o.norm_squared() - radius * radius)
    }

    /// An infinite cylinder about z.
    fn tube(&self, radius: f64) -> Interval {
        let (o, d) = (self.origin.xy(), self.direction.xy());
        quadratic(d.norm_squared(), o.dot(&d), o.norm_squared() - radius * radius)
    }

    /// (2)
    fn slab(&self, axis: usize, half: f64) -> Interval {
        let (o, d) = (self.origin[axis], self.direction[axis]);
        if d == 0.0 {
            return if o.abs() <= half { Interval::ALL } else { Interval::NONE };
        }
        let [a, b] = [(-half - o) / d, (half - o) / d];
        Interval { low: a.min(b), high: a.max(b) }
    }

    fn surface(&self, surface: &Surface, limit: f64) -> Option<f64> {
        let mut best = limit;
        let mut found = None;
        surface.tree().traverse(|node| {
            let (mins, maxs) = (from_parry(node.aabb().mins), from_parry(node.aabb().maxs));
            let (centre, half) = ((mins + maxs) * 0.5, (maxs - mins) * 0.5);
            let shifted = Ray { origin: self.origin - centre, direction: self.direction };
            // Slightly wider: a flat box must not miss its triangle because of rounding.
            let wide = |k: usize| half[k] + 1e-12 * (1.0 + half[k] + shifted.origin[k].abs());
            let inside = (0..3).fold(Interval::ALL, |all, k| all.and(shifted.slab(k, wide(k)))).entry();
            if inside.is_none_or(|t| t > best) {
                return TraversalAction::Prune;
            }
            if let Some(leaf) = node.leaf_data()
                && let Some(t) = self.triangle(&surface.corners(leaf as usize)).filter(|t| *t <= best)
            {
                best = t;
                found = Some(t);
            }
            TraversalAction::Continue
        });
        found
    }

    fn triangle(&self, [a, b, c]: &[Vec3; 3]) -> Option<f64> {
        let (ab, ac) = (b - a, c - a);
        let p = self.direction.cross(&ac);
        let determinant = ab.dot(&p);
        if determinant == 0.0 {
            return None;
        }
        let from_a = self.origin - a;
        let u = from_a.dot(&p) / determinant;
        let q = from_a.cross(&ab);
        let v = self.direction.dot(&q) / determinant;
        let t = ac.dot(&q) / determinant;
        (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= 0.0).then_some(t)
    }
}

impl Interval {
    const ALL: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };
    const NONE: Interval = Interval { low: f64::INFINITY, high: f64::NEG_INFINITY };

    fn and(self, other: Self) -> Self {
        Self { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    /// Where the ray enters; zero if it begins inside.
    fn entry(self) -> Option<f64> {
        (self.low <= self.high && self.high >= 0.0).then(|| self.low.max(0.0))
    }
}

/// (1); the root that suffers from cancellation is computed from the product of both.
fn quadratic(a: f64, b: f64, c: f64) -> Interval {
    if a == 0.0 {
        return if c <= 0.0 { Interval::ALL } else { Interval::NONE };
    }
    let discriminant = b * b - a * c;
    if discriminant < 0.0 {
        return Interval::NONE;
    }
    let far = -(b + if b < 0.0 { -discriminant.sqrt() } else { discriminant.sqrt() });
    let [x, y] = if far == 0.0 { [0.0, 0.0] } else { [far / a, c / far] };
    Interval { low: x.min(y), high: x.max(y) }
}
