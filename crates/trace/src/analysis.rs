//! What the particles of one engine show.

use crate::attribution::{Ranked, features, rank};
use crate::bundle::Bundle;
use crate::detectors::{DETECTORS, Detection, Ensemble};
use crate::near_miss::{NearMiss, near_miss};
use crate::particle::Fate;
use crate::regression::{Effect, margin_effects, outcome_effects};
use crate::sobol_points::over_scramblings;
use crate::symbols::TOLERANCES;
use crate::tree::BehaviourTree;
use crate::unseen::{Unseen, unseen};
use crate::{TraceSetup, cycle_start, sampling};
use serde::Serialize;
use std::sync::Arc;
use veracity_measure::Verdict;
use veracity_measure::statistics::{Interval, clopper_pearson};
use veracity_scenario::file::trace_file::SamplingWord;

/// Confidence of every interval.
pub const CONFIDENCE: f64 = 0.95;

/// The answer of a trace on one engine.
#[derive(Clone, Debug, Serialize)]
pub struct Analysis {
    /// Particles that have an outcome.
    pub decided: usize,
    /// Particles that could not be run or judged, with the number and the first reason of each kind.
    pub undecided: Vec<(usize, String)>,
    /// Outcomes with their probabilities, most frequent first.
    pub outcomes: Vec<OutcomeShare>,
    /// Distinct behaviours, most frequent first.
    pub behaviours: Vec<Behaviour>,
    /// Where behaviour divides, in order of time.
    pub splits: Vec<SplitAt>,
    /// Counting of behaviours.
    pub unseen: Unseen,
    /// Margins: of the file's check and of every named pair.
    pub margins: Vec<NearMiss>,
    /// For the most frequent outcome but one: which numbers separate it, most decisive first.
    pub ranking: Vec<Ranked>,
    /// The outcome that the ranking is about; empty if there is only one.
    pub ranked_outcome: String,
    /// Effects on the margin with all numbers at once; empty if there is no margin or too few particles.
    pub margin_effects: Vec<Effect>,
    /// Effects on the ranked outcome with all numbers at once; empty where there are too few particles.
    pub outcome_effects: Vec<Effect>,
    /// What each of the detectors found.
    pub detections: Vec<Detection>,
    /// Numbers known before the run, such as the stride radius: name, least, median and largest.
    pub scalars: Vec<(String, [f64; 3])>,
    /// Gates of the file.
    pub gates: Vec<GateResult>,
}

/// An outcome and its probability.
#[derive(Clone, Debug, Serialize)]
pub struct OutcomeShare {
    /// Its name.
    pub name: String,
    /// Particles.
    pub count: usize,
    /// Probability with its exact interval.
    pub probability: Interval,
    /// A particle that shows it.
    pub example: u64,
}

/// A sequence of events with an outcome.
#[derive(Clone, Debug, Serialize)]
pub struct Behaviour {
    /// Symbols in order; the last is the outcome.
    pub sequence: Vec<String>,
    /// Particles.
    pub count: usize,
    /// Probability with its exact interval.
    pub probability: Interval,
    /// A particle that shows it.
    pub example: u64,
}

/// A point at which behaviour divides.
#[derive(Clone, Debug, Serialize)]
pub struct SplitAt {
    /// Mean time of the last common event [s].
    pub after_s: f64,
    /// The common events so far.
    pub after: Vec<String>,
    /// The branches, largest first.
    pub branches: Vec<Branch>,
    /// Whether some branch never re-joins the first.
    pub lasting: bool,
    /// At how many of the three tolerances it is found; reported as certain at all three.
    pub tolerances: usize,
}

/// One branch of a split.
#[derive(Clone, Debug, Serialize)]
pub struct Branch {
    /// The next event, or the outcome.
    pub next: String,
    /// Particles.
    pub count: usize,
    /// Conditional probability with its exact interval.
    pub probability: Interval,
    /// A particle that shows it.
    pub example: u64,
    /// Whether its future is that of the first branch again.
    pub rejoins: bool,
}

/// A gate and its result.
#[derive(Clone, Debug, Serialize)]
pub struct GateResult {
    /// The outcome.
    pub outcome: String,
    /// Highest allowed probability.
    pub at_most: f64,
    /// The probability with its interval.
    pub probability: Interval,
    /// Accepted if the whole interval is below, rejected if all of it is above, else cannot tell.
    pub verdict: Verdict,
    /// Particles that would decide it if the share stayed the same; `None` if it is decided or equal to the bound.
    pub particles_needed: Option<u64>,
}

/// Analyses the particles of one engine.
pub fn analyse(setup: &TraceSetup, bundle: &Bundle) -> Analysis {
    let drawn = bundle.drawn();
    let outcomes = shares(setup, bundle, &drawn);
    let trees: Vec<BehaviourTree> = (0..TOLERANCES.len()).map(|i| tree(bundle, &drawn, i)).collect();
    let middle = &trees[1];
    let behaviours: Vec<Behaviour> = middle
        .behaviours()
        .into_iter()
        .map(|node| {
            let particles = &middle.nodes[node].particles;
            Behaviour {
                sequence: middle.prefix(node).iter().map(ToString::to_string).collect(),
                count: particles.len(),
                probability: clopper_pearson(particles.len() as u64, drawn.len() as u64, CONFIDENCE),
                example: drawn[particles[0] as usize] as u64,
            }
        })
        .collect();
    let counts: Vec<usize> = behaviours.iter().map(|b| b.count).collect();
    let ranked_outcome = outcomes.get(1).map_or(String::new(), |o| o.name.clone());
    let has = |i: usize| bundle.outcome(i).is_some_and(|o| **o == *ranked_outcome);
    let features = features(&setup.paths(), &sampling::nominal(setup));
    let rows: Vec<(&[f64], bool)> = drawn.iter().map(|&i| (bundle.values(i), has(i))).collect();
    let of_margin: Vec<(&[f64], f64)> =
        drawn.iter().filter_map(|&i| Some((bundle.values(i), bundle.margin(i)?))).collect();
    let ranked = !ranked_outcome.is_empty();
    let splits = splits(&trees, &drawn);
    let sample = &Lasting::of(&trees, &splits, drawn.len());
    Analysis {
        decided: drawn.len(),
        undecided: undecided(bundle),
        unseen: unseen(&counts),
        margins: margins(setup, bundle, &drawn),
        gates: setup.gates.iter().map(|(name, at_most)| gate(setup, bundle, &drawn, name, *at_most)).collect(),
        ranking: if ranked { rank(&features, &rows) } else { Vec::new() },
        margin_effects: margin_effects(&features, &of_margin).unwrap_or_default(),
        outcome_effects: if ranked { outcome_effects(&features, &rows).unwrap_or_default() } else { Vec::new() },
        detections: {
            let sample =
                Ensemble { bundle, drawn: &drawn, trees: &trees, branch: &sample.branch, lasting: &sample.splits };
            DETECTORS.iter().map(|d| (d.detect)(&sample)).collect()
        },
        scalars: scalars(bundle, &drawn),
        splits: splits.into_iter().map(|(split, _)| split).collect(),
        outcomes,
        behaviours,
        ranked_outcome,
    }
}

/// Lasting splits that are the same at all tolerances.
struct Lasting {
    splits: Vec<(f64, Vec<Vec<u32>>)>,
    branch: Vec<usize>,
}

impl Lasting {
    fn of(trees: &[BehaviourTree], splits: &[(SplitAt, Vec<usize>)], drawn: usize) -> Self {
        let groups = |branches: &[usize]| branches.iter().map(|&b| trees[1].nodes[b].particles.clone()).collect();
        let lasting = splits.iter().filter(|(s, _)| s.lasting && s.tolerances == TOLERANCES.len());
        let splits: Vec<(f64, Vec<Vec<u32>>)> = lasting.map(|(s, b)| (s.after_s, groups(b))).collect();
        let mut taken: Vec<Vec<u32>> = vec![Vec::new(); drawn];
        for (_, groups) in &splits {
            for (k, particles) in groups.iter().enumerate() {
                particles.iter().for_each(|&p| taken[p as usize].push(k as u32));
            }
        }
        let mut known: std::collections::BTreeMap<Vec<u32>, usize> = Default::default();
        let mut branch = Vec::with_capacity(drawn);
        for way in taken {
            let next = known.len();
            branch.push(*known.entry(way).or_insert(next));
        }
        Self { splits, branch }
    }
}

/// The probability of what applies to some of the drawn particles.
fn probability(setup: &TraceSetup, drawn: &[usize], applies: impl Fn(usize) -> bool) -> Interval {
    if setup.sampling == SamplingWord::Sobol {
        let mut counts = vec![(0u64, 0u64); setup.scramblings as usize];
        for &i in drawn {
            let of = &mut counts[sampling::scrambling(setup, i as u64) as usize];
            *of = (of.0 + u64::from(applies(i)), of.1 + 1);
        }
        return over_scramblings(&counts, CONFIDENCE);
    }
    let hits = drawn.iter().filter(|&&i| applies(i)).count();
    clopper_pearson(hits as u64, drawn.len() as u64, CONFIDENCE)
}

fn shares(setup: &TraceSetup, bundle: &Bundle, drawn: &[usize]) -> Vec<OutcomeShare> {
    let mut counts: Vec<(Arc<str>, usize, u64)> = Vec::new();
    for &i in drawn {
        let Some(name) = bundle.outcome(i) else { continue };
        match counts.iter_mut().find(|(n, ..)| n == name) {
            Some((_, count, _)) => *count += 1,
            None => counts.push((name.clone(), 1, i as u64)),
        }
    }
    counts.sort_by_key(|(_, count, first)| (std::cmp::Reverse(*count), *first));
    let share = |(name, count, example): (Arc<str>, usize, u64)| OutcomeShare {
        probability: probability(setup, drawn, |i| bundle.outcome(i) == Some(&name)),
        name: name.to_string(),
        count,
        example,
    };
    counts.into_iter().map(share).collect()
}

fn undecided(bundle: &Bundle) -> Vec<(usize, String)> {
    let mut out: Vec<(usize, String)> = Vec::new();
    for i in 0..bundle.len() {
        let why = match bundle.fate(i) {
            Fate::Outcome(_) => continue,
            Fate::NotRun(why) => format!("not run: {why}"),
            Fate::CannotTell(why) => format!("cannot tell: {why}"),
        };
        // Numbers differ from particle to particle: the words before the first digit make the kind.
        let kind = |text: &str| text.split(|c: char| c.is_ascii_digit()).next().unwrap_or_default().to_string();
        match out.iter_mut().find(|(_, text)| kind(text) == kind(&why)) {
            Some((count, _)) => *count += 1,
            None => out.push((1, why)),
        }
    }
    out
}

fn tree(bundle: &Bundle, drawn: &[usize], tolerance: usize) -> BehaviourTree {
    BehaviourTree::from_fn(drawn.len(), |k| {
        let i = drawn[k];
        (bundle.symbols(i, tolerance), bundle.outcome(i).cloned().unwrap_or_default(), bundle.end_s(i))
    })
}

/// The splits of the middle tolerance, each with the nodes of its branches.
fn splits(trees: &[BehaviourTree], drawn: &[usize]) -> Vec<(SplitAt, Vec<usize>)> {
    let middle = &trees[1];
    // A split is the same at another tolerance if it divides the same particles.
    let groups = |tree: &BehaviourTree, branches: &[usize]| -> Vec<Vec<u32>> {
        let mut groups: Vec<Vec<u32>> = branches.iter().map(|&b| tree.nodes[b].particles.clone()).collect();
        groups.sort();
        groups
    };
    let all: Vec<Vec<Vec<Vec<u32>>>> =
        trees.iter().map(|t| t.splits().iter().map(|s| groups(t, &s.branches)).collect()).collect();
    let found = middle.splits();
    found
        .into_iter()
        .map(|split| {
            let own = groups(middle, &split.branches);
            let parent = middle.nodes[split.node].particles.len() as u64;
            let branch = |(i, &b): (usize, &usize)| {
                let node = &middle.nodes[b];
                Branch {
                    next: node.symbol.to_string(),
                    count: node.particles.len(),
                    probability: clopper_pearson(node.particles.len() as u64, parent, CONFIDENCE),
                    example: drawn[node.particles[0] as usize] as u64,
                    rejoins: i > 0 && split.rejoins[i - 1],
                }
            };
            let at = SplitAt {
                after_s: split.after_s,
                after: middle.prefix(split.node).iter().map(ToString::to_string).collect(),
                branches: split.branches.iter().enumerate().map(branch).collect(),
                lasting: split.is_lasting(),
                tolerances: all.iter().filter(|splits| splits.contains(&own)).count(),
            };
            (at, split.branches)
        })
        .collect()
}

fn margins(setup: &TraceSetup, bundle: &Bundle, drawn: &[usize]) -> Vec<NearMiss> {
    let spread = bundle.spreads();
    let centre: Vec<f64> = (0..spread.len())
        .map(|k| drawn.iter().map(|&i| bundle.values(i)[k]).sum::<f64>() / drawn.len().max(1) as f64)
        .collect();
    let standard = |&i: &usize| {
        bundle.values(i).iter().zip(&centre).zip(&spread).map(|((x, c), s)| (x - c) / s).collect::<Vec<_>>()
    };
    let z: Vec<f64> = drawn.iter().flat_map(standard).collect();
    let layout = veracity_model::Layout::new(&setup.scenario.world);
    let mut out = Vec::new();
    let mut add = |name: &str, unit: &str, of: &dyn Fn(usize) -> Option<f64>| {
        let row = |(k, &i): (usize, &usize)| Some((of(i)?, &z[k * spread.len()..(k + 1) * spread.len()]));
        let rows: Vec<(f64, &[f64])> = drawn.iter().enumerate().filter_map(row).collect();
        out.extend(near_miss(name, unit, &rows));
    };
    if let Some(name) = &setup.margin {
        let check = setup.scenario.checks.iter().find(|c| c.name == *name);
        let unit = check.map_or("", |c| c.metric.unit_for(&layout, &c.options));
        add(&format!("margin of '{name}'"), unit, &|i| bundle.margin(i));
    }
    for (pair, name) in layout.pairs.iter().enumerate() {
        add(&format!("gap of {name}"), "m", &|i| bundle.gap(i, pair).map(|g| g[0]));
    }
    out
}

fn scalars(bundle: &Bundle, drawn: &[usize]) -> Vec<(String, [f64; 3])> {
    let mut out = Vec::new();
    for (which, name) in cycle_start::SCALARS.iter().enumerate() {
        let mut x: Vec<f64> = drawn.iter().filter_map(|&i| bundle.scalar(i, which)).collect();
        x.sort_by(f64::total_cmp);
        if let (Some(least), Some(most)) = (x.first(), x.last()) {
            out.push((name.to_string(), [*least, x[x.len() / 2], *most]));
        }
    }
    out
}

fn gate(setup: &TraceSetup, bundle: &Bundle, drawn: &[usize], name: &str, at_most: f64) -> GateResult {
    let is = |i: usize| bundle.outcome(i).is_some_and(|o| **o == *name);
    let probability = probability(setup, drawn, is);
    let count = drawn.iter().filter(|&&i| is(i)).count() as u64;
    gate_of(name, at_most, probability, count, drawn.len() as u64)
}

fn gate_of(name: &str, at_most: f64, probability: Interval, count: u64, total: u64) -> GateResult {
    let verdict = decide(&probability, at_most);
    GateResult {
        outcome: name.to_string(),
        at_most,
        probability,
        verdict,
        particles_needed: if verdict == Verdict::CannotTell { needed(count, total, at_most) } else { None },
    }
}

fn decide(probability: &Interval, at_most: f64) -> Verdict {
    if probability.high <= at_most {
        Verdict::Accepted
    } else if probability.low > at_most {
        Verdict::Rejected
    } else {
        Verdict::CannotTell
    }
}

/// The smallest number of particles that would decide the gate at the share seen so far, by doubling and bisection.
fn needed(count: u64, total: u64, at_most: f64) -> Option<u64> {
    let share = count as f64 / total.max(1) as f64;
    let decided = |n: u64| {
        let hits = (share * n as f64).round() as u64;
        decide(&clopper_pearson(hits, n, CONFIDENCE), at_most) != Verdict::CannotTell
    };
    let mut high = total.max(1);
    while !decided(high) {
        high = high.checked_mul(2).filter(|n| *n < 1 << 40)?;
    }
    let mut low = high / 2;
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if decided(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_needs_the_whole_interval_on_one_side() {
        let gate = |count: u64, n: u64| gate_of("fall", 0.02, clopper_pearson(count, n, CONFIDENCE), count, n);
        assert_eq!(gate(0, 400).verdict, Verdict::Accepted);
        assert_eq!(gate(40, 400).verdict, Verdict::Rejected);
        let open = gate(4, 400);
        assert_eq!(open.verdict, Verdict::CannotTell);
        let needed = open.particles_needed.unwrap();
        // With 1 % seen, that many decide it and half as many do not.
        assert!(clopper_pearson(needed / 100, needed, 0.95).high <= 0.0201, "{needed}");
        assert!(clopper_pearson(needed / 200, needed / 2, 0.95).high > 0.02, "{needed}");
        // An outcome that no particle had still has an upper bound: 24 particles exclude 14 %, not 2 %.
        assert_eq!(gate(0, 24).verdict, Verdict::CannotTell);
    }
}
