//! Predator and prey: the same programs with their CPU time metered, and in a callback.
//!
//! The full size is the acceptance: ten seeds of 20 s in both modes, and how the result depends on the prey's force and
//! the planner's effort. It is published whatever the result (docs/tempo.md): no test says which mode catches the prey.

mod support;

use support::chase::{Trial, histogram, largest_gap, median, signed_rank, trial};
use veracity_tempo::Mode;

fn full() -> bool {
    std::env::var_os("VERACITY_FULL").is_some()
}

/// Asserts what holds for every result and is not a timing.
fn is_sound(trial: &Trial, mode: Mode, seconds: f64) {
    assert_eq!(trial.distances.len(), (seconds * 100.0).round() as usize);
    assert!(trial.distances.iter().all(|d| d.is_finite() && *d < 90.0), "the walls hold both ships");
    assert!((trial.distances[0] - 10.0).abs() < 0.01, "they begin 10 m apart: {}", trial.distances[0]);
    match mode {
        // It cannot have computed for longer than the time that passed.
        Mode::Consistent => assert!(trial.planned_s <= seconds + 0.001, "{}", trial.planned_s),
        // Ten plans per second; the world stands still during each.
        _ => assert_eq!(trial.plans, (seconds * 10.0).round() as u64),
    }
}

#[test]
fn both_modes_run_the_same_programs() {
    let seconds = 2.0;
    // A tenth of the effort: a callback at full effort would compute for 20 s here.
    let set = [("effort_s", 0.1)];
    let consistent = trial(1, Mode::Consistent, seconds, &set);
    let callback = trial(1, Mode::Callback, seconds, &set);
    is_sound(&consistent, Mode::Consistent, seconds);
    is_sound(&callback, Mode::Callback, seconds);
    // In a callback it computed more than a robot could: the full effort at each of 20 instants.
    assert!(callback.planned_s > 1.5 && callback.plans == 20, "{} s, {} plans", callback.planned_s, callback.plans);
    assert!(callback.distances != consistent.distances, "the arrival time of a plan matters");
}

#[test]
fn predator_approaches_immobile_prey() {
    // Checks that the predator chases at all: a prey that cannot move, in the mode that gives the planner every
    // advantage.
    let set = [("force_n", 0.0), ("effort_s", 0.05)];
    let chased = trial(1, Mode::Callback, 2.0, &set);
    let left = chased.distances.last().unwrap();
    // 1 N on 1 kg for 2 s is at most 2 m. A tenth of that shows a chase.
    assert!(*left < 9.8, "{left}");
    // Without a planned force no ship moves.
    let alone = trial(1, Mode::Callback, 2.0, &[("force_n", 0.0), ("effort_s", 0.05), ("planned_n", 0.0)]);
    assert!((alone.distances.last().unwrap() - 10.0).abs() < 1e-9);
}

/// Compares both modes over seeds; prints as it goes, because a callback at full effort takes minutes.
fn compare(name: &str, seeds: u64, seconds: f64, set: &[(&str, f64)]) {
    let (mut all, mut middles) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
    for seed in 1..=seeds {
        for (m, mode) in [Mode::Consistent, Mode::Callback].into_iter().enumerate() {
            let t = trial(seed, mode, seconds, set);
            is_sound(&t, mode, seconds);
            let middle = median(&t.distances);
            println!(
                "{name} seed {seed} {mode:?}: median {middle:.2} m, planner {:.1} s in {} plans, Delta - h p99 {:.3} ms, max \
                 {:.3} ms, coordinator {:.2} s, dynamics {:.2} s, clients {:.1} s, wall {:.1} s",
                t.planned_s,
                t.plans,
                1e3 * t.delta_s.1,
                1e3 * t.delta_s.0,
                t.cost_s[0],
                t.cost_s[1],
                t.cost_s[2],
                t.cost_s[3]
            );
            all[m].extend(t.distances);
            middles[m].push(middle);
        }
    }
    let differences: Vec<f64> = middles[1].iter().zip(&middles[0]).map(|(b, c)| b - c).collect();
    let (w, p) = signed_rank(&differences);
    let inside = |v: &[f64]| v.iter().filter(|d| **d < 5.0).count() as f64 / v.len() as f64;
    let most = |v: &[f64]| v.iter().copied().fold(0.0, f64::max);
    for (m, mode) in ["consistent", "callback"].into_iter().enumerate() {
        let bins: Vec<String> = histogram(&all[m]).iter().map(|b| format!("{:.1}", 100.0 * b)).collect();
        println!("{name} {mode}: {} % in bins of 2.5 m", bins.join(" "));
    }
    println!(
        "ACCEPT tempo-chase-{name}: {seeds} seeds of {seconds} s, consistent against callback: median {:.2} against {:.2} m, \
         within 5 m {:.1} against {:.1} %, at most {:.1} against {:.1} m; signed rank {w}, p = {p:.3}, largest gap {:.3}",
        median(&all[0]),
        median(&all[1]),
        100.0 * inside(&all[0]),
        100.0 * inside(&all[1]),
        most(&all[0]),
        most(&all[1]),
        largest_gap(&all[0], &all[1])
    );
}

#[test]
fn the_comparison_as_fixed() {
    if full() {
        compare("as-fixed", 10, 20.0, &[]);
    } else {
        compare("short", 1, 0.5, &[("effort_s", 0.1)]);
    }
}

#[test]
fn how_it_depends_on_force_and_effort() {
    if !full() {
        return;
    }
    // All four take most of an hour: VERACITY_CHASE=force-2 runs that one alone.
    let only = std::env::var("VERACITY_CHASE").ok();
    let settings = [
        ("effort-0.1", [("effort_s", 0.1), ("force_n", 8.0)]),
        ("effort-0.3", [("effort_s", 0.3), ("force_n", 8.0)]),
        ("force-2", [("effort_s", 0.3), ("force_n", 2.0)]),
        ("force-0.5", [("effort_s", 0.3), ("force_n", 0.5)]),
    ];
    let asked = settings.iter().filter(|(name, _)| only.as_ref().is_none_or(|only| only == name));
    assert!(asked.clone().count() > 0, "unknown VERACITY_CHASE: {only:?}");
    for (name, set) in asked {
        compare(name, 10, 20.0, set);
    }
}

#[test]
fn signed_rank_matches_textbook_values() {
    // All ten differences of one sign: 2 of 1024 sign patterns are as extreme.
    let all: Vec<f64> = (1..=10).map(f64::from).collect();
    assert_eq!(signed_rank(&all), (55.0, 2.0 / 1024.0));
    let mixed: Vec<f64> = (1..=10).map(|i| if i % 2 == 0 { f64::from(i) } else { -f64::from(i) }).collect();
    let (w, p) = signed_rank(&mixed);
    assert!(w == 30.0 && p > 0.8, "{w} {p}");
    assert_eq!(largest_gap(&[1.0, 2.0], &[3.0, 4.0]), 1.0);
}
