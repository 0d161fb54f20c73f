//! Motions simulated by an engine: training runs, and recordings whose truth is known.

use crate::error::Error;
use crate::motion::Motion;
use std::sync::Arc;
use veracity_engine::random::{Purpose, Stream};
use veracity_engine::{Engine, Settings};
use veracity_lab::{Session, SessionSetup};
use veracity_model::Overrides;
use veracity_scenario::Scenario;

/// The body and joint recorded in a scenario.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// The recorded body.
    pub body: String,
    /// The joint whose position is recorded with it: the motor inside a ball, the hinge of a pendulum. Zero if absent.
    #[serde(default)]
    pub joint: Option<String>,
}

/// Runs a scenario with changed numbers and records a body. Rows are recorded as the scenario says.
pub fn simulate(
    engine: &dyn Engine,
    settings: &Settings,
    scenario: &Scenario,
    overrides: &Overrides,
    subject: &Subject,
    name: &str,
    targets: &[f64],
) -> Result<Motion, Error> {
    let changed = scenario.with(overrides).map_err(|findings| {
        let all: Vec<String> = findings.iter().map(|f| f.text.clone()).collect();
        Error::Unfit(format!("{name}: {}", all.join("; ")))
    })?;
    let (duration_ns, step_ns) = (changed.duration_ns, changed.step_ns);
    let interval_s = changed.record_every_ns as f64 * 1e-9;
    let setup = SessionSetup { scenario: Arc::new(changed), overrides: Vec::new(), step_ns, seed: 0, index: 0 };
    let mut session = Session::open(engine, settings, setup)
        .map_err(|refusal| Error::Unfit(format!("{name}: rejected by the engine: {:?}", refusal.0)))?;
    let layout = session.layout().clone();
    let missing = |what: &str, which: &str| Error::Unfit(format!("{name}: the world has no {what} '{which}'"));
    let body = layout.body(&subject.body).ok_or_else(|| missing("body", &subject.body))?;
    let q = match &subject.joint {
        Some(name) => Some(layout.joints[layout.joint(name).ok_or_else(|| missing("joint", name))?].q),
        None => None,
    };
    session.advance_to(duration_ns);
    let record = session.finish();
    if !record.outcome.is_finished() {
        return Err(Error::Unfit(format!("{name}: the run ended early: {:?}", record.outcome)));
    }
    let track = &record.track;
    let mut motion = Motion { name: name.to_owned(), targets: targets.to_vec(), interval_s, ..Motion::default() };
    for row in 0..track.rows() {
        let pose = track.pose(row, body);
        motion.position.push([pose[0], pose[1], pose[2]]);
        motion.orientation.push([pose[3], pose[4], pose[5], pose[6]]);
        motion.angle.push(q.map_or(0.0, |q| track.q(row)[q]));
    }
    motion.end_piece(&mut 0);
    Ok(motion)
}

/// Adds measurement noise to a motion: normal, independent from sample to sample.
pub fn with_noise(mut motion: Motion, place_m: f64, turn_rad: f64, seed: u64) -> Motion {
    let stream = Stream::new(seed, 0, 0, Purpose::SensorNoise);
    for (k, (p, q)) in motion.position.iter_mut().zip(&mut motion.orientation).enumerate() {
        let draw = |lane: u32| stream.normal(k as u64, lane);
        (0..3).for_each(|axis| p[axis] += place_m * draw(axis as u32));
        let small = [1.0, 0.5 * turn_rad * draw(3), 0.5 * turn_rad * draw(4), 0.5 * turn_rad * draw(5)];
        let turned = veracity_mocap::turns::product(&small, q);
        let norm = turned.iter().map(|x| x * x).sum::<f64>().sqrt();
        *q = turned.map(|x| x / norm);
    }
    motion
}
