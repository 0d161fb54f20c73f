//! Programs that were not written for us and only speak UDP, TCP or lines command the robot, on virtual clocks.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use support::{client, config, python, run_with, spec, stats_of};
use veracity_lab::{Session, SessionSetup};
use veracity_measure::Verdict;
use veracity_scenario::Scenario;
use veracity_tempo::config::{ClientConfig, ClientKind};
use veracity_tempo::link::{Format, LinkConfig};
use veracity_tempo::{Mode, Run, RunOptions, TempoConfig};

/// Step and period [s]: a program in Python answers within a millisecond or two.
const STEP_S: f64 = 0.01;

fn library() -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().join("libveracity_preload.so")
}

fn script(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/links").join(name).to_str().unwrap().to_string()
}

fn linked(way: &str, link: LinkConfig) -> ClientConfig {
    ClientConfig {
        program: python(),
        kind: ClientKind::Unmodified,
        link: Some(link),
        ..client("it", &[&script("pd.py"), way], Some(100.0), &["efforts/hinge"])
    }
}

fn udp() -> LinkConfig {
    LinkConfig { adapter: "udp".to_string(), ..LinkConfig::default() }
}

fn at_100_hz(it: ClientConfig, duration_s: f64) -> TempoConfig {
    TempoConfig { step_s: Some(STEP_S), ..config(vec![it], duration_s) }
}

fn options(name: &str) -> RunOptions {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("links-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    RunOptions { preload: Some(library()), output: Some(folder), ..RunOptions::default() }
}

fn stderr(options: &RunOptions) -> String {
    std::fs::read_to_string(options.output.as_ref().unwrap().join("it.stderr")).unwrap()
}

/// The hinge's positions with the built-in PD at 100 Hz.
fn built_in(duration_s: f64, latency_s: f64, phase_s: f64) -> Vec<f64> {
    let mut scenario = Scenario::built_in("simple_pendulum").unwrap();
    let text = format!(
        "name = \"pd\"\nkind = \"pd\"\nrate_hz = 100\nlatency_s = {latency_s}\nphase_s = {phase_s}\n\
         joints.hinge = {{ kp = 60, kd = 12, target = -1.5707963267948966 }}\n"
    );
    scenario.controllers.push(toml::from_str(&text).unwrap());
    let step_ns = (STEP_S * 1e9) as i64;
    (scenario.step_ns, scenario.duration_ns) = (step_ns, (duration_s * 1e9) as i64);
    let setup = SessionSetup { scenario: Arc::new(scenario), overrides: Vec::new(), step_ns, seed: 0, index: 0 };
    let mut session = Session::open(&veracity_engine_native::ENGINE, &spec("native"), setup).unwrap();
    session.run_to_end();
    session.finish().track.q.clone()
}

fn largest_difference(run: &Run, reference: &[f64]) -> f64 {
    let q = &run.record.track.q;
    assert_eq!(q.len(), reference.len());
    assert!((q.last().unwrap() + std::f64::consts::FRAC_PI_2).abs() < 1e-3, "it stands: {q:?}");
    q.iter().zip(reference).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Runs a program; the motion must be that of the built-in controller with a step of delay, and its verdict accepted.
fn moves_like_the_built_in(name: &str, it: ClientConfig) {
    let (options, phase_s) = (options(name), first_activation_s(&it));
    let run = run_with(&at_100_hz(it, 5.0), &options).unwrap();
    let stats = stats_of(&run, "it");
    let said = stderr(&options);
    assert!(stats.troubles.is_empty() && stats.commands > 490, "{name}: {stats:?}: {said}");
    let verdict = stats.verdict.as_ref().unwrap();
    // On a busy machine the host may be suspected of a late activation.
    assert_ne!(verdict.verdict, Verdict::Rejected, "{name}: {verdict:?}");
    let difference = largest_difference(&run, &built_in(5.0, STEP_S, phase_s));
    assert!(difference < 1e-9, "{name}: {difference}: {stats:?}");
    println!("ACCEPT tempo-link-{name}: largest difference from the built-in controller {difference:e} rad");
}

/// A program with the client library has computed since time zero when it first waits: its first activation is one
/// period later. One with a link is ready before.
fn first_activation_s(client: &ClientConfig) -> f64 {
    if client.link.is_some() { 0.0 } else { STEP_S }
}

#[test]
fn the_client_library_moves_it_like_the_built_in() {
    let target = "-1.5707963267948966";
    moves_like_the_built_in(
        "client",
        client("it", &["pd", "hinge", target, "60", "12"], Some(100.0), &["efforts/hinge"]),
    );
}

#[test]
fn a_program_that_only_speaks_udp_moves_it_like_the_built_in() {
    moves_like_the_built_in("udp", linked("blocking", udp()));
    let observe = vec!["hinge/position".to_string(), "hinge/velocity".to_string()];
    moves_like_the_built_in("binary", linked("binary", LinkConfig { format: Format::Binary, observe, ..udp() }));
}

#[test]
fn programs_that_poll_or_have_threads_move_it_like_the_built_in() {
    moves_like_the_built_in("select", linked("select", udp()));
    moves_like_the_built_in("timeout", linked("timeout", udp()));
    moves_like_the_built_in("polling", linked("polling", udp()));
    moves_like_the_built_in("threaded", linked("threaded", udp()));
}

#[test]
fn tcp_and_lines_move_it_like_the_built_in() {
    let tcp = LinkConfig { adapter: "tcp".to_string(), ..LinkConfig::default() };
    moves_like_the_built_in("tcp", linked("tcp", tcp));
    let observe = vec!["hinge/position".to_string(), "hinge/velocity".to_string()];
    let lines = LinkConfig { adapter: "lines".to_string(), format: Format::Text, observe, ..LinkConfig::default() };
    moves_like_the_built_in("lines", linked("lines", lines));
}

#[test]
fn its_clock_is_virtual_between_messages() {
    let options = options("clock");
    let run = run_with(&at_100_hz(linked("clock", udp()), 1.0), &options).unwrap();
    let printed = std::fs::read_to_string(options.output.as_ref().unwrap().join("it.stdout")).unwrap();
    let steps: Vec<f64> = printed.split_whitespace().filter_map(|n| n.parse().ok()).collect();
    assert_eq!(steps.len(), 2, "{printed}: {}: {:?}", stderr(&options), stats_of(&run, "it"));
    // 0.3 ms: the program reads its clock some instructions after the message arrives.
    assert!(steps.iter().all(|s| (s - STEP_S).abs() < 3e-4), "{printed}");
}

#[test]
fn a_program_that_computes_longer_than_its_period_is_rejected() {
    let run = run_with(&at_100_hz(linked("slow", udp()), 1.0), &options("slow")).unwrap();
    let it = stats_of(&run, "it");
    assert_eq!(it.verdict.as_ref().unwrap().verdict, Verdict::Rejected, "{it:?}");
    assert!(it.misses + it.skipped > 20, "{it:?}");
}

#[test]
fn in_a_callback_the_command_acts_at_once() {
    let options = RunOptions { mode: Mode::Callback, ..options("callback") };
    for way in ["blocking", "select"] {
        let run = run_with(&at_100_hz(linked(way, udp()), 2.0), &options).unwrap();
        let difference = largest_difference(&run, &built_in(2.0, 0.0, 0.0));
        assert!(difference < 1e-9, "{way}: {difference}: {:?}: {}", stats_of(&run, "it"), stderr(&options));
    }
}

#[test]
fn a_program_that_never_commands_is_named() {
    let run = run_with(&at_100_hz(linked("deaf", udp()), 0.3), &options("deaf")).unwrap();
    let it = stats_of(&run, "it");
    assert!(it.troubles.iter().any(|t| t.finding.code == "no-commands"), "{it:?}");
    assert!(it.notes.iter().any(|t| t.finding.text.contains("not commands; the first")), "{it:?}");
}

#[test]
fn a_wrong_link_says_what_is_wrong() {
    let wrong = |link: LinkConfig| {
        run_with(&at_100_hz(linked("blocking", link), 0.1), &options("wrong")).map(|_| ()).unwrap_err().to_string()
    };
    let error = wrong(LinkConfig { adapter: "can".to_string(), ..LinkConfig::default() });
    assert!(error.contains("udp, tcp, lines"), "{error}");
    let error = wrong(LinkConfig { observe: vec!["elbow/position".to_string()], ..udp() });
    assert!(error.contains("pendulum/hinge/position"), "{error}");
    let periodic = ClientConfig { link: Some(udp()), ..client("it", &["pd"], Some(100.0), &["efforts/hinge"]) };
    assert!(at_100_hz(periodic, 0.1).check("it").unwrap_err().to_string().contains("unmodified program"));
    let mute = ClientConfig { link: None, rate_hz: None, ..linked("blocking", udp()) };
    assert!(at_100_hz(mute, 0.1).check("it").unwrap_err().to_string().contains("[clients.link]"));
}

/// The files under examples/tempo, as a user runs them: from the workspace's root, with what is installed.
#[test]
fn the_examples_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let beside = std::env::current_exe().unwrap().parent().unwrap().to_path_buf();
    for (name, lines) in [("pendulum.py", 15), ("pendulum.cpp", 30), ("pendulum_udp.py", 15)] {
        let text = std::fs::read_to_string(root.join("examples/tempo").join(name)).unwrap();
        assert!(text.lines().count() <= lines, "{name} has {} lines", text.lines().count());
    }
    let options = options("examples");
    let folder = options.output.clone().unwrap();
    let built = Command::new("c++")
        .args(["-O1", "-Wall", "-Werror", "-o"])
        .arg(folder.join("pendulum"))
        .arg(root.join("examples/tempo/pendulum.cpp"))
        .arg("-I")
        .arg(root.join("crates/client/include"))
        .arg(beside.join("libveracity_client.a"))
        .args(["-lpthread", "-ldl", "-lm"])
        .status();
    assert!(built.is_ok_and(|s| s.success()), "a C++ compiler builds the example");
    for name in ["python", "cpp", "udp"] {
        let mut config = TempoConfig::load(&root.join(format!("examples/tempo/{name}.toml"))).unwrap();
        let it = &mut config.clients[0];
        if it.program == "python3" {
            it.program = python();
            it.arguments[0] = root.join(&it.arguments[0]).to_str().unwrap().to_string();
            let module = root.join("crates/client/python").to_str().unwrap().to_string();
            it.environment.insert("PYTHONPATH".to_string(), module);
            let library = beside.join("libveracity_client.so").to_str().unwrap().to_string();
            it.environment.insert("VERACITY_CLIENT_LIBRARY".to_string(), library);
        } else {
            it.program = folder.join("pendulum").to_str().unwrap().to_string();
        }
        let run = run_with(&config, &options).unwrap();
        let difference = largest_difference(&run, &built_in(5.0, STEP_S, first_activation_s(&config.clients[0])));
        assert!(difference < 1e-9, "{name}: {difference}: {:?}", stats_of(&run, "pd"));
    }
}

#[test]
fn a_recorded_exchange_is_replayed_bit_for_bit_and_a_random_command_is_named() {
    for way in ["blocking", "select", "polling", "clock", "slow"] {
        let config = at_100_hz(linked(way, udp()), 1.0);
        let recorded = run_with(&config, &options("recorded")).unwrap();
        let replay = Some((recorded.head.clone(), recorded.events.clone()));
        let again =
            run_with(&config, &RunOptions { replay, ..options("again") }).unwrap_or_else(|e| panic!("{way}: {e}"));
        assert_eq!(again.record.track.q, recorded.record.track.q, "{way}");
    }
    let config = at_100_hz(linked("random", udp()), 0.5);
    let recorded = run_with(&config, &options("recorded")).unwrap();
    let replay = Some((recorded.head.clone(), recorded.events.clone()));
    let error = run_with(&config, &RunOptions { replay, ..options("again") }).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("diverges at step 0") && error.contains("efforts/hinge"), "{error}");
}
