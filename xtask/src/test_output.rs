//! What `cargo test` said: its `test result:` lines, summed.

use std::fmt;
use std::ops::AddAssign;

/// Numbers of tests.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// Ran and held.
    pub passed: usize,
    /// Ran and did not hold.
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
}
