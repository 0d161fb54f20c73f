//! Position of a contact at a state, and its rate of change.
//!
//! With `c` a contact point on a body whose frame moves with `(ω, v)`, `n` the normal and `u` the velocity of the first
//! body's point relative to the second's, the accelerations of lasting contact are
//!
//! ```text
//! (1)  (n · u)' = n · [a_A + ω_A × (c'_A - v_A) - a_B - ω_B × (c'_B - v_B)] + n' · u
//! (2)  (t · u)' = the same with t, without t' · u: where the contact sticks, u = 0
//! ```
//!
//! `a` and `v` belong to the material points under `c`. Only the velocity of the contact point over the shapes, `c'`,
//! and the rotation of the normal, `n'`, depend on the shapes. Both are linear in the motion of the two bodies. Most
//! points follow from parts fixed to the bodies, which give `c'` and `n'` in closed form (`closed`); for the others the
//! contact is evaluated again at poses moved slightly along the motion, by central differences of order four:
//!
//! ```text
//! (3)  f' = [8 (f(δ) - f(-δ)) - (f(2δ) - f(-2δ))] / 12 δ,     δ · rate = 1e-3
//! ```
//!
//! A pair whose nearest points come from an iteration has rounding of 1e-11 in them, which (3) would turn into noise
//! that no integrator can follow. It shows in the fourth difference of the position,
//! `4 (f(δ) + f(-δ)) - (f(2δ) + f(-2δ)) - 6 f(0)`. Such a contact is [`Frozen`] for a step: its points move over the
//! bodies and its normal turns at constant rates, from differences thirty times as wide at the beginning of the step,
//! and (1), (2) follow from them.
//!
//! In (3) the rate is that of the bodies or of the contact point, whichever is faster. The formula leaves an error of
//! `(1e-3)⁴ / 30 = 3e-14` of the rate, and rounding of `f` adds 1.5e-13 of it.

use nalgebra as na;
use veracity_collide::{ContactPoint, ContactScene};
use veracity_dynamics::observe::{BodyMotion, body_bias, body_motion};
use veracity_dynamics::spatial::quat_exp;
use veracity_dynamics::{System, Workspace};
use veracity_model::{Pose, Vec3};

/// How far (3) moves the bodies, relative to their size and in radians.
const REACH: f64 = 1e-3;

/// A contact point at a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Slots of the bodies.
    pub bodies: [usize; 2],
    /// Points on the first and second body [m].
    pub points: [Vec3; 2],
    pub normal: Vec3,
    pub tangents: [Vec3; 2],
    pub gap: f64,
    /// Velocity of the first relative to the second along normal and tangents [m/s].
    pub velocity: [f64; 3],
    /// Values of (1) and (2) at zero joint accelerations [m/s²].
    pub bias: [f64; 3],
}

/// Poses and velocities of the bodies at the state of the workspace's last kinematics.
#[derive(Clone, Debug, Default)]
pub(super) struct Bodies {
    pub poses: Vec<Pose>,
    pub motions: Vec<BodyMotion>,
}

impl Bodies {
    /// Fills the motions of all bodies, in the order of the layout, after
    /// [`veracity_dynamics::kinematics::velocities`].
    pub(super) fn gather(&mut self, ws: &Workspace, places: &[veracity_dynamics::BodyPlace]) {
        self.motions.clear();
        self.motions.extend(places.iter().map(|p| body_motion(ws, *p)));
        self.poses.clear();
        self.poses.extend(self.motions.iter().map(|m| m.world_from_body));
    }

    /// The velocity of a body's point.
    pub(super) fn velocity_at(&self, body: usize, point: &Vec3) -> Vec3 {
        let m = &self.motions[body];
        m.linear_velocity + m.angular_velocity.cross(&(point - m.world_from_body.translation.vector))
    }
}

/// A system at the state of its workspace's last kinematics, and the place of each body in it.
pub(super) type Moving<'a> = (&'a System, &'a Workspace, &'a [veracity_dynamics::BodyPlace]);

/// Velocities of the point on each body, and rate of change of the normal.
pub(super) struct Wander {
    pub points: [Vec3; 2],
    pub normal: Vec3,
}

/// The contact without its accelerations.
pub(super) fn place(bodies: &Bodies, point: &ContactPoint, tangents: [Vec3; 2]) -> Frame {
    let slots = [point.body_a as usize, point.body_b as usize];
    let points = [point.point_a, point.point_b];
    let u = bodies.velocity_at(slots[0], &points[0]) - bodies.velocity_at(slots[1], &points[1]);
    let velocity = [u.dot(&point.normal), u.dot(&tangents[0]), u.dot(&tangents[1])];
    Frame { bodies: slots, points, normal: point.normal, tangents, gap: point.gap, velocity, bias: [0.0; 3] }
}

/// A contact approximated for a step: its points move over the bodies, and its normal turns, at the rates of the step's
/// beginning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frozen {
    /// When the step began [s].
    time: f64,
    /// Points on each body, in its frame, and their velocities there.
    points: [Vec3; 2],
    wanders: [Vec3; 2],
    /// Normal in the second body's frame, and its rate of change there.
    normal: Vec3,
    turns: Vec3,
}

impl Frozen {
    /// Freezes a contact at the bodies' poses.
    fn new(time: f64, frame: &Frame, wander: &Wander, bodies: &Bodies) -> Self {
        let pose = |k: usize| &bodies.motions[frame.bodies[k]].world_from_body;
        let points = [0, 1].map(|k| pose(k).inverse_transform_point(&frame.points[k].into()).coords);
        let wanders = [0, 1].map(|k| {
            let material = bodies.velocity_at(frame.bodies[k], &frame.points[k]);
            pose(k).rotation.inverse() * (wander.points[k] - material)
        });
        let carried = bodies.motions[frame.bodies[1]].angular_velocity.cross(&frame.normal);
        let back = pose(1).rotation.inverse();
        Self { time, points, wanders, normal: back * frame.normal, turns: back * (wander.normal - carried) }
    }

    /// The contact at other poses.
    pub(super) fn at(&self, time: f64, pair: u32, slots: [usize; 2], bodies: &Bodies) -> ContactPoint {
        let pose = |k: usize| &bodies.motions[slots[k]].world_from_body;
        let passed = time - self.time;
        let point = |k: usize| (pose(k) * na::Point3::from(self.points[k] + self.wanders[k] * passed)).coords;
        let normal = (pose(1).rotation * (self.normal + self.turns * passed)).normalize();
        let (point_a, point_b) = (point(0), point(1));
        let gap = normal.dot(&(point_a - point_b));
        let [body_a, body_b] = slots.map(|s| s as u32);
        ContactPoint { pair, feature: 0, body_a, body_b, shape_a: 0, shape_b: 0, point_a, point_b, normal, gap }
    }

    fn wander(&self, frame: &Frame, bodies: &Bodies) -> Wander {
        let pose = |k: usize| &bodies.motions[frame.bodies[k]].world_from_body;
        let points = [0, 1]
            .map(|k| bodies.velocity_at(frame.bodies[k], &frame.points[k]) + pose(k).rotation * self.wanders[k]);
        let carried = bodies.motions[frame.bodies[1]].angular_velocity.cross(&frame.normal);
        Wander { points, normal: carried + pose(1).rotation * self.turns }
    }
}

/// Adds (1) and (2) at zero joint accelerations. Returns `false` where the feature is lost nearby.
pub(super) fn add_bias(
    frame: &mut Frame,
    smooth: Option<(&mut ContactScene, (u32, u64))>,
    frozen: Option<&Frozen>,
    system: Moving,
    bodies: &mut Bodies,
) -> bool {
    if let Some(frozen) = frozen {
        let wander = frozen.wander(frame, bodies);
        frame.bias = bias(frame, &wander, system, bodies);
        return true;
    }
    let Some((wander, _)) = smooth.and_then(|(scene, site)| wander(frame, site, scene, bodies)) else { return false };
    frame.bias = bias(frame, &wander, system, bodies);
    true
}

/// The frozen form of a contact, if its position is too rough to be followed.
pub(super) fn freeze(
    time: f64,
    frame: &Frame,
    site: (u32, u64),
    scene: &mut ContactScene,
    bodies: &mut Bodies,
) -> Option<Frozen> {
    let (wander, rough) = wander(frame, site, scene, bodies)?;
    rough.then(|| Frozen::new(time, frame, &wander, bodies))
}

/// (1) and (2) for given rates of the contact point and normal.
pub(super) fn bias(frame: &Frame, wander: &Wander, (system, ws, places): Moving, bodies: &Bodies) -> [f64; 3] {
    let side = |k: usize| {
        let slot = frame.bodies[k];
        let (alpha, acc) = body_bias(system, ws, places[slot]);
        let m = &bodies.motions[slot];
        let (omega, lever) = (m.angular_velocity, frame.points[k] - m.world_from_body.translation.vector);
        let swing = omega.cross(&lever);
        let material = acc + alpha.cross(&lever) + omega.cross(&swing);
        let velocity = m.linear_velocity + swing;
        (material + omega.cross(&(wander.points[k] - velocity)), velocity)
    };
    let ((a, va), (b, vb)) = (side(0), side(1));
    let rate = a - b;
    [
        frame.normal.dot(&rate) + wander.normal.dot(&(va - vb)),
        frame.tangents[0].dot(&rate),
        frame.tangents[1].dot(&rate),
    ]
}

/// (3), and whether the contact's position is too rough for it.
fn wander(
    frame: &Frame,
    (pair, feature): (u32, u64),
    scene: &mut ContactScene,
    bodies: &mut Bodies,
) -> Option<(Wander, bool)> {
    let [a, b] = frame.bodies;
    let still = Wander { points: [Vec3::zeros(); 2], normal: Vec3::zeros() };
    let lever =
        |k: usize| (frame.points[k] - bodies.motions[frame.bodies[k]].world_from_body.translation.vector).norm();
    // The size of the moving bodies; the world's origin does not matter.
    let moves = |k: usize| {
        let m = &bodies.motions[frame.bodies[k]];
        m.angular_velocity != Vec3::zeros() || m.linear_velocity != Vec3::zeros()
    };
    let size = (0..2).filter(|k| moves(*k)).map(lever).fold(1e-3, f64::max);
    let speed = |k: usize| bodies.velocity_at(frame.bodies[k], &frame.points[k]).norm();
    let turn = |slot: usize| bodies.motions[slot].angular_velocity.norm();
    let rate = turn(a).max(turn(b)).max(speed(0) / size).max(speed(1) / size);
    if rate == 0.0 {
        return Some((still, false));
    }
    let kept = [bodies.poses[a], bodies.poses[b]];
    let mut step = REACH / rate;
    let mut found = None;
    let mut is_rough = false;
    for _ in 0..4 {
        let Some((made, way, rough)) = differences(frame, (pair, feature), scene, bodies, step) else { break };
        found = Some(made);
        // The contact point of a coin that lies nearly flat runs round its rim much faster than the coin itself turns.
        if way > 2.5 * REACH * size && !is_rough {
            step *= REACH * size / way;
            continue;
        }
        // A smooth position leaves 1e-12 of its size, up to forty times that where its point runs ahead.
        if rough <= 1e-10 * size || is_rough {
            break;
        }
        is_rough = true;
        step *= 30.0;
    }
    (bodies.poses[a], bodies.poses[b]) = (kept[0], kept[1]);
    found.map(|w| (w, is_rough))
}

/// (3) with this step, how far the contact point moved in it [m], and the remainder of a fourth difference [m]: for a
/// smooth position only the fourth power of the reach.
fn differences(
    frame: &Frame,
    (pair, feature): (u32, u64),
    scene: &mut ContactScene,
    bodies: &mut Bodies,
    step: f64,
) -> Option<(Wander, f64, f64)> {
    let mut sum = Wander { points: [Vec3::zeros(); 2], normal: Vec3::zeros() };
    let mut way = 0.0_f64;
    let mut doubt = [Vec3::zeros(); 2];
    for (times, weight) in [(1.0, 8.0), (-1.0, -8.0), (2.0, -1.0), (-2.0, 1.0)] {
        for slot in frame.bodies {
            bodies.poses[slot] = moved(&bodies.motions[slot], times * step);
        }
        let point = scene.evaluate(pair, feature, &bodies.poses)?;
        let points = [point.point_a, point.point_b];
        for k in 0..2 {
            sum.points[k] += points[k] * weight;
            way = way.max((points[k] - frame.points[k]).norm());
            // 4 (f(δ) + f(-δ)) - (f(2δ) + f(-2δ)) - 6 f(0) is a fourth difference.
            doubt[k] += (points[k] - frame.points[k]) * if times * times == 1.0 { 4.0 } else { -1.0 };
        }
        sum.normal += point.normal * weight;
    }
    let scale = 1.0 / (12.0 * step);
    let doubt = doubt.iter().fold(0.0_f64, |m, d| m.max(d.norm()));
    Some((Wander { points: sum.points.map(|p| p * scale), normal: sum.normal * scale }, way, doubt))
}

/// A body's pose moved along its velocity for a time.
pub(super) fn moved(motion: &BodyMotion, time: f64) -> Pose {
    let [w, x, y, z] = quat_exp((motion.angular_velocity * time).into());
    let turn = na::UnitQuaternion::new_unchecked(na::Quaternion::new(w, x, y, z));
    let pose = &motion.world_from_body;
    let place = pose.translation.vector + motion.linear_velocity * time;
    Pose::from_parts(na::Translation3::from(place), turn * pose.rotation)
}
