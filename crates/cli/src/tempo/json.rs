//! A tempo run as JSON; described in docs/tempo.md and docs/schema/tempo.json.

use crate::study::json::Check;
use serde::Serialize;
use veracity_lab::CheckResult;
use veracity_model::Findings;
use veracity_record::mcap::JsonChannel;
use veracity_tempo::outcome::{ClientStats, Cost, Stall};
use veracity_tempo::{Channels, Run, timeline};

/// Name of the schema; the number grows when a field changes its meaning or is removed.
const SCHEMA: &str = "veracity-tempo/2";

/// What programs may observe and command.
pub fn channels(channels: &Channels) -> serde_json::Value {
    let list = |list: &[(String, String)]| -> Vec<serde_json::Value> {
        list.iter().map(|(name, unit)| serde_json::json!({ "name": name, "unit": unit })).collect()
    };
    serde_json::json!({
        "schema": "veracity-tempo-channels/1",
        "observations": list(&channels.observations),
        "commands": list(&channels.commands),
    })
}

#[derive(Serialize)]
pub struct TempoDocument<'a> {
    schema: &'static str,
    scenario: &'a str,
    engine: &'a str,
    mode: &'static str,
    exit_code: u8,
    real_time: bool,
    cpu_scale: f64,
    simulated_s: f64,
    digest: String,
    delta: DeltaPart,
    stalls: &'a [Stall],
    cost: &'a Cost,
    clients: &'a [ClientStats],
    /// The scenario's checks that need no reference.
    checks: Vec<Check>,
    notes: &'a Findings,
}

#[derive(Serialize)]
struct DeltaPart {
    floor_ns: i64,
    p50_ns: i64,
    p99_ns: i64,
    max_ns: i64,
}

pub fn document<'a>(run: &'a Run, mode: &'static str, exit_code: u8, checks: &[CheckResult]) -> TempoDocument<'a> {
    let (summary, delta) = (&run.summary, &run.summary.delta);
    TempoDocument {
        schema: SCHEMA,
        scenario: &run.head.scenario,
        engine: &run.head.engine,
        mode,
        exit_code,
        real_time: summary.real_time,
        cpu_scale: summary.cpu_scale,
        simulated_s: summary.simulated_ns as f64 * 1e-9,
        digest: run.record.digest().to_string(),
        delta: DeltaPart {
            floor_ns: delta.step_ns,
            p50_ns: delta.quantile(0.5),
            p99_ns: delta.quantile(0.99),
            max_ns: delta.max(),
        },
        stalls: &summary.stalls,
        cost: &summary.cost,
        clients: &summary.clients,
        checks: checks.iter().map(Check::new).collect(),
        notes: &summary.notes,
    }
}

const STEP: &str = r#"{"type":"object","properties":{"time_ns":{"type":"integer"},"delta_ns":{"type":"integer"},"clients":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"computed_ns":{"type":"integer"},"misses":{"type":"integer"},"preempted":{"type":"integer"}}}}}}"#;

/// What each program did in each step of the dynamics, for MCAP.
pub fn channel(run: &Run) -> serde_json::Result<JsonChannel> {
    let mut messages = Vec::new();
    for step in timeline::steps(run) {
        let mut value = serde_json::to_value(&step)?;
        for (client, share) in run.summary.clients.iter().zip(value["clients"].as_array_mut().into_iter().flatten()) {
            share["name"] = client.name.clone().into();
        }
        messages.push((step.time_ns.max(0) as u64, value.to_string()));
    }
    let schema = ("veracity.tempo.Step".to_string(), STEP.to_string());
    Ok(JsonChannel { topic: "/tempo/steps".to_string(), schema, messages })
}
