//! Verdicts: a value with its uncertainty compared with a bound.
//!
//! One family for every command: [`Verdict`] about a number, [`TrialVerdict`] about a trial, which adds the ways in which
//! a trial gives no number. Both are printed, and read from documents, by the same words ([`words`]).

use crate::comparison::Better;
use crate::metric::{CannotTell, Measured};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The three verdicts, from best to worst.
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

impl Verdict {
    /// All of them, from best to worst.
    pub const ALL: [Verdict; 3] = [Verdict::Accepted, Verdict::CannotTell, Verdict::Rejected];

    /// As printed.
    pub fn text(self) -> &'static str {
        TrialVerdict::from(self).text()
    }
}

/// Verdict of a whole trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialVerdict {
    /// Every check accepted.
    Accepted,
    /// At least one check cannot tell, none rejected.
    CannotTell,
    /// At least one check rejected, or the motion broke down.
    Rejected,
    /// The engine cannot express the scenario; nothing was run.
    NotExpressible,
    /// The trial reached its cap of CPU time.
    TooSlow,
    /// The engine failed in another way.
    Failed,
}

impl TrialVerdict {
    /// All of them.
    pub const ALL: [TrialVerdict; 6] = [
        TrialVerdict::Accepted,
        TrialVerdict::CannotTell,
        TrialVerdict::Rejected,
        TrialVerdict::NotExpressible,
        TrialVerdict::TooSlow,
        TrialVerdict::Failed,
    ];

    /// As printed.
    pub fn text(self) -> &'static str {
        match self {
            TrialVerdict::Accepted => "accepted",
            TrialVerdict::CannotTell => "cannot tell",
            TrialVerdict::Rejected => "rejected",
            TrialVerdict::NotExpressible => "not expressible",
            TrialVerdict::TooSlow => "too slow",
            TrialVerdict::Failed => "failed",
        }
    }
}

impl From<Verdict> for TrialVerdict {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Accepted => TrialVerdict::Accepted,
            Verdict::CannotTell => TrialVerdict::CannotTell,
            Verdict::Rejected => TrialVerdict::Rejected,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl fmt::Display for TrialVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// A word that is no verdict.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a verdict")]
pub struct UnknownVerdict(String);

impl FromStr for Verdict {
    type Err = UnknownVerdict;
    fn from_str(text: &str) -> Result<Self, UnknownVerdict> {
        Self::ALL.into_iter().find(|v| v.text() == text).ok_or_else(|| UnknownVerdict(text.to_string()))
    }
}

impl FromStr for TrialVerdict {
    type Err = UnknownVerdict;
    fn from_str(text: &str) -> Result<Self, UnknownVerdict> {
        Self::ALL.into_iter().find(|v| v.text() == text).ok_or_else(|| UnknownVerdict(text.to_string()))
    }
}

/// Verdicts in documents as they are printed: `#[serde(with = "veracity_measure::verdict::words")]`.
pub mod words {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use std::fmt::Display;
    use std::str::FromStr;

    /// Writes the word.
    pub fn serialize<T: Display, S: Serializer>(verdict: &T, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(verdict)
    }

    /// Reads the word.
    pub fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

/// A verdict with its number and its reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// What was measured; `None` if there is no number.
    pub measured: Option<Measured>,
    /// The upper or lower bound of the value.
    pub bound: f64,
    /// Which of the two.
    pub better: Better,
    /// One sentence.
    pub reason: String,
}

/// Compares a measurement with an upper bound. A value that is not finite is rejected: a simulation that produces NaN,
/// or breaks down before the evaluated instant, is wrong whatever the bound.
pub fn judge(measured: Result<Measured, CannotTell>, bound: f64, unit: &str) -> Judgement {
    judge_as(Better::Smaller, measured, bound, unit)
}

/// A time for display: to a microsecond, without the rounding of its last bits.
fn instant(t: f64) -> f64 {
    if t.abs() < 1e9 { (t * 1e6).round() / 1e6 } else { t }
}

/// ` ± 1.0e-3`; nothing for a number that has no error, such as a distance from the record's own first row.
fn plus_minus(uncertainty: f64) -> String {
    if uncertainty == 0.0 { String::new() } else { format!(" ± {uncertainty:.1e}") }
}

/// The same with an upper or a lower bound, depending on the direction in which the number improves.
///
/// An infinite number that should be large is a time at which something has not happened: it is accepted if it was
/// followed (`at_s`) up to the bound. An infinite bound asks whether it happens at all: a time that should be large
/// must never occur, one that should be small must occur.
pub fn judge_as(better: Better, measured: Result<Measured, CannotTell>, bound: f64, unit: &str) -> Judgement {
    let measured = match measured {
        Ok(measured) => measured,
        Err(why) => {
            let (verdict, reason) = (Verdict::CannotTell, why.to_string());
            return Judgement { verdict, measured: None, bound, better, reason };
        }
    };
    let (value, doubt) = (measured.value, measured.uncertainty);
    let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
    let when = measured.at_s.map_or(String::new(), |t| format!(" at {} s", instant(t)));
    let number = format!("{value:.3e}{}{unit}{when}", plus_minus(doubt));
    let limit = match better {
        Better::Between { least } => format!("[{least:.3e}, {bound:.3e}]{unit}"),
        _ => format!("{bound:.3e}{unit}"),
    };
    let (within, beyond) = match better {
        Better::Between { least } => {
            (value - doubt >= least && value + doubt <= bound, value + doubt < least || value - doubt > bound)
        }
        Better::Smaller => (value + doubt <= bound, value - doubt > bound),
        Better::Larger => (value - doubt >= bound, value + doubt < bound),
    };
    let (verdict, mut reason) = if value.is_nan() {
        (Verdict::Rejected, format!("the value is not a number{when}"))
    } else if bound == f64::INFINITY {
        happens(better, &measured)
    } else if value == f64::INFINITY && better == Better::Larger {
        match measured.at_s {
            Some(followed) if followed >= bound => {
                (Verdict::Accepted, format!("it has not happened by {followed} s"))
            }
            _ => (Verdict::CannotTell, format!("the record does not reach {limit}")),
        }
    } else if value.is_infinite() {
        (Verdict::Rejected, format!("there is no finite value{when}"))
    } else if beyond {
        (Verdict::Rejected, format!("{number} is beyond {limit}"))
    } else if let Some(end) = measured.known_until_s {
        let end = instant(end);
        let why = "from there on two refinements of the reference diverge and the truth is unknown";
        (Verdict::CannotTell, format!("{number} up to {end} s, to be within {limit}; {why}"))
    } else if within {
        (Verdict::Accepted, format!("{number} is within {limit}"))
    } else {
        (Verdict::CannotTell, format!("{number} straddles {limit}"))
    };
    if !measured.note.is_empty() {
        reason += &format!(" ({})", measured.note);
    }
    Judgement { verdict, measured: Some(measured), bound, better, reason }
}

/// Judges an event that may happen once: it must never happen if larger is better, else it must happen.
fn happens(better: Better, measured: &Measured) -> (Verdict, String) {
    let never = better == Better::Larger;
    let (happened, text) = if measured.value.is_finite() {
        let error = match measured.uncertainty {
            error if error < 5e-5 => plus_minus(error),
            error => format!(" ± {error:.4}"),
        };
        (true, format!("it happened at {:.4}{error} s", measured.value))
    } else {
        let followed = measured.at_s.map_or(String::new(), |t| format!(" by {} s", instant(t)));
        (false, format!("it has not happened{followed}"))
    };
    (if happened == never { Verdict::Rejected } else { Verdict::Accepted }, text)
}

/// The verdict of a trial: the worst of its checks, with the index of the first such check. Without checks it cannot
/// tell.
pub fn overall(judgements: &[Judgement]) -> (Verdict, Option<usize>) {
    let verdicts = judgements.iter().map(|j| j.verdict);
    let Some(worst) = verdicts.clone().max() else { return (Verdict::CannotTell, None) };
    (worst, verdicts.into_iter().position(|v| v == worst))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(value: f64, doubt: f64) -> Verdict {
        judge(Ok(Measured::new(value, doubt)), 1.0, "m").verdict
    }

    #[test]
    fn the_uncertainty_decides_the_verdict() {
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

    #[test]
    fn an_error_of_zero_is_not_printed() {
        let reason = |doubt: f64| judge(Ok(Measured::new(0.5, doubt)), 1.0, "m").reason;
        assert_eq!(reason(0.0), "5.000e-1 m is within 1.000e0 m");
        assert_eq!(reason(0.25), "5.000e-1 ± 2.5e-1 m is within 1.000e0 m");
        let happened = |doubt: f64| judge(Ok(Measured::new(0.5, doubt)), f64::INFINITY, "s").reason;
        assert_eq!(happened(0.005), "it happened at 0.5000 ± 0.0050 s");
        assert_eq!(happened(1e-6), "it happened at 0.5000 ± 1.0e-6 s");
        assert_eq!(happened(0.0), "it happened at 0.5000 s");
    }

    #[test]
    fn a_reference_that_ends_early_rejects_but_never_accepts() {
        let until = |value: f64| {
            let measured = Measured { known_until_s: Some(0.5), ..Measured::new(value, 0.01) };
            judge(Ok(measured), 1.0, "m")
        };
        assert_eq!(until(0.1).verdict, Verdict::CannotTell);
        assert!(until(0.1).reason.contains("up to 0.5 s"), "{}", until(0.1).reason);
        assert_eq!(until(1.1).verdict, Verdict::Rejected);
    }

    #[test]
    fn a_lower_bound_is_met_from_above() {
        let at_least = |m: Measured| judge_as(Better::Larger, Ok(m), 2.0, "s").verdict;
        assert_eq!(at_least(Measured::new(2.1, 0.05)), Verdict::Accepted);
        assert_eq!(at_least(Measured::new(2.1, 0.2)), Verdict::CannotTell);
        assert_eq!(at_least(Measured::new(1.9, 0.05)), Verdict::Rejected);
        let never = |followed: f64| Measured { at_s: Some(followed), ..Measured::new(f64::INFINITY, 0.0) };
        assert_eq!(at_least(never(10.0)), Verdict::Accepted);
        assert_eq!(at_least(never(1.0)), Verdict::CannotTell);
    }

    #[test]
    fn a_number_between_two_bounds_is_held_to_both() {
        let between = |value: f64, doubt: f64| {
            judge_as(Better::Between { least: -1.0 }, Ok(Measured::new(value, doubt)), 2.0, "m").verdict
        };
        assert_eq!(between(0.0, 0.5), Verdict::Accepted);
        assert_eq!(between(-0.9, 0.2), Verdict::CannotTell);
        assert_eq!(between(1.9, 0.2), Verdict::CannotTell);
        assert_eq!(between(-1.5, 0.2), Verdict::Rejected);
        assert_eq!(between(2.5, 0.2), Verdict::Rejected);
        assert_eq!(between(f64::INFINITY, 0.0), Verdict::Rejected);
        assert_eq!(between(f64::NEG_INFINITY, 0.0), Verdict::Rejected);
        assert_eq!(between(f64::NAN, 0.0), Verdict::Rejected);
        // Wider than the whole range: cannot tell.
        assert_eq!(between(0.0, 9.0), Verdict::CannotTell);
    }

    #[test]
    fn an_infinite_bound_asks_whether_it_happens() {
        let asked = |better, value: f64| {
            let measured = Measured { at_s: Some(5.0), ..Measured::new(value, 0.005) };
            judge_as(better, Ok(measured), f64::INFINITY, "s")
        };
        assert_eq!(asked(Better::Larger, f64::INFINITY).verdict, Verdict::Accepted);
        assert_eq!(asked(Better::Larger, 0.5).verdict, Verdict::Rejected);
        assert_eq!(asked(Better::Smaller, 0.5).verdict, Verdict::Accepted);
        let never = asked(Better::Smaller, f64::INFINITY);
        assert_eq!((never.verdict, never.reason.as_str()), (Verdict::Rejected, "it has not happened by 5 s"));
        assert_eq!(asked(Better::Smaller, f64::NAN).verdict, Verdict::Rejected);
    }

    #[test]
    fn a_trial_is_as_good_as_its_worst_check() {
        let of = |values: &[f64]| {
            let judged: Vec<_> = values.iter().map(|&v| judge(Ok(Measured::new(v, 0.1)), 1.0, "")).collect();
            overall(&judged)
        };
        assert_eq!(of(&[0.1, 0.2]), (Verdict::Accepted, Some(0)));
        assert_eq!(of(&[0.1, 1.0]), (Verdict::CannotTell, Some(1)));
        assert_eq!(of(&[0.1, 1.0, 5.0, 6.0]), (Verdict::Rejected, Some(2)));
        assert_eq!(of(&[]), (Verdict::CannotTell, None));
    }
}
