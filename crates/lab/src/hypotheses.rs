//! Hypotheses of a study: one control, one change, over all variations and seeds.
//!
//! A *pair* is two trials that differ in the change alone: same engine, step (as a multiple of the
//! scenario's own), seed and values of the varied numbers (or,
//! where the change is the engine, same scenario). With `a` the value of the check in the control and `b` in the change,
//! `f` the factor of the hypothesis, and smaller values the better ones (for larger ones the other way round),
//!
//! ```text
//! (1)  better:  b f ≤ a      worse:  a f ≤ b      same: neither
//! (2)  p = share of start states in which the claim holds,   k of n pairs:  Clopper and Pearson's 95 % interval of p
//! (3)  supported: interval above ½     refuted: interval below ½     cannot tell: ½ inside
//! ```
//!
//! A value at least as bad as `lost` counts as `lost`, and a pair in which both are lost tells nothing and is left out: how far
//! an object has flown when its trial ended says nothing about the grasp. A trial that broke down counts as infinitely bad, one that is not expressible, too slow or failed gives no pair; with
//! fewer than six pairs (3) cannot exclude ½. No distribution of the values is assumed, and one run that happens to be
//! lucky does not decide.

use crate::results::{Row, StudyResult};
use std::collections::BTreeMap;
use veracity_engine::EngineSpec;
use veracity_measure::statistics::{Interval, clopper_pearson, median};
use veracity_measure::{Better, TrialVerdict};
use veracity_scenario::{ClaimWord, Hypothesis, Side, Study};

/// Confidence of the interval (2).
const CONFIDENCE: f64 = 0.95;

/// What the pairs say about a hypothesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HypothesisVerdict {
    /// It holds in most start states.
    Supported,
    /// It does not hold in most start states.
    Refuted,
    /// The interval contains one half.
    CannotTell,
}

impl HypothesisVerdict {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            HypothesisVerdict::Supported => "supported",
            HypothesisVerdict::Refuted => "refuted",
            HypothesisVerdict::CannotTell => "cannot tell",
        }
    }
}

/// The pairs of one engine (or of one pair of engines) at one step.
#[derive(Clone, Debug, PartialEq)]
pub struct Pairs {
    /// The engine, or both: `a against b`.
    pub engine: String,
    /// The scenario, or both.
    pub scenario: String,
    /// [s]
    pub step_s: f64,
    /// Pairs in which the claim holds.
    pub holds: usize,
    /// Pairs with two values.
    pub pairs: usize,
    /// Pairs that tell nothing: a trial has no value, or both are lost.
    pub without: usize,
    /// Share of start states in which the claim holds.
    pub share: Interval,
    /// Median of the control's values, in the check's unit.
    pub control: f64,
    /// Median of the change's values.
    pub change: f64,
    /// Unit of both.
    pub unit: String,
    /// By (3).
    pub verdict: HypothesisVerdict,
}

/// A hypothesis with its pairs, one entry for each engine, scenario and step that has any.
#[derive(Clone, Debug, PartialEq)]
pub struct Weighed {
    /// Its short name.
    pub name: String,
    /// The claim.
    pub text: String,
    /// The check that decides.
    pub check: String,
    /// What was compared.
    pub pairs: Vec<Pairs>,
}

/// Decides every hypothesis of a study. `short` gives the name that rows have for a spec; `None` for an engine that is not
/// installed.
pub fn weigh(study: &Study, result: &StudyResult, short: &dyn Fn(&EngineSpec) -> Option<String>) -> Vec<Weighed> {
    study.evidence.hypotheses.iter().map(|h| weigh_one(h, study, result, short)).collect()
}

fn weigh_one(
    h: &Hypothesis,
    study: &Study,
    result: &StudyResult,
    short: &dyn Fn(&EngineSpec) -> Option<String>,
) -> Weighed {
    // Two scenarios may be meant for different steps: each at its own is a pair.
    let own_step_s: BTreeMap<&str, f64> =
        study.scenarios.iter().map(|s| (s.name.as_str(), s.step_ns as f64 * 1e-9)).collect();
    let of_own = |row: &Row| match own_step_s.get(row.scenario.as_str()) {
        Some(own) => (1e6 * row.step_s / own).round() as u64,
        None => row.step_s.to_bits(),
    };
    let named = |side: &Side| side.engine.as_ref().map(|spec| short(spec).unwrap_or_else(|| spec.to_string()));
    let of = |side: &Side, engine: &Option<String>, row: &Row| {
        side.scenario.as_ref().is_none_or(|s| *s == row.scenario) && engine.as_ref().is_none_or(|e| *e == row.engine)
    };
    let (from, to) = (named(&h.control), named(&h.change));
    // What both trials of a pair share; what the change replaces is left out.
    let key = |row: &Row| {
        let engine = if from.is_none() { row.engine.clone() } else { String::new() };
        let scenario = if h.control.scenario.is_none() { row.scenario.clone() } else { String::new() };
        let values: Vec<u64> = row.overrides.iter().map(|(_, x)| x.to_bits()).collect();
        ((engine, scenario, of_own(row)), (row.seed, values))
    };
    let mut groups: BTreeMap<_, Group> = BTreeMap::new();
    let mut order = Vec::new();
    let mut controls = BTreeMap::new();
    for row in result.rows.iter().filter(|row| of(&h.control, &from, row)) {
        controls.insert(key(row), row);
    }
    for row in result.rows.iter().filter(|row| of(&h.change, &to, row)) {
        let key = key(row);
        let Some(control) = controls.get(&key) else { continue };
        let group = groups.entry(key.0.clone()).or_insert_with(|| {
            order.push(key.0);
            Group::new(control, row)
        });
        group.add(h, control, row);
    }
    let pairs = order.iter().filter_map(|key| groups.remove(key)).map(Group::done).collect();
    Weighed { name: h.name.clone(), text: h.text.clone(), check: h.check.clone(), pairs }
}

/// Pairs of one engine, scenario and step.
struct Group {
    engine: String,
    scenario: String,
    step_s: f64,
    holds: usize,
    without: usize,
    controls: Vec<f64>,
    changes: Vec<f64>,
    unit: String,
}

impl Group {
    fn new(control: &Row, change: &Row) -> Self {
        let both = |a: &str, b: &str| if a == b { a.to_string() } else { format!("{b} against {a}") };
        Self {
            engine: both(&control.engine, &change.engine),
            scenario: both(&control.scenario, &change.scenario),
            step_s: change.step_s,
            holds: 0,
            without: 0,
            controls: Vec::new(),
            changes: Vec::new(),
            unit: String::new(),
        }
    }

    fn add(&mut self, h: &Hypothesis, control: &Row, change: &Row) {
        let (Some((a, larger)), Some((b, _))) = (value(control, &h.check), value(change, &h.check)) else {
            self.without += 1;
            return;
        };
        if self.unit.is_empty() {
            let check = change.checks.iter().chain(&control.checks).find(|c| c.name == h.check);
            self.unit = check.map_or(String::new(), |c| c.unit.clone());
        }
        let at_worst = |x: f64| h.lost.map_or(x, |lost| if larger { x.max(lost) } else { x.min(lost) });
        let (a, b) = (at_worst(a), at_worst(b));
        if h.lost.is_some_and(|lost| a == lost && b == lost) {
            self.without += 1;
            return;
        }
        self.holds += usize::from(holds(h.says, h.factor, a, b, larger));
        self.controls.push(a);
        self.changes.push(b);
    }

    fn done(self) -> Pairs {
        let pairs = self.controls.len();
        let share = clopper_pearson(self.holds as u64, pairs as u64, CONFIDENCE);
        let verdict = match () {
            () if share.low > 0.5 => HypothesisVerdict::Supported,
            () if share.high < 0.5 => HypothesisVerdict::Refuted,
            () => HypothesisVerdict::CannotTell,
        };
        let middle = |values: &[f64]| if values.is_empty() { f64::NAN } else { median(values) };
        Pairs {
            control: middle(&self.controls),
            change: middle(&self.changes),
            engine: self.engine,
            scenario: self.scenario,
            step_s: self.step_s,
            holds: self.holds,
            pairs,
            without: self.without,
            share,
            unit: self.unit,
            verdict,
        }
    }
}

/// The value of a check, and whether larger ones are better. A trial that broke down is infinitely bad.
fn value(row: &Row, check: &str) -> Option<(f64, bool)> {
    if matches!(row.verdict, TrialVerdict::NotExpressible | TrialVerdict::TooSlow | TrialVerdict::Failed) {
        return None;
    }
    let found = row.checks.iter().find(|c| c.name == check)?;
    let larger = found.judgement.better == Better::Larger;
    let worst = if larger { 0.0 } else { f64::INFINITY };
    let measured = found.judgement.measured.as_ref()?;
    Some((if measured.value.is_nan() { worst } else { measured.value }, larger))
}

/// (1)
fn holds(says: ClaimWord, factor: f64, control: f64, change: f64, larger_is_better: bool) -> bool {
    let by_factor = |good: f64, bad: f64| good * factor <= bad && good < bad;
    let (better, worse) = match larger_is_better {
        true => (by_factor(control, change), by_factor(change, control)),
        false => (by_factor(change, control), by_factor(control, change)),
    };
    match says {
        ClaimWord::Better => better,
        ClaimWord::Worse => worse,
        ClaimWord::Same => !better && !worse,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_counts_by_its_factor_and_its_direction() {
        let (better, worse, same) = (ClaimWord::Better, ClaimWord::Worse, ClaimWord::Same);
        // Slips: smaller is better.
        assert!(holds(better, 1.5, 3.0, 1.9, false) && !holds(better, 1.5, 3.0, 2.1, false));
        assert!(holds(worse, 1.5, 1.0, 1.5, false) && !holds(worse, 1.5, 1.0, 1.4, false));
        assert!(holds(same, 1.5, 1.0, 1.4, false) && holds(same, 1.5, 0.0, 0.0, false));
        // From a run that broke down to one that holds; two that broke down do not differ.
        assert!(holds(better, 1.5, f64::INFINITY, 1.0, false));
        assert!(holds(same, 1.5, f64::INFINITY, f64::INFINITY, false));
        // Times until the loss: larger is better, and never is the best.
        assert!(holds(better, 1.5, 2.0, f64::INFINITY, true) && holds(worse, 1.5, 2.0, 1.0, true));
        // Rounding is no difference: zero against zero.
        assert!(!holds(better, 1.5, 0.0, 0.0, false) && !holds(worse, 1.5, 0.0, 0.0, false));
    }

    /// Twenty start states in two scenarios; `better` of them slip half as much with the change.
    fn decided(better: usize, lost: Option<f64>) -> Pairs {
        use veracity_measure::{Measured, judge};
        use veracity_model::Digest;
        let row = |scenario: &str, start: usize, slip: f64| Row {
            scenario: scenario.to_string(),
            engine: "native".to_string(),
            full_spec: "native".to_string(),
            step_s: 1e-3,
            seed: 0,
            overrides: vec![("start/q/block/x".to_string(), start as f64)],
            verdict: TrialVerdict::Accepted,
            reason: String::new(),
            expected: None,
            expected_checks: Vec::new(),
            checks: vec![crate::results::CheckResult {
                name: "slip".to_string(),
                metric: "relative_displacement".to_string(),
                unit: "m".to_string(),
                judgement: judge(Ok(Measured::new(slip, 0.0)), 1e-3, "m"),
                against: String::new(),
                bound_reason: String::new(),
            }],
            digest: None,
            key: Digest::of(b""),
            cpu_s: 1.0,
            simulated_s: 1.0,
            steps: 1000,
            warnings: Vec::new(),
            stopped: None,
        };
        let slip = |start: usize| 1e-4 * (1.0 + start as f64);
        let mut rows: Vec<Row> = (0..20).map(|start| row("control", start, slip(start))).collect();
        // In another order: pairs are found by their start state.
        let change = |start: usize| slip(start) * if start < better { 0.5 } else { 1.0 };
        rows.extend((0..20).rev().map(|start| row("change", start, change(start))));
        let result = StudyResult {
            schema: crate::results::SCHEMA,
            study: String::new(),
            veracity_version: String::new(),
            rows,
            audit: Vec::new(),
            comparisons: Vec::new(),
            complete: true,
            guests: Vec::new(),
            absent: Vec::new(),
            axes: Vec::new(),
            boundaries: Vec::new(),
        };
        let side = |name: &str| Side { scenario: Some(name.to_string()), engine: None };
        let hypothesis = Hypothesis {
            name: "H".to_string(),
            text: String::new(),
            control: side("control"),
            change: side("change"),
            check: "slip".to_string(),
            says: ClaimWord::Better,
            factor: 1.5,
            lost,
        };
        let scenario = veracity_scenario::Scenario::built_in("simple_pendulum").unwrap();
        let mut study = Study::of_scenario(scenario, &[], Vec::new()).unwrap();
        study.evidence.hypotheses.push(hypothesis);
        weigh(&study, &result, &|_| None).remove(0).pairs.remove(0)
    }

    #[test]
    fn the_verdict_is_that_of_the_exact_interval() {
        // Clopper and Pearson, 95 %: 15 of 20 is 0.509 to 0.913, 14 of 20 is 0.457 to 0.881, 5 of 20 is 0.087 to 0.491.
        let found = decided(15, None);
        assert_eq!((found.holds, found.pairs, found.without), (15, 20, 0));
        assert!(
            (found.share.low - 0.509).abs() < 5e-4 && (found.share.high - 0.913).abs() < 5e-4,
            "{:?}",
            found.share
        );
        assert_eq!(found.verdict, HypothesisVerdict::Supported);
        assert_eq!(decided(14, None).verdict, HypothesisVerdict::CannotTell);
        assert_eq!(decided(6, None).verdict, HypothesisVerdict::CannotTell);
        assert_eq!(decided(5, None).verdict, HypothesisVerdict::Refuted);
        assert_eq!(decided(20, None).change, 0.5 * decided(0, None).change);
        // Slips of 0.1, 0.2 … mm, half of that with the change, lost from 0.4 mm on: in the first seven pairs the change is not lost,
        // and it is better by the factor up to 0.25 mm, in five of them.
        let found = decided(20, Some(4e-4));
        assert_eq!((found.holds, found.pairs, found.without), (5, 7, 13));
    }
}
