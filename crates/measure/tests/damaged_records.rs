//! Whatever a record or a reference looks like, a metric returns a number, NaN, or a sentence: it never panics and
//! always terminates.

mod synthetic;

use synthetic::*;
use veracity_measure::{COMPARISONS, METRICS, Options, Quantity, Truth};
use veracity_record::{Outcome, Track};

/// Name of a kind of damage, and the function that applies it to a track.
type Damage = (&'static str, fn(&mut Track));

fn damages() -> Vec<Damage> {
    vec![
        ("nothing recorded", |t| *t = Track::default()),
        ("no rows", |t| *t = Track::new(t.nq, t.nv, t.bodies, t.pairs, 0)),
        ("one row", |t| {
            t.times.truncate(1);
            t.q.truncate(t.nq);
            t.v.truncate(t.nv);
            t.efforts.truncate(t.nv);
            t.poses.truncate(7 * t.bodies);
            t.twists.truncate(6 * t.bodies);
            t.gaps.truncate(t.pairs);
        }),
        ("poses cut off", |t| t.poses.truncate(5)),
        ("twists cut off", |t| t.twists.truncate(5)),
        ("joints cut off", |t| {
            t.q.truncate(1);
            t.v.truncate(1);
        }),
        ("efforts cut off", |t| t.efforts.truncate(3)),
        ("more times than rows", |t| t.times.push(9.0)),
        ("every time the same", |t| t.times.fill(0.5)),
        ("times backwards", |t| t.times.reverse()),
        ("non-finite times", |t| t.times.fill(f64::NAN)),
        ("infinite times", |t| t.times.iter_mut().skip(2).for_each(|x| *x = f64::INFINITY)),
        ("huge times", |t| t.times.iter_mut().for_each(|x| *x = 1e15 + *x * 1e3)),
        ("zero quaternions", |t| t.poses.fill(0.0)),
        ("infinite poses", |t| t.poses.fill(f64::INFINITY)),
        ("huge poses", |t| t.poses.iter_mut().for_each(|x| *x *= 1e200)),
        ("non-finite velocities", |t| {
            t.twists.fill(f64::NAN);
            t.v.fill(f64::NAN);
        }),
        ("gaps cut off", |t| {
            t.gaps.clear();
            t.least_gaps.clear();
        }),
    ]
}

fn options() -> Vec<Options> {
    let mut all = vec![
        Options::default(),
        Options { at_s: vec![0.1, 0.123, 77.0], ..Options::default() },
        Options { from_s: Some(0.2), until_s: Some(0.1), ..Options::default() },
        Options { from_s: Some(f64::NAN), time_offset_s: f64::INFINITY, ..Options::default() },
        Options {
            scale: Some(0.0),
            level: Some(f64::NAN),
            quantity: Some("energy_error".into()),
            ..Options::default()
        },
    ];
    for of in ["hinge", "bob", "box", "floor", "nobody", "", "linear", "pendulum/hinge"] {
        all.push(Options { of: Some(of.to_string()), ..Options::default() });
    }
    all
}

fn truths(case: &Case) -> Vec<Option<Truth>> {
    let bodies = case.layout.bodies.len();
    let mut quantities = vec![
        Quantity::Orientation(bodies - 1),
        Quantity::Spin(bodies - 1),
        Quantity::Point { body: bodies - 1, point: [0.1; 3] },
        Quantity::PointVelocity { body: bodies - 1, point: [0.1; 3] },
    ];
    if case.layout.joints.iter().all(|j| j.kind.dof_count() == 1) {
        quantities.extend([Quantity::JointPosition(0), Quantity::JointSpeed(0)]);
    }
    let good = truth_of(case, &quantities);
    let mut foreign = good.clone();
    foreign.channels.iter_mut().for_each(|c| {
        c.quantity = match c.quantity {
            Quantity::Orientation(_) => Quantity::Orientation(99),
            Quantity::JointPosition(_) => Quantity::JointPosition(99),
            _ => Quantity::Scalar("period".to_string()),
        };
    });
    let mut cut = good.clone();
    cut.channels.iter_mut().for_each(|c| c.values.truncate(3));
    let mut empty = good.clone();
    empty.channels.iter_mut().for_each(|c| (c.times, c.values, c.uncertainty) = (vec![], vec![], vec![]));
    vec![None, Some(good), Some(foreign), Some(cut), Some(empty)]
}

#[test]
fn no_record_makes_a_metric_panic() {
    for case in [pendulum(0.01, 30), falling(0.01, 30), passing_ball(0.01, 30)] {
        let truths = truths(&case);
        for (damage, hurt) in damages() {
            let mut hurt_case = case.with(hurt);
            for outcome in [Outcome::Finished, Outcome::BrokeDown { time: 0.1, reason: String::new() }] {
                hurt_case.record.outcome = outcome;
                for options in options() {
                    for truth in &truths {
                        for entry in METRICS {
                            let found = (entry.measure)(&hurt_case.subject(), truth.as_ref(), &options);
                            if let Err(why) = found {
                                assert!(!why.0.is_empty(), "{damage}: {} says nothing", entry.name);
                            }
                        }
                        for entry in COMPARISONS {
                            let subjects = [hurt_case.subject(), case.subject(), hurt_case.subject()];
                            let _ = (entry.compare)(&subjects, truth.as_ref(), &options);
                            let _ = (entry.compare)(&subjects[..1], truth.as_ref(), &options);
                            let _ = (entry.compare)(&[], truth.as_ref(), &options);
                        }
                    }
                }
            }
        }
    }
}
