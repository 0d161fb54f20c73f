//! Real controller programs in step with simulated time.

use super::Claim;

/// In the order of the pages that make them.
pub const CLAIMS: &[Claim] = &[
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
        says: "the coordinator ended by five signals, every second time after a guard was killed if one lived, at 100 moments: no process of the run is left, no daemon, none in a session of its own",
        package: "veracity-tempo",
        target: "test killed_coordinator",
        filter: "nobody_is_left_behind",
    },
    Claim {
        name: "tempo-killed-both",
        says: "guard and coordinator killed at one instant, 100 times, as root and as an unprivileged user: no daemon of the client is left that has loaded the preloaded library",
        package: "veracity-tempo",
        target: "test killed_coordinator",
        filter: "guard_and_coordinator",
    },
    Claim {
        name: "tempo-programs",
        says: "fifteen programs in nine languages, alone, beside a planner, under a load of eight and as an unprivileged user: charged CPU time within 2 % of the kernel's account, virtual time within 1 %, at least 12 of 15 decided in each condition",
        package: "veracity-tempo",
        target: "test programs",
        filter: "programs_",
    },
    Claim {
        name: "tempo-overloads",
        says: "200 controllers with an injected overload (other cores, blocking pairs, children, fsync, uninterruptible reads): none accepted, at least 180 rejected for the overload",
        package: "veracity-tempo",
        target: "test overloads",
        filter: "no_overloaded_controller_is_accepted",
    },
    Claim {
        name: "tempo-replays",
        says: "20 programs that repeat are replayed to the bit, and for 20 that do not the error names the first step that differs",
        package: "veracity-tempo",
        target: "test replays",
        filter: "",
    },
    Claim {
        name: "tempo-unmodified",
        says: "sleep, Rust, Python and C++ without change measure 0.25 to 1 s of virtual time to 2 % beside a planner on the same core",
        package: "veracity-tempo",
        target: "test unmodified",
        filter: "second",
    },
    Claim {
        name: "tempo-trees",
        says: "a shell script, a pool of three workers, a planner started as a program and a forked worker are metered as one client each: the charge is the kernel's account of all their processes to 2 %, beside a planner on the same core",
        package: "veracity-tempo",
        target: "test process_trees",
        filter: "",
    },
    Claim {
        name: "tempo-unmodified-threads",
        says: "a C++ program with threads: sleeps, polls, semaphores, condition variables, timers and alarms take their virtual time to 8 % of 20 ms (15 % beside a thread that spins)",
        package: "veracity-tempo",
        target: "test unmodified_threads",
        filter: "every_timed_wait_takes_its_virtual_time",
    },
    Claim {
        name: "tempo-clocks",
        says: "a controller with the client library, activated at 500 Hz beside a planner on the same core, measures its mean period by its own clock to 2 %",
        package: "veracity-tempo",
        target: "test unmodified",
        filter: "a_controller_with_the_client_library_sees_virtual_time",
    },
    Claim {
        name: "tempo-link",
        says: "the PD of the pendulum over UDP, TCP, lines and the client library moves it like the built-in controller at the same rate with one step of delay, to 1e-9 rad over 5 s",
        package: "veracity-tempo",
        target: "test links",
        filter: "like_the_built_in",
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
];
