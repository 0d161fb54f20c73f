//! Ordinary programs with threads and every kind of timed wait run in virtual time, next to a planner on the same core.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use support::{client, config, python, run_with, stats_of};
use veracity_measure::Verdict;
use veracity_tempo::config::{ClientConfig, ClientKind};
use veracity_tempo::{Mode, RunOptions};

fn next_to_this_test(file: &str) -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().join(file)
}

fn options(folder: &Path) -> RunOptions {
    let preload = Some(next_to_this_test("libveracity_preload.so"));
    RunOptions { preload, output: Some(folder.to_path_buf()), ..RunOptions::default() }
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("unmodified-threads-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn unmodified(program: &str, arguments: &[&str]) -> ClientConfig {
    ClientConfig { program: program.to_string(), kind: ClientKind::Unmodified, ..client("it", arguments, None, &[]) }
}

fn threaded(folder: &Path) -> ClientConfig {
    let (source, program) =
        (Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/threaded.cpp"), folder.join("threaded"));
    let built = Command::new("c++").args(["-O1", "-pthread", "-o"]).arg(&program).arg(&source).status();
    assert!(built.is_ok_and(|s| s.success()), "a C++ compiler builds the test's program");
    unmodified(program.to_str().unwrap(), &[])
}

/// Parses a program's output: on each line a name and a number that should be 1.
fn lines(text: &str) -> Vec<(String, f64)> {
    let line = |l: &str| l.split_once(' ').and_then(|(name, n)| Some((name.to_string(), n.parse().ok()?)));
    text.lines().map(|l| line(l).unwrap_or_else(|| panic!("{l}"))).collect()
}

#[test]
fn every_timed_wait_takes_its_virtual_time() {
    let folder = folder("waits");
    // Without real-time classes nothing can be claimed here, and the verdict says so.
    let config = config(vec![threaded(&folder), client("hog", &["hog"], None, &[])], 4.0);
    let run = run_with(&config, &options(&folder)).unwrap();
    let printed = std::fs::read_to_string(folder.join("it.stdout")).unwrap();
    let it = stats_of(&run, "it");
    if !run.summary.real_time {
        assert_eq!(it.verdict.as_ref().map(|v| v.verdict), Some(Verdict::CannotTell), "{it:?}");
        return;
    }
    assert!(it.ended.as_ref().is_some_and(|e| e.contains("exit status: 0")), "{it:?}\n{printed}");
    assert!(it.troubles.is_empty() && it.threads >= 2, "{it:?}");
    let lines = lines(&printed);
    assert_eq!(lines.len(), 3 * 11 + 3, "{printed}");
    let mut worst = 0.0f64;
    for (name, part) in &lines {
        // Never early, except for the rounding of clocks. Late by what the wait itself allows: polling once per step of
        // 1 ms in a wait of 20 ms is 5 %; a thread next to one that computes forever gets its turn a step later, twice
        // where it also starts a thread of its own. A wall clock is off by a factor of two next to the planner.
        let late = if name.contains("spinner") { 0.15 } else { 0.08 };
        assert!((0.999..=1.0 + late).contains(part), "{name}: {part}\n{printed}");
        worst = worst.max((part - 1.0).abs());
    }
    println!("ACCEPT tempo-unmodified-threads: {} waits, worst {:.1} % off", lines.len(), 100.0 * worst);
}

#[test]
fn python_threads_see_virtual_time() {
    let code = "import threading, queue, time\n\
                q = queue.Queue(); over = False\n\
                def work():\n    \
                    while not over: time.sleep(0.002)\n\
                worker = threading.Thread(target=work); worker.start()\n\
                t = time.monotonic()\n\
                try: q.get(timeout=0.3)\n\
                except queue.Empty: pass\n\
                print('queue', (time.monotonic() - t) / 0.3)\n\
                t = time.monotonic()\n\
                while time.monotonic() < t + 0.2: pass\n\
                print('loop', (time.monotonic() - t) / 0.2)\n\
                threading.Timer(0.1, lambda: q.put(1)).start()\n\
                t = time.monotonic(); q.get(); print('timer', (time.monotonic() - t) / 0.1)\n\
                over = True; worker.join()\n";
    let folder = folder("python");
    let config = config(vec![unmodified(&python(), &["-c", code]), client("hog", &["hog"], None, &[])], 2.0);
    let run = run_with(&config, &options(&folder)).unwrap();
    let printed = std::fs::read_to_string(folder.join("it.stdout")).unwrap();
    let complained = std::fs::read_to_string(folder.join("it.stderr")).unwrap();
    let it = stats_of(&run, "it");
    assert!(it.ended.as_ref().is_some_and(|e| e.contains("exit status: 0")), "{it:?}\n{printed}{complained}");
    let lines = lines(&printed);
    assert_eq!(lines.len(), 3, "{printed}");
    if run.summary.real_time {
        for (name, part) in &lines {
            // A turn of one step, and starting a thread, in a wait of 100 ms.
            assert!((0.999..1.05).contains(part), "{name}: {part}");
        }
    }
}

#[test]
fn threads_without_real_time_classes_are_judged_by_their_wakeups() {
    let folder = folder("unprivileged");
    let config = config(vec![threaded(&folder)], 0.6);
    let run = run_with(&config, &RunOptions { real_time: false, ..options(&folder) }).unwrap();
    let it = stats_of(&run, "it");
    if it.worst_wakeup_ns > 10_000_000 {
        let verdict = it.verdict.as_ref().expect("a verdict though it has no rate");
        assert_eq!(verdict.verdict, Verdict::CannotTell);
        assert!(verdict.reason.contains("CAP_SYS_NICE"), "{verdict:?}");
        return;
    }
    assert!(it.verdict.is_none(), "{it:?}");
    let printed = std::fs::read_to_string(folder.join("it.stdout")).unwrap();
    for (name, part) in lines(&printed) {
        // A wake-up that is 10 ms late, in a wait of 20 ms.
        assert!((0.999..=1.5).contains(&part), "{name}: {part}\n{printed}");
    }
}

#[test]
fn threads_in_a_callback_are_rejected() {
    let folder = folder("callback");
    let code = "import threading; t = threading.Thread(target=print); t.start(); t.join()";
    let config = config(vec![unmodified(&python(), &["-c", code])], 0.2);
    let run = run_with(&config, &RunOptions { mode: Mode::Callback, ..options(&folder) }).unwrap();
    let it = stats_of(&run, "it");
    assert!(it.troubles.iter().any(|t| t.finding.text.contains("unsupported in a callback")), "{it:?}");
}

/// RRT* with a limit of one second: the library stops it from a thread of its own, by the system clock.
const RRT_STAR: &str = r"
import time
from ompl import base, geometric, util
util.setLogLevel(util.LogLevel.LOG_ERROR)
space = base.RealVectorStateSpace(2)
bounds = base.RealVectorBounds(2)
bounds.setLow(-1)
bounds.setHigh(1)
space.setBounds(bounds)
setup = geometric.SimpleSetup(space)
setup.setStateValidityChecker(lambda s: s[0] ** 2 + s[1] ** 2 > 0.04)
start, goal = space.allocState(), space.allocState()
start[0] = start[1] = -0.9
goal[0] = goal[1] = 0.9
setup.setStartAndGoalStates(start, goal)
setup.setPlanner(geometric.RRTstar(setup.getSpaceInformation()))
begun, used = time.monotonic(), time.process_time()
setup.solve(1.0)
print('elapsed', time.monotonic() - begun)
print('computed', time.process_time() - used)
";

#[test]
fn rrt_star_stops_after_its_second() {
    let Some(python) = std::env::var_os("VERACITY_PYTHON") else {
        panic!("VERACITY_PYTHON is not set: run `cargo xtask test`, which sets it up");
    };
    let folder = folder("ompl");
    let it = unmodified(python.to_str().unwrap(), &["-c", RRT_STAR]);
    // Loading the library's Python module also takes CPU time: up to a second before planning.
    let config = config(vec![it, client("hog", &["hog"], None, &[])], 4.0);
    let run = run_with(&config, &options(&folder)).unwrap();
    let printed = std::fs::read_to_string(folder.join("it.stdout")).unwrap();
    let complained = std::fs::read_to_string(folder.join("it.stderr")).unwrap();
    let it = stats_of(&run, "it");
    assert!(it.ended.as_ref().is_some_and(|e| e.contains("exit status: 0")), "{it:?}\n{printed}{complained}");
    assert!(it.threads >= 2, "{it:?}");
    let lines = lines(&printed);
    if run.summary.real_time {
        for (name, seconds) in &lines {
            // 2 %: a thread that sleeps a millisecond at a time checks the limit. The computed time is the same,
            // because it never waits; in wall time next to the planner it would be half.
            assert!((seconds - 1.0).abs() < 0.02, "{name}: {seconds} s");
        }
        println!("ACCEPT tempo-ompl: {:.4} s of virtual time, {:.4} s computed", lines[0].1, lines[1].1);
    } else {
        // Nothing is claimed: no ACCEPT line.
        assert_eq!(it.verdict.as_ref().map(|v| v.verdict), Some(Verdict::CannotTell), "{it:?}");
    }
}

/// OMPL plans again and again beside a controller at 1 kHz: each plan takes its 0.1 s, and the controller is not late.
#[test]
fn rrt_star_replans_beside_a_controller() {
    let Some(python) = std::env::var_os("VERACITY_PYTHON") else {
        panic!("VERACITY_PYTHON is not set: run `cargo xtask test`, which sets it up");
    };
    let folder = folder("ompl-loop");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/tempo/ompl/planner.py");
    let it = unmodified(python.to_str().unwrap(), &[script.to_str().unwrap()]);
    let pd = ["pd", "hinge", "-1.5707963267948966", "60", "12"];
    let config = config(vec![it, client("pd", &pd, Some(1000.0), &["efforts/hinge"])], 4.0);
    let run = run_with(&config, &options(&folder)).unwrap();
    let printed = std::fs::read_to_string(folder.join("it.stdout")).unwrap();
    let took: Vec<f64> = printed.lines().filter_map(|l| l.split_whitespace().nth(1)?.parse().ok()).collect();
    let (it, pd) = (stats_of(&run, "it"), stats_of(&run, "pd"));
    if !run.summary.real_time {
        return;
    }
    assert_eq!(took.len(), 20, "{printed} {it:?}");
    // A plan's limit is checked by a thread that sleeps a millisecond at a time; setting up a plan is outside of it.
    let (least, most) = (took.iter().copied().fold(1.0, f64::min), took.iter().copied().fold(0.0, f64::max));
    assert!((0.1..0.12).contains(&least) && most < 0.12, "{printed}");
    assert_ne!(pd.verdict.as_ref().unwrap().verdict, Verdict::Rejected, "{pd:?}");
    println!(
        "ACCEPT tempo-ompl-loop: 20 plans of 0.1 s take {least:.4} to {most:.4} s; the controller's worst response is {:.1} us",
        pd.worst_response_ns as f64 * 1e-3
    );
}
