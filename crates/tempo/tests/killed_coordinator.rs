//! `kill -9` of the coordinator at any moment leaves no process behind: none stopped, none real-time, none at all.
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

#[test]
fn nobody_is_left_behind() {
    let full = std::env::var_os("VERACITY_FULL").is_some();
    let kills = if full { 100 } else { 8 };
    let mut seen = 0;
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
        coordinator.kill().unwrap();
        coordinator.wait().unwrap();
        // The guard sees its pipe close and kills; on a loaded machine that takes some time.
        let deadline = Instant::now() + Duration::from_secs(20);
        while !marked(&mark).is_empty() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(marked(&mark), [] as [u32; 0], "round {round}");
    }
    // The test can fail: there were processes to leave behind (coordinator, guard, three clients, a grandchild).
    assert!(seen >= 4, "{seen}");
    println!("ACCEPT tempo-killed: {kills} kills, up to {seen} processes before, none after");
}
