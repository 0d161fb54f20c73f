//! The lab: the catalogue and its suites, records, studies that repeat and resume.

use super::Claim;

/// In the order of the pages that make them.
pub const CLAIMS: &[Claim] = &[
    Claim {
        name: "catalogue",
        says: "every bound of the built-in scenarios can be met by our engine, and every mutation turns a check red, but for six that the test names with reasons; rows of blocks over 2 s",
        package: "veracity-scenario",
        target: "test catalogue_on_engines",
        filter: "every_bound_can_be_met_and_every_mutation_turns_a_check_red",
    },
    Claim {
        name: "suite-quick",
        says: "every row of the quick suite, planned rejections included, is what the suite expects",
        package: "veracity-scenario",
        target: "test catalogue_on_engines",
        filter: "the_quick_suite_expects_what_engines_do",
    },
    Claim {
        name: "suite-full",
        says: "every row of the full suite that theory knows, forty windows and 100 s of tracking included, is as expected",
        package: "veracity-scenario",
        target: "test catalogue_on_engines",
        filter: "the_full_suite_expects_what_engines_do",
    },
    Claim {
        name: "experiment-audit",
        says: "the published UR10 controllers at 1 kHz: eigenvalue of dt M⁻¹ Kv and radius of the step map within 1 % or half of the last published digit",
        package: "veracity-check",
        target: "test experiment_audit",
        filter: "the_published_arm_controllers_have_the_eigenvalues",
    },
    Claim {
        name: "mcap-library",
        says: "the MCAP of a record opens with the `mcap` library from PyPI and every channel reads back equal",
        package: "veracity-record",
        target: "test agree_mcap_library",
        filter: "every_channel_reads_back_equal",
    },
    Claim {
        name: "large-study",
        says: "10,000 pendulum trials of 10 s at 100 Hz: at most 50 files, memory flat after the second segment",
        package: "veracity-record",
        target: "test large_study",
        filter: "ten_thousand_pendulum_trials_fit_into_fifty_files_with_flat_memory",
    },
    Claim {
        name: "validate",
        says: "the quick suite: exit 0, every verdict the expected one, at most 1 GiB of memory",
        package: "veracity-cli",
        target: "test lab_commands",
        filter: "the_quick_suite_gives_every_expected_verdict",
    },
    Claim {
        name: "report-size",
        says: "the quick suite's report, on whatever engines are here: one file of at most 6 MB",
        package: "veracity-cli",
        target: "test lab_commands",
        filter: "the_quick_suite_gives_every_expected_verdict",
    },
    Claim {
        name: "repeats",
        says: "one thread, two and a second run: the deterministic parts are byte-identical",
        package: "veracity-lab",
        target: "test studies_repeat_to_the_bit",
        filter: "one_thread_and_two",
    },
    Claim {
        name: "resumes",
        says: "killed in the middle of validate and resumed: the same table",
        package: "veracity-cli",
        target: "test lab_commands",
        filter: "a_run_that_was_killed",
    },
    Claim {
        name: "full-disk",
        says: "a full disk in the middle of validate: a sentence, exit 2; with room again --resume gives the digest of an undisturbed run",
        package: "veracity-cli",
        target: "test lab_commands",
        filter: "a_full_disk",
    },
    Claim {
        name: "one-controller",
        says: "one PD controller through every in-process route: identical bits",
        package: "veracity-lab",
        target: "test one_controller_every_route",
        filter: "every_route",
    },
    Claim {
        name: "baseline",
        says: "compare --baseline fails on a regression and passes a repeat",
        package: "veracity-cli",
        target: "test lab_commands",
        filter: "a_baseline",
    },
    Claim {
        name: "lab-large-study",
        says: "10,000 trials through the lab: at most 50 files, memory grows by less than 200 MiB (records are not kept; what is kept per trial is)",
        package: "veracity-lab",
        target: "test ten_thousand_trials",
        filter: "ten_thousand",
    },
    Claim {
        name: "mutations",
        says: "every scenario of the catalogue without contact is accepted as it is and rejected when its mutation is applied",
        package: "veracity-lab",
        target: "test every_bound_can_be_broken",
        filter: "every_scenario_is_accepted_as_it_is_and_rejected_when_mutated",
    },
    Claim {
        name: "converged-covers",
        says: "converged references of 20 contact scenes of random start: the stated error covers another method in at least 19, at most 4 cannot tell",
        package: "veracity-lab",
        target: "test converged_references_cover",
        filter: "stated_errors_of_converged_references_cover_another_method",
    },
];
