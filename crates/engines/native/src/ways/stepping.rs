//! Time stepping: impulses and velocities over a fixed step.

use super::{ON_OFF, Way, WayEntry};
use veracity_contact::stepping::{Geometry, Impact, PathRule, Precision, Regularisation, Stabilisation};
use veracity_contact::{ContactError, Maximal, Paradigm, Stepping, SteppingSettings};
use veracity_dynamics::BodyMotion;
use veracity_engine::{DriveForm, EventTime, Setting, SettingKind, Settings};
use veracity_lcp::Cone;
use veracity_model::World;

/// Its entry in the list.
pub(crate) const ENTRY: WayEntry = WayEntry {
    name: "stepping",
    settings: SETTINGS,
    drives: DriveForm::Implicit,
    events: EventTime::Bracketed,
    conflict,
    make,
};

/// Names of the solvers, in the order of their list.
pub(crate) const SOLVERS: &[&str] = &{
    let mut names = [""; veracity_lcp::SOLVERS.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = veracity_lcp::SOLVERS[i].name;
        i += 1;
    }
    names
};

pub(crate) const IMPACT: Setting = Setting {
    key: "impact",
    kind: SettingKind::Choice(&["newton_law", "poisson_law"]),
    default: "newton_law",
    text: "the law of impact where surfaces bounce: Newton's of speeds, Poisson's of impulses",
};

/// Settings. The defaults are those of [`SteppingSettings`]; a test compares them.
pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        key: "coordinates",
        kind: SettingKind::Choice(&["reduced", "maximal"]),
        default: "reduced",
        text: "joint coordinates, or every body free and joints as rows that may come apart",
    },
    Setting {
        key: "solver",
        kind: SettingKind::Choice(SOLVERS),
        default: "hybrid",
        text: "impulse solver of a step",
    },
    Setting {
        key: "iters",
        kind: SettingKind::Integer(1, 1_000_000),
        default: "1000",
        text: "iterations of one solve at most",
    },
    Setting {
        key: "residual",
        kind: SettingKind::Real(0.0, 1.0),
        default: "1e-10",
        text: "natural residual at which a solve ends, where nothing moves [m/s]",
    },
    Setting {
        key: "relative_residual",
        kind: SettingKind::Real(0.0, 1.0),
        default: "1e-5",
        text: "what is added to it for each metre per second at which the fastest contact moves before the step",
    },
    Setting {
        key: "precision",
        kind: SettingKind::Choice(&["f64", "f32"]),
        default: "f64",
        text: "precision of the solve; geometry and motion are always double",
    },
    Setting {
        key: "cone",
        kind: SettingKind::Choice(&["exact", "pyramid", "box"]),
        default: "exact",
        text: "shape of the friction cone",
    },
    Setting {
        key: "cone_sides",
        kind: SettingKind::Integer(3, 64),
        default: "4",
        text: "corners of the pyramid (cone=pyramid only)",
    },
    Setting {
        key: "cone_direction",
        kind: SettingKind::Real(-std::f64::consts::PI, std::f64::consts::PI),
        default: "0",
        text: "turns the tangents, and with them the corners of a pyramid, about the normal [rad]",
    },
    Setting {
        key: "stabilisation",
        kind: SettingKind::Choice(&["projection", "baumgarte", "drift"]),
        default: "projection",
        text: "what is done about overlap and drift: displacements that change no velocity, a part of the error as \
               velocity, nothing",
    },
    Setting {
        key: "baumgarte_ratio",
        kind: SettingKind::Real(0.0, 1.0),
        default: "0.2",
        text: "part of the error asked for in each step (stabilisation=baumgarte only)",
    },
    Setting {
        key: "anchor",
        kind: SettingKind::Choice(ON_OFF),
        default: "on",
        text: "sticking contacts remember where they began to stick and are led back there",
    },
    Setting {
        key: "warm_start",
        kind: SettingKind::Choice(ON_OFF),
        default: "on",
        text: "solves start from the impulses of the last step",
    },
    Setting {
        key: "geometry",
        kind: SettingKind::Choice(&["manifold", "deepest"]),
        default: "manifold",
        text: "which points of a pair of shapes count: all that its features give, or the deepest",
    },
    Setting {
        key: "regularisation",
        kind: SettingKind::Choice(&["rigid", "surface", "uniform"]),
        default: "rigid",
        text: "how surfaces give way along the normal: not, by their own stiffness, all by one",
    },
    Setting {
        key: "stiffness",
        kind: SettingKind::Real(1e-3, 1e15),
        default: "1e6",
        text: "that one stiffness [N/m] (regularisation=uniform only)",
    },
    IMPACT,
    Setting {
        key: "path",
        kind: SettingKind::Choice(&["mean", "end"]),
        default: "mean",
        text: "positions of loose bodies move along the mean velocity of a step where contact allows it, and impacts that \
               bounce are located inside the step; or along the velocity at its end",
    },
    Setting {
        key: "bounce_speed",
        kind: SettingKind::Real(0.0, 1e3),
        default: "0.01",
        text: "slower approaches than this do not bounce [m/s]",
    },
    Setting {
        key: "sleeping",
        kind: SettingKind::Choice(&["off"]),
        default: "off",
        text: "sleeping bodies: not supported, bodies at rest cost almost nothing",
    },
];

/// Parses the settings.
pub(crate) fn read(settings: &Settings) -> SteppingSettings {
    let is = |key: &str, word: &str| settings.text(key) == word;
    SteppingSettings {
        solver: settings.text("solver").to_string(),
        iterations: settings.integer("iters") as u32,
        tolerance: settings.real("residual"),
        relative_tolerance: settings.real("relative_residual"),
        precision: if is("precision", "f32") { Precision::F32 } else { Precision::F64 },
        cone: match settings.text("cone") {
            "box" => Cone::Box,
            "pyramid" => Cone::Pyramid { sides: settings.integer("cone_sides") as u32 },
            _ => Cone::Exact,
        },
        cone_direction: settings.real("cone_direction"),
        stabilisation: match settings.text("stabilisation") {
            "baumgarte" => Stabilisation::Baumgarte { ratio: settings.real("baumgarte_ratio") },
            "drift" => Stabilisation::None,
            _ => Stabilisation::Projection,
        },
        anchor: is("anchor", "on"),
        warm_start: is("warm_start", "on"),
        geometry: if is("geometry", "deepest") { Geometry::Deepest } else { Geometry::Manifold },
        regularisation: match settings.text("regularisation") {
            "surface" => Regularisation::Surface,
            "uniform" => Regularisation::Stiffness(settings.real("stiffness")),
            _ => Regularisation::None,
        },
        impact: if is("impact", "poisson_law") { Impact::Poisson } else { Impact::Newton },
        path: if is("path", "end") { PathRule::End } else { PathRule::Mean },
        bounce_speed: settings.real("bounce_speed"),
        sleeping: false,
    }
}

/// Rejects numbers that belong to an option that was not chosen.
fn conflict(settings: &Settings) -> Option<(&'static str, String)> {
    let owned = [
        ("cone_sides", "cone", "pyramid"),
        ("baumgarte_ratio", "stabilisation", "baumgarte"),
        ("stiffness", "regularisation", "uniform"),
    ];
    owned.into_iter().find_map(|(key, owner, word)| {
        let idle = settings.text(owner) != word && !settings.is_default(key);
        idle.then(|| (key, format!("it has no effect without {owner}={word}; add that or leave it out")))
    })
}

struct Reduced(Stepping);

impl Way for Reduced {
    fn paradigm(&mut self) -> &mut dyn Paradigm {
        &mut self.0
    }

    fn looked_at(&self) -> &dyn Paradigm {
        &self.0
    }
}

struct Loose(Maximal);

impl Way for Loose {
    fn paradigm(&mut self) -> &mut dyn Paradigm {
        &mut self.0
    }

    fn looked_at(&self) -> &dyn Paradigm {
        &self.0
    }

    fn motions(&self) -> Option<&[BodyMotion]> {
        Some(self.0.motions())
    }
}

fn make(world: &World, settings: &Settings, _: f64) -> Result<Box<dyn Way>, Vec<ContactError>> {
    let read = read(settings);
    Ok(match settings.text("coordinates") {
        "maximal" => Box::new(Loose(Maximal::new(world, read)?)),
        _ => Box::new(Reduced(Stepping::new(world, read)?)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ENGINE;
    use veracity_engine::Engine;

    #[test]
    fn the_defaults_are_the_frozen_ones() {
        let settings = ENGINE.resolve(&"native:paradigm=stepping".parse().unwrap()).unwrap();
        assert_eq!(read(&settings), SteppingSettings::default());
    }

    #[test]
    fn a_number_without_its_choice_is_refused() {
        let resolve = |text: &str| ENGINE.resolve(&text.parse().unwrap()).map_err(|e| e.to_string());
        let said = resolve("native:paradigm=stepping,cone_sides=8").unwrap_err();
        assert!(said.contains("no effect without cone=pyramid"), "{said}");
        assert!(resolve("native:paradigm=stepping,cone=pyramid,cone_sides=8").is_ok());
    }
}
