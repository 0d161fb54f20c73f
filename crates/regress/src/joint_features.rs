//! Features of one joint: for pendulums, arms and anything else whose parameter shows in the motion of a joint.
//!
//! With the joint's position at `t - h, t, t + h`,
//!
//! ```text
//! (1)  features:  q(t),  (q(t+h) - q(t-h)) / 2h,  (q(t+h) - 2 q(t) + q(t-h)) / h²
//! ```
//!
//! Positions alone are used, in the same way for training and recording. Noise of the positions is amplified by `2.4 / h²`
//! in the last feature: choose the stride so that the motion changes by more than that within it.

use crate::motion::Motion;
use crate::rows::Rows;

/// Names of (1).
pub fn names() -> Vec<String> {
    ["position", "velocity", "acceleration"].map(str::to_owned).to_vec()
}

/// Features (1) of every motion, `stride` samples apart, one row every `every` samples.
pub fn joint_features(motions: &[Motion], stride: usize, every: usize) -> Rows {
    let (stride, every) = (stride.max(1), every.max(1));
    let mut rows = Rows::new(names());
    for motion in motions {
        let h = stride as f64 * motion.interval_s;
        let q = &motion.angle;
        let mut values = Vec::new();
        for piece in &motion.pieces {
            for i in (piece.start + stride..piece.end.saturating_sub(stride)).step_by(every) {
                let (before, now, after) = (q[i - stride], q[i], q[i + stride]);
                values.extend([now, (after - before) / (2.0 * h), (after - 2.0 * now + before) / (h * h)]);
            }
        }
        rows.push(&motion.name, &motion.targets, &values);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parabola_has_its_velocity_and_acceleration() {
        let mut motion = Motion { interval_s: 0.01, ..Motion::default() };
        for k in 0..50 {
            let t = 0.01 * f64::from(k);
            motion.position.push([0.0; 3]);
            motion.orientation.push([1.0, 0.0, 0.0, 0.0]);
            motion.angle.push(1.0 + 2.0 * t - 4.9 * t * t);
        }
        motion.end_piece(&mut 0);
        let rows = joint_features(&[motion], 3, 5);
        assert_eq!(rows.len(), 9);
        for k in 0..rows.len() {
            let t = 0.01 * (3 + 5 * k) as f64;
            // Second differences of numbers of order one over 30 ms: 1e-16 / 9e-4.
            let [_, v, a] = rows.row(k) else { panic!("three features") };
            assert!((v - (2.0 - 9.8 * t)).abs() < 1e-12 && (a + 9.8).abs() < 1e-11, "{v} {a}");
        }
    }
}
