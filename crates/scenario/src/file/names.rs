//! What somebody probably meant.

use veracity_model::numbers::nearest;

/// A hint for a name that does not exist: the nearest, or the list.
pub fn hint<'a>(unknown: &str, existing: impl Iterator<Item = &'a str> + Clone) -> String {
    if let Some(near) = nearest(unknown, existing.clone()).first() {
        return format!("did you mean '{near}'?");
    }
    let mut all: Vec<&str> = existing.collect();
    all.sort_unstable();
    let shown = all.iter().take(12).copied().collect::<Vec<_>>().join(", ");
    match all.len() {
        0 => "there is none".to_string(),
        1..=12 => format!("available: {shown}"),
        more => format!("available: {shown} and {} more", more - 12),
    }
}

/// The last part of a key if it is a unit, with the word before it.
pub fn split_unit(key: &str) -> Option<(&str, &str)> {
    const UNITS: &[&str] = &[
        "s", "ms", "us", "ns", "min", "h", "m", "mm", "cm", "km", "rad", "deg", "hz", "khz", "n", "nm", "kg", "g",
        "rpm",
    ];
    let (stem, unit) = key.rsplit_once('_')?;
    UNITS.contains(&unit).then_some((stem, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_offered_and_far_ones_are_listed() {
        let names = ["elbow", "wrist"];
        assert_eq!(hint("elbo", names.iter().copied()), "did you mean 'elbow'?");
        assert_eq!(hint("q", names.iter().copied()), "available: elbow, wrist");
        assert_eq!(hint("q", [].iter().copied()), "there is none");
    }
}
