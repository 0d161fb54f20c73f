//! `cargo xtask test`: all of continuous integration, one stage after the other.
//!
//! The first stage that fails ends the run; the table of stages with their minutes is printed either way, and the last
//! line is the sum over all tests.

use crate::budgets;
use crate::process;
use crate::table::Table;
use crate::test_output::Counts;
use crate::workspace::Workspace;
use crate::{browser, cold_build, cpu_time, docs, layers, licences, links, venv, web};
use anyhow::{Context, Result, bail};
use std::time::{Duration, Instant};

/// One step of the run. It gives a sentence about what it found.
struct Stage {
    name: &'static str,
    run: fn(&Workspace, &mut Counts) -> Result<String>,
}

/// Cheapest first, so that a slip shows within seconds.
const STAGES: &[Stage] = &[
    Stage { name: "fmt", run: |workspace, _| run_cargo(workspace, &["fmt", "--all", "--check"]) },
    Stage { name: "layers", run: |workspace, _| layers::check(workspace) },
    Stage { name: "licences", run: |workspace, _| licences::check(workspace) },
    Stage { name: "links", run: |workspace, _| links::check(workspace) },
    Stage { name: "web", run: |workspace, counts| web::check(workspace, counts, false) },
    Stage { name: "clippy", run: |workspace, _| run_cargo(workspace, CLIPPY) },
    Stage { name: "docs", run: |workspace, _| docs::check(workspace) },
    Stage { name: "cold-build", run: |workspace, _| cold_build::check(workspace).map(|_| String::new()) },
    Stage { name: "venv", run: |workspace, _| venv::ensure(workspace).map(|_| venv::PINNED.join(", ")) },
    Stage { name: "tests", run: run_tests },
    Stage { name: "browser", run: browser::check },
];

const CLIPPY: &[&str] = &["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];

/// Names for the help.
pub fn stage_names() -> Vec<&'static str> {
    STAGES.iter().map(|stage| stage.name).collect()
}

/// Runs the stages named, or all.
pub fn command(workspace: &Workspace, wanted: &[String]) -> Result<()> {
    if let Some(unknown) = wanted.iter().find(|name| !STAGES.iter().any(|stage| stage.name == **name)) {
        bail!("no stage `{unknown}`; there are {}", stage_names().join(", "));
    }
    let mut counts = Counts::default();
    let mut table = Table::new(&["stage", "minutes", "CPU-minutes", "verdict"]);
    let mut failure = None;
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
        table.row([stage.name.to_owned(), wall, cpu, verdict.to_owned()]);
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
    println!("stage `{name}` failed: {error:#}\nrun it alone with `cargo xtask test {name}`");
    // A stage without tests, or tests that did not compile, must not end in a line that says nothing failed.
    counts.failed = counts.failed.max(1);
    println!("total: {counts}");
    bail!("stage `{name}` failed")
}

fn run_cargo(workspace: &Workspace, arguments: &[&str]) -> Result<String> {
    let mut command = workspace.cargo(arguments);
    process::run(&mut command)?;
    Ok(process::shown(&command))
}

/// Every package's tests, one package after the other, each held to its budget. A red package does not hide the next.
fn run_tests(workspace: &Workspace, total: &mut Counts) -> Result<String> {
    let python = venv::ensure(workspace)?;
    let mut members = workspace.members()?;
    // In the order of the budgets, lowest layer first: the first red one is the likeliest cause of the others.
    members.sort_by_key(|member| budgets::TESTS_CPU_MINUTES.iter().position(|(name, _)| *name == member.package));
    let mut table = Table::new(&["tests of", "build", "run", "budget", "passed", "failed", "ignored"]);
    let mut problems = Vec::new();
    let mut build_total = Duration::ZERO;
    for member in &members {
        let package = member.package.as_str();
        let budget = budgets::for_tests_of(package)?;
        // Built first and apart: what a run costs must not depend on what an earlier one left in the cache.
        let build = process::run(&mut workspace.cargo(&["test", "--locked", "-p", package, "--no-run"]))
            .with_context(|| format!("the tests of {package} do not build"))?;
        build_total += build.cpu;
        let mut command = workspace.cargo(&["test", "--locked", "-p", package, "--no-fail-fast"]);
        let run = process::run_and_keep(command.env("VERACITY_PYTHON", &python))?;
        let counts = Counts::read(&run.stdout);
        *total += counts;
        if !run.status.success() {
            problems.push(format!("{package}: {counts}"));
        }
        if let Err(overrun) = budgets::hold(&format!("running the tests of {package}"), run.cpu, budget) {
            problems.push(overrun.to_string());
        }
        let [build, run] = [build.cpu, run.cpu].map(|cpu| format!("{:.2}", budgets::minutes(cpu)));
        let [passed, failed, ignored] = [counts.passed, counts.failed, counts.ignored].map(|count| count.to_string());
        table.row([package.to_owned(), build, run, format!("{budget:.2}"), passed, failed, ignored]);
    }
    if let Err(overrun) = budgets::hold("building the tests", build_total, budgets::TEST_BUILD_CPU_MINUTES) {
        problems.push(overrun.to_string());
    }
    println!("\nCPU-minutes, and numbers of tests\n{}", table.text());
    if !problems.is_empty() {
        bail!("{}", problems.join("\n"));
    }
    if total.passed == 0 {
        bail!("not one test ran");
    }
    let built = budgets::minutes(build_total);
    Ok(format!("building the tests: {built:.2} CPU-minutes of {:.2}", budgets::TEST_BUILD_CPU_MINUTES))
}
