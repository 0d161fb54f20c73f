//! Event driven: smooth motion between located events.

use super::stepping::{IMPACT, IMPACTS};
use super::{Made, ParadigmEntry};
use std::sync::LazyLock;
use veracity_contact::event_driven::{EventDriven, EventDrivenSettings, Restitution, Smooth};
use veracity_contact::stepping::Impact;
use veracity_contact::{ContactError, ContactWorld, Paradigm};
use veracity_engine::{DriveForm, EventTime, Setting, SettingKind, Settings, choice_words};
use veracity_lcp::{Cone, Law, SOLVERS, SolverEntry};
use veracity_model::World;

/// Its entry in the list.
pub(crate) const ENTRY: ParadigmEntry = ParadigmEntry {
    name: "event",
    text: "event driven: smooth motion between located impacts, liftoffs, slips and stops",
    settings: || &SETTINGS,
    drives: DriveForm::Continuous,
    events: EventTime::Located,
    owned: &[("tolerance", "integrator", "dop853"), ("zeno_height", "zeno", "on")],
    make,
};

/// Names of the solvers that support friction with a round cone, in the order of their list. The others do not converge
/// here, and a problem that is never solved makes a step that never ends.
static ROUND: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let supports = |solver: &&SolverEntry| (solver.refuses)(&Law::Friction { mu: [0.5; 2] }, Cone::Exact).is_none();
    SOLVERS.iter().filter(supports).map(|solver| solver.name).collect()
});

const INTEGRATORS: &[(&str, Smooth)] = &[("dop853", Smooth::Dop853), ("rk4", Smooth::Rk4)];

/// Settings. The defaults are those of [`EventDrivenSettings`]; a test compares them.
static SETTINGS: LazyLock<Vec<Setting>> = LazyLock::new(|| {
    vec![
        Setting {
            key: "integrator",
            kind: SettingKind::Choice(choice_words!(INTEGRATORS, 0)),
            default: "dop853",
            text: "integrator between events: adaptive of order 8, or of order 4 with the step of the run, cut at events",
        },
        Setting {
            key: "tolerance",
            kind: SettingKind::Real(1e-14, 1e-2),
            default: "1e-12",
            text: "allowed error of a step, relative to each number of the state; the absolute one is a tenth of it (dop853 only)",
        },
        IMPACT,
        Setting {
            key: "zeno",
            kind: SettingKind::ON_OFF,
            default: "on",
            text: "whether an infinite sequence of bounces ends at its accumulation point",
        },
        Setting {
            key: "zeno_height",
            kind: SettingKind::Real(0.0, 1.0),
            default: "1e-9",
            text: "a bounce that would rise less than this ends its sequence [m] (zeno=on only)",
        },
        Setting {
            key: "rest_speed",
            kind: SettingKind::Real(0.0, 1.0),
            default: "1e-6",
            text: "points that close more slowly than this do not bounce [m/s]",
        },
        Setting {
            key: "touch_gap",
            kind: SettingKind::Real(0.0, 1e-2),
            default: "1e-9",
            text: "points with a gap of at most this at an event are solved together [m]",
        },
        Setting {
            key: "stick_speed",
            kind: SettingKind::Real(0.0, 1.0),
            default: "1e-8",
            text: "a contact slower than this sticks if friction can hold it [m/s]",
        },
        Setting {
            key: "solver",
            kind: SettingKind::Choice(&ROUND),
            default: "hybrid",
            text: "solver for impulses and forces; must support round friction cones",
        },
        Setting {
            key: "residual",
            kind: SettingKind::Real(0.0, 1.0),
            default: "1e-13",
            text: "natural residual at which a solve ends, relative to the largest number of the problem",
        },
        Setting {
            key: "iters",
            kind: SettingKind::Integer(1, 1_000_000),
            default: "2000",
            text: "maximum iterations of one solve",
        },
        Setting {
            key: "drift_bound",
            kind: SettingKind::Real(0.0, 1e300),
            default: "1e-6",
            text: "drift of a lasting contact's gap beyond which it is corrected [m]",
        },
        Setting {
            key: "capture",
            kind: SettingKind::Real(0.0, 1e-2),
            default: "2.5e-4",
            text: "size of the time steps used temporarily where events accumulate [s]; 0 for never",
        },
    ]
});

/// Parses the settings.
fn read(settings: &Settings, step_s: f64) -> EventDrivenSettings {
    let tolerance = settings.real("tolerance");
    EventDrivenSettings {
        integrator: settings.choice("integrator", INTEGRATORS),
        step_s,
        relative_tolerance: tolerance,
        absolute_tolerance: tolerance / 10.0,
        restitution: match settings.choice("impact", IMPACTS) {
            Impact::Newton => Restitution::Newton,
            Impact::Poisson => Restitution::Poisson,
        },
        zeno: settings.is_on("zeno"),
        zeno_height_m: settings.real("zeno_height"),
        rest_speed_m_s: settings.real("rest_speed"),
        touch_gap_m: settings.real("touch_gap"),
        stick_speed_m_s: settings.real("stick_speed"),
        solver: settings.text("solver").to_string(),
        solver_tolerance: settings.real("residual"),
        solver_iterations: settings.integer("iters") as u32,
        drift_bound_m: settings.real("drift_bound"),
        capture_s: settings.real("capture"),
    }
}

fn make(world: &World, settings: &Settings, step_s: f64) -> Made {
    let made = |world: &World| -> Result<EventDriven, Vec<ContactError>> {
        EventDriven::new(ContactWorld::new(world)?, read(settings, step_s))
    };
    made(world).map(|made| Box::new(made) as Box<dyn Paradigm>).map_err(|mut errors| {
        // Errors of one model hide those of this paradigm in another; loading each alone shows them.
        for placement in &world.placements {
            let alone = World { placements: vec![placement.clone()], ..world.clone() };
            for error in made(&alone).err().into_iter().flatten() {
                if !errors.contains(&error) {
                    errors.push(error);
                }
            }
        }
        errors
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ENGINE;
    use veracity_engine::Engine;

    #[test]
    fn solvers_of_pyramids_alone_are_not_offered() {
        assert!(ROUND.contains(&"hybrid") && !ROUND.contains(&"lemke") && !ROUND.contains(&"dantzig"), "{ROUND:?}");
        for (name, smooth) in INTEGRATORS {
            assert_eq!(*name, smooth.name());
        }
    }

    #[test]
    fn the_defaults_are_the_frozen_ones() {
        let settings = ENGINE.resolve(&"native:paradigm=event".parse().unwrap()).unwrap();
        assert_eq!(read(&settings, 1e-3), EventDrivenSettings::default());
    }
}
