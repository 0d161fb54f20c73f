//! Guards stop an advance at the crossing.

use super::scenes::{self, G, Scene};
use super::{Claim, Evidence, Subject};
use crate::capability::EventTime;
use crate::contract::Simulation;
use crate::guard::{Guard, GuardHit, Watched};
use crate::inputs::Wrench;
use crate::samples::Samples;
use std::slice;

pub(super) const TIME: Claim = Claim {
    name: "guard-time",
    says: "A falling body crosses a height and a speed when free fall predicts, within the bracket the engine declares.",
    run: time,
};

pub(super) const CHOICE: Claim = Claim {
    name: "guard-choice",
    says: "The first crossing in time wins, then the lowest index; wrong directions and leaving a level do not count.",
    run: choice,
};

pub(super) const SPIN: Claim = Claim {
    name: "guard-spin",
    says: "A body under a constant torque crosses a spin when the torque predicts.",
    run: spin,
};

pub(super) const GAP: Claim = Claim {
    name: "guard-gap",
    says: "The gap of a named pair can be watched, and closes when free fall predicts.",
    run: gap,
};

const HEIGHT: f64 = 1.0;
const LEVEL: f64 = 0.5;
const DOWN: i8 = -1;

fn start(subject: &Subject<'_>, scene: &Scene) -> Result<Box<dyn Simulation>, String> {
    let mut simulation = subject.load(&scene.world)?;
    simulation.set_state(0.0, &scene.q, &scene.v).map_err(|e| e.to_string())?;
    Ok(simulation)
}

/// Advances until one guard is hit and checks the hit against the exact time.
fn hit_at(
    subject: &Subject<'_>,
    scene: &Scene,
    guard: Guard,
    exact: f64,
) -> Result<(Box<dyn Simulation>, f64), String> {
    let h = subject.step_s;
    let mut simulation = start(subject, scene)?;
    let until = (2.0 * exact / h).ceil() * h;
    let hit = simulation.advance_until(until, slice::from_ref(&guard), &scene.inputs).map_err(|e| e.to_string())?;
    let GuardHit { time, error, .. } = hit.ok_or_else(|| format!("{guard:?} was not hit before {until} s"))?;
    let declared = match subject.capabilities().events {
        // Instants closer than this are one, at the resolution of hours counted in f64 seconds.
        EventTime::Located => 1e-9,
        EventTime::Bracketed => 0.5 * h * (1.0 + 1e-6),
    };
    if !(0.0..=declared).contains(&error) {
        return Err(format!("{guard:?}: the bracket of ±{error:e} s is wider than the declared ±{declared:e} s"));
    }
    // An engine of order 1 is half a step early or late in a fall from rest.
    if (time - exact).abs() > error + h {
        return Err(format!("{guard:?} was hit at {time} ± {error:e} s, closed form {exact} s"));
    }
    // The simulation is at the far end of the bracket, or where the crossing was located: never before the hit.
    if !(-1e-12..=2.0 * error + 1e-12).contains(&(simulation.time() - time)) {
        return Err(format!("the hit is at {time} ± {error:e} s, the simulation is at {} s", simulation.time()));
    }
    Ok((simulation, time - exact))
}

fn time(subject: &Subject<'_>) -> Result<Evidence, String> {
    let scene = scenes::falling(HEIGHT);
    let fall = (2.0 * (HEIGHT - LEVEL) / G).sqrt();
    let mut worst = 0.0f64;
    for watched in [Watched::BodyCoordinate { body: 0, axis: 2 }, Watched::Position(2)] {
        let guard = Guard { watched, level: LEVEL, direction: DOWN };
        let (mut simulation, off) = hit_at(subject, &scene, guard, fall)?;
        worst = worst.max(off.abs());
        if simulation.q()[2] > LEVEL {
            return Err(format!("after the hit the body is at {}, not beyond {LEVEL}", simulation.q()[2]));
        }
        // On to a step's end, and the motion is still the fall.
        let until = (0.4 / subject.step_s).round() * subject.step_s;
        let mut none = Samples::none(simulation.layout());
        simulation.advance(until, &scene.inputs, &mut none).map_err(|e| format!("after a hit: {e}"))?;
        let expected = HEIGHT - 0.5 * G * until * until;
        if simulation.time() != until || (simulation.q()[2] - expected).abs() > 2.0 * G * until * subject.step_s {
            return Err(format!(
                "after a hit and an advance to {until} s it is at {} s, height {} (closed form {expected})",
                simulation.time(),
                simulation.q()[2]
            ));
        }
    }
    let speed = Guard { watched: Watched::Speed(5), level: -2.0, direction: DOWN };
    worst = worst.max(hit_at(subject, &scene, speed, 2.0 / G)?.1.abs());

    let mut simulation = start(subject, &scene)?;
    let until = (0.2 / subject.step_s).round() * subject.step_s;
    let far = Guard { watched: Watched::Position(2), level: LEVEL, direction: DOWN };
    let none = simulation.advance_until(until, &[far], &scene.inputs).map_err(|e| e.to_string())?;
    if none.is_some() || simulation.time() != until {
        return Err(format!("a guard out of reach gave {none:?} and left the simulation at {} s", simulation.time()));
    }
    Ok(Evidence::Holds(format!("{:?}, off by at most {worst:.0e} s", subject.capabilities().events)))
}

fn choice(subject: &Subject<'_>) -> Result<Evidence, String> {
    let scene = scenes::falling(HEIGHT);
    let at = |level: f64, direction: i8| Guard { watched: Watched::Position(2), level, direction };
    let cases: [(&str, Vec<Guard>, usize); 5] = [
        ("the nearer of two levels", vec![at(0.2, DOWN), at(0.5, DOWN)], 1),
        ("the lower index of two alike", vec![at(0.5, 0), at(0.5, DOWN)], 0),
        ("a level crossed the other way", vec![at(0.7, 1), at(0.5, DOWN)], 1),
        ("leaving a level", vec![at(HEIGHT, DOWN), at(0.5, DOWN)], 1),
        ("both directions", vec![at(0.2, 0), at(0.6, 0)], 1),
    ];
    for (what, guards, expected) in &cases {
        let mut simulation = start(subject, &scene)?;
        let hit = simulation.advance_until(1.0, guards, &scene.inputs).map_err(|e| e.to_string())?;
        if hit.map(|h| h.guard) != Some(*expected) {
            return Err(format!("{what}: guard {expected} of {guards:?} was expected, found {hit:?}"));
        }
    }
    // Stopped at a level, the same guard does not fire again.
    let mut simulation = start(subject, &scene)?;
    let once = [at(0.5, DOWN)];
    simulation.advance_until(1.0, &once, &scene.inputs).map_err(|e| e.to_string())?;
    let again = simulation.advance_until(1.0, &once, &scene.inputs).map_err(|e| e.to_string())?;
    if again.is_some() {
        return Err(format!("a level crossed once was hit again: {again:?}"));
    }
    Ok(Evidence::Holds(format!("{} cases", cases.len() + 1)))
}

fn spin(subject: &Subject<'_>) -> Result<Evidence, String> {
    let mut scene = scenes::drifting(veracity_model::Vec3::zeros());
    let s = scenes::BOX_SIZE;
    let inertia = scenes::BOX_MASS * (s.x * s.x + s.y * s.y) / 12.0;
    let (torque, level) = (0.01, -0.3);
    scene.inputs.wrenches = vec![Wrench { body: 0, force: [0.0; 3], torque: [0.0, 0.0, -torque] }];
    let guard = Guard { watched: Watched::BodySpin { body: 0, axis: 2 }, level, direction: DOWN };
    let (_, off) = hit_at(subject, &scene, guard, -level * inertia / torque)?;
    Ok(Evidence::Holds(format!("off by {off:.0e} s")))
}

fn gap(subject: &Subject<'_>) -> Result<Evidence, String> {
    if !subject.capabilities().gaps {
        return Ok(Evidence::DoesNotApply("the engine reports no gaps".to_string()));
    }
    let level = 0.3;
    let guard = Guard { watched: Watched::Gap(0), level, direction: DOWN };
    let fall = (2.0 * (1.0 - scenes::RADIUS - level) / G).sqrt();
    let (_, off) = hit_at(subject, &scenes::passing(), guard, fall)?;
    Ok(Evidence::Holds(format!("off by {off:.0e} s")))
}
