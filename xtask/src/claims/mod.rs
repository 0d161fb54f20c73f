//! The claims that `cargo xtask acceptance` tests.
//!
//! A claim is a test that runs at full size when `VERACITY_FULL=1` is set and that prints what it measured as
//! `ACCEPT <claim>: <numbers>`, or `ACCEPT <claim>-<part>: <numbers>` for each of several parts. CONTRIBUTING.md says how
//! to add one.

mod contact;
mod engines;
mod lab;
mod models;
mod motion;
mod recordings;
mod tempo;
mod walking;

/// A public statement and the test that shows it.
pub struct Claim {
    /// Short and stable, as in the test's `ACCEPT` line.
    pub name: &'static str,
    /// The statement, with its bound.
    pub says: &'static str,
    /// The package whose test shows it.
    pub package: &'static str,
    /// Which of its test programs: `test pendulum` or `lib`.
    pub target: &'static str,
    /// The tests in it whose names contain this; at least one must run.
    pub filter: &'static str,
}

/// Every claim, by topic.
const TOPICS: &[&[Claim]] = &[
    motion::CLAIMS,
    lab::CLAIMS,
    models::CLAIMS,
    contact::CLAIMS,
    walking::CLAIMS,
    engines::CLAIMS,
    tempo::CLAIMS,
    recordings::CLAIMS,
];

/// Every claim.
pub fn all() -> impl Iterator<Item = &'static Claim> {
    TOPICS.iter().copied().flatten()
}

/// Claims that are run in parts, so that an interrupted run continues with the next part, with the number of parts. The test
/// reads its part from `VERACITY_CHUNK=k/n`; items of its `ACCEPT` line are separated by `; `, and those that end with `sum`
/// or `max` are merged.
pub const IN_PARTS: &[(&str, u32)] = &[
    ("piles-stepping", 50),
    ("piles-event", 50),
    ("piles-penalty", 50),
    ("mutants-models", 20),
    ("mutants-recordings", 20),
];

/// Names of all claims, for the help.
pub fn names() -> Vec<&'static str> {
    all().map(|claim| claim.name).collect()
}

/// The claim an `ACCEPT` line of this name belongs to: the one of the same name, or the longest one it is a part of.
pub fn of_line(name: &str) -> Option<&'static Claim> {
    let belongs =
        |claim: &&Claim| name.strip_prefix(claim.name).is_some_and(|part| part.is_empty() || part.starts_with('-'));
    all().filter(belongs).max_by_key(|claim| claim.name.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Workspace;
    use std::path::Path;

    #[test]
    fn names_are_valid_file_names_and_unique() {
        let mut names = names();
        let fit = |name: &&str| name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        assert!(names.iter().all(fit));
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn a_part_belongs_to_its_claim() {
        assert_eq!(of_line("order-pendulum-rk4").unwrap().name, "order-pendulum");
        assert_eq!(of_line("pendulum-period").unwrap().name, "pendulum-period");
        assert!(of_line("pendulum-periodic").is_none());
    }

    /// A claim whose line no test prints can never be shown; a line without a claim is never read.
    #[test]
    fn claims_and_the_lines_tests_print_are_the_same() {
        let mut sources = String::new();
        read_sources(&Workspace::open().unwrap().root.join("crates"), &mut sources);
        // A format string may fill in the end of a name, `order-{name}`, or all of it.
        let printed: Vec<&str> =
            sources.split("\"ACCEPT ").skip(1).filter_map(|rest| rest.split([':', '{']).next()).collect();
        let prints = |line: &str, claim: &Claim| {
            let known = of_line(line).is_some_and(|owner| owner.name == claim.name);
            known || line.ends_with('-') && claim.name.starts_with(line)
        };
        let orphan = |line: &&&str| !line.is_empty() && !all().any(|claim| prints(line, claim));
        let orphans: Vec<&&str> = printed.iter().filter(orphan).collect();
        assert!(orphans.is_empty(), "printed by a test, missing in CLAIMS: {orphans:?}");

        // Where a format string fills in the whole name, the name is in the source as a string.
        let mute = |claim: &&Claim| {
            !printed.iter().any(|line| prints(line, claim)) && !sources.contains(&format!("\"{}\"", claim.name))
        };
        let mutes: Vec<&str> = all().filter(mute).map(|claim| claim.name).collect();
        assert!(mutes.is_empty(), "in CLAIMS, but no test prints its line: {mutes:?}");
    }

    fn read_sources(folder: &Path, text: &mut String) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                read_sources(&path, text);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                text.push_str(&std::fs::read_to_string(&path).unwrap());
            }
        }
    }
}
