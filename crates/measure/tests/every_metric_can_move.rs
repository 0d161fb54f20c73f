//! Each metric is correct on a record with a known answer, and a defect in that record moves it by a known amount. A
//! metric without an entry here fails the test.

mod synthetic;

use synthetic::*;
use veracity_measure::{METRICS, Options, Quantity, Task, Truth, TruthChannel, metrics};

/// A correct record, a wrong one, and the expected value of the metric for both.
struct Mutation {
    metric: &'static str,
    right: Case,
    wrong: Case,
    truth: Option<Truth>,
    options: Options,
    /// Value on the correct record, and tolerance.
    expected: (f64, f64),
    /// Value on the wrong record, and tolerance.
    moved: (f64, f64),
}

const ORIGIN: [f64; 3] = [0.0; 3];

fn mutations() -> Vec<Mutation> {
    let fall = falling(0.01, 101);
    let spin = turning(0.01, 101);
    let swing = pendulum(0.01, 201);
    let place = Quantity::Point { body: 0, point: [0.0, 0.0, -1.0] };
    let mutation = |metric, right: &Case, wrong: Case, truth: Option<Quantity>, expected: f64, moved: f64, within| {
        let truth = truth.map(|q| truth_of(right, &[q]));
        let (right, options) = (right.clone(), Options::default());
        Mutation { metric, right, wrong, truth, options, expected: (expected, 1e-12), moved: (moved, within) }
    };
    vec![
        // One body displaced by a millimetre in one row.
        mutation(
            "position_error",
            &swing,
            swing.with(|t| shift(t, 77, 0, [0.0, 1e-3, 0.0])),
            Some(place),
            0.0,
            1e-3,
            1e-15,
        ),
        mutation(
            "orientation_error",
            &spin,
            spin.with(|t| turn(t, 50, 0, [0.6, 0.8, 0.0], 0.01)),
            Some(Quantity::Orientation(0)),
            0.0,
            0.01,
            1e-15,
        ),
        // Half the gravity: the bob is late. Compared with the same integrator, so to its own accuracy.
        {
            let mut light = pendulum_world(0.0);
            light.gravity *= 0.5;
            let wrong = simulated(&light, (&[1.0], &[0.0]), &[], 0.01, 201);
            let apart = |r: usize| (wrong.record.track.q(r)[0] - swing.record.track.q(r)[0]).abs();
            let most = (0..201).map(apart).fold(0.0, f64::max);
            mutation("joint_error", &swing, wrong, Some(Quantity::JointPosition(0)), 0.0, most, 1e-15)
        },
        // Velocities removed: the whole final speed of the fall is missing.
        mutation(
            "velocity_error",
            &fall,
            fall.with(|t| t.twists.fill(0.0)),
            Some(Quantity::PointVelocity { body: 0, point: ORIGIN }),
            0.0,
            9.81,
            1e-12,
        ),
        mutation("spin_error", &spin, spin.with(|t| t.twists.fill(0.0)), Some(Quantity::Spin(0)), 0.0, 2.0, 1e-12),
        mutation(
            "joint_speed_error",
            &swing,
            swing.with(|t| t.v[100] += 0.02),
            Some(Quantity::JointSpeed(0)),
            0.0,
            0.02,
            1e-15,
        ),
        // Gravity of the wrong sign: the fall gains its kinetic energy twice. The scale is that energy.
        mutation("energy_error", &fall, fall.in_world(|w| w.gravity *= -1.0), None, 0.0, 2.0, 1e-12),
        // Its impulse is missing and has the wrong sign: twice the momentum.
        mutation("momentum_error", &fall, fall.in_world(|w| w.gravity *= -1.0), None, 0.0, 2.0, 1e-12),
        mutation(
            "constraint_violation",
            &swing,
            swing.with(|t| shift(t, 10, 0, [6e-4, 0.0, 8e-4])),
            None,
            0.0,
            1e-3,
            1e-15,
        ),
        // About x: perpendicular to the hinge.
        mutation(
            "constraint_angle",
            &swing,
            swing.with(|t| turn(t, 0, 0, [1.0, 0.0, 0.0], 0.01)),
            None,
            0.0,
            0.01,
            1e-14,
        ),
    ]
}

/// Metrics with a nonzero expected value or with options.
fn more_mutations() -> Vec<Mutation> {
    let swing = pendulum(0.01, 1001);
    let ball = passing_ball(0.01, 51);
    let of = |name: &str| Options { of: Some(name.to_string()), ..Options::default() };
    let shifted = |by: [f64; 3]| ball.with(|t| (0..t.rows()).for_each(|r| shift(t, r, 1, by)));
    let faster = {
        let mut world = pendulum_world(0.0);
        world.gravity *= 1.01 * 1.01;
        simulated(&world, (&[1.0], &[0.0]), &[], 0.01, 1001)
    };
    let period = pendulum_period(1.0, 9.81);
    let (flips, flip_period) = flipping(0.01, 2001);
    let hurried = flips.with(|t| t.times.iter_mut().for_each(|x| *x *= 0.99));
    let limited = |case: &Case| case.in_world(|w| limit_hinge(w, -2.0, 0.9));
    let wide = swing.in_world(|w| limit_hinge(w, -2.0, 1.1));
    let mut costly = ball.clone();
    costly.record.host.cpu_s = 0.5;
    costly.record.host.wall_s = 0.5;
    let mut twice = costly.clone();
    twice.record.host.cpu_s = 1.0;
    let known_period = Truth {
        name: "period".to_string(),
        source: "elliptic integral".to_string(),
        channels: vec![TruthChannel {
            quantity: Quantity::Scalar("period_s".to_string()),
            times: vec![0.0],
            values: vec![period],
            uncertainty: vec![0.0],
            parts_at_s: None,
        }],
    };
    let mutation = |metric, right: &Case, wrong: Case, options, expected, moved| Mutation {
        metric,
        right: right.clone(),
        wrong,
        truth: None,
        options,
        expected,
        moved,
    };
    // A hundred rows to a period of two seconds: Hermite's cubic is wrong by 1e-9 of the amplitude.
    let timing = 1e-8;
    vec![
        mutation("joint_limit_violation", &wide, limited(&swing), of("hinge"), (0.0, 0.0), (0.1, 1e-12)),
        // A row coincides with the lowest point; otherwise the gap could have been missed by up to 4·(5 ms)²/2.
        mutation("gap", &ball, shifted([0.0, 0.0, -0.02]), of("floor"), (0.175, 2e-5), (0.155, 2e-5)),
        mutation("penetration", &ball, shifted([0.0, 0.0, -0.2]), of("floor"), (0.0, 0.0), (0.025, 1e-3)),
        // The ball drifts by 0.15 m along the floor whatever its height; a row displaced by 1 m upwards is not slip.
        mutation(
            "slip",
            &ball,
            ball.with(|t| {
                shift(t, 20, 1, [0.0, 0.0, 1.0]);
                shift(t, 50, 1, [0.05, 0.0, 0.0]);
            }),
            of("floor"),
            (0.15, 1e-12),
            (0.2, 1e-12),
        ),
        mutation("period", &swing, faster.clone(), of("hinge"), (period, timing), (period / 1.01, timing)),
        // Angular velocities have no rate in the record: the cubic through four rows, for a flip that takes half a
        // second.
        mutation("flip_period", &flips, hurried, of("box"), (flip_period, 1e-5), (0.99 * flip_period, 1e-5)),
        Mutation {
            truth: Some(known_period),
            ..mutation(
                "scalar_error",
                &swing,
                faster,
                Options { quantity: Some("period".to_string()), ..of("hinge") },
                (0.0, timing),
                (period - period / 1.01, timing),
            )
        },
        mutation("cost", &costly, twice, Options::default(), (1.0, 0.02), (2.0, 0.02)),
    ]
}

fn limit_hinge(world: &mut veracity_model::World, lower: f64, upper: f64) {
    let mut builder = veracity_model::ModelBuilder::new("pendulum");
    let model = &world.placements[0].model;
    let hinge = model.joints()[0].clone().each_dof(|d| (d.lower, d.upper) = (lower, upper));
    builder.add_body(model.bodies()[0].clone(), hinge, None);
    world.placements[0].model = std::sync::Arc::new(builder.build().unwrap());
}

/// Metrics of bodies that touch, or should be at rest.
fn mutations_of_rest() -> Vec<Mutation> {
    let fall = falling(0.01, 101);
    let spin = turning(0.01, 101);
    let ball = passing_ball(0.01, 51);
    let held = held_block(0.01, 11);
    let none = Options::default;
    let of = |name: &str| Options { of: Some(name.to_string()), ..Options::default() };
    let grasp = || Options {
        grippers: vec!["left".into(), "right".into()],
        objects: vec!["block".into()],
        ..Options::default()
    };
    let lower = |by: f64| ball.with(move |t| (0..t.rows()).for_each(|r| shift(t, r, 1, [0.0, 0.0, -by])));
    let mutation = |metric, right: &Case, wrong: Case, options, expected, moved| Mutation {
        metric,
        right: right.clone(),
        wrong,
        truth: None,
        options,
        expected,
        moved,
    };
    let still = fall.with(|t| t.twists.fill(0.0));
    let trembling = still.with(|t| t.twists.chunks_mut(6).for_each(|twist| twist[3] = 1e-3));
    let drifting =
        spin.with(|t| (0..t.rows()).for_each(|r| shift(t, r, 0, [6e-4 * t.times[r], 0.0, 8e-4 * t.times[r]])));
    // The masses of the two grippers do not matter; the block has 1 kg and 1/600 kg m², the step is 1 ms.
    let (slipped, turned) = (0.5 * 1e-3 * 1e-3, 0.5 / 600.0 * 1e-3 * 1e-3);
    vec![
        // Gravity of the wrong sign: potential energy rises where the kinetic does.
        mutation(
            "elastic_energy_error",
            &fall,
            fall.in_world(|w| w.gravity *= -1.0),
            none(),
            (0.0, 1e-12),
            (2.0, 1e-12),
        ),
        mutation("overlap", &ball, lower(0.2), none(), (0.0, 0.0), (0.025, 1e-12)),
        mutation("tunnelled", &ball, lower(0.5), Options { level: Some(0.0), ..none() }, (0.0, 0.0), (1.0, 0.0)),
        mutation("creep_rate", &spin, drifting, none(), (0.0, 1e-15), (1e-3, 1e-12)),
        mutation(
            "displacement",
            &spin,
            spin.with(|t| shift(t, 50, 0, [0.0, 3e-3, 4e-3])),
            none(),
            (0.0, 0.0),
            (5e-3, 1e-15),
        ),
        mutation(
            "displacement_angle",
            &fall,
            fall.with(|t| turn(t, 50, 0, [0.6, 0.0, 0.8], 1e-10)),
            none(),
            (0.0, 0.0),
            // Smaller than a cosine can resolve.
            (1e-10, 1e-15),
        ),
        mutation(
            "sink",
            &fall,
            fall.with(|t| shift(t, 100, 0, [0.0, 0.0, -0.1])),
            none(),
            (4.905, 1e-12),
            (5.005, 1e-12),
        ),
        mutation("jitter", &still, trembling, none(), (0.0, 0.0), (1e-3, 1e-15)),
        mutation(
            "grasp_published",
            &held,
            held.with(|t| shift(t, 7, 2, [0.0, 0.0, -1e-6])),
            grasp(),
            (0.0, 1e-20),
            (slipped, 1e-12),
        ),
        mutation(
            "grasp_corrected",
            &held,
            held.with(|t| turn(t, 7, 2, [0.0, 1.0, 0.0], 1e-6)),
            grasp(),
            (0.0, 1e-20),
            (turned, 1e-15),
        ),
        mutation(
            "highest",
            &fall,
            fall.with(|t| shift(t, 50, 0, [0.0, 0.0, 2.0])),
            of("box"),
            (1.0, 1e-12),
            (1.77375, 1e-12),
        ),
    ]
}

/// Task conditions and poses of one body in the frame of another. An instant is known to half of the 10 ms between rows.
fn mutations_of_tasks() -> Vec<Mutation> {
    let fall = falling(0.01, 101);
    let held = held_block(0.01, 101);
    let half_a_row = 5e-3;
    let grasp = |task: Task| Options {
        grippers: vec!["left".into(), "right".into()],
        objects: vec!["block".into()],
        task,
        ..Options::default()
    };
    let of_box = |task: Task| Options { of: Some("box".into()), task, ..Options::default() };
    let of_block = || Options { of: Some("block".into()), with: Some("left".into()), ..Options::default() };
    // The block leaves its grippers downwards at a constant speed [m/s].
    let leaving =
        |speed: f64| held.with(move |t| (0..t.rows()).for_each(|r| shift(t, r, 2, [0.0, 0.0, -speed * t.times[r]])));
    let lower = |by: f64| fall.with(move |t| (5..t.rows()).for_each(|r| shift(t, r, 0, [0.0, 0.0, -by])));
    let mutation = |metric, right: &Case, wrong: Case, options, expected, moved| Mutation {
        metric,
        right: right.clone(),
        wrong,
        truth: None,
        options,
        expected,
        moved,
    };
    // t = √(2 Δh / g) of a fall from one metre.
    let after = |drop: f64| (2.0 * drop / 9.81).sqrt();
    // Lowered by 0.6 m from the fifth row on: it becomes true between rows four and five.
    let at_row_five = (0.045, 1e-12);
    vec![
        mutation(
            "relative_displacement",
            &held,
            held.with(|t| shift(t, 7, 2, [0.0, 3e-3, 4e-3])),
            of_block(),
            (0.0, 0.0),
            (5e-3, 1e-15),
        ),
        mutation(
            "relative_angle",
            &held,
            held.with(|t| turn(t, 7, 2, [0.0, 0.6, 0.8], 1e-10)),
            of_block(),
            (0.0, 0.0),
            (1e-10, 1e-15),
        ),
        mutation(
            "held",
            &leaving(0.1),
            leaving(0.2),
            grasp(Task { within_m: Some(0.0495), ..Task::default() }),
            (0.495, half_a_row),
            (0.2475, half_a_row),
        ),
        mutation(
            "exceeded",
            &leaving(0.1),
            leaving(0.2),
            Options { quantity: Some("relative_displacement".into()), level: Some(0.0495), ..of_block() },
            (0.495, half_a_row),
            (0.2475, half_a_row),
        ),
        mutation(
            "dropped",
            &leaving(0.1),
            leaving(0.2),
            grasp(Task { farther_m: Some(0.0495), ..Task::default() }),
            (0.495, half_a_row),
            (0.2475, half_a_row),
        ),
        mutation(
            "fell",
            &fall,
            lower(0.6),
            of_box(Task { below_m: Some(0.5), ..Task::default() }),
            (after(0.5), half_a_row),
            at_row_five,
        ),
        mutation(
            "reached",
            &fall,
            lower(0.6),
            of_box(Task { target_m: Some([0.0, 0.0, 0.35]), within_m: Some(0.1), ..Task::default() }),
            (after(0.55), half_a_row),
            at_row_five,
        ),
    ]
}

fn all_mutations() -> Vec<Mutation> {
    let most = mutations().into_iter().chain(more_mutations()).chain(mutations_of_rest());
    most.chain(mutations_of_tasks()).collect()
}

#[test]
fn a_defect_moves_its_metric_by_what_it_is_worth() {
    for m in all_mutations() {
        let entry = metrics::find(m.metric).unwrap_or_else(|| panic!("there is no metric {}", m.metric));
        let measure = |case: &Case| (entry.measure)(&case.subject(), m.truth.as_ref(), &m.options);
        let right = measure(&m.right).unwrap_or_else(|e| panic!("{} on the right record: {e}", m.metric));
        let wrong = measure(&m.wrong).unwrap_or_else(|e| panic!("{} on the wrong record: {e}", m.metric));
        let off = (right.value - m.expected.0).abs();
        assert!(off <= m.expected.1, "{}: {} and not {}", m.metric, right.value, m.expected.0);
        // The expected value must lie inside the stated uncertainty, and the uncertainty must not be excessive.
        let honest = off <= right.uncertainty + 1e-12;
        assert!(honest, "{}: off by {off:e} beyond its ± {:e}", m.metric, right.uncertainty);
        assert!(right.uncertainty <= 1e-9 + 30.0 * m.expected.1, "{}: ± {}", m.metric, right.uncertainty);
        let off = (wrong.value - m.moved.0).abs();
        assert!(off <= m.moved.1, "{}: moved to {} and not {}", m.metric, wrong.value, m.moved.0);
        assert!((m.moved.0 - m.expected.0).abs() > 10.0 * (m.moved.1 + m.expected.1), "{}: no mutation", m.metric);
    }
}

#[test]
fn every_metric_has_its_mutation() {
    let mutated: Vec<_> = all_mutations().iter().map(|m| m.metric).collect();
    for entry in METRICS {
        assert!(mutated.contains(&entry.name), "{} has no mutation in this file", entry.name);
    }
    assert_eq!(mutated.len(), METRICS.len());
}
