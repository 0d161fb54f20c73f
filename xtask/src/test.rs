//! `cargo xtask test`: all stages of continuous integration, in order.
//!
//! The first stage that fails ends the run; the table of stages with their times is printed either way, and the last
//! line is the total over all tests.

use crate::budgets;
use crate::process;
use crate::table::Table;
use crate::test_build::{self, TestBinary};
use crate::test_output::Counts;
use crate::workspace::{Member, Workspace};
use crate::{
    browser, cold_build, cpu_time, disk, dist, docs, engines, layers, licences, links, venv, web, wheel, words,
};
use anyhow::{Result, bail};
use std::path::Path;
use std::time::{Duration, Instant};

/// One step of the run. Returns a sentence that summarises its result.
struct Stage {
    name: &'static str,
    run: fn(&Workspace, &mut Counts) -> Result<String>,
}

/// Cheapest first, so that a simple mistake shows within seconds.
const STAGES: &[Stage] = &[
    Stage { name: "fmt", run: |workspace, _| run_cargo(workspace, &["fmt", "--all", "--check"]) },
    Stage { name: "layers", run: |workspace, _| layers::check(workspace) },
    Stage { name: "licences", run: |workspace, _| licences::check(workspace) },
    Stage { name: "links", run: |workspace, _| links::check(workspace) },
    Stage { name: "words", run: |workspace, _| words::check(workspace) },
    Stage { name: "engines", run: |workspace, _| engines::ensure(workspace) },
    Stage { name: "web", run: |workspace, counts| web::check(workspace, counts, false) },
    Stage { name: "clippy", run: |workspace, _| clippy(workspace) },
    Stage { name: "docs", run: |workspace, _| docs::check(workspace) },
    Stage { name: "cold-build", run: |workspace, _| cold_build::check(workspace).map(|_| String::new()) },
    Stage { name: "venv", run: |workspace, _| venv::ensure(workspace).map(|_| venv::PINNED.join(", ")) },
    Stage { name: "tests", run: run_tests },
    Stage { name: "dist", run: |workspace, _| dist::check(workspace) },
    Stage { name: "python", run: wheel::check },
    Stage { name: "browser", run: browser::check },
];

/// Stage names, for the help.
pub fn stage_names() -> Vec<&'static str> {
    STAGES.iter().map(|stage| stage.name).collect()
}

/// Runs the named stages, or all.
pub fn command(workspace: &Workspace, wanted: &[String]) -> Result<()> {
    let embedded = wanted.iter().any(|word| word == "--embedded");
    if embedded {
        engines::embedded_only();
    }
    let wanted: Vec<String> = wanted.iter().filter(|word| *word != "--embedded").cloned().collect();
    let left_out = engines::left_out(workspace);
    let installs = wanted.is_empty() || wanted.iter().any(|name| name == "engines");
    if !left_out.is_empty() && (embedded || !installs) {
        println!("left out: {} (run `cargo xtask engines` to build what is missing)", left_out.join(", "));
    }
    if let Some(unknown) = wanted.iter().find(|name| !STAGES.iter().any(|stage| stage.name == **name)) {
        bail!("unknown stage `{unknown}`; the stages are {}", stage_names().join(", "));
    }
    let mut counts = Counts::default();
    let mut table = Table::new(&["stage", "minutes", "CPU-minutes", "GB free", "verdict"]);
    let mut failure = None;
    if let Some(warning) = disk::warning(disk::free_gb(workspace)?) {
        println!("{warning}");
    }
    for stage in STAGES {
        if !wanted.is_empty() && !wanted.iter().any(|name| name == stage.name) {
            continue;
        }
        println!("── {} ──", stage.name);
        let (begun, cpu_before) = (Instant::now(), cpu_time::children()?);
        let outcome = (stage.run)(workspace, &mut counts);
        let minutes = [begun.elapsed(), cpu_time::children()?.saturating_sub(cpu_before)]
            .map(|time| format!("{:.2}", budgets::minutes(time)));
        let [wall, cpu] = minutes;
        let verdict = if outcome.is_ok() { "ok" } else { "FAILED" };
        let free = format!("{:.1}", disk::free_gb(workspace)?);
        table.row([stage.name.to_owned(), wall, cpu, free, verdict.to_owned()]);
        match outcome {
            Ok(report) => println!("{report}"),
            Err(error) => {
                failure = Some((stage.name, error));
                break;
            }
        }
    }
    println!("\n{}", table.text());
    let Some((name, error)) = failure else {
        println!("total: {counts}");
        return Ok(());
    };
    println!("stage `{name}` failed: {error:#}\nrun only this stage with `cargo xtask test {name}`");
    // When a stage without tests fails, or tests do not compile, the last line must not report zero failures.
    counts.failed = counts.failed.max(1);
    println!("total: {counts}");
    bail!("stage `{name}` failed")
}

fn clippy(workspace: &Workspace) -> Result<String> {
    let mut command = workspace.cargo(&["clippy", "--all-targets", "--locked"]);
    command.args(engines::workspace_arguments(workspace)).args(["--", "-D", "warnings"]);
    process::run(&mut command)?;
    Ok(process::shown(&command))
}

fn run_cargo(workspace: &Workspace, arguments: &[&str]) -> Result<String> {
    let mut command = workspace.cargo(arguments);
    process::run(&mut command)?;
    Ok(process::shown(&command))
}

/// Runs every package's tests, built together and run package by package, each held to its budget; then the examples in
/// the documentation. A package that fails does not stop the next one.
fn run_tests(workspace: &Workspace, total: &mut Counts) -> Result<String> {
    let python = venv::ensure(workspace)?;
    let mut members = workspace.members()?;
    let left_out = engines::left_out(workspace);
    members.retain(|member| !left_out.contains(&member.package));
    // In the order of the budgets, lowest layer first: the first failure is the likeliest cause of the others.
    members.sort_by_key(|member| budgets::TESTS_CPU_MINUTES.iter().position(|(name, _)| *name == member.package));
    // Built first and separately: the measured cost of a test run must not depend on the state of the build cache.
    let (binaries, build) = test_build::build(workspace)?;
    if let Some(stray) = binaries.iter().find(|binary| !members.iter().any(|member| member.package == binary.package))
    {
        bail!("{} is a test of {}, which is not a package of this workspace", stray.program.display(), stray.package);
    }
    let mut table = Table::new(&["tests of", "CPU-minutes", "budget", "passed", "failed", "ignored"]);
    let mut problems = Vec::new();
    let mut enter = |name: &str, ran: Ran, budget: f64| {
        *total += ran.counts;
        if !ran.red.is_empty() {
            problems.push(format!("{name}: {} ({})", ran.counts, ran.red.join(", ")));
        }
        if let Err(overrun) = budgets::hold(&format!("running the tests of {name}"), ran.cpu, budget) {
            problems.push(overrun.to_string());
        }
        let Counts { passed, failed, ignored } = ran.counts;
        let [passed, failed, ignored] = [passed, failed, ignored].map(|count| count.to_string());
        let used = format!("{:.2}", budgets::minutes(ran.cpu));
        table.row([name.to_owned(), used, format!("{budget:.2}"), passed, failed, ignored]);
    };
    for member in &members {
        let budget = budgets::for_tests_of(&member.package)?;
        let own = binaries.iter().filter(|binary| binary.package == member.package);
        enter(&member.package, run_package(workspace, member, own, &python)?, budget);
    }
    let mut command = workspace.cargo(&["test", "--locked", "--doc", "--no-fail-fast"]);
    command.args(engines::workspace_arguments(workspace));
    let mut examples = Ran::default();
    examples.add("doc examples", &process::run_and_keep(command.env("VERACITY_PYTHON", &python))?);
    enter("the documentation", examples, budgets::DOC_EXAMPLES_CPU_MINUTES);

    if let Err(overrun) = budgets::hold("building the tests", build, budgets::TEST_BUILD_CPU_MINUTES) {
        problems.push(overrun.to_string());
    }
    println!("\n{}", table.text());
    if !problems.is_empty() {
        bail!("{}", problems.join("\n"));
    }
    if total.passed == 0 {
        bail!("no test ran");
    }
    let built = budgets::minutes(build);
    Ok(format!("building the tests: {built:.2} CPU-minutes of {:.2}", budgets::TEST_BUILD_CPU_MINUTES))
}

/// Results of one package's tests.
#[derive(Default)]
struct Ran {
    cpu: Duration,
    counts: Counts,
    /// The test programs that failed, with their exit status.
    red: Vec<String>,
}

impl Ran {
    fn add(&mut self, what: &str, finished: &process::Finished) {
        self.cpu += finished.cpu;
        self.counts += Counts::read(&finished.stdout);
        // The exit status, not the counts: a program that aborts prints no result at all.
        if !finished.status.success() {
            self.red.push(format!("{what}: {}", finished.status));
        }
    }
}

fn run_package<'a>(
    workspace: &Workspace,
    member: &Member,
    binaries: impl Iterator<Item = &'a TestBinary>,
    python: &Path,
) -> Result<Ran> {
    let folder = workspace.root.join(&member.folder);
    let mut ran = Ran::default();
    for binary in binaries {
        println!("\n{}, {}", binary.package, binary.target);
        ran.add(&binary.target, &process::run_and_keep(&mut binary.command(&folder, python))?);
    }
    Ok(ran)
}
