//! Features that do not depend on position, heading or time.
//!
//! The published features are whole states: position in the room, heading, and an angle that increases like a clock. A
//! map of those memorises a trajectory and does not generalise to another. A parameter of the robot changes how the
//! state changes, and that is the same everywhere on the floor. With poses `(p, R)` at times `t - h, t, t + h` and the
//! motor's angle θ about the body's y,
//!
//! ```text
//! (1)  v₋ = (p(t) - p(t-h)) / h,  v₊ = (p(t+h) - p(t)) / h;      ω∓ likewise from R
//! (2)  B = R(t) · Y(θ + φ)                                        the frame carried by the motor
//! (3)  features:  Bᵀẑ,  Bᵀ(ω₋ + ω₊)/2,  Bᵀ(v₋ + v₊)/2,  Bᵀ(ω₊ - ω₋),  Bᵀ(v₊ - v₋)
//! ```
//!
//! φ is chosen for each run so that "down", in the motor's frame and averaged over the run, points along -x, where the
//! weight hangs; the zero of the angle (at a light's flash, at a joint's origin) then cancels.
//!
//! Samples near the walls are left out and counted: an impact carries no information about the parameter.

use crate::motion::Motion;
use crate::rows::Rows;
use serde::{Deserialize, Serialize};
use veracity_mocap::stream::Quaternion;
use veracity_mocap::turns::{about, between, conjugate, product, rotate};

/// Options for the features.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CarriedOptions {
    /// `h` in samples.
    pub stride: usize,
    /// Samples from one row to the next.
    pub every: usize,
    /// Samples nearer than this to the outermost position of the run are left out [m].
    pub wall_margin_m: f64,
}

impl Default for CarriedOptions {
    fn default() -> Self {
        Self { stride: 4, every: 2, wall_margin_m: 0.01 }
    }
}

/// Rows, and how many samples were left out near walls.
#[derive(Clone, Debug)]
pub struct Carried {
    /// One run for each motion.
    pub rows: Rows,
    /// Samples left out because they, or a neighbour used with them, are near a wall.
    pub near_walls: usize,
}

/// Names of (3).
pub fn names() -> Vec<String> {
    let groups = ["up", "turning", "velocity", "turning_change", "velocity_change"];
    groups.iter().flat_map(|group| ["x", "y", "z"].map(|axis| format!("{group}_{axis}"))).collect()
}

/// Features (3) of every motion.
pub fn carried(motions: &[Motion], options: &CarriedOptions) -> Carried {
    let mut out = Carried { rows: Rows::new(names()), near_walls: 0 };
    for motion in motions {
        let frames = frames(motion);
        let reach = motion.reach();
        let inside = |i: usize| {
            (0..2).all(|axis| {
                let [low, high] = reach[axis];
                let x = motion.position[i][axis];
                x > low + options.wall_margin_m && x < high - options.wall_margin_m
            })
        };
        let mut values = Vec::new();
        for piece in &motion.pieces {
            let (stride, every) = (options.stride.max(1), options.every.max(1));
            for i in (piece.start + stride..piece.end.saturating_sub(stride)).step_by(every) {
                if [i - stride, i, i + stride].into_iter().all(inside) {
                    values.extend(features(motion, &frames[i], i, stride));
                } else {
                    out.near_walls += 1;
                }
            }
        }
        out.rows.push(&motion.name, &motion.targets, &values);
    }
    out
}

fn features(motion: &Motion, frame: &Quaternion, i: usize, stride: usize) -> [f64; 15] {
    let h = stride as f64 * motion.interval_s;
    // (1)
    let (p, q) = (&motion.position, &motion.orientation);
    let difference = |a: usize, b: usize| [0, 1, 2].map(|axis| (p[b][axis] - p[a][axis]) / h);
    let (v0, v1) = (difference(i - stride, i), difference(i, i + stride));
    let w0 = between(&q[i - stride], &q[i]).map(|x| x / h);
    let w1 = between(&q[i], &q[i + stride]).map(|x| x / h);
    // (3)
    let back = conjugate(frame);
    let mean = |a: &[f64; 3], b: &[f64; 3]| rotate(&back, &[0, 1, 2].map(|k| 0.5 * (a[k] + b[k])));
    let change = |a: &[f64; 3], b: &[f64; 3]| rotate(&back, &[0, 1, 2].map(|k| b[k] - a[k]));
    let groups =
        [rotate(&back, &[0.0, 0.0, 1.0]), mean(&w0, &w1), mean(&v0, &v1), change(&w0, &w1), change(&v0, &v1)];
    let mut out = [0.0; 15];
    groups.iter().flatten().zip(&mut out).for_each(|(value, slot)| *slot = *value);
    out
}

/// (2), aligned over the whole motion.
fn frames(motion: &Motion) -> Vec<Quaternion> {
    let y = [0.0, 1.0, 0.0];
    let plain: Vec<Quaternion> =
        motion.orientation.iter().zip(&motion.angle).map(|(q, angle)| product(q, &about(&y, *angle))).collect();
    let (mut x, mut z) = (0.0, 0.0);
    for frame in &plain {
        let down = rotate(&conjugate(frame), &[0.0, 0.0, -1.0]);
        (x, z) = (x + down[0], z + down[2]);
    }
    // A further rotation by φ about y takes a direction at angle a (from x towards -z) to a - φ, which must be π.
    let phi = libm::atan2(-z, x) - std::f64::consts::PI;
    plain.iter().map(|frame| product(frame, &about(&y, phi))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use veracity_mocap::turns::product;

    /// A body that rolls and yaws, with its motor turning inside.
    fn tumbling(heading: f64, phase: f64, offset: [f64; 3]) -> Motion {
        let mut motion = Motion { name: "t".into(), targets: vec![1.0], interval_s: 0.01, ..Motion::default() };
        for k in 0..200 {
            let t = f64::from(k) * 0.01;
            let yaw = about(&[0.0, 0.0, 1.0], heading + 0.4 * t);
            let place = rotate(&yaw, &[0.3 * libm::sin(t), 0.1 * t, 0.0]);
            motion.position.push([place[0] + offset[0], place[1] + offset[1], place[2] + offset[2]]);
            motion.orientation.push(product(&yaw, &about(&[0.6, 0.8, 0.0], 3.0 * t)));
            motion.angle.push(15.0 * t + phase);
        }
        motion.end_piece(&mut 0);
        motion
    }

    #[test]
    fn features_do_not_depend_on_position_heading_and_zero_of_the_angle() {
        let options = CarriedOptions { wall_margin_m: -1.0, ..CarriedOptions::default() };
        let rows = |m: Motion| carried(&[m], &options).rows;
        let base = rows(tumbling(0.0, 0.0, [0.0; 3]));
        assert!(base.len() > 90);
        // The heading changes the reach, not the rows; the yaw rate is constant, so the rows are the same.
        let other = rows(tumbling(1.1, 2.0, [3.0, -1.0, 0.5]));
        let apart = base.values.iter().zip(&other.values).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        // Differences over 40 ms amplify rounding of positions of order 3 by a hundred.
        assert!(apart < 1e-11, "{apart}");
        // Mutation: a motor that turns the other way is another robot.
        let mut wrong = tumbling(0.0, 0.0, [0.0; 3]);
        wrong.angle.iter_mut().for_each(|a| *a = -*a);
        let apart = base.values.iter().zip(&rows(wrong).values).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart > 0.1);
    }

    #[test]
    fn rows_near_walls_are_left_out_and_counted() {
        let wide =
            carried(&[tumbling(0.0, 0.0, [0.0; 3])], &CarriedOptions { wall_margin_m: -1.0, ..Default::default() });
        let narrow =
            carried(&[tumbling(0.0, 0.0, [0.0; 3])], &CarriedOptions { wall_margin_m: 0.02, ..Default::default() });
        assert_eq!(wide.near_walls, 0);
        assert!(narrow.near_walls > 0);
        assert_eq!(narrow.rows.len() + narrow.near_walls, wide.rows.len());
    }
}
