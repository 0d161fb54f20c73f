//! A motion computed elsewhere, by a simulator that this program did not run, as a record that is judged like any other.
//!
//! Times and positions are given, in the order of the world's [`Layout`]; poses and twists of the bodies follow by
//! kinematics. What such a motion does not have stays unknown: contacts, gaps, and the efforts of controllers.
//!
//! ```
//! use veracity_lab::motion::{GivenMotion, record_of_motion};
//! use veracity_scenario::Scenario;
//!
//! let scenario = Scenario::built_in("simple_pendulum").unwrap();
//! // Positions without times to go with them.
//! let motion = GivenMotion { name: "mine", times_s: &[], q: &[0.0], v: None };
//! assert!(record_of_motion(&scenario, &motion).unwrap_err().to_string().contains("2 rows"));
//! ```

use crate::start_moved::StartMoved;
use std::sync::Arc;
use veracity_dynamics::observe::body_motion;
use veracity_dynamics::{System, SystemError, Workspace, kinematics};
use veracity_engine::{BodyState, Samples};
use veracity_model::{JointKind, Layout};
use veracity_record::{Head, Host, LogEntry, Outcome, Record, head};
use veracity_scenario::Scenario;

/// A motion as arrays, row after row.
#[derive(Clone, Copy, Debug)]
pub struct GivenMotion<'a> {
    /// What computed it, in the place of the engine's name.
    pub name: &'a str,
    /// Increasing [s].
    pub times_s: &'a [f64],
    /// Positions, in the order of the layout.
    pub q: &'a [f64],
    /// Velocities; without them, differences of the positions are used.
    pub v: Option<&'a [f64]>,
}

/// Why a motion cannot be judged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MotionError {
    /// Fewer than two rows.
    #[error("the motion has {0} rows; at least 2 rows are needed")]
    TooShort(usize),
    /// An array of the wrong length.
    #[error("{what} has {found} numbers for {rows} rows; '{scenario}' needs {width} in each row: {names}")]
    Width {
        /// `q` or `v`.
        what: &'static str,
        /// Given.
        found: usize,
        /// Rows of the motion.
        rows: usize,
        /// The scenario.
        scenario: String,
        /// Needed in each row.
        width: usize,
        /// Names of the numbers of a row.
        names: String,
    },
    /// NaN or infinity.
    #[error("{what} contains NaN or infinity in row {row}, at {time_s} s")]
    NotFinite {
        /// `times`, `q` or `v`.
        what: &'static str,
        /// Counted from 0.
        row: usize,
        /// [s]
        time_s: f64,
    },
    /// Times that do not increase.
    #[error("the time of row {row} is {time_s} s, not after {before_s} s in the row before")]
    Order {
        /// Counted from 0.
        row: usize,
        /// [s]
        time_s: f64,
        /// [s]
        before_s: f64,
    },
    /// A quaternion that is no rotation.
    #[error("the quaternion of joint '{joint}' has length {length} in row {row}; it must be 1, in the order w x y z")]
    Quaternion {
        /// The joint.
        joint: String,
        /// Counted from 0.
        row: usize,
        /// Its length.
        length: f64,
    },
    /// The motion does not cover the scenario.
    #[error(
        "the motion covers {from_s} s to {until_s} s and scenario '{scenario}' lasts from 0 to {duration_s} s; simulate all \
         of it, or change the number 'duration_s' of the scenario"
    )]
    Span {
        /// The scenario.
        scenario: String,
        /// [s]
        from_s: f64,
        /// [s]
        until_s: f64,
        /// [s]
        duration_s: f64,
    },
    /// The kinematics of the world are not supported.
    #[error(transparent)]
    World(#[from] SystemError),
}

/// A quaternion may differ from length 1 by this: single precision and a few steps without normalisation.
const QUATERNION_TOLERANCE: f64 = 1e-5;

/// Instants may differ by this from the scenario's [s]: a sum of steps in double precision.
const TIME_TOLERANCE_S: f64 = 1e-6;

/// The record of a motion in a scenario's world.
pub fn record_of_motion(scenario: &Scenario, motion: &GivenMotion<'_>) -> Result<Record, MotionError> {
    let layout = Layout::new(&scenario.world);
    check(scenario, &layout, motion)?;
    let (nq, nv) = (layout.position_count, layout.dof_count());
    let system = System::new(&scenario.world)?;
    let mut ws = Workspace::new(&system);
    let GivenMotion { times_s, q, .. } = *motion;
    let q_of = |row: usize| &q[row * nq..(row + 1) * nq];
    let mut log = Vec::new();
    let differences;
    let v = match motion.v {
        Some(v) => v,
        None => {
            let text = "velocities were not given: they are differences of the positions".to_string();
            log.push(LogEntry { time: 0.0, warning: true, text });
            differences = velocities_of(&system, times_s, q);
            &differences
        }
    };
    let mut off = vec![0.0; nv];
    kinematics::difference(&system, &scenario.q, q_of(0), &mut off);
    let faster = scenario.v.iter().zip(v).map(|(wanted, given)| given - wanted);
    let moved = off.iter().copied().chain(faster).fold(0.0f64, |most, x| most.max(x.abs()));
    if moved > 1e-9 {
        log.push(LogEntry { time: 0.0, warning: true, text: StartMoved(moved).to_string() });
    }
    let mut samples = Samples::none(&layout);
    let mut bodies: Vec<BodyState> = Vec::with_capacity(layout.bodies.len());
    // Efforts of controllers that ran elsewhere are not known.
    let efforts = vec![if scenario.controllers.is_empty() { 0.0 } else { f64::NAN }; nv];
    for (row, &time) in times_s.iter().enumerate() {
        let v_row = &v[row * nv..(row + 1) * nv];
        kinematics::velocities(&system, &mut ws, q_of(row), v_row);
        bodies.clear();
        bodies.extend(layout.bodies.iter().map(|slot| {
            let moving = body_motion(&ws, system.place(slot.placement, slot.body));
            BodyState {
                world_from_body: moving.world_from_body,
                angular_velocity: moving.angular_velocity,
                linear_velocity: moving.linear_velocity,
            }
        }));
        samples.push(time, q_of(row), v_row, &bodies, &efforts, &[]);
    }
    let mut track = samples.track;
    track.least_gaps.fill(f64::NAN);
    let head = Head {
        schema: head::SCHEMA,
        scenario: scenario.name.clone(),
        key: None,
        engine: motion.name.to_string(),
        engine_version: String::new(),
        veracity_version: env!("CARGO_PKG_VERSION").to_string(),
        step_s: times_s[1] - times_s[0],
        duration_s: scenario.duration_ns as f64 * 1e-9,
        seed: 0,
        overrides: Vec::new(),
        world: scenario.world.digest(),
        events: None,
    };
    let (contacts, events, outcome, host) = (Vec::new(), Vec::new(), Outcome::Finished, Host::default());
    Ok(Record { head, world: Arc::clone(&scenario.world), track, contacts, events, log, outcome, host })
}

fn check(scenario: &Scenario, layout: &Layout, motion: &GivenMotion<'_>) -> Result<(), MotionError> {
    let GivenMotion { times_s, q, v, .. } = *motion;
    let rows = times_s.len();
    if rows < 2 {
        return Err(MotionError::TooShort(rows));
    }
    let (nq, nv) = (layout.position_count, layout.dof_count());
    let names = |names: Vec<veracity_record::names::Named>| {
        names.into_iter().map(|named| named.name).collect::<Vec<_>>().join(", ")
    };
    let width = |what, found: usize, width: usize, names: String| {
        let scenario = scenario.name.clone();
        if found == rows * width {
            Ok(())
        } else {
            Err(MotionError::Width { what, found, rows, scenario, width, names })
        }
    };
    width("q", q.len(), nq, names(veracity_record::names::positions(layout)))?;
    if let Some(v) = v {
        width("v", v.len(), nv, names(veracity_record::names::velocities(layout)))?;
    }
    for (what, values, width) in [("times", times_s, 1), ("q", q, nq), ("v", v.unwrap_or(&[]), nv)] {
        if let Some(at) = values.iter().position(|x| !x.is_finite()) {
            let row = at / width.max(1);
            return Err(MotionError::NotFinite { what, row, time_s: times_s[row] });
        }
    }
    if let Some(row) = (1..rows).find(|&row| times_s[row] <= times_s[row - 1]) {
        return Err(MotionError::Order { row, time_s: times_s[row], before_s: times_s[row - 1] });
    }
    for joint in &layout.joints {
        let first = match joint.kind {
            JointKind::Ball => joint.q,
            JointKind::Free => joint.q + 3,
            _ => continue,
        };
        for row in 0..rows {
            let length = q[row * nq + first..][..4].iter().map(|x| x * x).sum::<f64>().sqrt();
            if (length - 1.0).abs() > QUATERNION_TOLERANCE {
                return Err(MotionError::Quaternion { joint: joint.name.clone(), row, length });
            }
        }
    }
    let (from_s, until_s, duration_s) = (times_s[0], times_s[rows - 1], scenario.duration_ns as f64 * 1e-9);
    if from_s.abs() > TIME_TOLERANCE_S || until_s < duration_s - TIME_TOLERANCE_S {
        return Err(MotionError::Span { scenario: scenario.name.clone(), from_s, until_s, duration_s });
    }
    Ok(())
}

/// Velocities from positions, with an error of second order in the interval: central differences inside, and at both ends
/// the line through the first or last two differences.
fn velocities_of(system: &System, times_s: &[f64], q: &[f64]) -> Vec<f64> {
    let (nq, nv, rows) = (system.position_count(), system.dof_count(), times_s.len());
    let mut v = vec![0.0; rows * nv];
    let mut between = vec![0.0; nv];
    let rate = |a: usize, b: usize, out: &mut [f64]| {
        kinematics::difference(system, &q[a * nq..(a + 1) * nq], &q[b * nq..(b + 1) * nq], out);
        out.iter_mut().for_each(|x| *x /= times_s[b] - times_s[a]);
    };
    for row in 1..rows - 1 {
        rate(row - 1, row + 1, &mut v[row * nv..(row + 1) * nv]);
    }
    for (end, next) in [(0, 1), (rows - 1, rows - 2)] {
        rate(end.min(next), end.max(next), &mut between);
        for k in 0..nv {
            let inside = if rows > 2 { v[next * nv + k] } else { between[k] };
            v[end * nv + k] = 2.0 * between[k] - inside;
        }
    }
    v
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pendulum's own start, held still.
    fn still(scenario: &Scenario, rows: usize) -> (Vec<f64>, Vec<f64>) {
        let step = scenario.duration_ns as f64 * 1e-9 / (rows - 1) as f64;
        ((0..rows).map(|i| i as f64 * step).collect(), scenario.q.repeat(rows))
    }

    #[test]
    fn a_motion_that_does_not_fit_is_refused_with_row_and_reason() {
        let scenario = Scenario::built_in("simple_pendulum").unwrap();
        let (times, q) = still(&scenario, 11);
        let say = |times_s: &[f64], q: &[f64], v: Option<&[f64]>| {
            let motion = GivenMotion { name: "mine", times_s, q, v };
            record_of_motion(&scenario, &motion).err().map_or(String::new(), |e| e.to_string())
        };
        assert_eq!(say(&times, &q, None), "");
        assert!(say(&times, &q[1..], None).contains("10 numbers for 11 rows; 'simple_pendulum' needs 1 in each row"));
        assert!(say(&times, &q, Some(&q[2..])).starts_with("v has 9 numbers"));
        assert!(say(&times[..10], &q[..10], None).contains("lasts from 0 to 10 s"));
        let (mut bad, mut late) = (q.clone(), times.clone());
        bad[4] = f64::NAN;
        late[3] = late[2];
        assert!(say(&times, &bad, None).contains("row 4, at 4 s"));
        assert!(say(&late, &q, None).contains("the time of row 3 is 2 s"));
    }

    /// q = a t² has the velocity 2 a t, which central differences and the line at the ends give exactly.
    #[test]
    fn differences_of_a_parabola_are_exact() {
        let scenario = Scenario::built_in("simple_pendulum").unwrap();
        let (times, _) = still(&scenario, 101);
        let q: Vec<f64> = times.iter().map(|t| scenario.q[0] + 0.25 * t * t).collect();
        let motion = GivenMotion { name: "mine", times_s: &times, q: &q, v: None };
        let record = record_of_motion(&scenario, &motion).unwrap();
        // Rounding of q, at most 27, divided by the interval of 0.1 s.
        let worst = times.iter().zip(&record.track.v).map(|(t, v)| (v - 0.5 * t).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-12, "{worst}");
        assert!(record.log.iter().any(|entry| entry.warning && entry.text.contains("differences")));
    }
}
