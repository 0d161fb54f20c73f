//! The methods applied to walkers whose cycles are known to many digits.

use nalgebra::Complex;
use veracity_cycle::analysis::Cycle;
use veracity_cycle::continuation::follow;
use veracity_cycle::reference::{RimlessWheel, SimplestWalker, StraightLegs};
use veracity_cycle::spectrum::distance;
use veracity_cycle::{Arcs, CycleAnalysis, Search, Stability, analyse_twice};

/// The widely used fixed point: q1, u1 and, relative, q2, u2.
const POINT_FOOT_START: [f64; 4] =
    StraightLegs::start(0.162_597_833_780_041, -0.231_869_638_058_93, -0.325_195_667_560_083, 0.037_978_468_073_743);

fn cycle(map: &mut impl Arcs, guess: &[f64]) -> Cycle {
    match analyse_twice(map, guess, &Search::default()).unwrap() {
        CycleAnalysis::Cycle(cycle) => *cycle,
        CycleAnalysis::NoCycle(why) => panic!("{why}"),
    }
}

fn pair(re: f64, im: f64) -> [Complex<f64>; 2] {
    [Complex::new(re, im), Complex::new(re, -im)]
}

fn values(cycle: &Cycle) -> Vec<Complex<f64>> {
    cycle.multipliers.iter().map(|m| m.value).collect()
}

/// Both methods agree with `right` and with each other, and the actual errors are within the claimed ones.
fn holds(name: &str, cycle: &Cycle, right: &[Complex<f64>], period: f64) {
    let saltation = cycle.saltation.as_ref().unwrap();
    let (by_differences, by_saltation) = (distance(&values(cycle), right), distance(&saltation.multipliers, right));
    let claimed = cycle.multipliers.iter().map(|m| m.error).fold(0.0, f64::max);
    println!(
        "ACCEPT cycle-reduced-{name}: multipliers to {by_differences:.1e} by differences (claimed {claimed:.1e}), \
         {by_saltation:.1e} by saltation, period to {:.1e}",
        (cycle.period_s.value - period).abs()
    );
    // Printed to ten digits or more; differences of order six at 4e-4 of strides accurate to 1e-14 leave 1e-10.
    assert!(by_differences < 1e-9, "{by_differences:.1e}");
    assert!(by_saltation < 1e-9, "{by_saltation:.1e}");
    // The general bound for two methods is 1e-6; these are far better.
    assert!(saltation.distance < 1e-9 && saltation.flow_defect < 1e-9, "{saltation:?}");
    assert!(by_differences <= claimed, "claimed {claimed:.1e}, is {by_differences:.1e}");
    // Rounding of a stride of some fifty steps, divided by 1 - λ.
    assert!((cycle.period_s.value - period).abs() < 1e-12, "{}", cycle.period_s.value - period);
    assert!((cycle.period_s.value - period).abs() <= cycle.period_s.error);
}

#[test]
fn reduced_rimless_wheel_is_its_closed_form() {
    for lambda_squared in [2.0 / 3.0, 0.5] {
        let mut wheel = RimlessWheel { spokes: 6, lambda_squared, slope_rad: 0.2 };
        let exact = wheel.cycle().unwrap();
        let found = cycle(&mut wheel, &[-0.3, 0.7]);
        // A few units in the last place, divided by 1 - μ².
        assert!((found.state[1] - exact.speed_after).abs() < 1e-14, "{}", found.state[1] - exact.speed_after);
        holds("wheel", &found, &[Complex::new(exact.multiplier, 0.0)], exact.period);
    }
}

#[test]
fn reduced_simplest_walker_has_the_printed_long_gait() {
    let mut walker = SimplestWalker { slope_rad: 0.009 };
    let found = cycle(&mut walker, &SimplestWalker::start(0.2, -0.2));
    let printed =
        [0.200_310_900_544_247_08, 0.400_621_801_088_494_16, -0.199_832_473_004_952_35, -0.015_822_999_948_309_383];
    for (mine, right) in found.state.iter().zip(printed) {
        // Rounding of the stride, divided by |1 - λ|.
        assert!((mine - right).abs() < 1e-13, "{}", mine - right);
    }
    let [up, down] = pair(-0.190_099_841_065_888_15, 0.557_598_776_682_068_3);
    holds("long-gait", &found, &[up, down, Complex::new(0.0, 0.0)], 3.882_463_752_851_374);
}

#[test]
fn reduced_simplest_walker_has_the_short_gait_which_is_unstable() {
    let mut walker = SimplestWalker { slope_rad: 0.009 };
    let outcome = analyse_twice(&mut walker, &SimplestWalker::start(0.1939, -0.2038), &Search::default()).unwrap();
    assert_eq!(outcome.stability(), Stability::Unstable);
    let found = outcome.cycle().unwrap();
    assert!((found.state[0] - 0.193_937_369_810_181_8).abs() < 1e-13, "{}", found.state[0]);
    assert!((found.state[2] + 0.203_866_927_442_006_93).abs() < 1e-13);
    let right = [4.003_864_358_929_707, 0.459_589_589_797_671_6, 0.0].map(|x| Complex::new(x, 0.0));
    holds("short-gait", found, &right, 3.096_105_868_078_163_7);
}

#[test]
fn reduced_point_foot_walker_has_the_circulated_cycle() {
    let mut walker = StraightLegs::POINT_FOOT;
    let found = cycle(&mut walker, &POINT_FOOT_START);
    for (mine, right) in found.state.iter().zip(POINT_FOOT_START) {
        // Printed with fifteen digits and found to hold to 1.3e-14.
        assert!((mine - right).abs() < 5e-14, "{}", mine - right);
    }
    let [up, down] = pair(0.260_698_242_78, 0.304_036_890_07);
    holds("point-foot", &found, &[up, down, Complex::new(0.310_142_041_18, 0.0)], 2.468_578_733_166_67);
}

#[test]
fn feet_of_vanishing_mass_make_the_simplest_walker() {
    let mut simplest = SimplestWalker { slope_rad: 0.009 };
    let limit = cycle(&mut simplest, &SimplestWalker::start(0.2, -0.2));
    let start = [0.2003, -0.2003, -0.19983, -0.184];
    let light = |ratio: f64| cycle(&mut StraightLegs::with_feet(ratio, 0.009), &start);
    let [a, b, c] = [1e-4, 1e-5, 1e-6].map(light);
    // Linear in the mass: the distance falls tenfold from one decade to the next.
    let apart = |x: &Cycle| (x.state[0] - limit.state[0]).abs();
    assert!((apart(&a) / apart(&b) - 10.0).abs() < 0.1 && (apart(&b) / apart(&c) - 10.0).abs() < 0.01);
    assert!(distance(&values(&a), &values(&limit)) > 10.0 * distance(&values(&c), &values(&limit)));
}

#[test]
fn reduced_wheel_on_a_flatter_slope_has_no_cycle_whatever_the_guess() {
    let mut wheel = RimlessWheel { spokes: 6, lambda_squared: 2.0 / 3.0, slope_rad: 0.1 };
    for speed in [0.3, 0.4, 0.8] {
        let outcome = analyse_twice(&mut wheel, &[-0.4, speed], &Search::default()).unwrap();
        assert_eq!(outcome.stability(), Stability::NoCycle, "{speed}");
        let CycleAnalysis::NoCycle(why) = outcome else { panic!("a cycle") };
        assert!(why.to_string().contains("does not pass midstance"), "{why}");
    }
    println!("ACCEPT cycle-reduced-flat-wheel: no cycle at a = 0.1 from any of 3 guesses");
}

#[test]
fn a_slightly_different_walker_breaks_every_bound() {
    // A millionth more hip mass, a millionth more slope: multipliers and periods move far beyond the claimed errors.
    let exact = cycle(&mut StraightLegs::POINT_FOOT.clone(), &POINT_FOOT_START);
    for other in [
        StraightLegs { hip_mass: 1.000_001, ..StraightLegs::POINT_FOOT },
        StraightLegs { slope_rad: 0.010_000_01, ..StraightLegs::POINT_FOOT },
    ] {
        let found = cycle(&mut { other }, &POINT_FOOT_START);
        assert!((found.period_s.value - exact.period_s.value).abs() > 1e-9);
        assert!((found.state[2] - exact.state[2]).abs() > 1e-9);
        assert!(distance(&values(&found), &values(&exact)) > 1e-8);
    }
}

#[test]
fn continuation_follows_the_long_gait_to_period_doubling() {
    // Published: stable for slopes up to 0.015.
    let mut family = |slope_rad: f64| Ok(SimplestWalker { slope_rad });
    let guess = SimplestWalker::start(0.2, -0.2);
    let path = follow(&mut family, 0.009, 0.017, &guess, 8, &Search::default()).unwrap();
    let radius = |at: f64, state: &[f64]| cycle(&mut SimplestWalker { slope_rad: at }, state).radius.value;
    let at = |slope: f64| path.iter().find(|a| (a.at - slope).abs() < 1e-9).unwrap();
    assert!(radius(0.014, &at(0.014).fixed_point.state) < 1.0);
    assert!(radius(0.016, &at(0.016).fixed_point.state) > 1.0);
    // As the slope decreases the wheel's cycle ends, and the error says where.
    let mut wheels = |slope_rad: f64| Ok(RimlessWheel { spokes: 6, lambda_squared: 2.0 / 3.0, slope_rad });
    let lost = follow(&mut wheels, 0.2, 0.05, &[-0.32, 0.46], 15, &Search::default()).unwrap_err();
    // By (5) and (6) the wheel passes midstance down to a slope of 0.106.
    assert!(lost.last_at > 0.1 && lost.last_at < 0.115, "{lost}");
}
