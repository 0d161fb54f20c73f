//! SVG drawings for the page of results.

use crate::motion::Motion;
use std::fmt::Write;
use veracity_page::{Axis, Plot, escape, series_style};

/// Size of the area inside the axes.
const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 225.0;

/// Colours of what was simulated and of what was recorded.
pub const SIMULATED: usize = 0;
/// See [`SIMULATED`].
pub const RECORDED: usize = 1;

/// Dots, and a straight reference line.
pub fn scatter(title: &str, named: [&str; 2], points: &[(f64, f64)], line: [(f64, f64); 2]) -> String {
    let x = Axis::of(points.iter().chain(&line).map(|p| p.0)).wider(0.03);
    let y = Axis::of(points.iter().chain(&line).map(|p| p.1)).wider(0.03);
    let mut plot = Plot::new(title, named, x, y, WIDTH, HEIGHT);
    plot.guide(line);
    plot.dots(SIMULATED, points.iter().copied(), true);
    plot.finish()
}

/// Empirical distribution functions of two sets.
pub fn shares(title: &str, named: &str, simulated: &[f64], recorded: &[f64]) -> String {
    let x = Axis::of(simulated.iter().chain(recorded).copied());
    let mut plot = Plot::new(title, [named, "share of values"], x, Axis::new(0.0, 1.0), WIDTH, HEIGHT);
    for (series, name, values) in [(SIMULATED, "simulated", simulated), (RECORDED, "recorded", recorded)] {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let Some(first) = sorted.first() else { continue };
        let (mut stairs, mut share) = (vec![(*first, 0.0)], 0.0);
        // A staircase of at most two hundred steps.
        let count = sorted.len().min(200);
        for k in 1..=count {
            let at = k * sorted.len() / count - 1;
            stairs.push((sorted[at], share));
            share = (at + 1) as f64 / sorted.len() as f64;
            stairs.push((sorted[at], share));
        }
        stairs.push((x.high, share));
        plot.line(series, stairs);
        plot.name(series, name);
    }
    plot.finish()
}

/// Marks drawn in a histogram in addition to its bars.
pub struct Marks {
    /// An interval, as a band with its middle.
    pub interval: Option<[f64; 3]>,
    /// A single value, as a line.
    pub value: Option<f64>,
}

/// Counts of values in bins of a width, one of them centred on zero.
pub fn histogram(title: &str, named: [&str; 2], values: &[f64], bin: f64, marks: &Marks) -> String {
    if values.is_empty() {
        return format!("<p>{}: none</p>", escape(title));
    }
    let number = |value: f64| (value / bin).round() as i64;
    let (first, last) = values.iter().fold((i64::MAX, i64::MIN), |(a, b), v| (a.min(number(*v)), b.max(number(*v))));
    let mut counts = vec![0usize; (last - first + 1) as usize];
    values.iter().for_each(|v| counts[(number(*v) - first) as usize] += 1);
    let most = counts.iter().copied().max().unwrap_or(1) as f64;
    let edge = |k: i64| (k as f64 - 0.5) * bin;
    let marked = marks.interval.iter().flatten().chain(&marks.value).copied();
    let x = Axis::of([edge(first), edge(last + 1)].into_iter().chain(marked));
    let mut plot = Plot::new(title, named, x, Axis::new(0.0, most), WIDTH, HEIGHT);
    if let Some([low, _, high]) = marks.interval {
        plot.band(RECORDED, low, high);
    }
    for (k, count) in (first..).zip(&counts) {
        plot.bar(SIMULATED, edge(k), edge(k + 1), *count as f64);
    }
    marks.interval.iter().for_each(|[_, middle, _]| plot.upright(RECORDED, *middle, false));
    marks.value.iter().for_each(|value| plot.upright(RECORDED, *value, true));
    plot.finish()
}

/// The first 15 s of the longest piece, seen from above with one scale for both axes, an arrow every half second and a
/// ring at its start.
pub fn path(title: &str, motion: &Motion) -> String {
    let Some(piece) = motion.pieces.iter().max_by_key(|p| p.len()) else { return String::new() };
    let end = piece.end.min(piece.start + (15.0 / motion.interval_s) as usize);
    let points: Vec<(f64, f64)> = motion.position[piece.start..end].iter().map(|p| (p[0], p[1])).collect();
    let (mut x, mut y) = (Axis::of(points.iter().map(|p| p.0)), Axis::of(points.iter().map(|p| p.1)));
    let half = 0.53 * (x.high - x.low).max(y.high - y.low);
    for axis in [&mut x, &mut y] {
        let middle = 0.5 * (axis.low + axis.high);
        (axis.low, axis.high) = (middle - half, middle + half);
    }
    let mut plot = Plot::new(title, ["x [m]", "y [m]"], x, y, WIDTH, WIDTH);
    plot.line(SIMULATED, points.iter().copied().step_by(3));
    if let Some(start) = points.first() {
        plot.ring(RECORDED, *start);
    }
    let (x, y) = (plot.x(), plot.y());
    let every = ((0.5 / motion.interval_s) as usize).max(1);
    let mut arrows = String::new();
    for k in (every..points.len()).step_by(every) {
        let (a, b) = (points[k - every / 5 - 1], points[k]);
        let (dx, dy) = (x.at(b.0) - x.at(a.0), y.at(b.1) - y.at(a.1));
        let degrees = libm::atan2(dy, dx).to_degrees();
        let _ = writeln!(
            arrows,
            "<path class=\"bar\"{} d=\"M0 0l-8 -4v8z\" transform=\"translate({:.1} {:.1}) rotate({degrees:.1})\"/>",
            series_style(RECORDED),
            x.at(b.0),
            y.at(b.1)
        );
    }
    plot.push(&arrows);
    plot.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_counts_around_whole_bins_and_draws_its_marks() {
        let marks = Marks { interval: Some([-1.0, 0.0, 2.0]), value: Some(1.5) };
        let drawn = histogram("h", ["x", "rows"], &[0.4, -0.4, 0.6, 1.4, 3.0], 1.0, &marks);
        // A band, and bars for 0, 1, 2 (empty) and 3.
        assert_eq!(drawn.matches("<rect").count(), 5);
        assert_eq!(drawn.matches("dashed").count(), 1);
        assert!(histogram("h", ["x", "rows"], &[], 1.0, &marks).contains("none"));
    }
}
