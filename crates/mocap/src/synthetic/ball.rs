//! A ball that is driven around an enclosure, rolling, slipping and hitting walls: motion like the Weazelball's.
//!
//! ```text
//! (1)  floor:  slip u = v + w x (-r z);  friction -mu g u/|u| acts until the slip is gone, then the ball rolls
//! (2)  drive:  acceleration a along a heading that wobbles once in a turn of the motor; air slows by -k v
//! (3)  wall:   v_n' = -e v_n; the point of contact is slowed by an impulse of at most mu (1+e) |v_n| per mass
//! ```
//!
//! with the moment of inertia of a hollow ball, 2/3 m r². Steps of a millisecond; the heading changes at random times.

use crate::steps::differences::BodyVelocity;
use crate::stream::Sample;
use crate::to_record::{Motions, ToRecordError, stand_in, to_record};
use crate::turns::{exp, product, times};
use nalgebra::Vector3;
use veracity_engine::random::{Purpose, Stream};
use veracity_record::{Record, Signal};

/// Parameters of the ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// [m]
    pub radius: f64,
    /// Half the width the centre can reach [m].
    pub reach: f64,
    /// Friction coefficient of floor and walls.
    pub friction: f64,
    /// Restitution of walls.
    pub restitution: f64,
    /// Turns of the motor a second [Hz].
    pub motor_hz: f64,
    /// Drive [m/s²].
    pub drive: f64,
    /// Rows a second of the record [Hz].
    pub rate_hz: f64,
}

impl Default for Ball {
    fn default() -> Self {
        Self {
            radius: 0.041,
            reach: 0.516,
            friction: 0.5,
            restitution: 0.6,
            motor_hz: 2.3,
            drive: 1.6,
            rate_hz: 100.0,
        }
    }
}

/// Simulates `duration_s` and returns a record of one body named `body`, with the motor's angle as the signal
/// `motor/angle`, and impacts with walls as the signal `wall/impact` (the speed lost, in rows with an impact).
pub fn roll(ball: &Ball, duration_s: f64, seed: u64) -> Result<Record, ToRecordError> {
    let stream = Stream::new(seed, 0, 0, Purpose::Sampling);
    let h = 1e-3;
    let per_row = (1.0 / (ball.rate_hz * h)).round().max(1.0) as u64;
    let rows = (duration_s * ball.rate_hz).round() as u64 + 1;
    let r = ball.radius;
    let mut x = Vector3::new((stream.uniform(0, 1) - 0.5) * ball.reach, (stream.uniform(0, 2) - 0.5) * ball.reach, r);
    let mut heading = std::f64::consts::TAU * stream.uniform(0, 3);
    let (mut v, mut w) = (Vector3::zeros(), Vector3::zeros());
    let mut q = exp(&[0, 1, 2].map(|k| stream.normal(0, 4 + k)));
    let mut angle = 0.0;
    let (mut samples, mut motion, mut times_s) = (Vec::new(), Vec::new(), Vec::new());
    let (mut angles, mut impacts) = (Vec::new(), Vec::new());
    let mut hardest = 0.0f64;
    for step in 0..(rows - 1) * per_row + 1 {
        if step % per_row == 0 {
            samples.push(Sample { stamp_ns: 0, position: x.into(), orientation: q });
            motion.push(BodyVelocity { linear: v.into(), angular: w.into() });
            times_s.push((step / per_row) as f64 / ball.rate_hz);
            angles.push(angle);
            impacts.push(if hardest > 0.0 { hardest } else { f64::NAN });
            hardest = 0.0;
        }
        // The motor's rate drifts a little; the heading changes occasionally.
        let rate = ball.motor_hz * (1.0 + 0.08 * libm::sin(0.7 * angle / 3.0) + 0.04 * libm::sin(1.9 * angle));
        angle += std::f64::consts::TAU * rate * h;
        if stream.uniform(step, 10) < h / 3.0 {
            heading += 2.0 * stream.normal(step, 11);
        }
        let (s, c) = libm::sincos(heading + 0.5 * libm::sin(angle));
        v += Vector3::new(c, s, 0.0) * (ball.drive * h) - v * (2.2 * h);
        // (1): the slip of the lowest point; for a hollow ball it decreases 1 + 3/2 times as fast as the velocity.
        let slip = v + w.cross(&Vector3::new(0.0, 0.0, -r));
        let change = (ball.friction * 9.81 * h).min(slip.norm() / 2.5);
        if slip.norm() > 1e-12 {
            let pull = -slip.normalize() * change;
            v += pull;
            w += Vector3::new(0.0, 0.0, -r).cross(&pull) * (1.5 / (r * r));
        }
        // (3)
        for axis in 0..2 {
            let side = x[axis].signum();
            if x[axis].abs() > ball.reach && v[axis] * side > 0.0 {
                let normal_speed = v[axis].abs();
                hardest = hardest.max(normal_speed);
                v[axis] *= -ball.restitution;
                let mut arm = Vector3::zeros();
                arm[axis] = r * side;
                let mut slide = v + w.cross(&arm);
                slide[axis] = 0.0;
                let most = ball.friction * (1.0 + ball.restitution) * normal_speed;
                let stop = most.min(slide.norm() / 2.5);
                if slide.norm() > 1e-12 {
                    let mut pull = -slide.normalize() * stop;
                    w += arm.cross(&pull) * (1.5 / (r * r));
                    // The floor prevents downward motion.
                    pull.z = 0.0;
                    v += pull;
                }
                heading += std::f64::consts::PI * (0.6 + 0.8 * stream.uniform(step, 12 + axis as u32));
            }
        }
        // The contact patch slows the spin about the vertical.
        w.z -= 3.0 * h * w.z;
        x += v * h;
        x.z = r;
        q = product(&exp(&times(&w.into(), h)), &q);
        let norm = crate::turns::dot(&q, &q).sqrt();
        q = q.map(|part| part / norm);
    }
    let target = stand_in("ball", r)?;
    let signal = |name: &str, unit: &str, values: Vec<f64>| Signal { name: name.into(), unit: unit.into(), values };
    let signals = vec![signal("motor/angle", "rad", angles), signal("wall/impact", "m/s", impacts)];
    let step_s = 1.0 / ball.rate_hz;
    to_record(Motions {
        name: "rolling ball",
        target: &target,
        times_s: &times_s,
        samples: &samples,
        motion: &motion,
        joint: None,
        step_s,
        signals,
        reports: &[],
    })
}
