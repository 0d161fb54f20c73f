//! Reads the numbers of tests from the output of `cargo test` and vitest.

use anyhow::{Context, Result};
use serde_json::Value;
use std::fmt;
use std::ops::AddAssign;

/// Numbers of tests.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// Ran and passed.
    pub passed: usize,
    /// Ran and failed.
    pub failed: usize,
    /// Did not run.
    pub ignored: usize,
}

impl Counts {
    /// The sum over every test binary in the output of `cargo test`.
    pub fn read(output: &str) -> Self {
        let mut sum = Self::default();
        output.lines().filter_map(result_line).for_each(|counts| sum += counts);
        sum
    }

    /// The counts in vitest's JSON report.
    pub fn read_vitest(json: &str) -> Result<Self> {
        let report: Value = serde_json::from_str(json).context("vitest's report is not JSON")?;
        let number = |name: &str| {
            let found = report[name].as_u64().with_context(|| format!("vitest's report has no `{name}`"))?;
            usize::try_from(found).context("too many tests")
        };
        Ok(Self {
            passed: number("numPassedTests")?,
            // A test file that does not load has no failed test, but counts as a failure.
            failed: number("numFailedTests")?.max(number("numFailedTestSuites")?.min(1)),
            ignored: number("numPendingTests")? + number("numTodoTests")?,
        })
    }
}

/// `test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; …`
fn result_line(line: &str) -> Option<Counts> {
    let (_, numbers) = line.trim().strip_prefix("test result: ")?.split_once(". ")?;
    let number = |what: &str| {
        let part = numbers.split(';').find_map(|part| part.trim().strip_suffix(what))?;
        part.trim().parse().ok()
    };
    Some(Counts { passed: number("passed")?, failed: number("failed")?, ignored: number("ignored")? })
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        if self.ignored > 0 {
            write!(f, ", {} ignored", self.ignored)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_all_binaries_are_summed() {
        let output = "\
running 4 tests
test a ... ok
test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s
noise: test result: ok. 9 passed
test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s
";
        let counts = Counts::read(output);
        assert_eq!(counts, Counts { passed: 5, failed: 1, ignored: 1 });
        assert_eq!(counts.to_string(), "5 passed, 1 failed, 1 ignored");
    }

    #[test]
    fn vitest_counts_are_read_and_a_file_that_does_not_load_counts_as_failed() {
        let report = |failed: u64, suites: u64| {
            let fields = serde_json::json!({ "numPassedTests": 4, "numFailedTests": failed, "numFailedTestSuites": suites,
                "numPendingTests": 1, "numTodoTests": 0 });
            Counts::read_vitest(&fields.to_string()).unwrap()
        };
        assert_eq!(report(0, 0), Counts { passed: 4, failed: 0, ignored: 1 });
        assert_eq!(report(0, 1).failed, 1);
        assert_eq!(report(3, 2).failed, 3);
        assert!(Counts::read_vitest("{}").is_err());
    }
}
