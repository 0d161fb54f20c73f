//! How far a body has slid along another.
//!
//! `of` names a pair, whose first body is followed in the frame of its second, or a body, which is followed in the frame of
//! body `with`, of any model, or in the world.
//! Followed is `point` of the first body (its centre of mass if not given). From where it was in the first row that
//! counts, the way along the surface is the slip: the part along the normal is left out. The normal is that of the first
//! recorded contact of the pair; for a body against the ground without one it is the vertical; for two bodies without one
//! the whole way counts, and the note says so. A body that rolls moves without slipping: follow a point that should stay.

use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::rows::{Rows, largest, need_poses, pose, rows_that_count};
use crate::truth::Truth;
use veracity_model::{Pose, Vec3};

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "slip",
    unit: "m",
    text: "the largest displacement of a body along the body it should stick to",
    needs_truth: false,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    need_poses(subject)?;
    let rows = match rows_that_count(subject, options)? {
        Rows::BrokeDown(broken) => return Ok(broken),
        Rows::Some(rows) => rows,
    };
    let (a, b) = bodies(subject, options)?;
    let track = &subject.record.track;
    let slot = &subject.layout.bodies[a];
    let inertia = &subject.record.world.placements[slot.placement].model.body(slot.body).inertia;
    let point = options.point.map_or(inertia.com, Vec3::from);
    let base = |row: usize| b.map_or(Pose::identity(), |b| pose(track, row, b));
    let seen = |row: usize| {
        let (first, second) = (pose(track, row, a), base(row));
        second.rotation.inverse() * (first.translation.vector - second.translation.vector + first.rotation * point)
    };
    let start = rows[0];
    let normal = normal(subject, a, b, track.times[start]).map(|n| base(start).rotation.inverse() * n);
    let from = seen(start);
    let slip = |row: usize| {
        let way = seen(row) - from;
        normal.map_or(way, |n| way - n * n.dot(&way)).norm()
    };
    let series: Vec<(f64, f64)> = rows.iter().map(|&r| (track.times[r], slip(r))).collect();
    let none = vec![0.0; series.len()];
    let mut measured = largest(series, &none);
    if normal.is_none() {
        measured.note = "no contact gives the direction of the surface: the whole displacement counts".to_string();
    }
    Ok(measured)
}

/// The body that is followed, and the body in whose frame it is followed.
fn bodies(subject: &Subject<'_>, options: &Options) -> Result<(usize, Option<usize>), CannotTell> {
    let Some(name) = &options.of else {
        return CannotTell::new("name the pair or the body that should not slip with `of`");
    };
    if options.with.is_some() {
        let body = |key: &str, name: Option<&String>| crate::task_conditions::body(subject.layout, key, name);
        return Ok((body("of", Some(name))?, Some(body("with", options.with.as_ref())?)));
    }
    if let Some(pair) = subject.layout.pair(name) {
        let mut at = pair;
        let mut first = 0;
        for placement in &subject.record.world.placements {
            let pairs = placement.model.contact_pairs();
            if let Some(pair) = pairs.get(at) {
                return Ok((first + pair.a.0, pair.b.map(|b| first + b.0)));
            }
            at -= pairs.len();
            first += placement.model.bodies().len();
        }
    }
    match subject.layout.body(name) {
        Some(body) => Ok((body, None)),
        None => CannotTell::new(format!("the world has no pair and no body '{name}'; correct `of`")),
    }
}

/// Unit normal of the surface in the world, where it is known.
fn normal(subject: &Subject<'_>, a: usize, b: Option<usize>, from: f64) -> Option<Vec3> {
    let (a, b) = (Some(a as u32), b.map(|b| b as u32));
    let same = |x: Option<u32>, y: Option<u32>| (x, y) == (a, b) || (x, y) == (b, a);
    // Against the ground, any body other than the followed one may belong to the ground.
    let meant = |x: Option<u32>, y: Option<u32>| if b.is_some() { same(x, y) } else { x == a || y == a };
    let contacts = subject.record.contacts.iter();
    let touched = contacts.filter(|c| c.time >= from && meant(c.body_a, c.body_b)).map(|c| Vec3::from(c.normal));
    let vertical = || (b.is_none()).then(|| -subject.record.world.gravity);
    touched.into_iter().next().or_else(vertical).and_then(|n| n.try_normalize(0.0))
}
