//! Trials of predator and prey, and statistics of their distances.

use std::path::Path;
use veracity_engine::Engine;
use veracity_scenario::Scenario;
use veracity_tempo::{Mode, RunOptions, TempoConfig};

/// One trial.
pub struct Trial {
    /// Distance between the ships, at every step after the first [m].
    pub distances: Vec<f64>,
    /// Virtual CPU time of the planner [s].
    pub planned_s: f64,
    /// Number of plans.
    pub plans: u64,
    /// Largest Delta - h, and its 99 % quantile [s].
    pub delta_s: (f64, f64),
    /// Coordinator, dynamics, clients, wall [s].
    pub cost_s: [f64; 4],
}

/// Runs one trial. `set`: numbers of the file to change.
pub fn trial(seed: u64, mode: Mode, seconds: f64, set: &[(&str, f64)]) -> Trial {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/tempo/predator_prey");
    let mut config = TempoConfig::load(&folder.join("predator_prey.toml")).unwrap();
    (config.seed, config.duration_s) = (seed, Some(seconds));
    for client in &mut config.clients {
        client.program = env!("CARGO_BIN_EXE_tempo-client").to_string();
        for argument in &mut client.arguments {
            let new = set.iter().find(|(name, _)| argument.split('=').next() == Some(name));
            if let Some((name, value)) = new {
                *argument = format!("{name}={value}");
            }
        }
    }
    let scenario = Scenario::load(&folder.join("chase.toml"), &Default::default()).unwrap();
    let settings = veracity_engine_native::ENGINE.resolve(&config.engine.parse().unwrap()).unwrap();
    let options = RunOptions { mode, ..RunOptions::default() };
    let run = super::alone(|| {
        veracity_tempo::run(&veracity_engine_native::ENGINE, &settings, &scenario, &config, &options).unwrap()
    });
    let track = &run.record.track;
    // A free ship's coordinates are relative to where its model was placed: at -5 m and at 5 m.
    let distances = track.q.chunks_exact(14).skip(1).map(|q| {
        let d = [q[0] - q[7] - 10.0, q[1] - q[8], q[2] - q[9]];
        (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()
    });
    let planner = run.summary.clients.iter().find(|c| c.name == "planner").unwrap();
    for client in &run.summary.clients {
        assert!(client.troubles.is_empty() && client.ended.is_none(), "{client:?}");
    }
    let (delta, cost) = (&run.summary.delta, &run.summary.cost);
    Trial {
        distances: distances.collect(),
        planned_s: planner.executed_ns as f64 * 1e-9,
        plans: planner.plans,
        delta_s: (delta.max() as f64 * 1e-9, delta.quantile(0.99) as f64 * 1e-9),
        cost_s: [cost.coordinator_cpu_s, cost.dynamics_cpu_s, cost.clients_cpu_s, cost.wall_s],
    }
}

/// The median.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// Wilcoxon's signed-rank statistic of paired differences (sum of the ranks of the positive ones) and its exact
/// two-sided probability if neither mode were better: over all 2^n signs. Samples within a trial depend on each other;
/// trials do not.
pub fn signed_rank(differences: &[f64]) -> (f64, f64) {
    let mut order: Vec<usize> = (0..differences.len()).collect();
    order.sort_by(|a, b| differences[*a].abs().total_cmp(&differences[*b].abs()));
    let rank = |i: usize| 1.0 + order.iter().position(|k| *k == i).unwrap() as f64;
    let ranks: Vec<f64> = (0..differences.len()).map(rank).collect();
    let sum =
        |positive: &dyn Fn(usize) -> bool| (0..ranks.len()).filter(|i| positive(*i)).map(|i| ranks[i]).sum::<f64>();
    let seen = sum(&|i| differences[i] > 0.0);
    let middle = ranks.iter().sum::<f64>() / 2.0;
    let all = 1u32 << ranks.len();
    let as_far =
        (0..all).filter(|bits| (sum(&|i| bits >> i & 1 == 1) - middle).abs() >= (seen - middle).abs()).count();
    (seen, as_far as f64 / f64::from(all))
}

/// Largest difference of the two distribution functions (Kolmogorov and Smirnov).
pub fn largest_gap(a: &[f64], b: &[f64]) -> f64 {
    let sorted = |x: &[f64]| {
        let mut x = x.to_vec();
        x.sort_by(f64::total_cmp);
        x
    };
    let (a, b) = (sorted(a), sorted(b));
    let below = |x: &[f64], at: f64| x.partition_point(|v| *v <= at) as f64 / x.len() as f64;
    a.iter().chain(&b).map(|at| (below(&a, *at) - below(&b, *at)).abs()).fold(0.0, f64::max)
}

/// Share of the samples in each bin of 2.5 m; the last bin is everything beyond 30 m.
pub fn histogram(values: &[f64]) -> Vec<f64> {
    let mut bins = vec![0.0; 13];
    for v in values {
        bins[((v / 2.5) as usize).min(12)] += 1.0 / values.len() as f64;
    }
    bins
}
