//! Clusters of event sequences: HDBSCAN (Campello, Moulavi and Sander 2013) on the distances of [`crate::alignment`].
//!
//! Two clusters nearer than half an event differ in timing only and are one. A cluster has at least 5 % of the particles, and three.
//! The consensus of a cluster is the sequence with the least sum of distances to the others; a particle is an outlier if it is in
//! no cluster, or farther from its consensus than the median plus three times the median absolute deviation, and by half an event.

use super::{Detection, Ensemble, QUADRATIC, SplitDetector};
use crate::alignment::{distance, time_cost};
use crate::symbols::Symbol;
use hdbscan::{DistanceMetric, Hdbscan, HdbscanHyperParams};

pub const ENTRY: SplitDetector = SplitDetector {
    name: "event_clusters",
    text: "clusters of event sequences by alignment distance, with their consensus and outliers",
    detect,
};

/// Distance below which two sequences are one behaviour \[events\].
const APART: f64 = 0.5;

/// Clusters of sequences.
#[derive(Clone, Debug, PartialEq)]
pub struct EventClusters {
    /// Cluster of each sequence; `None` for one that is in none.
    pub labels: Vec<Option<usize>>,
    /// Of each cluster, the index of its consensus.
    pub consensus: Vec<usize>,
    /// Sequences far from the consensus of their cluster, or in none.
    pub outliers: Vec<usize>,
}

fn detect(sample: &Ensemble<'_>) -> Detection {
    let looked: Vec<Vec<Symbol>> =
        sample.drawn.iter().take(QUADRATIC).map(|&i| sample.bundle.symbols(i, 1)).collect();
    let Some(found) = event_clusters(&looked) else {
        return Detection::quiet(ENTRY.name, "too few particles to cluster");
    };
    let clusters = found.consensus.len();
    let sizes: Vec<usize> = (0..clusters).map(|c| found.labels.iter().filter(|l| **l == Some(c)).count()).collect();
    let finding = format!(
        "{clusters} clusters of event sequences ({}), {} outliers",
        sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        found.outliers.len()
    );
    let numbers = vec![("clusters", clusters as f64), ("outliers", found.outliers.len() as f64)];
    Detection { detector: ENTRY.name, alarm: clusters > 1, finding, numbers }
}

/// `None` for fewer than eight sequences.
pub fn event_clusters(sequences: &[Vec<Symbol>]) -> Option<EventClusters> {
    let n = sequences.len();
    if n < 8 {
        return None;
    }
    let views: Vec<&[Symbol]> = sequences.iter().map(Vec::as_slice).collect();
    let cost = time_cost(&views);
    let mut matrix = vec![vec![0.0f64; n]; n];
    for i in 0..n {
        for j in 0..i {
            // Equal sequences get a distance far below that of any event: densities stay finite.
            let d = distance(views[i], views[j], cost).max(1e-6);
            (matrix[i][j], matrix[j][i]) = (d, d);
        }
    }
    let least = 3.max(n.div_ceil(20));
    let rules = HdbscanHyperParams::builder()
        .min_cluster_size(least)
        .min_samples(3)
        .allow_single_cluster(true)
        .epsilon(APART)
        .dist_metric(DistanceMetric::Precalculated)
        .build();
    let labels = Hdbscan::new(&matrix, rules).cluster().ok()?;
    let mut labels: Vec<Option<usize>> = labels.into_iter().map(|l| usize::try_from(l).ok()).collect();
    // Nothing but noise: one behaviour, with a consensus.
    if labels.iter().all(Option::is_none) {
        labels.fill(Some(0));
    }
    let clusters = labels.iter().flatten().max().map_or(0, |m| m + 1);
    let members = |c: usize| (0..n).filter(|&i| labels[i] == Some(c)).collect::<Vec<_>>();
    let mut consensus = Vec::new();
    for c in 0..clusters {
        let own = members(c);
        let total = |i: usize| own.iter().map(|&j| matrix[i][j]).sum::<f64>();
        consensus.extend(own.iter().copied().min_by(|&a, &b| total(a).total_cmp(&total(b))));
    }
    let mut outliers: Vec<usize> = (0..n).filter(|&i| labels[i].is_none()).collect();
    for (c, &middle) in consensus.iter().enumerate() {
        let own = members(c);
        let far: Vec<f64> = own.iter().map(|&i| matrix[i][middle]).collect();
        let median = veracity_measure::statistics::median(&far);
        let deviation =
            veracity_measure::statistics::median(&far.iter().map(|d| (d - median).abs()).collect::<Vec<_>>());
        outliers.extend(
            own.iter().zip(&far).filter(|(_, d)| **d > median + 3.0 * deviation && **d > APART).map(|(i, _)| *i),
        );
    }
    outliers.sort_unstable();
    Some(EventClusters { labels, consensus, outliers })
}

#[cfg(test)]
mod tests {
    use super::*;
    use veracity_engine::random::{Purpose, Stream};

    /// Footfalls with jittered times; an extra event where `extra`.
    fn walk(run: u64, particle: u64, jitter: f64, extra: Option<&str>) -> Vec<Symbol> {
        let stream = Stream::new(31, run * 1000 + particle, 0, Purpose::Statistics);
        let mut out: Vec<Symbol> = ["rh", "lh", "rf", "lf"]
            .iter()
            .enumerate()
            .map(|(i, name)| Symbol {
                at_s: 0.3 * (i as f64 + 1.0) + jitter * stream.normal(i as u64, 0),
                name: (*name).into(),
            })
            .collect();
        if let Some(name) = extra {
            out.insert(2, Symbol { at_s: 0.75, name: name.into() });
        }
        out
    }

    #[test]
    fn the_strike_and_the_clear_gait_are_two_clusters() {
        for run in 0..20 {
            let all: Vec<Vec<Symbol>> =
                (0..24).map(|p| walk(run, p, 0.005, (p % 3 == 0).then_some("rf obstacle"))).collect();
            let found = event_clusters(&all).unwrap();
            assert_eq!(found.consensus.len(), 2, "{run}: {found:?}");
            assert!((0..24).all(|i| found.labels[i] == found.labels[if i % 3 == 0 { 0 } else { 1 }]), "{found:?}");
        }
    }

    #[test]
    fn timing_jitter_is_one_cluster_and_a_single_odd_run_an_outlier() {
        let mut alarms = 0;
        for run in 0..200 {
            let all: Vec<Vec<Symbol>> = (0..24).map(|p| walk(run, p, 0.01, None)).collect();
            alarms += usize::from(event_clusters(&all).unwrap().consensus.len() > 1);
        }
        assert!(alarms <= 16, "{alarms}");
        let mut all: Vec<Vec<Symbol>> = (0..24).map(|p| walk(1, p, 0.005, None)).collect();
        all[7] = walk(1, 7, 0.005, Some("hand"));
        let found = event_clusters(&all).unwrap();
        assert_eq!((found.consensus.len(), &found.outliers[..]), (1, &[7][..]), "{found:?}");
    }
}
