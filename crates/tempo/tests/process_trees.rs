//! A client is a tree of processes with one account and one clock: shell scripts, worker pools, planners that are started as
//! programs of their own.

mod support;

use std::path::{Path, PathBuf};
use support::{client, config, python, run_with, stats_of};
use veracity_measure::Verdict;
use veracity_tempo::config::{ClientConfig, ClientKind};
use veracity_tempo::outcome::ClientStats;
use veracity_tempo::{Run, RunOptions};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("trees-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn unmodified(program: &str, arguments: &[&str]) -> ClientConfig {
    ClientConfig { program: program.to_string(), kind: ClientKind::Unmodified, ..client("it", arguments, None, &[]) }
}

/// Runs a program beside a planner that computes forever; returns the run and what the program printed.
fn beside_a_planner(it: ClientConfig, name: &str, real_time: bool) -> (Run, String) {
    let folder = folder(name);
    let preload = std::env::current_exe().unwrap().parent().unwrap().join("libveracity_preload.so");
    let options =
        RunOptions { preload: Some(preload), output: Some(folder.clone()), real_time, ..RunOptions::default() };
    let run = run_with(&config(vec![it, client("hog", &["hog"], None, &[])], 2.5), &options).unwrap();
    let read = |ending: &str| std::fs::read_to_string(folder.join(format!("it.{ending}"))).unwrap();
    let (printed, complained) = (read("stdout"), read("stderr"));
    let it = stats_of(&run, "it");
    assert!(it.ended.as_ref().is_some_and(|e| e.contains("exit status: 0")), "{it:?}\n{printed}{complained}");
    (run, printed)
}

/// What was charged is what the kernel counted for all processes that were waited for, to 2 %.
fn is_metered_as_one(it: &ClientStats, processes: usize) {
    let counted = it.counted_cpu_ns.unwrap() as f64;
    assert!((it.charged_cpu_ns as f64 / counted - 1.0).abs() < 0.02, "{it:?}");
    assert!(it.processes >= processes && it.troubles.is_empty(), "{it:?}");
    assert_eq!(it.executed_ns + it.waited_ns, it.progress_ns, "{it:?}");
    println!(
        "ACCEPT tempo-trees: {} processes, {} ns charged, {counted} ns counted",
        it.processes, it.charged_cpu_ns
    );
}

fn numbers(text: &str) -> Vec<f64> {
    text.split(|c: char| c.is_whitespace() || "[],".contains(c)).filter_map(|n| n.parse().ok()).collect()
}

#[test]
fn a_shell_script_sleeps_and_reads_the_time() {
    let script = "a=$(date +%s.%N); sleep 0.5; b=$(date +%s.%N); /bin/true\n\
                  i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; c=$(date +%s.%N)\n\
                  echo \"$a $b $c\"";
    for real_time in [true, false] {
        let (run, printed) = beside_a_planner(unmodified("/bin/sh", &["-c", script]), "shell", real_time);
        let [a, b, c] = numbers(&printed)[..] else { panic!("{printed}") };
        // The sleep, and starting two programs, which takes 1 to 2 ms of CPU time each.
        assert!((0.5..0.51).contains(&(b - a)), "{printed}");
        let it = stats_of(&run, "it");
        is_metered_as_one(it, 2);
        // What remains of its time is the loop it computes itself.
        assert!(c - b < it.executed_ns as f64 * 1e-9, "{printed} {it:?}");
        assert!(it.waited_ns >= 490_000_000, "{it:?}");
    }
}

#[test]
fn the_workers_of_a_pool_share_one_processor() {
    let code = "import multiprocessing, time\n\
                def work(n):\n    \
                    while time.process_time() < n: pass\n    \
                    return time.process_time()\n\
                if __name__ == '__main__':\n    \
                    t = time.monotonic()\n    \
                    with multiprocessing.get_context('fork').Pool(3) as pool: used = pool.map(work, [0.2] * 3)\n    \
                    print(time.monotonic() - t, *used)\n";
    let (run, printed) = beside_a_planner(unmodified(&python(), &["-c", code]), "pool", true);
    let numbers = numbers(&printed);
    assert_eq!(numbers.len(), 4, "{printed}");
    let used: f64 = numbers[1..].iter().sum();
    // One core: it takes as long as the workers compute, and what starting and ending them costs.
    assert!((used..used + 0.1).contains(&numbers[0]), "{printed}");
    is_metered_as_one(stats_of(&run, "it"), 4);
}

#[test]
fn a_planner_started_as_a_program_of_its_own_is_charged() {
    let planner = "import time; t = time.monotonic()\\nwhile time.process_time() < 0.3: pass\\n\
                   time.sleep(0.2); print(time.monotonic() - t)";
    let code = format!(
        "import subprocess, sys, time\n\
         t = time.monotonic()\n\
         out = subprocess.run([sys.executable, '-c', '{planner}'], capture_output=True, text=True).stdout\n\
         print(out, time.monotonic() - t)\n"
    );
    let (run, printed) = beside_a_planner(unmodified(&python(), &["-c", &code]), "planner", true);
    let [inner, outer] = numbers(&printed)[..] else { panic!("{printed}") };
    let it = stats_of(&run, "it");
    is_metered_as_one(it, 2);
    // Both read the same clock: what the planner sees is a part of what its caller sees.
    assert!(inner < outer && outer < it.progress_ns as f64 * 1e-9, "{printed} {it:?}");
    // 0.3 s of CPU time less loading Python, and the sleep.
    assert!((0.4..0.51).contains(&inner), "{printed}");
}

/// A controller whose worker process computes on is late because of it.
#[test]
fn what_a_child_computes_delays_its_parent() {
    let code = "import os, time\n\
                child = os.fork()\n\
                if child == 0:\n    \
                    while time.process_time() < 0.4: pass\n    \
                    os._exit(0)\n\
                late = 0\n\
                for _ in range(20):\n    \
                    t = time.monotonic(); time.sleep(0.01); late = max(late, time.monotonic() - t - 0.01)\n\
                os.waitpid(child, 0)\n\
                print(time.monotonic(), late)\n";
    let (run, _) = beside_a_planner(unmodified(&python(), &["-c", code]), "background", true);
    let it = stats_of(&run, "it");
    is_metered_as_one(it, 2);
    // The child's 0.4 s and the parent's 0.2 s of sleep overlap: time advances only while no process of it can run.
    assert!((0.4..0.55).contains(&(it.executed_ns as f64 * 1e-9)), "{it:?}");
    assert!(it.waited_ns < 150_000_000, "{it:?}");
}

/// A program outside of the library sees wall time: that is reported.
#[test]
fn a_child_without_the_library_is_named() {
    let (run, _) = {
        let folder = folder("without");
        let preload = std::env::current_exe().unwrap().parent().unwrap().join("libveracity_preload.so");
        let options = RunOptions { preload: Some(preload), output: Some(folder.clone()), ..RunOptions::default() };
        let it = unmodified("/bin/sh", &["-c", "env -i /bin/sleep 0.3; exit 0"]);
        (run_with(&config(vec![it], 1.0), &options).unwrap(), folder)
    };
    let it = stats_of(&run, "it");
    assert_eq!(it.verdict.as_ref().unwrap().verdict, Verdict::CannotTell, "{it:?}");
    assert!(it.troubles.iter().any(|t| t.finding.text.contains("sleep")), "{it:?}");
}

/// Time in which the kernel waits for a disk passes for the program, too.
#[test]
fn an_uninterruptible_sleep_is_charged() {
    // A process that was started by `vfork` and sleeps does not count; a write that waits for the disk does.
    let code = "import os, time\n\
                path = os.environ['TMP_FILE']; f = os.open(path, os.O_CREAT | os.O_WRONLY)\n\
                t, cpu = time.monotonic(), time.process_time()\n\
                for _ in range(50):\n    \
                    os.write(f, b'x' * 65536); os.fsync(f)\n\
                print(time.monotonic() - t, time.process_time() - cpu)\n\
                os.unlink(path)\n";
    let mut it = unmodified(&python(), &["-c", code]);
    let path = folder("fsync").join("log");
    it.environment.insert("TMP_FILE".to_string(), path.display().to_string());
    let (run, printed) = beside_a_planner(it, "device", true);
    let [elapsed, computed] = numbers(&printed)[..] else { panic!("{printed}") };
    let it = stats_of(&run, "it");
    if run.summary.real_time && it.device_ns > 0 {
        // All that it did not compute is what the disk took.
        let device = it.device_ns as f64 * 1e-9;
        assert!((elapsed - computed - device).abs() < 0.1 * elapsed + 0.005, "{printed} {it:?}");
        assert!(it.notes.iter().any(|n| n.finding.text.contains("fsync")), "{it:?}");
    }
}
