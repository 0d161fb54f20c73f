//! The axes of a study with variations: which numbers vary, under which names, and over which values.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use veracity_scenario::axis::short_names;
use veracity_scenario::{Study, units};

/// One varied number of a study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// Path of the number.
    pub path: String,
    /// Paths of other numbers that take the same value.
    pub also: Vec<String>,
    /// Short name, unique in the study: `friction`.
    pub name: String,
    /// SI unit; empty for a pure number and where it is not known.
    pub unit: String,
    /// The values, in ascending order; empty for a number that is drawn from a distribution.
    pub values: Vec<f64>,
    /// Smallest value tried.
    pub low: f64,
    /// Largest value tried.
    pub high: f64,
}

impl Axis {
    /// A value with the axis: `friction 0.2`, `mass 1.5 kg`.
    pub fn at(&self, value: f64) -> String {
        format!("{} {}", self.name, self.number(value))
    }

    /// A value with its unit.
    pub fn number(&self, value: f64) -> String {
        let number = short_number(value);
        if self.unit.is_empty() { number } else { format!("{number} {}", self.unit) }
    }

    /// `friction 0.1 to 1`.
    pub fn range(&self) -> String {
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        format!("{} {} to {}{unit}", self.name, short_number(self.low), short_number(self.high))
    }

    /// Whether a number is this axis, or takes its value.
    pub fn moves(&self, path: &str) -> bool {
        self.path == path || self.also.iter().any(|other| other == path)
    }

    /// The value of this axis among the changed numbers of a trial.
    pub fn value_in(&self, overrides: &[(String, f64)]) -> Option<f64> {
        overrides.iter().find(|(path, _)| *path == self.path).map(|(_, value)| *value)
    }
}

/// At most four significant digits: enough to tell values of an axis apart, short enough for a table.
pub fn short_number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    if !(1e-3..1e5).contains(&size) {
        let text = format!("{value:.3e}");
        let Some((digits, power)) = text.split_once('e') else { return text };
        let digits = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits };
        return format!("{digits}e{power}");
    }
    let places = (3 - size.log10().floor() as i32).max(0) as usize;
    let text = format!("{value:.places$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

/// The numbers that take more than one value in a study, in the order of its `[[vary]]` entries.
pub fn axes(study: &Study) -> Vec<Axis> {
    let mut tried: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (path, value) in study.variations.iter().flat_map(|variation| variation.iter()) {
        tried.entry(path).or_default().push(value);
    }
    let of_study = |path: &str| study.axes.iter().position(|axis| axis.path == path);
    let follows = |path: &str| study.axes.iter().any(|axis| axis.also.iter().any(|other| other == path));
    let mut paths: Vec<&str> = tried.keys().copied().filter(|path| !follows(path)).collect();
    paths.sort_by_key(|path| (of_study(path).unwrap_or(usize::MAX), *path));
    let given: Vec<(&str, Option<&str>)> =
        paths.iter().map(|path| (*path, of_study(path).map(|at| study.axes[at].name.as_str()))).collect();
    let mut out = Vec::new();
    for (path, name) in paths.iter().zip(short_names(&given)) {
        let mut values = tried.remove(path).unwrap_or_default();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let [low, .., high] = values[..] else { continue };
        let sampled = of_study(path).map_or(values.len() > MOST_VALUES, |at| study.axes[at].sampled);
        if sampled {
            values.clear();
        }
        let unit = study.scenarios.first().and_then(|s| units::unit(&s.world, path)).unwrap_or_default().to_string();
        let also = of_study(path).map_or(Vec::new(), |at| study.axes[at].also.clone());
        out.push(Axis { path: path.to_string(), also, name, unit, values, low, high });
    }
    out
}

/// A number with more values than this is a sample, unless the study lists them.
const MOST_VALUES: usize = 32;

/// The changed numbers of a trial in words: `friction 0.2, mass 1.5 kg`. A number that is no axis, the same in every
/// trial, by its path.
pub fn variation_text(axes: &[Axis], overrides: &[(String, f64)]) -> String {
    let text = |(path, value): &(String, f64)| match axes.iter().find(|axis| axis.path == *path) {
        Some(axis) => axis.at(*value),
        None => format!("{path}={}", short_number(*value)),
    };
    let follows = |path: &str| axes.iter().any(|axis| axis.also.iter().any(|other| other == path));
    overrides.iter().filter(|(path, _)| !follows(path)).map(text).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_an_axis_are_short() {
        let shown = [0.1 + 0.2, 1.0, 12345.678, 0.000123456, -9.81, 0.0, 250.0, 1e6].map(short_number);
        assert_eq!(shown, ["0.3", "1", "12346", "1.235e-4", "-9.81", "0", "250", "1e6"]);
    }
}
