//! What the particles of one engine show.

use crate::attribution::{Ranked, features, rank};
use crate::near_miss::{NearMiss, near_miss};
use crate::particle::{Fate, Particle};
use crate::swap::spreads;
use crate::symbols::{Symbol, TOLERANCES};
use crate::tree::BehaviourTree;
use crate::unseen::{Unseen, unseen};
use crate::{TraceSetup, sampling};
use serde::Serialize;
use std::sync::Arc;
use veracity_measure::Verdict;
use veracity_measure::statistics::{Interval, clopper_pearson};

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

/// One way on from a split.
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

/// A gate and what became of it.
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
pub fn analyse(setup: &TraceSetup, particles: &[Particle]) -> Analysis {
    let decided: Vec<&Particle> = particles.iter().filter(|p| p.outcome().is_some()).collect();
    // The nominal particle is chosen, not drawn: it counts in no probability.
    let drawn: Vec<&Particle> = decided.iter().copied().filter(|p| p.number > 0).collect();
    let outcomes = shares(&drawn);
    let trees: Vec<BehaviourTree> = (0..TOLERANCES.len()).map(|i| tree(&drawn, i)).collect();
    let middle = &trees[1];
    let total = drawn.len() as u64;
    let behaviours: Vec<Behaviour> = middle
        .behaviours()
        .into_iter()
        .map(|node| {
            let particles = &middle.nodes[node].particles;
            Behaviour {
                sequence: middle.prefix(node).iter().map(ToString::to_string).collect(),
                count: particles.len(),
                probability: clopper_pearson(particles.len() as u64, total, CONFIDENCE),
                example: drawn[particles[0] as usize].number,
            }
        })
        .collect();
    let counts: Vec<usize> = behaviours.iter().map(|b| b.count).collect();
    let ranked_outcome = outcomes.get(1).map_or(String::new(), |o| o.name.clone());
    let ranking = if ranked_outcome.is_empty() { Vec::new() } else { ranking(setup, &drawn, &ranked_outcome) };
    Analysis {
        decided: drawn.len(),
        undecided: undecided(particles),
        splits: splits(&trees, &drawn),
        unseen: unseen(&counts),
        margins: margins(setup, &drawn),
        gates: setup.gates.iter().map(|(name, at_most)| gate(name, *at_most, &outcomes, total)).collect(),
        outcomes,
        behaviours,
        ranking,
        ranked_outcome,
    }
}

fn shares(drawn: &[&Particle]) -> Vec<OutcomeShare> {
    let mut counts: Vec<(Arc<str>, usize, u64)> = Vec::new();
    for particle in drawn {
        let Some(name) = particle.outcome() else { continue };
        match counts.iter_mut().find(|(n, ..)| n == name) {
            Some((_, count, _)) => *count += 1,
            None => counts.push((name.clone(), 1, particle.number)),
        }
    }
    counts.sort_by_key(|(_, count, first)| (std::cmp::Reverse(*count), *first));
    let share = |(name, count, example): (Arc<str>, usize, u64)| OutcomeShare {
        name: name.to_string(),
        count,
        probability: clopper_pearson(count as u64, drawn.len() as u64, CONFIDENCE),
        example,
    };
    counts.into_iter().map(share).collect()
}

fn undecided(particles: &[Particle]) -> Vec<(usize, String)> {
    let mut out: Vec<(usize, String)> = Vec::new();
    for particle in particles {
        let why = match &particle.fate {
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

fn tree(drawn: &[&Particle], tolerance: usize) -> BehaviourTree {
    let sequence = |p: &&Particle| -> Option<(Arc<str>, f64)> { Some((p.outcome()?.clone(), p.end_s)) };
    let rows: Vec<(&[Symbol], Arc<str>, f64)> = drawn
        .iter()
        .filter_map(|p| sequence(p).map(|(outcome, end)| (p.symbols[tolerance].as_slice(), outcome, end)))
        .collect();
    BehaviourTree::new(&rows)
}

fn splits(trees: &[BehaviourTree], drawn: &[&Particle]) -> Vec<SplitAt> {
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
        .iter()
        .map(|split| {
            let own = groups(middle, &split.branches);
            let parent = middle.nodes[split.node].particles.len() as u64;
            let branch = |(i, &b): (usize, &usize)| {
                let node = &middle.nodes[b];
                Branch {
                    next: node.symbol.to_string(),
                    count: node.particles.len(),
                    probability: clopper_pearson(node.particles.len() as u64, parent, CONFIDENCE),
                    example: drawn[node.particles[0] as usize].number,
                    rejoins: i > 0 && split.rejoins[i - 1],
                }
            };
            SplitAt {
                after_s: split.after_s,
                after: middle.prefix(split.node).iter().map(ToString::to_string).collect(),
                branches: split.branches.iter().enumerate().map(branch).collect(),
                lasting: split.is_lasting(),
                tolerances: all.iter().filter(|splits| splits.contains(&own)).count(),
            }
        })
        .collect()
}

fn ranking(setup: &TraceSetup, drawn: &[&Particle], outcome: &str) -> Vec<Ranked> {
    let features = features(&setup.paths(), &sampling::nominal(setup));
    let rows: Vec<(&[f64], bool)> =
        drawn.iter().map(|p| (p.values.as_slice(), p.outcome().is_some_and(|o| **o == *outcome))).collect();
    rank(&features, &rows)
}

fn margins(setup: &TraceSetup, drawn: &[&Particle]) -> Vec<NearMiss> {
    let owned: Vec<Particle> = drawn.iter().map(|p| (*p).clone()).collect();
    let spread = spreads(&owned);
    let centre: Vec<f64> = (0..spread.len())
        .map(|i| owned.iter().map(|p| p.values[i]).sum::<f64>() / owned.len().max(1) as f64)
        .collect();
    let standard = |p: &Particle| -> Vec<f64> {
        p.values.iter().zip(&centre).zip(&spread).map(|((x, c), s)| (x - c) / s).collect()
    };
    let z: Vec<Vec<f64>> = owned.iter().map(standard).collect();
    let layout = veracity_model::Layout::new(&setup.scenario.world);
    let mut out = Vec::new();
    let mut add = |name: &str, unit: &str, of: &dyn Fn(&Particle) -> Option<f64>| {
        let rows: Vec<(f64, &[f64])> =
            owned.iter().zip(&z).filter_map(|(p, z)| Some((of(p)?, z.as_slice()))).collect();
        out.extend(near_miss(name, unit, &rows));
    };
    if let Some(name) = &setup.margin {
        let check = setup.scenario.checks.iter().find(|c| c.name == *name);
        let unit = check.map_or("", |c| c.metric.unit_for(&layout, &c.options));
        add(&format!("margin of '{name}'"), unit, &|p| p.margin);
    }
    for (i, pair) in layout.pairs.iter().enumerate() {
        add(&format!("gap of {pair}"), "m", &|p| p.least_gaps.get(i).copied());
    }
    out
}

fn gate(name: &str, at_most: f64, outcomes: &[OutcomeShare], total: u64) -> GateResult {
    let count = outcomes.iter().find(|o| o.name == name).map_or(0, |o| o.count as u64);
    let probability = clopper_pearson(count, total, CONFIDENCE);
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
        let share = |count| OutcomeShare {
            name: "fall".to_string(),
            count,
            probability: clopper_pearson(count as u64, 400, CONFIDENCE),
            example: 1,
        };
        assert_eq!(gate("fall", 0.02, &[share(0)], 400).verdict, Verdict::Accepted);
        assert_eq!(gate("fall", 0.02, &[share(40)], 400).verdict, Verdict::Rejected);
        let open = gate("fall", 0.02, &[share(4)], 400);
        assert_eq!(open.verdict, Verdict::CannotTell);
        let needed = open.particles_needed.unwrap();
        // With 1 % seen, that many decide it and half as many do not.
        assert!(clopper_pearson(needed / 100, needed, 0.95).high <= 0.0201, "{needed}");
        assert!(clopper_pearson(needed / 200, needed / 2, 0.95).high > 0.02, "{needed}");
        // An outcome that nobody had still has an upper bound: 24 particles exclude 14 %, not 2 %.
        assert_eq!(gate("fall", 0.02, &[], 24).verdict, Verdict::CannotTell);
    }
}
