//! Recorded runs, replayed: a program that repeats gives the same motion to the bit; for one that does not, the error names
//! the step of the first command that differs.
//!
//! Ten ways to repeat and ten ways not to, over the client library and over UDP.

mod support;

use std::path::{Path, PathBuf};
use support::{client, config, python, run_with};
use veracity_tempo::config::{ClientConfig, ClientKind};
use veracity_tempo::link::LinkConfig;
use veracity_tempo::schedule::EventKind;
use veracity_tempo::{RunOptions, TempoConfig};

const FAITHFUL: [&str; 10] =
    ["constant", "seeded", "integral", "sleep", "filter", "clock", "date", "order", "text", "deadband"];
const DIVERGING: [&str; 10] =
    ["random", "urandom", "process", "hash", "address", "counter", "uuid", "name", "started", "thread"];

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("replays-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The program at 100 Hz for 0.4 s; from its command `begin` on it adds a number of its kind.
fn controlled(transport: &str, kind: &str, begin: usize, folder: &Path) -> TempoConfig {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = |p: PathBuf| p.to_str().unwrap().to_string();
    let script = path(root.join("tests/replays/controller.py"));
    let arguments = [&script, transport, kind, &begin.to_string(), folder.to_str().unwrap()];
    let mut it = ClientConfig { program: python(), ..client("it", &arguments, Some(100.0), &["efforts/hinge"]) };
    if transport == "udp" {
        it.kind = ClientKind::Unmodified;
        it.link = Some(LinkConfig { adapter: "udp".to_string(), ..LinkConfig::default() });
    } else {
        let library = std::env::current_exe().unwrap().parent().unwrap().join("libveracity_client.so");
        it.environment.insert("PYTHONPATH".to_string(), path(root.join("../client/python")));
        it.environment.insert("VERACITY_CLIENT_LIBRARY".to_string(), path(library));
    }
    TempoConfig { step_s: Some(0.01), ..config(vec![it], 0.4) }
}

/// Records a run and replays it. Returns the step of command `begin`, and the error of the replay or whether its motion
/// is the recorded one to the bit.
fn record_and_replay(transport: &str, kind: &str, begin: usize) -> (u64, Result<bool, String>) {
    let folder = folder(&format!("{transport}-{kind}"));
    let preload = std::env::current_exe().unwrap().parent().unwrap().join("libveracity_preload.so");
    let options = RunOptions { preload: Some(preload), output: Some(folder.clone()), ..RunOptions::default() };
    let config = controlled(transport, kind, begin, &folder);
    let recorded = run_with(&config, &options).unwrap_or_else(|e| panic!("{transport} {kind}: {e}"));
    let mut commands = recorded.events.iter().filter(|e| matches!(e.what, EventKind::Command { .. }));
    let said = std::fs::read_to_string(folder.join("it.stderr")).unwrap();
    let step = commands.nth(begin - 1).unwrap_or_else(|| panic!("{transport} {kind}: too few commands: {said}")).step;
    let replay = Some((recorded.head.clone(), recorded.events.clone()));
    let again = run_with(&config, &RunOptions { replay, ..options });
    let equal = again.map(|again| {
        let bits = |q: &[f64]| q.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        bits(&again.record.track.q) == bits(&recorded.record.track.q)
            && again.record.digest() == recorded.record.digest()
    });
    (step, equal.map_err(|e| e.to_string()))
}

/// All of them, or every third where time is short.
fn chosen(kinds: &[&'static str]) -> Vec<(&'static str, &'static str, usize)> {
    let full = std::env::var_os("VERACITY_FULL").is_some();
    let mut all = Vec::new();
    for (n, kind) in kinds.iter().enumerate() {
        for (t, transport) in ["client", "udp"].into_iter().enumerate() {
            if full || (2 * n + t) % 7 == 0 {
                all.push((transport, *kind, 3 + 2 * n + t));
            }
        }
    }
    all
}

#[test]
fn what_repeats_is_replayed_to_the_bit() {
    let chosen = chosen(&FAITHFUL);
    for (transport, kind, begin) in &chosen {
        let (_, equal) = record_and_replay(transport, kind, *begin);
        assert_eq!(equal, Ok(true), "{transport} {kind}");
    }
    println!("ACCEPT tempo-replays-faithful: {0} of {0} equal to the bit", chosen.len());
}

#[test]
fn what_does_not_repeat_is_named_with_its_step() {
    let chosen = chosen(&DIVERGING);
    for (transport, kind, begin) in &chosen {
        let (step, error) = record_and_replay(transport, kind, *begin);
        let error = error.expect_err(&format!("{transport} {kind}"));
        assert!(error.contains(&format!("diverges at step {step} (")), "{transport} {kind}, step {step}: {error}");
        assert!(error.contains("efforts/hinge"), "{error}");
    }
    println!("ACCEPT tempo-replays-diverging: {0} of {0} named with the first step that differs", chosen.len());
}
