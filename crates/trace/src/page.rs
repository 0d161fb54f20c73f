//! A trace as one self-contained HTML page: outcomes, behaviour tree, bundles of trajectories, margins, what decides, events of every particle.
//!
//! Colours stand for outcomes throughout. Deliberately absent: a script; a particle is replayed from the record that `--particle` makes again.

use crate::analysis::Analysis;
use crate::bundle::Bundle;
use crate::particle::Particle;
use crate::swap::Swapped;
use crate::tree::BehaviourTree;
use std::fmt::Write;
use veracity_measure::statistics::Interval;
use veracity_model::{JointKind, Layout};
use veracity_page::{Axis, Plot, bottom_axis, document, escape, series_style, short, svg};
use veracity_scenario::TraceSetup;

/// Particles whose motion and events are drawn.
pub const DRAWN: usize = 60;

/// What is shown of one engine.
pub struct Shown<'a> {
    /// The spec as the file writes it.
    pub engine: &'a str,
    /// The particles.
    pub bundle: &'a Bundle,
    /// What they show.
    pub analysis: &'a Analysis,
    /// What swapping showed.
    pub confirmed: &'a [Swapped],
    /// Particles with their motion, at most [`DRAWN`].
    pub motions: &'a [Particle],
}

/// The page. `answer` and `differences` are those of the command line.
pub fn page(setup: &TraceSetup, answer: &str, differences: &[String], engines: &[Shown<'_>]) -> String {
    let mut out = format!("<h1>{}</h1>\n<p><strong>{}</strong></p>\n", escape(&setup.title), escape(answer));
    for difference in differences {
        let _ = writeln!(out, "<p class=\"warning\">Engines differ: {}</p>", escape(difference));
    }
    if !setup.text.is_empty() {
        let _ = writeln!(out, "<p>{}</p>", escape(&setup.text));
    }
    if engines.len() > 1 {
        side_by_side(&mut out, engines);
    }
    for shown in engines {
        let _ = writeln!(out, "<h2>{}</h2>", escape(shown.engine));
        outcomes(&mut out, shown);
        tree(&mut out, shown);
        bundles(&mut out, setup, shown);
        margins(&mut out, setup, shown);
        causes(&mut out, shown);
        timeline(&mut out, shown);
    }
    document(&setup.title, &out)
}

/// Index of an outcome's colour: its rank on this engine.
fn colour(shown: &Shown<'_>, outcome: Option<&str>) -> usize {
    let rank = |name: &str| shown.analysis.outcomes.iter().position(|o| o.name == name);
    outcome.and_then(rank).unwrap_or(shown.analysis.outcomes.len())
}

fn percent(p: &Interval) -> String {
    format!("{:.1} % ({:.1} to {:.1} %)", 100.0 * p.estimate, 100.0 * p.low, 100.0 * p.high)
}

fn side_by_side(out: &mut String, engines: &[Shown<'_>]) {
    let mut names: Vec<&str> = engines.iter().flat_map(|e| &e.analysis.outcomes).map(|o| o.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    out.push_str("<h2>Engines side by side</h2>\n<table>\n<tr><th>engine</th>");
    names.iter().for_each(|name| *out += &format!("<th>{}</th>", escape(name)));
    out.push_str("</tr>\n");
    for shown in engines {
        let _ = write!(out, "<tr><td>{}</td>", escape(shown.engine));
        for name in &names {
            let found = shown.analysis.outcomes.iter().find(|o| o.name == *name);
            let text = found.map_or("never".to_string(), |o| format!("{}: {}", o.count, percent(&o.probability)));
            let _ = write!(out, "<td class=\"num\">{text}</td>");
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table>\n");
}

fn outcomes(out: &mut String, shown: &Shown<'_>) {
    out.push_str("<h3>What can happen</h3>\n<table>\n<tr><th></th><th>outcome</th><th>particles</th><th>probability, 95 %</th><th>for example</th></tr>\n");
    for (i, outcome) in shown.analysis.outcomes.iter().enumerate() {
        let swatch = format!(
            "<svg width=\"12\" height=\"12\"><rect width=\"12\" height=\"12\" fill=\"var(--c)\"{}/></svg>",
            series_style(i)
        );
        let _ = writeln!(
            out,
            "<tr><td>{swatch}</td><td>{}</td><td class=\"num\">{}</td><td class=\"num\">{}</td><td>particle {}</td></tr>",
            escape(&outcome.name),
            outcome.count,
            percent(&outcome.probability),
            outcome.example
        );
    }
    out.push_str("</table>\n");
    for (count, why) in &shown.analysis.undecided {
        let _ = writeln!(out, "<p class=\"warning\">{count} undecided: {}</p>", escape(why));
    }
}

/// Height of a leaf of the tree, and width of one event.
const LEAF: f64 = 24.0;
const EVENT: f64 = 150.0;
/// Leaves that are drawn.
const LEAVES: usize = 24;

/// Every prefix as a node: as high as its leaves, its line as wide as its share.
fn tree(out: &mut String, shown: &Shown<'_>) {
    let drawn = shown.bundle.drawn();
    let tree = BehaviourTree::from_fn(drawn.len(), |k| {
        let i = drawn[k];
        (shown.bundle.symbols(i, 1), shown.bundle.outcome(i).cloned().unwrap_or_default(), shown.bundle.end_s(i))
    });
    let leaves: Vec<usize> = tree.behaviours();
    if leaves.is_empty() {
        return;
    }
    out.push_str("<h3>Behaviours</h3>\n");
    if leaves.len() > LEAVES {
        let _ = writeln!(out, "<p>The {LEAVES} most frequent of {} behaviours.</p>", leaves.len());
    }
    // Height of every node that is drawn: the mean of its leaves'.
    let mut kept: Vec<usize> = leaves.into_iter().take(LEAVES).collect();
    kept.sort_by_key(|leaf| path_to(&tree, *leaf));
    let mut sums = vec![(0.0, 0usize); tree.nodes.len()];
    for (row, leaf) in kept.iter().enumerate() {
        for node in path_to(&tree, *leaf) {
            sums[node].0 += (row as f64 + 0.5) * LEAF;
            sums[node].1 += 1;
        }
    }
    let y = |node: usize| sums[node].0 / sums[node].1.max(1) as f64;
    let depth = kept.iter().map(|leaf| path_to(&tree, *leaf).len()).max().unwrap_or(1);
    let mut inside = String::new();
    for node in (1..tree.nodes.len()).filter(|n| sums[*n].1 > 0) {
        let level = path_to(&tree, node).len() as f64 - 2.0;
        let (x, from) = (level * EVENT + 10.0, y(tree.nodes[node].parent));
        let prefix = &tree.nodes[node];
        let share = prefix.particles.len() as f64 / drawn.len() as f64;
        let most = shown.bundle.outcome(drawn[prefix.particles[0] as usize]).map(|o| &**o);
        let one = prefix.particles.iter().all(|p| shown.bundle.outcome(drawn[*p as usize]).map(|o| &**o) == most);
        let style = if one { series_style(colour(shown, most)) } else { String::new() };
        let stroke = if one { "var(--c)" } else { "currentColor" };
        let _ = writeln!(
            inside,
            "<g{style}><path fill=\"none\" stroke=\"{stroke}\" stroke-width=\"{:.1}\" d=\"M{x:.0} {from:.1}C{:.0} {from:.1} {x:.0} {:.1} {:.0} {:.1}h{:.0}\"/><text x=\"{:.0}\" y=\"{:.1}\">{} {}</text></g>",
            1.0 + 7.0 * share,
            x + 20.0,
            y(node),
            x + 24.0,
            y(node),
            EVENT - 24.0,
            x + 28.0,
            y(node) - 5.0 - 3.5 * share,
            prefix.particles.len(),
            escape(&shortened(&prefix.symbol))
        );
    }
    out.push_str(&svg(depth as f64 * EVENT + 20.0, kept.len() as f64 * LEAF + 20.0, "behaviour tree", &inside));
}

/// Nodes from the root to a node.
fn path_to(tree: &BehaviourTree, node: usize) -> Vec<usize> {
    let mut out = vec![node];
    let mut at = node;
    while tree.nodes[at].parent != at {
        at = tree.nodes[at].parent;
        out.push(at);
    }
    out.reverse();
    out
}

/// `placement/body` as `body` where both are the same, and no more than fits.
fn shortened(symbol: &str) -> String {
    let part = |word: &str| word.rsplit('/').next().unwrap_or(word).to_string();
    let text: String = symbol.split(' ').map(part).collect::<Vec<_>>().join(" ");
    if text.chars().count() > 20 { text.chars().take(19).collect::<String>() + "…" } else { text }
}

/// A number of the motion that can be drawn over time: its name, and how it is read from the positions.
type Coordinate = (String, Box<dyn Fn(&[f32]) -> f64>);

fn coordinates(layout: &Layout) -> Vec<Coordinate> {
    let mut out: Vec<Coordinate> = Vec::new();
    for joint in &layout.joints {
        let at = joint.q;
        match joint.kind {
            JointKind::Free => {
                for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
                    out.push((format!("{} {axis} [m]", joint.name), Box::new(move |q| f64::from(q[at + k]))));
                }
                let yaw = move |q: &[f32]| {
                    let [w, x, y, z] = [3, 4, 5, 6].map(|k| f64::from(q[at + k]));
                    libm::atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
                };
                out.push((format!("{} yaw [rad]", joint.name), Box::new(yaw)));
            }
            kind if kind.position_count() == 1 => {
                out.push((joint.name.clone(), Box::new(move |q| f64::from(q[at]))));
            }
            _ => {}
        }
    }
    out
}

/// The coordinates of which the outcome explains the most at the end, over time.
fn bundles(out: &mut String, setup: &TraceSetup, shown: &Shown<'_>) {
    let layout = Layout::new(&setup.scenario.world);
    let drawn: Vec<&Particle> = shown.motions.iter().filter(|p| !p.summary.times.is_empty()).collect();
    let width = drawn.first().map_or(0, |p| p.summary.rows.len() / p.summary.times.len());
    if drawn.len() < 2 || width == 0 {
        return;
    }
    let group = |p: &Particle| colour(shown, p.outcome().map(|o| &**o));
    let explained = |read: &dyn Fn(&[f32]) -> f64| {
        let last: Vec<(usize, f64)> =
            drawn.iter().map(|p| (group(p), read(&p.summary.rows[p.summary.rows.len() - width..]))).collect();
        let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len().max(1) as f64;
        let all: Vec<f64> = last.iter().map(|l| l.1).collect();
        let centre = mean(&all);
        let total: f64 = all.iter().map(|x| (x - centre).powi(2)).sum();
        let within: f64 = (0..=shown.analysis.outcomes.len())
            .map(|g| {
                let own: Vec<f64> = last.iter().filter(|l| l.0 == g).map(|l| l.1).collect();
                let m = mean(&own);
                own.iter().map(|x| (x - m).powi(2)).sum::<f64>()
            })
            .sum();
        // Motion below a micrometre or a microradian counts as rest.
        if total / all.len() as f64 > 1e-12 { 1.0 - within / total } else { -1.0 }
    };
    let mut ranked: Vec<(f64, Coordinate)> =
        coordinates(&layout).into_iter().map(|c| (explained(&*c.1), c)).filter(|c| c.0 >= 0.0).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    if ranked.is_empty() {
        return;
    }
    let _ = writeln!(out, "<h3>Motion of {} particles</h3>\n<div class=\"figures\">", drawn.len());
    for (share, (name, read)) in ranked.into_iter().take(4) {
        let lines: Vec<(usize, Vec<(f64, f64)>)> = drawn
            .iter()
            .map(|p| {
                let rows = p.summary.rows.chunks(width).zip(&p.summary.times);
                (group(p), rows.map(|(q, t)| (f64::from(*t), read(q))).collect())
            })
            .collect();
        let points = || lines.iter().flat_map(|l| &l.1);
        let (x, y) = (Axis::of(points().map(|p| p.0)), Axis::of(points().map(|p| p.1)).wider(0.05));
        let title = format!("{name}: the outcome explains {:.0} % of the end", 100.0 * share);
        let mut plot = Plot::new(&title, ["time [s]", &name], x, y, 440.0, 220.0);
        shown.analysis.outcomes.iter().enumerate().for_each(|(i, o)| plot.name(i, &o.name));
        lines.into_iter().for_each(|(series, line)| plot.line(series, line));
        out.push_str(&plot.finish());
    }
    out.push_str("</div>\n");
}

/// Margins and least gaps, counted by outcome.
fn margins(out: &mut String, setup: &TraceSetup, shown: &Shown<'_>) {
    let pairs = Layout::new(&setup.scenario.world).pairs;
    let of = |name: &str, i: usize| match pairs.iter().position(|p| name == format!("gap of {p}")) {
        Some(pair) => shown.bundle.gap(i, pair).map(|g| g[0]),
        None => shown.bundle.margin(i),
    };
    let drawn = shown.bundle.drawn();
    let mut figures = String::new();
    for margin in shown.analysis.margins.iter().take(4) {
        let values: Vec<(usize, f64)> = drawn
            .iter()
            .filter_map(|&i| Some((colour(shown, shown.bundle.outcome(i).map(|o| &**o)), of(&margin.name, i)?)))
            .collect();
        const BINS: usize = 24;
        let axis = Axis::of(values.iter().map(|v| v.1).chain([0.0]));
        let (low, high) =
            (values.iter().map(|v| v.1).fold(0.0, f64::min), values.iter().map(|v| v.1).fold(0.0, f64::max));
        if values.is_empty() || high <= low {
            continue;
        }
        let bin = |x: f64| (((x - low) / (high - low) * BINS as f64) as usize).min(BINS - 1);
        let mut counts = vec![vec![0usize; BINS]; shown.analysis.outcomes.len() + 1];
        values.iter().for_each(|(group, x)| counts[*group][bin(*x)] += 1);
        let total = |b: usize| counts.iter().map(|c| c[b]).sum::<usize>();
        let most = (0..BINS).map(total).max().unwrap_or(1);
        let label = format!("{} [{}]", margin.name, margin.unit);
        let mut plot =
            Plot::new(&margin.name, [&label, "particles"], axis, Axis::new(0.0, most as f64), 440.0, 180.0);
        let edge = |b: usize| low + (high - low) * b as f64 / BINS as f64;
        // Stacked: the tallest bar is drawn first and the others over it.
        for b in 0..BINS {
            for group in (0..counts.len()).rev() {
                let height: usize = (0..=group).map(|g| counts[g][b]).sum();
                if counts[group][b] > 0 {
                    plot.bar(group, edge(b), edge(b + 1), height as f64);
                }
            }
        }
        shown.analysis.outcomes.iter().enumerate().for_each(|(i, o)| plot.name(i, &o.name));
        figures += &plot.finish();
    }
    if !figures.is_empty() {
        let _ = writeln!(out, "<h3>How near</h3>\n<div class=\"figures\">{figures}</div>");
    }
}

/// Separation of the ranked outcome by each number, with intervals, and what swapping showed.
fn causes(out: &mut String, shown: &Shown<'_>) {
    let analysis = shown.analysis;
    if analysis.ranked_outcome.is_empty() || analysis.ranking.is_empty() {
        return;
    }
    let _ = writeln!(out, "<h3>What separates '{}'</h3>", escape(&analysis.ranked_outcome));
    let axis = Axis::new(0.0, 1.0).drawn(10.0, 310.0);
    let mut inside = String::new();
    let rows = analysis.ranking.len().min(12);
    for (row, ranked) in analysis.ranking.iter().take(rows).enumerate() {
        let y = 14.0 + row as f64 * 20.0;
        let style = series_style(if ranked.chance <= 0.05 { 1 } else { 0 });
        let (low, high, at, half) =
            (axis.at(ranked.interval.low), axis.at(ranked.interval.high), axis.at(ranked.auc), axis.at(0.5));
        let _ = writeln!(
            inside,
            "<g{style}><rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"10\" fill=\"var(--c)\" opacity=\"0.5\"/><path stroke=\"var(--c)\" stroke-width=\"2\" d=\"M{low:.1} {y:.1}H{high:.1}\"/></g><text x=\"320\" y=\"{:.1}\">{}</text>",
            half.min(at),
            y - 5.0,
            (at - half).abs(),
            y + 4.0,
            escape(&format!("{} ({:.3}, by chance {:.1e})", ranked.feature, ranked.auc, ranked.chance))
        );
    }
    let height = rows as f64 * 20.0 + 34.0;
    inside += &bottom_axis(&axis, height - 22.0, "");
    out.push_str(&svg(980.0, height, "separation of the outcome by each number (0.5: not separated)", &inside));
    for swapped in shown.confirmed {
        let at = swapped.threshold.as_ref().map_or(String::new(), |t| {
            format!(
                "; particle {} changes from '{}' to '{}' at {} ± {}",
                t.particle,
                t.below,
                t.above,
                short(t.value),
                short(t.error)
            )
        });
        let _ = writeln!(
            out,
            "<p>Swapping only {} changes the outcome in {} of {} pairs{}.</p>",
            escape(&swapped.feature),
            swapped.changed,
            swapped.pairs,
            escape(&at)
        );
    }
}

/// Events of single particles, one line each, sorted by outcome.
fn timeline(out: &mut String, shown: &Shown<'_>) {
    let mut drawn: Vec<usize> = shown.bundle.drawn().into_iter().take(DRAWN).collect();
    drawn.sort_by_key(|&i| (colour(shown, shown.bundle.outcome(i).map(|o| &**o)), i));
    let events: Vec<Vec<(f64, String)>> = drawn
        .iter()
        .map(|&i| shown.bundle.symbols(i, 1).into_iter().map(|s| (s.at_s, s.name.to_string())).collect())
        .collect();
    if events.iter().all(Vec::is_empty) {
        return;
    }
    let mut names: Vec<&str> = events.iter().flatten().map(|e| e.1.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let _ = writeln!(out, "<h3>Events of {} particles</h3>", drawn.len());
    let x = Axis::of(events.iter().flatten().map(|e| e.0)).wider(0.02);
    let y = Axis::new(0.0, drawn.len() as f64 + 1.0);
    let mut plot = Plot::new(
        "Events, one line for each particle",
        ["time [s]", "particle"],
        x,
        y,
        780.0,
        9.0 * drawn.len() as f64 + 20.0,
    );
    for (k, name) in names.iter().enumerate() {
        let own = events
            .iter()
            .enumerate()
            .flat_map(|(row, list)| list.iter().filter(|e| e.1 == **name).map(move |e| (e.0, (row + 1) as f64)));
        plot.dots(k, own.collect::<Vec<_>>(), false);
        if k < 10 {
            plot.name(k, &shortened(name));
        }
    }
    out.push_str(&plot.finish());
    let mut from = 0;
    while from < drawn.len() {
        let outcome = shown.bundle.outcome(drawn[from]).map_or("none", |o| o);
        let to =
            drawn[from..].iter().take_while(|&&i| shown.bundle.outcome(i).map(|o| &**o) == Some(outcome)).count()
                + from;
        let _ = writeln!(out, "<p>Lines {} to {}: {}</p>", from + 1, to.max(from + 1), escape(outcome));
        from = to.max(from + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_pairs_lose_their_placement_and_long_ones_their_end() {
        assert_eq!(shortened("curb/curb links/RF_shin"), "curb RF_shin");
        assert_eq!(shortened("a_name_of_more_than_twenty_letters").chars().count(), 20);
    }
}
