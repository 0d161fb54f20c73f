//! The cold build: what a newcomer waits for at the first `cargo run --release`.

use crate::budgets;
use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use std::time::Duration;

/// Builds the default members from nothing in a folder of its own and holds the CPU time to its budget; gives the CPU time.
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

    // The page that says which crate took the time outlives the build it describes.
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
