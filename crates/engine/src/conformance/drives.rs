//! Joint drives: a spring and damper to a target, inside the engine.

use super::loads::{SOLVED, close, run};
use super::scenes::{self, G, LINK_ARM, LINK_MASS, SLIDER_MASS, Scene};
use super::{Claim, Evidence, Subject};
use crate::capability::DriveForm;
use crate::inputs::JointDrive;

pub(super) const HOLD: Claim = Claim {
    name: "drive-holds",
    says: "A drive holds a link against gravity where its spring balances the weight.",
    run: hold,
};

pub(super) const LAW: Claim = Claim {
    name: "drive-law",
    says: "Gains, target speed, feed-forward and bound of a drive each act as the formula says.",
    run: law,
};

pub(super) const FORM: Claim = Claim {
    name: "drive-form",
    says: "A drive acts within the step as declared: explicit ones blow up at kd h / m = 2.4, others do not; implicit ones never.",
    run: form,
};

fn without(subject: &Subject<'_>) -> Option<Evidence> {
    let none = subject.capabilities().drives == DriveForm::None;
    none.then(|| Evidence::DoesNotApply("the engine has no drives".to_string()))
}

fn hold(subject: &Subject<'_>) -> Result<Evidence, String> {
    if let Some(evidence) = without(subject) {
        return Ok(evidence);
    }
    let (kp, target) = (200.0, 0.7);
    let mut scene = scenes::pendulum(0.0, 0.0);
    scene.inputs.drives = vec![JointDrive { kp, kd: 40.0, target, ..scenes::drive(0) }];
    // Where the spring balances the weight: kp (target - q) = m g l sin q, by bisection.
    let (mut low, mut high) = (0.0f64, target);
    for _ in 0..60 {
        let q = 0.5 * (low + high);
        let left = kp * (target - q) - LINK_MASS * G * LINK_ARM * libm::sin(q);
        if left > 0.0 { low = q } else { high = q }
    }
    // kd / kp = 0.2 s is the time constant: after 4 s e⁻²⁰ of the start is left. A place of rest does not depend on the
    // step; an iterative solver may hold it slightly off.
    let steps = (4.0 / subject.step_s).round() as u64;
    let simulation = run(subject, &scene, steps)?;
    let off = close("the link held by a drive", simulation.q()[0], low, 1e-3)?;
    close("the speed of the link held by a drive", simulation.v()[0], 0.0, 1e-3)?;
    Ok(Evidence::Holds(format!("off by {off:.0e} rad")))
}

fn law(subject: &Subject<'_>) -> Result<Evidence, String> {
    if let Some(evidence) = without(subject) {
        return Ok(evidence);
    }
    let (m, steps) = (SLIDER_MASS, 100);
    let t = steps as f64 * subject.step_s;
    let driven = |drive: JointDrive, x: f64| -> Scene {
        let mut scene = scenes::slider(x, 0.0);
        scene.inputs.drives = vec![drive];
        scene
    };
    let rest = scenes::drive(0);
    let bound = JointDrive { kp: 1e4, target: 5.0, max_effort: 4.0, ..rest };
    let omega = (50.0 / m).sqrt();
    let cases = [
        ("feed-forward", driven(JointDrive { feed_forward: 3.0, ..rest }, 0.0), 3.0 / m * t),
        ("kp", driven(JointDrive { kp: 50.0, target: 0.3, ..rest }, 0.1), 0.2 * omega * libm::sin(omega * t)),
        (
            "kd",
            driven(JointDrive { kd: 10.0, target_speed: 0.5, ..rest }, 0.0),
            0.5 * (1.0 - libm::exp(-10.0 / m * t)),
        ),
        ("the bound", driven(bound, 0.0), 4.0 / m * t),
    ];
    for (what, scene, speed) in cases {
        let found = run(subject, &scene, steps)?.v()[0];
        // Order 1: the rates here are up to 5 1/s, so 1e-3 s of step is off by half a percent.
        close(&format!("under a drive's {what}, the speed"), found, speed, (0.02 + SOLVED) * speed.abs())?;
    }
    Ok(Evidence::Holds("feed-forward, kp, kd, bound".to_string()))
}

fn form(subject: &Subject<'_>) -> Result<Evidence, String> {
    if let Some(evidence) = without(subject) {
        return Ok(evidence);
    }
    let (h, m) = (subject.step_s, SLIDER_MASS);
    let declared = subject.capabilities().drives;
    // Speed after 40 steps of pure damping from 1 m/s, in units of kd h / m. Evaluated at the beginning of the step it
    // is multiplied by 1 - 2.4 each time; at the end by 1 / 3.4; along a Runge-Kutta step by 0.5.
    let damped = |strength: f64| -> Result<f64, String> {
        let mut scene = scenes::slider(0.0, 1.0);
        scene.inputs.drives = vec![JointDrive { kd: strength * m / h, ..scenes::drive(0) }];
        match run(subject, &scene, 40) {
            Ok(simulation) => Ok(simulation.v()[0].abs()),
            // A motion that became non-finite has blown up too.
            Err(trouble) if trouble.starts_with("at t =") => Ok(f64::INFINITY),
            Err(other) => Err(other),
        }
    };
    let strong = damped(2.4)?;
    match declared {
        DriveForm::Explicit if strong < 1.0 => {
            return Err(format!("declared explicit, but kd h / m = 2.4 leaves {strong:e} m/s of 1 m/s"));
        }
        DriveForm::Continuous | DriveForm::Implicit if strong > 0.5 => {
            return Err(format!("declared {declared:?}, but kd h / m = 2.4 leaves {strong:e} m/s of 1 m/s"));
        }
        _ => {}
    }
    if declared != DriveForm::Implicit {
        return Ok(Evidence::Holds(format!("{declared:?}: kd h / m = 2.4 leaves {strong:.0e} m/s of 1 m/s")));
    }
    let huge = damped(1e3)?;
    // A spring with kp h² / m = 1000 from 0.1 m must not swing farther than it began.
    let mut scene = scenes::slider(0.1, 0.0);
    scene.inputs.drives = vec![JointDrive { kp: 1e3 * m / (h * h), ..scenes::drive(0) }];
    let place = run(subject, &scene, 40)?.q()[0].abs();
    if huge > 0.5 || place > 0.1 {
        return Err(format!(
            "declared implicit, but kd h / m = 1000 leaves {huge:e} m/s of 1 m/s and kp h² / m = 1000 {place:e} m of 0.1 m"
        ));
    }
    Ok(Evidence::Holds(format!("Implicit: kd h / m = 1000 leaves {huge:.0e} m/s of 1 m/s")))
}
