//! Programs in step with the world: order, sums, replays. No timings.

mod support;

use support::{alone, client, config, run, run_with, spec, stats_of};
use veracity_measure::Verdict;
use veracity_scenario::Scenario;
use veracity_tempo::schedule::EventKind;
use veracity_tempo::{Mode, RunOptions};
use veracity_worker::{Limits, WorkerEngine};

/// A controller at 1 kHz that swings the pendulum up and holds it there: q = -pi/2 with the bob at (cos q, -sin q).
fn pd() -> veracity_tempo::config::ClientConfig {
    client("pd", &["pd", "hinge", "-1.5707963267948966", "60", "12"], Some(1000.0), &["efforts/hinge"])
}

#[test]
fn a_controller_swings_the_pendulum_up_and_keeps_it() {
    let run = run(&config(vec![pd()], 3.0));
    let track = &run.record.track;
    let q = *track.q.last().unwrap();
    // The closed loop has poles at about -6 ± 3.7i /s: after 3 s e^-18 of a radian is left, and nothing drives it.
    assert!((q + std::f64::consts::FRAC_PI_2).abs() < 1e-6, "{q}");
    let pd = stats_of(&run, "pd");
    assert_eq!((pd.misses, pd.skipped, pd.troubles.len()), (0, 0, 0), "{pd:?}");
    // Activated at 0, 1 ms, … 2.999 s; whether the last one completes in time depends on the machine.
    assert!((2999..=3000).contains(&pd.activations), "{}", pd.activations);
    println!(
        "ACCEPT tempo-pendulum: |q - target| = {:.1e} rad after 3 s, {} activations",
        (q + std::f64::consts::FRAC_PI_2).abs(),
        pd.activations
    );
}

#[test]
fn without_its_controller_the_pendulum_does_not_stand() {
    let mut idle = pd();
    idle.arguments = ["pd", "hinge", "-1.5707963267948966", "0", "0"].map(String::from).to_vec();
    let run = run(&config(vec![idle], 3.0));
    assert!((run.record.track.q.last().unwrap() + std::f64::consts::FRAC_PI_2).abs() > 0.1);
}

#[test]
fn computed_and_waited_time_add_up_to_elapsed_time() {
    let hog = client("hog", &["hog"], None, &[]);
    let run = run(&config(vec![pd(), hog], 0.5));
    for (i, stats) in run.summary.clients.iter().enumerate() {
        // Equation (1), to the rounding of two casts; a stall is neither executed nor waited. Subtracting a stall
        // cannot move a client backwards, so its progress may be reduced by less than the stall.
        let sum = stats.executed_ns + stats.waited_ns;
        let mine = || run.events.iter().filter(|e| e.client as usize == i);
        let stalls: i64 = mine().map(|e| if let EventKind::Stall { ns } = e.what { ns } else { 0 }).sum();
        assert!(
            (-2..=2 + stalls).contains(&(stats.progress_ns - sum)),
            "{}: {sum} {}",
            stats.name,
            stats.progress_ns
        );
        // Every client has reached the end of the run, up to what is carried over.
        assert!(stats.progress_ns > run.summary.simulated_ns - 100_000, "{stats:?}");
        // The charges in the schedule sum to the computed time.
        let charged: i64 = mine().map(|e| if let EventKind::Charge { ns, .. } = e.what { ns } else { 0 }).sum();
        let off = charged - stats.executed_ns;
        assert!((-2..=2 + stalls).contains(&off), "{}: {charged} {}", stats.name, stats.executed_ns);
    }
    // Delta - h is never below -h.
    assert!(run.summary.delta.excess_ns.iter().all(|x| *x >= -run.summary.delta.step_ns));
    assert_eq!(run.summary.delta.timeline.len(), 500);
}

#[test]
fn a_command_acts_after_its_latency() {
    let mut slow = pd();
    slow.latency_s = 0.05;
    let mut idle = pd();
    idle.arguments = ["pd", "hinge", "-1.5707963267948966", "0", "0"].map(String::from).to_vec();
    let (slow, quick, idle) =
        (run(&config(vec![slow], 0.1)), run(&config(vec![pd()], 0.1)), run(&config(vec![idle], 0.1)));
    let at = |run: &veracity_tempo::Run, ms: usize| run.record.track.q[ms / 10];
    // Until the first command acts, at 51 ms, the pendulum falls as if it were not controlled; after that it does not.
    assert!((at(&slow, 50) - at(&idle, 50)).abs() < 1e-12);
    assert!((at(&slow, 100) - at(&idle, 100)).abs() > 1e-3);
    assert!((at(&quick, 50) - at(&idle, 50)).abs() > 1e-3);
}

#[test]
fn a_schedule_replayed_gives_the_same_motion_bit_for_bit() {
    let planner = || {
        let mut planner = client("planner", &["clocked"], None, &[]);
        planner.plans_to = vec!["follow".to_string()];
        planner
    };
    let follow = || client("follow", &["follow"], Some(500.0), &["efforts/hinge"]);
    let config = config(vec![planner(), follow()], 0.3);
    let live = run(&config);
    assert!(stats_of(&live, "planner").plans > 3 && stats_of(&live, "follow").commands > 100);
    let replay = Some((live.head.clone(), live.events.clone()));
    let again = run_with(&config, &RunOptions { replay, ..RunOptions::default() }).unwrap();
    assert_eq!(live.record.digest(), again.record.digest());
    let replayed: Vec<_> = live.events.iter().filter(|e| e.what.is_replayed()).collect();
    assert!(replayed.len() > 300);
    // A schedule with one clock reading changed gives a different motion, because the plan contains it.
    let mut changed = live.events.clone();
    let time =
        changed.iter_mut().find_map(|e| if let EventKind::Time { ns } = &mut e.what { Some(ns) } else { None });
    *time.unwrap() += 1_000_000;
    let replay = Some((live.head.clone(), changed));
    let error = run_with(&config, &RunOptions { replay, ..RunOptions::default() }).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("of its plan is"), "{error}");
    // A schedule of the first version has no numbers: only the motion shows it, if it has that.
    let replay = |digest: Option<String>| {
        let mut old = live.events.clone();
        for event in &mut old {
            match &mut event.what {
                EventKind::Command { values, .. } | EventKind::Plan { values, .. } => *values = [].into(),
                EventKind::Time { ns } if event.step < 3 => *ns += 1_000_000,
                _ => {}
            }
        }
        let head = veracity_tempo::schedule::Head { schema: 1, digest, ..live.head.clone() };
        run_with(&config, &RunOptions { replay: Some((head, old)), ..RunOptions::default() })
    };
    assert_ne!(replay(None).unwrap().record.digest(), live.record.digest());
    let error = replay(live.head.digest.clone()).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("the replayed motion differs"), "{error}");
    println!("ACCEPT tempo-replay: {} events replayed, digest {}", replayed.len(), live.record.digest());
}

/// It used to give another motion silently.
#[test]
fn a_replay_names_the_first_command_that_differs() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("replay-differs");
    std::fs::create_dir_all(&folder).unwrap();
    for at in [1, 17, 50] {
        let mark = folder.join(format!("ran-{at}-{}", std::process::id()));
        let _ = std::fs::remove_file(&mark);
        let fickle =
            client("it", &["fickle", mark.to_str().unwrap(), &at.to_string()], Some(1000.0), &["efforts/hinge"]);
        let config = config(vec![fickle], 0.1);
        let live = run(&config);
        let path = folder.join(format!("{at}.jsonl"));
        veracity_tempo::schedule::write(&path, &live.head, &live.events).unwrap();
        let replay = Some(veracity_tempo::schedule::read(&path).unwrap());
        // The second time it commands another number in one activation, whose step the error names.
        let error = run_with(&config, &RunOptions { replay, ..RunOptions::default() }).map(|_| ()).unwrap_err();
        // Activation n begins at n ms and reads the observation of step n, or of the next if it was carried over.
        let steps = [format!("diverges at step {at} ("), format!("diverges at step {} (", at + 1)];
        let recorded = live.events.iter().filter(|e| matches!(e.what, EventKind::Command { .. })).nth(at).unwrap();
        let says = format!("diverges at step {} (", recorded.step);
        assert!(steps.contains(&says) && error.to_string().contains(&says), "{at}: {error}");
        assert!(error.to_string().contains("efforts/hinge of its command is"), "{error}");
    }
}

#[test]
fn a_schedule_of_another_run_is_rejected() {
    let live = run(&config(vec![pd()], 0.1));
    let mut other = config(vec![pd()], 0.1);
    other.seed = 7;
    let replay = Some((live.head.clone(), live.events.clone()));
    let error = run_with(&other, &RunOptions { replay, ..RunOptions::default() }).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("another scenario"), "{error}");
}

#[test]
fn in_a_callback_the_world_stands_still_while_a_client_computes() {
    // Three periods' worth of computing in every period: impossible on a robot, unnoticed in a callback.
    let busy = || client("busy", &["busy", "300"], Some(100.0), &[]);
    let mut config = config(vec![busy()], 0.2);
    config.step_s = Some(0.01);
    let callback = run_with(&config, &RunOptions { mode: Mode::Callback, ..RunOptions::default() }).unwrap();
    let stats = stats_of(&callback, "busy");
    assert_eq!(stats.activations, 20, "{stats:?}");
    assert!(stats.executed_ns > 550_000_000, "{stats:?}");
    assert!(callback.summary.delta.max() > 300_000_000, "the excess computing time is Delta");
    let consistent = run(&config);
    let stats = stats_of(&consistent, "busy");
    assert!(stats.activations < 10 && stats.skipped > 8, "{stats:?}");
    assert_eq!(stats.verdict.as_ref().unwrap().verdict, Verdict::Rejected);
    assert!(stats.executed_ns < 210_000_000, "it cannot compute more than the time that passed: {stats:?}");
}

#[test]
fn virtual_time_scales_with_the_speed_of_the_computer() {
    let busy = || client("busy", &["busy", "40"], Some(100.0), &[]);
    let mut config = config(vec![busy()], 0.2);
    config.step_s = Some(0.01);
    // The program computes until *its* clock shows 40 %: in time on any computer.
    let half = run_with(&config, &RunOptions { cpu_scale: 0.5, ..RunOptions::default() }).unwrap();
    let stats = stats_of(&half, "busy");
    assert!(stats.executed_ns < 130_000_000, "{stats:?}");
    // Virtual time is twice the CPU time.
    assert!(half.summary.cost.clients_cpu_s < 0.065, "{:?}", half.summary.cost);
}

#[test]
fn on_a_shared_processor_the_controller_runs_first_and_the_planner_gets_the_rest() {
    let mut busy = client("busy", &["busy", "40"], Some(100.0), &[]);
    let mut hog = client("hog", &["hog"], None, &[]);
    (busy.group, hog.group) = (Some("robot".to_string()), Some("robot".to_string()));
    (busy.priority, hog.priority) = (9, 1);
    let mut config = config(vec![hog, busy], 0.3);
    config.step_s = Some(0.01);
    config.groups = vec![veracity_tempo::config::GroupConfig {
        name: "robot".to_string(),
        policy: "fixed_priority".to_string(),
        group: None,
        priority: 0,
    }];
    let run = run(&config);
    let (hog, busy) = (stats_of(&run, "hog"), stats_of(&run, "busy"));
    // Together they have computed no more than one processor can.
    assert!(hog.executed_ns + busy.executed_ns <= 301_000_000, "{hog:?} {busy:?}");
    assert!(busy.executed_ns > 110_000_000 && hog.executed_ns > 120_000_000, "{hog:?} {busy:?}");
    assert_eq!(busy.misses + busy.skipped, 0, "{busy:?}");
    assert!(hog.waited_ns > 110_000_000, "{hog:?}");
}

/// The coordinator sleeps while another process computes the dynamics. A planner that ran meanwhile would compute for
/// free: its CPU time beyond its slices would be mistaken for a stall of the host.
#[test]
fn no_client_runs_while_another_process_computes_the_dynamics() {
    let exe = std::env::current_exe().unwrap();
    let worker = exe.ancestors().nth(2).unwrap().join("examples/dynamics_elsewhere");
    let engine = WorkerEngine::new(worker, Limits::default());
    let config = config(vec![pd(), client("hog", &["hog"], None, &[])], 0.5);
    let scenario = Scenario::built_in(&config.scenario).unwrap();
    // The native engine has a list of settings for each paradigm, which a worker's single list cannot express.
    let settings = spec("native:integrator=rk4");
    for real_time in [true, false] {
        let options = RunOptions { real_time, ..RunOptions::default() };
        let there = alone(|| veracity_tempo::run(&engine, &settings, &scenario, &config, &options).unwrap());
        let used = there.summary.cost.clients_cpu_s;
        let charged: i64 = there.summary.clients.iter().map(|c| c.executed_ns).sum();
        let charged = charged as f64 * 1e-9;
        // Ten times that and more if it ran meanwhile; a tenth is allowed for what a busy host does to a slice.
        assert!(used < 1.1 * charged, "{used} s were used and {charged} s charged");
        assert!(stats_of(&there, "pd").troubles.is_empty() && stats_of(&there, "hog").troubles.is_empty());
    }
}

#[test]
fn invalid_configurations_give_an_error() {
    let bad = |change: fn(&mut veracity_tempo::TempoConfig), says: &str| {
        let mut config = config(vec![pd()], 0.1);
        change(&mut config);
        let error = run_with(&config, &RunOptions::default()).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    };
    bad(|c| c.policy = "fair".to_string(), "known: least_progress, fixed_priority, round_robin");
    bad(|c| c.clients[0].program = "/no/such/program".to_string(), "cannot be started");
    bad(|c| c.clients[0].program = "/bin/true".to_string(), "before it connected");
    bad(|c| c.clients[0].commands = vec!["efforts/elbow".to_string()], "elbow");
    bad(|c| c.clients[0].rate_hz = None, "rate_hz");
    bad(|c| c.clients.clear(), "no client");
    bad(|c| c.step_s = Some(0.0003), "does not divide");
}

/// What a client overshoots in one step is taken from its next: it does not add up. Without that the error at the end
/// would be the sum of all overshoots, which the same schedule shows.
#[test]
fn overshoots_are_compensated() {
    let seconds = if std::env::var_os("VERACITY_FULL").is_some() { 100.0 } else { 1.0 };
    let run = run(&config(vec![client("hog", &["hog"], None, &[])], seconds));
    let (mut at_end, mut sum_ns, mut last) = (0i64, 0i64, None);
    let charges = run.events.iter().filter_map(|e| match e.what {
        EventKind::Charge { at_ns, .. } => Some((e.step, at_ns)),
        _ => None,
    });
    for (step, at_ns) in charges {
        // The error of a step is what its last charge leaves.
        if let Some((_, error)) = last.filter(|(before, _): &(u64, i64)| *before != step) {
            sum_ns += error;
        }
        at_end = at_ns - (step as i64 + 1) * 1_000_000;
        last = Some((step, at_end));
    }
    sum_ns += at_end;
    let duration_ns = seconds * 1e9;
    let (with, without) = (at_end.abs() as f64 / duration_ns, sum_ns.abs() as f64 / duration_ns);
    // The last overshoot alone: a step at most, however long the run.
    assert!(with <= 1.0 / (seconds * 1e3) + 1e-12, "{at_end} ns at the end");
    println!(
        "ACCEPT tempo-compensation: after {seconds} s the error is {:.2e} of the time, without compensation {:.2e}",
        with, without
    );
}
