//! Summary of one particle: its events, its outcome, how near it came to another, and a few rows of its motion.
//!
//! A [`Summary`] is stored instead of the record. The record itself can be made again from the particle's number, bit for bit.

use crate::symbols::{Symbol, TOLERANCES, symbols};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use veracity_lab::judging::judge_check;
use veracity_measure::{Better, Verdict};
use veracity_record::{Event, EventKind, Outcome, Record};
use veracity_scenario::TraceSetup;
use veracity_scenario::file::trace_file::WhenWord;
use veracity_scenario::trace::DecidedBy;

/// Rows of the motion that are kept for plots.
pub const ROWS: usize = 60;

/// Raised whenever the bytes of a [`Summary`] change their meaning.
const FORMAT: u32 = 1;

/// One run with its own values of the uncertain numbers.
#[derive(Clone, Debug)]
pub struct Particle {
    /// Its number: 0 is nominal.
    pub number: u64,
    /// Values of the uncertain numbers, in the order of [`TraceSetup::paths`].
    pub values: Vec<f64>,
    /// Its summary.
    pub summary: Summary,
}

/// What is kept of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// How it ended.
    pub fate: Fate,
    /// Symbols at each of [`TOLERANCES`].
    pub symbols: [Vec<Symbol>; 3],
    /// End of the run [s].
    pub end_s: f64,
    /// Distance of the margin's check to its bound, positive on the good side.
    pub margin: Option<f64>,
    /// Of each named pair: the smallest gap [m], and the largest closing speed on the way to it [m/s].
    pub gaps: Vec<[f64; 2]>,
    /// Positions at the end, in the order of the layout.
    pub last_q: Vec<f64>,
    /// Numbers known before the run, by name: those of its limit cycle.
    pub scalars: Vec<f64>,
    /// Times of the kept rows [s].
    pub times: Vec<f32>,
    /// Positions in the kept rows, row by row.
    pub rows: Vec<f32>,
    /// First eight bytes of the digest of the record; zero if there is none.
    pub digest: u64,
    /// CPU time of the run [s]. The only part that depends on the machine.
    pub cpu_s: f64,
}

/// How a particle ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Fate {
    /// One of the outcomes, by name.
    Outcome(Arc<str>),
    /// There is no motion to judge: not expressible, too slow, failed, impossible values.
    NotRun(String),
    /// It ran, and a check that decides its outcome says nothing.
    CannotTell(String),
}

impl Particle {
    /// The outcome, if it has one.
    pub fn outcome(&self) -> Option<&Arc<str>> {
        match &self.summary.fate {
            Fate::Outcome(name) => Some(name),
            _ => None,
        }
    }
}

impl Summary {
    /// Of a particle without a run.
    pub fn without_run(fate: Fate) -> Self {
        Self {
            fate,
            symbols: Default::default(),
            end_s: 0.0,
            margin: None,
            gaps: Vec::new(),
            last_q: Vec::new(),
            scalars: Vec::new(),
            times: Vec::new(),
            rows: Vec::new(),
            digest: 0,
            cpu_s: 0.0,
        }
    }

    /// Of a record.
    pub fn of(setup: &TraceSetup, record: &Record) -> Self {
        let digest = record.digest().0;
        let track = &record.track;
        let step = track.rows().div_ceil(ROWS).max(1);
        let kept: Vec<usize> = (0..track.rows()).step_by(step).chain(track.rows().checked_sub(1)).collect();
        Self {
            fate: fate(setup, record),
            symbols: TOLERANCES.map(|t| symbols(&record.events, &setup.events, t)),
            end_s: track.times.last().copied().unwrap_or(0.0),
            margin: setup.margin.as_ref().and_then(|name| margin(setup, record, name)),
            gaps: gaps(record),
            last_q: track.rows().checked_sub(1).map_or(Vec::new(), |last| track.q(last).to_vec()),
            scalars: Vec::new(),
            times: kept.iter().map(|&i| track.times[i] as f32).collect(),
            rows: kept.iter().flat_map(|&i| track.q(i)).map(|x| *x as f32).collect(),
            digest: u64::from_le_bytes(digest[..8].try_into().unwrap_or_default()),
            cpu_s: record.host.cpu_s,
        }
    }
}

/// Everything besides the trial that decides a summary, as bytes.
pub fn rules(setup: &TraceSetup) -> Vec<u8> {
    let checks: Vec<String> = setup
        .scenario
        .checks
        .iter()
        .map(|c| format!("{} {} {:?} {:?} {:?}", c.name, c.metric.name, c.options, c.bound, c.better))
        .collect();
    let TraceSetup { outcomes, otherwise, margin, events, .. } = setup;
    format!("particle {FORMAT} {outcomes:?} {otherwise:?} {margin:?} {events:?} {checks:?}").into_bytes()
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
            // Decided before the run.
            DecidedBy::StrideRadius { .. } => false,
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

/// The smallest gap of each pair over every step, and the largest closing speed over the recorded rows before it.
fn gaps(record: &Record) -> Vec<[f64; 2]> {
    let track = &record.track;
    let speed = |pair: usize| {
        let at = |row: usize| track.gaps[row * track.pairs + pair];
        let least = (0..track.rows()).filter(|&r| !at(r).is_nan()).min_by(|&a, &b| at(a).total_cmp(&at(b)));
        let closing = |r: usize| (at(r - 1) - at(r)) / (track.times[r] - track.times[r - 1]);
        let speeds = (1..=least.unwrap_or(0)).map(closing).filter(|s| s.is_finite());
        speeds.fold(0.0f64, f64::max)
    };
    track.least_gaps.iter().enumerate().map(|(pair, gap)| [*gap, speed(pair)]).collect()
}
