//! Penalty: compliant contact by implicit springs and dampers.

use super::{Choices, Made, ParadigmEntry};
use veracity_contact::penalty::FrictionKind;
use veracity_contact::penalty::normal::Elastic;
use veracity_contact::{Penalty, PenaltySettings};
use veracity_engine::{DriveForm, EventTime, Setting, SettingKind, Settings, choice_words};
use veracity_model::World;

/// Its entry in the list.
pub(crate) const ENTRY: ParadigmEntry = ParadigmEntry {
    name: "penalty",
    text: "compliant contact: springs and dampers, integrated implicitly",
    settings: || SETTINGS,
    drives: DriveForm::Implicit,
    events: EventTime::Bracketed,
    owned: &[("hertz_depth", "elastic", "hertz"), ("slip_speed", "friction_law", "regularised")],
    make,
};

const ELASTICS: Choices<Elastic> = &[
    ("linear", |_| Elastic::Linear),
    ("hertz", |settings| Elastic::Hertz { depth_m: settings.real("hertz_depth") }),
];

const FRICTION_LAWS: &[(&str, FrictionKind)] =
    &[("bristle", FrictionKind::Bristle), ("regularised", FrictionKind::Regularised)];

/// Settings. The defaults are those of [`PenaltySettings`]; a test compares them.
const SETTINGS: &[Setting] = &[
    Setting {
        key: "stiffness",
        kind: SettingKind::Real(0.0, 1e15),
        default: "0",
        text: "contact stiffness for materials without one [N/m]; 0 derives it from `rate`",
    },
    Setting {
        key: "rate",
        kind: SettingKind::Real(1e-3, 1e9),
        default: "1e4",
        text: "angular frequency of that default stiffness [1/s]: the heaviest tree on one contact sinks by g / rate²",
    },
    Setting {
        key: "elastic",
        kind: SettingKind::Choice(choice_words!(ELASTICS, 0)),
        default: "linear",
        text: "elastic force against depth",
    },
    Setting {
        key: "hertz_depth",
        kind: SettingKind::Real(1e-12, 1.0),
        default: "1e-4",
        text: "depth at which Hertz's law has the given stiffness [m] (elastic=hertz only)",
    },
    Setting {
        key: "least_impact_speed",
        kind: SettingKind::Real(1e-9, 1e3),
        default: "0.01",
        text: "smallest impact speed used to convert restitution to dissipation [m/s]",
    },
    Setting {
        key: "least_restitution",
        kind: SettingKind::Real(1e-6, 0.999),
        default: "0.01",
        text: "value used for restitution 0, which no finite dissipation achieves",
    },
    Setting {
        key: "friction_law",
        kind: SettingKind::Choice(choice_words!(FRICTION_LAWS, 0)),
        default: "bristle",
        text: "friction model: bristles hold; regularised friction is a smooth function of speed, under which every loaded contact creeps",
    },
    Setting {
        key: "slip_speed",
        kind: SettingKind::Real(1e-12, 1e3),
        default: "1e-4",
        text: "slip at which regularised friction reaches 70 % of its bound [m/s] (friction_law=regularised only)",
    },
    Setting {
        key: "bristle_stiffness",
        kind: SettingKind::Real(1e-6, 1e6),
        default: "1",
        text: "bristle stiffness of contacts and joints, relative to the contact stiffness",
    },
    Setting {
        key: "bristle_relaxation",
        kind: SettingKind::Real(0.0, 10.0),
        default: "2e-4",
        text: "relaxation time of the bristles [s]",
    },
    Setting {
        key: "residual",
        kind: SettingKind::Real(1e-16, 1e-3),
        default: "1e-10",
        text: "allowed residual of the momentum balance of a step, relative",
    },
    Setting {
        key: "iters",
        kind: SettingKind::Integer(1, 100_000),
        default: "30",
        text: "Newton iterations before the friction bounds are updated under relaxation",
    },
    Setting {
        key: "margin",
        kind: SettingKind::Real(0.0, 1.0),
        default: "1e-3",
        text: "distance within which pairs of shapes are examined [m], in addition to their motion in a step",
    },
    Setting {
        key: "step_tolerance",
        kind: SettingKind::Real(0.0, 1.0),
        default: "0",
        text: "allowed error of a step [m or rad], achieved by substeps; 0 uses the step as given",
    },
];

/// Parses the settings.
fn read(settings: &Settings) -> PenaltySettings {
    let stiffness = settings.real("stiffness");
    PenaltySettings {
        stiffness: (stiffness > 0.0).then_some(stiffness),
        rate_per_s: settings.real("rate"),
        elastic: settings.choice("elastic", ELASTICS)(settings),
        least_impact_speed: settings.real("least_impact_speed"),
        least_restitution: settings.real("least_restitution"),
        friction: settings.choice("friction_law", FRICTION_LAWS),
        slip_speed: settings.real("slip_speed"),
        bristle_stiffness: settings.real("bristle_stiffness"),
        bristle_relaxation_s: settings.real("bristle_relaxation"),
        tolerance: settings.real("residual"),
        iterations: settings.integer("iters") as u32,
        margin_m: settings.real("margin"),
        step_tolerance: Some(settings.real("step_tolerance")).filter(|tolerance| *tolerance > 0.0),
    }
}

fn make(world: &World, settings: &Settings, _: f64) -> Made {
    Ok(Box::new(Penalty::new(world, read(settings))?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ENGINE;
    use veracity_engine::Engine;

    #[test]
    fn the_defaults_are_the_frozen_ones() {
        let settings = ENGINE.resolve(&"native:paradigm=penalty".parse().unwrap()).unwrap();
        assert_eq!(read(&settings), PenaltySettings::default());
    }
}
