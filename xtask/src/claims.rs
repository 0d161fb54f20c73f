//! The claims `cargo xtask acceptance` shows, one line each.
//!
//! A claim is a test that runs at full size when `VERACITY_FULL=1` is set and that prints what it measured as
//! `ACCEPT <claim>: <numbers>`, or `ACCEPT <claim>-<part>: <numbers>` for each of several parts. CONTRIBUTING.md says how
//! to add one.

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
pub const CLAIMS: &[Claim] = &[
    Claim {
        name: "pendulum-position",
        says: "pendulum from horizontal: position at 0.5, 1 and 10 s to 1e-10 m, adaptive integrator",
        package: "veracity-dynamics",
        binary: &["--test", "pendulum"],
        filter: "the_adaptive_integrator_meets_the_elliptic_functions",
    },
    Claim {
        name: "pendulum-period",
        says: "pendulum from horizontal: period 2.36784194757624 s, found as an event, to 1e-10 s",
        package: "veracity-dynamics",
        binary: &["--test", "pendulum"],
        filter: "the_period_is_found_as_an_event",
    },
    Claim {
        name: "order-pendulum",
        says: "every integrator converges with its order on the pendulum",
        package: "veracity-dynamics",
        binary: &["--test", "pendulum"],
        filter: "every_integrator_has_its_order_on_the_pendulum",
    },
    Claim {
        name: "random-trees",
        says: "ABA, CRBA and RNEA agree on random trees of up to 60 bodies: backward error at most 1e-13",
        package: "veracity-dynamics",
        binary: &["--test", "agree_algorithms"],
        filter: "forward_and_inverse_dynamics_agree_on_random_trees",
    },
    Claim {
        name: "energy-balance",
        says: "power in is change of energy, relative to the largest term, on the same trees",
        package: "veracity-dynamics",
        binary: &["--test", "agree_algorithms"],
        filter: "kinetic_energy_is_the_mass_matrix_form_and_its_power_balances",
    },
    Claim {
        name: "momentum-balance",
        says: "a free tree's momentum changes by its weight alone, relative to the largest term",
        package: "veracity-dynamics",
        binary: &["--test", "agree_algorithms"],
        filter: "momentum_of_a_free_tree_changes_by_its_weight_alone",
    },
];

/// Names for the help.
pub fn names() -> Vec<&'static str> {
    CLAIMS.iter().map(|claim| claim.name).collect()
}

/// The claim an `ACCEPT` line of this name belongs to: the one of the same name, or the longest one it is a part of.
pub fn of_line(name: &str) -> Option<&'static Claim> {
    let belongs =
        |claim: &&Claim| name.strip_prefix(claim.name).is_some_and(|part| part.is_empty() || part.starts_with('-'));
    CLAIMS.iter().filter(belongs).max_by_key(|claim| claim.name.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Workspace;
    use std::path::Path;

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

    #[test]
    fn a_part_belongs_to_its_claim() {
        assert_eq!(of_line("order-pendulum-rk4").unwrap().name, "order-pendulum");
        assert_eq!(of_line("pendulum-period").unwrap().name, "pendulum-period");
        assert!(of_line("pendulum-periodic").is_none());
    }

    /// A claim whose line no test prints could never be shown; a line without a claim would never be read.
    #[test]
    fn claims_and_the_lines_tests_print_are_the_same() {
        let root = Workspace::open().unwrap().root;
        let mut printed = Vec::new();
        for member in std::fs::read_dir(root.join("crates")).unwrap() {
            for folder in ["src", "tests"] {
                collect_lines(&member.as_ref().unwrap().path().join(folder), &mut printed);
            }
        }
        let orphans: Vec<&String> = printed.iter().filter(|name| of_line(name).is_none()).collect();
        assert!(orphans.is_empty(), "printed by a test, missing in CLAIMS: {orphans:?}");
        let read: Vec<&str> = printed.iter().filter_map(|name| of_line(name)).map(|claim| claim.name).collect();
        let mute: Vec<&str> = names().into_iter().filter(|name| !read.contains(name)).collect();
        assert!(mute.is_empty(), "in CLAIMS, but no test prints its line: {mute:?}");
    }

    /// Names after `ACCEPT ` in the sources below a folder; what a format string fills in is cut off.
    fn collect_lines(folder: &Path, names: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect_lines(&path, names);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                for rest in text.split("\"ACCEPT ").skip(1) {
                    let name = rest.split([':', '{']).next().unwrap_or("");
                    names.push(name.trim_end_matches('-').to_owned());
                }
            }
        }
    }
}
