//! The result on one page: HTML with drawings in it, and nothing to fetch.

use crate::assess::Assessment;
use crate::behaviour::{Compared, QUANTITIES, in_pieces};
use crate::motion::Motion;
use crate::study::RegressionStudy;
use std::fmt::Write;

const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 300.0;
const EDGE: f64 = 42.0;

/// Everything there is to show.
pub struct Page<'a> {
    /// What was asked.
    pub study: &'a RegressionStudy,
    /// What came of it.
    pub assessment: &'a Assessment,
    /// Truth and prediction of rows held out at random, as was published.
    pub shuffled: &'a [(f64, f64)],
    /// Distributions, where both sides are long enough.
    pub behaviour: &'a [Compared],
    /// Of training.
    pub simulated: &'a [Motion],
    /// Those of them whose distributions were compared.
    pub compared: &'a [Motion],
    /// Which those are, in a few words.
    pub simulated_as: &'a str,
    /// Of the recording.
    pub recorded: &'a [Motion],
    /// What was left out.
    pub notes: &'a [String],
}

/// The page.
pub fn page(page: &Page<'_>) -> String {
    let Page { study, assessment: a, .. } = page;
    let step = study.target.step;
    let mut body = String::new();
    let mut say = |text: String| {
        let _ = writeln!(body, "{text}");
    };
    say(format!("<h1>{}</h1><p>{}</p>", escape(&study.title), escape(&study.text)));
    say(format!("<p class=v><b>{}</b>: {}</p>", a.verdict, escape(&a.reasons.join("; "))));
    say(format!(
        "<p>Error on what was held out by {}: {:.1} % of one step ({:.1} to {:.1}); always the mean: {:.1} %. Rows held out at random, \
         whose neighbours were learned from: {:.1} %: the difference is leakage.</p>",
        escape(&a.split),
        100.0 * a.error.estimate / step,
        100.0 * a.error.low / step,
        100.0 * a.error.high / step,
        100.0 * a.constant_error / step,
        100.0 * shuffled_error(page.shuffled) / step
    ));
    say(format!(
        "<p>Support: median largest kernel value {:.2e}; {:.1} % of recorded rows below {:.3}. Distance from the nearest training \
         value {:.3}, {:.3} allowed.</p>",
        a.support.median,
        100.0 * a.support.out_of_reach,
        a.support.threshold,
        a.explanation.recorded,
        a.explanation.threshold
    ));
    for note in page.notes {
        say(format!("<p>{}</p>", escape(note)));
    }
    // The published plots, and beside each what it shows once neighbours in time are held out together.
    let in_percent = |rows: &[(f64, f64)]| {
        let every = rows.len().div_ceil(1500).max(1);
        rows.iter().step_by(every).map(|(t, p)| (t / step, 100.0 * (p - t) / step)).collect::<Vec<_>>()
    };
    let in_steps = |rows: &[(f64, f64)]| rows.iter().map(|(t, p)| ((p - t) / step).abs()).collect::<Vec<f64>>();
    let honest = format!("held out by {}", a.split);
    say("<h2>As published, and honest</h2><div class=g>".to_owned());
    for (how, rows) in [("held out at random, as published", page.shuffled), (&honest[..], &a.held_rows[..])] {
        say(scatter(
            &format!("Rows {how}: error over truth"),
            ["truth [steps]", "error [% of a step]"],
            &in_percent(rows),
        ));
    }
    for (how, rows) in [("held out at random, as published", page.shuffled), (&honest[..], &a.held_rows[..])] {
        say(histogram(&format!("Rows {how}: |error| [steps]"), &in_steps(rows)));
    }
    say("</div><h2>What the recording says</h2><div class=g>".to_owned());
    let points: Vec<(f64, f64)> = a.points.iter().map(|p| (p.truth / step, p.predicted / step)).collect();
    say(scatter(
        "Held-out pieces: mean prediction over truth",
        ["truth [steps]", "mean prediction [steps]"],
        &points,
    ));
    let found: Vec<f64> = a.predictions.iter().filter(|p| !p.is_nan()).map(|p| p / step).collect();
    say(histogram("Recorded rows within reach: predicted steps", &found));
    if let Some(first) = page.recorded.iter().max_by_key(|m| longest(m)) {
        say(path(&format!("Recorded: {}", first.name), first));
    }
    if let Some(middle) = page.simulated.get(page.simulated.len() / 2) {
        say(path(&format!("Simulated: {}", middle.name), middle));
    }
    say("</div>".to_owned());
    if !page.behaviour.is_empty() {
        say(format!(
            "<h2>Distributions, simulated against recorded</h2><p>Shares of values up to each value; <span class=s>simulated</span> \
             ({}), <span class=r>recorded</span>.</p><div class=g>",
            escape(page.simulated_as)
        ));
        for quantity in QUANTITIES.iter().filter(|q| page.behaviour.iter().any(|c| c.quantity == q.name)) {
            let values = |motions: &[Motion]| in_pieces(motions, quantity).concat();
            let unit = if quantity.unit.is_empty() { String::new() } else { format!(" [{}]", quantity.unit) };
            say(shares(&format!("{}{unit}", quantity.name), &values(page.compared), &values(page.recorded)));
        }
        say("</div><table><tr><th>quantity<th>simulated median<th>recorded median\
             <th>Wasserstein<th>Kolmogorov-Smirnov</tr>"
            .to_owned());
        for c in page.behaviour {
            say(format!(
                "<tr><td>{} {}<td>{:.3}<td>{:.3}<td>{:.3} ({:.3} to {:.3})<td>{:.3} ({:.3} to {:.3})</tr>",
                c.quantity,
                c.unit,
                c.medians[0],
                c.medians[1],
                c.wasserstein.estimate,
                c.wasserstein.low,
                c.wasserstein.high,
                c.kolmogorov.estimate,
                c.kolmogorov.low,
                c.kolmogorov.high
            ));
        }
        say("</table>".to_owned());
    }
    format!(
        "<!doctype html><html lang=en><meta charset=utf-8><title>{}</title><style>body{{font:15px system-ui;max-width:960px;\
         margin:2em auto;padding:0 1em}}.g{{display:flex;flex-wrap:wrap;gap:1em}}svg{{background:#fafafa}}td,th{{padding:.2em .8em;\
         text-align:left}}.v{{background:#eef;padding:.6em}}.s{{color:#2563eb}}.r{{color:#dc2626}}</style>\n{body}</html>\n",
        escape(&study.title)
    )
}

/// Mean absolute error of rows held out at random.
pub fn shuffled_error(rows: &[(f64, f64)]) -> f64 {
    rows.iter().map(|(t, p)| (p - t).abs()).sum::<f64>() / rows.len().max(1) as f64
}

fn longest(motion: &Motion) -> usize {
    motion.pieces.iter().map(|p| p.len()).max().unwrap_or(0)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A range with room at its ends, and the way from a value to the drawing.
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

    fn at(&self, value: f64) -> f64 {
        self.from + (self.to - self.from) * (value - self.low) / (self.high - self.low)
    }
}

fn frame(title: &str, x: &Axis, y: &Axis, inside: &str) -> String {
    let label = |x: f64, y: f64, anchor: &str, value: f64| {
        format!("<text x={x:.1} y={y:.1} font-size=11 text-anchor={anchor}>{}</text>", short(value))
    };
    let labels = [
        label(x.from, HEIGHT - EDGE + 14.0, "start", x.low),
        label(x.to, HEIGHT - EDGE + 14.0, "end", x.high),
        label(EDGE - 4.0, y.from, "end", y.low),
        label(EDGE - 4.0, y.to + 9.0, "end", y.high),
    ]
    .concat();
    format!(
        "<svg width={WIDTH} height={HEIGHT} role=img aria-label=\"{0}\"><text x={EDGE} y=18 font-size=13>{0}</text><path d=\"M{1} {2}V{3}H{4}\" \
         fill=none stroke=#888 />{labels}{inside}</svg>",
        escape(title),
        EDGE,
        y.to,
        y.from,
        x.to
    )
}

fn axes(points: &[(f64, f64)]) -> (Axis, Axis) {
    let x = Axis::new(points.iter().map(|p| p.0), EDGE, WIDTH - 12.0);
    let y = Axis::new(points.iter().map(|p| p.1), HEIGHT - EDGE, 28.0);
    (x, y)
}

fn scatter(title: &str, named: [&str; 2], points: &[(f64, f64)]) -> String {
    let (x, y) = axes(points);
    let dots: String = points
        .iter()
        .map(|p| format!("<circle cx={:.1} cy={:.1} r=2.5 fill=#2563eb fill-opacity=.5 />", x.at(p.0), y.at(p.1)))
        .collect();
    let (middle, below, beside) = (0.5 * (x.from + x.to), HEIGHT - EDGE + 28.0, 0.5 * (y.from + y.to));
    let names = format!(
        "<text x={middle:.1} y={below:.1} font-size=11 text-anchor=middle>{}</text><text x=12 y={beside:.1} font-size=11 \
         text-anchor=middle transform=\"rotate(-90 12 {beside:.1})\">{}</text>",
        escape(named[0]),
        escape(named[1])
    );
    frame(title, &x, &y, &(dots + &names))
}

/// Shares of values up to each value, of two sets.
fn shares(title: &str, simulated: &[f64], recorded: &[f64]) -> String {
    let x = Axis::new(simulated.iter().chain(recorded).copied(), EDGE, WIDTH - 12.0);
    let y = Axis { low: 0.0, high: 1.0, from: HEIGHT - EDGE, to: 28.0 };
    let mut inside = String::new();
    for (values, colour) in [(simulated, "#2563eb"), (recorded, "#dc2626")] {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let _ = write!(inside, "<path fill=none stroke={colour} stroke-width=1.5 d=\"");
        // Two hundred points draw any line.
        for k in 0..=200 {
            let at = k * (sorted.len() - 1) / 200;
            let letter = if k == 0 { 'M' } else { 'L' };
            let _ =
                write!(inside, "{letter}{:.1} {:.1}", x.at(sorted[at]), y.at((at + 1) as f64 / sorted.len() as f64));
        }
        inside += "\" />";
    }
    frame(title, &x, &y, &inside)
}

fn histogram(title: &str, values: &[f64]) -> String {
    const BINS: usize = 40;
    if values.is_empty() {
        return format!("<p>{}: no row is within reach</p>", escape(title));
    }
    let x = Axis::new(values.iter().copied(), EDGE, WIDTH - 12.0);
    let mut counts = [0usize; BINS];
    for value in values {
        let bin = (value - x.low) / (x.high - x.low) * BINS as f64;
        counts[(bin as usize).min(BINS - 1)] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(1) as f64;
    let y = Axis { low: 0.0, high: most, from: HEIGHT - EDGE, to: 28.0 };
    let width = (x.to - x.from) / BINS as f64;
    let bars: String = counts
        .iter()
        .enumerate()
        .map(|(k, count)| {
            let top = y.at(*count as f64);
            let left = x.from + width * k as f64;
            format!("<rect x={left:.1} y={top:.1} width={width:.1} height={:.1} fill=#2563eb />", y.from - top)
        })
        .collect();
    frame(title, &x, &y, &bars)
}

/// The first 15 s of the longest piece, seen from above, with an arrow every half second.
fn path(title: &str, motion: &Motion) -> String {
    let Some(piece) = motion.pieces.iter().max_by_key(|p| p.len()) else { return String::new() };
    let end = piece.end.min(piece.start + (15.0 / motion.interval_s) as usize);
    let points: Vec<(f64, f64)> = motion.position[piece.start..end].iter().map(|p| (p[0], p[1])).collect();
    let (x, y) = axes(&points);
    let mut inside = String::from("<path fill=none stroke=#2563eb d=\"");
    for (k, p) in points.iter().enumerate().step_by(3) {
        let _ = write!(inside, "{}{:.1} {:.1}", if k == 0 { 'M' } else { 'L' }, x.at(p.0), y.at(p.1));
    }
    inside += "\" />";
    let every = ((0.5 / motion.interval_s) as usize).max(1);
    for k in (every..points.len()).step_by(every) {
        let (a, b) = (points[k - every / 5 - 1], points[k]);
        let (dx, dy) = (x.at(b.0) - x.at(a.0), y.at(b.1) - y.at(a.1));
        let degrees = libm::atan2(dy, dx).to_degrees();
        let _ = write!(
            inside,
            "<path d=\"M0 0l-8 -4v8z\" fill=#dc2626 transform=\"translate({:.1} {:.1}) rotate({degrees:.1})\" />",
            x.at(b.0),
            y.at(b.1)
        );
    }
    frame(title, &x, &y, &inside)
}

/// A number at an axis, in the room there is beside it.
fn short(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}
