//! Controllers with an injected overload: none is accepted, and nearly all are rejected for the overload.
//!
//! Five kinds of overload, each in two variants, in every or in every tenth activation, at two rates, by five factors of
//! the period: 200 runs. The controller computes on another core, lets another program of the run compute for it, lets a
//! process of its own compute, waits for a disk to write, or sleeps uninterruptibly while a disk reads.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use support::{client, config, python, run_with, stats_of};
use veracity_measure::Verdict;
use veracity_tempo::config::{ClientConfig, ClientKind};
use veracity_tempo::outcome::ClientStats;
use veracity_tempo::{Run, RunOptions};

/// Kinds, and the variants of each.
const KINDS: [(&str, [&str; 2]); 5] = [
    ("affinity", ["once", "always"]),
    ("pair", ["udp", "pipe"]),
    ("child", ["fork", "program"]),
    ("fsync", ["fsync", "fdatasync"]),
    ("device", ["preadv", "readv"]),
];

/// One run.
#[derive(Clone, Copy, Debug)]
struct Overload {
    kind: &'static str,
    variant: &'static str,
    every: u32,
    rate_hz: f64,
    /// Of the period.
    factor: f64,
}

fn all() -> Vec<Overload> {
    let mut all = Vec::new();
    for (kind, variants) in KINDS {
        for variant in variants {
            for every in [1, 10] {
                for rate_hz in [50.0, 100.0] {
                    all.extend([1.2, 1.5, 2.0, 3.0, 5.0].map(|factor| Overload {
                        kind,
                        variant,
                        every,
                        rate_hz,
                        factor,
                    }));
                }
            }
        }
    }
    all
}

fn script(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/overloads").join(name).to_str().unwrap().to_string()
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("overloads-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn run(overload: Overload, folder: &Path) -> Run {
    let needed_s = overload.factor / overload.rate_hz;
    let (every, amount) = (overload.every.to_string(), needed_s.to_string());
    let (path, place) = (script("overload.py"), folder.to_str().unwrap());
    let arguments = [&path, overload.kind, overload.variant, &every, &amount, place];
    let mut it =
        ClientConfig { program: python(), ..client("it", &arguments, Some(overload.rate_hz), &["efforts/hinge"]) };
    let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("../client/python");
    let beside = std::env::current_exe().unwrap().parent().unwrap().to_path_buf();
    it.environment.insert("PYTHONPATH".to_string(), module.to_str().unwrap().to_string());
    let library = beside.join("libveracity_client.so").to_str().unwrap().to_string();
    it.environment.insert("VERACITY_CLIENT_LIBRARY".to_string(), library);
    let mut clients = Vec::new();
    if overload.kind == "pair" {
        let server = ["server.py"].map(script);
        clients.push(ClientConfig {
            program: python(),
            kind: ClientKind::Unmodified,
            ..client("server", &[&server[0], overload.variant, place], None, &[])
        });
        let port = std::net::UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        std::fs::write(folder.join("port"), port.to_string()).unwrap();
        for pipe in ["ask", "answer"].map(|name| folder.join(name)) {
            let _ = std::fs::remove_file(&pipe);
            assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        }
    }
    clients.push(it);
    let options = RunOptions {
        preload: Some(beside.join("libveracity_preload.so")),
        output: Some(folder.to_path_buf()),
        ..RunOptions::default()
    };
    // Thirty activations if all are in time.
    run_with(&config(clients, 30.0 / overload.rate_hz), &options).unwrap_or_else(|e| panic!("{overload:?}: {e}"))
}

/// Whether a rejection is for the injected overload: late activations, and what caused them in the numbers.
fn is_for_the_overload(overload: Overload, run: &Run, it: &ClientStats) -> bool {
    let late = it.misses + it.skipped > it.suspect_misses + it.suspect_skipped && it.ended.is_none();
    let needed_ns = (overload.factor / overload.rate_hz * 1e9) as i64;
    late && match overload.kind {
        "affinity" => it.charged_cpu_ns >= needed_ns && it.notes.iter().any(|n| n.finding.code == "core-changed"),
        "pair" => stats_of(run, "server").charged_cpu_ns >= needed_ns,
        "child" => it.processes >= 2,
        _ => it.device_ns > 0,
    }
}

#[test]
fn no_overloaded_controller_is_accepted() {
    let full = std::env::var_os("VERACITY_FULL").is_some();
    let only = std::env::var("VERACITY_OVERLOAD").ok();
    let folder = folder("all");
    std::fs::write(folder.join("data"), vec![7u8; 1 << 20]).unwrap();
    // In the normal run two of each kind: an overload in every activation, and one in every tenth.
    let chosen = |(n, overload): &(usize, Overload)| match &only {
        Some(kind) => overload.kind == kind,
        None => full || n % 40 == 1 || n % 40 == 36,
    };
    let (mut runs, mut rejected, mut undecided, mut accepted) = (0, 0, Vec::new(), Vec::new());
    for (_, overload) in all().into_iter().enumerate().filter(chosen) {
        let run = run(overload, &folder);
        let it = stats_of(&run, "it");
        let verdict = it.verdict.as_ref().unwrap();
        runs += 1;
        match verdict.verdict {
            Verdict::Accepted => accepted.push(format!("{overload:?}: {verdict:?} {it:?}")),
            Verdict::Rejected if is_for_the_overload(overload, &run, it) => rejected += 1,
            _ => undecided.push(format!("{overload:?}: {verdict:?} {it:?}")),
        }
    }
    println!(
        "ACCEPT tempo-overloads: {runs} runs, {} accepted, {rejected} rejected for the overload, {} undecided or for another reason",
        accepted.len(),
        undecided.len()
    );
    undecided.iter().for_each(|text| println!("  {text}"));
    assert!(accepted.is_empty(), "{}", accepted.join("\n"));
    assert!(10 * rejected >= 9 * runs, "{rejected} of {runs}: {}", undecided.join("\n"));
}

/// The check can fail: the same programs without overload are not rejected for it.
#[test]
fn without_overload_nothing_is_rejected() {
    let folder = folder("none");
    for kind in ["affinity", "child"] {
        // A tenth of the period in every tenth activation.
        let overload = Overload {
            kind,
            variant: KINDS.iter().find(|k| k.0 == kind).unwrap().1[0],
            every: 10,
            rate_hz: 50.0,
            factor: 0.1,
        };
        let run = run(overload, &folder);
        let it = stats_of(&run, "it");
        assert_ne!(it.verdict.as_ref().unwrap().verdict, Verdict::Rejected, "{it:?}");
        assert!(!is_for_the_overload(overload, &run, it), "{it:?}");
    }
}
