//! Event-driven contact against closed forms: bounces, sliding, rolling, slipping.

mod scenes;

use scenes::*;
use veracity_contact::event_driven::{EventDriven, EventDrivenSettings, EventKind};
use veracity_dynamics::{NoEfforts, integrate::State};
use veracity_model::{Inertia, Shape, Vec3};

const G: f64 = 9.81;

/// Impact times, the speeds after them, and the time of rest of a ball dropped from rest.
fn bounces(e: f64, height: f64) -> (Vec<f64>, Vec<f64>, f64) {
    let radius = 0.1;
    let ball = body("ball", Inertia::solid_sphere(1.0, radius), Shape::Sphere { radius });
    let world = on_floor(vec![ball], surface(0.3, e));
    let mut engine = EventDriven::new(world, EventDrivenSettings::default()).unwrap();
    let mut state = start(&engine, &[(Vec3::new(0.0, 0.0, radius + height), Vec3::zeros(), Vec3::zeros())]);
    let (mut times, mut speeds, mut rest) = (Vec::new(), Vec::new(), f64::NAN);
    engine
        .advance_to(&mut NoEfforts, &mut state, 60.0, &mut |event, after| match event.kind {
            EventKind::Impact => {
                times.push(event.time);
                speeds.push(after.v[5]);
            }
            EventKind::Rest => rest = event.time,
            _ => {}
        })
        .unwrap();
    (times, speeds, rest)
}

#[test]
fn a_ball_bounces_to_e_squared_of_its_height_and_rests_when_the_series_says() {
    let height = 1.0;
    let mut worst = 0.0_f64;
    let mut worst_end = 0.0_f64;
    for e in [0.1, 0.3, 0.5, 0.7, 0.9] {
        let (times, speeds, rest) = bounces(e, height);
        assert!(times.len() >= 3 && rest.is_finite(), "e = {e}: impacts at {times:?}, rest at {rest}");
        let fall = (2.0 * height / G).sqrt();
        let mut expected = fall;
        for (k, (t, v)) in times.iter().zip(&speeds).enumerate() {
            let wanted = height * e.powi(2 * (k as i32 + 1));
            let rise = v * v / (2.0 * G);
            if wanted > 1e-6 {
                worst = worst.max((rise / wanted - 1.0).abs());
                // Rounding errors of a sum of as many flights.
                assert!((t - expected).abs() < 1e-11, "impact {k} of e = {e} at {t}, not {expected}");
            }
            expected += 2.0 * fall * e.powi(k as i32 + 1);
        }
        let end = fall * (1.0 + e) / (1.0 - e);
        worst_end = worst_end.max((rest / end - 1.0).abs());
    }
    println!("ACCEPT event-bounce: heights {worst:.1e} of e² h, end of the bounces {worst_end:.1e} of its time");
    assert!(worst < 1e-6, "{worst}");
    // The last bounces are caught at 1e-9 m: the rest of the series has the relative error of their speed.
    assert!(worst_end < 1e-9, "{worst_end}");
}

/// A box of 1 kg on the floor.
fn block() -> veracity_model::Body {
    let size = Vec3::new(0.2, 0.2, 0.1);
    body("block", Inertia::solid_box(1.0, size), Shape::Box { size })
}

#[test]
fn a_sliding_block_stops_when_friction_has_eaten_its_speed() {
    let (mu, speed) = (0.4, 2.0);
    let mut engine =
        EventDriven::new(on_floor(vec![block()], surface(mu, 0.0)), EventDrivenSettings::default()).unwrap();
    let mut state = start(&engine, &[(Vec3::new(0.0, 0.0, 0.05), Vec3::new(speed, 0.0, 0.0), Vec3::zeros())]);
    let mut stops = Vec::new();
    engine
        .advance_to(&mut NoEfforts, &mut state, 2.0, &mut |event, _| {
            if event.kind == EventKind::Stick {
                stops.push(event.time);
            }
        })
        .unwrap();
    let (time, distance) = (speed / (mu * G), speed * speed / (2.0 * mu * G));
    let error = (stops[0] - time).abs();
    println!("ACCEPT event-stop: {error:.1e} s, {:.1e} m", (state.q[0] - distance).abs());
    // The accuracy of the integrator over half a second.
    assert!(error < 1e-11 && (state.q[0] - distance).abs() < 1e-11, "{stops:?} {time}, {} {distance}", state.q[0]);
    assert!(state.q[2] - 0.05 > -1e-12 && state.v.iter().all(|v| v.abs() < 1e-11), "{state:?}");
}

#[test]
fn a_ramped_push_makes_a_block_slip_when_it_exceeds_friction() {
    let (mu, rate) = (0.4, 3.0);
    let mut engine =
        EventDriven::new(on_floor(vec![block()], surface(mu, 0.0)), EventDrivenSettings::default()).unwrap();
    let mut state = start(&engine, &[(Vec3::new(0.0, 0.0, 0.05), Vec3::zeros(), Vec3::zeros())]);
    // Pushed at floor height so that it does not tip: force and torque about the centre of mass.
    let mut push = |time: f64, _: &[f64], _: &[f64], tau: &mut [f64]| {
        tau[3] += rate * time;
        tau[1] -= 0.05 * rate * time;
    };
    let mut slips = Vec::new();
    let end = 2.0;
    engine
        .advance_to(&mut push, &mut state, end, &mut |event, _| {
            if event.kind == EventKind::Slip {
                slips.push(event.time);
            }
        })
        .unwrap();
    let time = mu * G / rate;
    let error = (slips[0] - time).abs();
    println!("ACCEPT event-slip: {error:.1e} s");
    assert!(error < 1e-11, "{slips:?} {time}");
    // From then on the push exceeds friction by rate (t - t*).
    let speed = 0.5 * rate * (end - time) * (end - time);
    // Resolving the contacts again a microsecond after the onset causes an error of its square.
    assert!((state.v[3] - speed).abs() < 1e-10, "{} {speed}", state.v[3]);
}

#[test]
fn a_sliding_ball_rolls_after_two_sevenths_of_its_stopping_time() {
    let (mu, speed, radius) = (0.3, 1.0, 0.1);
    let ball = body("ball", Inertia::solid_sphere(1.0, radius), Shape::Sphere { radius });
    let mut engine =
        EventDriven::new(on_floor(vec![ball], surface(mu, 0.0)), EventDrivenSettings::default()).unwrap();
    let mut state =
        start(&engine, &[(Vec3::new(0.0, 0.0, radius), Vec3::new(0.6 * speed, 0.8 * speed, 0.0), Vec3::zeros())]);
    let mut rolls = Vec::new();
    engine
        .advance_to(&mut NoEfforts, &mut state, 2.0, &mut |event, _| {
            if event.kind == EventKind::Stick {
                rolls.push(event.time);
            }
        })
        .unwrap();
    let time = 2.0 * speed / (7.0 * mu * G);
    let error = (rolls[0] - time).abs();
    println!("ACCEPT event-roll: {error:.1e} s");
    assert!(error < 1e-11, "{rolls:?} {time}");
    let rolling = libm::hypot(state.v[3], state.v[4]);
    assert!((rolling - 5.0 / 7.0 * speed).abs() < 1e-11, "{rolling}");
    assert!((state.q[2] - radius).abs() < 1e-11);
}

#[test]
fn a_box_dropped_on_four_corners_comes_to_rest() {
    for e in [0.0, 0.5] {
        let mut engine =
            EventDriven::new(on_floor(vec![block()], surface(0.5, e)), EventDrivenSettings::default()).unwrap();
        let mut state = start(&engine, &[(Vec3::new(0.0, 0.0, 0.55), Vec3::zeros(), Vec3::zeros())]);
        engine.advance_to(&mut NoEfforts, &mut state, 3.0, &mut |_, _| {}).unwrap();
        let State { q, v, .. } = &state;
        assert!((q[2] - 0.05).abs() < 1e-9 && v.iter().all(|v| v.abs() < 1e-9), "{state:?} {:?}", engine.counts());
    }
}
