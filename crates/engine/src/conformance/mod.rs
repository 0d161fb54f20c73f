//! The conformance suite: tests of the contract, run on an engine.
//!
//! Written once against the contract alone and run on every engine by each engine crate's tests. [`CLAIMS`] is the
//! list; one claim is one sentence and one function, which returns [`Evidence`] or what was found instead. Worlds are
//! small and known in closed form ([`scenes`]).
//!
//! Tolerances come from the step: an engine of order 1 may be off by (rate of change) x (step); bookkeeping (time,
//! samples, snapshots, refusals) must be exact. Every claim can fail: the tests of the native engine break it in one
//! way at a time and check that each claim fails.

mod allocation;
mod contact;
mod drives;
mod events;
mod guards;
mod honoured;
mod kinematics;
mod loads;
mod motion;
pub mod process;
mod refusals;
mod repetition;
mod reports;
mod samples;
pub mod scenes;
mod snapshots;
mod state;
mod time;
mod touching;
mod trace;
mod twin;

use crate::capability::Capabilities;
use crate::contract::{Engine, LoadOptions, Simulation};
use crate::settings::Settings;
use process::ResumeTask;
use std::panic::{AssertUnwindSafe, catch_unwind};
use veracity_model::World;

/// A requirement on every engine, and the experiment that tests it.
pub struct Claim {
    /// Stable, for tables and exceptions.
    pub name: &'static str,
    /// The claim in a sentence.
    pub says: &'static str,
    /// Runs the experiment. `Err` says what was found instead.
    pub run: fn(&Subject<'_>) -> Result<Evidence, String>,
}

/// Result of a claim that does not fail.
#[derive(Clone, Debug, PartialEq)]
pub enum Evidence {
    /// It holds; the numbers.
    Holds(String),
    /// The engine does not claim this, or the host cannot test it; why.
    DoesNotApply(String),
}

/// The engine under test, with its settings and step.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The engine.
    pub engine: &'a dyn Engine,
    /// Its settings.
    pub settings: &'a Settings,
    /// Step of fixed-step engines; adaptive ones begin with it [s]. The scenes are made for a millisecond.
    pub step_s: f64,
    /// What the program that runs the suite can do.
    pub host: Host<'a>,
}

/// Runs a task in a separate process and returns its answer.
pub type FreshProcess<'a> = &'a dyn Fn(&ResumeTask) -> Result<Vec<u8>, String>;

/// What the program that runs the suite can do. Claims that need more do not apply.
#[derive(Clone, Copy, Default)]
pub struct Host<'a> {
    /// See [`process`].
    pub fresh_process: Option<FreshProcess<'a>>,
    /// Number of allocations of this thread so far, from a counting global allocator.
    pub allocations: Option<fn() -> u64>,
}

/// A claim and its outcome.
pub struct Judgement {
    /// The claim.
    pub claim: &'static Claim,
    /// Evidence, or what was found instead.
    pub outcome: Result<Evidence, String>,
}

/// Every claim.
pub const CLAIMS: &[Claim] = &[
    state::READ_BACK,
    state::REFUSED,
    kinematics::BODIES,
    time::EXACT,
    time::UNEVEN,
    time::LIMIT,
    time::BATCHING,
    time::STOP,
    samples::BY_HAND,
    repetition::DETERMINISTIC,
    repetition::ANEW,
    snapshots::SAME,
    snapshots::FORK,
    snapshots::FRESH_PROCESS,
    snapshots::DAMAGED,
    snapshots::FOREIGN,
    guards::TIME,
    guards::CHOICE,
    guards::SPIN,
    guards::GAP,
    loads::GRAVITY,
    loads::EFFORTS,
    loads::WRENCHES,
    honoured::MODEL,
    drives::HOLD,
    drives::LAW,
    drives::FORM,
    motion::MOMENTUM,
    motion::TORQUE,
    motion::ENERGY,
    reports::REACTIONS,
    reports::ACCELERATIONS,
    reports::OWN_ENERGY,
    reports::TOTALS,
    reports::GAPS,
    refusals::INPUTS,
    refusals::BREAKDOWN,
    refusals::UNSUPPORTED,
    refusals::SETTINGS,
    contact::REST,
    touching::BOUNCE,
    touching::FRICTION,
    touching::LIMIT,
    touching::DRY,
    events::NEAR_MISS,
    events::LIMIT,
    events::CONTACT,
    events::BATCHING,
    events::RESTORED,
    twin::STORAGE,
    allocation::NONE,
];

impl Subject<'_> {
    /// The engine's declared capabilities.
    pub fn capabilities(&self) -> Capabilities {
        self.engine.capabilities(self.settings)
    }

    /// Allowed rounding: as given in double precision, else the rounding of lengths of about a metre and speeds of some
    /// metres a second in single precision, each rounded to 6e-8 of itself, in some ten operations.
    fn rounding(&self, double: f64) -> f64 {
        if self.capabilities().single_precision { 5e-6 } else { double }
    }

    /// Loads a world that every engine must be able to load.
    fn load(&self, world: &World) -> Result<Box<dyn Simulation>, String> {
        let options = LoadOptions { step_s: self.step_s };
        let loaded = self.engine.load(world, self.settings, &options);
        loaded.map_err(|e| format!("cannot load the world '{}': {e}", world.name))
    }
}

/// Tests every claim. A panic counts as a failed claim.
pub fn judge(subject: &Subject<'_>) -> Vec<Judgement> {
    CLAIMS.iter().map(|claim| Judgement { claim, outcome: try_claim(claim, subject) }).collect()
}

/// Tests one claim. A panic counts as a failed claim.
pub fn try_claim(claim: &Claim, subject: &Subject<'_>) -> Result<Evidence, String> {
    let tried = catch_unwind(AssertUnwindSafe(|| (claim.run)(subject)));
    tried.unwrap_or_else(|_| {
        Err("it panicked; numerical trouble and bad input must be returned as values".to_string())
    })
}

/// Tests every claim and fails on any failed claim that is not a named exception, each with its reason. An exception
/// for a claim that holds is an error as well. `Ok` is the table of evidence.
pub fn hold(subject: &Subject<'_>, exceptions: &[(&str, &str)]) -> Result<String, String> {
    let (mut table, mut broken) = (String::new(), String::new());
    for (name, _) in exceptions.iter().filter(|(name, _)| CLAIMS.iter().all(|c| c.name != *name)) {
        broken += &format!("exception for an unknown claim '{name}'\n");
    }
    for Judgement { claim, outcome } in judge(subject) {
        let exception = exceptions.iter().find(|(name, _)| *name == claim.name);
        let line = match (&outcome, exception) {
            (Ok(Evidence::Holds(numbers)), None) => format!("{}: holds ({numbers})\n", claim.name),
            (Ok(Evidence::DoesNotApply(why)), None) => format!("{}: does not apply ({why})\n", claim.name),
            (Err(found), Some((_, reason))) => format!("{}: excepted, {reason} ({found})\n", claim.name),
            (Err(found), None) => {
                broken += &format!("{}: {} Found instead: {found}\n", claim.name, claim.says);
                continue;
            }
            (Ok(_), Some(_)) => {
                broken += &format!("{}: is listed as an exception, but holds\n", claim.name);
                continue;
            }
        };
        table += &line;
    }
    if broken.is_empty() { Ok(table) } else { Err(format!("{}\n{broken}", subject.settings.full_spec())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_claims_are_sentences() {
        for (i, claim) in CLAIMS.iter().enumerate() {
            assert!(CLAIMS[..i].iter().all(|c| c.name != claim.name), "{} is listed twice", claim.name);
            assert!(claim.says.ends_with('.') && claim.says.len() > 20, "{}", claim.name);
            assert!(claim.name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{}", claim.name);
        }
    }
}
