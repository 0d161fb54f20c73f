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
        name: "order-chain",
        says: "every fixed-step integrator converges with its order on the 10-link chain",
        package: "veracity-dynamics",
        binary: &["--test", "convergence"],
        filter: "a_chain_converges_at_the_order_of_the_method",
    },
    Claim {
        name: "order-tumbling",
        says: "and on a free body tumbling about its middle axis",
        package: "veracity-dynamics",
        binary: &["--test", "convergence"],
        filter: "a_tumbling_body_converges_at_the_order_of_the_method",
    },
    Claim {
        name: "andrews",
        says: "Andrews' mechanism (A03) at 0.03 s: the seven published angles to 1e-8 rad",
        package: "veracity-dynamics",
        binary: &["--test", "shipped_mechanisms"],
        filter: "andrews_reaches_the_published_angles",
    },
    Claim {
        name: "four-bar-2",
        says: "2 four-bar windows (A02), 10 s through flat: energy 1e-8, parallel 1e-8 rad, motion 1e-7 rad",
        package: "veracity-dynamics",
        binary: &["--test", "four_bar"],
        filter: "two_windows_move_as_one_pendulum_for_ten_seconds",
    },
    Claim {
        name: "four-bar-40",
        says: "40 four-bar windows, likewise",
        package: "veracity-dynamics",
        binary: &["--test", "four_bar"],
        filter: "forty_windows_move_as_one_pendulum",
    },
    Claim {
        name: "bricard",
        says: "Bricard's mechanism (A04), 10 s: energy to 1e-8 of the peak kinetic energy",
        package: "veracity-dynamics",
        binary: &["--test", "governor_bricard"],
        filter: "bricard_keeps_its_energy_for_ten_seconds",
    },
    Claim {
        name: "governor",
        says: "flyball governor (A05), 10 s: two tolerances agree to 1e-8 m, implicit methods converge to the same run",
        package: "veracity-dynamics",
        binary: &["--test", "governor_bricard"],
        filter: "governor",
    },
    Claim {
        name: "ur10-tracking",
        says: "UR10 with the block welded, unit inertias, 1 kHz PD: within 6 mm of the published path at 1, 10 and 100 s",
        package: "veracity-dynamics",
        binary: &["--test", "ur10_tracking"],
        filter: "the_block_follows_the_published_path",
    },
    Claim {
        name: "catalogue",
        says: "every bound of the built-in scenarios can be met by our engine, and every mutation turns a check red",
        package: "veracity-scenario",
        binary: &["--test", "catalogue_on_engines"],
        filter: "every_bound_can_be_met_and_every_mutation_turns_a_check_red",
    },
    Claim {
        name: "suite-quick",
        says: "every row of the quick suite, planned rejections included, is what the suite expects",
        package: "veracity-scenario",
        binary: &["--test", "catalogue_on_engines"],
        filter: "the_quick_suite_expects_what_engines_do",
    },
    Claim {
        name: "suite-full",
        says: "every row of the full suite that theory knows, forty windows and 100 s of tracking included, is as expected",
        package: "veracity-scenario",
        binary: &["--test", "catalogue_on_engines"],
        filter: "the_full_suite_expects_what_engines_do",
    },
    Claim {
        name: "experiment-audit",
        says: "the published UR10 controllers at 1 kHz: eigenvalue of dt M⁻¹ Kv and radius of the step map within 1 %",
        package: "veracity-check",
        binary: &["--test", "experiment_audit"],
        filter: "the_published_arm_controllers_have_the_eigenvalues",
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
    Claim {
        name: "agree-pinocchio",
        says: "mass matrix, bias and accelerations agree with Pinocchio to 1e-9, on shipped models and files in wheels",
        package: "veracity-dynamics",
        binary: &["--test", "agree_peers"],
        filter: "agree",
    },
    Claim {
        name: "agree-mujoco",
        says: "mass matrix, bias and accelerations agree with MuJoCo to 1e-9, on shipped models and files in wheels",
        package: "veracity-dynamics",
        binary: &["--test", "agree_peers"],
        filter: "agree",
    },
    Claim {
        name: "import-coverage",
        says: "every URDF, SDF and MJCF file in the wheels of pybullet and gymnasium loads, but those docs/import-coverage.md lists",
        package: "veracity-dynamics",
        binary: &["--test", "agree_peers"],
        filter: "files_in_the_wheels_agree",
    },
    Claim {
        name: "mcap-library",
        says: "the MCAP of a record opens with the `mcap` library from PyPI and every channel reads back equal",
        package: "veracity-record",
        binary: &["--test", "agree_mcap_library"],
        filter: "every_channel_reads_back_equal",
    },
    Claim {
        name: "large-study",
        says: "10,000 pendulum trials of 10 s at 100 Hz: at most 50 files, memory flat after the second segment",
        package: "veracity-record",
        binary: &["--test", "large_study"],
        filter: "ten_thousand_pendulum_trials_fit_into_fifty_files_with_flat_memory",
    },
    Claim {
        name: "validate",
        says: "the quick suite: exit 0, every verdict the expected one, at most 1 GiB of memory",
        package: "veracity-cli",
        binary: &["--test", "lab_commands"],
        filter: "the_quick_suite_gives_every_expected_verdict",
    },
    Claim {
        name: "repeats",
        says: "one thread, two and a second run: the deterministic parts are byte-identical",
        package: "veracity-lab",
        binary: &["--test", "studies_repeat_to_the_bit"],
        filter: "one_thread_and_two",
    },
    Claim {
        name: "resumes",
        says: "killed in the middle of validate and resumed: the same table",
        package: "veracity-cli",
        binary: &["--test", "lab_commands"],
        filter: "a_run_that_was_killed",
    },
    Claim {
        name: "full-disk",
        says: "a full disk in the middle of validate: a sentence, exit 2, the store intact",
        package: "veracity-cli",
        binary: &["--test", "lab_commands"],
        filter: "a_full_disk",
    },
    Claim {
        name: "one-controller",
        says: "one PD controller through every in-process route: identical bits",
        package: "veracity-lab",
        binary: &["--test", "one_controller_every_route"],
        filter: "every_route",
    },
    Claim {
        name: "baseline",
        says: "compare --baseline fails on a regression and passes a repeat",
        package: "veracity-cli",
        binary: &["--test", "lab_commands"],
        filter: "a_baseline",
    },
    Claim {
        name: "lab-large-study",
        says: "10,000 trials through the lab: at most 50 files, memory flat",
        package: "veracity-lab",
        binary: &["--test", "ten_thousand_trials"],
        filter: "ten_thousand",
    },
    Claim {
        name: "mutations",
        says: "every scenario of the catalogue is accepted as it is and rejected when its mutation is applied",
        package: "veracity-lab",
        binary: &["--test", "every_bound_can_be_broken"],
        filter: "every_scenario_is_accepted_as_it_is_and_rejected_when_mutated",
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
        let mut sources = String::new();
        read_sources(&Workspace::open().unwrap().root.join("crates"), &mut sources);
        // A format string may fill in the end of a name, `order-{name}`, or all of it.
        let printed: Vec<&str> =
            sources.split("\"ACCEPT ").skip(1).filter_map(|rest| rest.split([':', '{']).next()).collect();
        let prints = |line: &str, claim: &Claim| {
            let known = of_line(line).is_some_and(|owner| owner.name == claim.name);
            known || line.ends_with('-') && claim.name.starts_with(line)
        };
        let orphan = |line: &&&str| !line.is_empty() && !CLAIMS.iter().any(|claim| prints(line, claim));
        let orphans: Vec<&&str> = printed.iter().filter(orphan).collect();
        assert!(orphans.is_empty(), "printed by a test, missing in CLAIMS: {orphans:?}");

        // Where a line's name is filled in entirely, the name stands in the source by itself.
        let mute = |claim: &&Claim| {
            !printed.iter().any(|line| prints(line, claim)) && !sources.contains(&format!("\"{}\"", claim.name))
        };
        let mutes: Vec<&str> = CLAIMS.iter().filter(mute).map(|claim| claim.name).collect();
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
