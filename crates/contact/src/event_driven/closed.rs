//! Contact points whose position and motion follow in closed form from parts fixed to the two bodies ([`Make`]).
//!
//! With `w_k(x)` the velocity of the material point of body `k` at `x`, `ω_k` its angular velocity, and `'` rates of
//! change:
//!
//! ```text
//! (1)  fixed on k:    x' = w_k(x),  d' = ω_k × d                              for a point x, a direction d
//! (2)  over a plane:  h = n·(c - p),  h' = n·(c' - w_B(c));  foot c - n h,     ball's c - n r
//! (3)  two balls:     n = b/|b|,  n' = (b' - n (n·b'))/|b|,  b = c_A - c_B;    c_A - n r_A,  c_B + n r_B
//! (4)  two edges:     x = e × g,  s = (b × g)·x/|x|²,  t = (b × e)·x/|x|²,     p + s e,  q + t g,  n = ± x/|x|
//! (5)  a rim:         c + r (X cos φ + Y sin φ),  tan φ = (n·Y)/(n·X) with n against the plane,  then (2)
//! ```
//!
//! Each is differentiated by the product and quotient rules; `(n·Y)/(n·X)` loses no accuracy where the rim lies nearly
//! flat.

use super::frame::{Bodies, Wander};
use veracity_collide::Make;
use veracity_model::{Pose, Vec3};

/// Position of a contact point, and the velocities of the point and its normal.
pub(super) struct Closed {
    /// Points on the first and second body [m].
    pub points: [Vec3; 2],
    /// From the second to the first.
    pub normal: Vec3,
    pub gap: f64,
    pub wander: Wander,
}

/// One of the two bodies.
struct Side<'a> {
    pose: &'a Pose,
    turn: Vec3,
    slide: Vec3,
}

impl Side<'_> {
    fn point(&self, x: &Vec3) -> Vec3 {
        self.pose.rotation * x + self.pose.translation.vector
    }

    /// (1)
    fn velocity(&self, at: &Vec3) -> Vec3 {
        self.slide + self.turn.cross(&(at - self.pose.translation.vector))
    }
}

/// A contact point at the poses of the bodies. `None` where it is not defined: coincident centres, parallel edges, a
/// rim flat on its plane.
pub(super) fn closed(make: &Make, slots: [usize; 2], bodies: &Bodies) -> Option<Closed> {
    let [a, b] = slots.map(|slot| {
        let m = &bodies.motions[slot];
        Side { pose: &m.world_from_body, turn: m.angular_velocity, slide: m.linear_velocity }
    });
    match *make {
        Make::OverPlane { ball, centre, radius, normal, offset } => {
            let (over, under) = if ball == 0 { (&a, &b) } else { (&b, &a) };
            let centre = over.point(&centre);
            let moves = over.velocity(&centre);
            Some(over_plane(ball, centre, moves, radius, (normal, offset), under))
        }
        Make::Balls { centres: [x, y], radii: [r, s] } => {
            let (x, y) = (a.point(&x), b.point(&y));
            let (xd, yd) = (a.velocity(&x), b.velocity(&y));
            let (between, rate) = (x - y, xd - yd);
            let distance = between.norm();
            if distance == 0.0 {
                return None;
            }
            let normal = between / distance;
            let turns = (rate - normal * normal.dot(&rate)) / distance;
            Some(Closed {
                points: [x - normal * r, y + normal * s],
                normal,
                gap: distance - r - s,
                wander: Wander { points: [xd - turns * r, yd + turns * s], normal: turns },
            })
        }
        Make::Edges { from: [p, q], along: [e, g], of, outward } => edges(&a, &b, [p, q], [e, g], (of, outward)),
        Make::Rim { circle, centre, axes, half, radius, quarters, normal, offset } => {
            let (over, under) = if circle == 0 { (&a, &b) } else { (&b, &a) };
            let out = under.pose.rotation * normal;
            let out_rate = under.turn.cross(&out);
            let [x, y, z] = axes.map(|axis| over.pose.rotation * axis);
            let against = [x, y].map(|axis| -out.dot(&axis));
            let rates = [x, y].map(|axis| -out_rate.dot(&axis) - out.dot(&over.turn.cross(&axis)));
            let slope = libm::hypot(against[0], against[1]);
            if slope == 0.0 {
                return None;
            }
            let low = (x * against[0] + y * against[1]) / slope;
            let beside = z.cross(&low);
            let runs = (against[0] * rates[1] - against[1] * rates[0]) / (slope * slope);
            let (way, next) = match quarters {
                0 => (low, beside),
                1 => (beside, -low),
                2 => (-low, -beside),
                _ => (-beside, low),
            };
            let end = if out.dot(&z) < 0.0 { half } else { -half };
            let point = over.point(&centre) + z * end + way * radius;
            let moves = over.velocity(&point) + next * (radius * runs);
            Some(over_plane(circle, point, moves, 0.0, (normal, offset), under))
        }
    }
}

/// (2) for a ball of the first body or (`ball` = 1) of the second.
fn over_plane(ball: usize, c: Vec3, c_rate: Vec3, radius: f64, plane: (Vec3, f64), under: &Side) -> Closed {
    let out = under.pose.rotation * plane.0;
    let turns = under.turn.cross(&out);
    let height = out.dot(&(c - under.pose.translation.vector)) - plane.1;
    let rises = out.dot(&(c_rate - under.velocity(&c)));
    let (on_ball, foot) = (c - out * radius, c - out * height);
    let (ball_rate, foot_rate) = (c_rate - turns * radius, c_rate - turns * height - out * rises);
    let gap = height - radius;
    if ball == 0 {
        let wander = Wander { points: [ball_rate, foot_rate], normal: turns };
        Closed { points: [on_ball, foot], normal: out, gap, wander }
    } else {
        let wander = Wander { points: [foot_rate, ball_rate], normal: -turns };
        Closed { points: [foot, on_ball], normal: -out, gap, wander }
    }
}

/// (4)
fn edges(a: &Side, b: &Side, from: [Vec3; 2], along: [Vec3; 2], (of, outward): (usize, Vec3)) -> Option<Closed> {
    let (p, q) = (a.point(&from[0]), b.point(&from[1]));
    let (e, g) = (a.pose.rotation * along[0], b.pose.rotation * along[1]);
    let (pd, qd, ed, gd) = (a.velocity(&p), b.velocity(&q), a.turn.cross(&e), b.turn.cross(&g));
    let (between, between_rate) = (q - p, qd - pd);
    let cross = e.cross(&g);
    let squared = cross.norm_squared();
    if squared == 0.0 {
        return None;
    }
    let cross_rate = ed.cross(&g) + e.cross(&gd);
    let squared_rate = 2.0 * cross.dot(&cross_rate);
    let share = |edge: &Vec3, rate: &Vec3| {
        let over = between.cross(edge);
        let over_rate = between_rate.cross(edge) + between.cross(rate);
        let s = over.dot(&cross) / squared;
        (s, (over_rate.dot(&cross) + over.dot(&cross_rate) - s * squared_rate) / squared)
    };
    let ((s, sd), (t, td)) = (share(&g, &gd), share(&e, &ed));
    // Outward of the first body, so that the normal is its opposite; derived from either body.
    let known = if of == 0 { a.pose.rotation * outward } else { -(b.pose.rotation * outward) };
    let scale = if cross.dot(&known) < 0.0 { -1.0 } else { 1.0 } / squared.sqrt();
    let normal = -cross * scale;
    let turns = -(cross_rate - cross * (0.5 * squared_rate / squared)) * scale;
    Some(Closed {
        points: [p + e * s, q + g * t],
        normal,
        gap: -normal.dot(&between),
        wander: Wander { points: [pd + ed * s + e * sd, qd + gd * t + g * td], normal: turns },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event_driven::frame::moved;
    use std::sync::Arc;
    use veracity_collide::ContactScene;
    use veracity_dynamics::BodyMotion;
    use veracity_model::geometry::pose;
    use veracity_model::mesh::TriangleMesh;
    use veracity_model::{Body, Inertia, Joint, JointKind, Layout, ModelBuilder, Shape, World};

    /// A bracket, an L of two plates.
    fn bracket() -> TriangleMesh {
        let outline = [(-0.5, -0.5), (0.5, -0.5), (0.5, -0.1), (-0.1, -0.1), (-0.1, 0.5), (-0.5, 0.5)];
        let side = |y: f64| outline.map(|(x, z)| Vec3::new(x, y, z));
        let front = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]];
        let mut triangles: Vec<[u32; 3]> = front.to_vec();
        triangles.extend(front.map(|[a, b, c]| [a + 6, c + 6, b + 6]));
        for i in 0..6 {
            let j = (i + 1) % 6;
            triangles.extend([[i, i + 6, j], [j, i + 6, j + 6]]);
        }
        TriangleMesh::new([side(-0.4), side(0.4)].concat(), triangles)
    }

    fn shapes() -> [Shape; 6] {
        let tips = [Vec3::x(), Vec3::y(), Vec3::z()].map(|x| x * 0.5);
        let hull = TriangleMesh::new(tips.iter().flat_map(|x| [*x, -x * 0.8]).collect(), Vec::new());
        [
            Shape::Sphere { radius: 0.4 },
            Shape::Capsule { radius: 0.3, length: 0.5 },
            Shape::Cylinder { radius: 0.4, length: 0.7 },
            Shape::Box { size: Vec3::new(0.7, 0.9, 0.8) },
            Shape::Convex(Arc::new(hull.convex_hull().unwrap())),
            Shape::Mesh(Arc::new(bracket())),
        ]
    }

    fn scene(first: &Shape, second: &Shape) -> ContactScene {
        let mut builder = ModelBuilder::new("two");
        builder.self_collide(true);
        for (name, shape) in [("first", first), ("second", second)] {
            // Offset from its body's frame, so that a mix-up of frames shows.
            let place = pose(Vec3::new(0.05, -0.02, 0.03), [0.3, -0.2, 0.4]);
            let body = Body::new(name, Inertia::zero()).with_shape(shape.clone(), place);
            builder.add_body(body, Joint::new(name, JointKind::Free), None);
        }
        let world = World::with_model(builder.build().unwrap());
        ContactScene::new(&world, &Layout::new(&world)).unwrap()
    }

    /// Every point with a closed form is where the scene finds it, and moves as differences predict. Rounding of the
    /// position is 1e-15; differences of fourth order over 1e-3 of a turn leave 1e-12 of rates of order 1, more where
    /// edges are nearly parallel or a rim nearly flat, which the bound allows for. A wrong sign or a missing term is of
    /// order 1.
    #[test]
    fn closed_forms_agree_with_the_scene_and_with_differences() {
        let mut shapes = shapes().to_vec();
        shapes.push(Shape::Plane);
        let mut state = 7u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        let (mut seen, mut kinds) = (0, [0; 4]);
        for first in &shapes {
            for second in &shapes {
                if matches!((first, second), (Shape::Plane, Shape::Plane)) {
                    continue;
                }
                let mut scene = scene(first, second);
                for _ in 0..40 {
                    let mut vector = |size: f64| Vec3::new(random(), random(), random()) * size;
                    let motions = [0.0, 1.0].map(|k| BodyMotion {
                        world_from_body: pose(vector(0.35) + Vec3::new(0.0, 0.0, 0.5 * k), vector(3.0).into()),
                        angular_velocity: vector(1.0),
                        linear_velocity: vector(1.0),
                    });
                    let poses = motions.map(|m| m.world_from_body).to_vec();
                    let bodies = Bodies { poses: poses.clone(), motions: motions.to_vec() };
                    let mut points = Vec::new();
                    scene.find(&poses, &[0.0; 2], 0.3, &mut points).unwrap();
                    for p in points {
                        let Some(make) = scene.make_of(p.pair, p.feature) else { continue };
                        let found = closed(&make, [0, 1], &bodies).unwrap();
                        kinds[match make {
                            Make::OverPlane { .. } => 0,
                            Make::Balls { .. } => 1,
                            Make::Edges { .. } => 2,
                            Make::Rim { .. } => 3,
                        }] += 1;
                        let off = (found.points[0] - p.point_a).norm()
                            + (found.points[1] - p.point_b).norm()
                            + (found.normal - p.normal).norm()
                            + (found.gap - p.gap).abs();
                        assert!(off < 1e-10, "{make:?}: {off:e}\n{p:?}");
                        let step = 1e-4;
                        let mut rates = [Vec3::zeros(); 3];
                        for (times, weight) in [(1.0, 8.0), (-1.0, -8.0), (2.0, -1.0), (-2.0, 1.0)] {
                            let moved: Vec<Pose> = motions.iter().map(|m| moved(m, times * step)).collect();
                            let Some(q) = scene.evaluate(p.pair, p.feature, &moved) else { continue };
                            for (rate, x) in rates.iter_mut().zip([q.point_a, q.point_b, q.normal]) {
                                *rate += x * (weight / (12.0 * step));
                            }
                        }
                        let wander = [found.wander.points[0], found.wander.points[1], found.wander.normal];
                        for (closed, difference) in wander.iter().zip(rates) {
                            let size = 1.0 + closed.norm();
                            // Where a rate is a hundred times the motion, differences are the less accurate of the two.
                            assert!(
                                size > 50.0 || (closed - difference).norm() < 1e-7 * size.powi(4),
                                "{make:?}: {closed} against {difference}"
                            );
                        }
                        seen += 1;
                    }
                }
            }
        }
        assert!(seen > 1000 && kinds.iter().all(|k| *k > 20), "{seen} {kinds:?}");
    }
}
