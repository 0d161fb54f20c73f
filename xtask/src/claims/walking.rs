//! Limit cycles of walkers.

use super::Claim;

/// In the order of the pages that make them.
pub const CLAIMS: &[Claim] = &[
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
        name: "cycle-unequal-legs",
        says: "Tinkertoy with one leg of 1.02, 0.97 and 1.05 kg: unequal legs are noticed, and two steps have stride radius 0.7229, 0.765, 0.862",
        package: "veracity-cycle",
        target: "test engine_walkers",
        filter: "tinkertoy_with_unequal_masses_is_analysed_over_two_steps",
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
];
