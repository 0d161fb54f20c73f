//! A plot with two linear axes, as SVG. Colours are variables of the page, so that a plot follows light and dark.

use crate::{Axis, escape};
use std::fmt::Write;

/// Margins around the axes.
const LEFT: f64 = 66.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 42.0;
const BOTTOM: f64 = 44.0;
/// Colours of `tokens.css`; further series get a hue of their own.
const COLOURS: usize = 6;

/// A plot in progress.
#[derive(Clone, Debug)]
pub struct Plot {
    title: String,
    labels: [String; 2],
    x: Axis,
    y: Axis,
    width: f64,
    height: f64,
    inside: String,
    named: Vec<(usize, String)>,
}

impl Plot {
    /// Axes of this size, without data. `labels` are those of x and y, with units; width and height are those of the area
    /// inside the axes.
    pub fn new(title: &str, labels: [&str; 2], x: Axis, y: Axis, width: f64, height: f64) -> Self {
        Self {
            title: title.to_string(),
            labels: labels.map(str::to_string),
            x: x.drawn(LEFT, LEFT + width),
            y: y.drawn(TOP + height, TOP),
            width: LEFT + width + RIGHT,
            height: TOP + height + BOTTOM,
            inside: String::new(),
            named: Vec::new(),
        }
    }

    /// The horizontal axis, for drawing of one's own.
    pub fn x(&self) -> Axis {
        self.x
    }

    /// The vertical axis.
    pub fn y(&self) -> Axis {
        self.y
    }

    /// Adds a series to the legend.
    pub fn name(&mut self, series: usize, name: &str) {
        self.named.push((series, name.to_string()));
    }

    /// Joined points. A point that is not finite interrupts the line.
    pub fn line(&mut self, series: usize, points: impl IntoIterator<Item = (f64, f64)>) {
        let d = self.joined(points);
        let _ = writeln!(self.inside, "<path class=\"line\"{} d=\"{d}\"/>", series_style(series));
    }

    /// A dashed straight line, for reference.
    pub fn guide(&mut self, ends: [(f64, f64); 2]) {
        let d = self.joined(ends);
        let _ = writeln!(self.inside, "<path class=\"guide dashed\" d=\"{d}\"/>");
    }

    /// A vertical line at a value.
    pub fn upright(&mut self, series: usize, value: f64, dashed: bool) {
        let (at, class) = (self.x.at(value), if dashed { "line dashed" } else { "line" });
        let _ = writeln!(
            self.inside,
            "<path class=\"{class}\"{} d=\"M{at:.1} {:.1}V{:.1}\"/>",
            series_style(series),
            self.y.from,
            self.y.to
        );
    }

    /// Dots; `faint` where many overlap.
    pub fn dots(&mut self, series: usize, points: impl IntoIterator<Item = (f64, f64)>, faint: bool) {
        let mut d = String::new();
        for (x, y) in points {
            if x.is_finite() && y.is_finite() {
                let _ = write!(d, "M{:.1} {:.1}h0", self.x.at(x), self.y.at(y));
            }
        }
        let class = if faint { "dots faint" } else { "dots" };
        let _ = writeln!(self.inside, "<path class=\"{class}\"{} d=\"{d}\"/>", series_style(series));
    }

    /// A circle around a point.
    pub fn ring(&mut self, series: usize, (x, y): (f64, f64)) {
        let _ = writeln!(
            self.inside,
            "<circle class=\"ring\"{} cx=\"{:.1}\" cy=\"{:.1}\" r=\"4.5\"/>",
            series_style(series),
            self.x.at(x),
            self.y.at(y)
        );
    }

    /// A bar from zero to a height.
    pub fn bar(&mut self, series: usize, from: f64, to: f64, height: f64) {
        self.rectangle("bar", series, [from, to], [0.0, height]);
    }

    /// A band over the whole height.
    pub fn band(&mut self, series: usize, from: f64, to: f64) {
        self.rectangle("band", series, [from, to], [self.y.low, self.y.high]);
    }

    /// Markup in drawing coordinates.
    pub fn push(&mut self, markup: &str) {
        self.inside.push_str(markup);
    }

    /// The drawing.
    pub fn finish(self) -> String {
        let Self { x, y, .. } = self;
        let mut inside = format!("<text class=\"title\" x=\"{LEFT}\" y=\"15\">{}</text>\n", escape(&self.title));
        for (value, label) in x.ticks() {
            let at = x.at(value);
            let _ = writeln!(
                inside,
                "<path class=\"grid\" d=\"M{at:.1} {:.1}V{:.1}\"/><text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
                y.from,
                y.to,
                y.from + 16.0
            );
        }
        for (value, label) in y.ticks() {
            let at = y.at(value);
            let _ = writeln!(
                inside,
                "<path class=\"grid\" d=\"M{:.1} {at:.1}H{:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
                x.from,
                x.to,
                x.from - 6.0,
                at + 4.0
            );
        }
        let (middle, level) = (0.5 * (x.from + x.to), 0.5 * (y.from + y.to));
        let _ = writeln!(
            inside,
            "<path class=\"edge\" d=\"M{0:.1} {1:.1}H{2:.1}V{3:.1}H{0:.1}Z\"/>\n{4}\
             <text x=\"{middle:.1}\" y=\"{5:.1}\" text-anchor=\"middle\">{6}</text>\n\
             <text transform=\"translate(13 {level:.1}) rotate(-90)\" text-anchor=\"middle\">{7}</text>",
            x.from,
            y.from,
            x.to,
            y.to,
            self.inside,
            self.height - 8.0,
            escape(&self.labels[0]),
            escape(&self.labels[1])
        );
        // From the right edge; a character is at most about seven units wide.
        let mut at = x.to;
        for (series, name) in self.named.iter().rev() {
            let _ = writeln!(
                inside,
                "<text class=\"named\"{} x=\"{at:.1}\" y=\"32\" text-anchor=\"end\">{}</text>",
                series_style(*series),
                escape(name)
            );
            at -= 7.0 * name.chars().count() as f64 + 16.0;
        }
        svg(self.width, self.height, &self.title, &inside)
    }

    fn joined(&self, points: impl IntoIterator<Item = (f64, f64)>) -> String {
        let (mut d, mut letter) = (String::new(), 'M');
        for (x, y) in points {
            if x.is_finite() && y.is_finite() {
                let _ = write!(d, "{letter}{:.1} {:.1}", self.x.at(x), self.y.at(y));
                letter = 'L';
            } else {
                letter = 'M';
            }
        }
        d
    }

    fn rectangle(&mut self, class: &str, series: usize, across: [f64; 2], up: [f64; 2]) {
        let ([a, b], [c, d]) = (across.map(|x| self.x.at(x)), up.map(|y| self.y.at(y)));
        let _ = writeln!(
            self.inside,
            "<rect class=\"{class}\"{} x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
            series_style(series),
            a.min(b),
            c.min(d),
            (b - a).abs(),
            (d - c).abs()
        );
    }
}

/// A drawing of this size. `inside` is markup.
pub fn svg(width: f64, height: f64, label: &str, inside: &str) -> String {
    format!(
        "<svg viewBox=\"0 0 {width} {height:.0}\" width=\"{width}\" height=\"{height:.0}\" role=\"img\" aria-label=\"{}\">\n{inside}</svg>\n",
        escape(label)
    )
}

/// Ticks of a time axis below a drawing of one's own, at the height `y`.
pub fn bottom_axis(axis: &Axis, y: f64, unit: &str) -> String {
    let mut out = format!("<path class=\"edge\" d=\"M{:.1} {y:.1}H{:.1}\"/>\n", axis.from, axis.to);
    for (value, label) in axis.ticks() {
        let at = axis.at(value);
        let _ = writeln!(
            out,
            "<path class=\"edge\" d=\"M{at:.1} {y:.1}v4\"/><text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label} {}</text>",
            y + 17.0,
            escape(unit)
        );
    }
    out
}

/// The attribute that gives an element the colour of a series, with a leading space. No two series of a plot have the
/// same: after the report's six, hues advance by the golden angle.
pub fn series_style(series: usize) -> String {
    if series < COLOURS {
        format!(" style=\"--c:var(--spec-{series})\"")
    } else {
        let hue = (series - COLOURS) as f64 * 137.508 % 360.0;
        format!(" style=\"--c:oklch(0.62 0.13 {hue:.1})\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot() -> Plot {
        Plot::new("a <title>", ["x", "y & z"], Axis::new(0.0, 10.0), Axis::new(0.0, 1.0), 100.0, 50.0)
    }

    #[test]
    fn points_are_placed_on_the_axes_and_text_is_escaped() {
        let mut plot = plot();
        plot.line(0, [(0.0, 0.0), (5.0, f64::NAN), (10.0, 1.0)]);
        plot.bar(1, 2.0, 3.0, 0.5);
        let drawn = plot.finish();
        // The middle of the line is missing, so it has two starts and no joint.
        assert!(drawn.contains("d=\"M66.0 92.0M166.0 42.0\""), "{drawn}");
        assert!(drawn.contains("x=\"86.0\" y=\"67.0\" width=\"10.0\" height=\"25.0\""), "{drawn}");
        assert!(drawn.contains("a &lt;title&gt;") && drawn.contains("y &amp; z"));
        assert_eq!((drawn.matches("<svg").count(), drawn.matches("</svg>").count()), (1, 1));
    }

    #[test]
    fn no_two_of_forty_series_have_one_colour() {
        let styles: std::collections::BTreeSet<String> = (0..40).map(series_style).collect();
        assert_eq!(styles.len(), 40);
    }
}
