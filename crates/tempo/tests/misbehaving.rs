//! Clients that misbehave are reported, other clients are unharmed, and no process is left behind.

mod support;

use support::{client, config, run, run_with, stats_of};
use veracity_measure::Verdict;
use veracity_tempo::{Run, RunOptions, TempoConfig};

/// A good controller together with a bad one: the pendulum must stand all the same.
fn with_pd(bad: &str, rate_hz: Option<f64>) -> TempoConfig {
    let pd = client("pd", &["pd", "hinge", "-1.5707963267948966", "60", "12"], Some(1000.0), &["efforts/hinge"]);
    config(vec![pd, client("bad", &[bad], rate_hz, &[])], 1.5)
}

fn others_are_unharmed(run: &Run) {
    let pd = stats_of(run, "pd");
    assert!(pd.activations >= 1499 && pd.troubles.is_empty() && pd.ended.is_none(), "{pd:?}");
    // e^-9 of a radian is left of the swing-up after 1.5 s.
    let q = *run.record.track.q.last().unwrap();
    assert!((q + std::f64::consts::FRAC_PI_2).abs() < 1e-3, "{q}");
    assert_eq!(run.summary.simulated_ns, 1_500_000_000);
}

fn has_trouble(run: &Run, says: &str) {
    let bad = stats_of(run, "bad");
    let all: Vec<&str> = bad.troubles.iter().map(|t| t.finding.text.as_str()).collect();
    assert!(all.iter().any(|t| t.contains(says)), "{says}: {all:?}");
}

/// Processes of the run that still exist: they carry the run's environment.
fn left_behind(mark: &str) -> Vec<String> {
    // Killed processes still need a core to exit on.
    for _ in 0..1000 {
        if marked(mark).is_empty() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    marked(mark)
}

fn marked(mark: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        if String::from_utf8_lossy(&environment).contains(mark) {
            found.push(entry.file_name().to_string_lossy().to_string());
        }
    }
    found
}

#[test]
fn one_that_never_waits() {
    let run = run(&with_pd("spin", Some(1000.0)));
    others_are_unharmed(&run);
    let bad = stats_of(&run, "bad");
    assert_eq!(bad.verdict.as_ref().unwrap().verdict, Verdict::Rejected, "{bad:?}");
    assert!(bad.preemptions > 1000 && bad.activations < 60, "{bad:?}");
}

#[test]
fn one_that_starts_processes_of_its_own() {
    let mut config = with_pd("fork", Some(100.0));
    let mark = format!("TEMPO_MARK_FORK_{}", std::process::id());
    config.clients[1].environment.insert(mark.clone(), "1".to_string());
    let run = run(&config);
    others_are_unharmed(&run);
    // They are metered with it, but without the preloaded library they sleep in wall time.
    has_trouble(&run, "does not name the preloaded library");
    assert!(stats_of(&run, "bad").processes >= 4, "{:?}", stats_of(&run, "bad"));
    assert_eq!(left_behind(&mark), [] as [String; 0]);
}

/// It used to lose all it computed beyond its timer, as if the host had not run it, and was accepted.
#[test]
fn one_that_computes_on_every_core() {
    for real_time in [true, false] {
        let mut config = config(vec![client("bad", &["restless"], Some(100.0), &[])], 0.5);
        config.step_s = Some(0.01);
        let run = run_with(&config, &RunOptions { real_time, ..RunOptions::default() }).unwrap();
        let bad = stats_of(&run, "bad");
        // 13 ms in every 10 ms: it computes all the time, and is charged all of it.
        assert!((bad.executed_ns as f64 * 1e-9 - run.summary.cost.clients_cpu_s).abs() < 1e-6, "{bad:?}");
        assert!(bad.executed_ns > 440_000_000, "{bad:?}");
        assert_eq!(bad.verdict.as_ref().unwrap().verdict, Verdict::Rejected, "{bad:?}");
    }
}

/// A priority above the coordinator's would keep the run from ever ending.
#[test]
fn one_that_raises_its_priority() {
    let run = run(&config(vec![client("bad", &["pushy"], Some(1000.0), &[])], 0.3));
    assert_eq!(run.summary.simulated_ns, 300_000_000);
    assert_ne!(stats_of(&run, "bad").verdict.as_ref().unwrap().verdict, Verdict::Accepted);
}

/// The receiver of a datagram used to run in the sender's slice, and half of its CPU time was lost as a stall.
#[test]
fn one_that_is_woken_by_another() {
    let name = format!("veracity-pair-{}", std::process::id());
    let ask = client("ask", &["ask-pair", &name], Some(200.0), &[]);
    let serve = client("serve", &["serve-pair", &name], None, &[]);
    let run = run(&config(vec![serve, ask], 1.0));
    let serve = stats_of(&run, "serve");
    let charged: i64 = run.summary.clients.iter().map(|c| c.executed_ns).sum();
    assert!((charged as f64 * 1e-9 - run.summary.cost.clients_cpu_s).abs() < 1e-6, "{:?}", run.summary.clients);
    // About 200 datagrams, 2 ms each.
    assert!((350_000_000..=450_000_000).contains(&serve.executed_ns), "{serve:?}");
    // What it computed lies in its own turns: none of it exceeds its timer, as all of it did before.
    if run.summary.real_time {
        assert!(serve.suspect_ns < serve.executed_ns / 4, "{serve:?}");
    }
    // It waits for another program of the run, which wakes it in virtual time: nothing is doubtful.
    assert!(serve.verdict.is_none() && serve.troubles.is_empty(), "{serve:?}");
}

#[test]
fn one_that_crashes() {
    let run = run_with(&with_pd("crash", Some(1000.0)), &RunOptions::default()).unwrap();
    others_are_unharmed(&run);
    has_trouble(&run, "signal: 6");
    // Without a rate it is judged all the same.
    let run = run_with(&with_pd("crash", None), &RunOptions::default()).unwrap();
    assert_eq!(stats_of(&run, "bad").verdict.as_ref().unwrap().verdict, Verdict::Rejected);
}

#[test]
fn one_that_closes_its_channels() {
    let run = run(&with_pd("hangup", Some(1000.0)));
    others_are_unharmed(&run);
    has_trouble(&run, "closed its channels");
}

#[test]
fn one_that_writes_garbage_into_shared_memory() {
    let run = run(&with_pd("garbage", Some(1000.0)));
    others_are_unharmed(&run);
    has_trouble(&run, "garbage");
}

/// A controller that runs alone has the coordinator's priority: if it never yields, the run must continue all the same.
#[test]
fn one_that_never_waits_and_is_alone() {
    let run = run(&config(vec![client("bad", &["spin"], Some(1000.0), &[])], 0.3));
    let bad = stats_of(&run, "bad");
    assert_eq!(run.summary.simulated_ns, 300_000_000);
    assert!(bad.preemptions > 200 && bad.activations < 60 && bad.ended.is_none(), "{bad:?}");
    // It computed all the time from its fiftieth activation on, and no more than that.
    assert!((245_000_000..=300_500_000).contains(&bad.executed_ns), "{bad:?}");
}

/// A client preempted in the middle of asking during a yield handoff may have decided not to notify: its question is
/// found all the same. Together with a planner there is no yield handoff.
#[test]
fn one_that_asks_without_notifying() {
    for with_planner in [true, false] {
        let mut config = with_pd("mute", Some(1000.0));
        config.clients.extend(with_planner.then(|| client("hog", &["hog"], None, &[])));
        let run = run(&config);
        others_are_unharmed(&run);
        // The question is the wait that ends its fiftieth activation; its sleep after the answer is not.
        assert_eq!(stats_of(&run, "bad").activations, 50);
        has_trouble(&run, "sleeps in system call");
    }
}

#[test]
fn one_that_sends_nan_commands() {
    let mut config = with_pd("nan", Some(1000.0));
    // It commands a force on the same pendulum; the good one keeps the effort.
    config.clients[1].commands = vec!["forces/bob/x".to_string()];
    let run = run(&config);
    others_are_unharmed(&run);
    has_trouble(&run, "non-finite commands");
}

#[test]
fn one_that_sleeps_in_wall_time() {
    let run = run(&with_pd("sleeper", Some(1000.0)));
    others_are_unharmed(&run);
    has_trouble(&run, "sleeps in system call");
}

#[test]
fn one_that_sleeps_for_a_child() {
    let run = run(&with_pd("vfork", Some(1000.0)));
    others_are_unharmed(&run);
    let bad = stats_of(&run, "bad");
    assert!(!bad.troubles.is_empty(), "{bad:?}");
}

/// While a client sleeps uninterruptibly the coordinator sleeps, too, for milliseconds. A parked planner must not run
/// meanwhile: what it computed would be charged, and put it that far ahead of the others.
#[test]
fn one_that_sleeps_for_a_child_next_to_a_planner() {
    let mut config = with_pd("vfork", Some(1000.0));
    config.clients.push(client("hog", &["hog"], None, &[]));
    let run = run(&config);
    others_are_unharmed(&run);
    // CPU time beyond its slices counts as a stall: a second if it runs meanwhile. The host preempting the core for a
    // tenth of that is tolerated.
    let beyond: i64 =
        run.summary.stalls.iter().filter(|s| s.client == "hog").map(|s| s.charged_ns - s.armed_ns).sum();
    assert!(beyond < 100_000_000, "{beyond} ns");
}

#[test]
fn without_real_time_classes_too() {
    for bad in ["spin", "crash", "hangup", "garbage", "sleeper"] {
        let config = with_pd(bad, Some(1000.0));
        let run = run_with(&config, &RunOptions { real_time: false, ..RunOptions::default() }).unwrap();
        others_are_unharmed(&run);
        assert!(!run.summary.real_time && run.summary.notes.count("no-real-time") == 1);
    }
}
