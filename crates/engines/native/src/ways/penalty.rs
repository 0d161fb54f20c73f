//! Penalty: compliant contact by implicit springs and dampers.

use super::{Way, WayEntry};
use veracity_contact::penalty::FrictionKind;
use veracity_contact::penalty::normal::Elastic;
use veracity_contact::{ContactError, Paradigm, Penalty, PenaltySettings};
use veracity_engine::{DriveForm, EventTime, Setting, SettingKind, Settings};
use veracity_model::World;

/// Its entry in the list.
pub(crate) const ENTRY: WayEntry = WayEntry {
    name: "penalty",
    settings: SETTINGS,
    drives: DriveForm::Implicit,
    events: EventTime::Bracketed,
    conflict,
    make,
};

/// Settings. The defaults are those of [`PenaltySettings`]; a test compares them.
const SETTINGS: &[Setting] = &[
    Setting {
        key: "stiffness",
        kind: SettingKind::Real(0.0, 1e15),
        default: "0",
        text: "stiffness of a contact between materials that give none [N/m]; 0 takes it from `rate`",
    },
    Setting {
        key: "rate",
        kind: SettingKind::Real(1e-3, 1e9),
        default: "1e4",
        text: "angular frequency of that default [1/s]: the heaviest tree on one contact sinks by g / rate²",
    },
    Setting {
        key: "elastic",
        kind: SettingKind::Choice(&["linear", "hertz"]),
        default: "linear",
        text: "how the elastic force grows with depth",
    },
    Setting {
        key: "hertz_depth",
        kind: SettingKind::Real(1e-12, 1.0),
        default: "1e-4",
        text: "depth at which Hertz's law has the stiffness [m] (elastic=hertz only)",
    },
    Setting {
        key: "least_impact_speed",
        kind: SettingKind::Real(1e-9, 1e3),
        default: "0.01",
        text: "impact speed that the dissipation of a restitution counts with at least [m/s]",
    },
    Setting {
        key: "least_restitution",
        kind: SettingKind::Real(1e-6, 0.999),
        default: "0.01",
        text: "what restitution 0 means: no finite dissipation stops a body dead",
    },
    Setting {
        key: "friction_law",
        kind: SettingKind::Choice(&["bristle", "regularised"]),
        default: "bristle",
        text: "bristles, which hold, or friction smooth in the speed, under which every loaded contact creeps",
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
        text: "stiffness of the bristles of contacts and joints against that of the contact",
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
        text: "what may be left of the momentum balance of a step, relative",
    },
    Setting {
        key: "iters",
        kind: SettingKind::Integer(1, 100_000),
        default: "30",
        text: "Newton steps before the bounds of friction are followed more slowly",
    },
    Setting {
        key: "margin",
        kind: SettingKind::Real(0.0, 1.0),
        default: "1e-3",
        text: "how far apart two shapes are looked at [m], beside what they may move in a step",
    },
    Setting {
        key: "step_tolerance",
        kind: SettingKind::Real(0.0, 1.0),
        default: "0",
        text: "what a step may be wrong by [m or rad], with as many smaller ones as that asks for; 0 takes the step as it is",
    },
];

/// Parses the settings.
fn read(settings: &Settings) -> PenaltySettings {
    let stiffness = settings.real("stiffness");
    PenaltySettings {
        stiffness: (stiffness > 0.0).then_some(stiffness),
        rate_per_s: settings.real("rate"),
        elastic: match settings.text("elastic") {
            "hertz" => Elastic::Hertz { depth_m: settings.real("hertz_depth") },
            _ => Elastic::Linear,
        },
        least_impact_speed: settings.real("least_impact_speed"),
        least_restitution: settings.real("least_restitution"),
        friction: match settings.text("friction_law") {
            "regularised" => FrictionKind::Regularised,
            _ => FrictionKind::Bristle,
        },
        slip_speed: settings.real("slip_speed"),
        bristle_stiffness: settings.real("bristle_stiffness"),
        bristle_relaxation_s: settings.real("bristle_relaxation"),
        tolerance: settings.real("residual"),
        iterations: settings.integer("iters") as u32,
        margin_m: settings.real("margin"),
        step_tolerance: Some(settings.real("step_tolerance")).filter(|tolerance| *tolerance > 0.0),
    }
}

fn conflict(settings: &Settings) -> Option<(&'static str, String)> {
    let owned = [("hertz_depth", "elastic", "hertz"), ("slip_speed", "friction_law", "regularised")];
    owned.into_iter().find_map(|(key, owner, word)| {
        let idle = settings.text(owner) != word && !settings.is_default(key);
        idle.then(|| (key, format!("it has no effect without {owner}={word}; add that or leave it out")))
    })
}

struct Soft(Penalty);

impl Way for Soft {
    fn paradigm(&mut self) -> &mut dyn Paradigm {
        &mut self.0
    }

    fn looked_at(&self) -> &dyn Paradigm {
        &self.0
    }

    fn stored_energy(&self) -> f64 {
        self.0.stored_energy()
    }

    fn warnings(&self, out: &mut Vec<String>) {
        let seen = self.0.unresolved();
        if seen.impacts > 0 {
            out.push(format!(
                "{} impacts are too short for the step: the shortest lasts {:.1e} s, the step is {:.1e} s, and up to {:.0} % of the \
                 speed after the impact is lost to it; take a step of {:.1e} s, step_tolerance=1e-9, a softer contact (rate) or \
                 paradigm=stepping or event",
                seen.impacts,
                std::f64::consts::PI / seen.fastest_per_s,
                seen.step_s,
                100.0 * seen.lost,
                seen.sufficient_step_s()
            ));
        }
    }
}

fn make(world: &World, settings: &Settings, _: f64) -> Result<Box<dyn Way>, Vec<ContactError>> {
    Ok(Box::new(Soft(Penalty::new(world, read(settings))?)))
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
