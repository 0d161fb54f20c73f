//! Runs studies.

use crate::axes::axes;
use crate::boundary::{self, Boundary};
use crate::comparing;
use crate::converged;
use crate::estimates::Estimates;
use crate::executor::Executor;
use crate::inspection;
use crate::judging::{self, Truths};
use crate::plan::{Case, Engines, Plan, PlanError, Planned};
use crate::progress::Progress;
use crate::results::{Row, SCHEMA, StudyResult};
use crate::session::{Refusal, Session, refused_record};
use crate::store::{Store, StoreError};
use crate::trial::Start;
use crate::watchdog::Watchdog;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use veracity_model::{Layout, Overrides};
use veracity_record::{Outcome, Record};
use veracity_scenario::{ReferenceKind, Scenario, Study, references};

/// Runs studies with a set of engines, a store and an executor.
pub struct Lab<'a> {
    /// The available engines.
    pub engines: Engines<'a>,
    /// Where records are stored.
    pub store: &'a Store,
    /// Runs the trials.
    pub executor: &'a dyn Executor,
    /// Set to end everything early: Ctrl-C.
    pub stop: Arc<AtomicBool>,
    /// Whether trials that are already stored run again.
    pub fresh: bool,
}

/// Why a study has no result.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The study cannot be planned.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The result cannot be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Lab<'_> {
    /// Runs every trial of a study that is not stored yet, judges all of them and stores the result. An interrupted
    /// study returns the rows that were finished.
    pub fn run(&self, study: &Study, progress: &dyn Progress) -> Result<StudyResult, LabError> {
        let plan = Plan::new(&self.engines, study)?;
        let watchdog = Watchdog::new(Arc::clone(&self.stop));
        let id = self.store.begin(&study.name, plan.len())?;
        let estimates = self.estimate(&plan)?;
        progress.planned(plan.len(), estimates.stored(), estimates.left_s());

        let prepared = SharedCases::new(&plan);
        let rows: Vec<Mutex<Option<Row>>> = (0..plan.len()).map(|_| Mutex::new(None)).collect();
        let trouble: Mutex<Option<LabError>> = Mutex::new(None);
        let keep = |number: usize, row: Row, ran: bool| {
            let left = estimates.finished(number, row.cpu_s, ran);
            progress.finished(&row, ran);
            progress.left(left.done_cpu_s, left.left_cpu_s);
            *lock(&rows[number]) = Some(row);
        };
        let one = |number: usize| -> Result<(), LabError> {
            let at = plan.case_of(number);
            let shared = prepared.get(at, || {
                let case = plan.case(at)?;
                let truths = self.truths_of(study, &case, &watchdog, progress)?;
                Ok((case, truths))
            })?;
            let (case, truths) = &*shared;
            let planned = plan.trial(number, case);
            // An interrupted trial has no result: it is dropped and runs again next time.
            if let Some((record, ran)) = self.record(&planned, &watchdog)? {
                keep(number, judging::row(&planned, &record, truths), ran);
            }
            prepared.done(at);
            Ok(())
        };
        let job = |number: usize| {
            if let Err(error) = one(number) {
                // Nothing more can be stored (a full disk): finish the trials in progress and report it.
                lock(&trouble).get_or_insert(error);
                self.stop.store(true, Ordering::Relaxed);
            }
        };
        let lost = |number: usize, why: String| match plan.case(plan.case_of(number)) {
            Ok(case) => keep(number, judging::lost_row(&plan.trial(number, &case), &why), true),
            Err(error) => drop(lock(&trouble).get_or_insert(error.into())),
        };
        self.executor.run(plan.len(), &job, &lost, &self.stop);
        if let Some(error) = lock(&trouble).take() {
            return Err(error);
        }
        let finished = |row: Mutex<Option<Row>>| row.into_inner().unwrap_or_else(PoisonError::into_inner);
        let rows: Vec<Row> = rows.into_iter().filter_map(finished).collect();
        let mut result = StudyResult {
            schema: SCHEMA,
            study: study.name.clone(),
            veracity_version: env!("CARGO_PKG_VERSION").to_string(),
            complete: rows.len() == plan.len(),
            comparisons: comparing::compare(self.store, &rows)?,
            audit: inspection::inspect_study(study, &rows),
            rows,
            guests: plan.guests.clone(),
            absent: plan.absent.iter().map(ToString::to_string).collect(),
            axes: axes(study),
            boundaries: Vec::new(),
        };
        if result.complete {
            result.boundaries = self.boundaries(study, &plan, &result, progress)?;
        }
        self.store.end(id, &result)?;
        Ok(result)
    }

    /// Locates the boundaries of acceptance that the study asks for.
    fn boundaries(
        &self,
        study: &Study,
        plan: &Plan<'_>,
        result: &StudyResult,
        progress: &dyn Progress,
    ) -> Result<Vec<Boundary>, LabError> {
        let watchdog = Watchdog::new(Arc::clone(&self.stop));
        let mut searches = Vec::new();
        for axis in &result.axes {
            let wanted = study.axes.iter().find(|wanted| wanted.path == axis.path);
            if let Some(width) = wanted.and_then(|wanted| wanted.boundary) {
                searches.extend(boundary::brackets(result, axis).into_iter().map(|bracket| (axis, width, bracket)));
            }
        }
        let found: Vec<Mutex<Option<Result<Boundary, LabError>>>> =
            searches.iter().map(|_| Mutex::new(None)).collect();
        let search = |number: usize| {
            let (axis, width, bracket) = &searches[number];
            let (accepted, other) = (&result.rows[bracket.accepted], &result.rows[bracket.other]);
            progress.boundary(accepted, &axis.name);
            let trial = |value: f64| -> Result<Option<Row>, LabError> {
                // A complete study has a row for each trial of its plan.
                let case = plan.changed(bracket.accepted, axis, value)?;
                let truths = self.truths_of(study, &case, &watchdog, &crate::progress::Silent)?;
                let planned = plan.trial(bracket.accepted, &case);
                let record = self.record(&planned, &watchdog)?;
                Ok(record.map(|(record, _)| judging::row(&planned, &record, &truths)))
            };
            *lock(&found[number]) = Some(boundary::bisect(axis, (accepted, other), *width, trial));
        };
        self.executor.run(searches.len(), &search, &|_, _| (), &self.stop);
        found.into_iter().filter_map(|one| one.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
    }

    /// The references of one case, for showing a study.
    pub fn references(&self, study: &Study, case: &Case) -> Result<Truths, LabError> {
        self.truths_of(study, case, &Watchdog::new(Arc::clone(&self.stop)), &crate::progress::Silent)
    }

    /// Judges a record by the checks of a scenario, whatever computed its motion; see [`judging::judge_record`] for
    /// `contacts_known`.
    pub fn judge(
        &self,
        scenario: &Arc<Scenario>,
        record: &Record,
        contacts_known: bool,
    ) -> Result<judging::JudgedRecord, LabError> {
        let case = Case::new(scenario, &Overrides::new())?;
        // A study without engines: it only says how a converged reference is made, by the default.
        let study = Study::of_scenario(Scenario::clone(scenario), &[], Vec::new());
        let study = study.map_err(|what| PlanError::Variation { scenario: scenario.name.clone(), what })?;
        let truths = self.references(&study, &case)?;
        Ok(judging::judge_record(record, &scenario.checks, &truths, contacts_known))
    }

    /// The record of a trial, from the store or by running it; `None` when it was interrupted.
    pub(crate) fn record(
        &self,
        planned: &Planned,
        watchdog: &Watchdog,
    ) -> Result<Option<(Record, bool)>, StoreError> {
        let capped = planned.key.too_slow(planned.setup.scenario.cpu_cap_s);
        for key in [planned.key, capped].into_iter().filter(|_| !self.fresh) {
            if let Some(record) = self.store.record(key)? {
                return Ok(Some((record, false)));
            }
        }
        let watch = watchdog.watch(planned.setup.scenario.cpu_cap_s);
        let mut record = run_checked(planned, watch.flag());
        if self.stop.load(Ordering::Relaxed) && matches!(record.outcome, Outcome::TooSlow { .. }) {
            return Ok(None);
        }
        record.head.key = Some(planned.key.0);
        match record.outcome {
            // A process that died may live another time.
            Outcome::Failed { .. } => {}
            // Its end depends on the cap, and somewhat on the machine's load: with another cap, or with --fresh, it runs
            // again. Without this a resumed study would spend the cap of every slow trial once more.
            Outcome::TooSlow { .. } => self.store.keep(capped, &record)?,
            _ => self.store.keep(planned.key, &record)?,
        }
        Ok(Some((record, true)))
    }

    fn truths_of(
        &self,
        study: &Study,
        case: &Case,
        watchdog: &Watchdog,
        progress: &dyn Progress,
    ) -> Result<Truths, LabError> {
        // A reference covers the whole duration: the `[stop]` of a trial must not stop the reference runs.
        let unstopped = case.without_stop();
        let case = &unstopped;
        let mut out = Vec::new();
        for reference in &case.scenario.references {
            let truth = match &reference.kind {
                ReferenceKind::Converged => {
                    progress.reference(&case.scenario.name);
                    let request = converged::Request {
                        name: &reference.name,
                        case,
                        named: study.converged.as_ref(),
                        points: &points_looked_at(&case.scenario),
                    };
                    converged::make(&request, &self.engines, &mut |point| -> Result<Option<Record>, LabError> {
                        let planned = self.engines.plan_trial(case, 0, point).map_err(PlanError::from)?;
                        Ok(self.record(&planned, watchdog)?.map(|(record, _)| record))
                    })?
                }
                _ => {
                    let times = record_times(&case.scenario);
                    references::work_out(reference, &case.scenario, &times).map_err(|why| why.to_string())
                }
            };
            out.push((reference.name.clone(), truth));
        }
        Ok(out)
    }

    /// The stored trials, and the estimated CPU time of the others from a few steps of each kind.
    fn estimate(&self, plan: &Plan<'_>) -> Result<Estimates, LabError> {
        let mut estimates = Estimates::default();
        for number in 0..plan.len() {
            let stored =
                !self.fresh && (self.store.has(plan.key(number))? || self.store.has(plan.too_slow_key(number))?);
            if stored {
                estimates.add_stored();
            } else if !estimates.add(plan.kind(number)) {
                let case = plan.case(plan.case_of(number))?;
                estimates.add_kind(plan.kind(number), pilot_cost_s(&plan.trial(number, &case)));
            }
        }
        Ok(estimates)
    }
}

/// A case with its references.
type Prepared = Arc<(Case, Truths)>;

/// The cases in progress: made when the first trial of a case needs it, dropped after its last.
struct SharedCases {
    cases: Vec<Mutex<(u32, Option<Prepared>)>>,
}

impl SharedCases {
    fn new(plan: &Plan<'_>) -> Self {
        let mut counts = vec![0u32; plan.cases()];
        (0..plan.len()).for_each(|trial| counts[plan.case_of(trial)] += 1);
        Self { cases: counts.into_iter().map(|count| Mutex::new((count, None))).collect() }
    }

    fn get(
        &self,
        case: usize,
        make: impl FnOnce() -> Result<(Case, Truths), LabError>,
    ) -> Result<Prepared, LabError> {
        let mut entry = lock(&self.cases[case]);
        if let Some(prepared) = &entry.1 {
            return Ok(Arc::clone(prepared));
        }
        let prepared = Arc::new(make()?);
        entry.1 = Some(Arc::clone(&prepared));
        Ok(prepared)
    }

    fn done(&self, case: usize) {
        let mut entry = lock(&self.cases[case]);
        entry.0 = entry.0.saturating_sub(1);
        if entry.0 == 0 {
            entry.1 = None;
        }
    }
}

/// [`run_trial`]; rows that no reader would accept, whatever produced them, fail this trial and no other.
pub(crate) fn run_checked(planned: &Planned, stop: Arc<AtomicBool>) -> Record {
    let record = run_trial(planned, Some(stop));
    let Some(fault) = rows_fault(&record) else { return record };
    let reason = format!("the engine left rows that cannot be stored: {fault}");
    refused_record(planned.engine, &planned.settings, &planned.setup, Refusal(Outcome::Failed { reason }))
}

/// Runs one trial from its start: a pure function of the planned trial, whatever the machine's load.
pub fn run_trial(planned: &Planned, stop: Option<Arc<AtomicBool>>) -> Record {
    let assumed = planned.assumed.as_deref();
    match Session::open_assuming(planned.engine, &planned.settings, planned.setup.clone(), assumed) {
        Ok(mut session) => {
            if let Some(stop) = stop {
                session.set_stop(stop);
            }
            if let Start::Snapshot { blob } = &planned.spec.start
                && let Err(reason) = session.restore(blob)
            {
                let refusal = Refusal(Outcome::Failed { reason });
                return refused_record(planned.engine, &planned.settings, &planned.setup, refusal);
            }
            session.run_to_end();
            session.finish()
        }
        Err(refusal) => refused_record(planned.engine, &planned.settings, &planned.setup, refusal),
    }
}

/// What is wrong with the rows of a record: columns of different lengths, times that do not increase.
fn rows_fault(record: &Record) -> Option<String> {
    let times = &record.track.times;
    let at = times.iter().zip(times.iter().skip(1)).position(|(a, b)| a >= b || a.is_nan() || b.is_nan());
    let order = at.map(|i| format!("row {} of {} s comes after {} s", i + 1, times[i + 1], times[i]));
    record
        .track
        .fault()
        .or(order)
        .or_else(|| times.iter().any(|t| !t.is_finite()).then(|| "a time is not a number".into()))
}

/// Estimated CPU time of a trial, from a hundredth of its duration and at most fifty steps [s].
fn pilot_cost_s(planned: &Planned) -> f64 {
    let duration_ns = planned.setup.scenario.duration_ns;
    let Ok(mut session) = Session::open(planned.engine, &planned.settings, planned.setup.clone()) else { return 0.0 };
    let part = (duration_ns / 100).min(50 * planned.setup.step_ns) / planned.setup.step_ns * planned.setup.step_ns;
    let part = part.max(planned.setup.step_ns).min(duration_ns);
    session.advance_to(part);
    session.finish().host.cpu_s * duration_ns as f64 / part.max(1) as f64
}

/// The instants at which rows are recorded [s].
fn record_times(scenario: &Scenario) -> Vec<f64> {
    let every = scenario.record_every_ns.max(1);
    (0..=scenario.duration_ns / every).map(|i| (i * every) as f64 * 1e-9).collect()
}

/// Points of bodies that checks look at.
fn points_looked_at(scenario: &Scenario) -> Vec<(usize, [f64; 3])> {
    let layout = Layout::new(&scenario.world);
    let looked = |c: &veracity_scenario::Check| Some((layout.body(c.options.of.as_deref()?)?, c.options.point?));
    scenario.checks.iter().filter_map(looked).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
