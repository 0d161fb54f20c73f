//! Where acceptance ends: the boundary along one varied number, located by bisection.
//!
//! Two neighbouring values of an axis, everything else equal, of which one is accepted and the other is not, enclose a
//! boundary. The interval is halved, each time by a trial like any other of the study, until it is no wider than asked
//! for. Several boundaries along one axis are all located; one between two neighbours of equal verdict is not seen.

use crate::answer::span;
use crate::axes::{Axis, variation_text};
use crate::conclusion::counted;
use crate::results::{Row, StudyResult};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use veracity_measure::TrialVerdict;

/// Halvings after which a bracket is as narrow as a double can say.
const MOST_HALVINGS: usize = 60;

/// A located boundary of acceptance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Boundary {
    /// The scenario.
    pub scenario: String,
    /// The engine spec without its defaults.
    pub engine: String,
    /// [s]
    pub step_s: f64,
    /// Seed.
    pub seed: u64,
    /// Path of the varied number.
    pub path: String,
    /// The other changed numbers, which are the same on both sides.
    pub others: Vec<(String, f64)>,
    /// The end of the bracket that is accepted.
    pub accepted: f64,
    /// The end that is not.
    pub not_accepted: f64,
    /// Verdict there.
    pub verdict: TrialVerdict,
    /// Reason for it.
    pub reason: String,
    /// Trials that were run to find it.
    pub trials: usize,
    /// Requested width of the bracket.
    pub width: f64,
}

impl Boundary {
    /// Whether the bracket is as narrow as requested: an interrupted search leaves a wider one.
    pub fn is_located(&self) -> bool {
        (self.accepted - self.not_accepted).abs() <= self.width
    }

    /// `block on native at 1 ms: accepted at friction 0.2314, rejected at 0.2307 (7 trials)`.
    pub fn sentence(&self, axes: &[Axis]) -> String {
        let axis = axes.iter().find(|axis| axis.path == self.path);
        let name = axis.map_or(self.path.as_str(), |axis| axis.name.as_str());
        let unit = axis.filter(|axis| !axis.unit.is_empty()).map_or(String::new(), |axis| format!(" {}", axis.unit));
        let others = variation_text(axes, &self.others);
        let others = if others.is_empty() { others } else { format!(" with {others}") };
        let open = if self.is_located() { "" } else { ", not narrowed to the requested width" };
        // As many digits as the width of the bracket needs, and one more.
        let width = (self.accepted - self.not_accepted).abs();
        let places = if width > 0.0 { (1.0 - libm::log10(width).floor()).clamp(0.0, 17.0) as usize } else { 17 };
        format!(
            "{} on {} at {}{others}: accepted at {name} {:.places$}{unit}, {} at {:.places$}{unit} ({}{open})",
            self.scenario,
            self.engine,
            span(self.step_s),
            self.accepted,
            self.verdict,
            self.not_accepted,
            counted(self.trials, "trial"),
        )
    }
}

/// An interval that encloses a boundary: rows of the study at its ends, the first one accepted.
pub(crate) struct Bracket {
    pub accepted: usize,
    pub other: usize,
}

/// Every pair of neighbouring values of an axis with an accepted row at one end only.
pub(crate) fn brackets(result: &StudyResult, axis: &Axis) -> Vec<Bracket> {
    type Line<'a> = (&'a str, &'a str, u64, u64, Vec<(&'a str, u64)>);
    let mut lines: BTreeMap<Line<'_>, Vec<(f64, usize)>> = BTreeMap::new();
    for (index, row) in result.rows.iter().enumerate() {
        let Some(value) = axis.value_in(&row.overrides) else { continue };
        let others = row.overrides.iter().filter(|(path, _)| !axis.moves(path));
        let others = others.map(|(path, x)| (path.as_str(), x.to_bits())).collect();
        let line = (row.scenario.as_str(), row.full_spec.as_str(), row.step_s.to_bits(), row.seed, others);
        lines.entry(line).or_default().push((value, index));
    }
    let mut out = Vec::new();
    for mut line in lines.into_values() {
        line.sort_by(|a, b| a.0.total_cmp(&b.0));
        for pair in line.windows(2) {
            let accepted = |at: usize| result.rows[pair[at].1].verdict == TrialVerdict::Accepted;
            match (accepted(0), accepted(1)) {
                (true, false) => out.push(Bracket { accepted: pair[0].1, other: pair[1].1 }),
                (false, true) => out.push(Bracket { accepted: pair[1].1, other: pair[0].1 }),
                _ => {}
            }
        }
    }
    // In the study's order, whatever the names sort like.
    out.sort_by_key(|bracket| bracket.accepted.min(bracket.other));
    out
}

/// Halves a bracket until it is at most `width` wide. `judge` runs the trial at a value; `None` when it was interrupted.
pub(crate) fn bisect<E>(
    axis: &Axis,
    (accepted, other): (&Row, &Row),
    width: f64,
    mut judge: impl FnMut(f64) -> Result<Option<Row>, E>,
) -> Result<Boundary, E> {
    let value = |row: &Row| axis.value_in(&row.overrides).unwrap_or(f64::NAN);
    let mut found = Boundary {
        scenario: accepted.scenario.clone(),
        engine: accepted.engine.clone(),
        step_s: accepted.step_s,
        seed: accepted.seed,
        path: axis.path.clone(),
        others: accepted.overrides.iter().filter(|(path, _)| !axis.moves(path)).cloned().collect(),
        accepted: value(accepted),
        not_accepted: value(other),
        verdict: other.verdict,
        reason: other.reason.clone(),
        trials: 0,
        width,
    };
    for _ in 0..MOST_HALVINGS {
        let middle = 0.5 * (found.accepted + found.not_accepted);
        // No number lies between the ends any more.
        if found.is_located() || middle == found.accepted || middle == found.not_accepted {
            break;
        }
        let Some(row) = judge(middle)? else { break };
        found.trials += 1;
        if row.verdict == TrialVerdict::Accepted {
            found.accepted = middle;
        } else {
            (found.not_accepted, found.verdict, found.reason) = (middle, row.verdict, row.reason);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leaderboard::tests::{result, row};

    fn axis() -> Axis {
        let (path, name) = ("friction".to_string(), "friction".to_string());
        let values = vec![0.0, 1.0, 2.0, 3.0];
        Axis { path, also: Vec::new(), name, unit: String::new(), values, low: 0.0, high: 3.0 }
    }

    /// Accepted from 0.3 to 2.25.
    fn at(engine: &str, friction: f64) -> Row {
        let inside = (0.3..=2.25).contains(&friction);
        let verdict = if inside { TrialVerdict::Accepted } else { TrialVerdict::Rejected };
        let mut one = row(engine, verdict, None);
        one.overrides = vec![("friction".to_string(), friction)];
        one
    }

    #[test]
    fn every_boundary_along_an_axis_is_located_to_the_width_asked_for() {
        let rows = [0.0, 1.0, 2.0, 3.0].iter().flat_map(|f| [at("a", *f), at("b", *f)]).collect();
        let study = result(rows);
        let found = brackets(&study, &axis());
        assert_eq!(found.len(), 4, "two engines with two boundaries each");
        let ends: Vec<(f64, f64, usize)> = found
            .iter()
            .filter(|b| study.rows[b.accepted].engine == "a")
            .map(|b| {
                let rows = (&study.rows[b.accepted], &study.rows[b.other]);
                let found = bisect(&axis(), rows, 1e-3, |x| Ok::<_, ()>(Some(at("a", x)))).unwrap();
                assert!(found.is_located() && found.verdict == TrialVerdict::Rejected);
                let text = found.sentence(&[axis()]);
                assert!(
                    text.contains("on a at 1 ms: accepted at friction ") && text.ends_with("(10 trials)"),
                    "{text}"
                );
                (found.accepted, found.not_accepted, found.trials)
            })
            .collect();
        // Ten halvings of an interval of 1 give 1/1024.
        assert!(ends[0].0 >= 0.3 && ends[0].1 < 0.3 && ends[0].2 == 10, "{ends:?}");
        assert!(ends[1].0 <= 2.25 && ends[1].1 > 2.25 && ends[1].2 == 10, "{ends:?}");
    }

    #[test]
    fn an_interrupted_search_says_so_and_an_impossible_width_ends() {
        let (good, bad) = (at("a", 1.0), at("a", 0.0));
        let cut = bisect(&axis(), (&good, &bad), 1e-3, |_| Ok::<_, ()>(None)).unwrap();
        assert!(!cut.is_located() && cut.trials == 0);
        let fine = bisect(&axis(), (&good, &bad), 0.0, |x| Ok::<_, ()>(Some(at("a", x)))).unwrap();
        assert!(fine.trials <= MOST_HALVINGS && (fine.accepted - fine.not_accepted).abs() < 1e-15);
    }
}
