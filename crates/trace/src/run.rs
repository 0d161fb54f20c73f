//! Runs the particles of a trace on one engine.

use crate::particle::{Fate, Particle, reduce};
use crate::sampling;
use veracity_engine::EngineSpec;
use veracity_lab::plan::{Case, Planned, Point};
use veracity_lab::{Lab, LabError};
use veracity_model::Overrides;
use veracity_scenario::TraceSetup;

/// A trace cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The store or an engine spec.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// Ctrl-C.
    #[error("interrupted; run the same command again to continue: finished particles are stored")]
    Interrupted,
    /// Most particles could not be run: values that no world can have, a feature the engine lacks, too slow.
    #[error(
        "{count} of {of} particles could not be run, the first because: {why}; correct that, or reduce the spread of the uncertain numbers"
    )]
    Impossible {
        /// Particles that cannot be run.
        count: usize,
        /// All particles.
        of: usize,
        /// Reason of the first.
        why: String,
    },
}

/// Called for every finished particle; calls come from several threads.
pub type Finished<'a> = &'a (dyn Fn(&Particle) + Sync);

/// Runs all particles; stored ones are not run again.
pub fn run(
    lab: &Lab<'_>,
    setup: &TraceSetup,
    engine: &EngineSpec,
    finished: Finished<'_>,
) -> Result<Vec<Particle>, TraceError> {
    let nominal = sampling::nominal(setup);
    let values = |number: usize| sampling::values(setup, number as u64);
    let plan = |number: usize| {
        let overrides = values(number).map_or(Overrides::new(), |v| sampling::overrides(setup, &v));
        planned(lab, setup, engine, number as u64, &overrides)
    };
    let reduced = |number: usize, ran: veracity_lab::ensemble::Ran<'_>| {
        let values = values(number).unwrap_or_else(|| nominal.clone());
        let particle = reduce(setup, number as u64, values, ran);
        finished(&particle);
        particle
    };
    let found = lab.each(setup.particles as usize, &plan, &reduced)?;
    let count = found.len();
    let found: Vec<Particle> = found.into_iter().flatten().collect();
    if found.len() < count {
        return Err(TraceError::Interrupted);
    }
    let impossible = |p: &Particle| match &p.fate {
        Fate::NotRun(why) => Some(why.clone()),
        _ => None,
    };
    let reasons: Vec<String> = found.iter().filter_map(impossible).collect();
    match reasons.first() {
        Some(why) if 2 * reasons.len() > count => {
            Err(TraceError::Impossible { count: reasons.len(), of: count, why: why.clone() })
        }
        _ => Ok(found),
    }
}

/// One run with these values of the uncertain numbers, as the particle of this number would have them.
pub fn rerun(
    lab: &Lab<'_>,
    setup: &TraceSetup,
    engine: &EngineSpec,
    number: u64,
    values: &[f64],
) -> Result<Particle, TraceError> {
    let plan = |_: usize| planned(lab, setup, engine, number, &sampling::overrides(setup, values));
    let reduced = |_: usize, ran: veracity_lab::ensemble::Ran<'_>| reduce(setup, number, values.to_vec(), ran);
    let found = lab.each(1, &plan, &reduced)?;
    found.into_iter().flatten().next().ok_or(TraceError::Interrupted)
}

fn planned(
    lab: &Lab<'_>,
    setup: &TraceSetup,
    engine: &EngineSpec,
    number: u64,
    overrides: &Overrides,
) -> Result<Planned, String> {
    let case = Case::new(&setup.scenario, overrides).map_err(|e| e.to_string())?;
    let point = Point {
        engine: engine.clone(),
        step_ns: setup.step_ns,
        seed: setup.seed,
        index: number,
        expected: None,
        expected_checks: Vec::new(),
    };
    let planned = lab.engines.plan_trial(&case, 0, &point).map_err(|e| e.to_string())?;
    // Controllers and estimators know the nominal robot, never the perturbed one.
    Ok(planned.assuming(&setup.scenario))
}
