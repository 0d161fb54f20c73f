//! Contact points of a step, converted for rows and for the event log.

use veracity_contact::Touch;
use veracity_engine::BodyState;
use veracity_engine::events::Point;
use veracity_model::Vec3;
use veracity_record::ContactSample;

/// A contact point, with its time set to the grid if it is at the end of a step.
#[derive(Clone, Copy)]
pub(crate) struct Seen {
    touch: Touch,
}

impl Seen {
    pub(crate) fn new(touch: &Touch, time: Option<f64>) -> Self {
        Self { touch: Touch { time: time.unwrap_or(touch.time), ..*touch } }
    }
}

/// For a row: only points that touched, not those that might have.
pub(crate) fn sample(seen: &Seen) -> Option<ContactSample> {
    let Touch { time, bodies, point, normal, gap, impulse, .. } = seen.touch;
    let touched = gap <= 0.0 || impulse != [0.0; 3];
    let [body_a, body_b] = bodies.map(Some);
    touched.then_some(ContactSample { time, body_a, body_b, point, normal, gap, impulse })
}

/// For the event log. Speeds before the step are those of the bodies at the place where they touch after it.
pub(crate) fn logged(seen: &Seen, before: &[BodyState]) -> Point {
    let touch = &seen.touch;
    let (normal, velocity, impulse) =
        (Vec3::from(touch.normal), Vec3::from(touch.velocity), Vec3::from(touch.impulse));
    let point = Vec3::from(touch.point);
    let across = |x: Vec3| x - x.dot(&normal) * normal;
    let speed = |slot: u32| {
        let body = &before[slot as usize];
        body.linear_velocity + body.angular_velocity.cross(&(point - body.world_from_body.translation.vector))
    };
    Point {
        time: touch.time,
        bodies: touch.bodies.map(Some),
        gap: touch.gap,
        approach: touch.approach,
        separation: velocity.dot(&normal),
        slide_before: across(speed(touch.bodies[0]) - speed(touch.bodies[1])).norm(),
        slide: across(velocity).norm(),
        normal_impulse: impulse.dot(&normal),
        tangential_impulse: across(impulse).into(),
        sticks: Some(touch.sticks),
        located: touch.located,
    }
}
