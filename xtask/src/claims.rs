//! The claims `cargo xtask acceptance` shows, one line each.
//!
//! A claim is a test that runs at full size when `VERACITY_FULL=1` is set and that prints what it measured as
//! `ACCEPT <claim>: <numbers>`. CONTRIBUTING.md says how to add one.

/// Something we say is so, and the test that shows it.
pub struct Claim {
    /// Short and stable, as in the test's `ACCEPT` line.
    pub name: &'static str,
    /// What is claimed, with its bound.
    pub says: &'static str,
    /// The package whose test shows it.
    pub package: &'static str,
    /// Arguments of `cargo test` that choose the test binary, e.g. `--test pendulum` or `--lib`.
    pub binary: &'static [&'static str],
    /// The tests in it whose names contain this; at least one must run.
    pub filter: &'static str,
}

/// Every claim, in the order of the pages that make them.
pub const CLAIMS: &[Claim] = &[];

/// Names for the help.
pub fn names() -> Vec<&'static str> {
    CLAIMS.iter().map(|claim| claim.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_file_names_and_differ() {
        let mut names = names();
        let fit = |name: &&str| name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        assert!(names.iter().all(fit));
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
