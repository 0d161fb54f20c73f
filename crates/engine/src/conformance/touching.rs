//! Bounce, friction and joint limits.

use super::loads::close;
use super::scenes::{self, G, SLIDER_MASS, Scene};
use super::{Claim, Evidence, Subject};
use crate::contract::{LoadOptions, Simulation};
use crate::error::LoadError;
use crate::samples::Samples;
use veracity_model::Vec3;

pub(super) const BOUNCE: Claim = Claim {
    name: "contact-bounce",
    says: "A ball of restitution 1/2 rises to a quarter of the height it fell from; one of restitution 0 does not rise.",
    run: bounce,
};

pub(super) const FRICTION: Claim = Claim {
    name: "contact-friction",
    says: "A box on a slope stays below the angle of friction, and slides above it with Coulomb's acceleration.",
    run: friction,
};

pub(super) const LIMIT: Claim =
    Claim { name: "limit-held", says: "A sled pushed against its limit stays there.", run: limit };

pub(super) const DRY: Claim = Claim {
    name: "dry-friction",
    says: "A sled with dry friction stays under a smaller effort, and accelerates with the excess under a larger one.",
    run: dry,
};

fn start(subject: &Subject<'_>, scene: &Scene) -> Result<Box<dyn Simulation>, String> {
    let mut simulation = subject.load(&scene.world)?;
    simulation.set_state(0.0, &scene.q, &scene.v).map_err(|e| e.to_string())?;
    Ok(simulation)
}

fn advance(simulation: &mut dyn Simulation, scene: &Scene, until: f64) -> Result<(), String> {
    let mut none = Samples::none(simulation.layout());
    simulation.advance(until, &scene.inputs, &mut none).map(|_| ()).map_err(|e| e.to_string())
}

fn no_contact() -> Evidence {
    Evidence::DoesNotApply("the engine has no contact".to_string())
}

fn bounce(subject: &Subject<'_>) -> Result<Evidence, String> {
    if !subject.capabilities().contact {
        return Ok(no_contact());
    }
    let (h, drop) = (subject.step_s, 0.2);
    let fall = (2.0 * drop / G).sqrt();
    let mut heights = String::new();
    for restitution in [0.0, 0.5] {
        let scene = scenes::ball_above_ground(drop, restitution);
        let mut simulation = start(subject, &scene)?;
        let first = ((fall + 5.0 * h) / h).ceil() as u32;
        let last = ((fall * (1.0 + 2.0 * restitution) + 5.0 * h) / h).floor() as u32;
        let mut highest = f64::NEG_INFINITY;
        for n in first..last.max(first + 1) {
            advance(simulation.as_mut(), &scene, f64::from(n) * h)?;
            highest = highest.max(simulation.q()[2] - scenes::RADIUS);
        }
        // The impact may be a step off: that much of the fall's speed is gained or lost.
        let expected = restitution * restitution * drop;
        let speed = (2.0 * G * drop).sqrt();
        close("the height after the bounce", highest, expected, 3.0 * speed * h)?;
        heights += &format!("{highest:.4} m of {expected} m; ");
    }
    Ok(Evidence::Holds(heights.trim_end_matches("; ").to_string()))
}

fn friction(subject: &Subject<'_>) -> Result<Evidence, String> {
    if !subject.capabilities().contact {
        return Ok(no_contact());
    }
    let (mu, second) = (0.5f64, (1.0 / subject.step_s).round() * subject.step_s);
    let mut moved = [0.0; 2];
    for (moved, part) in moved.iter_mut().zip([0.9, 1.5]) {
        let slope = libm::atan(part * mu);
        let mut scene = scenes::box_on_ground(mu);
        scene.world.gravity = G * Vec3::new(libm::sin(slope), 0.0, -libm::cos(slope));
        let mut simulation = start(subject, &scene)?;
        advance(simulation.as_mut(), &scene, second)?;
        *moved = simulation.q()[0];
    }
    // Creep differs from sliding by two metres per second squared.
    close("the travel of the box below the angle", moved[0], 0.0, 1e-3)?;
    let slope = libm::atan(1.5 * mu);
    let expected = 0.5 * G * (libm::sin(slope) - mu * libm::cos(slope));
    close("the travel of the box above the angle", moved[1], expected, 0.02 * expected)?;
    Ok(Evidence::Holds(format!("crept {:.0e} m; slid {:.4} m of {expected:.4}", moved[0], moved[1])))
}

fn limit(subject: &Subject<'_>) -> Result<Evidence, String> {
    let mut scene =
        scenes::slider_with(0.0, 0.5, |_, joint| (joint.dofs[0].lower, joint.dofs[0].upper) = (-1.0, 0.1));
    scene.inputs.efforts = vec![5.0];
    if !subject.capabilities().limits {
        return Ok(Evidence::DoesNotApply(
            "the engine does not enforce limits, and warns where they are exceeded".to_string(),
        ));
    }
    let mut simulation = start(subject, &scene)?;
    let mut beyond = f64::NEG_INFINITY;
    for n in 1..=200 {
        advance(simulation.as_mut(), &scene, f64::from(5 * n) * subject.step_s)?;
        beyond = beyond.max(simulation.q()[0] - 0.1);
    }
    // A soft limit yields by a fraction of a step's motion at half a metre per second.
    if beyond > 1e-3 {
        return Err(format!("the sled was {beyond} m beyond its limit"));
    }
    close("the sled pushed against its limit", simulation.q()[0], 0.1, 1e-3)?;
    Ok(Evidence::Holds(format!("{beyond:.0e} m beyond at most")))
}

fn dry(subject: &Subject<'_>) -> Result<Evidence, String> {
    let held = 5.0;
    let mut moved = [0.0; 2];
    for (moved, effort) in moved.iter_mut().zip([0.8 * held, 1.4 * held]) {
        let mut scene = scenes::slider_with(0.0, 0.0, |_, joint| joint.dofs[0].friction = held);
        scene.inputs.efforts = vec![effort];
        let options = LoadOptions { step_s: subject.step_s };
        if let Err(LoadError::Unsupported(_)) = subject.engine.load(&scene.world, subject.settings, &options) {
            return Ok(Evidence::DoesNotApply("the engine refuses dry friction in joints".to_string()));
        }
        let mut simulation = start(subject, &scene)?;
        advance(simulation.as_mut(), &scene, (1.0 / subject.step_s).round() * subject.step_s)?;
        *moved = simulation.q()[0];
    }
    // Smoothed friction creeps by a tenth of a millimetre in the second, by a millimetre where a step is too long for
    // it; without friction the sled would be a metre away.
    close("the travel of the held sled", moved[0], 0.0, 5e-3)?;
    let expected = 0.5 * 0.4 * held / SLIDER_MASS;
    close("the travel of the moving sled", moved[1], expected, 0.01 * expected)?;
    Ok(Evidence::Holds(format!("crept {:.0e} m; moved {:.4} m of {expected:.4}", moved[0], moved[1])))
}
