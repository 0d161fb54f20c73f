//! A run as one self-contained HTML page: when each program computed, late activations, and the spread of virtual
//! times.

use crate::outcome::rate_question;
use crate::run::Run;
use crate::timeline::{self, Step};
use std::fmt::Write;
use veracity_page::{Axis, Plot, bottom_axis, document, escape, series_style, svg};

const WIDTH: f64 = 900.0;
const LEFT: f64 = 110.0;
const ROW: f64 = 34.0;

/// The HTML page. `mode`: consistent, callback or replay.
pub fn page(run: &Run, mode: &str) -> String {
    let mut out = String::new();
    let (summary, seconds) = (&run.summary, run.summary.simulated_ns as f64 * 1e-9);
    let engine = run.head.engine.split(':').next().unwrap_or_default();
    let _ = writeln!(out, "<h1>{}</h1>\n<p>{seconds} s on {engine}, {mode}.</p>", escape(&run.head.scenario));
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
                "<tr><td class=\"num\">{:.4}</td><td>{}</td><td class=\"num\">{:.3}</td><td class=\"num\">{:.3}</td></tr>",
                stall.time_ns as f64 * 1e-9,
                escape(&stall.client),
                stall.charged_ns as f64 * 1e-6,
                stall.armed_ns as f64 * 1e-6
            );
        }
        out.push_str("</table>\n");
    }
    let cost = &summary.cost;
    let _ = writeln!(
        out,
        "<h2>Cost</h2>\n<table><tr><td>programs</td><td class=\"num\">{:.4} s of CPU</td></tr>\
         <tr><td>dynamics</td><td class=\"num\">{:.4} s</td></tr><tr><td>coordination</td><td class=\"num\">{:.4} s, {:.2} % of simulated time</td></tr>\
         <tr><td>wall</td><td class=\"num\">{:.4} s</td></tr></table>",
        cost.clients_cpu_s,
        cost.dynamics_cpu_s,
        cost.coordinator_cpu_s,
        100.0 * cost.coordinator_cpu_s / seconds.max(1e-9),
        cost.wall_s
    );
    for note in &summary.notes {
        let _ = writeln!(out, "<p class=\"warning\">{}</p>", escape(&note.to_string()));
    }
    document("Programs in step with simulated time", &out)
}

fn clients(out: &mut String, run: &Run) {
    let _ = writeln!(
        out,
        "<div class=\"scroll\"><table><tr><th>program</th><th>computed [s]</th><th>waited [s]</th><th>activations</th><th>late</th><th>skipped</th><th>over budget</th><th>worst response [us]</th><th>jitter [us]</th><th>{}</th></tr>",
        rate_question(run.summary.cpu_scale)
    );
    for c in &run.summary.clients {
        let _ = write!(
            out,
            "<tr><td>{}</td><td class=\"num\">{:.4}</td><td class=\"num\">{:.4}</td><td class=\"num\">{}</td><td class=\"num\">{}</td><td class=\"num\">{}</td>\
             <td class=\"num\">{}</td><td class=\"num\">{:.1}</td><td class=\"num\">{:.1}</td>",
            escape(&c.name),
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
            c.verdict.as_ref().map_or(String::new(), |v| format!("<b>{}</b>: {}", v.verdict, escape(&v.reason)));
        let _ = writeln!(out, "<td>{verdict}</td></tr>");
    }
    out.push_str("</table></div>\n<ul>\n");
    for c in &run.summary.clients {
        for trouble in &c.troubles {
            let (at, what) = (trouble.time_ns as f64 * 1e-9, escape(&trouble.finding.text));
            let _ = writeln!(out, "<li class=\"warning\">{} at {at:.4} s: {what}</li>", escape(&c.name));
        }
    }
    out.push_str("</ul>\n");
}

/// Steps grouped so that there is at most one group per pixel.
fn groups(steps: &[Step]) -> impl Iterator<Item = &[Step]> {
    steps.chunks(steps.len().div_ceil((WIDTH - LEFT) as usize).max(1))
}

/// Time over the width of a drawing, right of the programs' names.
fn time_axis(from: f64, to: f64) -> Axis {
    Axis::new(from, to.max(from + 1e-9)).drawn(LEFT, WIDTH - 20.0)
}

fn whole(out: &mut String, run: &Run, steps: &[Step]) {
    let rows = run.summary.clients.len() as f64;
    let time = time_axis(0.0, run.summary.simulated_ns as f64 * 1e-9);
    let x_of = |ns: i64| time.at(ns as f64 * 1e-9);
    let mut inside = String::new();
    for (c, client) in run.summary.clients.iter().enumerate() {
        let floor = (c + 1) as f64 * ROW - 4.0;
        let _ = writeln!(inside, "<text x=\"0\" y=\"{:.1}\">{}</text>", floor - 8.0, escape(&client.name));
        let mut path = format!("M{LEFT:.1} {floor:.1}");
        let (mut from, mut late) = (0, String::new());
        for group in groups(steps) {
            let computed: i64 = group.iter().map(|s| s.clients[c].computed_ns).sum();
            let to = group.last().map_or(from, |s| s.time_ns);
            let share = (computed as f64 / (to - from).max(1) as f64).min(1.0);
            let (x, y) = (x_of(to), floor - share * (ROW - 10.0));
            let _ = write!(path, "L{:.1} {y:.1}L{x:.1} {y:.1}", x_of(from));
            if group.iter().any(|s| s.clients[c].misses > 0) {
                let _ = write!(late, "<path class=\"late\" d=\"M{x:.1} {:.1}V{floor:.1}\"/>", floor - ROW + 8.0);
            }
            from = to;
        }
        let _ = writeln!(
            inside,
            "<path class=\"bar\"{} d=\"{path}L{:.1} {floor:.1}Z\"/>{late}",
            series_style(c),
            x_of(from)
        );
    }
    inside.push_str(&bottom_axis(&time, rows * ROW, "s"));
    out.push_str(&svg(WIDTH, rows * ROW + 26.0, "Share of time each program computed", &inside));
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
    // In microseconds, with at least one of them on the axis.
    let y = Axis::new(0.0, us(d.max()).max(1.0));
    let x = Axis::new(0.0, (run.summary.simulated_ns as f64 * 1e-9).max(1e-9));
    let mut plot = Plot::new("Delta - h", ["time [s]", "Delta - h [us]"], x, y, WIDTH - LEFT, 120.0);
    let worst = |group: &[Step]| {
        let worst = group.iter().map(|s| s.delta_ns - d.step_ns).max().unwrap_or(0).max(0);
        (group.last().map_or(0.0, |s| s.time_ns as f64 * 1e-9), us(worst))
    };
    plot.line(0, groups(steps).map(worst));
    out.push_str(&plot.finish());
}

/// The first ten steps, slice by slice.
fn beginning(out: &mut String, run: &Run) {
    let until = (10 * run.head.step_ns).min(run.summary.simulated_ns);
    let rows = run.summary.clients.len() as f64;
    out.push_str("<h2>The first ten steps</h2>\n");
    let time = time_axis(0.0, until as f64 * 1e-6);
    let x_of = |ns: i64| time.at(ns as f64 * 1e-6);
    let mut inside = String::new();
    for (c, spans) in timeline::spans(run, until).iter().enumerate() {
        let top = c as f64 * ROW + 6.0;
        let name = escape(&run.summary.clients[c].name);
        let _ = writeln!(inside, "<text x=\"0\" y=\"{:.1}\">{name}</text>", top + 16.0);
        for (from, to) in spans {
            let (x, width) = (x_of(*from), (x_of(*to) - x_of(*from)).max(0.5));
            let _ = writeln!(
                inside,
                "<rect class=\"bar\"{} x=\"{x:.2}\" y=\"{top:.1}\" width=\"{width:.2}\" height=\"{:.1}\"/>",
                series_style(c),
                ROW - 12.0
            );
        }
    }
    inside.push_str(&bottom_axis(&time, rows * ROW, "ms"));
    out.push_str(&svg(WIDTH, rows * ROW + 26.0, "When each program computed in the first ten steps", &inside));
}
