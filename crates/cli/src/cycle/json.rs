//! A cycle as JSON; described in docs/cycles.md.

use serde::Serialize;
use veracity_cycle::judgement::Judgement;
use veracity_cycle::{CycleAnalysis, Estimate, Walker};
use veracity_measure::Verdict;
use veracity_measure::verdict::words;
use veracity_scenario::Scenario;

/// Name of the schema; the number grows when a field changes its meaning or is removed.
/// Since 2, `verdict` is that of every command, and `stability` says what was found.
const SCHEMA: &str = "veracity-cycle/2";

#[derive(Serialize)]
pub struct CycleDocument {
    schema: &'static str,
    scenario: String,
    exit_code: u8,
    #[serde(serialize_with = "words::serialize")]
    verdict: Verdict,
    stability: &'static str,
    /// Why there is no cycle.
    reason: Option<String>,
    /// Strikes in the analysed stride: 1, or 2 where the legs are not relabelled after a step.
    strikes: u32,
    /// Why a stride has two strikes although the scenario relabels the legs.
    legs_differ: Option<String>,
    /// Steps of the continuation from the scenario as written, if numbers were changed.
    continuation_steps: Option<usize>,
    cycle: Option<Found>,
    expected: Option<Expected>,
}

#[derive(Serialize)]
struct Found {
    period_s: Number,
    residual: f64,
    newton_steps: u32,
    q: Vec<f64>,
    v: Vec<f64>,
    /// Error of each independent number of the state, with its name.
    state_error: Vec<(String, f64)>,
    multipliers: Vec<Multiplier>,
    radius: Number,
    /// Distance between these multipliers and those from saltation matrices.
    saltation_distance: Option<f64>,
    flow_defect: Option<f64>,
    events: Vec<Event>,
}

#[derive(Serialize)]
struct Number {
    value: f64,
    error: f64,
}

#[derive(Serialize)]
struct Multiplier {
    re: f64,
    im: f64,
    error: f64,
}

#[derive(Serialize)]
struct Event {
    time_s: f64,
    what: String,
}

#[derive(Serialize)]
struct Expected {
    stability: &'static str,
    as_expected: bool,
    held: Vec<Held>,
}

#[derive(Serialize)]
struct Held {
    what: &'static str,
    distance: f64,
    bound: f64,
    within: bool,
}

impl From<Estimate> for Number {
    fn from(e: Estimate) -> Self {
        Self { value: e.value, error: e.error }
    }
}

pub fn document(
    scenario: &Scenario,
    walker: &Walker,
    outcome: &CycleAnalysis,
    continuation_steps: Option<usize>,
    judgement: Option<&Judgement>,
    verdict: Verdict,
) -> CycleDocument {
    let reason = match outcome {
        CycleAnalysis::NoCycle(why) => Some(why.to_string()),
        CycleAnalysis::Cycle(_) => None,
    };
    let cycle = outcome.cycle().map(|c| Found {
        period_s: c.period_s.into(),
        residual: c.residual,
        newton_steps: c.iterations,
        q: walker.positions(&c.state).to_vec(),
        v: walker.velocities(&c.state).to_vec(),
        state_error: c.names.iter().cloned().zip(c.state_error.iter().copied()).collect(),
        multipliers: c
            .multipliers
            .iter()
            .map(|m| Multiplier { re: m.value.re, im: m.value.im, error: m.error })
            .collect(),
        radius: c.radius.into(),
        saltation_distance: c.saltation.as_ref().map(|s| s.distance),
        flow_defect: c.saltation.as_ref().map(|s| s.flow_defect),
        events: c.events.iter().map(|e| Event { time_s: e.time_s, what: e.what.clone() }).collect(),
    });
    let expected = judgement.map(|j| Expected {
        stability: j.expected.word(),
        as_expected: j.is_good(),
        held: j
            .held
            .iter()
            .map(|h| Held { what: h.what, distance: h.distance, bound: h.bound, within: h.is_good() })
            .collect(),
    });
    let stability = outcome.stability().word();
    let exit_code = if verdict == Verdict::Accepted { 0 } else { crate::NOT_ACCEPTED };
    CycleDocument {
        schema: SCHEMA,
        scenario: scenario.name.clone(),
        exit_code,
        verdict,
        stability,
        reason,
        strikes: walker.strikes(),
        legs_differ: walker.doubled().map(str::to_owned),
        continuation_steps,
        cycle,
        expected,
    }
}
