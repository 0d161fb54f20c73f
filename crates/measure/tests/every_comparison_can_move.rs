//! Each comparison is correct on records with a known answer, and a defect moves it by a known amount. A comparison
//! without an entry here fails the test.

mod synthetic;

use synthetic::*;
use veracity_measure::{COMPARISONS, CannotTell, Measured, Options, Quantity, Subject, Truth, comparisons};

struct Mutation {
    comparison: &'static str,
    right: Vec<Case>,
    wrong: Vec<Case>,
    truth: Option<Truth>,
    options: Options,
    /// Value and tolerance on the correct records and on the wrong ones.
    expected: (f64, f64),
    moved: (f64, f64),
}

/// A fall under another gravity [m/s²], from the state the true fall has at `from` [s].
fn fall_under(gravity: f64, from: f64, every_s: f64, rows: usize) -> Case {
    let (z, w) = (1.0 - 0.5 * 9.81 * from * from, -9.81 * from);
    let at = times(every_s, rows).iter().map(|t| from + t).collect::<Vec<_>>();
    record_of(box_world(-9.81), &at, |t| {
        let s = t - from;
        let (z, w) = (z + w * s - 0.5 * gravity * s * s, w - gravity * s);
        (vec![0.0, 0.0, z, 1.0, 0.0, 0.0, 0.0], vec![0.0, 0.0, 0.0, 0.0, 0.0, w])
    })
}

fn swings(integrator: &str) -> Vec<Case> {
    // Finer steps than rows: the error of the method shows, not that of sampling.
    let steps = [0.02, 0.01, 0.005, 0.0025, 0.00125];
    steps
        .iter()
        .map(|&h| simulated_by((integrator, h), &pendulum_world(0.0), (&[1.0], &[0.0]), &[], 0.02, 101))
        .collect()
}

fn mutations() -> Vec<Mutation> {
    let swing = pendulum(0.01, 201);
    let runs = |gravity: f64| -> Vec<Case> {
        let fine = falling(0.001, 1001);
        let short = (0..5).map(|k| fall_under(gravity, 0.1 * f64::from(k), 0.01, 11));
        std::iter::once(fine).chain(short).collect()
    };
    let truth = truth_of(&pendulum(0.02, 101), &[Quantity::JointPosition(0)]);
    vec![
        // The bob is a point: its displacement is exact.
        Mutation {
            comparison: "difference",
            right: vec![swing.clone(), swing.clone()],
            wrong: vec![swing.clone(), swing.clone(), swing.with(|t| shift(t, 9, 0, [0.0, 6e-4, 8e-4]))],
            truth: None,
            options: Options::default(),
            expected: (0.0, 0.0),
            moved: (1e-3, 1e-15),
        },
        // Two falls diverge by ½ Δg t²: at √(2 level / Δg). Rows are 10 ms apart; the instant is found by interpolating
        // motions that a cubic describes exactly, to the nanosecond resolution of instants.
        Mutation {
            comparison: "split_point",
            right: vec![falling(0.01, 101), fall_under(9.82, 0.0, 0.01, 101)],
            wrong: vec![falling(0.01, 101), fall_under(9.85, 0.0, 0.01, 101)],
            truth: None,
            options: Options { level: Some(1e-3), ..Options::default() },
            expected: ((2e-3f64 / 0.01).sqrt(), 2e-9),
            moved: ((2e-3f64 / 0.04).sqrt(), 2e-9),
        },
        // Fourth order and first; the steps are not small enough to show them to more than a few percent.
        Mutation {
            comparison: "order_of_convergence",
            right: swings("rk4"),
            wrong: swings("euler"),
            truth: Some(truth),
            options: Options::default(),
            expected: (4.0, 0.15),
            moved: (1.0, 0.1),
        },
        // Short runs under 0.2 m/s² too much end ½ Δg (0.1 s)² = 1 mm off, under 0.4 twice that.
        Mutation {
            comparison: "self_consistency",
            right: runs(9.81 + 0.2),
            wrong: runs(9.81 + 0.4),
            truth: None,
            options: Options::default(),
            expected: (1e-3, 1e-12),
            moved: (2e-3, 1e-12),
        },
    ]
}

fn compare(name: &str, cases: &[Case], truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    let entry = comparisons::find(name).unwrap_or_else(|| panic!("there is no comparison {name}"));
    let subjects: Vec<Subject<'_>> = cases.iter().map(Case::subject).collect();
    (entry.compare)(&subjects, truth, options)
}

#[test]
fn a_defect_moves_its_comparison_by_what_it_is_worth() {
    for m in mutations() {
        for (cases, (value, within)) in [(&m.right, m.expected), (&m.wrong, m.moved)] {
            let found = compare(m.comparison, cases, m.truth.as_ref(), &m.options);
            let found = found.unwrap_or_else(|e| panic!("{}: {e}", m.comparison));
            let off = (found.value - value).abs();
            assert!(off <= within, "{}: {} and not {value}", m.comparison, found.value);
            let honest = off <= found.uncertainty + 1e-12 || m.comparison == "order_of_convergence";
            assert!(honest, "{}: off by {off:e} beyond its ± {:e}", m.comparison, found.uncertainty);
        }
    }
}

#[test]
fn every_comparison_has_its_mutation() {
    let mutated: Vec<_> = mutations().iter().map(|m| m.comparison).collect();
    for entry in COMPARISONS {
        assert!(mutated.contains(&entry.name), "{} has no mutation in this file", entry.name);
    }
}

#[test]
fn the_order_is_found_without_a_reference_too() {
    for (integrator, order) in [("euler", 1.0), ("rk4", 4.0)] {
        let found = compare("order_of_convergence", &swings(integrator), None, &Options::default()).unwrap();
        assert!((found.value - order).abs() < 0.15, "{integrator}: {} {}", found.value, found.note);
    }
    let uneven = vec![swings("rk4")[0].clone(), swings("rk4")[1].clone(), swings("rk4")[3].clone()];
    let refused = compare("order_of_convergence", &uneven, None, &Options::default()).unwrap_err();
    assert!(refused.0.contains("geometric"), "{refused}");
}

#[test]
fn a_turn_parts_two_records_by_the_way_its_mass_goes() {
    // Turning by φ about z moves mass at distance r from the axis by 2 r sin(φ/2): of the box, r² = (0.1² + 0.2²) / 12.
    let spin = turning(0.01, 11);
    let found = compare(
        "difference",
        &[spin.clone(), spin.with(|t| turn(t, 5, 0, [0.0, 0.0, 1.0], 0.1))],
        None,
        &Options::default(),
    )
    .unwrap();
    let expected = 2.0 * libm::sin(0.05) * (0.05f64 / 12.0).sqrt();
    assert!((found.value - expected).abs() < 1e-15, "{} and not {expected}", found.value);
}

#[test]
fn records_that_never_part_say_how_far_they_were_followed() {
    let fall = falling(0.01, 51);
    let found = compare("split_point", &[fall.clone(), fall.clone()], None, &Options::default()).unwrap();
    assert_eq!((found.value, found.at_s), (f64::INFINITY, Some(0.5)));
}

#[test]
fn a_run_that_does_not_begin_on_the_fine_one_is_refused() {
    let cases = [falling(0.001, 1001), fall_under(9.81, 0.0, 0.01, 11).with(|t| shift(t, 0, 0, [1e-6, 0.0, 0.0]))];
    let refused = compare("self_consistency", &cases, None, &Options::default()).unwrap_err();
    assert!(refused.0.contains("begins 1.0e-6 m"), "{refused}");
}

#[test]
fn records_of_other_worlds_are_not_compared() {
    let refused =
        compare("difference", &[falling(0.01, 5), pendulum(0.01, 5)], None, &Options::default()).unwrap_err();
    assert!(refused.0.contains("different worlds"), "{refused}");
}
