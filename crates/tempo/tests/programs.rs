//! Fifteen programs in eight languages that know nothing of Veracity (`programs/`): what each is charged is what the kernel
//! counted for all its processes, and what its clock shows is its CPU time plus its sleeps, or its schedule.
//!
//! Four conditions: alone, beside a planner that computes forever, on a machine with eight other busy processes, and as
//! an unprivileged user.

mod support;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use support::{client, config, run_with, stats_of};
use veracity_measure::Verdict;
use veracity_tempo::RunOptions;
use veracity_tempo::config::{ClientConfig, ClientKind};

/// Charged and counted CPU time may differ by this part, and what a clock shows from what had to pass.
const CHARGED: f64 = 0.02;
const SHOWN: f64 = 0.01;

/// Set in the process that runs as an unprivileged user: the folder of built programs.
const UNPRIVILEGED: &str = "TEMPO_PROGRAMS_FOLDER";

/// A program: its name, how it is built, how it is started, and how much simulated time it needs [s].
struct Program {
    name: &'static str,
    build: &'static [&'static str],
    start: &'static [&'static str],
    seconds: f64,
    /// Whether it runs in the normal test run.
    short: bool,
}

const PROGRAMS: [Program; 15] = [
    Program { name: "pid.py", build: &[], start: &["PYTHON"], seconds: 2.5, short: false },
    Program { name: "asynchronous.py", build: &[], start: &["PYTHON"], seconds: 2.0, short: true },
    Program { name: "horizon.py", build: &[], start: &["PYTHON"], seconds: 3.0, short: false },
    Program { name: "threads.py", build: &[], start: &["PYTHON"], seconds: 2.0, short: false },
    Program { name: "pool.py", build: &[], start: &["PYTHON"], seconds: 3.5, short: false },
    Program { name: "timer.js", build: &[], start: &["node"], seconds: 2.0, short: true },
    Program { name: "worker.js", build: &[], start: &["node"], seconds: 3.5, short: false },
    Program { name: "loop.pl", build: &[], start: &["perl"], seconds: 2.0, short: true },
    Program { name: "script.sh", build: &[], start: &["bash"], seconds: 4.0, short: true },
    Program { name: "loop.cpp", build: &["c++", "-O1", "-pthread"], start: &[], seconds: 1.5, short: true },
    Program { name: "planner.cpp", build: &["c++", "-O1"], start: &[], seconds: 1.5, short: false },
    Program { name: "events.c", build: &["cc", "-O1"], start: &[], seconds: 1.5, short: true },
    Program { name: "absolute.c", build: &["cc", "-O1"], start: &[], seconds: 1.5, short: false },
    Program { name: "events.tcl", build: &[], start: &["tclsh"], seconds: 1.5, short: false },
    Program { name: "Loop.java", build: &["javac"], start: &["java", "-cp"], seconds: 5.0, short: false },
];

/// The conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Condition {
    Alone,
    BesideAPlanner,
    LoadOfEight,
    Unprivileged,
}

fn is_full() -> bool {
    std::env::var_os("VERACITY_FULL").is_some()
}

fn chosen() -> impl Iterator<Item = &'static Program> {
    let only = std::env::var("VERACITY_PROGRAM").ok();
    let full = is_full();
    PROGRAMS.iter().filter(move |p| only.as_ref().map_or(full || p.short, |name| p.name == name))
}

fn source(program: &Program) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(program.name)
}

/// The interpreter of the package environment, which has simple-pid and numpy, or the machine's.
fn python() -> String {
    std::env::var("VERACITY_PYTHON").unwrap_or_else(|_| support::python())
}

/// Builds a program into a folder, unless that is done. `None`: what builds it is not installed.
fn build(program: &Program, folder: &Path) -> Option<()> {
    let [compiler, flags @ ..] = program.build else { return Some(()) };
    let built = folder.join(program.name).with_extension("built");
    if built.exists() {
        return Some(());
    }
    let mut command = Command::new(compiler);
    match *compiler {
        "javac" => command.args(flags).arg("-d").arg(folder).arg(source(program)),
        _ => command
            .args(flags)
            .arg("-o")
            .arg(folder.join(program.name).with_extension("run"))
            .arg(source(program))
            .arg("-lm"),
    };
    let built_well = command.status().ok()?.success();
    assert!(built_well, "{}", program.name);
    std::fs::write(built, "").unwrap();
    Some(())
}

fn client_of(program: &Program, folder: &Path) -> ClientConfig {
    let path = |p: PathBuf| p.to_str().unwrap().to_string();
    let mut words: Vec<String> =
        program.start.iter().map(|w| if *w == "PYTHON" { python() } else { w.to_string() }).collect();
    if program.name.ends_with("java") {
        words.extend([path(folder.to_path_buf()), "Loop".to_string()]);
    } else if program.build.is_empty() {
        words.push(path(source(program)));
    } else {
        words.push(path(folder.join(program.name).with_extension("run")));
    }
    let mut it =
        ClientConfig { program: words.remove(0), kind: ClientKind::Unmodified, ..client("it", &[], None, &[]) };
    it.arguments = words;
    it.environment.insert("OUT".to_string(), path(folder.to_path_buf()));
    it
}

/// What a run of a program gave: a line for the table, and whether the program was decided.
enum Decision {
    Decided,
    CannotTell,
    Wrong,
}

fn run_one(program: &Program, condition: Condition, folder: &Path) -> (Decision, String) {
    let label = format!("{} {condition:?}", program.name);
    if build(program, folder).is_none() {
        return (Decision::CannotTell, format!("{label}: not run, {} is not installed", program.build[0]));
    }
    judge(&label, client_of(program, folder), program.seconds, condition, folder)
}

fn judge(label: &str, it: ClientConfig, seconds: f64, condition: Condition, folder: &Path) -> (Decision, String) {
    let mut clients = vec![it];
    if matches!(condition, Condition::BesideAPlanner | Condition::LoadOfEight) {
        clients.push(client("hog", &["hog"], None, &[]));
    }
    let preload = std::env::current_exe().unwrap().parent().unwrap().join("libveracity_preload.so");
    let output = folder.join("output");
    let _ = std::fs::remove_dir_all(&output);
    std::fs::create_dir_all(&output).unwrap();
    let real_time = condition != Condition::Unprivileged;
    let options =
        RunOptions { preload: Some(preload), output: Some(output.clone()), real_time, ..RunOptions::default() };
    let run = match run_with(&config(clients, seconds), &options) {
        Ok(run) => run,
        Err(error) => return (Decision::CannotTell, format!("{label}: not run, {error}")),
    };
    let it = stats_of(&run, "it");
    let read = |ending: &str| std::fs::read_to_string(output.join(format!("it.{ending}"))).unwrap();
    let (printed, complained) = (read("stdout"), read("stderr"));
    if let Some(verdict) = it.verdict.as_ref().filter(|v| v.verdict == Verdict::CannotTell) {
        assert!(!verdict.reason.is_empty(), "{label}");
        return (Decision::CannotTell, format!("{label}: cannot tell: {}", verdict.reason));
    }
    let numbers: Vec<f64> = printed.split_whitespace().filter_map(|n| n.parse().ok()).collect();
    let (Some(counted), [shown, due, ..]) = (it.counted_cpu_ns, &numbers[..]) else {
        return (Decision::Wrong, format!("{label}: it did not end: {printed}{complained} {it:?}"));
    };
    let (charge, time) = (it.charged_cpu_ns as f64 / counted as f64 - 1.0, shown / due - 1.0);
    let good =
        charge.abs() < CHARGED && time.abs() < SHOWN && it.ended.as_ref().is_some_and(|e| e.contains("status: 0"));
    let text = format!(
        "{label}: {:.4} s charged, {:+.3} % of the kernel's account; {shown:.4} s shown, {:+.3} %; {} processes, {} threads",
        it.charged_cpu_ns as f64 * 1e-9,
        100.0 * charge,
        100.0 * time,
        it.processes,
        it.threads
    );
    if good {
        (Decision::Decided, text)
    } else {
        (Decision::Wrong, format!("{text}\n    WRONG: {complained} {it:?}"))
    }
}

/// Processes that compute on every core they get; killed when dropped.
struct Load(Vec<Child>);

impl Load {
    fn of(count: usize) -> Self {
        let spin = || Command::new("sh").args(["-c", "while :; do :; done"]).stdin(Stdio::null()).spawn().unwrap();
        Self((0..count).map(|_| spin()).collect())
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn folder_for_everyone(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("veracity-programs-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).unwrap();
    folder
}

/// Runs the chosen programs under one condition. None may be wrong, and at most three of fifteen undecided.
fn run_all(condition: Condition, folder: &Path) {
    let _load = (condition == Condition::LoadOfEight).then(|| Load::of(8));
    let (mut decided, mut wrong, mut all) = (0, Vec::new(), 0);
    for program in chosen() {
        let (decision, text) = run_one(program, condition, folder);
        println!("ACCEPT tempo-programs-{condition:?}: {text}");
        all += 1;
        match decision {
            Decision::Decided => decided += 1,
            Decision::CannotTell => {}
            Decision::Wrong => wrong.push(text),
        }
    }
    println!("ACCEPT tempo-programs: {condition:?}: {decided} of {all} decided, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(5 * decided >= 4 * all, "{condition:?}: only {decided} of {all} decided");
}

#[test]
fn programs_alone_and_beside_a_planner_are_metered_and_see_virtual_time() {
    let folder = folder_for_everyone("privileged");
    if is_full() {
        run_all(Condition::Alone, &folder);
    }
    run_all(Condition::BesideAPlanner, &folder);
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn programs_under_a_load_of_eight_are_metered_and_see_virtual_time() {
    if !is_full() {
        return;
    }
    let folder = folder_for_everyone("loaded");
    run_all(Condition::LoadOfEight, &folder);
    let _ = std::fs::remove_dir_all(folder);
}

/// As the user `nobody`, if this process may become it.
#[test]
fn programs_of_an_unprivileged_user_are_metered_and_see_virtual_time() {
    let folder = folder_for_everyone("unprivileged");
    chosen().for_each(|program| _ = build(program, &folder));
    let root = rustix::process::geteuid().is_root();
    if !root {
        return run_all(Condition::Unprivileged, &folder);
    }
    let done = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(std::env::current_exe().unwrap())
        .args(["be_unprivileged", "--exact", "--ignored", "--nocapture"])
        .env(UNPRIVILEGED, &folder)
        .env("HOME", &folder)
        .output()
        .unwrap();
    let (printed, complained) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    println!("{printed}");
    assert!(done.status.success(), "{printed}{complained}");
    assert!(printed.contains("ACCEPT tempo-programs: Unprivileged"), "{printed}{complained}");
    let _ = std::fs::remove_dir_all(folder);
}

/// Not a test: what the test above starts as another user.
#[test]
#[ignore = "run by the test above in a process of its own"]
fn be_unprivileged() {
    if let Some(folder) = std::env::var_os(UNPRIVILEGED) {
        assert!(!rustix::process::geteuid().is_root());
        run_all(Condition::Unprivileged, Path::new(&folder));
    }
}

/// The bounds can fail: a program whose clock is wrong by 3 % is found, and one that does not end.
#[test]
fn a_clock_that_is_wrong_by_three_percent_is_found() {
    let folder = folder_for_everyone("wrong");
    let shell = |script: &str| ClientConfig {
        program: "/bin/sh".to_string(),
        kind: ClientKind::Unmodified,
        ..client("it", &["-c", script], None, &[])
    };
    let timed = |factor: &str| {
        shell(&format!(
            "a=$(date +%s.%N); sleep 0.5; b=$(date +%s.%N); awk \"BEGIN {{ print {factor} * ($b - $a), 0.5 }}\""
        ))
    };
    let decide = |it| judge("it", it, 1.0, Condition::Alone, &folder).0;
    assert!(matches!(decide(timed("0.996")), Decision::Decided));
    assert!(matches!(decide(timed("1.03")), Decision::Wrong));
    assert!(matches!(decide(shell("while :; do :; done")), Decision::Wrong));
    let _ = std::fs::remove_dir_all(folder);
}
