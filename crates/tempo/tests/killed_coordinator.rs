//! Whatever signal ends the coordinator or a client's guard, at any moment, no process is left behind: none stopped, none
//! real-time, none in a session of its own, no daemon.
#![allow(clippy::disallowed_methods)] // Time limits of the test.

mod support;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use support::{client, config, run};

const MARK: &str = "TEMPO_KILLED_COORDINATOR";

/// Not a test: the process that the test below starts and kills.
#[test]
#[ignore = "run by the test below in a process of its own"]
fn be_a_coordinator() {
    if std::env::var_os(MARK).is_none() {
        return;
    }
    let pd = client("pd", &["pd", "hinge", "-1.5707963267948966", "60", "12"], Some(1000.0), &["efforts/hinge"]);
    let hog = client("hog", &["hog"], None, &[]);
    let fork = client("fork", &["fork"], Some(100.0), &[]);
    run(&config(vec![pd, hog, fork], 60.0));
}

/// Processes that carry the mark of one coordinator.
fn marked(mark: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(id) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        if String::from_utf8_lossy(&environment).contains(mark) {
            found.push(id);
        }
    }
    found
}

/// Processes of the clients of one coordinator, and their processes: these have executed another program than this test.
fn programs(mark: &str) -> Vec<u32> {
    let ours = std::env::current_exe().unwrap();
    let is_ours = |id: &u32| std::fs::read_link(format!("/proc/{id}/exe")).is_ok_and(|exe| exe == ours);
    marked(mark).into_iter().filter(|id| !is_ours(id)).collect()
}

/// Processes whose parent is this one.
fn children(id: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|t| std::fs::read_to_string(t.path().join("children")).ok());
    lists.collect::<Vec<_>>().join(" ").split_whitespace().filter_map(|id| id.parse().ok()).collect()
}

fn send(signal: &str, id: u32) {
    let _ = Command::new("kill").args(["-s", signal, &id.to_string()]).stderr(Stdio::null()).status();
}

/// Waits until a list is empty, which takes some time on a loaded machine; returns the last one.
fn wait_until_empty(what: impl Fn() -> Vec<u32>) -> Vec<u32> {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let list = what();
        if list.is_empty() || Instant::now() > deadline {
            return list;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn nobody_is_left_behind() {
    support::alone(kill_in_turn);
}

/// Runs a test of this program as the user `nobody`, if this process may become it.
fn as_nobody(test: &str) {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let done = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .output()
        .unwrap();
    let (printed, complained) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success() && printed.contains("1 passed"), "{printed}{complained}");
    for (_, line) in printed.lines().filter_map(|l| l.split_once("ACCEPT")) {
        println!("ACCEPT{line} (as an unprivileged user)");
    }
}

/// At full size only: on a busy machine it fails in some runs, which docs/tempo.md says.
#[test]
fn nobody_is_left_behind_by_an_unprivileged_user() {
    if std::env::var_os("VERACITY_FULL").is_some() {
        as_nobody("nobody_is_left_behind");
    }
}

#[test]
fn guard_and_coordinator_of_an_unprivileged_user_leave_no_daemon() {
    as_nobody("guard_and_coordinator_killed_at_one_instant_leave_no_daemon");
}

fn kill_in_turn() {
    let full = std::env::var_os("VERACITY_FULL").is_some();
    let kills = if full { 100 } else { 10 };
    let mut seen = 0;
    let mut guards = 0;
    for round in 0..kills {
        let mark = format!("{MARK}=round{round}of{}", std::process::id());
        let (name, value) = mark.split_once('=').unwrap();
        let mut coordinator = Command::new(std::env::current_exe().unwrap())
            .args(["be_a_coordinator", "--exact", "--ignored"])
            .env(name, value)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Moments spread over start-up and run by the golden section: no moment is preferred, and every run tries the
        // same ones.
        let moment = (f64::from(round) * 0.618_033_988_75).fract();
        std::thread::sleep(Duration::from_micros((moment * 400_000.0) as u64));
        seen = seen.max(marked(&mark).len());
        // First a guard, in every second round: its client's processes are killed all the same.
        if round % 2 == 1
            && let Some(guard) = children(coordinator.id()).last()
        {
            let program = children(*guard).first().map(|id| std::fs::read(format!("/proc/{id}/environ")));
            send("KILL", *guard);
            guards += 1;
            let environment = String::from_utf8_lossy(&program.and_then(Result::ok).unwrap_or_default()).to_string();
            if let Some(its) = environment.split('\0').find(|e| e.starts_with("VERACITY_TEMPO_CLIENT=")) {
                let left = wait_until_empty(|| marked(&format!("{its}\0")));
                let names: Vec<String> = left.iter().map(|id| about(*id)).collect();
                assert_eq!(left, [] as [u32; 0], "round {round}, guard: {names:?}");
            }
        }
        let signal = ["KILL", "QUIT", "ABRT", "SEGV", "TERM"][round as usize % 5];
        send(signal, coordinator.id());
        // A coordinator asked to end writes its results first.
        let programs = wait_until_empty(|| programs(&mark));
        assert_eq!(programs, [] as [u32; 0], "round {round}, {signal}");
        let deadline = Instant::now() + Duration::from_secs(20);
        while coordinator.try_wait().unwrap().is_none() {
            assert!(Instant::now() < deadline, "the coordinator hangs after {signal} in round {round}");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(wait_until_empty(|| marked(&mark)), [] as [u32; 0], "round {round}, {signal}");
    }
    // The test can fail: there were processes to leave behind (coordinator, three guards, three clients, and a child, one
    // in a session of its own and a daemon of one of them).
    assert!(seen >= 8, "{seen}");
    assert!(guards > 0 || !full, "no guard was alive when it was to be killed");
    println!(
        "ACCEPT tempo-killed: {kills} kills by five signals, {guards} of them after a guard, up to {seen} processes before, none after"
    );
}

/// Not a test: the process that the test below starts and kills.
#[test]
#[ignore = "run by the test below in a process of its own"]
fn be_a_coordinator_of_daemons() {
    if std::env::var_os(MARK).is_none() {
        return;
    }
    let script = "(setsid sleep 1000 &); setsid sh -c 'sleep 1000; true' & while :; do sleep 0.01; done";
    let it = veracity_tempo::config::ClientConfig {
        program: "/bin/sh".to_string(),
        kind: veracity_tempo::config::ClientKind::Unmodified,
        ..client("it", &["-c", script], None, &[])
    };
    let preload = std::env::current_exe().unwrap().parent().unwrap().join("libveracity_preload.so");
    let options = veracity_tempo::RunOptions { preload: Some(preload), ..Default::default() };
    support::run_with(&config(vec![it], 600.0), &options).unwrap();
}

/// Nothing of the run is alive that could kill a daemon: the kernel does, by the guard's pipe.
#[test]
fn guard_and_coordinator_killed_at_one_instant_leave_no_daemon() {
    support::alone(kill_both);
}

fn kill_both() {
    let rounds = if std::env::var_os("VERACITY_FULL").is_some() { 100 } else { 3 };
    for round in 0..rounds {
        let mark = format!("{MARK}=daemons{round}of{}", std::process::id());
        let (name, value) = mark.split_once('=').unwrap();
        let mut coordinator = Command::new(std::env::current_exe().unwrap())
            .args(["be_a_coordinator_of_daemons", "--exact", "--ignored"])
            .env(name, value)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // The script, two sleeping daemons and the shell of one of them.
        let deadline = Instant::now() + Duration::from_secs(20);
        while programs(&mark).len() < 4 {
            assert!(Instant::now() < deadline, "{:?}", programs(&mark));
            std::thread::sleep(Duration::from_millis(5));
        }
        let mut both = children(coordinator.id());
        both.push(coordinator.id());
        let ids: Vec<String> = both.iter().map(ToString::to_string).collect();
        let _ = Command::new("kill").args(["-s", "KILL"]).args(ids).status();
        coordinator.wait().unwrap();
        let left = wait_until_empty(|| marked(&mark));
        let names: Vec<String> = left.iter().map(|id| about(*id)).collect();
        assert_eq!(left, [] as [u32; 0], "round {round}: {names:?}");
    }
    println!(
        "ACCEPT tempo-killed-both: guard and coordinator killed at one instant, {rounds} times, no process left"
    );
}

/// Name, state and parent of a process.
fn about(id: u32) -> String {
    let text = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    let library = std::fs::read_to_string(format!("/proc/{id}/maps")).unwrap_or_default().contains("preload");
    format!("{}, preloaded library: {library}", text.split_whitespace().take(6).collect::<Vec<_>>().join(" "))
}
