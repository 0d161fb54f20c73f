//! The cold build: a release build from scratch, as a new user's first `cargo run --release`.

use crate::budgets;
use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use std::time::Duration;

/// Builds the default members from scratch in a separate folder and returns the CPU time; fails above the budget.
pub fn check(workspace: &Workspace) -> Result<Duration> {
    let scratch = workspace.target().join("cold-build");
    let clear = || match std::fs::remove_dir_all(&scratch) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    };
    clear().with_context(|| format!("cannot clear {}", scratch.display()))?;
    let mut build = workspace.cargo(&["build", "--release", "--locked", "--timings", "--target-dir"]);
    build.arg(&scratch);
    let finished = process::run(&mut build)?;

    // The timing page is kept; the build is deleted.
    let page = scratch.join("cargo-timings/cargo-timing.html");
    let kept = workspace.target().join("cold-build-timings.html");
    std::fs::copy(&page, &kept).with_context(|| format!("cargo wrote no {}", page.display()))?;
    clear()?;
    println!(
        "cold release build: {:.2} CPU-minutes of {:.2}; by crate in {}",
        budgets::minutes(finished.cpu),
        budgets::COLD_BUILD_CPU_MINUTES,
        kept.display()
    );
    budgets::hold("the cold release build", finished.cpu, budgets::COLD_BUILD_CPU_MINUTES)?;
    Ok(finished.cpu)
}
