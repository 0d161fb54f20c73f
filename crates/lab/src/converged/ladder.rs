//! Ladders of runs: one spec refined repeatedly, from the coarsest run to the finest.

use crate::plan::Point;
use veracity_engine::EngineSpec;

/// How a ladder refines its spec from one run to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// An adaptive integrator: tolerances fall by a factor of 100, the session's step stays the same.
    Tolerance,
    /// The event-driven paradigm: every threshold and tolerance falls, and the step is divided.
    Event,
    /// Fixed steps: the step is divided; the values may be extrapolated to step zero (Richardson).
    Steps,
}

/// The runs of one method.
#[derive(Clone, Debug)]
pub struct Ladder {
    /// How the spec is refined.
    pub method: Method,
    /// The spec to refine, without the settings that the ladder changes.
    pub spec: EngineSpec,
    /// From the coarsest to the finest; at least three.
    pub rungs: Vec<Point>,
    /// Ratio of each run's step to that of the next run; 1 where the step stays the same.
    pub ratio: f64,
}

/// For smooth worlds.
const SMOOTH: &str = "native:integrator=dop853,tolerance=1e-12";
/// For worlds whose bodies touch.
const EVENT: &str = "native:paradigm=event";
/// Solved to rounding. The default residual, adequate for a run that is shown, is the same at every step, so that all
/// runs would agree on an answer that is off by it.
const STEPPING: &str = "native:paradigm=stepping,residual=1e-12,relative_residual=1e-12";

/// Thresholds of the event-driven paradigm in each of its three runs. The finest are the defaults of the paradigm,
/// except for `drift_bound`, whose default alone would leave an error of a micrometre. Each factor of ten shows the
/// effect of a threshold; a threshold that decides the motion makes the runs diverge.
const EVENT_THRESHOLDS: [&[(&str, &str)]; 3] = [
    &[
        ("tolerance", "1e-8"),
        ("zeno_height", "1e-7"),
        ("rest_speed", "1e-4"),
        ("touch_gap", "1e-7"),
        ("stick_speed", "1e-6"),
        ("drift_bound", "1e-6"),
    ],
    &[
        ("tolerance", "1e-10"),
        ("zeno_height", "1e-8"),
        ("rest_speed", "1e-5"),
        ("touch_gap", "1e-8"),
        ("stick_speed", "1e-7"),
        ("drift_bound", "3e-7"),
    ],
    &[
        ("tolerance", "1e-12"),
        ("zeno_height", "1e-9"),
        ("rest_speed", "1e-6"),
        ("touch_gap", "1e-9"),
        ("stick_speed", "1e-8"),
        ("drift_bound", "1e-7"),
    ],
];

/// Number of runs of a ladder of fixed steps: four, so that three differences show how the error shrinks.
const STEP_RUNS: u32 = 4;

/// Ladder for smooth worlds.
pub fn smooth(step_ns: i64) -> Result<Ladder, String> {
    tolerances(&parsed(SMOOTH)?, step_ns)
}

/// Ladder of the event-driven paradigm.
pub fn event(step_ns: i64) -> Result<Ladder, String> {
    let spec = parsed(EVENT)?;
    let ratio = ratio(step_ns, EVENT_THRESHOLDS.len() as u32)?;
    let mut rungs = Vec::new();
    for (step_ns, thresholds) in steps(step_ns, ratio, EVENT_THRESHOLDS.len() as u32).zip(EVENT_THRESHOLDS) {
        let mut refined = spec.clone();
        for (key, value) in thresholds {
            set(&mut refined, key, (*value).to_string());
        }
        // A quarter of the step, as the default is for a step of a millisecond. The engine accepts at most 10 ms.
        set(&mut refined, "capture", format!("{:e}", (0.25e-9 * step_ns as f64).min(1e-2)));
        rungs.push(point(refined, step_ns));
    }
    Ok(Ladder { method: Method::Event, spec, rungs, ratio: ratio as f64 })
}

/// Ladder of time stepping.
pub fn stepping(step_ns: i64) -> Result<Ladder, String> {
    fixed_steps(&parsed(STEPPING)?, step_ns)
}

/// Repeated halving of the step for any spec.
pub fn fixed_steps(spec: &EngineSpec, step_ns: i64) -> Result<Ladder, String> {
    let ratio = ratio(step_ns, STEP_RUNS)?;
    let rungs = steps(step_ns, ratio, STEP_RUNS).map(|step_ns| point(spec.clone(), step_ns)).collect();
    Ok(Ladder { method: Method::Steps, spec: spec.clone(), rungs, ratio: ratio as f64 })
}

/// An adaptive spec at 10⁴, 10² and one times its tolerance.
pub fn tolerances(spec: &EngineSpec, step_ns: i64) -> Result<Ladder, String> {
    let given = spec.settings.iter().find(|(key, _)| key == "tolerance").and_then(|(_, x)| x.parse::<f64>().ok());
    let finest = given.ok_or_else(|| format!("'{spec}' states no tolerance; write tolerance=…"))?;
    let rung = |factor: f64| {
        let mut refined = spec.clone();
        if factor > 1.0 {
            set(&mut refined, "tolerance", format!("{:e}", (factor * finest).min(1e-2)));
        }
        point(refined, step_ns)
    };
    Ok(Ladder { method: Method::Tolerance, spec: spec.clone(), rungs: [1e4, 1e2, 1.0].map(rung).into(), ratio: 1.0 })
}

fn parsed(text: &str) -> Result<EngineSpec, String> {
    text.parse().map_err(|e: veracity_engine::SpecError| e.to_string())
}

fn set(spec: &mut EngineSpec, key: &str, value: String) {
    match spec.settings.iter_mut().find(|(k, _)| k == key) {
        Some(setting) => setting.1 = value,
        None => spec.settings.push((key.to_string(), value)),
    }
}

fn point(engine: EngineSpec, step_ns: i64) -> Point {
    Point { engine, step_ns, seed: 0, index: 0, expected: None, expected_checks: Vec::new() }
}

/// The smallest factor by which a step of whole nanoseconds can be divided `runs - 1` times: two if it can be halved.
fn ratio(step_ns: i64, runs: u32) -> Result<i64, String> {
    let divides = |r: &i64| step_ns % r.pow(runs - 1) == 0;
    (2..=10).find(divides).ok_or_else(|| {
        format!("a step of {step_ns} ns cannot be divided {} times; choose one that can, e.g. 1000000", runs - 1)
    })
}

fn steps(step_ns: i64, ratio: i64, runs: u32) -> impl Iterator<Item = i64> {
    (0..runs).map(move |run| step_ns / ratio.pow(run))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_of_a_ladder_is_finer_than_the_one_before() {
        let event = event(1_000_000).unwrap();
        assert_eq!(event.rungs.iter().map(|p| p.step_ns).collect::<Vec<_>>(), [1_000_000, 500_000, 250_000]);
        let text: Vec<String> = event.rungs.iter().map(|p| p.engine.to_string()).collect();
        assert!(text[0].contains("tolerance=1e-8") && text[2].contains("tolerance=1e-12"), "{text:?}");
        assert!(text[2].contains("capture=6.25e-5"), "{text:?}");
        assert_eq!(stepping(1_000_000).unwrap().rungs[3].step_ns, 125_000);
        let smooth = smooth(1_000_000).unwrap();
        assert_eq!(smooth.rungs[2].engine, smooth.spec);
        assert_eq!(smooth.rungs[0].engine.to_string(), "native:integrator=dop853,tolerance=1e-8");
    }

    #[test]
    fn a_step_that_cannot_be_halved_is_divided_otherwise_or_refused() {
        // A 240th of a second in whole nanoseconds is 27 times a prime.
        assert_eq!(stepping(4_166_667).unwrap().ratio, 3.0);
        assert!(stepping(1_000_003).unwrap_err().contains("cannot be divided"));
    }
}
