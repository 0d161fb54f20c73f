//! When behaviour divides and when the outcome is decided, by entropy.
//!
//! ```text
//! (1)  class of a particle after the k-th lasting split: the branches it took at the first k splits
//! (2)  H_k = entropy of the classes (Miller and Madow's correction),   exp H_k = effective number of behaviours
//! (3)  D_k = entropy of the outcome within the classes
//! (4)  decided: the first split after which D_k ≤ 5 % of the entropy of the outcome
//! ```
//!
//! Classes follow splits, not times: two runs that do the same a moment apart are in the same class.

use super::{Detection, Ensemble, SplitDetector};
use std::collections::BTreeMap;

pub const ENTRY: SplitDetector = SplitDetector {
    name: "entropy",
    text: "entropy of the branches taken so far, time of the first split, time when the outcome is decided",
    detect,
};

/// Share of the outcome's entropy that may be left when it is decided.
const LEFT: f64 = 0.05;

fn detect(sample: &Ensemble<'_>) -> Detection {
    let n = sample.drawn.len();
    let outcomes: Vec<&str> = sample.drawn.iter().map(|&i| sample.bundle.outcome(i).map_or("", |o| &**o)).collect();
    let of_outcome = entropy(&counts(outcomes.iter()));
    let mut class: Vec<Vec<u32>> = vec![Vec::new(); n];
    let (mut most, mut decided) = (0.0f64, if of_outcome == 0.0 { Some(0.0) } else { None });
    for (after_s, groups) in sample.lasting {
        for (branch, particles) in groups.iter().enumerate() {
            for &p in particles {
                class[p as usize].push(branch as u32 + 1);
            }
        }
        let classes = counts(class.iter());
        most = entropy(&classes) + (classes.len() as f64 - 1.0) / (2.0 * n.max(1) as f64);
        let within: f64 = classes
            .keys()
            .map(|c| {
                let inside: Vec<&&str> =
                    outcomes.iter().zip(&class).filter(|(_, k)| k == c).map(|(o, _)| o).collect();
                inside.len() as f64 / n as f64 * entropy(&counts(inside.iter()))
            })
            .sum();
        if decided.is_none() && within <= LEFT * of_outcome {
            decided = Some(*after_s);
        }
    }
    let Some((first, _)) = sample.lasting.first() else {
        let finding = if of_outcome > 0.0 {
            "no lasting split: events do not separate the outcomes"
        } else {
            "one behaviour with one outcome"
        };
        return Detection::quiet(ENTRY.name, finding);
    };
    let mut numbers = vec![("first_split_s", *first), ("entropy", most), ("effective_behaviours", libm::exp(most))];
    let when = match decided {
        Some(t) => {
            numbers.push(("decided_s", t));
            format!("the outcome is decided after {t:.3} s")
        }
        None => "the outcome is not decided by events alone".to_string(),
    };
    let finding = format!(
        "behaviour first divides after {first:.3} s into effectively {:.1} behaviours; {when}",
        libm::exp(most)
    );
    Detection { detector: ENTRY.name, alarm: true, finding, numbers }
}

fn counts<T: Ord + Clone>(items: impl Iterator<Item = T>) -> BTreeMap<T, usize> {
    let mut out = BTreeMap::new();
    items.for_each(|x| *out.entry(x).or_default() += 1);
    out
}

/// In nats, without correction.
fn entropy<T>(counts: &BTreeMap<T, usize>) -> f64 {
    let n = counts.values().sum::<usize>().max(1) as f64;
    counts.values().map(|&c| c as f64 / n).map(|p| -p * libm::log(p)).sum::<f64>().max(0.0)
}
