//! The behaviour tree: a split that lasts and is the same at all three tolerances.

use super::{Detection, Ensemble, SplitDetector};

pub const ENTRY: SplitDetector = SplitDetector {
    name: "branches",
    text: "a split of the behaviour tree that never re-joins, at three tolerances",
    detect,
};

fn detect(sample: &Ensemble<'_>) -> Detection {
    match sample.lasting.first() {
        None => Detection::quiet(ENTRY.name, "no lasting split"),
        Some((after_s, groups)) => Detection {
            detector: ENTRY.name,
            alarm: true,
            finding: format!(
                "{} lasting splits, the first after {after_s:.3} s into {} branches",
                sample.lasting.len(),
                groups.len()
            ),
            numbers: vec![("lasting_splits", sample.lasting.len() as f64), ("first_split_s", *after_s)],
        },
    }
}
