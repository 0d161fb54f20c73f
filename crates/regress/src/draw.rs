//! SVG drawings for the page of results, with axes whose ticks are round numbers.

use crate::motion::Motion;
use std::fmt::Write;

const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 310.0;
/// Margins left of and below the axes, above them, and right of them.
const EDGE: f64 = 52.0;
const TOP: f64 = 30.0;
const RIGHT: f64 = 14.0;

const BLUE: &str = "#2563eb";
const RED: &str = "#dc2626";

/// A range and its mapping to drawing coordinates.
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64> + Clone, from: f64, to: f64) -> Self {
        let (low, high) = (values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max));
        let (low, high) = if low < high { (low, high) } else { (low - 1.0, low + 1.0) };
        Self { low, high, from, to }
    }

    /// Extends the range at both ends, so that no dot lies on an edge.
    fn wider(mut self, share: f64) -> Self {
        let more = share * (self.high - self.low);
        (self.low, self.high) = (self.low - more, self.high + more);
        self
    }

    fn at(&self, value: f64) -> f64 {
        self.from + (self.to - self.from) * (value - self.low) / (self.high - self.low)
    }

    /// Round numbers within the range, three to seven of them, and how many digits they need.
    fn ticks(&self) -> (Vec<f64>, usize) {
        let rough = (self.high - self.low) / 6.0;
        let decade = libm::pow(10.0, libm::floor(libm::log10(rough)));
        let step = [1.0, 2.0, 5.0, 10.0].map(|k| k * decade).into_iter().find(|s| *s >= rough).unwrap_or(rough);
        let digits = (-libm::floor(libm::log10(step) + 1e-9)).max(0.0) as usize;
        let first = (self.low / step - 1e-9).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        ((first..=last).map(|k| k as f64 * step).collect(), digits)
    }
}

/// Escapes text for HTML and its attributes.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn frame(title: &str, named: [&str; 2], x: &Axis, y: &Axis, height: f64, inside: &str) -> String {
    let mut out = format!(
        "<svg width={WIDTH} height={height} viewBox=\"0 0 {WIDTH} {height}\" role=img aria-label=\"{0}\"><text x=10 y=18 \
         font-size=13>{0}</text>",
        escape(title)
    );
    let (ticks, digits) = x.ticks();
    for tick in ticks {
        let at = x.at(tick);
        let _ = write!(
            out,
            "<path d=\"M{at:.1} {:.1}V{:.1}\" stroke=#ddd /><text x={at:.1} y={:.1} font-size=11 \
             text-anchor=middle>{tick:.digits$}</text>",
            y.from,
            y.to,
            y.from + 14.0
        );
    }
    let (ticks, digits) = y.ticks();
    for tick in ticks {
        let at = y.at(tick);
        let _ = write!(
            out,
            "<path d=\"M{:.1} {at:.1}H{:.1}\" stroke=#ddd /><text x={:.1} y={:.1} font-size=11 \
             text-anchor=end>{tick:.digits$}</text>",
            x.from,
            x.to,
            x.from - 5.0,
            at + 4.0
        );
    }
    let (middle, below, label_y) = (0.5 * (x.from + x.to), y.from + 30.0, 0.5 * (y.from + y.to));
    let _ = write!(
        out,
        "<path d=\"M{:.1} {:.1}V{:.1}H{:.1}\" fill=none stroke=#666 />{inside}<text x={middle:.1} y={below:.1} font-size=11 \
         text-anchor=middle>{}</text><text x=12 y={label_y:.1} font-size=11 text-anchor=middle transform=\"rotate(-90 12 \
         {label_y:.1})\">{}</text></svg>",
        x.from,
        y.to,
        y.from,
        x.to,
        escape(named[0]),
        escape(named[1])
    );
    out
}

/// Dots, and a straight reference line.
pub fn scatter(title: &str, named: [&str; 2], points: &[(f64, f64)], line: [(f64, f64); 2]) -> String {
    let x = Axis::new(points.iter().chain(&line).map(|p| p.0), EDGE, WIDTH - RIGHT).wider(0.03);
    let y = Axis::new(points.iter().chain(&line).map(|p| p.1), HEIGHT - EDGE, TOP).wider(0.03);
    let mut inside = format!(
        "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=#666 stroke-dasharray=\"4 3\" />",
        x.at(line[0].0),
        y.at(line[0].1),
        x.at(line[1].0),
        y.at(line[1].1)
    );
    for p in points {
        let (cx, cy) = (x.at(p.0), y.at(p.1));
        let _ = write!(inside, "<circle cx={cx:.1} cy={cy:.1} r=2.5 fill={BLUE} fill-opacity=.4 />");
    }
    frame(title, named, &x, &y, HEIGHT, &inside)
}

/// Empirical distribution functions of two sets.
pub fn shares(title: &str, named: &str, simulated: &[f64], recorded: &[f64]) -> String {
    let x = Axis::new(simulated.iter().chain(recorded).copied(), EDGE, WIDTH - RIGHT);
    let y = Axis { low: 0.0, high: 1.0, from: HEIGHT - EDGE, to: TOP };
    let mut inside = String::new();
    for (values, colour) in [(simulated, BLUE), (recorded, RED)] {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let _ = write!(
            inside,
            "<path fill=none stroke={colour} stroke-width=1.5 d=\"M{:.1} {:.1}",
            x.at(sorted[0]),
            y.from
        );
        // A staircase of at most two hundred steps.
        let count = sorted.len().min(200);
        for k in 1..=count {
            let at = k * sorted.len() / count - 1;
            let _ = write!(inside, "H{:.1}V{:.1}", x.at(sorted[at]), y.at((at + 1) as f64 / sorted.len() as f64));
        }
        let _ = write!(inside, "H{:.1}\" />", x.to);
    }
    frame(title, [named, "share of values"], &x, &y, HEIGHT, &inside)
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
    let ends = [(first as f64 - 0.5) * bin, (last as f64 + 0.5) * bin];
    let marked = marks.interval.iter().flatten().chain(&marks.value).copied();
    let x = Axis::new(ends.into_iter().chain(marked), EDGE, WIDTH - RIGHT);
    let y = Axis { low: 0.0, high: most, from: HEIGHT - EDGE, to: TOP };
    let mut inside = String::new();
    if let Some([low, _, high]) = marks.interval {
        let (left, width) = (x.at(low), x.at(high) - x.at(low));
        let _ = write!(
            inside,
            "<rect x={left:.1} y={:.1} width={width:.1} height={:.1} fill={RED} fill-opacity=.12 />",
            y.to,
            y.from - y.to
        );
    }
    for (k, count) in counts.iter().enumerate() {
        let (left, right) =
            (x.at(((first + k as i64) as f64 - 0.5) * bin), x.at(((first + k as i64) as f64 + 0.5) * bin));
        let top = y.at(*count as f64);
        let _ = write!(
            inside,
            "<rect x={left:.1} y={top:.1} width={:.1} height={:.1} fill={BLUE} fill-opacity=.75 stroke=#fff />",
            right - left,
            y.from - top
        );
    }
    let mut upright = |value: f64, dashes: &str| {
        let at = x.at(value);
        let _ =
            write!(inside, "<path d=\"M{at:.1} {:.1}V{:.1}\" stroke={RED} stroke-width=1.5 {dashes}/>", y.from, y.to);
    };
    marks.interval.iter().for_each(|[_, middle, _]| upright(*middle, ""));
    marks.value.iter().for_each(|value| upright(*value, "stroke-dasharray=\"4 3\" "));
    frame(title, named, &x, &y, HEIGHT, &inside)
}

/// The first 15 s of the longest piece, seen from above with one scale for both axes, an arrow every half second and a
/// ring at its start.
pub fn path(title: &str, motion: &Motion) -> String {
    let Some(piece) = motion.pieces.iter().max_by_key(|p| p.len()) else { return String::new() };
    let end = piece.end.min(piece.start + (15.0 / motion.interval_s) as usize);
    let points: Vec<(f64, f64)> = motion.position[piece.start..end].iter().map(|p| (p[0], p[1])).collect();
    let side = WIDTH - RIGHT - EDGE;
    let height = side + EDGE + TOP;
    let mut x = Axis::new(points.iter().map(|p| p.0), EDGE, WIDTH - RIGHT).wider(0.03);
    let mut y = Axis::new(points.iter().map(|p| p.1), height - EDGE, TOP).wider(0.03);
    let half = 0.5 * (x.high - x.low).max(y.high - y.low);
    for axis in [&mut x, &mut y] {
        let middle = 0.5 * (axis.low + axis.high);
        (axis.low, axis.high) = (middle - half, middle + half);
    }
    let mut inside = format!("<path fill=none stroke={BLUE} d=\"");
    for (k, p) in points.iter().enumerate().step_by(3) {
        let _ = write!(inside, "{}{:.1} {:.1}", if k == 0 { 'M' } else { 'L' }, x.at(p.0), y.at(p.1));
    }
    inside += "\" />";
    if let Some(p) = points.first() {
        let _ = write!(inside, "<circle cx={:.1} cy={:.1} r=5 fill=none stroke={RED} />", x.at(p.0), y.at(p.1));
    }
    let every = ((0.5 / motion.interval_s) as usize).max(1);
    for k in (every..points.len()).step_by(every) {
        let (a, b) = (points[k - every / 5 - 1], points[k]);
        let (dx, dy) = (x.at(b.0) - x.at(a.0), y.at(b.1) - y.at(a.1));
        let degrees = libm::atan2(dy, dx).to_degrees();
        let _ = write!(
            inside,
            "<path d=\"M0 0l-8 -4v8z\" fill={RED} transform=\"translate({:.1} {:.1}) rotate({degrees:.1})\" />",
            x.at(b.0),
            y.at(b.1)
        );
    }
    frame(title, ["x [m]", "y [m]"], &x, &y, height, &inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        let axis = Axis { low: -0.514, high: 0.514, from: 0.0, to: 1.0 };
        let (ticks, digits) = axis.ticks();
        let shown: Vec<String> = ticks.iter().map(|t| format!("{t:.digits$}")).collect();
        assert_eq!(shown, ["-0.4", "-0.2", "0.0", "0.2", "0.4"]);
        for (low, high) in [(0.0, 3896.0), (-4.0, 4.0), (1.3e-7, 2.9e-7), (-487.0, 280.0)] {
            let (ticks, _) = Axis { low, high, from: 0.0, to: 1.0 }.ticks();
            assert!((3..=7).contains(&ticks.len()), "{low} to {high}: {ticks:?}");
            assert!(ticks.iter().all(|t| (low - 1e-9..=high + 1e-9).contains(t)));
        }
    }

    #[test]
    fn a_histogram_counts_around_whole_bins_and_draws_its_marks() {
        let marks = Marks { interval: Some([-1.0, 0.0, 2.0]), value: Some(1.5) };
        let drawn = histogram("h", ["x", "rows"], &[0.4, -0.4, 0.6, 1.4, 3.0], 1.0, &marks);
        // A band, and bars for 0, 1, 2 (empty) and 3.
        assert_eq!(drawn.matches("<rect").count(), 5);
        assert_eq!(drawn.matches("stroke-dasharray").count(), 1);
        assert!(histogram("h", ["x", "rows"], &[], 1.0, &marks).contains("none"));
    }
}
