//! How many normal distributions make up the first principal component of the final states, by BIC.

use super::{Detection, Ensemble, SplitDetector, principal_component};
use crate::mixture::mixture;

pub const ENTRY: SplitDetector = SplitDetector {
    name: "normal_parts",
    text: "number of normal distributions in the first principal component of the final states (BIC)",
    detect,
};

fn detect(sample: &Ensemble<'_>) -> Detection {
    let (_, columns) = sample.final_columns();
    let found = principal_component(&columns).and_then(|x| mixture(&x));
    let Some(found) = found else { return Detection::quiet(ENTRY.name, "too few final states that vary") };
    let parts = found.means.len();
    // Components nearer than two spreads overlap into one mode: a lopsided distribution, not two behaviours.
    let apart = found.means.windows(2).map(|m| (m[1] - m[0]) / found.spread).fold(f64::INFINITY, f64::min);
    let alarm = parts > 1 && apart > 2.0;
    let finding = match (parts, alarm) {
        (1, _) => "one normal distribution describes the final states".to_string(),
        (_, true) => format!("{parts} normal distributions, at least {apart:.1} standard deviations apart"),
        (_, false) => format!("{parts} overlapping normal distributions: lopsided, not divided"),
    };
    Detection { detector: ENTRY.name, alarm, finding, numbers: vec![("parts", parts as f64)] }
}
