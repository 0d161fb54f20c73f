//! Settings of the engine that moves a walker, from its spec.

use anyhow::{Context, bail, ensure};
use veracity_cycle::{EventDrivenSettings, Smooth};
use veracity_engine::EngineSpec;

/// The frozen default of the event-driven paradigm.
pub const DEFAULT: &str = "native:paradigm=event";

/// Reads a spec. Only settings that change a walker's smooth motion are accepted; anything else is rejected.
pub fn settings(text: &str) -> anyhow::Result<EventDrivenSettings> {
    let spec: EngineSpec = text.parse()?;
    ensure!(
        spec.engine == "native" && spec.version.is_none(),
        "'{text}' cannot be asked for cycles: only native locates strikes inside a step; write {DEFAULT}"
    );
    let mut settings = EventDrivenSettings::default();
    let mut paradigm = None;
    for (key, value) in &spec.settings {
        let number = || value.parse::<f64>().ok().filter(|x| x.is_finite() && *x > 0.0);
        let number = || number().with_context(|| format!("{key}={value}: it must be a positive number"));
        match key.as_str() {
            "paradigm" => paradigm = Some(value.as_str()),
            "integrator" => {
                settings.integrator = match value.as_str() {
                    "dop853" => Smooth::Dop853,
                    "rk4" => Smooth::Rk4,
                    other => bail!("integrator={other}: the event paradigm has dop853 and rk4"),
                }
            }
            "step" => settings.step_s = number()?,
            "tolerance" => {
                settings.relative_tolerance = number()?;
                settings.absolute_tolerance = 0.1 * settings.relative_tolerance;
            }
            other => bail!("'{other}' cannot be set for cycles; there are paradigm, integrator, step and tolerance"),
        }
    }
    match paradigm {
        Some("event") => Ok(settings),
        Some(other) => bail!(
            "paradigm={other} does not locate strikes, so its strides have no derivative; write {DEFAULT} (docs/cycles.md says \
             how time stepping is compared)"
        ),
        None => bail!("'{text}' does not say its paradigm; write {DEFAULT}"),
    }
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
            ("native:paradigm=event,tolerance=-1", "positive"),
            ("native:paradigm=event,iters=4", "cannot be set"),
            ("native:paradigm=event,integrator=euler", "dop853 and rk4"),
        ] {
            let error = settings(bad).unwrap_err().to_string();
            assert!(error.contains(says), "{bad}: {error}");
        }
    }
}
