//! Time stepping: impulses and velocities over a fixed step.

use super::{Choices, Made, ParadigmEntry};
use veracity_contact::stepping::{Geometry, Impact, PathRule, Precision, Pressure, Regularisation, Stabilisation};
use veracity_contact::{Coordinates, SteppingSettings};
use veracity_engine::{DriveForm, EventTime, Setting, SettingKind, Settings, choice_words};
use veracity_lcp::{Cone, SOLVERS};
use veracity_model::World;

/// Its entry in the list.
pub(crate) const ENTRY: ParadigmEntry = ParadigmEntry {
    name: "stepping",
    text: "time stepping: impulses and velocities over a fixed step",
    settings: || SETTINGS,
    drives: DriveForm::Implicit,
    events: EventTime::Bracketed,
    owned: &[
        ("cone_sides", "cone", "pyramid"),
        ("baumgarte_ratio", "stabilisation", "baumgarte"),
        ("stiffness", "regularisation", "uniform"),
    ],
    make,
};

// The words of each choice, with what they mean.

const PRECISIONS: &[(&str, Precision)] = &[("f64", Precision::F64), ("f32", Precision::F32)];

const CONES: Choices<Cone> = &[
    ("exact", |_| Cone::Exact),
    ("pyramid", |settings| Cone::Pyramid { sides: settings.integer("cone_sides") as u32 }),
    ("box", |_| Cone::Box),
];

const STABILISATIONS: Choices<Stabilisation> = &[
    ("projection", |_| Stabilisation::Projection),
    ("baumgarte", |settings| Stabilisation::Baumgarte { ratio: settings.real("baumgarte_ratio") }),
    ("drift", |_| Stabilisation::None),
];

const GEOMETRIES: &[(&str, Geometry)] = &[("manifold", Geometry::Manifold), ("deepest", Geometry::Deepest)];

const PRESSURES: &[(&str, Pressure)] = &[("points", Pressure::Points), ("uniform", Pressure::Uniform)];

const REGULARISATIONS: Choices<Regularisation> = &[
    ("rigid", |_| Regularisation::None),
    ("surface", |_| Regularisation::Surface),
    ("uniform", |settings| Regularisation::Stiffness(settings.real("stiffness"))),
];

pub(crate) const IMPACTS: &[(&str, Impact)] = &[("newton_law", Impact::Newton), ("poisson_law", Impact::Poisson)];

const PATHS: &[(&str, PathRule)] = &[("mean", PathRule::Mean), ("end", PathRule::End)];

pub(crate) const IMPACT: Setting = Setting {
    key: "impact",
    kind: SettingKind::Choice(choice_words!(IMPACTS, 0)),
    default: "newton_law",
    text: "impact law of surfaces with restitution: Newton's (speeds) or Poisson's (impulses)",
};

/// Settings. The defaults are those of [`SteppingSettings`]; a test compares them.
pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        key: "coordinates",
        kind: SettingKind::Choice(choice_words!(Coordinates::ALL, 0)),
        default: "reduced",
        text: "joint coordinates, or six coordinates per body with joints as constraint rows, which may come apart",
    },
    Setting {
        key: "solver",
        kind: SettingKind::Choice(choice_words!(SOLVERS, name)),
        default: "hybrid",
        text: "impulse solver of a step",
    },
    Setting {
        key: "iters",
        kind: SettingKind::Integer(1, 1_000_000),
        default: "1000",
        text: "maximum iterations of one solve",
    },
    Setting {
        key: "residual",
        kind: SettingKind::Real(0.0, 1.0),
        default: "1e-10",
        text: "natural residual at which a solve ends when nothing moves [m/s]",
    },
    Setting {
        key: "relative_residual",
        kind: SettingKind::Real(0.0, 1.0),
        default: "1e-5",
        text: "added to the residual for each m/s of the fastest contact before the step",
    },
    Setting {
        key: "precision",
        kind: SettingKind::Choice(choice_words!(PRECISIONS, 0)),
        default: "f64",
        text: "precision of the solve; geometry and motion are always double",
    },
    Setting {
        key: "cone",
        kind: SettingKind::Choice(choice_words!(CONES, 0)),
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
        text: "rotation of the tangents, and of a pyramid's corners, about the normal [rad]",
    },
    Setting {
        key: "stabilisation",
        kind: SettingKind::Choice(choice_words!(STABILISATIONS, 0)),
        default: "projection",
        text: "correction of overlap and drift: displacements without velocity, a fraction of the error as velocity, or \
               none",
    },
    Setting {
        key: "baumgarte_ratio",
        kind: SettingKind::Real(0.0, 1.0),
        default: "0.2",
        text: "fraction of the error corrected in each step (stabilisation=baumgarte only)",
    },
    Setting {
        key: "anchor",
        kind: SettingKind::ON_OFF,
        default: "on",
        text: "sticking contacts store where they began to stick and are moved back there",
    },
    Setting {
        key: "warm_start",
        kind: SettingKind::ON_OFF,
        default: "on",
        text: "solves start from the impulses of the last step",
    },
    Setting {
        key: "geometry",
        kind: SettingKind::Choice(choice_words!(GEOMETRIES, 0)),
        default: "manifold",
        text: "contact points used for a pair of shapes: all of its features, or the deepest",
    },
    Setting {
        key: "pressure",
        kind: SettingKind::Choice(choice_words!(PRESSURES, 0)),
        default: "points",
        text: "where the friction of a patch acts: at its contact points, or with the lever of uniform pressure over the patch",
    },
    Setting {
        key: "flush_gap",
        kind: SettingKind::Real(0.0, 1e-3),
        default: "5e-7",
        text: "points of a patch whose gaps differ by less than this close together, where a body is between two others [m]",
    },
    Setting {
        key: "regularisation",
        kind: SettingKind::Choice(choice_words!(REGULARISATIONS, 0)),
        default: "rigid",
        text: "compliance of surfaces along the normal: none, their own stiffness, or one stiffness for all",
    },
    Setting {
        key: "stiffness",
        kind: SettingKind::Real(1e-3, 1e15),
        default: "1e6",
        text: "stiffness of all surfaces [N/m] (regularisation=uniform only)",
    },
    IMPACT,
    Setting {
        key: "path",
        kind: SettingKind::Choice(choice_words!(PATHS, 0)),
        default: "mean",
        text: "velocity along which loose bodies move: the mean of a step where contact allows it, with bouncing impacts \
               located inside the step, or the velocity at its end",
    },
    Setting {
        key: "bounce_speed",
        kind: SettingKind::Real(0.0, 1e3),
        default: "0.01",
        text: "approach speed below which contacts do not bounce [m/s]",
    },
    Setting {
        key: "sleeping",
        kind: SettingKind::Choice(&["off"]),
        default: "off",
        text: "sleeping bodies: not supported; bodies at rest cost almost nothing",
    },
];

/// Parses the settings.
pub(crate) fn read(settings: &Settings) -> SteppingSettings {
    SteppingSettings {
        solver: settings.text("solver").to_string(),
        iterations: settings.integer("iters") as u32,
        tolerance: settings.real("residual"),
        relative_tolerance: settings.real("relative_residual"),
        precision: settings.choice("precision", PRECISIONS),
        cone: settings.choice("cone", CONES)(settings),
        cone_direction: settings.real("cone_direction"),
        stabilisation: settings.choice("stabilisation", STABILISATIONS)(settings),
        anchor: settings.is_on("anchor"),
        warm_start: settings.is_on("warm_start"),
        geometry: settings.choice("geometry", GEOMETRIES),
        pressure: settings.choice("pressure", PRESSURES),
        flush_gap: settings.real("flush_gap"),
        regularisation: settings.choice("regularisation", REGULARISATIONS)(settings),
        impact: settings.choice("impact", IMPACTS),
        path: settings.choice("path", PATHS),
        bounce_speed: settings.real("bounce_speed"),
        sleeping: false,
    }
}

fn make(world: &World, settings: &Settings, _: f64) -> Made {
    settings.choice("coordinates", Coordinates::ALL).stepping(world, read(settings))
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
