//! Task conditions on records with known numbers: each condition alone, the instants, and what cannot be determined.

mod synthetic;

use synthetic::*;
use veracity_measure::{CannotTell, Measured, Options, TASK_CONDITIONS, Task, metrics};
use veracity_record::{ContactSample, Outcome};

fn measure(metric: &str, case: &Case, options: &Options) -> Result<Measured, CannotTell> {
    (metrics::find(metric).unwrap().measure)(&case.subject(), None, options)
}

fn of(name: &str, task: Task) -> Options {
    Options { of: Some(name.to_string()), task, ..Options::default() }
}

fn grasp(task: Task) -> Options {
    let (grippers, objects) = (vec!["left".into(), "right".into()], vec!["block".into()]);
    Options { grippers, objects, task, ..Options::default() }
}

/// The block leaves downwards at 0.1 m/s.
fn leaving() -> Case {
    held_block(0.01, 101).with(|t| (0..t.rows()).for_each(|r| shift(t, r, 2, [0.0, 0.0, -0.1 * t.times[r]])))
}

#[test]
fn every_condition_is_a_metric_in_seconds() {
    for condition in TASK_CONDITIONS {
        let metric = metrics::find(condition.name).unwrap_or_else(|| panic!("no metric {}", condition.name));
        assert_eq!((metric.unit, metric.needs_truth), ("s", false), "{}", condition.name);
    }
}

#[test]
fn what_never_happens_is_infinite_and_says_how_far_it_was_followed() {
    let held = measure("held", &held_block(0.01, 101), &grasp(Task { within_m: Some(1e-3), ..Task::default() }));
    let held = held.unwrap();
    assert_eq!((held.value, held.at_s), (f64::INFINITY, Some(1.0)));
}

#[test]
fn a_turn_counts_where_it_is_asked_for_and_turning_about_the_vertical_is_no_lean() {
    let spin = turning(0.01, 101);
    let gravity = spin.in_world(|w| w.gravity.z = -9.81);
    let leaning = of("box", Task { tilt_rad: Some(0.1), ..Task::default() });
    assert_eq!(measure("fell", &gravity, &leaning).unwrap().value, f64::INFINITY);
    // Tipped about x from row 50 on.
    let tipped = gravity.with(|t| (50..t.rows()).for_each(|r| turn(t, r, 0, [1.0, 0.0, 0.0], 0.2)));
    let fallen = measure("fell", &tipped, &leaning).unwrap();
    assert!((fallen.value - 0.495).abs() < 1e-12 && (fallen.uncertainty - 0.005).abs() < 1e-12, "{fallen:?}");
    assert!(fallen.note.contains("leans by 0.2"), "{}", fallen.note);
    // It turns at 2 rad/s: at an orientation of 0.5 rad about z, within 0.1 rad, from 0.2 s on.
    let target = Task { target_rpy_rad: Some([0.0, 0.0, 0.5]), within_rad: Some(0.1001), ..Task::default() };
    let reached = measure("reached", &spin, &of("box", target.clone())).unwrap();
    assert!((reached.value - 0.2).abs() <= 0.005 + 1e-12, "{reached:?}");
    // It stays there for 0.1 s and no longer.
    let kept = |for_s: f64| of("box", Task { for_s: Some(for_s), ..target.clone() });
    assert_eq!(measure("reached", &spin, &kept(0.09)).unwrap().value, reached.value);
    assert_eq!(measure("reached", &spin, &kept(0.12)).unwrap().value, f64::INFINITY);
}

#[test]
fn an_object_that_is_touched_is_not_dropped() {
    let far = grasp(Task { farther_m: Some(0.05), ..Task::default() });
    let mut case = leaving();
    let contact = |time: f64, b: u32| ContactSample {
        time,
        body_a: Some(2),
        body_b: Some(b),
        point: [0.0; 3],
        normal: [0.0, 1.0, 0.0],
        gap: 0.0,
        impulse: [0.0; 3],
    };
    // The left gripper keeps contact until 0.7 s; a contact with something else would not count.
    let times = case.record.track.times.clone();
    case.record.contacts = times.iter().filter(|t| **t < 0.705).map(|t| contact(*t, 0)).collect();
    let dropped = measure("dropped", &case, &far).unwrap();
    assert!((dropped.value - 0.705).abs() < 1e-9, "{dropped:?}");
    case.record.contacts.iter_mut().for_each(|c| c.body_b = None);
    assert!((measure("dropped", &case, &far).unwrap().value - 0.5).abs() <= 0.01);
    // By its height: the block starts at the origin.
    let low = grasp(Task { below_m: Some(-0.08), ..Task::default() });
    let falls = leaving().in_world(|w| w.gravity.z = -9.81);
    assert!((measure("dropped", &falls, &low).unwrap().value - 0.8).abs() <= 0.01);
}

#[test]
fn a_window_moves_the_row_that_is_compared_with() {
    // Starting halfway, another 0.05 m take another half a second.
    let mut late = grasp(Task { within_m: Some(0.04), ..Task::default() });
    late.from_s = Some(0.5);
    assert!((measure("held", &leaving(), &late).unwrap().value - 0.9).abs() <= 0.01);
    late.until_s = Some(0.8);
    let held = measure("held", &leaving(), &late).unwrap();
    assert_eq!((held.value, held.at_s.map(|t| (t * 100.0).round())), (f64::INFINITY, Some(80.0)));
}

#[test]
fn a_trial_that_ended_early_is_not_taken_for_a_success() {
    let near = of("box", Task { target_m: Some([0.0; 3]), within_m: Some(0.01), ..Task::default() });
    let low = of("box", Task { below_m: Some(-50.0), ..Task::default() });
    let mut case = falling(0.01, 31);
    case.record.head.duration_s = 2.0;
    case.record.outcome = Outcome::Stopped { time: 0.3, check: "other".into(), reason: String::new() };
    let why = measure("reached", &case, &near).unwrap_err().to_string();
    assert!(why.contains("stopped at 0.3 s"), "{why}");
    // What must not happen has not happened; with a later end it cannot tell.
    assert_eq!(measure("fell", &case, &low).unwrap().value, f64::INFINITY);
    let later = Options { until_s: Some(1.0), ..low.clone() };
    let why = measure("fell", &case, &later).unwrap_err().to_string();
    assert!(why.contains("'other' stopped the trial"), "{why}");
    case.record.outcome = Outcome::BrokeDown { time: 0.3, reason: "no numbers".into() };
    assert!(measure("fell", &case, &low).is_err());
}

#[test]
fn what_is_not_a_number_is_lost_and_has_fallen_and_reached_nothing() {
    let lost = |case: &Case, body: usize| case.with(move |t| shift(t, 5, body, [f64::NAN, 0.0, 0.0]));
    let held =
        measure("held", &lost(&held_block(0.01, 11), 2), &grasp(Task { within_m: Some(1.0), ..Task::default() }));
    assert!((held.unwrap().value - 0.045).abs() < 1e-12);
    let fell =
        measure("fell", &lost(&falling(0.01, 11), 0), &of("box", Task { below_m: Some(-9.0), ..Task::default() }));
    assert!((fell.unwrap().value - 0.045).abs() < 1e-12);
    let near = of("box", Task { target_m: Some([0.0; 3]), within_m: Some(9.0), ..Task::default() });
    let all = falling(0.01, 11).with(|t| (0..t.rows()).for_each(|r| shift(t, r, 0, [f64::NAN, 0.0, 0.0])));
    assert_eq!(measure("reached", &all, &near).unwrap().value, f64::INFINITY);
}

/// T of the grasp study at a slip `d` of a block of mass `m` is ½ m (d / h)²: a level of T is a level of slip.
#[test]
fn a_grasp_metric_above_its_level_is_the_slip_it_stands_for() {
    let case = leaving();
    let (mass, step) = (1.0, case.record.head.step_s);
    let slip: f64 = 0.0495;
    // Where the block is at rest in the rows of the record, only its displacement counts.
    for quantity in ["grasp_published", "grasp_corrected"] {
        let options = Options {
            quantity: Some(quantity.into()),
            level: Some(0.5 * mass * (slip / step).powi(2)),
            ..grasp(Task::default())
        };
        let found = measure("exceeded", &case, &options).unwrap();
        assert!((found.value - 0.495).abs() <= 0.005 + 1e-12, "{quantity}: {found:?}");
        assert!(found.note.contains(quantity), "{}", found.note);
        let never = Options { level: Some(1e30), ..options };
        assert_eq!(measure("exceeded", &case, &never).unwrap().value, f64::INFINITY);
    }
    let lost = case.with(|t| shift(t, 5, 2, [f64::NAN, 0.0, 0.0]));
    let level = Options { quantity: Some("grasp_published".into()), level: Some(1e30), ..grasp(Task::default()) };
    assert!((measure("exceeded", &lost, &level).unwrap().value - 0.045).abs() < 1e-12);
}

#[test]
fn what_is_not_said_is_asked_for() {
    let case = falling(0.01, 11);
    for (metric, options, word) in [
        ("fell", of("box", Task::default()), "below_m"),
        ("reached", of("box", Task { target_m: Some([0.0; 3]), ..Task::default() }), "within_m"),
        ("fell", of("nothing", Task { below_m: Some(0.0), ..Task::default() }), "nothing"),
        ("held", Options::default(), "within_m"),
        ("dropped", Options::default(), "below_m"),
        ("relative_angle", of("box", Task::default()), "with"),
        ("exceeded", Options::default(), "quantity"),
        ("exceeded", Options { quantity: Some("period".into()), ..Options::default() }, "single row"),
        ("exceeded", Options { quantity: Some("displacement".into()), ..of("box", Task::default()) }, "level"),
    ] {
        let why = measure(metric, &case, &options).unwrap_err().to_string();
        assert!(why.contains(word), "{metric}: {why}");
    }
}

#[test]
fn gap_and_slip_follow_bodies_of_two_models() {
    // A second ball, in its own model, 0.3 m from the one that passes at 0.3 m/s.
    let ball = passing_ball(0.01, 51);
    let mut world = (*ball.record.world).clone();
    world.placements.push(world.placements[0].clone());
    world.placements[1].name = "other".to_string();
    let still = [0.3, 0.0, 0.4, 1.0, 0.0, 0.0, 0.0];
    let case = record_of(world, &times(0.01, 51), |t| {
        let mut q = vec![0.0, 0.0, 0.4 + 0.2 * t, 1.0, 0.0, 0.0, 0.0];
        q.extend(still);
        let mut v = vec![0.0, 0.0, 0.0, 0.0, 0.0, 0.2];
        v.extend([0.0; 6]);
        (q, v)
    });
    let options = Options { of: Some("ball/ball".into()), with: Some("other/ball".into()), ..Options::default() };
    // Closest at the start: 0.3 m between centres, two radii of 0.1 m.
    let gap = measure("gap", &case, &options).unwrap();
    assert!((gap.value - 0.1).abs() <= gap.uncertainty + 1e-12 && gap.uncertainty < 1e-2, "{gap:?}");
    // Half a second at 0.2 m/s; without a contact the whole displacement counts.
    let slip = measure("slip", &case, &options).unwrap();
    assert!((slip.value - 0.1).abs() < 1e-12, "{slip:?}");
}
