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
    /// Which of its test programs: `test pendulum` or `lib`.
    pub target: &'static str,
    /// The tests in it whose names contain this; at least one must run.
    pub filter: &'static str,
}

/// Every claim, in the order of the pages that make them.
pub const CLAIMS: &[Claim] = &[
    Claim {
        name: "pendulum-position",
        says: "pendulum from horizontal: position at 0.5, 1 and 10 s to 1e-10 m, adaptive integrator",
        package: "veracity-dynamics",
        target: "test pendulum",
        filter: "the_adaptive_integrator_meets_the_elliptic_functions",
    },
    Claim {
        name: "pendulum-period",
        says: "pendulum from horizontal: period 2.36784194757624 s, found as an event, to 1e-10 s",
        package: "veracity-dynamics",
        target: "test pendulum",
        filter: "the_period_is_found_as_an_event",
    },
    Claim {
        name: "order-pendulum",
        says: "every integrator converges with its order on the pendulum",
        package: "veracity-dynamics",
        target: "test pendulum",
        filter: "every_integrator_has_its_order_on_the_pendulum",
    },
    Claim {
        name: "order-chain",
        says: "every fixed-step integrator converges with its order on the 10-link chain",
        package: "veracity-dynamics",
        target: "test convergence",
        filter: "a_chain_converges_at_the_order_of_the_method",
    },
    Claim {
        name: "order-tumbling",
        says: "and on a free body tumbling about its middle axis",
        package: "veracity-dynamics",
        target: "test convergence",
        filter: "a_tumbling_body_converges_at_the_order_of_the_method",
    },
    Claim {
        name: "andrews",
        says: "Andrews' mechanism (A03) at 0.03 s: the seven published angles to 1e-8 rad",
        package: "veracity-dynamics",
        target: "test shipped_mechanisms",
        filter: "andrews_reaches_the_published_angles",
    },
    Claim {
        name: "four-bar-2",
        says: "2 four-bar windows (A02), 10 s through flat: energy 1e-8, parallel 1e-8 rad, motion 1e-7 rad",
        package: "veracity-dynamics",
        target: "test four_bar",
        filter: "two_windows_move_as_one_pendulum_for_ten_seconds",
    },
    Claim {
        name: "four-bar-40",
        says: "40 four-bar windows, likewise",
        package: "veracity-dynamics",
        target: "test four_bar",
        filter: "forty_windows_move_as_one_pendulum",
    },
    Claim {
        name: "bricard",
        says: "Bricard's mechanism (A04), 10 s: energy to 1e-8 of the peak kinetic energy",
        package: "veracity-dynamics",
        target: "test governor_bricard",
        filter: "bricard_keeps_its_energy_for_ten_seconds",
    },
    Claim {
        name: "governor",
        says: "flyball governor (A05), 10 s: two tolerances agree to 1e-8 m, implicit methods converge to the same run",
        package: "veracity-dynamics",
        target: "test governor_bricard",
        filter: "governor",
    },
    Claim {
        name: "ur10-tracking",
        says: "UR10 with the block welded, unit inertias, 1 kHz PD: within 6 mm of the published path at 1, 10 and 100 s",
        package: "veracity-dynamics",
        target: "test ur10_tracking",
        filter: "the_block_follows_the_published_path",
    },
    Claim {
        name: "catalogue",
        says: "every bound of the built-in scenarios can be met by our engine, and every mutation turns a check red",
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
        says: "the published UR10 controllers at 1 kHz: eigenvalue of dt M⁻¹ Kv and radius of the step map within 1 %",
        package: "veracity-check",
        target: "test experiment_audit",
        filter: "the_published_arm_controllers_have_the_eigenvalues",
    },
    Claim {
        name: "random-trees",
        says: "ABA, CRBA and RNEA agree on random trees of up to 60 bodies: backward error at most 1e-13",
        package: "veracity-dynamics",
        target: "test agree_algorithms",
        filter: "forward_and_inverse_dynamics_agree_on_random_trees",
    },
    Claim {
        name: "energy-balance",
        says: "power in is change of energy, relative to the largest term, on the same trees",
        package: "veracity-dynamics",
        target: "test agree_algorithms",
        filter: "kinetic_energy_is_the_mass_matrix_form_and_its_power_balances",
    },
    Claim {
        name: "momentum-balance",
        says: "a free tree's momentum changes by its weight alone, relative to the largest term",
        package: "veracity-dynamics",
        target: "test agree_algorithms",
        filter: "momentum_of_a_free_tree_changes_by_its_weight_alone",
    },
    Claim {
        name: "agree-pinocchio",
        says: "mass matrix, bias and accelerations agree with Pinocchio to 1e-9, on shipped models and files in wheels",
        package: "veracity-dynamics",
        target: "test agree_peers",
        filter: "agree",
    },
    Claim {
        name: "agree-mujoco",
        says: "mass matrix, bias and accelerations agree with MuJoCo to 1e-9, on shipped models and files in wheels",
        package: "veracity-dynamics",
        target: "test agree_peers",
        filter: "agree",
    },
    Claim {
        name: "import-coverage",
        says: "every URDF, SDF and MJCF file in the wheels of pybullet and gymnasium loads, but those docs/import-coverage.md lists",
        package: "veracity-dynamics",
        target: "test agree_peers",
        filter: "files_in_the_wheels_agree",
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
        name: "guests",
        says: "a foreign engine that is missing, silent or dies costs its own rows: all others are the same, bit for bit",
        package: "veracity-cli",
        target: "test guests",
        filter: "guests_that_do_not_answer_or_die_cost_their_own_rows_only",
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
        says: "a full disk in the middle of validate: a sentence, exit 2, the store intact",
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
        says: "10,000 trials through the lab: at most 50 files, memory flat",
        package: "veracity-lab",
        target: "test ten_thousand_trials",
        filter: "ten_thousand",
    },
    Claim {
        name: "mutations",
        says: "every scenario of the catalogue is accepted as it is and rejected when its mutation is applied",
        package: "veracity-lab",
        target: "test every_bound_can_be_broken",
        filter: "every_scenario_is_accepted_as_it_is_and_rejected_when_mutated",
    },
    Claim {
        name: "cycle-reduced",
        says: "reduced wheel, simplest and point-foot walkers: printed fixed points to 1e-13, periods to 1e-12, multipliers to \
               1e-9 by differences and by saltation; no cycle for the wheel at slope 0.1",
        package: "veracity-cycle",
        target: "test reduced_walkers",
        filter: "reduced_",
    },
    Claim {
        name: "cycle-wheel",
        says: "rimless wheel from its model file, event driven: fixed point and period to 1e-9, multiplier to 1e-6, two ways",
        package: "veracity-cycle",
        target: "test engine_walkers",
        filter: "engine_wheel_has_the_cycle_of_the_closed_form",
    },
    Claim {
        name: "cycle-no-wheel",
        says: "rimless wheel on a slope of 0.1, event driven: no cycle, and why",
        package: "veracity-cycle",
        target: "test engine_walkers",
        filter: "engine_wheel_on_a_flatter_slope_has_no_cycle",
    },
    Claim {
        name: "cycle-point-foot",
        says: "point-foot walker from its model file, event driven: fixed point and period to 1e-9, multipliers to 1e-6",
        package: "veracity-cycle",
        target: "test engine_walkers",
        filter: "engine_point_foot_walker_has_the_circulated_cycle",
    },
    Claim {
        name: "cycle-tinkertoy",
        says: "Tinkertoy walker from its model file, event driven: fixed point and period to 1e-9, seven multipliers to 1e-6",
        package: "veracity-cycle",
        target: "test engine_walkers",
        filter: "engine_tinkertoy_has_the_published_cycle",
    },
    Claim {
        name: "cycle-tinkertoy-offset",
        says: "Tinkertoy with x_cm -0.01, 0.002, 0.003, event driven: stride radius 1.696, 0.966, 1.029",
        package: "veracity-cycle",
        target: "test engine_walkers",
        filter: "engine_tinkertoy_loses_its_stability_where_theory_says",
    },
    Claim {
        name: "cycle-simplest",
        says: "simplest walker, event driven, foot masses 1e-4 to 1e-6 extrapolated: the reduced map within the stated error",
        package: "veracity-cycle",
        target: "test engine_walkers",
        filter: "engine_simplest_walker_tends_to_the_printed_long_gait",
    },
    Claim {
        name: "cycle-rk4-ladder",
        says: "fixed-step RK4 with located strikes on the Tinkertoy: order 4",
        package: "veracity-cycle",
        target: "test engine_walkers",
        filter: "engine_rk4_with_events_has_order_four",
    },
    Claim {
        name: "cycle-stepping",
        says: "time stepping with its default converges to the cycles of wheel, point-foot and Tinkertoy at order 1",
        package: "veracity-cycle",
        target: "test time_stepping",
        filter: "stepping_",
    },
    Claim {
        name: "penalty-rest",
        says: "compliant: a box at rest is m g / 4 k deep for k = 1e6 to 1e8 N/m at 1 ms, to 1e-9",
        package: "veracity-contact",
        target: "test penalty",
        filter: "a_box_rests_at_its_weight_over_four_springs",
    },
    Claim {
        name: "penalty-row",
        says: "compliant: every shipped row of 1 to 11 blocks holds 2 s at mu 100 (1 to 3 also at 0.06), within 20 um and 1e-4 rad",
        package: "veracity-contact",
        target: "test penalty",
        filter: "row_of_blocks_is_held",
    },
    Claim {
        name: "penalty-bounce",
        says: "compliant: restitution is Hunt and Crossley's closed form at order 1; a step too coarse loses it",
        package: "veracity-contact",
        target: "test penalty",
        filter: "restitution",
    },
    Claim {
        name: "penalty-order",
        says: "compliant: motion through two bounces with friction converges at order 1",
        package: "veracity-contact",
        target: "test penalty",
        filter: "motion_through_contacts_converges_at_order_one",
    },
    Claim {
        name: "penalty-adaptive",
        says: "compliant, steps by their error: a hundredth of the tolerance is a tenth of the error of a restitution",
        package: "veracity-contact",
        target: "test penalty",
        filter: "steps_follow_their_error",
    },
    Claim {
        name: "penalty-incline",
        says: "compliant: bristles hold at 0.99 of the friction angle, regularised friction creeps as its law says",
        package: "veracity-contact",
        target: "test penalty",
        filter: "on_an_incline",
    },
    Claim {
        name: "penalty-slide",
        says: "compliant: beyond the friction angle Coulomb's acceleration to 1 %",
        package: "veracity-contact",
        target: "test penalty",
        filter: "beyond_the_friction_angle_it_slides_as_coulomb_says",
    },
    Claim {
        name: "maximal-agrees",
        says: "pendulum and chain in maximal coordinates: the difference to reduced ones halves with the step",
        package: "veracity-contact",
        target: "test maximal",
        filter: "both_coordinates_lead_to_one_motion",
    },
    Claim {
        name: "maximal-gaps",
        says: "gaps of joints of a 6-link chain in maximal coordinates: by stabilisation, solver and iterations",
        package: "veracity-contact",
        target: "test maximal",
        filter: "gaps_of_joints_by_stabilisation_and_iterations",
    },
    Claim {
        name: "maximal-stacked",
        says: "stacked joints, projected Gauss-Seidel: degrees at 1/50 s and 8 iterations, flat from 1/200 s on",
        package: "veracity-contact",
        target: "test maximal",
        filter: "stacked_joints_give_way_when_the_step_is_large_and_the_iterations_few",
    },
    Claim {
        name: "event-bounce",
        says: "event driven: a ball bounces to e² of its height to 1e-6 and rests when the series of bounces ends",
        package: "veracity-contact",
        target: "test event_driven_closed_forms",
        filter: "a_ball_bounces_to_e_squared",
    },
    Claim {
        name: "event-stop",
        says: "event driven: a sliding block stops at v/(mu g) to 1e-11 s",
        package: "veracity-contact",
        target: "test event_driven_closed_forms",
        filter: "a_sliding_block_stops",
    },
    Claim {
        name: "event-slip",
        says: "event driven: a ramped push makes a block slip at mu m g over its rate to 1e-11 s",
        package: "veracity-contact",
        target: "test event_driven_closed_forms",
        filter: "a_ramped_push",
    },
    Claim {
        name: "event-roll",
        says: "event driven: a sliding ball rolls after 2 v/(7 mu g) to 1e-11 s",
        package: "veracity-contact",
        target: "test event_driven_closed_forms",
        filter: "a_sliding_ball_rolls",
    },
    Claim {
        name: "event-wheel",
        says: "event driven: the rimless wheel keeps its cycle and its period, both to 1e-9",
        package: "veracity-contact",
        target: "test event_driven_wheel",
        filter: "the_wheel_keeps_its_cycle",
    },
    Claim {
        name: "event-tinkertoy",
        says: "event driven: the Tinkertoy walker's published step is a fixed point and takes its period, both to 1e-9",
        package: "veracity-contact",
        target: "test event_driven_tinkertoy",
        filter: "the_published_step_is_a_fixed_point",
    },
    Claim {
        name: "event-666",
        says: "event driven: elastic 666 keeps its energy to 1e-6 over 10 s",
        package: "veracity-contact",
        target: "test event_driven_666",
        filter: "elastic_balls_keep_their_energy",
    },
    Claim {
        name: "event-ladder",
        says: "event driven: rk4 with located heelstrikes converges with order 4 on the Tinkertoy walker",
        package: "veracity-contact",
        target: "test event_driven_tinkertoy",
        filter: "the_classical_method_converges",
    },
    Claim {
        name: "block-row-holds",
        says: "time stepping: rows of 1 to 11 blocks under 100 n N, friction 100, 1e8 and 0.06, 100 s at 1 ms: T summed over blocks at most 1e-8 (n = 1), 1e-5 (2, 3), 1e-3 (4 to 11); every block within 20 um and 1e-4 rad",
        package: "veracity-contact",
        target: "test stepping",
        filter: "every_row_holds",
    },
    Claim {
        name: "block-row-slides",
        says: "time stepping: with friction 0.04 every row slides with 9.8 - 200 mu to 1 %",
        package: "veracity-contact",
        target: "test stepping",
        filter: "a_slippery_row_slides",
    },
    Claim {
        name: "incline-slip",
        says: "time stepping: slip angle to 0.01 degrees, the same for every heading",
        package: "veracity-contact",
        target: "test stepping",
        filter: "the_slip_angle_is_the_same_all_round",
    },
    Claim {
        name: "incline-pyramid",
        says: "time stepping: friction pyramids of 4 and 8 sides and the box slip where their corners say, to 0.02 degrees",
        package: "veracity-contact",
        target: "test stepping",
        filter: "a_pyramid_holds",
    },
    Claim {
        name: "push",
        says: "time stepping: a push at 0.99 of the friction limit holds, at 1.01 it slides with Coulomb's acceleration to 1 %",
        package: "veracity-contact",
        target: "test stepping",
        filter: "a_push_below_the_limit",
    },
    Claim {
        name: "creep",
        says: "time stepping: a pinched 45 g capsule at margins 1.01 to 95 moves less than 0.01 um/s",
        package: "veracity-contact",
        target: "test stepping",
        filter: "a_pinched_capsule",
    },
    Claim {
        name: "mass-ratio",
        says: "time stepping: a box on one a million times lighter sinks less than 1e-6 m in 100 s",
        package: "veracity-contact",
        target: "test stepping",
        filter: "a_heavy_box",
    },
    Claim {
        name: "long-rest",
        says: "time stepping: a cube at rest for ten hours at 1 ms moves less than 1e-9 m",
        package: "veracity-contact",
        target: "test stepping",
        filter: "a_cube_at_rest",
    },
    Claim {
        name: "six-six-six",
        says: "time stepping: 216 balls at 1 ms, deepest overlap from 8 to 10 s below 1e-6 m",
        package: "veracity-contact",
        target: "test stepping",
        filter: "a_heap_of_balls",
    },
    Claim {
        name: "piles-stepping",
        says: "time stepping: in 10,000 random piles of 2 to 30 mixed solids, 1 s, energy never grows beyond the work done, and never rises by 1e-4",
        package: "veracity-contact",
        target: "test piles",
        filter: "energy_never_grows_by_time_stepping",
    },
    Claim {
        name: "piles-event",
        says: "event driven: in 10,000 random piles of 2 to 30 mixed solids, 1 s, energy never grows beyond the work done, and never rises by 1e-9",
        package: "veracity-contact",
        target: "test piles",
        filter: "energy_never_grows_by_events",
    },
    Claim {
        name: "piles-penalty",
        says: "compliant: in 10,000 random piles of 2 to 30 mixed solids, 1 s, energy never grows beyond the work done, and never rises by 1e-3",
        package: "veracity-contact",
        target: "test piles",
        filter: "energy_never_grows_by_forces",
    },
    Claim {
        name: "mocap-snaps",
        says: "recorded sessions 1 to 6: every cell of the published table of snap changes; samples affected also by our pairing",
        package: "veracity-mocap",
        target: "test weazelball",
        filter: "table_of_snaps_is_that_of_the_recordings",
    },
    Claim {
        name: "mocap-signals",
        says: "recorded sessions 1 to 6: every cell of the published table of LED signals",
        package: "veracity-mocap",
        target: "test weazelball",
        filter: "table_of_signals_is_that_of_the_files",
    },
    Claim {
        name: "mocap-frequencies",
        says: "recorded sessions 1 to 6: intervals, mean rate and most frequent rates of the actuator",
        package: "veracity-mocap",
        target: "test weazelball",
        filter: "table_of_frequencies_is_that_of_the_recordings",
    },
    Claim {
        name: "mocap-centre",
        says: "centre of the ball from height (n = 73,878) and from markers to 1e-5 mm, with uncertainties",
        package: "veracity-mocap",
        target: "test weazelball",
        filter: "centre_from_height_and_markers_are_the_published_ones",
    },
    Claim {
        name: "mocap-test-rows",
        says: "the published test rows of sessions 1 to 6, index by index",
        package: "veracity-mocap",
        target: "test weazelball",
        filter: "test_rows_are_those_that_were_published_index_by_index",
    },
    Claim {
        name: "mocap-own-steps",
        says: "sessions 1 to 6: our own detector finds the snaps that were found by hand; what the stamps are behind is what was lost",
        package: "veracity-mocap",
        target: "test weazelball",
        filter: "our_own_steps_find_what_was_found_by_hand",
    },
    Claim {
        name: "mocap-robust-snaps",
        says: "100 synthetic runs of 12,000 samples at 0.5 mm and 0.3 degrees, wall impacts included: every snap of 15 degrees or 20 mm found, no false one",
        package: "veracity-mocap",
        target: "test synthetic",
        filter: "every_snap_is_found_and_no_impact_is_taken_for_one",
    },
    Claim {
        name: "mocap-synthetic-centre",
        says: "synthetic recordings: centre from height to 0.05 mm",
        package: "veracity-mocap",
        target: "test synthetic",
        filter: "the_centre_is_found_to_a_twentieth_of_a_millimetre",
    },
    Claim {
        name: "mocap-cameras",
        says: "the same through a ring of cameras, loose markers and a C3D file",
        package: "veracity-mocap",
        target: "test formats",
        filter: "the_centre_is_found_through_cameras_and_files",
    },
    Claim {
        name: "mocap-actuator",
        says: "200 synthetic runs: the actuator's angle within its stated uncertainty in 95 %",
        package: "veracity-mocap",
        target: "test synthetic",
        filter: "the_actuator_is_where_it_is_said_to_be",
    },
    Claim {
        name: "mocap-tosses",
        says: "400 recorded cube tosses as records, velocities in the right axes",
        package: "veracity-mocap",
        target: "test formats",
        filter: "tosses_are_records",
    },
    Claim {
        name: "mocap-outside",
        says: "C3D and TRC files of ezc3d and trc-data-reader read as they meant them; ours, Intel and MIPS, read by them and by c3d as by us",
        package: "veracity-mocap",
        target: "test agree_marker_files",
        filter: "",
    },
    Claim {
        name: "toss-scores",
        says: "every engine present on every recorded cube toss, measured friction, default settings: errors by the published protocol",
        package: "veracity-cli",
        target: "test learned",
        filter: "every_engine_is_scored_on_the_recorded_tosses",
    },
    Claim {
        name: "mocap-gigabyte",
        says: "a recording of 1 GB is inspected in bounded memory, and refused in a sentence where it does not fit",
        package: "veracity-mocap",
        target: "test formats",
        filter: "a_gigabyte_is_looked_at_in_bounded_memory_and_refused_in_a_sentence_where_it_does_not_fit",
    },
    Claim {
        name: "svr-published",
        says: "published training sets and settings: training error 4.43 ± 0.1 % (ODE), 4.3 to 5.0 % (DART); shuffled held out 6.9 ± 0.6 % and 17.0 ± 1.0 %; last tenth in time 166 ± 3 % and 101 ± 3 %: leakage",
        package: "veracity-regress",
        target: "test published_sets",
        filter: "the_printed_errors_are_those_of_neighbours",
    },
    Claim {
        name: "svr-support",
        says: "recorded rows: median largest kernel value about 1e-8 (ODE) and 0.25 (DART), shares out of reach told",
        package: "veracity-regress",
        target: "test published_sets",
        filter: "recorded_rows_are_out_of_reach_and_said_to_be",
    },
    Claim {
        name: "svr-sklearn",
        says: "scikit-learn's SVR on 2,500 rows: predictions within 1e-3 of the label range at 1e-6, training error within 0.3 points at 1e-3",
        package: "veracity-regress",
        target: "test agree_sklearn",
        filter: "predictions_are_scikit_learns",
    },
    Claim {
        name: "agree-euler-native",
        says: "pendulum -2.170e-3 rad and -6.005e-4 m g l at 10 s; chain +3.83e-2, +5.71e-2, -1.92e-2 of 98.1 J at 1, 2, 5 s: the numbers that foreign engines of this integrator are held to",
        package: "veracity-engine-native",
        target: "test agree_euler",
        filter: "a_step_is_the_map_that_all_know",
    },
    Claim {
        name: "agree-euler-mujoco",
        says: "pendulum -2.170e-3 rad and -6.005e-4 m g l at 10 s; chain +3.83e-2, +5.71e-2, -1.92e-2 of 98.1 J at 1, 2, 5 s; angles within 1e-6 rad of ours at 2 s",
        package: "veracity-engine-mujoco",
        target: "test conformance",
        filter: "euler_is_the_map_that_all_know",
    },
    Claim {
        name: "agree-euler-bullet",
        says: "pendulum -2.170e-3 rad and -6.005e-4 m g l at 10 s; chain +3.83e-2, +5.71e-2, -1.92e-2 of 98.1 J at 1, 2, 5 s; angles within 1e-6 rad of ours at 2 s",
        package: "veracity-engine-bullet",
        target: "test conformance",
        filter: "a_step_is_the_map_that_all_know",
    },
    Claim {
        name: "agree-euler-dart",
        says: "pendulum -2.170e-3 rad and -6.005e-4 m g l at 10 s; chain +3.83e-2, +5.71e-2, -1.92e-2 of 98.1 J at 1, 2, 5 s; angles within 1e-6 rad of ours at 2 s",
        package: "veracity-engine-dart",
        target: "test conformance",
        filter: "a_step_is_the_map_that_all_know",
    },
    Claim {
        name: "agree-euler-simbody",
        says: "pendulum -2.170e-3 rad and -6.005e-4 m g l at 10 s; chain +3.83e-2, +5.71e-2, -1.92e-2 of 98.1 J at 1, 2, 5 s; angles within 1e-6 rad of ours at 2 s",
        package: "veracity-engine-simbody",
        target: "test conformance",
        filter: "a_step_is_the_map_that_all_know",
    },
    Claim {
        name: "agree-euler-drake",
        says: "a worker in plain Python: pendulum -2.170e-3 rad and -6.005e-4 m g l at 10 s; chain +3.83e-2, +5.71e-2, -1.92e-2 of 98.1 J at 1, 2, 5 s; angles within 1e-6 rad of ours at 2 s",
        package: "veracity-worker",
        target: "test python_worker",
        filter: "a_step_is_the_map_that_all_know",
    },
    Claim {
        name: "repeat-drake",
        says: "two runs in two processes: every recorded number the same to the bit",
        package: "veracity-worker",
        target: "test python_worker",
        filter: "two_runs_are_one",
    },
    Claim {
        name: "repeat-ode",
        says: "two runs in two processes: every recorded number the same to the bit",
        package: "veracity-engine-ode",
        target: "test conformance",
        filter: "two_runs_are_one",
    },
    Claim {
        name: "repeat-bullet",
        says: "two runs in two processes: every recorded number the same to the bit",
        package: "veracity-engine-bullet",
        target: "test conformance",
        filter: "two_runs_are_one",
    },
    Claim {
        name: "repeat-mujoco",
        says: "two runs in two processes: every recorded number the same to the bit",
        package: "veracity-engine-mujoco",
        target: "test conformance",
        filter: "two_runs_are_one",
    },
    Claim {
        name: "repeat-dart",
        says: "two runs in two processes: every recorded number the same to the bit",
        package: "veracity-engine-dart",
        target: "test conformance",
        filter: "two_runs_are_one",
    },
    Claim {
        name: "repeat-simbody",
        says: "two runs in two processes: every recorded number the same to the bit",
        package: "veracity-engine-simbody",
        target: "test conformance",
        filter: "two_runs_are_one",
    },
    Claim {
        name: "worker-faults",
        says: "SIGKILL, SIGSEGV, endless loop, sleep, 10 GB, exit and panic in a worker: its trial says so, the next is the same to the bit, no process and no shared memory is left",
        package: "veracity-worker",
        target: "test campaign",
        filter: "a_campaign_outlives_its_workers",
    },
    Claim {
        name: "tempo-pendulum",
        says: "a program of its own, activated at 1 kHz, swings a pendulum up: 1e-6 rad after 3 s, every activation in time",
        package: "veracity-tempo",
        target: "test runs",
        filter: "a_controller_swings_the_pendulum_up_and_keeps_it",
    },
    Claim {
        name: "tempo-replay",
        says: "a recorded schedule of planner and controller, replayed, gives the same motion bit for bit",
        package: "veracity-tempo",
        target: "test runs",
        filter: "a_schedule_replayed_gives_the_same_motion_bit_for_bit",
    },
    Claim {
        name: "tempo-killed",
        says: "kill -9 of the coordinator at 100 moments: no process of the run is left",
        package: "veracity-tempo",
        target: "test killed_coordinator",
        filter: "nobody_is_left_behind",
    },
    Claim {
        name: "tempo-unmodified",
        says: "sleep, Rust, Python and C++ without change see a second of virtual time to 2 % beside a planner on the same core",
        package: "veracity-tempo",
        target: "test unmodified",
        filter: "second",
    },
    Claim {
        name: "tempo-unmodified-threads",
        says: "a C++ program with threads: sleeps, polls, semaphores, condition variables, timers and alarms take their virtual time to 8 % of 20 ms (15 % beside a thread that spins)",
        package: "veracity-tempo",
        target: "test unmodified_threads",
        filter: "every_timed_wait_takes_its_virtual_time",
    },
    Claim {
        name: "tempo-ompl",
        says: "OMPL's RRT* with a limit of 1.0 s stops after 1.0 s of virtual time and of its own CPU time to 2 %, beside a planner on the same core",
        package: "veracity-tempo",
        target: "test unmodified_threads",
        filter: "rrt_star_stops_after_its_second",
    },
    Claim {
        name: "tempo-chase-as-fixed",
        says: "predator and prey, ten seeds of 20 s, metered against a callback: both distributions, published whichever way they fall",
        package: "veracity-tempo",
        target: "test predator_prey",
        filter: "the_comparison_as_fixed",
    },
    Claim {
        name: "tempo-chase",
        says: "how predator and prey depend on the prey's force and the planner's effort, ten seeds each",
        package: "veracity-tempo",
        target: "test predator_prey",
        filter: "how_it_depends_on_force_and_effort",
    },
    Claim {
        name: "regress-recovers",
        says: "made-up recordings with motion-capture noise: offsets -2.5, 0, 1.5 and 3 within the stated 95 % interval; a heavier, slippery robot: cannot tell",
        package: "veracity-regress",
        target: "test recovery",
        filter: "a_known_offset_is_found_and_another_robot_is_not_explained",
    },
    Claim {
        name: "audit-mutations",
        says: "the audit of an engine is green as it is and WRONG for every number dropped alone, over native (three paradigms) and Rapier (two)",
        package: "veracity-audit",
        target: "test every_dropped_number_is_caught",
        filter: "",
    },
];

/// Claims that are run in parts, so that an interrupted run goes on with the next part, and in how many. The test reads which part
/// it is from `VERACITY_CHUNK=k/n`; items of its `ACCEPT` line are separated by `; `, and those that end with `sum` or `max` are
/// put together.
pub const IN_PARTS: &[(&str, u32)] = &[("piles-stepping", 50), ("piles-event", 50), ("piles-penalty", 50)];

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
