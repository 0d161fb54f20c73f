//! The same start gives the same motion.

use super::scenes::{self, Scene};
use super::trace::{Trace, follow};
use super::{Claim, Evidence, Subject};
use crate::capability::DriveForm;

pub(super) const DETERMINISTIC: Claim =
    Claim { name: "deterministic", says: "Two simulations of one world give the same bits.", run: deterministic };

pub(super) const ANEW: Claim = Claim {
    name: "start-anew",
    says: "Setting a state discards all history: the simulation moves like one just loaded.",
    run: anew,
};

const PIECES: u64 = 60;

/// Every named scene the engine's capabilities cover.
pub(super) fn scenes_in_reach(subject: &Subject<'_>) -> Vec<(&'static str, Scene)> {
    let can = subject.capabilities();
    let reached = |name: &str| match name {
        "driven" => can.drives != DriveForm::None,
        "passing" => can.gaps,
        "resting" => can.contact,
        _ => true,
    };
    scenes::NAMED.iter().filter(|(name, _)| reached(name)).map(|(name, make)| (*name, make())).collect()
}

fn fresh_run(subject: &Subject<'_>, scene: &Scene) -> Result<Trace, String> {
    let mut simulation = subject.load(&scene.world)?;
    simulation.set_state(0.0, &scene.q, &scene.v).map_err(|e| e.to_string())?;
    follow(simulation.as_mut(), &scene.inputs, subject.step_s, 0..PIECES, 0.0)
}

fn deterministic(subject: &Subject<'_>) -> Result<Evidence, String> {
    if !subject.capabilities().deterministic {
        return Ok(Evidence::DoesNotApply("the engine does not claim determinism".to_string()));
    }
    let mut bits = 0;
    for (name, scene) in scenes_in_reach(subject) {
        let (a, b) = (fresh_run(subject, &scene)?, fresh_run(subject, &scene)?);
        if a != b {
            return Err(format!("{name}: two runs end {:e} apart", a.distance(&b)));
        }
        bits += 64 * a.bits.len();
    }
    Ok(Evidence::Holds(format!("{bits} bits the same")))
}

fn anew(subject: &Subject<'_>) -> Result<Evidence, String> {
    if !subject.capabilities().deterministic {
        return Ok(Evidence::DoesNotApply("two runs of this engine differ anyway".to_string()));
    }
    for (name, scene) in scenes_in_reach(subject) {
        let fresh = fresh_run(subject, &scene)?;
        let mut simulation = subject.load(&scene.world)?;
        let state: Vec<f64> = scene.v.iter().map(|v| 2.0 * v + 0.1).collect();
        simulation.set_state(0.7, &scene.q, &state).map_err(|e| e.to_string())?;
        follow(simulation.as_mut(), &scene.inputs, subject.step_s, 0..PIECES / 2, 0.7)?;
        simulation.set_state(0.0, &scene.q, &scene.v).map_err(|e| e.to_string())?;
        let again = follow(simulation.as_mut(), &scene.inputs, subject.step_s, 0..PIECES, 0.0)?;
        if again != fresh {
            return Err(format!(
                "{name}: after another motion the run differs from a fresh one by {:e}, or its counts differ",
                fresh.distance(&again)
            ));
        }
    }
    Ok(Evidence::Holds("equal to a fresh run, counts included".to_string()))
}
