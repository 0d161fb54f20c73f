//! What one particle leaves: its values, its events, its outcome and how near it came to another.

use crate::symbols::{Symbol, TOLERANCES, symbols};
use std::sync::Arc;
use veracity_lab::ensemble::Ran;
use veracity_lab::judging::judge_check;
use veracity_measure::{Better, Verdict};
use veracity_model::Digest;
use veracity_record::{Event, EventKind, Outcome, Record};
use veracity_scenario::TraceSetup;
use veracity_scenario::file::trace_file::WhenWord;
use veracity_scenario::trace::DecidedBy;

/// One run with its own values of the uncertain numbers.
#[derive(Clone, Debug)]
pub struct Particle {
    /// Its number: 0 is nominal.
    pub number: u64,
    /// Values of the uncertain numbers, in the order of [`TraceSetup::paths`].
    pub values: Vec<f64>,
    /// How it ended.
    pub fate: Fate,
    /// Symbols at each of [`TOLERANCES`].
    pub symbols: [Vec<Symbol>; 3],
    /// End of the run [s].
    pub end_s: f64,
    /// Distance of the margin's check to its bound, positive on the good side.
    pub margin: Option<f64>,
    /// Smallest gap of each named pair [m].
    pub least_gaps: Vec<f64>,
    /// Digest of its record.
    pub digest: Option<Digest>,
    /// CPU time of its run [s].
    pub cpu_s: f64,
}

/// How a particle ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    /// One of the outcomes, by name.
    Outcome(Arc<str>),
    /// It left no motion to judge: not expressible, too slow, failed, impossible values.
    NotRun(String),
    /// It ran, and a check that decides its outcome says nothing.
    CannotTell(String),
}

impl Particle {
    /// The outcome, if it has one.
    pub fn outcome(&self) -> Option<&Arc<str>> {
        match &self.fate {
            Fate::Outcome(name) => Some(name),
            _ => None,
        }
    }
}

/// Reduces what became of a trial.
pub fn reduce(setup: &TraceSetup, number: u64, values: Vec<f64>, ran: Ran<'_>) -> Particle {
    let mut particle = Particle {
        number,
        values,
        fate: Fate::NotRun(String::new()),
        symbols: Default::default(),
        end_s: 0.0,
        margin: None,
        least_gaps: Vec::new(),
        digest: None,
        cpu_s: 0.0,
    };
    let record = match ran {
        Ran::Record { record, .. } => record,
        Ran::Not(why) => {
            particle.fate = Fate::NotRun(why.to_string());
            return particle;
        }
    };
    particle.symbols = TOLERANCES.map(|t| symbols(&record.events, &setup.events, t));
    particle.end_s = record.track.times.last().copied().unwrap_or(0.0);
    particle.margin = setup.margin.as_ref().and_then(|name| margin(setup, record, name));
    particle.least_gaps.clone_from(&record.track.least_gaps);
    particle.digest = Some(record.digest());
    particle.cpu_s = record.host.cpu_s;
    particle.fate = fate(setup, record);
    particle
}

fn fate(setup: &TraceSetup, record: &Record) -> Fate {
    match &record.outcome {
        Outcome::Finished | Outcome::Stopped { .. } => {}
        // A motion that broke down is an answer of the engine; the others are not about the motion.
        Outcome::BrokeDown { .. } => return Fate::Outcome("broke down".into()),
        other => return Fate::NotRun(other.to_string()),
    }
    for rule in &setup.outcomes {
        let applies = match &rule.decided_by {
            DecidedBy::Touch { words } => record.events.iter().any(|e| touches(e, words)),
            DecidedBy::Check { name, when } => {
                let Some(check) = setup.scenario.checks.iter().find(|c| c.name == *name) else { continue };
                let judgement = judge_check(record, check, &Vec::new()).judgement;
                let applies = match when {
                    WhenWord::Accepted => judgement.verdict == Verdict::Accepted,
                    WhenWord::Rejected => judgement.verdict == Verdict::Rejected,
                    WhenWord::Happened => judgement.measured.as_ref().is_some_and(|m| m.value.is_finite()),
                };
                if !applies && judgement.verdict == Verdict::CannotTell {
                    return Fate::CannotTell(format!("{name}: {}", judgement.reason));
                }
                applies
            }
        };
        if applies {
            return Fate::Outcome(rule.name.as_str().into());
        }
    }
    Fate::Outcome(setup.otherwise.as_str().into())
}

fn touches(event: &Event, words: &[String]) -> bool {
    matches!(event.kind, EventKind::Impact | EventKind::Touch)
        && words.iter().all(|w| event.pair.contains(w.as_str()))
}

fn margin(setup: &TraceSetup, record: &Record, name: &str) -> Option<f64> {
    let check = setup.scenario.checks.iter().find(|c| c.name == name)?;
    let value = judge_check(record, check, &Vec::new()).judgement.measured?.value;
    let margin = match check.better {
        Better::Smaller => check.bound - value,
        Better::Larger => value - check.bound,
        Better::Between { least } => (check.bound - value).min(value - least),
    };
    margin.is_finite().then_some(margin)
}
