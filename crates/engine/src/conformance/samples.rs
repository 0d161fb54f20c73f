//! Rows that an advance records equal the states themselves.

use super::{Claim, Evidence, Subject, scenes, trace};
use crate::contract::Simulation;
use crate::samples::Samples;

pub(super) const BY_HAND: Claim = Claim {
    name: "samples",
    says: "Rows sampled during an advance equal the states found by stepping, at exactly the requested instants.",
    run: by_hand,
};

/// Steps between two rows, and rows.
const STEPS_A_ROW: u64 = 10;
const ROWS: u64 = 50;

fn by_hand(subject: &Subject<'_>) -> Result<Evidence, String> {
    let scene = scenes::double_pendulum();
    let h = subject.step_s;
    let every_ns = (STEPS_A_ROW as f64 * h * 1e9).round() as i64;
    let mut sampled = subject.load(&scene.world)?;
    sampled.set_state(0.0, &scene.q, &scene.v).map_err(|e| e.to_string())?;
    let mut samples = Samples::new(sampled.layout(), every_ns, ROWS as usize);
    // Calls that do not end on rows, and one that ends on one.
    for until in [7, 233, 340, STEPS_A_ROW * ROWS] {
        sampled.advance(until as f64 * h, &scene.inputs, &mut samples).map_err(|e| e.to_string())?;
    }
    if samples.track.rows() as u64 != ROWS {
        return Err(format!("{ROWS} rows were requested, {} were recorded", samples.track.rows()));
    }

    let adaptive = subject.capabilities().adaptive;
    let mut stepped = subject.load(&scene.world)?;
    stepped.set_state(0.0, &scene.q, &scene.v).map_err(|e| e.to_string())?;
    let mut none = Samples::none(stepped.layout());
    let mut worst = 0.0f64;
    for row in 0..ROWS as usize {
        let time = ((row as i64 + 1) * every_ns) as f64 * 1e-9;
        if samples.track.times[row] != time {
            return Err(format!("row {row} was requested at {time:?} s and is at {:?} s", samples.track.times[row]));
        }
        if adaptive {
            stepped.advance(time, &scene.inputs, &mut none).map_err(|e| e.to_string())?;
        } else {
            for _ in 0..STEPS_A_ROW {
                stepped.step(&scene.inputs, f64::INFINITY).map_err(|e| e.to_string())?;
            }
        }
        worst = worst.max(difference(&samples, row, stepped.as_mut()));
        // An adaptive engine interpolates rows inside a step, to the accuracy of its dense output.
        let allowed = if adaptive { 1e-6 } else { 0.0 };
        if worst > allowed {
            return Err(format!("row {row} at {time} s differs by {worst:e} from the state stepped there by hand"));
        }
    }
    off_the_grid(subject)?;
    Ok(Evidence::Holds(format!("{ROWS} rows, largest difference {worst:.0e}")))
}

/// A fixed-step engine rejects instants between two steps instead of shifting them silently.
fn off_the_grid(subject: &Subject<'_>) -> Result<(), String> {
    if subject.capabilities().adaptive {
        return Ok(());
    }
    let scene = scenes::double_pendulum();
    let mut simulation = subject.load(&scene.world)?;
    simulation.set_state(0.0, &scene.q, &scene.v).map_err(|e| e.to_string())?;
    let every_ns = (2.5 * subject.step_s * 1e9).round() as i64;
    let mut samples = Samples::new(simulation.layout(), every_ns, 10);
    match simulation.advance(10.0 * subject.step_s, &scene.inputs, &mut samples) {
        Err(_) => Ok(()),
        Ok(_) => Err(format!("rows every 2.5 steps were accepted, at {:?} s", samples.track.times)),
    }
}

fn difference(samples: &Samples, row: usize, simulation: &mut dyn Simulation) -> f64 {
    let track = &samples.track;
    let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0f64, |worst, (x, y)| worst.max((x - y).abs()));
    let mut worst = apart(track.q(row), simulation.q()).max(apart(track.v(row), simulation.v()));
    for (slot, body) in trace::bodies(simulation).iter().enumerate() {
        let (p, r) = (body.world_from_body.translation, body.world_from_body.rotation);
        worst = worst.max(apart(track.pose(row, slot), &[p.x, p.y, p.z, r.w, r.i, r.j, r.k]));
        let (w, v) = (body.angular_velocity, body.linear_velocity);
        worst = worst.max(apart(track.twist(row, slot), &[w.x, w.y, w.z, v.x, v.y, v.z]));
    }
    worst
}
