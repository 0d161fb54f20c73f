//! Path syntax, and suggestions for unknown paths.

use std::borrow::Cow;

/// A name escaped as one path segment.
pub fn escape(name: &str) -> Cow<'_, str> {
    if name.contains(['~', '/']) { name.replace('~', "~0").replace('/', "~1").into() } else { name.into() }
}

/// The canonical form of a path: `links` (the word in URDF and SDF) becomes `bodies`.
pub(super) fn canonical(path: &str) -> Cow<'_, str> {
    match path.strip_prefix("links/") {
        Some(rest) => format!("bodies/{rest}").into(),
        None => path.into(),
    }
}

/// The existing paths most similar to an unknown one, nearest first, at most three.
pub fn nearest<'a>(unknown: &str, existing: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut ranked: Vec<(usize, &str)> = existing.map(|p| (edit_distance(unknown, p), p)).collect();
    ranked.sort();
    // A distance above half its length means a different path, not a misspelling.
    let far = unknown.chars().count().div_ceil(2);
    ranked.into_iter().filter(|(d, _)| *d <= far).take(3).map(|(_, p)| p).collect()
}

/// Minimum number of insertions, deletions and substitutions that turn one text into the other.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_names_stay_apart() {
        assert_eq!(escape("a/b"), "a~1b");
        assert_eq!(escape("a~1b"), "a~01b");
        assert_eq!(escape("plain"), "plain");
    }

    #[test]
    fn distances_are_those_of_levenshtein() {
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("same", "same"), 0);
    }

    #[test]
    fn only_near_paths_are_offered() {
        let existing = ["bodies/arm/mass", "bodies/arm/com/x", "springs/s/stiffness"];
        assert_eq!(nearest("bodies/arm/mas", existing.into_iter())[0], "bodies/arm/mass");
        assert!(nearest("zzzz", existing.into_iter()).is_empty());
    }
}
