//! `tempo_bench CASE SECONDS`: one case of `cargo xtask bench tempo`, one line of JSON.

use std::process::ExitCode;
use veracity_engine::Engine;
use veracity_scenario::Scenario;
use veracity_tempo::config::{ClientConfig, ClientKind};
use veracity_tempo::{RunOptions, TempoConfig, floors};

fn client(
    name: &str,
    arguments: &[&str],
    rate_hz: Option<f64>,
    budget_s: Option<f64>,
    commands: &[&str],
) -> ClientConfig {
    let text = |list: &[&str]| list.iter().map(ToString::to_string).collect();
    ClientConfig {
        name: name.to_string(),
        program: "../tempo-client".to_string(),
        arguments: text(arguments),
        environment: Default::default(),
        kind: if rate_hz.is_some() { ClientKind::Periodic } else { ClientKind::BestEffort },
        rate_hz,
        phase_s: 0.0,
        latency_s: 0.0,
        deadline_s: None,
        budget_s,
        commands: text(commands),
        memory_limit_mib: None,
        output_limit_mib: 256,
        plans_to: Vec::new(),
        link: None,
        group: None,
        priority: 0,
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (case, seconds) = match &arguments[..] {
        [case, seconds] => (case.as_str(), seconds.parse().unwrap_or(1.0)),
        _ => {
            eprintln!("usage: tempo_bench pendulum|pendulum-budget|hog|hog-budget|hog-10ms SECONDS");
            return ExitCode::from(2);
        }
    };
    let budget = case.ends_with("budget").then_some(0.001);
    let pd = ["pd", "hinge", "-1.5707963267948966", "60", "12"];
    let (step_s, rate) = if case == "hog-10ms" { (0.01, 100.0) } else { (0.001, 1000.0) };
    let mut clients = vec![client("pd", &pd, Some(rate), budget, &["efforts/hinge"])];
    if case.starts_with("hog") {
        clients.push(client("hog", &["hog"], None, None, &[]));
    }
    let config = TempoConfig {
        schema: 1,
        scenario: "simple_pendulum".to_string(),
        engine: "native".to_string(),
        step_s: Some(step_s),
        duration_s: Some(seconds),
        seed: 0,
        policy: "least_progress".to_string(),
        groups: Vec::new(),
        clients,
    };
    let folder = std::env::current_exe().ok().and_then(|p| p.parent().map(Into::into)).unwrap_or_default();
    let engine = &veracity_engine_native::ENGINE;
    let run = || -> Result<serde_json::Value, Box<dyn std::error::Error>> {
        let floors = floors::measure()?;
        let scenario = Scenario::built_in("simple_pendulum").map_err(|_| "no pendulum")?;
        let settings = engine.resolve(&"native".parse()?)?;
        let options = RunOptions {
            folder,
            real_time: std::env::var_os("TEMPO_NO_REAL_TIME").is_none(),
            ..RunOptions::default()
        };
        let run = veracity_tempo::run(engine, &settings, &scenario, &config, &options)?;
        let (summary, delta, cost) = (&run.summary, &run.summary.delta, &run.summary.cost);
        Ok(serde_json::json!({
            "case": case, "real_time": summary.real_time, "simulated_s": seconds, "step_ns": delta.step_ns,
            "excess_p50_ns": delta.quantile(0.5), "excess_p99_ns": delta.quantile(0.99), "excess_max_ns": delta.max(),
            "stalls": summary.stalls.len(), "stalled_ns": summary.stalls.iter().map(|s| s.charged_ns - s.armed_ns).sum::<i64>(),
            "coordination": cost.coordinator_cpu_s / seconds, "of_wall": cost.coordinator_cpu_s / cost.wall_s,
            "wall_s": cost.wall_s, "dynamics_cpu_s": cost.dynamics_cpu_s, "clients_cpu_s": cost.clients_cpu_s,
            "armings": cost.armings, "activations": summary.clients[0].activations, "misses": summary.clients[0].misses,
            "q": run.record.track.q.last(),
            "round_trip_ns": floors.round_trip_ns, "round_trip_cpu_ns": floors.round_trip_cpu_ns, "timer_ns": floors.timer_ns,
        }))
    };
    match run() {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("tempo_bench: {error}");
            ExitCode::from(2)
        }
    }
}
