//! Several modes in the final states: the dip test on every position that varies, adjusted by Holm.

use super::{ALPHA, Detection, Ensemble, SplitDetector, principal_component};
use crate::dip::{dip, dip_chance};

pub const ENTRY: SplitDetector = SplitDetector {
    name: "modes",
    text: "several modes in a final position or in their first principal component (dip test)",
    detect,
};

fn detect(sample: &Ensemble<'_>) -> Detection {
    let (rows, mut columns) = sample.final_columns();
    if rows.len() < 8 || columns.is_empty() {
        return Detection::quiet(ENTRY.name, "too few final states that vary");
    }
    columns.extend(principal_component(&columns));
    let chances = columns.iter().map(|x| dip_chance(dip(x), x.len()));
    // Holm: the smallest of m probabilities is compared with α / m.
    let least = chances.fold(1.0f64, f64::min) * columns.len() as f64;
    let alarm = least <= ALPHA;
    let finding = if alarm { "final states have more than one mode" } else { "final states have one mode" };
    let numbers = vec![("adjusted_chance", least.min(1.0)), ("tests", columns.len() as f64)];
    Detection { detector: ENTRY.name, alarm, finding: finding.to_string(), numbers }
}
