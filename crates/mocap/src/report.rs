//! The report of a step: notes, numbers with their uncertainty, plots.

use crate::notes::{Note, Notes};
use serde::Serialize;

/// More points than this cannot be seen; a longer series keeps the minimum and maximum of each interval.
const MOST_POINTS: usize = 2400;

/// A number a step found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Number {
    /// Its name.
    pub name: String,
    /// SI, or as the name states; empty for a pure number.
    pub unit: &'static str,
    /// The number.
    pub value: f64,
    /// One standard deviation, where the step knows it.
    pub sigma: Option<f64>,
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Points joined.
    Line,
    /// Small dots.
    Dots,
    /// Large open circles: results of the step.
    Rings,
    /// Upright bars from zero.
    Bars,
}

/// One series of a plot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// How it is drawn.
    pub mark: Mark,
    /// x and y.
    pub points: Vec<[f64; 2]>,
}

/// A plot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plot {
    /// Title.
    pub title: String,
    /// Label with unit.
    pub x_label: String,
    /// Label with unit.
    pub y_label: String,
    /// One unit is the same length on both axes.
    pub equal_axes: bool,
    /// Series in drawing order.
    pub series: Vec<Series>,
}

/// The report of one step.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StepReport {
    /// The step's name.
    pub step: &'static str,
    /// Notes.
    pub lines: Vec<Note>,
    /// Numbers found.
    pub numbers: Vec<Number>,
    /// Plots, made on request.
    #[serde(skip)]
    pub plots: Vec<Plot>,
}

impl StepReport {
    /// An empty report of a step.
    pub fn new(step: &'static str) -> Self {
        Self { step, ..Self::default() }
    }

    /// Adds the lines of `notes`.
    pub fn with_notes(mut self, notes: &Notes) -> Self {
        self.lines.extend(notes.lines());
        self
    }

    /// Adds a note.
    pub fn note(&mut self, kind: &'static str, text: impl Into<String>) {
        self.lines.push(Note { kind, warning: false, text: text.into() });
    }

    /// Adds a note that should be read before the result is trusted.
    pub fn warn(&mut self, kind: &'static str, text: impl Into<String>) {
        self.lines.push(Note { kind, warning: true, text: text.into() });
    }

    /// Adds a number.
    pub fn number(&mut self, name: impl Into<String>, unit: &'static str, value: f64) {
        self.numbers.push(Number { name: name.into(), unit, value, sigma: None });
    }

    /// Adds a number with its standard deviation.
    pub fn measured(&mut self, name: impl Into<String>, unit: &'static str, value: f64, sigma: f64) {
        self.numbers.push(Number { name: name.into(), unit, value, sigma: Some(sigma) });
    }

    /// The number with this name.
    pub fn find(&self, name: &str) -> Option<&Number> {
        self.numbers.iter().find(|n| n.name == name)
    }
}

impl Plot {
    /// A plot without series.
    pub fn new(title: impl Into<String>, x_label: impl Into<String>, y_label: impl Into<String>) -> Self {
        let (title, x_label, y_label) = (title.into(), x_label.into(), y_label.into());
        Self { title, x_label, y_label, equal_axes: false, series: Vec::new() }
    }

    /// Adds a series, thinned to what can be seen.
    pub fn with(mut self, name: impl Into<String>, mark: Mark, points: impl Iterator<Item = [f64; 2]>) -> Self {
        let points: Vec<[f64; 2]> = points.filter(|p| p[0].is_finite() && p[1].is_finite()).collect();
        let points = if mark == Mark::Rings || mark == Mark::Bars { points } else { thinned(points) };
        self.series.push(Series { name: name.into(), mark, points });
        self
    }
}

/// Keeps the minimum and maximum of each interval: a single outlier among a million samples stays visible.
fn thinned(points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    if points.len() <= MOST_POINTS {
        return points;
    }
    let stretch = points.len().div_ceil(MOST_POINTS / 2);
    let mut out = Vec::with_capacity(MOST_POINTS + 2);
    for part in points.chunks(stretch) {
        let by = |better: fn(f64, f64) -> bool| {
            (0..part.len()).fold(0, |best, i| if better(part[i][1], part[best][1]) { i } else { best })
        };
        let (low, high) = (by(|a, b| a < b), by(|a, b| a > b));
        out.push(part[low.min(high)]);
        if low != high {
            out.push(part[low.max(high)]);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outlier_survives_the_thinning() {
        let points = (0..1_000_000).map(|i| [i as f64, if i == 654_321 { 9.0 } else { 0.0 }]);
        let plot = Plot::new("", "", "").with("", Mark::Line, points);
        assert!(plot.series[0].points.len() <= MOST_POINTS);
        assert!(plot.series[0].points.contains(&[654_321.0, 9.0]));
    }
}
