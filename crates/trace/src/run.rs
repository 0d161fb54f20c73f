//! Runs the particles of a trace on one engine.

use crate::bundle::Bundle;
use crate::cycle_start::{self, CycleStart};
use crate::particle::{Fate, Particle, Summary, rules};
use crate::sampling;
use crate::unseen::unseen_bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use veracity_engine::EngineSpec;
use veracity_lab::ensemble::{Reduced, Reduction};
use veracity_lab::plan::{Case, Planned, Point};
use veracity_lab::{Lab, LabError};
use veracity_model::{Digest, Overrides};
use veracity_record::Record;
use veracity_scenario::TraceSetup;
use veracity_scenario::file::trace_file::StartWord;
use veracity_scenario::trace::DecidedBy;

/// Outcome of a walker for which no limit cycle was found.
pub const NO_CYCLE: &str = "no cycle found";

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
        "{place}: {count} of {of} particles could not be run, the first because {why}; correct that, or reduce the spread of the uncertain numbers"
    )]
    Impossible {
        /// File and line of the uncertain numbers.
        place: String,
        /// Particles that cannot be run.
        count: usize,
        /// All particles.
        of: usize,
        /// Reason of the first.
        why: String,
    },
    /// A particle that the trace does not have.
    #[error("there is no particle {number}; the trace has {of}, from 0")]
    NoParticle {
        /// The number asked for.
        number: u64,
        /// Number of particles.
        of: u64,
    },
}

/// Called for every finished particle with its outcome, if it has one; calls come from several threads.
pub type Finished<'a> = &'a (dyn Fn(Option<&str>) + Sync);

/// Runs the particles of a trace with a lab.
pub struct Runner<'a> {
    lab: &'a Lab<'a>,
    setup: &'a TraceSetup,
    engine: &'a EngineSpec,
    base: Digest,
    noisy: Arc<veracity_scenario::Scenario>,
    noisy_base: Digest,
    rules: Vec<u8>,
}

/// By index: the fate known before the run, if any, and the scalars.
type Known = std::collections::BTreeMap<usize, (Option<Fate>, Vec<f64>)>;

/// A particle that is to run: the number of its random streams, and its values.
pub type Wanted = (u64, Vec<f64>);

impl<'a> Runner<'a> {
    /// For one of the trace's engines.
    pub fn new(lab: &'a Lab<'a>, setup: &'a TraceSetup, engine: &'a EngineSpec) -> Self {
        let noisy = setup.noisy();
        let (base, noisy_base) = (setup.scenario.digest(), noisy.digest());
        Self { lab, setup, engine, base, noisy, noisy_base, rules: rules(setup) }
    }

    /// Runs all particles, or as many as the trace's stopping rule asks for; stored ones are not run again.
    pub fn run(&self, finished: Finished<'_>) -> Result<Bundle, TraceError> {
        let count = self.setup.particles as usize;
        let bundle = Mutex::new(Bundle::new(count, self.setup.paths().len()));
        let block = self.setup.until.map_or(count, |u| u.every as usize + 1);
        let mut done = 0;
        while done < count {
            let next = (done + block).min(count);
            self.block(done, next, &bundle, finished)?;
            done = next;
            if let Some(until) = self.setup.until
                && unseen_bound(&behaviours(&lock(&bundle), done)) <= until.unseen
            {
                break;
            }
        }
        let mut bundle = bundle.into_inner().unwrap_or_else(PoisonError::into_inner);
        bundle.truncate(done);
        self.mostly_run(&bundle)?;
        Ok(bundle)
    }

    fn block(
        &self,
        from: usize,
        to: usize,
        bundle: &Mutex<Bundle>,
        finished: Finished<'_>,
    ) -> Result<(), TraceError> {
        let wanted = |i: usize| ((from + i) as u64, sampling::values(self.setup, (from + i) as u64));
        self.each(to - from, &wanted, &|i, (_, values), summary| {
            lock(bundle).put(from + i, &values, &summary);
            finished(match &summary.fate {
                Fate::Outcome(name) => Some(name),
                _ => None,
            });
        })
    }

    /// An error if most particles could not be run.
    fn mostly_run(&self, bundle: &Bundle) -> Result<(), TraceError> {
        let reasons = (0..bundle.len()).filter_map(|i| match bundle.fate(i) {
            Fate::NotRun(why) => Some(why),
            _ => None,
        });
        let reasons: Vec<String> = reasons.collect();
        match reasons.first() {
            Some(why) if 2 * reasons.len() > bundle.len() => Err(TraceError::Impossible {
                place: self.setup.file.clone(),
                count: reasons.len(),
                of: bundle.len(),
                why: why.clone(),
            }),
            _ => Ok(()),
        }
    }

    /// Runs a batch of particles and returns their summaries, in order.
    pub fn batch(&self, wanted: &[Wanted]) -> Result<Vec<Particle>, TraceError> {
        let found: Mutex<Vec<Option<Particle>>> = Mutex::new(wanted.iter().map(|_| None).collect());
        self.each(wanted.len(), &|i| wanted[i].clone(), &|i, (number, values), summary| {
            lock(&found)[i] = Some(Particle { number, values, summary });
        })?;
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.into_iter().collect::<Option<Vec<_>>>().ok_or(TraceError::Interrupted)
    }

    /// One run with these values of the uncertain numbers, as the particle of this number would have them.
    pub fn rerun(&self, number: u64, values: &[f64]) -> Result<Particle, TraceError> {
        self.batch(&[(number, values.to_vec())])?.pop().ok_or(TraceError::Interrupted)
    }

    /// The whole record of a particle, which is the one its summary was made from.
    pub fn record(&self, number: u64) -> Result<Result<Record, String>, TraceError> {
        if number >= self.setup.particles {
            return Err(TraceError::NoParticle { number, of: self.setup.particles });
        }
        let values = sampling::values(self.setup, number);
        let start = self.start(&values)?;
        match start.and_then(|(start, _)| self.planned(number, &values, &start)) {
            Ok(planned) => self.lab.full_record(&planned)?.map(Ok).ok_or(TraceError::Interrupted),
            Err(fate) => Ok(Err(match fate {
                Fate::Outcome(name) => name.to_string(),
                Fate::NotRun(why) | Fate::CannotTell(why) => why,
            })),
        }
    }

    fn each(
        &self,
        count: usize,
        wanted: &(dyn Fn(usize) -> Wanted + Sync),
        keep: &(dyn Fn(usize, Wanted, Summary) + Sync),
    ) -> Result<(), TraceError> {
        let trouble: Mutex<Option<TraceError>> = Mutex::new(None);
        // What a particle without a run becomes, and what is known of it before: kept from planning until it is reduced.
        let known: Mutex<Known> = Mutex::default();
        let plan = |i: usize| {
            let (number, values) = wanted(i);
            let (fate, scalars) = match self.start(&values) {
                Ok(Ok((start, scalars))) => match self.planned(number, &values, &start) {
                    Ok(planned) => {
                        lock(&known).insert(i, (self.before(&scalars), scalars));
                        return Ok(planned);
                    }
                    Err(fate) => (fate, scalars),
                },
                Ok(Err(fate)) => (fate, Vec::new()),
                Err(error) => {
                    lock(&trouble).get_or_insert(error);
                    (Fate::NotRun("the store failed".to_string()), Vec::new())
                }
            };
            lock(&known).insert(i, (Some(fate), scalars));
            Err(String::new())
        };
        let bytes_of = |record: &Record| {
            postcard::to_stdvec(&Summary::of(self.setup, record)).expect("a summary can be written to memory")
        };
        let reduction = Reduction { rules: &self.rules, of: &bytes_of };
        let reduced = |i: usize, reduced: Reduced<'_>| {
            let (fate, scalars) = lock(&known).remove(&i).unwrap_or_default();
            let mut summary = match reduced {
                Reduced::Summary { bytes, .. } => match postcard::from_bytes::<Summary>(bytes) {
                    Ok(summary) => summary,
                    Err(e) => Summary::without_run(Fate::NotRun(format!("its stored summary is damaged: {e}"))),
                },
                Reduced::Not(why) => Summary::without_run(Fate::NotRun(why.to_string())),
            };
            summary.scalars = scalars;
            if let Some(fate) = fate {
                summary.fate = fate;
            }
            keep(i, wanted(i), summary);
        };
        let left_out = self.lab.each(count, &plan, &reduction, &reduced)?;
        match trouble.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None if left_out > 0 => Err(TraceError::Interrupted),
            None => Ok(()),
        }
    }

    /// The numbers that are set, the start on the cycle included, and the scalars of the particle.
    #[allow(clippy::type_complexity)]
    fn start(&self, values: &[f64]) -> Result<Result<(Overrides, Vec<f64>), Fate>, TraceError> {
        let changes = sampling::overrides(self.setup, values);
        if self.setup.start == StartWord::Scenario {
            return Ok(Ok((changes, Vec::new())));
        }
        Ok(match cycle_start::find(self.lab, self.setup, self.base, &changes)? {
            CycleStart::Found { q, v, stride_radius, stride_s } => {
                let own = changes.iter().filter(|(path, _)| !path.starts_with("start/"));
                let own = own.map(|(path, x)| (path.to_string(), x));
                let start = self.setup.scenario.start_numbers(&q, &v);
                Ok((own.chain(start).collect(), vec![stride_radius, stride_s]))
            }
            CycleStart::NotFound(_) => Err(Fate::Outcome(NO_CYCLE.into())),
            CycleStart::Trouble(why) => Err(Fate::CannotTell(format!("limit cycle: {why}"))),
        })
    }

    /// The outcome that is known before the run, if any.
    fn before(&self, scalars: &[f64]) -> Option<Fate> {
        let radius = *scalars.first()?;
        self.setup.outcomes.iter().find_map(|rule| match rule.decided_by {
            DecidedBy::StrideRadius { above } if radius > above => Some(Fate::Outcome(rule.name.as_str().into())),
            _ => None,
        })
    }

    fn planned(&self, number: u64, values: &[f64], overrides: &Overrides) -> Result<Planned, Fate> {
        let setup = self.setup;
        // The nominal particle changes nothing but its start.
        let none = Overrides::new();
        let overrides = if number == 0 && setup.start == StartWord::Scenario { &none } else { overrides };
        // Nor has it noise.
        let (scenario, base) =
            if number == 0 { (&setup.scenario, self.base) } else { (&self.noisy, self.noisy_base) };
        let case = Case::with_inertias(scenario, base, overrides, setup.inertias);
        let case = case.map_err(|e| Fate::NotRun(e.to_string()))?;
        let engine = sampling::engine(setup, values).and_then(|i| setup.engines.get(i)).unwrap_or(self.engine);
        let point = Point {
            engine: engine.clone(),
            step_ns: setup.step_ns,
            seed: setup.seed,
            index: number,
            expected: None,
            expected_checks: Vec::new(),
        };
        let planned = self.lab.engines.plan_trial(&case, 0, &point).map_err(|e| Fate::NotRun(e.to_string()))?;
        // Controllers and estimators know the nominal robot, never the perturbed one.
        Ok(planned.assuming(&setup.scenario))
    }
}

/// Runs all particles; stored ones are not run again.
pub fn run(
    lab: &Lab<'_>,
    setup: &TraceSetup,
    engine: &EngineSpec,
    finished: Finished<'_>,
) -> Result<Bundle, TraceError> {
    Runner::new(lab, setup, engine).run(finished)
}

/// Number of particles of each behaviour among the first ones: events and outcome.
fn behaviours(bundle: &Bundle, first: usize) -> Vec<usize> {
    let mut counts: std::collections::BTreeMap<(Vec<Arc<str>>, Arc<str>), usize> = Default::default();
    for i in 1..first {
        let Some(outcome) = bundle.outcome(i) else { continue };
        let names = bundle.symbols(i, 1).into_iter().map(|s| s.name).collect();
        *counts.entry((names, outcome.clone())).or_default() += 1;
    }
    counts.into_values().collect()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
