//! Steps whose solver did not reach its own tolerance, as a warning that can be read back.
//!
//! Warnings are sentences and travel as such: through the protocol of workers, into records, into files of other
//! versions. This one decides verdicts, so its sentence is written and read in one place. Any engine that adds a
//! warning of this form is judged by it: "the solver did not reach its residual in 12 of 600 steps, first at t = 0.25
//! s; what to do".

use std::fmt;

/// Number of unsolved steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unsolved {
    /// Steps whose solve did not reach its own tolerance.
    pub steps: u64,
    /// Total number of steps.
    pub of: u64,
    /// End of the first of them [s]; `None` where the engine only counts.
    pub first_s: Option<f64>,
}

const BEGIN: &str = "the solver did not reach its residual in ";

impl Unsolved {
    /// The share of steps, 0 to 1.
    pub fn share(&self) -> f64 {
        if self.of == 0 { 1.0 } else { self.steps as f64 / self.of as f64 }
    }

    /// Parses a warning; `None` if it is about something else.
    pub fn read(warning: &str) -> Option<Self> {
        let rest = warning.strip_prefix(BEGIN)?;
        let (steps, rest) = rest.split_once(" of ")?;
        let (of, rest) = rest.split_once(" steps")?;
        let first = rest.strip_prefix(", first at t = ").and_then(|rest| rest.split_once(" s")?.0.parse().ok());
        Some(Self { steps: steps.parse().ok()?, of: of.parse().ok()?, first_s: first })
    }
}

impl fmt::Display for Unsolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{BEGIN}{} of {} steps", self.steps, self.of)?;
        self.first_s.map_or(Ok(()), |first| write!(f, ", first at t = {first} s"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_warning_is_read_back() {
        let unsolved = Unsolved { steps: 4776, of: 6000, first_s: Some(0.013) };
        for unsolved in [unsolved, Unsolved { first_s: None, ..unsolved }] {
            assert_eq!(Unsolved::read(&unsolved.to_string()), Some(unsolved));
            assert_eq!(Unsolved::read(&format!("{unsolved}; give it more iters")), Some(unsolved));
        }
        assert!((unsolved.share() - 0.796).abs() < 1e-12);
        for other in ["the joint 'a' left its limits", "the solver did not reach its residual in all steps"] {
            assert_eq!(Unsolved::read(other), None);
        }
    }
}
