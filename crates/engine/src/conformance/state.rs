//! A state that is set is the state that is read.

use super::scenes;
use super::{Claim, Evidence, Subject};
use crate::contract::{LoadOptions, Simulation};
use crate::error::LoadError;

pub(super) const READ_BACK: Claim = Claim {
    name: "state-read-back",
    says: "A state that is set is read back, for every kind of joint the engine loads, at least revolute, prismatic and \
           free.",
    run: read_back,
};

pub(super) const REFUSED: Claim = Claim {
    name: "state-refused",
    says: "A state of the wrong size or with NaN or infinity is an error and changes nothing.",
    run: refused,
};

/// Converting joint coordinates of about a metre into poses and back costs some roundings of 2e-16; this allows a
/// hundred thousand of them and is far below anything that matters.
const ROUNDING: f64 = 1e-10;

/// Largest difference of two states; a quaternion and its negative are one rotation.
fn difference(a: (&[f64], &[f64]), b: (&[f64], &[f64])) -> f64 {
    let worst =
        |x: &[f64], y: &[f64], sign: f64| x.iter().zip(y).fold(0.0f64, |m, (p, q)| m.max((p - sign * q).abs()));
    let n = a.0.len();
    // In the scenes with a quaternion it is the last four positions.
    let direct = worst(a.0, b.0, 1.0);
    let flipped = if n > 4 {
        worst(&a.0[..n - 4], &b.0[..n - 4], 1.0).max(worst(&a.0[n - 4..], &b.0[n - 4..], -1.0))
    } else {
        direct
    };
    direct.min(flipped).max(worst(a.1, b.1, 1.0))
}

fn read_back(subject: &Subject<'_>) -> Result<Evidence, String> {
    let (mut worst, mut absent) = (0.0f64, Vec::new());
    let rounding = subject.rounding(ROUNDING);
    for scene in scenes::every_joint_kind() {
        let kind = scene.world.name.as_str();
        let options = LoadOptions { step_s: subject.step_s };
        let mut simulation = match subject.engine.load(&scene.world, subject.settings, &options) {
            Ok(simulation) => simulation,
            Err(LoadError::Unsupported(_)) if !["revolute", "prismatic", "free"].contains(&kind) => {
                absent.push(kind.to_string());
                continue;
            }
            Err(e) => return Err(format!("cannot load a {kind} joint: {e}")),
        };
        let changed = simulation.set_state(0.25, &scene.q, &scene.v).map_err(|e| format!("{kind}: {e}"))?;
        if simulation.time() != 0.25 {
            return Err(format!("{kind}: time 0.25 was read back as {}", simulation.time()));
        }
        let off = difference((simulation.q(), simulation.v()), (&scene.q, &scene.v));
        if !(off <= rounding && changed <= rounding) {
            let (q, v) = (simulation.q(), simulation.v());
            return Err(format!(
                "{kind}: q {:?}, v {:?} were read back as {q:?}, {v:?} (reported change {changed:e})",
                scene.q, scene.v
            ));
        }
        worst = worst.max(off);
    }
    let absent = if absent.is_empty() { String::new() } else { format!("; not loaded: {}", absent.join(", ")) };
    Ok(Evidence::Holds(format!("largest change {worst:.0e}{absent}")))
}

fn refused(subject: &Subject<'_>) -> Result<Evidence, String> {
    let scene = scenes::double_pendulum();
    let mut simulation = subject.load(&scene.world)?;
    simulation.set_state(0.5, &scene.q, &scene.v).map_err(|e| e.to_string())?;
    let nan = f64::NAN;
    let bad: [(f64, &[f64], &[f64]); 7] = [
        (0.0, &[1.0], &scene.v),
        (0.0, &scene.q, &[1.0, 2.0, 3.0]),
        (0.0, &[nan, 0.5], &scene.v),
        (0.0, &scene.q, &[f64::INFINITY, 0.0]),
        (nan, &scene.q, &scene.v),
        (f64::INFINITY, &scene.q, &scene.v),
        (0.0, &[], &[]),
    ];
    let shown = |s: &dyn Simulation| (s.time(), s.q().to_vec(), s.v().to_vec());
    let before = shown(simulation.as_ref());
    for (time, q, v) in bad {
        if simulation.set_state(time, q, v).is_ok() {
            return Err(format!("t = {time}, q = {q:?}, v = {v:?} was accepted"));
        }
        if shown(simulation.as_ref()) != before {
            return Err(format!("rejecting t = {time}, q = {q:?}, v = {v:?} changed the state"));
        }
    }
    Ok(Evidence::Holds(format!("{} bad states rejected", bad.len())))
}
