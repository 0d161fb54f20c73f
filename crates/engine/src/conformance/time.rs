//! Time is counted, never summed; how an advance is cut into calls does not matter.

use super::trace::Trace;
use super::{Claim, Evidence, Subject, scenes};
use crate::contract::Simulation;
use crate::samples::Samples;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub(super) const EXACT: Claim = Claim {
    name: "time-exact",
    says: "Time after n steps is start + n x step to the bit, and an advance ends at the requested time.",
    run: exact,
};

pub(super) const UNEVEN: Claim = Claim {
    name: "time-uneven",
    says: "A time between two steps, in the past or not a number is an error and moves nothing.",
    run: uneven,
};

pub(super) const LIMIT: Claim = Claim {
    name: "step-limit",
    says: "A single step with a limit that is shorter than the step or not positive is an error that moves nothing; an \
           adaptive engine stays within the limit.",
    run: limit,
};

pub(super) const BATCHING: Claim = Claim {
    name: "batching",
    says: "One long advance, many short ones and single steps give the same motion: to the bit with fixed steps.",
    run: batching,
};

pub(super) const STOP: Claim = Claim {
    name: "stop",
    says: "An advance that is asked to stop returns at once, at the present state.",
    run: stop,
};

/// Not exact in binary, so that a running sum would differ.
const START: f64 = 0.3;
const STEPS: u64 = 1000;

fn exact(subject: &Subject<'_>) -> Result<Evidence, String> {
    let scene = scenes::double_pendulum();
    let mut simulation = subject.load(&scene.world)?;
    simulation.set_state(START, &scene.q, &scene.v).map_err(|e| e.to_string())?;
    let adaptive = subject.capabilities().adaptive;
    let at = |n: u64| START + n as f64 * subject.step_s;
    let mut none = Samples::none(simulation.layout());
    let check = |simulation: &dyn Simulation, n: u64, how: &str| match simulation.time() {
        t if t == at(n) => Ok(()),
        t => Err(format!(
            "after {n} steps of {} s from {START} s, {how}, time is {t:?}, not {:?}",
            subject.step_s,
            at(n)
        )),
    };
    for n in 1..=STEPS / 2 {
        if adaptive {
            simulation.advance(at(n), &scene.inputs, &mut none).map_err(|e| e.to_string())?;
        } else {
            let advance = simulation.step(&scene.inputs, f64::INFINITY).map_err(|e| e.to_string())?;
            if advance.steps != 1 {
                return Err(format!("one step was reported as {}", advance.steps));
            }
        }
        check(simulation.as_ref(), n, "one at a time")?;
    }
    let advance = simulation.advance(at(STEPS), &scene.inputs, &mut none).map_err(|e| e.to_string())?;
    check(simulation.as_ref(), STEPS, "at once")?;
    if !adaptive && advance.steps != STEPS / 2 {
        return Err(format!("{} steps at once were reported as {}", STEPS / 2, advance.steps));
    }
    // An advance to the present takes no step.
    let none_left = simulation.advance(at(STEPS), &scene.inputs, &mut none).map_err(|e| e.to_string())?;
    if none_left.steps != 0 {
        return Err(format!("an advance to the present took {} steps", none_left.steps));
    }
    check(simulation.as_ref(), STEPS, "and an advance to the present")?;
    Ok(Evidence::Holds(format!("{STEPS} steps from {START} s end at {:?} s", at(STEPS))))
}

fn limit(subject: &Subject<'_>) -> Result<Evidence, String> {
    let scene = scenes::double_pendulum();
    let mut simulation = subject.load(&scene.world)?;
    simulation.set_state(START, &scene.q, &scene.v).map_err(|e| e.to_string())?;
    // As the engine stored it: maximal coordinates change a start state by rounding.
    let before = simulation.q().to_vec();
    let half = 0.5 * subject.step_s;
    for wrong in [0.0, -1.0, f64::NAN] {
        if simulation.step(&scene.inputs, wrong).is_ok() {
            return Err(format!("a step under a limit of {wrong} s was taken"));
        }
    }
    if subject.capabilities().adaptive {
        simulation.step(&scene.inputs, half).map_err(|e| e.to_string())?;
        let advanced = simulation.time() - START;
        let within = advanced > 0.0 && advanced <= half * (1.0 + 1e-6);
        return if within {
            Ok(Evidence::Holds(format!("{advanced:e} s under a limit of {half:e} s")))
        } else {
            Err(format!("a step under a limit of {half} s took {advanced} s"))
        };
    }
    if simulation.step(&scene.inputs, half).is_ok() {
        return Err(format!("a limit of {half} s was ignored: the step is {} s", subject.step_s));
    }
    if (simulation.time(), simulation.q()) != (START, &before[..]) {
        return Err(format!("a refused step moved the simulation to {} s", simulation.time()));
    }
    simulation.step(&scene.inputs, subject.step_s).map_err(|e| e.to_string())?;
    Ok(Evidence::Holds(format!("a limit of half a step of {} s is rejected", subject.step_s)))
}

fn uneven(subject: &Subject<'_>) -> Result<Evidence, String> {
    let scene = scenes::double_pendulum();
    let mut simulation = subject.load(&scene.world)?;
    simulation.set_state(START, &scene.q, &scene.v).map_err(|e| e.to_string())?;
    let h = subject.step_s;
    simulation
        .advance(START + 10.0 * h, &scene.inputs, &mut Samples::none(simulation.layout()))
        .map_err(|e| e.to_string())?;
    let now = simulation.time();
    let mut bad = vec![START, now - h, f64::NAN, f64::INFINITY];
    if !subject.capabilities().adaptive {
        bad.extend([now + 0.5 * h, now + 10.3 * h]);
    }
    let mut before = Trace::default();
    before.look(simulation.as_mut());
    for until in bad {
        let mut none = Samples::none(simulation.layout());
        if simulation.advance(until, &scene.inputs, &mut none).is_ok() {
            return Err(format!("at {now} s, an advance to {until} s was accepted with steps of {h} s"));
        }
        if simulation.advance_until(until, &[], &scene.inputs).is_ok() {
            return Err(format!("at {now} s, advance_until {until} s was accepted with steps of {h} s"));
        }
        let mut after = Trace::default();
        after.look(simulation.as_mut());
        if after != before {
            return Err(format!("a rejected advance from {now} s to {until} s moved the simulation"));
        }
    }
    Ok(Evidence::Holds("rejected, and nothing moved".to_string()))
}

fn batching(subject: &Subject<'_>) -> Result<Evidence, String> {
    let scene = scenes::double_pendulum();
    let run = |pieces: u64, singly: bool| -> Result<Trace, String> {
        let mut simulation = subject.load(&scene.world)?;
        simulation.set_state(0.0, &scene.q, &scene.v).map_err(|e| e.to_string())?;
        let mut none = Samples::none(simulation.layout());
        let total = 300;
        for piece in 1..=pieces {
            if singly {
                simulation.step(&scene.inputs, f64::INFINITY).map_err(|e| e.to_string())?;
                continue;
            }
            let until = (piece * (total / pieces)) as f64 * subject.step_s;
            simulation.advance(until, &scene.inputs, &mut none).map_err(|e| e.to_string())?;
        }
        let mut trace = Trace::default();
        trace.look(simulation.as_mut());
        Ok(trace)
    };
    let whole = run(1, false)?;
    let parts = [run(3, false)?, run(100, false)?];
    if subject.capabilities().adaptive {
        // A step must end where a call ends: other steps, the same motion to the tolerance of the integrator. The scene
        // doubles an error about every 0.3 s; 1e-6 is far above any useful tolerance and far below a lost piece.
        let off = parts.iter().fold(0.0f64, |worst, p| worst.max(whole.distance(p)));
        return if off <= 1e-6 {
            Ok(Evidence::Holds(format!("adaptive: calls of other lengths end {off:.0e} apart")))
        } else {
            Err(format!("calls of other lengths end {off:e} apart"))
        };
    }
    let singly = run(300, true)?;
    match parts.iter().chain([&singly]).find(|p| **p != whole) {
        None => Ok(Evidence::Holds("1, 3, 100 calls and 300 steps end in the same bits".to_string())),
        Some(other) => Err(format!("calls of other lengths end {:e} apart", whole.distance(other))),
    }
}

fn stop(subject: &Subject<'_>) -> Result<Evidence, String> {
    let scene = scenes::double_pendulum();
    let mut simulation = subject.load(&scene.world)?;
    simulation.set_state(0.0, &scene.q, &scene.v).map_err(|e| e.to_string())?;
    let mut samples = Samples::new(simulation.layout(), 1_000_000, 8);
    samples.set_stop(Arc::new(AtomicBool::new(true)));
    let advance =
        simulation.advance(100.0 * subject.step_s, &scene.inputs, &mut samples).map_err(|e| e.to_string())?;
    if advance.steps != 0 || simulation.time() != 0.0 || samples.track.rows() != 0 {
        return Err(format!("asked to stop before it began, it took {} steps", advance.steps));
    }
    Ok(Evidence::Holds("no step after the request".to_string()))
}
