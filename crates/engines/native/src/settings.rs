//! What the engine can be told.

use crate::integrator_named;
use veracity_dynamics::integrate::{self, IntegratorEntry};
use veracity_engine::{Setting, SettingKind, Settings, SpecError};

/// Names of the integrators, in the order of their list.
const INTEGRATORS: &[&str] = &["euler", "rk4", "dop853", "midpoint", "implicit"];

/// Every setting.
///
/// The default integrator is `rk4`, the frozen spec of smooth motion: a fixed step makes its cost and its error plain
/// functions of one number that every other engine has too, and order 4 is what such a step can give at the price of four
/// evaluations. `dop853` is for references, where no step is to be chosen; the others are for showing what they do.
pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        key: "integrator",
        kind: SettingKind::Choice(INTEGRATORS),
        default: "rk4",
        text: "how a step is taken: semi-implicit Euler (order 1), Runge-Kutta of order 4, adaptive Runge-Kutta of order 8, \
               implicit midpoint (order 2), linearly implicit Euler (order 1)",
    },
    Setting {
        key: "tolerance",
        kind: SettingKind::Real(1e-14, 1e-2),
        default: "1e-12",
        text: "error allowed in a step, relative to each number of the state; a tenth of it in absolute terms (dop853 only)",
    },
    Setting {
        key: "friction_speed",
        kind: SettingKind::Real(1e-9, 1e3),
        default: "1e-4",
        text: "speed below which dry friction of joints is smoothed [rad/s or m/s]",
    },
];

/// The settings, read.
pub(crate) struct Chosen {
    pub integrator: &'static IntegratorEntry,
    pub tolerance: f64,
    pub friction_speed: f64,
}

impl Chosen {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            integrator: integrator_named(settings.text("integrator")),
            tolerance: settings.real("tolerance"),
            friction_speed: settings.real("friction_speed"),
        }
    }

    pub(crate) fn of_step(&self, step_s: f64) -> integrate::Settings {
        let absolute_tolerance = 0.1 * self.tolerance;
        integrate::Settings { step_s, relative_tolerance: self.tolerance, absolute_tolerance }
    }
}

/// A tolerance other than the default is nothing to a fixed step. (The default itself stands in every spec that is written
/// out and must be readable again.)
pub(crate) fn refuse_without_effect(settings: &Settings) -> Result<(), SpecError> {
    let chosen = Chosen::new(settings);
    let default = SETTINGS.iter().find(|s| s.key == "tolerance").and_then(|s| s.default.parse().ok());
    if chosen.integrator.adaptive || Some(chosen.tolerance) == default {
        return Ok(());
    }
    let name = chosen.integrator.name;
    Err(SpecError::Value {
        engine: "native".to_string(),
        key: "tolerance".to_string(),
        value: settings.text("tolerance").to_string(),
        why: format!("{name} has no tolerance, its step is fixed; leave it out or take integrator=dop853"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ENGINE;
    use veracity_engine::Engine;

    #[test]
    fn the_choices_are_the_list_of_integrators() {
        let names: Vec<_> = integrate::INTEGRATORS.iter().map(|e| e.name).collect();
        assert_eq!(names, INTEGRATORS);
    }

    #[test]
    fn a_setting_without_effect_is_refused_with_a_sentence() {
        let resolve = |text: &str| ENGINE.resolve(&text.parse().unwrap());
        let error = resolve("native:rk4,tolerance=1e-9").unwrap_err().to_string();
        assert!(error.contains("rk4 has no tolerance"), "{error}");
        assert!(resolve("native:dop853,tolerance=1e-9").is_ok());
        let full = resolve("native").unwrap().full_spec();
        assert_eq!(full, "native:integrator=rk4,tolerance=1e-12,friction_speed=0.0001");
        assert!(resolve(&full).is_ok());
    }
}
