//! Step reports as one self-contained HTML page: text, tables and SVG plots.

use crate::report::{Mark, Plot, StepReport};
use std::fmt::Write;
use veracity_page::{Axis, document, escape};

pub use veracity_page::short;

/// A page of one or more recordings: title and steps of each.
pub fn page(recordings: &[(String, Vec<StepReport>)]) -> String {
    let mut out = String::from("<h1>Recorded motion, step by step</h1>\n");
    for (title, reports) in recordings {
        let _ = writeln!(out, "<h2>{}</h2>", escape(title));
        for report in reports {
            step(&mut out, report);
        }
    }
    document("Recorded motion", &out)
}

fn step(out: &mut String, report: &StepReport) {
    let _ = writeln!(out, "<h3>{}</h3>", escape(report.step));
    if !report.lines.is_empty() {
        out.push_str("<ul>\n");
        for line in &report.lines {
            let class = if line.warning { " class=\"warning\"" } else { "" };
            let _ = writeln!(out, "<li{class}>{}</li>", escape(&line.text));
        }
        out.push_str("</ul>\n");
    }
    if !report.numbers.is_empty() {
        out.push_str("<table>\n");
        for n in &report.numbers {
            let sigma = n.sigma.map(|s| format!(" ± {}", short(s))).unwrap_or_default();
            let _ = writeln!(
                out,
                "<tr><td>{}</td><td class=\"num\">{}{sigma}</td><td>{}</td></tr>",
                escape(&n.name),
                short(n.value),
                escape(n.unit)
            );
        }
        out.push_str("</table>\n");
    }
    report.plots.iter().for_each(|plot| draw(out, plot));
}

/// Size of the area inside the axes.
const WIDTH: f64 = 780.0;
const HEIGHT: f64 = 220.0;
/// Width where both axes have one scale.
const EQUAL_WIDTH: f64 = 440.0;

fn draw(out: &mut String, plot: &Plot) {
    let points = || plot.series.iter().flat_map(|s| s.points.iter());
    if points().next().is_none() {
        let _ = writeln!(out, "<p>{}: no data to draw.</p>", escape(&plot.title));
        return;
    }
    let (mut x, mut y) = (Axis::of(points().map(|p| p[0])), Axis::of(points().map(|p| p[1])));
    if plot.series.iter().any(|s| s.mark == Mark::Bars) {
        y.low = y.low.min(0.0);
        (x.low, x.high) = (x.low - 0.6, x.high + 0.6);
    }
    let (x, y) = (x.wider(0.03), y.wider(0.03));
    let (width, height) = if plot.equal_axes {
        (EQUAL_WIDTH, (EQUAL_WIDTH * (y.high - y.low) / (x.high - x.low)).clamp(80.0, 700.0))
    } else {
        (WIDTH, HEIGHT)
    };
    let labels = [plot.x_label.as_str(), plot.y_label.as_str()];
    let mut drawn = veracity_page::Plot::new(&plot.title, labels, x, y, width, height);
    for (i, series) in plot.series.iter().enumerate() {
        drawn.name(i, &series.name);
        let points = series.points.iter().map(|p| (p[0], p[1]));
        match series.mark {
            Mark::Line => drawn.line(i, points),
            Mark::Dots => drawn.dots(i, points, false),
            Mark::Rings => points.for_each(|p| drawn.ring(i, p)),
            Mark::Bars => points.for_each(|(x, y)| drawn.bar(i, x - 0.4, x + 0.4, y)),
        }
    }
    out.push_str(&drawn.finish());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_every_line_and_no_foreign_markup() {
        let mut report = StepReport::new("snaps");
        report.warn("snap", "samples 3 to 4 are <wrong> & \"bad\"");
        report.measured("centre x", "mm", -1.25510, 0.084);
        report.plots.push(Plot::new("t", "x", "y").with("a", Mark::Line, [[0.0, 1.0], [1.0, 2.0]].into_iter()));
        let page = page(&[("one".into(), vec![report])]);
        assert!(page.contains("&lt;wrong&gt; &amp; &quot;bad&quot;") && page.contains("-1.2551 ± 0.084"));
        assert_eq!((page.matches("<svg").count(), page.matches("</svg>").count()), (1, 1));
        assert!(!page.contains("http:") && !page.contains("https:"), "the page loads nothing from outside");
    }
}
