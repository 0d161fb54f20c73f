//! Velocities by differences.
//!
//! ```text
//! (1)  v_k = (x_{k+1} - x_{k-1}) / (t_{k+1} - t_{k-1})
//! (2)  w_k = (log(q_{k+1} q_k*) + log(q_k q_{k-1}*)) / (t_{k+1} - t_{k-1})          world axes
//! ```
//!
//! Metres and radians per second in world axes, whatever the sample rate. One-sided at ends and next to missing
//! samples; NaN where there is no neighbour. Position noise of `s` gives velocity noise of `s / (sqrt 2 dt)`: see
//! [`super::smoother`].

use crate::report::{Mark, Plot, StepReport};
use crate::stream::Sample;
use crate::turns::{between, minus, norm, plus, times};

/// Velocity of the body's origin and angular velocity, both in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyVelocity {
    /// [m/s]
    pub linear: [f64; 3],
    /// [rad/s]
    pub angular: [f64; 3],
}

/// Velocities of all samples.
pub fn differences(samples: &[Sample], times_s: &[f64]) -> Vec<BodyVelocity> {
    let mut out = Vec::with_capacity(samples.len());
    let step = |i: usize| {
        let (a, b) = (&samples[i], &samples[i + 1]);
        let known = a.is_known() && b.is_known();
        known.then(|| {
            (between(&a.orientation, &b.orientation), minus(&b.position, &a.position), times_s[i + 1] - times_s[i])
        })
    };
    let mut before = None;
    for k in 0..samples.len() {
        let after = if k + 1 < samples.len() { step(k) } else { None };
        out.push(match (before, after) {
            (Some((w0, x0, t0)), Some((w1, x1, t1))) => scaled(&plus(&w0, &w1), &plus(&x0, &x1), t0 + t1),
            (Some((w, x, t)), None) | (None, Some((w, x, t))) => scaled(&w, &x, t),
            (None, None) => BodyVelocity { linear: [f64::NAN; 3], angular: [f64::NAN; 3] },
        });
        before = after;
    }
    out
}

fn scaled(turn: &[f64; 3], place: &[f64; 3], time: f64) -> BodyVelocity {
    let inverse = 1.0 / time;
    BodyVelocity { linear: times(place, inverse), angular: times(turn, inverse) }
}

/// Summary of the velocities.
pub fn report(step: &'static str, motion: &[BodyVelocity]) -> StepReport {
    let mut report = StepReport::new(step);
    let rms = |f: fn(&BodyVelocity) -> &[f64; 3]| {
        let squares = motion.iter().map(|m| norm(f(m))).filter(|v| v.is_finite());
        let (sum, n) = squares.fold((0.0, 0.0), |(s, n), v| (s + v * v, n + 1.0));
        (sum / n).sqrt()
    };
    report.number("rms speed", "m/s", rms(|m| &m.linear));
    report.number("rms angular speed", "rad/s", rms(|m| &m.angular));
    let missing = motion.iter().filter(|m| m.linear[0].is_nan()).count();
    if missing > 0 {
        report
            .warn("no-velocity", format!("{missing} samples have no velocity: they or both neighbours are missing"));
    }
    report
}

/// Speed over time.
pub fn plot(motion: &[BodyVelocity], times_s: &[f64]) -> Plot {
    let speed = motion.iter().zip(times_s).map(|(m, t)| [*t, norm(&m.linear)]);
    Plot::new("Speed", "time [s]", "speed [m/s]").with("speed", Mark::Line, speed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turns::{exp, product};

    #[test]
    fn uniform_motion_has_its_velocity_whatever_the_sign_of_the_quaternion() {
        let samples: Vec<Sample> = (0..50)
            .map(|i| {
                let t = 0.02 * f64::from(i);
                let q = product(&exp(&[0.0, 0.0, 9.0 * t]), &exp(&[0.3, 0.0, 0.0]));
                let orientation = if i % 3 == 0 { q.map(|x| -x) } else { q };
                Sample { stamp_ns: 0, position: [0.5 * t, 0.0, -t], orientation }
            })
            .collect();
        let times: Vec<f64> = (0..50).map(|i| 0.02 * f64::from(i)).collect();
        for m in differences(&samples, &times) {
            assert!(
                norm(&minus(&m.linear, &[0.5, 0.0, -1.0])) < 1e-12
                    && norm(&minus(&m.angular, &[0.0, 0.0, 9.0])) < 1e-11,
                "{m:?}"
            );
        }
        let mut holes = samples;
        holes[10] = Sample::missing(0);
        let motion = differences(&holes, &times);
        assert!(motion[10].linear[0].is_nan() && (motion[9].linear[0] - 0.5).abs() < 1e-12);
    }
}
