//! The document `--json` prints for every command that runs trials; described in docs/json.md and tested against
//! docs/schema/results.json.

use super::json_variations::{LocatedBoundary, Map, RangeRanking, VariedAxis};
use serde::{Deserialize, Serialize};
use veracity_lab::{
    Answer, CheckResult, Comparison, Conclusion, ExperimentFinding, Leaderboard, Place, Regression, Row, StudyResult,
    TrialVerdict, answers, leaderboards, range_boards, verdict_maps,
};
use veracity_measure::verdict::words;
use veracity_measure::{Better, Verdict, task_conditions};
use veracity_model::Finding;

/// Name of the schema; the number grows when a field changes its meaning or is removed.
pub const SCHEMA: &str = "veracity-results/1";

/// Results of a study.
#[derive(Serialize, Deserialize)]
pub struct StudyDocument {
    pub schema: String,
    pub version: String,
    pub study: String,
    pub exit_code: u8,
    /// Conclusion, in one line.
    #[serde(default)]
    pub conclusion: Option<String>,
    pub complete: bool,
    /// Digest of the deterministic part of every record.
    pub digest: String,
    pub audit: Vec<Audit>,
    pub trials: Vec<Trial>,
    /// For each scenario the engine to use and why the others fail, as sentences.
    #[serde(default)]
    pub answers: Vec<Answered>,
    /// Ranking of the engine specs, for each scenario.
    #[serde(default)]
    pub leaderboards: Vec<Board>,
    /// Ranking over the whole range of the variations, for each scenario that has several.
    #[serde(default)]
    pub range_leaderboards: Vec<RangeRanking>,
    /// The numbers that the study varies.
    #[serde(default)]
    pub axes: Vec<VariedAxis>,
    /// Verdicts over two dimensions of the study.
    #[serde(default)]
    pub maps: Vec<Map>,
    /// Where acceptance ends along an axis.
    #[serde(default)]
    pub boundaries: Vec<LocatedBoundary>,
    /// Specs of the study whose engine is not installed.
    #[serde(default)]
    pub absent: Vec<String>,
    pub comparisons: Vec<Compared>,
    /// What got worse than the baseline; `null` if none was given.
    pub regressions: Option<Vec<String>>,
    /// Claims about one change, decided over variations and seeds.
    #[serde(default)]
    pub hypotheses: Vec<DecidedHypothesis>,
    /// What a later comparison with this document allows, by check; copied from the baseline.
    #[serde(default)]
    pub tolerances: Vec<Tolerance>,
}

/// A hypothesis of a study on one engine (or pair of engines) at one step.
#[derive(Serialize, Deserialize)]
pub struct DecidedHypothesis {
    pub name: String,
    pub text: String,
    pub check: String,
    pub scenario: String,
    pub engine: String,
    pub step_s: f64,
    /// `supported`, `refuted` or `cannot tell`.
    pub verdict: String,
    /// Pairs in which the claim holds, pairs, and pairs that tell nothing.
    pub holds: usize,
    pub pairs: usize,
    pub without: usize,
    /// 95 % interval of the share of start states in which the claim holds.
    pub share: [f64; 2],
    /// Medians of the check in the control and in the change; `null` where they are not finite.
    pub control: Option<f64>,
    pub change: Option<f64>,
    pub unit: String,
}

/// The hypotheses of a study.
pub fn hypotheses(study: &veracity_scenario::Study, result: &StudyResult) -> Vec<DecidedHypothesis> {
    let finite = |x: f64| x.is_finite().then_some(x);
    let mut out = Vec::new();
    for h in super::evidence::hypotheses(study, result) {
        out.extend(h.pairs.into_iter().map(|p| DecidedHypothesis {
            name: h.name.clone(),
            text: h.text.clone(),
            check: h.check.clone(),
            scenario: p.scenario,
            engine: p.engine,
            step_s: p.step_s,
            verdict: p.verdict.text().to_string(),
            holds: p.holds,
            pairs: p.pairs,
            without: p.without,
            share: [p.share.low, p.share.high],
            control: finite(p.control),
            change: finite(p.change),
            unit: p.unit,
        }));
    }
    out
}

/// How far a check may get worse before it counts as a regression. The first entry that fits decides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tolerance {
    /// Name of the check.
    pub check: String,
    /// Only in this scenario.
    #[serde(default)]
    pub scenario: Option<String>,
    /// Only on this engine, as `engine` or `full_spec` of a trial.
    #[serde(default)]
    pub engine: Option<String>,
    /// The number may grow by this factor.
    #[serde(default)]
    pub factor: Option<f64>,
    /// The number may get worse by this much, in its own unit.
    #[serde(default)]
    pub absolute: Option<f64>,
    /// Why.
    #[serde(default)]
    pub why: String,
}

#[derive(Serialize, Deserialize)]
pub struct Answered {
    pub scenario: String,
    /// Index into `trials` of the accepted trial with the least CPU time per simulated second.
    pub cheapest: Option<usize>,
    /// Index into `trials` of the accepted trial with the smallest fraction of its bound.
    pub most_accurate: Option<usize>,
    pub lines: Vec<String>,
}

#[derive(Serialize, Deserialize)]
pub struct Board {
    pub scenario: String,
    /// Metric of the scenario's first check; `null` if nothing was measured.
    pub metric: Option<String>,
    pub unit: String,
    /// Changed numbers, the same in every row.
    #[serde(default)]
    pub overrides: Vec<Override>,
    pub places: Vec<Ranked>,
}

#[derive(Serialize, Deserialize)]
pub struct Ranked {
    /// `null` without a number to rank by.
    pub rank: Option<usize>,
    /// Index into `trials`.
    pub trial: usize,
    pub engine: String,
    pub step_s: f64,
    #[serde(with = "words")]
    pub verdict: TrialVerdict,
    /// The check of the metric that is nearest to its bound, or furthest beyond it.
    pub check: Option<String>,
    pub error: Option<f64>,
    pub uncertainty: Option<f64>,
    pub bound: Option<f64>,
    pub cpu_per_simulated_s: Option<f64>,
    pub steps_per_cpu_s: Option<f64>,
}

#[derive(Serialize, Deserialize)]
pub struct Compared {
    pub scenario: String,
    pub comparison: String,
    pub engines: Vec<String>,
    pub steps_s: Vec<f64>,
    /// `null` where it is not finite: records never diverged, or it cannot be determined; the note says which.
    pub value: Option<f64>,
    pub uncertainty: f64,
    pub note: String,
}

#[derive(Serialize, Deserialize)]
pub struct Audit {
    pub scenario: String,
    /// The whole finding in a line.
    pub text: String,
    /// The finding with its parts.
    #[serde(default)]
    pub finding: Option<Finding>,
}

#[derive(Serialize, Deserialize)]
pub struct Trial {
    pub scenario: String,
    pub engine: String,
    pub full_spec: String,
    pub step_s: f64,
    pub seed: u64,
    pub overrides: Vec<Override>,
    #[serde(with = "words")]
    pub verdict: TrialVerdict,
    pub reason: String,
    pub expected: Option<String>,
    pub as_expected: Option<bool>,
    /// Expected verdicts of single checks.
    #[serde(default)]
    pub expected_checks: Vec<ExpectedCheck>,
    /// Whether it ran because its engine is installed: without an expectation it decides nothing.
    #[serde(default)]
    pub guest: bool,
    pub checks: Vec<Check>,
    pub digest: Option<String>,
    pub cpu_s: f64,
    pub simulated_s: f64,
    pub steps: u64,
    pub warnings: Vec<String>,
    /// What ended the trial before its duration; `null` if nothing did.
    #[serde(default)]
    pub stopped: Option<StoppedTrial>,
}

#[derive(Serialize, Deserialize)]
pub struct StoppedTrial {
    pub at_s: f64,
    pub check: String,
    pub reason: String,
}

#[derive(Serialize, Deserialize)]
pub struct ExpectedCheck {
    pub check: String,
    #[serde(with = "words")]
    pub verdict: TrialVerdict,
}

#[derive(Serialize, Deserialize)]
pub struct Override {
    pub path: String,
    pub value: f64,
}

#[derive(Serialize, Deserialize)]
pub struct Check {
    pub name: String,
    pub metric: String,
    pub unit: String,
    #[serde(with = "words")]
    pub verdict: Verdict,
    /// `null` where there is no number or it is not finite; the reason says which.
    pub value: Option<f64>,
    pub uncertainty: Option<f64>,
    pub at_s: Option<f64>,
    pub said_by_engine: Option<f64>,
    /// `null` where a task condition must come true, or must not, at any time.
    pub bound: Option<f64>,
    /// Both sides of the bound; `null` for an open side.
    #[serde(default)]
    pub at_least: Option<f64>,
    #[serde(default)]
    pub at_most: Option<f64>,
    /// For a task condition (held, dropped, fell, reached): whether it happened, and when.
    #[serde(default)]
    pub condition: Option<ConditionOfCheck>,
    pub bound_reason: String,
    pub against: String,
    pub reason: String,
}

#[derive(Serialize, Deserialize)]
pub struct ConditionOfCheck {
    pub happened: bool,
    pub at_s: Option<f64>,
    pub error_s: Option<f64>,
    /// The last evaluated row, if it did not happen.
    pub followed_until_s: Option<f64>,
}

impl StudyDocument {
    pub fn new(result: &StudyResult, conclusion: &Conclusion) -> Self {
        let worse = |all: &Vec<Regression>| all.iter().map(|r| r.text.clone()).collect();
        let audit = |f: &ExperimentFinding| Audit {
            scenario: f.scenario.clone(),
            text: f.finding.to_string(),
            finding: Some(f.finding.clone()),
        };
        Self {
            schema: SCHEMA.to_string(),
            version: result.veracity_version.clone(),
            study: result.study.clone(),
            exit_code: conclusion.exit_code(),
            conclusion: Some(format!("{}: {}", conclusion.headline, conclusion.summary)),
            complete: result.complete,
            digest: result.digest().to_string(),
            audit: result.audit.iter().map(audit).collect(),
            trials: trials(result),
            answers: answers(result).into_iter().map(Answered::new).collect(),
            leaderboards: leaderboards(result).iter().map(|board| Board::new(board, &result.rows)).collect(),
            range_leaderboards: range_boards(result).iter().map(RangeRanking::new).collect(),
            axes: result.axes.iter().map(VariedAxis::new).collect(),
            maps: verdict_maps(result).into_iter().map(Map::new).collect(),
            boundaries: result.boundaries.iter().map(LocatedBoundary::new).collect(),
            absent: result.absent.clone(),
            comparisons: result.comparisons.iter().map(Compared::new).collect(),
            regressions: conclusion.regressions.as_ref().map(worse),
            hypotheses: Vec::new(),
            tolerances: Vec::new(),
        }
    }
}

pub(super) fn overrides(changed: &[(String, f64)]) -> Vec<Override> {
    changed.iter().map(|(path, value)| Override { path: path.clone(), value: *value }).collect()
}

/// Every trial, in the order of the rows.
pub fn trials(result: &StudyResult) -> Vec<Trial> {
    result.rows.iter().map(|row| Trial::new(row, result.is_guest(row))).collect()
}

impl Answered {
    fn new(answer: Answer) -> Self {
        let Answer { scenario, cheapest, most_accurate, lines } = answer;
        Self { scenario, cheapest, most_accurate, lines }
    }
}

impl Board {
    fn new(board: &Leaderboard, rows: &[Row]) -> Self {
        Self {
            scenario: board.scenario.clone(),
            metric: board.metric.clone(),
            unit: board.unit.clone(),
            overrides: overrides(&board.overrides),
            places: board.places.iter().map(|place| Ranked::new(place, &rows[place.row])).collect(),
        }
    }
}

impl Ranked {
    fn new(place: &Place, row: &Row) -> Self {
        Self {
            rank: place.rank,
            trial: place.row,
            engine: row.engine.clone(),
            step_s: row.step_s,
            verdict: row.verdict,
            check: place.error.map(|e| row.checks[e.check].name.clone()),
            error: place.error.map(|e| e.value),
            uncertainty: place.error.map(|e| e.uncertainty).filter(|u| u.is_finite()),
            bound: place.error.map(|e| e.bound),
            cpu_per_simulated_s: row.cpu_per_simulated_s(),
            steps_per_cpu_s: row.steps_per_cpu_s(),
        }
    }
}

impl Compared {
    fn new(c: &Comparison) -> Self {
        Self {
            scenario: c.scenario.clone(),
            comparison: c.comparison.clone(),
            engines: c.engines.clone(),
            steps_s: c.steps_s.clone(),
            value: c.value.is_finite().then_some(c.value),
            uncertainty: c.uncertainty,
            note: c.note.clone(),
        }
    }
}

impl Trial {
    fn new(row: &Row, guest: bool) -> Self {
        Self {
            guest,
            scenario: row.scenario.clone(),
            engine: row.engine.clone(),
            full_spec: row.full_spec.clone(),
            step_s: row.step_s,
            seed: row.seed,
            overrides: overrides(&row.overrides),
            verdict: row.verdict,
            reason: row.reason.clone(),
            expected: row.expected.as_ref().map(|e| e.verdict.text().to_string()),
            as_expected: row.as_expected(),
            expected_checks: row
                .expected_checks
                .iter()
                .map(|(check, e)| ExpectedCheck { check: check.clone(), verdict: e.verdict })
                .collect(),
            checks: row.checks.iter().map(Check::new).collect(),
            digest: row.digest.map(|d| d.to_string()),
            cpu_s: row.cpu_s,
            simulated_s: row.simulated_s,
            steps: row.steps,
            warnings: row.warnings.clone(),
            stopped: row.stopped.as_ref().map(|s| StoppedTrial {
                at_s: s.at_s,
                check: s.check.clone(),
                reason: s.reason.clone(),
            }),
        }
    }
}

impl Check {
    pub fn new(check: &CheckResult) -> Self {
        let finite = |x: f64| x.is_finite().then_some(x);
        let measured = check.judgement.measured.as_ref();
        Self {
            name: check.name.clone(),
            metric: check.metric.clone(),
            unit: check.unit.clone(),
            verdict: check.judgement.verdict,
            value: measured.and_then(|m| finite(m.value)),
            uncertainty: measured.and_then(|m| finite(m.uncertainty)),
            at_s: measured.and_then(|m| m.at_s),
            said_by_engine: measured.and_then(|m| m.said_by_engine),
            bound: finite(check.judgement.bound),
            at_least: match check.judgement.better {
                Better::Smaller => None,
                Better::Larger => finite(check.judgement.bound),
                Better::Between { least } => finite(least),
            },
            at_most: finite(check.judgement.bound).filter(|_| check.judgement.better != Better::Larger),
            condition: task_conditions::find(&check.metric).zip(measured).map(|(_, m)| ConditionOfCheck {
                happened: m.value.is_finite(),
                at_s: finite(m.value),
                error_s: finite(m.value).map(|_| m.uncertainty),
                followed_until_s: m.at_s.filter(|_| !m.value.is_finite()),
            }),
            bound_reason: check.bound_reason.clone(),
            against: check.against.clone(),
            reason: check.judgement.reason.clone(),
        }
    }
}
