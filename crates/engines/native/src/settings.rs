//! Settings of the engine.

use crate::integrator_named;
use crate::paradigms::{self, PARADIGMS, ParadigmEntry};
use std::sync::LazyLock;
use veracity_dynamics::integrate::{self, IntegratorEntry};
use veracity_engine::{EngineSpec, Setting, SettingKind, Settings, SpecError, choice_words};

/// Values of the setting `paradigm`: `auto` is smooth motion where no bodies may touch, else time stepping.
const PARADIGM_NAMES: &[&str] = choice_words!("auto", PARADIGMS, name);

/// The setting that decides which other settings apply.
pub(crate) const PARADIGM: Setting = Setting {
    key: "paradigm",
    kind: SettingKind::Choice(PARADIGM_NAMES),
    default: "auto",
    text: "contact method; auto uses time stepping where bodies may touch, and elsewhere the integrator alone, without joint \
           limits and with smoothed dry friction",
};

/// Every setting of every paradigm, for lists. A spec accepts those of the paradigm it names.
pub(crate) static ALL: LazyLock<Vec<Setting>> = LazyLock::new(|| {
    let mut all = AUTO.clone();
    for paradigm in PARADIGMS {
        for setting in (paradigm.settings)().iter().filter(|s| !AUTO.contains(s)) {
            // Created once and kept for the whole run, like any list of settings.
            let text = format!("under paradigm={}: {}", paradigm.name, setting.text);
            all.push(Setting { text: text.leak(), ..*setting });
        }
    }
    all
});

/// Settings under `auto`: those of smooth motion and of time stepping.
static AUTO: LazyLock<Vec<Setting>> = LazyLock::new(|| {
    let parts = [&[PARADIGM], SMOOTH, paradigms::stepping::SETTINGS];
    parts.concat()
});

/// Settings under each paradigm.
static OF_PARADIGMS: LazyLock<Vec<Vec<Setting>>> = LazyLock::new(|| {
    let of = |paradigm: &ParadigmEntry| [&[PARADIGM], (paradigm.settings)()].concat();
    PARADIGMS.iter().map(of).collect()
});

/// The settings of the paradigm that a spec names.
pub(crate) fn known(spec: &EngineSpec) -> &'static [Setting] {
    let named = spec
        .settings
        .iter()
        .find(|(key, word)| key == PARADIGM.key || (key.is_empty() && PARADIGM_NAMES.contains(&word.as_str())));
    let index = named.and_then(|(_, word)| PARADIGMS.iter().position(|paradigm| paradigm.name == word));
    index.map_or(AUTO.as_slice(), |index| OF_PARADIGMS[index].as_slice())
}

/// Settings of smooth motion.
///
/// The default integrator is `rk4`, the frozen spec of smooth motion: with a fixed step, cost and error are plain
/// functions of one number that every other engine has too, and order 4 is what such a step achieves with four
/// evaluations. `dop853` is for references, where no step has to be chosen; the others are for demonstrating their
/// properties.
const SMOOTH: &[Setting] = &[
    Setting {
        key: "integrator",
        kind: SettingKind::Choice(choice_words!(integrate::INTEGRATORS, name)),
        default: "rk4",
        text: "integration method: semi-implicit Euler (order 1), Runge-Kutta of order 4, adaptive Runge-Kutta of order 8, \
               implicit midpoint (order 2), linearly implicit Euler (order 1)",
    },
    Setting {
        key: "tolerance",
        kind: SettingKind::Real(1e-14, 1e-2),
        default: "1e-12",
        text: "allowed error of a step, relative to each number of the state; the absolute one is a tenth of it (dop853 only)",
    },
    Setting {
        key: "friction_speed",
        kind: SettingKind::Real(1e-9, 1e3),
        default: "1e-4",
        text: "speed below which dry friction of joints is smoothed [rad/s or m/s]",
    },
];

/// The parsed settings.
pub(crate) struct Chosen {
    /// `None` under `auto`.
    pub paradigm: Option<&'static ParadigmEntry>,
    pub integrator: &'static IntegratorEntry,
    pub tolerance: f64,
    pub friction_speed: f64,
}

impl Chosen {
    pub(crate) fn new(settings: &Settings) -> Self {
        let paradigm = paradigms::find(settings.text(PARADIGM.key));
        // A contact paradigm has no smooth path; these placeholders have no effect.
        let (word, tolerance, friction_speed) = match paradigm {
            None => (settings.text("integrator"), settings.real("tolerance"), settings.real("friction_speed")),
            Some(_) => ("rk4", 1e-12, 1e-4),
        };
        Self { paradigm, integrator: integrator_named(word), tolerance, friction_speed }
    }

    pub(crate) fn of_step(&self, step_s: f64) -> integrate::IntegratorSettings {
        let absolute_tolerance = 0.1 * self.tolerance;
        integrate::IntegratorSettings { step_s, relative_tolerance: self.tolerance, absolute_tolerance }
    }
}

/// Rejects a tolerance other than the default for a fixed step, where it has no effect. (The default itself appears in
/// every spec that is written out and must be readable again.)
pub(crate) fn refuse_without_effect(settings: &Settings) -> Result<(), SpecError> {
    let chosen = Chosen::new(settings);
    let refused = |key: &str, why: String| {
        let (engine, value) = ("native".to_string(), settings.text(key).to_string());
        Err(SpecError::Value { engine, key: key.to_string(), value, why })
    };
    let paradigm = chosen.paradigm.unwrap_or(&paradigms::stepping::ENTRY);
    for (key, owner, word) in paradigm.owned {
        if settings.text(owner) != *word && !settings.is_default(key) {
            return refused(key, format!("it has no effect without {owner}={word}; add that or remove it"));
        }
    }
    if chosen.paradigm.is_some() || chosen.integrator.adaptive || settings.is_default("tolerance") {
        return Ok(());
    }
    let name = chosen.integrator.name;
    refused("tolerance", format!("{name} has no tolerance, its step is fixed; remove it or use integrator=dop853"))
}

#[cfg(test)]
mod tests {
    use crate::ENGINE;
    use veracity_engine::Engine;

    #[test]
    fn a_setting_without_effect_is_refused_with_a_sentence() {
        let resolve = |text: &str| ENGINE.resolve(&text.parse().unwrap());
        let error = resolve("native:rk4,tolerance=1e-9").unwrap_err().to_string();
        assert!(error.contains("rk4 has no tolerance"), "{error}");
        assert!(resolve("native:dop853,tolerance=1e-9").is_ok());
        let full = resolve("native").unwrap().full_spec();
        assert!(
            full.starts_with(
                "native:paradigm=auto,integrator=rk4,tolerance=1e-12,friction_speed=0.0001,coordinates="
            ),
            "{full}"
        );
        assert!(resolve(&full).is_ok());
        // A contact paradigm does not accept the settings of smooth motion.
        let error = resolve("native:paradigm=stepping,integrator=rk4").unwrap_err().to_string();
        assert!(error.contains("integrator") && error.contains("warm_start=on|off"), "{error}");
    }
}
