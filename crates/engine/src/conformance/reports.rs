//! What an engine reports about its motion is correct, and it reports no more than it declared.

use super::loads::{SOLVED, close, run};
use super::scenes::{self, G, LINK_ARM, LINK_MASS};
use super::{Claim, Evidence, Subject};

pub(super) const REACTIONS: Claim = Claim {
    name: "reactions",
    says: "The hinge of a hanging link at rest carries its weight; an engine without reactions says so.",
    run: reactions,
};

pub(super) const ACCELERATIONS: Claim = Claim {
    name: "accelerations",
    says: "A link released from the side has the acceleration due to its weight; an engine without accelerations says so.",
    run: accelerations,
};

pub(super) const OWN_ENERGY: Claim = Claim {
    name: "own-energy",
    says: "An energy the engine reports is kinetic plus potential energy.",
    run: own_energy,
};

pub(super) const TOTALS: Claim =
    Claim { name: "totals", says: "Counts begin at zero with a state and count every step.", run: totals };

pub(super) const GAPS: Claim = Claim {
    name: "gaps",
    says: "The gap of a named pair is the distance of its shapes now, and the least gap that of any step since the start.",
    run: gaps,
};

fn reactions(subject: &Subject<'_>) -> Result<Evidence, String> {
    let scene = scenes::pendulum(0.0, 0.0);
    let mut simulation = run(subject, &scene, 100)?;
    let mut out = [([0.0; 3], [0.0; 3])];
    let reported = simulation.reactions(&scene.inputs, &mut out);
    if reported != subject.capabilities().reactions {
        return Err(format!("reactions are declared {}, but reported {reported}", subject.capabilities().reactions));
    }
    if !reported {
        return Ok(Evidence::DoesNotApply("the engine reports none".to_string()));
    }
    let ([fx, fy, fz], torque) = out[0];
    let weight = LINK_MASS * G;
    // At rest nothing depends on the step; an iterative solver may be a little off.
    close("the vertical force in the hinge", fz, weight, SOLVED * weight)?;
    let rest = [fx, fy, torque[0], torque[1], torque[2]].into_iter().fold(0.0f64, |m, x| m.max(x.abs()));
    close("the rest of the wrench in the hinge", rest, 0.0, SOLVED * weight)?;
    Ok(Evidence::Holds(format!("{fz:.6} N for a weight of {weight} N")))
}

fn accelerations(subject: &Subject<'_>) -> Result<Evidence, String> {
    let side = std::f64::consts::FRAC_PI_2;
    let scene = scenes::pendulum(side, 0.0);
    let mut simulation = run(subject, &scene, 1)?;
    let mut out = [([0.0; 3], [0.0; 3])];
    let reported = simulation.accelerations(&scene.inputs, &mut out);
    if reported != subject.capabilities().accelerations {
        let declared = subject.capabilities().accelerations;
        return Err(format!("accelerations are declared {declared}, but reported {reported}"));
    }
    if !reported {
        return Ok(Evidence::DoesNotApply("the engine reports none".to_string()));
    }
    let alpha = -LINK_MASS * G * LINK_ARM / scenes::link_inertia();
    // One step after the release: the arm is still level to 1e-5.
    close("the link's angular acceleration", out[0].0[1], alpha, 2.0 * SOLVED * alpha.abs())?;
    // The body's frame is at the hinge.
    let linear = out[0].1.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    close("the linear acceleration of the hinge", linear, 0.0, 2.0 * SOLVED * alpha.abs())?;
    Ok(Evidence::Holds(format!("{:.4} rad/s², closed form {alpha:.4}", out[0].0[1])))
}

fn own_energy(subject: &Subject<'_>) -> Result<Evidence, String> {
    // Two states that no motion connects, because conservation would hide a wrong energy.
    let states = [(1.0, 0.0), (0.3, 2.0)];
    let scene = scenes::pendulum(0.0, 0.0);
    let mut simulation = subject.load(&scene.world)?;
    let mut energies = [0.0; 2];
    for (energy, (q, v)) in energies.iter_mut().zip(states) {
        simulation.set_state(0.0, &[q], &[v]).map_err(|e| e.to_string())?;
        let Some(own) = simulation.own_energy() else {
            return Ok(Evidence::DoesNotApply("the engine reports no energy".to_string()));
        };
        *energy = own;
    }
    let weight = LINK_MASS * G * LINK_ARM;
    let energy = |(q, v): (f64, f64)| 0.5 * scenes::link_inertia() * v * v - weight * libm::cos(q);
    let expected = energy(states[1]) - energy(states[0]);
    let off = close("the difference of the engine's energies", energies[1] - energies[0], expected, 1e-9 * weight)?;
    Ok(Evidence::Holds(format!("off by {off:.0e} J")))
}

fn totals(subject: &Subject<'_>) -> Result<Evidence, String> {
    let scene = scenes::double_pendulum();
    let mut simulation = run(subject, &scene, 50)?;
    let steps = simulation.totals().steps;
    if !subject.capabilities().adaptive && steps != 50 {
        return Err(format!("50 steps were counted as {steps}"));
    }
    if steps == 0 {
        return Err("no step was counted".to_string());
    }
    simulation.set_state(0.0, &scene.q, &scene.v).map_err(|e| e.to_string())?;
    match simulation.totals() {
        t if t == Default::default() => Ok(Evidence::Holds(format!("{steps} steps"))),
        t => Err(format!("after setting a state the counts begin with {t:?}")),
    }
}

fn gaps(subject: &Subject<'_>) -> Result<Evidence, String> {
    if !subject.capabilities().gaps {
        return Ok(Evidence::DoesNotApply("the engine reports none".to_string()));
    }
    // A ball thrown up from 0.5 m above the plate: the least gap is at the start, the present one higher.
    let mut scene = scenes::passing();
    scene.q[2] = 0.5;
    scene.v[5] = 2.0;
    let mut simulation = run(subject, &scene, 200)?;
    let (mut now, mut least) = ([f64::NAN], [f64::NAN]);
    simulation.gaps(&mut now);
    simulation.least_gaps(&mut least);
    let height = simulation.q()[2];
    close("the gap now", now[0], height - scenes::RADIUS, subject.rounding(1e-9))?;
    // The start counts too.
    close("the least gap", least[0], 0.5 - scenes::RADIUS, subject.rounding(1e-9))?;
    // Under upward gravity, a ball thrown down turns back: the least gap is in the middle of one long call.
    scene.world.gravity.z = G;
    (scene.q[2], scene.v[5]) = (1.0, -3.0);
    let mut simulation = run(subject, &scene, 600)?;
    simulation.gaps(&mut now);
    simulation.least_gaps(&mut least);
    // Order 1 is off by a step's motion.
    let turning = 1.0 - scenes::RADIUS - 0.5 * 9.0 / G;
    close("the least gap of a ball that turned back", least[0], turning, 3.0 * subject.step_s)?;
    Ok(Evidence::Holds(format!("{:.4} m now, {:.4} m least", now[0], least[0])))
}
