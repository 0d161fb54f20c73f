//! The post-processor tested on motions in closed form, fed as engines of each kind would feed it.

use super::*;
use veracity_model::{Body, ContactPair, Inertia, Joint, JointKind, ModelBuilder, Pose, Shape, Vec3};
use veracity_record::{Event, Merge};

const G: f64 = 9.81;

fn world() -> World {
    let mut builder = ModelBuilder::new("w");
    let floor = Body::new("floor", Inertia::zero()).with_shape(Shape::Plane, Pose::identity());
    builder.add_body(floor, Joint::new("fixed", JointKind::Fixed), None);
    let ball = |name: &str| Body::new(name, Inertia::solid_sphere(1.0, 0.1));
    let a = builder.add_body(ball("ball"), Joint::new("f1", JointKind::Free), None);
    builder.add_body(ball("another"), Joint::new("f2", JointKind::Free), None);
    let rail = Joint::new("rail", JointKind::prismatic(Vec3::x())).each_dof(|d| (d.lower, d.upper) = (-1.0, 0.5));
    builder.add_body(ball("cart"), rail, None);
    let pair = ContactPair { name: "ball-floor".into(), a, b: None, material: None, conditions: Vec::new() };
    builder.add_contact_pair(pair);
    World::with_model(builder.build().unwrap())
}

fn log(rules: EventRules) -> EventLog {
    let world = world();
    let mut log = EventLog::new(&world, &Layout::new(&world));
    log.switch(Some(rules));
    log
}

/// The state of the world above with the cart somewhere.
fn state(cart: f64, speed: f64) -> (Vec<f64>, Vec<f64>) {
    let mut q = vec![0.0; 15];
    let mut v = vec![0.0; 13];
    (q[14], v[12]) = (cart, speed);
    (q, v)
}

const STILL: Point = Point {
    time: 0.0,
    bodies: [Some(1), Some(0)],
    gap: 0.0,
    approach: 0.0,
    separation: 0.0,
    slide_before: 0.0,
    slide: 0.0,
    normal_impulse: 0.01,
    tangential_impulse: [0.0; 3],
    sticks: None,
    located: false,
};

/// Feeds one step.
fn step(log: &mut EventLog, begin: f64, end: f64, gap: f64, points: &[Point]) {
    let (q, v) = state(0.0, 0.0);
    log.begin_step(begin);
    points.iter().for_each(|p| log.point(&Point { time: if p.located { p.time } else { end }, ..*p }));
    log.end_step(end, &[gap], &q, &v);
}

fn begin(log: &mut EventLog, gap: f64) {
    let (q, v) = state(0.0, 0.0);
    log.begin(0.0, &[gap], &q, &v);
}

fn events(mut log: EventLog) -> Vec<Event> {
    let mut out = Vec::new();
    log.take(true, &mut out);
    in_order(out)
}

fn kinds(events: &[Event]) -> Vec<&'static str> {
    events.iter().map(|e| e.kind.name()).collect()
}

/// A ball dropped from `height` with restitution `e`: its impacts, and gap and velocity at any time.
struct Bounce {
    impacts: Vec<(f64, f64)>,
    height: f64,
}

impl Bounce {
    fn new(height: f64, e: f64) -> Self {
        let (mut t, mut v) = ((2.0 * height / G).sqrt(), (2.0 * G * height).sqrt());
        let mut impacts = Vec::new();
        while v > 1e-9 {
            impacts.push((t, e * v));
            v *= e;
            t += 2.0 * v / G;
        }
        Self { impacts, height }
    }

    fn at(&self, t: f64) -> (f64, f64) {
        match self.impacts.iter().rev().find(|(begun, _)| *begun <= t) {
            None => (self.height - 0.5 * G * t * t, -G * t),
            Some(last) if last.1 < 2e-9 => (0.0, 0.0),
            Some((begun, v)) => {
                let s = t - begun;
                (v * s - 0.5 * G * s * s, v - G * s)
            }
        }
    }

    /// As an engine of fixed steps sees it: the impulse in the step of the impact, located or not.
    fn feed(&self, log: &mut EventLog, h: f64, steps: u32, located: bool) {
        begin(log, self.height);
        for n in 0..steps {
            let (t0, t1) = (f64::from(n) * h, f64::from(n + 1) * h);
            let (before, after) = (self.at(t0), self.at(t1));
            let inside: Vec<&(f64, f64)> = self.impacts.iter().filter(|(t, _)| *t > t0 && *t <= t1).collect();
            let mut points = Vec::new();
            let weight = |approach: f64, separation: f64| Point {
                approach,
                separation,
                normal_impulse: separation - approach,
                ..STILL
            };
            if located {
                points.extend(inside.iter().map(|(t, v)| Point { time: *t, located: true, ..weight(-v / 0.5, *v) }));
            } else if !inside.is_empty() {
                points.push(Point { gap: after.0, ..weight(before.1, after.1) });
            }
            if inside.is_empty() && before == (0.0, 0.0) {
                points.push(weight(0.0, 0.0));
                points.last_mut().unwrap().normal_impulse = G * h;
            }
            step(log, t0, t1, after.0, &points);
        }
    }
}

/// Impacts are found at their instants: exactly where they are located, to second order in the step where not, and the
/// infinitely many last ones are one rest.
#[test]
fn a_bouncing_ball_logs_its_impacts_and_one_rest() {
    let ball = Bounce::new(1.0, 0.5);
    for (h, located) in [(1e-3, true), (2e-3, false), (1e-3, false), (5e-4, false)] {
        let mut log = log(EventRules::default());
        ball.feed(&mut log, h, (2.0 / h) as u32, located);
        let events = events(log);
        let impacts: Vec<&Event> = events.iter().filter(|e| e.kind == EventKind::Impact).collect();
        // A flight of less than the debounce, 10 ms, rises less than 0.12 mm: seven bounces are above it.
        assert_eq!(impacts.len(), 7, "{:?}", kinds(&events));
        assert_eq!(events.iter().filter(|e| e.kind == EventKind::Liftoff).count(), 6);
        assert_eq!(events.last().map(|e| e.kind), Some(EventKind::Rest));
        let end = ball.impacts.last().unwrap().0;
        assert!((events.last().unwrap().time - end).abs() < 0.01, "{} {end}", events.last().unwrap().time);
        for (e, (t, rebound)) in impacts.iter().zip(&ball.impacts) {
            let off = (e.time - t).abs();
            // Assumes that the gap closes at the speed of the step's beginning; over a step gravity adds at most g h² /
            // 2 to the distance.
            let allowed = 0.5 * G * h * h / (2.0 * rebound - G * h);
            if located {
                assert!(off == 0.0 && e.time_error == 0.0);
            } else {
                assert!(off <= allowed && (e.time_error - 0.5 * h).abs() < 1e-12, "{off:e} {allowed:e}");
            }
        }
        for (k, e) in impacts.iter().enumerate() {
            assert_eq!((e.pair.as_str(), e.ordinal), ("w/ball-floor", k as u32 + 1));
        }
    }
}

/// One impulse that an engine spreads over several steps is one event with all of it.
#[test]
fn a_burst_of_a_soft_contact_is_one_impact_with_its_whole_impulse() {
    let mut log = log(EventRules::default());
    begin(&mut log, 1e-3);
    let speeds = [-1.0, -0.4, 0.3, 0.7];
    for n in 0..3 {
        let (approach, separation) = (speeds[n], speeds[n + 1]);
        let t = n as f64 * 1e-3;
        let push = Point { approach, separation, normal_impulse: separation - approach, ..STILL };
        step(&mut log, t, t + 1e-3, -1e-5, &[push]);
    }
    for n in 3..40 {
        step(&mut log, n as f64 * 1e-3, (n + 1) as f64 * 1e-3, 0.7e-3 * (n - 2) as f64, &[]);
    }
    let events = events(log);
    assert_eq!(kinds(&events), ["impact", "liftoff"]);
    assert!((events[0].normal_impulse - 1.7).abs() < 1e-12 && events[0].normal_speed == -1.0);
    // The gap of a millimetre closes in the whole first step.
    assert!((events[0].time - 1e-3).abs() < 1e-15 && (events[1].time - 3e-3).abs() < 1e-15);
}

/// A solver that releases a resting pair every other step causes no events.
#[test]
fn chatter_is_one_touch_and_one_rest() {
    let mut log = log(EventRules::default());
    begin(&mut log, 0.0);
    for n in 0..100 {
        let t = n as f64 * 1e-3;
        step(&mut log, t, t + 1e-3, 1e-7, if n % 2 == 0 { &[STILL] } else { &[] });
    }
    assert_eq!(kinds(&events(log)), ["touch", "rest"]);
}

/// Friction: constant deceleration to a stop, later constant acceleration from it.
#[test]
fn stick_and_slip_are_found_where_the_speed_is_zero() {
    let (mu_g, stop, start) = (2.0, 0.25037, 0.61813);
    let slide = |t: f64| if t < stop { mu_g * (stop - t) } else { (0.5 * (t - start)).max(0.0) };
    let mut log = log(EventRules::default());
    begin(&mut log, 0.0);
    for n in 0..1000 {
        let (t0, t1) = (n as f64 * 1e-3, (n + 1) as f64 * 1e-3);
        step(&mut log, t0, t1, 0.0, &[Point { slide: slide(t1), ..STILL }]);
    }
    let events = events(log);
    assert_eq!(kinds(&events), ["touch", "rest", "stick", "slip"]);
    // Straight lines are extrapolated exactly.
    assert!((events[2].time - stop).abs() < 1e-12, "{}", events[2].time);
    assert!((events[3].time - start).abs() < 1e-12, "{}", events[3].time);
}

#[test]
fn an_instant_of_zero_speed_is_not_a_stick() {
    let mut log = log(EventRules::default());
    begin(&mut log, 0.0);
    for n in 0..1000 {
        let (t0, t1) = (n as f64 * 1e-3, (n + 1) as f64 * 1e-3);
        step(&mut log, t0, t1, 0.0, &[Point { slide: (t1 - 0.5).abs(), ..STILL }]);
    }
    assert_eq!(kinds(&events(log)), ["touch", "rest"]);
}

/// Two points of a patch, one of which touches and slips.
#[test]
fn points_of_a_patch_are_merged_by_the_rule() {
    for (merge, expected) in [(Merge::Any, vec!["touch", "rest", "slip"]), (Merge::All, vec![])] {
        let mut log = log(EventRules { merge, ..EventRules::default() });
        begin(&mut log, 0.0);
        for n in 0..100 {
            let t = n as f64 * 1e-3;
            let apart = Point { normal_impulse: 0.0, gap: 1e-5, ..STILL };
            let slide = if n < 50 { 0.0 } else { 0.01 * (n - 49) as f64 };
            step(&mut log, t, t + 1e-3, 0.0, &[Point { slide, ..STILL }, apart]);
        }
        let events = events(log);
        assert_eq!(kinds(&events), expected, "{merge:?}");
    }
}

#[test]
fn bodies_without_a_named_pair_are_called_by_their_names_in_order() {
    let mut log = log(EventRules::default());
    begin(&mut log, 1.0);
    for bodies in [[Some(2), Some(1)], [Some(1), Some(2)], [None, Some(2)]] {
        step(&mut log, 0.0, 1e-3, 1.0, &[Point { bodies, ..STILL }]);
    }
    let events = events(log);
    let pairs: Vec<&str> = events.iter().map(|e| e.pair.as_str()).collect();
    assert_eq!(pairs, ["w/another w/ball", "ground w/another"]);
}

#[test]
fn a_joint_at_its_limit_is_logged_once_until_it_leaves() {
    let mut log = log(EventRules::default());
    let (q, v) = state(0.4, 1.0);
    log.begin(0.0, &[1.0], &q, &v);
    // 0.45, 0.5 reached between, 0.52 beyond, 0.49999 still there, 0.45 off, 0.6 again.
    for (n, x) in [0.45, 0.52, 0.49999, 0.52, 0.45, 0.6].into_iter().enumerate() {
        let (q, v) = state(x, 0.07);
        log.begin_step(n as f64);
        log.end_step(n as f64 + 1.0, &[1.0], &q, &v);
    }
    let events = events(log);
    assert_eq!(kinds(&events), ["limit", "limit"]);
    assert_eq!((events[0].pair.as_str(), events[1].ordinal), ("w/rail", 2));
    assert!((events[0].time - (1.0 + 0.05 / 0.07)).abs() < 1e-12 && events[0].time_error == 0.5);
}

/// Interrupted anywhere, a restored log gives the events of the uninterrupted one from there on, to the bit.
#[test]
fn a_restored_log_continues_like_the_uninterrupted_one() {
    let ball = Bounce::new(0.05, 0.6);
    let mut whole = log(EventRules::default());
    let h = 1e-3;
    ball.feed(&mut whole, h, 400, false);
    for cut in [1, 99, 101, 105, 180, 250, 300] {
        let mut first = log(EventRules::default());
        ball.feed(&mut first, h, cut, false);
        let mut before = Vec::new();
        first.take(false, &mut before);
        let mut second = log(EventRules { debounce: 1.0, ..EventRules::default() });
        let saved = postcard_round_trip(&first.save());
        second.fits(saved.as_ref()).unwrap();
        second.restore(saved);
        let mut fork = second.clone();
        // What the uninterrupted run does from here on, in both.
        let rest = |log: &mut EventLog| {
            for n in cut..400 {
                let (t0, t1) = (f64::from(n) * h, f64::from(n + 1) * h);
                let slide = if n % 7 == 0 { 0.1 } else { 0.0 };
                let points = [Point { slide, ..STILL }];
                step(log, t0, t1, 1e-6, if n % 5 < 3 { &points } else { &[] });
            }
            let mut out = Vec::new();
            log.take(true, &mut out);
            format!("{out:?}")
        };
        assert_eq!(rest(&mut first), rest(&mut fork), "cut at {cut}");
    }
}

fn postcard_round_trip(saved: &Option<SavedLog>) -> Option<SavedLog> {
    postcard::from_bytes(&postcard::to_stdvec(saved).unwrap()).unwrap()
}

#[test]
fn a_saved_log_that_does_not_fit_is_rejected() {
    let mut log = log(EventRules::default());
    begin(&mut log, 1.0);
    let mut saved = log.save().unwrap();
    assert!(log.fits(Some(&saved)).is_ok() && log.fits(None).is_ok());
    saved.memory.index.push(([0, 1], 7));
    assert!(log.fits(Some(&saved)).is_err());
    saved.memory.index.clear();
    saved.memory.gaps.clear();
    assert!(log.fits(Some(&saved)).is_err());
}
