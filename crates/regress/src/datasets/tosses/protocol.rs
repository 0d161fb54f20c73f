//! Start of a simulated toss from a recorded one, and comparison of the two (Acosta, Yang, Posa, RA-L 2022).
//!
//! ```text
//! (1)  k = the first sample with z ≤ √3 a          a: half the width; a corner below √3 a may touch
//! (2)  start: sample k - 3;  flight: at most m samples that end with k - 1
//! (3)  p(t) = p₀ + v₀ t + ½ g t²                   least squares over the flight, g = 9.81 m/s² downwards
//! (4)  ω = log( R_b R_aᵀ ) / (t_b - t_a)           a, b: the flight's ends; a cube's inertia is the same about every axis
//! (5)  E_p = 100 % · mean_i |p_sim(t_i) - p_i| / (2 a),   E_R = mean_i |log( R_sim(t_i)ᵀ R_i )|
//! ```
//!
//! over the samples from the start to the end of the toss. The pose at the start is the recorded one, the velocity
//! there that of (3).

use veracity_mocap::datasets::tosses::Toss;
use veracity_mocap::turns::{between, conjugate, half_angle, minus, norm, rotate, times};
use veracity_record::Track;

/// [m/s²], as in the protocol.
pub const GRAVITY: f64 = 9.81;
/// Samples between the start and the first that may touch.
const BEFORE: usize = 3;

/// Start of a simulation of a toss.
#[derive(Clone, Debug, PartialEq)]
pub struct TossStart {
    /// Index of the sample.
    pub sample: usize,
    /// Of the cube's centre [m].
    pub position: [f64; 3],
    /// `world_from_body`.
    pub orientation: [f64; 4],
    /// World axes [m/s].
    pub velocity: [f64; 3],
    /// The cube's own axes [rad/s].
    pub spin: [f64; 3],
    /// Root mean square distance of the flight from the parabola [m]: large for a cube that is still held.
    pub residual: f64,
}

/// (1) to (4), or why this toss has no start.
pub fn begin(toss: &Toss, half_width: f64, flight_samples: usize) -> Result<TossStart, String> {
    if let Some(missing) = toss.samples.iter().position(|s| !s.is_known()) {
        return Err(format!("sample {missing} has no pose"));
    }
    let low = half_width * 3f64.sqrt();
    let Some(touch) = toss.samples.iter().position(|s| s.position[2] <= low) else {
        return Err("the cube never comes near the table".to_owned());
    };
    if touch < BEFORE + 1 {
        return Err(format!(
            "the recording begins {touch} samples before a possible contact; {} are needed",
            BEFORE + 1
        ));
    }
    let (first, last) = (touch.saturating_sub(flight_samples.max(BEFORE + 1)), touch - 1);
    let sample = touch - BEFORE;
    // (3): with the fall subtracted, a line along each axis.
    let at = |k: usize| toss.times_s[k] - toss.times_s[sample];
    let flight: Vec<usize> = (first..=last).collect();
    let count = flight.len() as f64;
    let mean_t = flight.iter().map(|k| at(*k)).sum::<f64>() / count;
    let spread = flight.iter().map(|k| (at(*k) - mean_t).powi(2)).sum::<f64>();
    let (mut velocity, mut squares) = ([0.0; 3], 0.0);
    for axis in 0..3 {
        let fall = |t: f64| if axis == 2 { -0.5 * GRAVITY * t * t } else { 0.0 };
        let lifted = |k: usize| toss.samples[k].position[axis] - fall(at(k));
        let mean = flight.iter().map(|k| lifted(*k)).sum::<f64>() / count;
        velocity[axis] = flight.iter().map(|k| (at(*k) - mean_t) * (lifted(*k) - mean)).sum::<f64>() / spread;
        squares +=
            flight.iter().map(|k| (lifted(*k) - mean - velocity[axis] * (at(*k) - mean_t)).powi(2)).sum::<f64>();
    }
    // (4)
    let (a, b) = (&toss.samples[first].orientation, &toss.samples[last].orientation);
    let turning = times(&between(a, b), 1.0 / (toss.times_s[last] - toss.times_s[first]));
    let start = &toss.samples[sample];
    Ok(TossStart {
        sample,
        position: start.position,
        orientation: start.orientation,
        velocity,
        spin: rotate(&conjugate(&start.orientation), &turning),
        residual: (squares / count).sqrt(),
    })
}

/// (5) of one toss.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct TossError {
    /// Number in the table.
    pub toss: i64,
    /// E_p: per cent of the cube's width.
    pub position_percent: f64,
    /// E_R in degrees.
    pub rotation_deg: f64,
}

/// (5); `None` if the simulation ended before the toss.
pub fn error(toss: &Toss, begin: &TossStart, track: &Track, body: usize, half_width: f64) -> Option<TossError> {
    let samples = &toss.samples[begin.sample..];
    if track.rows() < samples.len() {
        return None;
    }
    let (mut place, mut turn) = (0.0, 0.0);
    for (row, sample) in samples.iter().enumerate() {
        let pose = track.pose(row, body);
        place += norm(&minus(&[pose[0], pose[1], pose[2]], &sample.position));
        turn += 2.0 * half_angle(&[pose[3], pose[4], pose[5], pose[6]], &sample.orientation);
    }
    let count = samples.len() as f64;
    Some(TossError {
        toss: toss.number,
        position_percent: 100.0 * place / count / (2.0 * half_width),
        rotation_deg: (turn / count).to_degrees(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use veracity_mocap::steps::differences::BodyVelocity;
    use veracity_mocap::stream::Sample;
    use veracity_mocap::turns::{exp, product};

    const HALF: f64 = 0.05;

    /// A cube that flies from 0.3 m with a velocity and a spin in its own axes.
    fn flight(velocity: [f64; 3], spin: [f64; 3]) -> Toss {
        let mut toss = Toss { number: 7, ..Toss::default() };
        for k in 0..60 {
            let t = f64::from(k) / 148.0;
            let z = 0.3 + velocity[2] * t - 0.5 * GRAVITY * t * t;
            let start = exp(&[0.3, -0.2, 0.5]);
            let orientation = product(&start, &exp(&times(&spin, t)));
            let position = [velocity[0] * t, velocity[1] * t, z];
            toss.times_s.push(t);
            toss.samples.push(Sample { stamp_ns: 0, position, orientation });
            toss.motion.push(BodyVelocity { linear: [0.0; 3], angular: [0.0; 3] });
        }
        toss
    }

    #[test]
    fn velocity_and_spin_of_a_flight_are_recovered() {
        let (velocity, spin) = ([0.7, -0.4, 0.2], [3.0, -5.0, 1.0]);
        let toss = flight(velocity, spin);
        let found = begin(&toss, HALF, 10).unwrap();
        assert!(toss.samples[found.sample + 3].position[2] <= HALF * 3f64.sqrt());
        assert!(toss.samples[found.sample + 2].position[2] > HALF * 3f64.sqrt());
        let falling = velocity[2] - GRAVITY * toss.times_s[found.sample];
        let apart = norm(&minus(&found.velocity, &[0.7, -0.4, falling]));
        // Rounding over spans of 60 ms.
        assert!(apart < 1e-12 && norm(&minus(&found.spin, &spin)) < 1e-12, "{found:?}");
        assert!(found.residual < 1e-15);
        // Mutation: a cube that is held for part of the flight is off the parabola.
        let mut held = toss.clone();
        held.samples[found.sample - 6].position[2] += 2e-3;
        assert!(begin(&held, HALF, 10).unwrap().residual > 5e-4);
    }

    #[test]
    fn a_toss_without_a_start_gives_the_reason() {
        let whole = flight([0.0; 3], [0.0; 3]);
        let mut high = whole.clone();
        high.samples.iter_mut().for_each(|s| s.position[2] += 5.0);
        assert!(begin(&high, HALF, 10).unwrap_err().contains("never"));
        let mut late = whole.clone();
        let touch = begin(&whole, HALF, 10).unwrap().sample + 3;
        late.samples.drain(..touch - 2);
        late.times_s.drain(..touch - 2);
        assert!(begin(&late, HALF, 10).unwrap_err().contains("2 samples before"));
    }

    #[test]
    fn an_identical_track_has_no_error_and_a_shift_is_measured() {
        let toss = flight([0.7, -0.4, 0.2], [3.0, -5.0, 1.0]);
        let start = begin(&toss, HALF, 10).unwrap();
        let rows = toss.samples.len() - start.sample;
        let mut track = Track::new(7, 6, 1, 0, rows);
        for sample in &toss.samples[start.sample..] {
            let turned = product(&sample.orientation, &exp(&[0.0, 0.1, 0.0]));
            let [x, y, z] = sample.position;
            track.poses.extend([x + 0.01, y, z, turned[0], turned[1], turned[2], turned[3]]);
            track.times.push(0.0);
        }
        let found = error(&toss, &start, &track, 0, HALF).unwrap();
        // 10 mm of a width of 100 mm; 0.1 rad.
        assert!((found.position_percent - 10.0).abs() < 1e-9 && (found.rotation_deg - 5.729_577_951).abs() < 1e-7);
        assert_eq!(error(&toss, &start, &Track::new(7, 6, 1, 0, 0), 0, HALF), None);
    }
}
