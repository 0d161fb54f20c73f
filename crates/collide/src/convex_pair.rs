//! The signed distance between two convex solids, with guaranteed bounds.
//!
//! For a unit vector `n` from B to A, the separation of the two along `n` is
//!
//! ```text
//! (1)  p(n) = -n·s_B(n) + n·s_A(-n),          s: support functions, see `convex`
//! ```
//!
//! and the signed distance is `max_n p(n)`, overlapping or not. Every `n` gives a lower bound, and the answer is (1) at
//! the best normal found: a gap is never overstated, and a depth is the length of a translation that separates the two.
//!
//! For separated solids `p` has one maximum, and the points found by GJK (parry's) give an upper bound:
//!
//! ```text
//! (2)  max p <= |a - b|      for any points a of A and b of B
//! ```
//!
//! For overlapping solids `p` has many maxima. If both cores are polytopes with few edges it is enough to try a finite list
//! of normals. Otherwise EPA (parry's) and a list of directions give starting points, each improved by
//!
//! ```text
//! (3)  n' = the normal between B and A moved by t n,  t = ε - p(n),
//! ```
//!
//! which GJK can compute because the moved pair is separated. `p` never decreases: the moved distance is
//! `max_m p(m) + t m·n`, reached at `n'` and at least `p(n) + t` (put `m = n`), so `p(n') >= p(n) + t (1 - n'·n)`. EPA alone is
//! not trusted: on pairs that barely touch, its answer was wrong by 1e-3 of the size.

use crate::convex::{Convex, Core, PlacedCore, from_parry, to_parry};
use crate::gap::Gap;
use crate::point_core::from_point;
use nalgebra as na;
use parry3d_f64::math::Pose as ParryPose;
use parry3d_f64::query::epa::EPA;
use parry3d_f64::query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex};
use veracity_model::{Pose, Vec3};

/// Number of best starting normals improved by (3) when shapes overlap.
const STARTS: usize = 3;
/// Most steps of (3) from each start; near a maximum each removes most of the error.
const ASCENTS: usize = 16;
/// Width of the bounds, relative to the size, above which the cores are searched again from many directions.
const UNPROVEN: f64 = 1e-5;
/// Depth, relative to the size, up to which one start is assumed to find the smallest depth.
const SHALLOW: f64 = 1e-2;
/// Most steps of the final search near a smooth maximum.
const CLIMB: usize = 100;

/// Gap between two convex solids in the first one's frame.
pub(crate) fn convex_gap(a: &Convex, b: &Convex, a_from_b: &Pose) -> Gap {
    let identity = Pose::identity();
    let pair =
        Pair { a: PlacedCore { core: &a.core, pose: &identity }, b: PlacedCore { core: &b.core, pose: a_from_b } };
    let core = pair.point_gap().unwrap_or_else(|| pair.core_gap());
    with_radii(core, a, b)
}

/// The same, several times faster and without allocation where two solids are apart or overlap by little of their size:
/// one start instead of many. Deep overlaps are left to [`convex_gap`].
pub(crate) fn shallow_gap(a: &Convex, b: &Convex, a_from_b: &Pose) -> Gap {
    let identity = Pose::identity();
    let pair =
        Pair { a: PlacedCore { core: &a.core, pose: &identity }, b: PlacedCore { core: &b.core, pose: a_from_b } };
    let found = pair.point_gap().or_else(|| pair.shallow_core_gap());
    found.map_or_else(|| convex_gap(a, b, a_from_b), |core| with_radii(core, a, b))
}

/// A lower bound of the gap along a direction from B to A, by (1): two support evaluations, where the gap itself needs a hundred.
pub(crate) fn gap_along(a: &Convex, b: &Convex, a_from_b: &Pose, direction: &Vec3) -> f64 {
    let Some(n) = direction.try_normalize(0.0) else { return f64::NEG_INFINITY };
    let identity = Pose::identity();
    let pair =
        Pair { a: PlacedCore { core: &a.core, pose: &identity }, b: PlacedCore { core: &b.core, pose: a_from_b } };
    pair.parted_along(&n) - a.radius - b.radius
}

fn with_radii(core: Gap, a: &Convex, b: &Convex) -> Gap {
    let radii = a.radius + b.radius;
    Gap {
        distance: core.distance - radii,
        bounds: core.bounds.map(|x| x - radii),
        normal: core.normal,
        point_a: core.point_a - core.normal * a.radius,
        point_b: core.point_b + core.normal * b.radius,
    }
}

/// Two cores in one frame.
#[derive(Clone, Copy)]
struct Pair<'a> {
    a: PlacedCore<'a>,
    b: PlacedCore<'a>,
}

impl Pair<'_> {
    /// (1)
    fn parted_along(&self, n: &Vec3) -> f64 {
        n.dot(&(self.a.support(&-n) - self.b.support(n)))
    }

    fn is_curved(&self) -> bool {
        self.a.core.is_curved() || self.b.core.is_curved()
    }

    /// The size of the pair, for relative tolerances.
    fn scale(&self) -> f64 {
        [Vec3::x(), Vec3::y(), Vec3::z()]
            .iter()
            .map(|d| (self.a.support(d) - self.b.support(&-d)).norm())
            .fold(f64::MIN_POSITIVE, f64::max)
    }

    /// A closed form where one of the two is a point: see `point_core`.
    fn point_gap(&self) -> Option<Gap> {
        let exact = |of: &PlacedCore, point: &Vec3| {
            let local = of.pose.inverse_transform_point(&na::Point3::from(*point)).coords;
            let found = from_point(of.core, &local)?;
            let surface = (of.pose * na::Point3::from(found.surface)).coords;
            Some((found.distance, of.pose.rotation * found.normal, surface))
        };
        let gap = |distance: f64, normal: Vec3, point_a: Vec3, point_b: Vec3| Gap {
            distance,
            bounds: [distance, distance],
            normal,
            point_a,
            point_b,
        };
        if matches!(self.a.core, Core::Point) {
            let point = self.a.pose.translation.vector;
            let (distance, normal, surface) = exact(&self.b, &point)?;
            Some(gap(distance, normal, point, surface))
        } else if matches!(self.b.core, Core::Point) {
            let point = self.b.pose.translation.vector;
            let (distance, normal, surface) = exact(&self.a, &point)?;
            Some(gap(distance, -normal, surface, point))
        } else {
            None
        }
    }

    fn core_gap(&self) -> Gap {
        let mut simplex = VoronoiSimplex::new();
        match self.closest_points(&mut simplex) {
            // The direction between nearly coincident points is noise: such pairs count as touching.
            Some((a, b)) if (a - b).norm() > 1e-4 * self.scale() => {
                let found = self.apart(a, b);
                // GJK may end far from the answer near a curved surface: its points are still
                // points of the two, but the normal between them gives no bound.
                if found.bounds[1] - found.bounds[0] <= UNPROVEN * self.scale() {
                    return found;
                }
                let searched = self.touching(&simplex, Some((a, b)));
                if searched.distance > found.distance { searched } else { found }
            }
            near => self.touching(&simplex, near),
        }
    }

    /// `None` if the cores overlap by more than a little.
    fn shallow_core_gap(&self) -> Option<Gap> {
        let scale = self.scale();
        let near = self.closest_points(&mut VoronoiSimplex::new());
        if let Some((a, b)) = near
            && (a - b).norm() > 1e-4 * scale
        {
            let found = self.apart(a, b);
            return (found.bounds[1] - found.bounds[0] <= UNPROVEN * scale).then_some(found);
        }
        let centre = |placed: &PlacedCore| (placed.pose * na::Point3::from(placed.core.centre())).coords;
        let between = near.and_then(|(a, b)| (a - b).try_normalize(0.0));
        let middle = (centre(&self.a) - centre(&self.b)).try_normalize(0.0);
        let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
        // The axes of both shapes: the normals of a box, the ends of a cylinder, the poles of an ellipsoid.
        let turned = [&self.a, &self.b].map(|placed| axes.map(|n| placed.pose.rotation * n));
        let both = turned.iter().flatten().flat_map(|n| [*n, -n]);
        let start = between.into_iter().chain(middle).chain(both).map(|n| (self.parted_along(&n), n));
        let start = start.fold((f64::NEG_INFINITY, Vec3::z()), |x, y| if y.0 > x.0 { y } else { x });
        let (distance, normal) = self.ascend(start);
        if distance < -SHALLOW * scale {
            return None;
        }
        let (point_a, point_b) = self.witnesses(&normal, distance);
        let upper = near.map_or(distance.max(0.0), |(a, b)| (a - b).norm().max(distance));
        Some(Gap { distance, bounds: [distance, upper], normal, point_a, point_b })
    }

    /// The cores are separated, and these are approximately their closest points.
    fn apart(&self, mut point_a: Vec3, mut point_b: Vec3) -> Gap {
        let mut upper = (point_a - point_b).norm();
        let mut normal = (point_a - point_b) / upper;
        let mut lower = self.parted_along(&normal);
        // GJK approaches a curved surface in ever smaller steps and stops early; (1) is smooth there.
        if self.is_curved() && upper - lower > 1e-12 * self.scale() {
            (normal, lower) = self.climb(normal, lower);
            let (a, b) = (self.a.support(&-normal), self.b.support(&normal));
            if (a - b).norm() < upper {
                (point_a, point_b, upper) = (a, b, (a - b).norm());
            }
        }
        lower = lower.min(upper);
        Gap { distance: lower, bounds: [lower, upper], normal, point_a, point_b }
    }

    /// GJK: the closest points if the cores are separated, else `None` and a simplex around the origin.
    fn closest_points(&self, simplex: &mut VoronoiSimplex) -> Option<(Vec3, Vec3)> {
        let start = (self.b.pose * na::Point3::from(self.b.core.centre())).coords
            - (self.a.pose * na::Point3::from(self.a.core.centre())).coords;
        let start = start.try_normalize(0.0).unwrap_or_else(Vec3::x);
        simplex.reset(CsoPoint::from_shapes(&ParryPose::IDENTITY, &self.a, &self.b, to_parry(&start)));
        match gjk::closest_points(&ParryPose::IDENTITY, &self.a, &self.b, f64::MAX, true, simplex) {
            GJKResult::ClosestPoints(p, q, _) => Some((from_parry(p), from_parry(q))),
            // The iteration did not converge (two smooth surfaces nearly touching): fall through to the search
            // over normals, which does not depend on a simplex.
            GJKResult::NoIntersection(_) | GJKResult::Intersection | GJKResult::Proximity(_) => None,
        }
    }

    /// The cores overlap, touch or nearly touch; `near` are nearly touching points, if GJK found some.
    fn touching(&self, simplex: &VoronoiSimplex, near: Option<(Vec3, Vec3)>) -> Gap {
        let (mut starts, exact) = self.listed_normals();
        // The list is exact for depths, not for distances.
        let exact = exact && near.is_none();
        if !exact {
            let epa = EPA::new().closest_points(&ParryPose::IDENTITY, &self.a, &self.b, simplex);
            // Its normal points out of A, ours into A.
            starts.extend(epa.and_then(|(.., n)| (-from_parry(n)).try_normalize(0.0)));
            starts.extend(near.and_then(|(a, b)| (a - b).try_normalize(0.0)));
            starts.extend(directions());
        }
        let mut starts: Vec<(f64, Vec3)> = starts.into_iter().map(|n| (self.parted_along(&n), n)).collect();
        starts.sort_by(|x, y| y.0.total_cmp(&x.0));
        if !exact {
            starts.truncate(STARTS);
            for start in &mut starts {
                *start = self.ascend(*start);
            }
        }
        let first = (f64::NEG_INFINITY, Vec3::z());
        let (distance, normal) =
            starts.into_iter().fold(first, |best, next| if next.0 > best.0 { next } else { best });
        let (point_a, point_b) = self.witnesses(&normal, distance);
        let upper = match near {
            _ if exact => distance,
            Some((a, b)) => (a - b).norm().max(distance),
            None => distance.max(0.0),
        };
        Gap { distance, bounds: [distance, upper], normal, point_a, point_b }
    }

    /// Candidate normals, and whether they are known to contain the best.
    fn listed_normals(&self) -> (Vec<Vec3>, bool) {
        let turn = |placed: &PlacedCore, v: Vec3| placed.pose.rotation * v;
        let mut normals: Vec<Vec3> = Vec::new();
        normals.extend(self.a.core.face_normals().into_iter().map(|n| turn(&self.a, n)));
        normals.extend(self.b.core.face_normals().into_iter().map(|n| turn(&self.b, n)));
        let edges = [self.a.core.edges(), self.b.core.edges()];
        let exact = edges.iter().all(Option::is_some);
        let [edges_a, edges_b] = edges.map(Option::unwrap_or_default);
        for e in &edges_a {
            let e = turn(&self.a, *e);
            for f in &edges_b {
                let cross = e.cross(&turn(&self.b, *f));
                // Nearly parallel edges add only noise to the face normals.
                if cross.norm() > 1e-8 {
                    normals.push(cross.normalize());
                }
            }
        }
        // Two collinear segments, or a segment through a point: any normal to the line works.
        for (edges, placed) in [(&edges_a, &self.a), (&edges_b, &self.b)] {
            if let (Core::Segment { .. }, [e]) = (placed.core, edges.as_slice()) {
                let e = turn(placed, *e);
                let side = e.cross(&Vec3::ith(e.abs().imin(), 1.0)).normalize();
                normals.extend([side, e.cross(&side)]);
            }
        }
        let centre = |placed: &PlacedCore| (placed.pose * na::Point3::from(placed.core.centre())).coords;
        if !exact || normals.is_empty() {
            normals.push((centre(&self.a) - centre(&self.b)).try_normalize(0.0).unwrap_or_else(Vec3::z));
        }
        let opposite: Vec<Vec3> = normals.iter().map(|n| -n).collect();
        normals.extend(opposite);
        (normals, exact)
    }

    /// (3) until there is no improvement.
    fn ascend(&self, start: (f64, Vec3)) -> (f64, Vec3) {
        let scale = self.scale();
        let (mut best, mut normal) = start;
        let mut clear = 1e-2 * scale;
        for _ in 0..ASCENTS {
            let move_a = normal * (clear - best);
            let pose = Pose::from_parts((self.a.pose.translation.vector + move_a).into(), self.a.pose.rotation);
            let moved = Pair { a: PlacedCore { core: self.a.core, pose: &pose }, b: self.b };
            let Some((a, b)) = moved.closest_points(&mut VoronoiSimplex::new()) else { break };
            let Some(next) = (a - b).try_normalize(0.0) else { break };
            let parted = self.parted_along(&next);
            let gain = parted - best;
            if gain > 0.0 {
                (best, normal) = (parted, next);
            }
            // A larger separation of the moved pair makes GJK more reliable; a smaller one makes longer steps where (1) is flat.
            if gain <= 1e-4 * clear {
                clear *= 1e-2;
            }
            if clear < 1e-9 * scale {
                break;
            }
        }
        (best, normal)
    }

    /// Maximises (1) from a normal near its maximum by trying neighbours, with a larger step after a gain and a smaller one
    /// otherwise: reliable where (1) is smooth, which is where GJK stops early.
    fn climb(&self, mut normal: Vec3, mut best: f64) -> (Vec3, f64) {
        let mut angle = 1e-4;
        // A gain below rounding does not count: otherwise the search would not end.
        let least_gain = 4.0 * f64::EPSILON * self.scale();
        for _ in 0..CLIMB {
            // (1) is stationary at its maximum: an angle of 1e-9 leaves an error of 1e-18 of the size.
            if angle < 1e-9 {
                break;
            }
            let side = normal.cross(&Vec3::ith(normal.abs().imin(), 1.0)).normalize();
            let other = normal.cross(&side);
            let steps = [side, -side, other, -other, side + other, side - other, other - side, -side - other];
            let trials = steps.map(|step| (normal + step * angle).normalize()).map(|n| (self.parted_along(&n), n));
            let top = trials.into_iter().fold((best + least_gain, normal), |x, y| if y.0 > x.0 { y } else { x });
            if top.1 == normal {
                angle *= 0.25;
            } else {
                (best, normal) = top;
                angle *= 2.0;
            }
        }
        (normal, best)
    }

    /// Points of A and B that coincide when A is moved out along the normal by the depth.
    fn witnesses(&self, normal: &Vec3, distance: f64) -> (Vec3, Vec3) {
        // Separated by a little more than the depth, the two have their closest points on the touching faces.
        let clear = normal * (1e-3 * self.scale() - distance);
        let pose = Pose::from_parts((self.a.pose.translation.vector + clear).into(), self.a.pose.rotation);
        let moved = Pair { a: PlacedCore { core: self.a.core, pose: &pose }, b: self.b };
        let (a, b) = moved
            .closest_points(&mut VoronoiSimplex::new())
            .unwrap_or_else(|| (moved.a.support(&-normal), moved.b.support(normal)));
        (a - clear, b)
    }
}

/// Directions to the face centres, edge centres and corners of a cube: every direction is within 30 degrees of one of them.
fn directions() -> impl Iterator<Item = Vec3> {
    let signs = [-1.0, 0.0, 1.0];
    signs.into_iter().flat_map(move |x| {
        signs
            .into_iter()
            .flat_map(move |y| signs.into_iter().filter_map(move |z| Vec3::new(x, y, z).try_normalize(0.0)))
    })
}
