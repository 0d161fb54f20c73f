//! Step reports as one self-contained HTML page: text, tables and SVG plots.

use crate::report::{Mark, Plot, StepReport};
use std::fmt::Write;

/// A page of one or more recordings: title and steps of each.
pub fn page(recordings: &[(String, Vec<StepReport>)]) -> String {
    let mut out = String::from(HEAD);
    out.push_str("<h1>Recorded motion, step by step</h1>\n");
    for (title, reports) in recordings {
        let _ = writeln!(out, "<h2>{}</h2>", escaped(title));
        for report in reports {
            step(&mut out, report);
        }
    }
    out.push_str("</body></html>\n");
    out
}

const HEAD: &str = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
<meta name=\"viewport\" content=\"width=device-width\"><title>Recorded motion</title>\n<style>\n\
body{font:15px/1.45 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1f24;background:#fff}\n\
h1{font-size:1.5rem}h2{font-size:1.2rem;border-top:2px solid #1b1f24;padding-top:.6rem;margin-top:2.5rem}\n\
h3{font-size:1rem;margin:1.6rem 0 .3rem}table{border-collapse:collapse;margin:.3rem 0}\n\
td{padding:.1rem .9rem .1rem 0;vertical-align:top}td.n{text-align:right;font-variant-numeric:tabular-nums}\n\
ul{margin:.3rem 0;padding-left:1.2rem}li.w{color:#9a3412;font-weight:600}\n\
svg{display:block;margin:.6rem 0;max-width:100%;height:auto}svg text{font:12px system-ui,sans-serif;fill:#1b1f24}\n\
</style></head><body>\n";

fn step(out: &mut String, report: &StepReport) {
    let _ = writeln!(out, "<h3>{}</h3>", escaped(report.step));
    if !report.lines.is_empty() {
        out.push_str("<ul>\n");
        for line in &report.lines {
            let class = if line.warning { " class=\"w\"" } else { "" };
            let _ = writeln!(out, "<li{class}>{}</li>", escaped(&line.text));
        }
        out.push_str("</ul>\n");
    }
    if !report.numbers.is_empty() {
        out.push_str("<table>\n");
        for n in &report.numbers {
            let sigma = n.sigma.map(|s| format!(" ± {}", short(s))).unwrap_or_default();
            let _ = writeln!(
                out,
                "<tr><td>{}</td><td class=\"n\">{}{sigma}</td><td>{}</td></tr>",
                escaped(&n.name),
                short(n.value),
                escaped(n.unit)
            );
        }
        out.push_str("</table>\n");
    }
    report.plots.iter().for_each(|plot| draw(out, plot));
}

/// Up to six digits.
pub fn short(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    let size = libm::floor(libm::log10(x.abs()));
    if !(-4.0..7.0).contains(&size) {
        return format!("{x:.4e}");
    }
    let text = format!("{x:.*}", (5.0 - size).clamp(0.0, 9.0) as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

const COLOURS: [&str; 4] = ["#2563eb", "#d97706", "#059669", "#7c3aed"];
const WIDTH: f64 = 860.0;
const LEFT: f64 = 74.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 46.0;
const RIGHT: f64 = 14.0;

fn draw(out: &mut String, plot: &Plot) {
    let points = || plot.series.iter().flat_map(|s| s.points.iter());
    if points().next().is_none() {
        let _ = writeln!(out, "<p>{}: no data to draw.</p>", escaped(&plot.title));
        return;
    }
    let range = |axis: usize| {
        points().map(|p| p[axis]).fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)))
    };
    let ((mut x0, mut x1), (mut y0, mut y1)) = (range(0), range(1));
    if plot.series.iter().any(|s| s.mark == Mark::Bars) {
        y0 = y0.min(0.0);
        (x0, x1) = (x0 - 0.6, x1 + 0.6);
    }
    // A flat line is drawn in the middle.
    for (a, b) in [(&mut x0, &mut x1), (&mut y0, &mut y1)] {
        let pad = if *b > *a { 0.03 * (*b - *a) } else { 0.5_f64.max(0.1 * a.abs()) };
        (*a, *b) = (*a - pad, *b + pad);
    }
    let width = if plot.equal_axes { 520.0 } else { WIDTH };
    let inner = width - LEFT - RIGHT;
    let inner_height = if plot.equal_axes { inner * (y1 - y0) / (x1 - x0) } else { 220.0 }.clamp(80.0, 700.0);
    let height = TOP + inner_height + BOTTOM;
    let sx = |x: f64| LEFT + (x - x0) / (x1 - x0) * inner;
    let sy = |y: f64| TOP + (y1 - y) / (y1 - y0) * inner_height;
    let _ = writeln!(
        out,
        "<svg viewBox=\"0 0 {width} {height:.0}\" width=\"{width}\" height=\"{height:.0}\" role=\"img\" aria-label=\"{}\">",
        escaped(&plot.title)
    );
    let _ = writeln!(out, "<text x=\"{LEFT}\" y=\"14\" font-weight=\"600\">{}</text>", escaped(&plot.title));
    for x in ticks(x0, x1) {
        let at = sx(x);
        let _ = writeln!(out, "<path d=\"M{at:.1} {TOP}V{:.1}\" stroke=\"#e5e7eb\"/>", TOP + inner_height);
        let _ = writeln!(
            out,
            "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            TOP + inner_height + 16.0,
            short(x)
        );
    }
    for y in ticks(y0, y1) {
        let at = sy(y);
        let _ = writeln!(out, "<path d=\"M{LEFT} {at:.1}H{:.1}\" stroke=\"#e5e7eb\"/>", LEFT + inner);
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            at + 4.0,
            short(y)
        );
    }
    let _ = writeln!(
        out,
        "<rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{inner}\" height=\"{inner_height:.1}\" fill=\"none\" stroke=\"#9ca3af\"/>"
    );
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
        LEFT + inner / 2.0,
        height - 8.0,
        escaped(&plot.x_label)
    );
    let middle = TOP + inner_height / 2.0;
    let _ = writeln!(
        out,
        "<text transform=\"translate(14 {middle:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        escaped(&plot.y_label)
    );
    let mut legend = width - RIGHT;
    for (i, series) in plot.series.iter().enumerate().rev() {
        let colour = COLOURS[i % COLOURS.len()];
        let _ = writeln!(
            out,
            "<text x=\"{legend:.1}\" y=\"28\" text-anchor=\"end\" style=\"fill:{colour}\">{}</text>",
            escaped(&series.name)
        );
        legend -= 7.0 * series.name.chars().count() as f64 + 16.0;
    }
    for (i, series) in plot.series.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        match series.mark {
            Mark::Line => {
                let mut d = String::new();
                for (k, p) in series.points.iter().enumerate() {
                    let _ = write!(d, "{}{:.1} {:.1}", if k == 0 { "M" } else { "L" }, sx(p[0]), sy(p[1]));
                }
                let _ = writeln!(out, "<path d=\"{d}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1\"/>");
            }
            Mark::Dots => {
                let mut d = String::new();
                for p in &series.points {
                    let _ = write!(d, "M{:.1} {:.1}h0", sx(p[0]), sy(p[1]));
                }
                let _ = writeln!(
                    out,
                    "<path d=\"{d}\" stroke=\"{colour}\" stroke-width=\"2\" stroke-linecap=\"round\"/>"
                );
            }
            Mark::Rings => {
                for p in &series.points {
                    let _ = writeln!(
                        out,
                        "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4.5\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>",
                        sx(p[0]),
                        sy(p[1])
                    );
                }
            }
            Mark::Bars => {
                for p in &series.points {
                    let (a, b) = (sx(p[0] - 0.4), sx(p[0] + 0.4));
                    let _ = writeln!(
                        out,
                        "<rect x=\"{a:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{colour}\"/>",
                        sy(p[1]),
                        b - a,
                        sy(0.0) - sy(p[1])
                    );
                }
            }
        }
    }
    out.push_str("</svg>\n");
}

/// Round numbers, about six of them.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 6.0;
    let size = libm::pow(10.0, libm::floor(libm::log10(rough)));
    let step = [1.0, 2.0, 5.0, 10.0].iter().map(|m| m * size).find(|s| *s >= rough).unwrap_or(10.0 * size);
    let first = libm::ceil(low / step);
    (0..12)
        .map(|i| (first + f64::from(i)) * step)
        .take_while(|x| *x <= high)
        .map(|x| if x.abs() < 1e-9 * step { 0.0 } else { x })
        .collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
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
        assert!(!page.contains("http"), "the page loads nothing from outside");
    }

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks(0.0, 10.0), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        let shown: Vec<String> = [123456.7, 0.001234567, 0.0, -2.5, 1e9].iter().map(|x| short(*x)).collect();
        assert_eq!(shown, ["123457", "0.00123457", "0", "-2.5", "1.0000e9"]);
    }
}
