//! Verdicts: a value with its uncertainty held to a bound.

use crate::metric::{CannotTell, Measured};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The three answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The whole interval lies within the bound.
    Accepted,
    /// The interval straddles the bound, or there is no number.
    CannotTell,
    /// The whole interval lies outside.
    Rejected,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Accepted => "accepted",
            Verdict::CannotTell => "cannot tell",
            Verdict::Rejected => "rejected",
        })
    }
}

/// A verdict with its number and its reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// The answer.
    pub verdict: Verdict,
    /// What was measured; `None` when there is no number.
    pub measured: Option<Measured>,
    /// The bound it was held to: the value must not exceed it.
    pub bound: f64,
    /// In a sentence.
    pub reason: String,
}

/// Holds a measurement to an upper bound. What is not a finite number is rejected: a simulation that loses its numbers,
/// or breaks down before it was to be looked at, is wrong whatever the bound.
pub fn judge(measured: Result<Measured, CannotTell>, bound: f64, unit: &str) -> Judgement {
    let measured = match measured {
        Ok(measured) => measured,
        Err(why) => {
            return Judgement { verdict: Verdict::CannotTell, measured: None, bound, reason: why.to_string() };
        }
    };
    let (value, doubt) = (measured.value, measured.uncertainty);
    let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
    let when = measured.at_s.map_or(String::new(), |t| format!(" at {t} s"));
    let (verdict, mut reason) = if value.is_nan() {
        (Verdict::Rejected, format!("the value is not a number{when}"))
    } else if value.is_infinite() {
        (Verdict::Rejected, format!("there is no finite value{when}"))
    } else if value + doubt <= bound {
        (Verdict::Accepted, format!("{value:.3e} ± {doubt:.1e}{unit}{when} is within {bound:.3e}{unit}"))
    } else if value - doubt > bound {
        (Verdict::Rejected, format!("{value:.3e} ± {doubt:.1e}{unit}{when} is beyond {bound:.3e}{unit}"))
    } else {
        let reason = format!("{value:.3e} ± {doubt:.1e}{unit}{when} leaves {bound:.3e}{unit} undecided");
        (Verdict::CannotTell, reason)
    };
    if !measured.note.is_empty() {
        reason += &format!(" ({})", measured.note);
    }
    Judgement { verdict, measured: Some(measured), bound, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(value: f64, doubt: f64) -> Verdict {
        judge(Ok(Measured::new(value, doubt)), 1.0, "m").verdict
    }

    #[test]
    fn the_uncertainty_decides_what_can_be_told() {
        assert_eq!(verdict(0.9, 0.05), Verdict::Accepted);
        assert_eq!(verdict(0.9, 0.2), Verdict::CannotTell);
        assert_eq!(verdict(1.1, 0.2), Verdict::CannotTell);
        assert_eq!(verdict(1.1, 0.05), Verdict::Rejected);
        assert_eq!(verdict(f64::NAN, 0.0), Verdict::Rejected);
        assert_eq!(verdict(f64::INFINITY, 0.0), Verdict::Rejected);
        assert_eq!(verdict(f64::NEG_INFINITY, 0.0), Verdict::Rejected);
        assert_eq!(verdict(0.5, f64::NAN), Verdict::CannotTell);
        assert_eq!(judge(Err(CannotTell("no reference".into())), 1.0, "m").verdict, Verdict::CannotTell);
    }
}
