//! Budgets of CPU time for builds and tests.
//!
//! CPU time and not wall time: a busy machine must not fail a build. A budget is raised by changing its line here,
//! in the commit that needs it.

use anyhow::{Result, bail};
use std::time::Duration;

/// CPU-minutes for a release build of the `veracity` binary from scratch, dependencies included.
pub const COLD_BUILD_CPU_MINUTES: f64 = 18.0;

/// CPU-minutes for building all tests from scratch, dependencies included.
pub const TEST_BUILD_CPU_MINUTES: f64 = 45.0;

/// CPU-minutes for compiling and running the examples in the documentation of all crates.
pub const DOC_EXAMPLES_CPU_MINUTES: f64 = 5.0;

/// CPU-minutes for running each crate's tests in shortened form, by package. Every package has a line;
/// they are run in this order, lowest layer first.
pub const TESTS_CPU_MINUTES: &[(&str, f64)] = &[
    ("xtask", 0.5),
    ("veracity-counting", 0.1),
    ("veracity-page", 0.1),
    ("veracity-model", 4.0),
    ("veracity-record", 2.0),
    ("veracity-lcp", 4.0),
    ("veracity-collide", 4.0),
    ("veracity-dynamics", 6.0),
    ("veracity-contact", 15.0),
    ("veracity-engine", 1.0),
    ("veracity-foreign", 0.5),
    ("veracity-engine-native", 12.0),
    ("veracity-engine-rapier", 4.0),
    ("veracity-worker", 2.0),
    ("veracity-engine-ode", 1.0),
    ("veracity-engine-bullet", 1.0),
    ("veracity-engine-mujoco", 1.0),
    ("veracity-engine-simbody", 4.0),
    ("veracity-engine-dart", 1.0),
    ("veracity-engine-physx", 2.0),
    ("veracity-control", 2.0),
    ("veracity-measure", 2.0),
    ("veracity-audit", 4.0),
    ("veracity-check", 3.0),
    ("veracity-scenario", 12.0),
    ("veracity-lab", 8.0),
    ("veracity-cycle", 10.0),
    ("veracity-mocap", 4.0),
    ("veracity-regress", 4.0),
    ("veracity-calibrate", 2.0),
    ("veracity-client", 0.5),
    ("veracity-preload", 0.5),
    ("veracity-tempo", 4.0),
    ("veracity-trace", 3.0),
    ("veracity-report", 0.5),
    ("veracity-cli", 10.0),
    ("veracity", 0.5),
    // Its tests are those of the stage `python`.
    ("veracity-python", 0.1),
];

/// The budget of a package's tests in CPU-minutes.
pub fn for_tests_of(package: &str) -> Result<f64> {
    match TESTS_CPU_MINUTES.iter().find(|(name, _)| *name == package) {
        Some((_, minutes)) => Ok(*minutes),
        None => bail!("{package} has no budget for its tests; add a line in xtask/src/budgets.rs"),
    }
}

/// Fails when more CPU time was used than the budget allows.
pub fn hold(what: &str, used: Duration, budget_minutes: f64) -> Result<()> {
    let used = minutes(used);
    if used > budget_minutes {
        bail!("{what} took {used:.2} CPU-minutes; its budget is {budget_minutes:.2} (xtask/src/budgets.rs)");
    }
    Ok(())
}

/// The duration in minutes.
pub fn minutes(duration: Duration) -> f64 {
    duration.as_secs_f64() / 60.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Workspace;

    #[test]
    fn every_package_has_a_budget_and_every_budget_a_package() {
        let mut members: Vec<String> =
            Workspace::open().unwrap().members().unwrap().into_iter().map(|member| member.package).collect();
        members.sort();
        let mut budgeted: Vec<&str> = TESTS_CPU_MINUTES.iter().map(|(name, _)| *name).collect();
        budgeted.sort_unstable();
        assert_eq!(members, budgeted);
    }

    #[test]
    fn overrun_is_an_error_that_names_both_numbers() {
        assert!(hold("x", Duration::from_secs(60), 1.0).is_ok());
        let error = hold("x", Duration::from_secs(61), 1.0).unwrap_err().to_string();
        assert!(error.contains("1.02 CPU-minutes; its budget is 1.00"), "{error}");
    }
}
