//! A run as one self-contained HTML page: when each program computed, late activations, and the spread of virtual
//! times.

use crate::outcome::rate_question;
use crate::run::Run;
use crate::timeline::{self, Step};
use std::fmt::Write;

const WIDTH: f64 = 900.0;
const LEFT: f64 = 110.0;
const ROW: f64 = 34.0;

/// The HTML page. `mode`: consistent, callback or replay.
pub fn page(run: &Run, mode: &str) -> String {
    let mut out = String::from(HEAD);
    let (summary, seconds) = (&run.summary, run.summary.simulated_ns as f64 * 1e-9);
    let engine = run.head.engine.split(':').next().unwrap_or_default();
    let _ = writeln!(out, "<h1>{}</h1>\n<p>{seconds} s on {engine}, {mode}.</p>", escaped(&run.head.scenario));
    clients(&mut out, run);
    let steps = timeline::steps(run);
    out.push_str("<h2>Over the run</h2>\n<p>Height: share of time a program computed. Red: late activation.</p>\n");
    whole(&mut out, run, &steps);
    if mode != "replay" {
        delta(&mut out, run, &steps);
    }
    if mode == "consistent" {
        beginning(&mut out, run);
    }
    if !summary.stalls.is_empty() {
        let _ = writeln!(
            out,
            "<h2>Suspected stalls</h2>\n<p>The timer should have ended the slice: the host may have preempted the core. Charged.</p>\n<table><tr><th>at [s]</th><th>program</th><th>CPU clock [ms]</th><th>allowed by the timer [ms]</th></tr>"
        );
        for stall in &summary.stalls {
            let _ = writeln!(
                out,
                "<tr><td class=n>{:.4}</td><td>{}</td><td class=n>{:.3}</td><td class=n>{:.3}</td></tr>",
                stall.time_ns as f64 * 1e-9,
                escaped(&stall.client),
                stall.charged_ns as f64 * 1e-6,
                stall.armed_ns as f64 * 1e-6
            );
        }
        out.push_str("</table>\n");
    }
    let cost = &summary.cost;
    let _ = writeln!(
        out,
        "<h2>Cost</h2>\n<table><tr><td>programs</td><td class=n>{:.4} s of CPU</td></tr>\
         <tr><td>dynamics</td><td class=n>{:.4} s</td></tr><tr><td>coordination</td><td class=n>{:.4} s, {:.2} % of simulated time</td></tr>\
         <tr><td>wall</td><td class=n>{:.4} s</td></tr></table>",
        cost.clients_cpu_s,
        cost.dynamics_cpu_s,
        cost.coordinator_cpu_s,
        100.0 * cost.coordinator_cpu_s / seconds.max(1e-9),
        cost.wall_s
    );
    for note in &summary.notes {
        let _ = writeln!(out, "<p class=w>{}</p>", escaped(note));
    }
    out.push_str("</body></html>\n");
    out
}

fn clients(out: &mut String, run: &Run) {
    let _ = writeln!(
        out,
        "<table><tr><th>program</th><th>computed [s]</th><th>waited [s]</th><th>activations</th><th>late</th><th>skipped</th><th>over budget</th><th>worst response [us]</th><th>jitter [us]</th><th>{}</th></tr>",
        rate_question(run.summary.cpu_scale)
    );
    for c in &run.summary.clients {
        let _ = write!(
            out,
            "<tr><td>{}</td><td class=n>{:.4}</td><td class=n>{:.4}</td><td class=n>{}</td><td class=n>{}</td><td class=n>{}</td>\
             <td class=n>{}</td><td class=n>{:.1}</td><td class=n>{:.1}</td>",
            escaped(&c.name),
            c.executed_ns as f64 * 1e-9,
            c.waited_ns as f64 * 1e-9,
            c.activations,
            c.misses,
            c.skipped,
            c.overruns,
            c.worst_response_ns as f64 * 1e-3,
            c.worst_jitter_ns as f64 * 1e-3
        );
        let verdict =
            c.verdict.as_ref().map_or(String::new(), |v| format!("<b>{}</b>: {}", v.verdict, escaped(&v.reason)));
        let _ = writeln!(out, "<td>{verdict}</td></tr>");
    }
    out.push_str("</table>\n<ul>\n");
    for c in &run.summary.clients {
        for trouble in &c.troubles {
            let (at, what) = (trouble.time_ns as f64 * 1e-9, escaped(&trouble.what));
            let _ = writeln!(out, "<li class=w>{} at {at:.4} s: {what}</li>", escaped(&c.name));
        }
    }
    out.push_str("</ul>\n");
}

/// Steps grouped so that there is at most one group per pixel.
fn groups(steps: &[Step]) -> impl Iterator<Item = &[Step]> {
    steps.chunks(steps.len().div_ceil((WIDTH - LEFT) as usize).max(1))
}

fn begin(out: &mut String, height: f64) {
    let _ =
        writeln!(out, "<svg viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\">");
}

/// A time axis below a plot.
fn scale(out: &mut String, from_s: f64, to_s: f64, y: f64, unit: (&str, f64)) {
    for k in 0..=5 {
        let part = f64::from(k) / 5.0;
        let (x, t) = (LEFT + part * (WIDTH - LEFT - 20.0), (from_s + part * (to_s - from_s)) * unit.1);
        let _ = writeln!(
            out,
            "<line x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{x:.1}\" y2=\"{:.1}\" class=a /><text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{} {}</text>",
            y + 4.0,
            y + 17.0,
            (t * 1e3).round() / 1e3,
            unit.0
        );
    }
}

fn whole(out: &mut String, run: &Run, steps: &[Step]) {
    let rows = run.summary.clients.len() as f64;
    begin(out, rows * ROW + 26.0);
    let seconds = run.summary.simulated_ns as f64 * 1e-9;
    let x_of = |ns: i64| LEFT + ns as f64 * 1e-9 / seconds.max(1e-9) * (WIDTH - LEFT - 20.0);
    for (c, client) in run.summary.clients.iter().enumerate() {
        let floor = (c + 1) as f64 * ROW - 4.0;
        let _ = writeln!(out, "<text x=\"0\" y=\"{:.1}\">{}</text>", floor - 8.0, escaped(&client.name));
        let mut path = format!("M{LEFT:.1} {floor:.1}");
        let (mut from, mut late) = (0, String::new());
        for group in groups(steps) {
            let computed: i64 = group.iter().map(|s| s.clients[c].computed_ns).sum();
            let to = group.last().map_or(from, |s| s.time_ns);
            let share = (computed as f64 / (to - from).max(1) as f64).min(1.0);
            let (x, y) = (x_of(to), floor - share * (ROW - 10.0));
            let _ = write!(path, "L{:.1} {y:.1}L{x:.1} {y:.1}", x_of(from));
            if group.iter().any(|s| s.clients[c].misses > 0) {
                let _ = write!(
                    late,
                    "<line x1=\"{x:.1}\" y1=\"{:.1}\" x2=\"{x:.1}\" y2=\"{floor:.1}\" class=l />",
                    floor - ROW + 8.0
                );
            }
            from = to;
        }
        let _ = writeln!(out, "<path d=\"{path}L{:.1} {floor:.1}Z\" class=c{} />{late}", x_of(from), c % 4);
    }
    scale(out, 0.0, seconds, rows * ROW, ("s", 1.0));
    out.push_str("</svg>\n");
}

fn delta(out: &mut String, run: &Run, steps: &[Step]) {
    let d = &run.summary.delta;
    let us = |ns: i64| ns as f64 * 1e-3;
    let _ = writeln!(
        out,
        "<h2>Spread of virtual times</h2>\n<p>Delta is the largest progress minus the smallest, over dynamics and programs; its lower bound is the step h = {:.1} us. Delta - h: \
         p50 {:.1} us, p99 {:.1} us, at most {:.1} us.</p>",
        us(d.step_ns),
        us(d.quantile(0.5)),
        us(d.quantile(0.99)),
        us(d.max())
    );
    let (height, floor) = (150.0, 124.0);
    begin(out, height);
    let seconds = run.summary.simulated_ns as f64 * 1e-9;
    let top = (d.max() as f64).max(1000.0);
    let mut path = String::new();
    for group in groups(steps) {
        let worst = group.iter().map(|s| s.delta_ns - d.step_ns).max().unwrap_or(0).max(0);
        let time = group.last().map_or(0, |s| s.time_ns);
        let x = LEFT + time as f64 * 1e-9 / seconds.max(1e-9) * (WIDTH - LEFT - 20.0);
        let letter = if path.is_empty() { 'M' } else { 'L' };
        let _ = write!(path, "{letter}{x:.1} {:.1}", floor - worst as f64 / top * (floor - 10.0));
    }
    let _ = writeln!(
        out,
        "<text x=\"0\" y=\"20\">{:.1} us</text><text x=\"0\" y=\"{floor}\">0</text><path d=\"{path}\" class=d />",
        top * 1e-3
    );
    scale(out, 0.0, seconds, floor, ("s", 1.0));
    out.push_str("</svg>\n");
}

/// The first ten steps, slice by slice.
fn beginning(out: &mut String, run: &Run) {
    let until = (10 * run.head.step_ns).min(run.summary.simulated_ns);
    let rows = run.summary.clients.len() as f64;
    out.push_str("<h2>The first ten steps</h2>\n");
    begin(out, rows * ROW + 26.0);
    let x_of = |ns: i64| LEFT + ns as f64 / until.max(1) as f64 * (WIDTH - LEFT - 20.0);
    for (c, spans) in timeline::spans(run, until).iter().enumerate() {
        let top = c as f64 * ROW + 6.0;
        let name = escaped(&run.summary.clients[c].name);
        let _ = writeln!(out, "<text x=\"0\" y=\"{:.1}\">{name}</text>", top + 16.0);
        for (from, to) in spans {
            let (x, width) = (x_of(*from), (x_of(*to) - x_of(*from)).max(0.5));
            let _ = writeln!(
                out,
                "<rect x=\"{x:.2}\" y=\"{top:.1}\" width=\"{width:.2}\" height=\"{:.1}\" class=c{} />",
                ROW - 12.0,
                c % 4
            );
        }
    }
    scale(out, 0.0, until as f64 * 1e-9, rows * ROW, ("ms", 1e3));
    out.push_str("</svg>\n");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

const HEAD: &str = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
<meta name=\"viewport\" content=\"width=device-width\"><title>Programs in step with simulated time</title>\n<style>\n\
body{font:15px/1.45 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1f24;background:#fff}\n\
h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}table{border-collapse:collapse;margin:.3rem 0;font-size:13px}\n\
th{text-align:left;font-weight:600;padding:.1rem .8rem .1rem 0;vertical-align:bottom}td{padding:.1rem .8rem .1rem 0;vertical-align:top}\n\
td.n{text-align:right;font-variant-numeric:tabular-nums}.w{color:#9a3412;font-weight:600}\n\
svg{display:block;margin:.6rem 0;max-width:100%;height:auto}svg text{font:12px system-ui,sans-serif;fill:#1b1f24}\n\
.a{stroke:#1b1f24}.l{stroke:#dc2626;stroke-width:1.5}.d{fill:none;stroke:#1d4ed8}\n\
.c0{fill:#1d4ed8}.c1{fill:#0f766e}.c2{fill:#b45309}.c3{fill:#7c3aed}\n\
</style></head><body>\n";
