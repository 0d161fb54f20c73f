//! Settings of the engine that moves a walker, from its spec.

use crate::engines;
use anyhow::{Context, bail, ensure};
use veracity_cycle::{EventDrivenSettings, Smooth};
use veracity_engine::EngineSpec;

/// The frozen default of the event-driven paradigm.
pub const DEFAULT: &str = "native:paradigm=event";

/// Settings of the engine that change a walker's smooth motion.
const OF_ENGINE: [&str; 3] = ["paradigm", "integrator", "tolerance"];

/// Reads a spec: settings of the native engine that change a walker's smooth motion, and `step`, the step of a fixed-step
/// integrator [s], which elsewhere is the scenario's. Anything else is rejected.
pub fn settings(text: &str) -> anyhow::Result<EventDrivenSettings> {
    let mut spec: EngineSpec = text.parse()?;
    ensure!(
        spec.engine == "native",
        "'{text}' cannot be used for cycles: only native locates strikes inside a step; write {DEFAULT}"
    );
    let mut settings = EventDrivenSettings::default();
    if let Some(at) = spec.settings.iter().position(|(key, _)| key == "step") {
        let (_, value) = spec.settings.remove(at);
        let number = value.parse::<f64>().ok().filter(|x| x.is_finite() && *x > 0.0);
        settings.step_s = number.with_context(|| format!("step={value}: it must be a positive number"))?;
    }
    let resolved = engines::resolve(&spec)?.settings;
    match resolved.text("paradigm") {
        "event" => {}
        "auto" => bail!("'{text}' does not say its paradigm; write {DEFAULT}"),
        other => bail!(
            "paradigm={other} does not locate strikes, so its strides have no derivative; write {DEFAULT} (docs/cycles.md says \
             how time stepping is compared)"
        ),
    }
    let other = resolved.known().find(|s| !OF_ENGINE.contains(&s.key) && !resolved.is_default(s.key));
    if let Some(other) = other {
        bail!("'{}' cannot be set for cycles; there are {} and step", other.key, OF_ENGINE.join(", "));
    }
    settings.integrator = if resolved.text("integrator") == "rk4" { Smooth::Rk4 } else { Smooth::Dop853 };
    settings.relative_tolerance = resolved.real("tolerance");
    settings.absolute_tolerance = 0.1 * settings.relative_tolerance;
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_the_default_and_what_cannot_be_honoured_is_refused() {
        assert_eq!(settings(DEFAULT).unwrap(), EventDrivenSettings::default());
        let rk4 = settings("native:paradigm=event,integrator=rk4,step=0.01").unwrap();
        assert_eq!((rk4.integrator, rk4.step_s), (Smooth::Rk4, 0.01));
        for (bad, says) in [
            ("rapier", "only native"),
            ("native", "does not say its paradigm"),
            ("native:paradigm=stepping", "does not locate strikes"),
            ("native:paradigm=event,tolerance=-1", "tolerance"),
            ("native:paradigm=event,step=-1", "positive"),
            ("native:paradigm=event,iters=4", "cannot be set"),
            ("native:paradigm=event,integrator=euler", "dop853"),
        ] {
            let error = settings(bad).unwrap_err().to_string();
            assert!(error.contains(says), "{bad}: {error}");
        }
    }
}
