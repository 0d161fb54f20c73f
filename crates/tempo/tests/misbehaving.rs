//! Programs that misbehave are named, their neighbours are unharmed, and nobody is left behind.

mod support;

use support::{client, config, named, run, run_with};
use veracity_tempo::{Run, RunOptions, TempoConfig};

/// A good controller beside a bad one: the pendulum must stand all the same.
fn beside(bad: &str, rate_hz: Option<f64>) -> TempoConfig {
    let pd = client("pd", &["pd", "hinge", "-1.5707963267948966", "60", "12"], Some(1000.0), &["efforts/hinge"]);
    config(vec![pd, client("bad", &[bad], rate_hz, &[])], 1.5)
}

fn others_are_unharmed(run: &Run) {
    let pd = named(run, "pd");
    assert!(pd.activations >= 1499 && pd.troubles.is_empty() && pd.ended.is_none(), "{pd:?}");
    // e^-9 of a radian is left of the swing-up after 1.5 s.
    let q = *run.record.track.q.last().unwrap();
    assert!((q + std::f64::consts::FRAC_PI_2).abs() < 1e-3, "{q}");
    assert_eq!(run.told.simulated_ns, 1_500_000_000);
}

fn is_named(run: &Run, says: &str) {
    let bad = named(run, "bad");
    let all: Vec<&str> = bad.troubles.iter().map(|t| t.what.as_str()).collect();
    assert!(all.iter().any(|t| t.contains(says)), "{says}: {all:?}");
}

/// Processes of ours that are still there: they carry the run's environment.
fn left_behind(mark: &str) -> Vec<String> {
    // What has been killed still has to be given a core to die on.
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
    let run = run(&beside("spin", Some(1000.0)));
    others_are_unharmed(&run);
    let bad = named(&run, "bad");
    assert_eq!(bad.verdict.as_ref().unwrap().verdict, "rejected", "{bad:?}");
    assert!(bad.preemptions > 1000 && bad.activations < 60, "{bad:?}");
}

#[test]
fn one_that_starts_processes_of_its_own() {
    let mut config = beside("fork", Some(100.0));
    let mark = format!("TEMPO_MARK_FORK_{}", std::process::id());
    config.clients[1].environment.insert(mark.clone(), "1".to_string());
    let run = run(&config);
    others_are_unharmed(&run);
    is_named(&run, "started processes of its own");
    assert_eq!(left_behind(&mark), [] as [String; 0]);
}

#[test]
fn one_that_crashes() {
    let run = run(&beside("crash", Some(1000.0)));
    others_are_unharmed(&run);
    is_named(&run, "signal: 6");
}

#[test]
fn one_that_closes_its_channels() {
    let run = run(&beside("hangup", Some(1000.0)));
    others_are_unharmed(&run);
    is_named(&run, "closed the channels");
}

#[test]
fn one_that_writes_garbage_into_shared_memory() {
    let run = run(&beside("garbage", Some(1000.0)));
    others_are_unharmed(&run);
    is_named(&run, "garbage");
}

/// Alone a controller has the coordinator's own priority: that it never comes back must not cost the run.
#[test]
fn one_that_never_waits_and_is_alone() {
    let run = run(&config(vec![client("bad", &["spin"], Some(1000.0), &[])], 0.3));
    let bad = named(&run, "bad");
    assert_eq!(run.told.simulated_ns, 300_000_000);
    assert!(bad.preemptions > 200 && bad.activations < 60 && bad.ended.is_none(), "{bad:?}");
    // It computed all the time from its fiftieth activation on, and no more than that.
    assert!((245_000_000..=300_500_000).contains(&bad.executed_ns), "{bad:?}");
}

/// Whoever is taken off an errand in the middle of asking may have decided not to ring: its question is found all the same. Beside
/// a planner nobody goes on errands.
#[test]
fn one_that_asks_without_a_sound() {
    for beside_a_planner in [true, false] {
        let mut config = beside("mute", Some(1000.0));
        config.clients.extend(beside_a_planner.then(|| client("hog", &["hog"], None, &[])));
        let run = run(&config);
        others_are_unharmed(&run);
        // The question is the wait that ends its fiftieth activation; what it sleeps in after the answer is not.
        assert_eq!(named(&run, "bad").activations, 50);
        is_named(&run, "sleeps in system call");
    }
}

#[test]
fn one_that_commands_what_is_no_number() {
    let mut config = beside("nan", Some(1000.0));
    // It tries to command the same joint's drive; the good one keeps the effort.
    config.clients[1].commands = vec!["forces/bob/x".to_string()];
    let run = run(&config);
    others_are_unharmed(&run);
    is_named(&run, "no finite numbers");
}

#[test]
fn one_that_sleeps_on_the_wall() {
    let run = run(&beside("sleeper", Some(1000.0)));
    others_are_unharmed(&run);
    is_named(&run, "sleeps in system call");
}

#[test]
fn one_that_sleeps_for_a_child() {
    let run = run(&beside("vfork", Some(1000.0)));
    others_are_unharmed(&run);
    let bad = named(&run, "bad");
    assert!(!bad.troubles.is_empty(), "{bad:?}");
}

/// While somebody sleeps uninterruptibly the coordinator sleeps, too, for milliseconds. A planner whose turn it is not must not use
/// them: what it computed would be charged, and take it that far ahead of everybody.
#[test]
fn one_that_sleeps_for_a_child_beside_a_planner() {
    let mut config = beside("vfork", Some(1000.0));
    config.clients.push(client("hog", &["hog"], None, &[]));
    let run = run(&config);
    others_are_unharmed(&run);
    // Its clock says what it used beyond its slices, which counts as a stall: a second if it runs meanwhile, and a host that stops
    // the core for a tenth of that is not seen.
    let beyond: i64 = run.told.stalls.iter().filter(|s| s.client == "hog").map(|s| s.charged_ns - s.armed_ns).sum();
    assert!(beyond < 100_000_000, "{beyond} ns");
}

#[test]
fn without_real_time_classes_too() {
    for bad in ["spin", "crash", "hangup", "garbage", "sleeper"] {
        let config = beside(bad, Some(1000.0));
        let run = run_with(&config, &RunOptions { real_time: false, ..RunOptions::default() }).unwrap();
        others_are_unharmed(&run);
        assert!(!run.told.real_time && run.told.notes[0].contains("CAP_SYS_NICE"));
    }
}
