//! Sites of contact in a world: their places, rows and accelerations.

use super::frame::{self, Bodies, Frame, Frozen};
use super::log::Site;
use super::rows::Rows;
use crate::world::{ContactWorld, LimitedDof};
use veracity_collide::ContactPoint;
use veracity_dynamics::Workspace;
use veracity_model::Vec3;

/// A site at the bodies' places. `None` where the feature has no meaning there.
pub(super) fn frame_at(
    world: &mut ContactWorld,
    site: Site,
    frozen: Option<&Frozen>,
    bodies: &Bodies,
    time: f64,
    (q, v): (&[f64], &[f64]),
) -> Option<Frame> {
    match site {
        Site::Point { pair, feature } => {
            if let Some(frozen) = frozen {
                let [a, b] = world.scene.shapes_of(pair);
                let slots = [a, b].map(|s| world.scene.shapes()[s].body);
                let mut point = frozen.at(time, pair, slots, bodies);
                (point.shape_a, point.shape_b) = (a as u32, b as u32);
                return Some(frame_of(world, &point, bodies));
            }
            let point = world.scene.evaluate(pair, feature, &bodies.poses)?;
            Some(frame_of(world, &point, bodies))
        }
        Site::Limit { dof, upper } => {
            let limit = world.limits.iter().find(|l| l.v == dof as usize)?;
            Some(limit_frame(world, limit, upper, (q, v)))
        }
    }
}

/// A point of the scene with its tangents and velocities.
pub(super) fn frame_of(world: &ContactWorld, point: &ContactPoint, bodies: &Bodies) -> Frame {
    frame::place(bodies, point, world.surface_at(point, &bodies.poses).tangents)
}

/// The end of a joint's range: its way to go and its speed, as a contact without tangents.
pub(super) fn limit_frame(world: &ContactWorld, limit: &LimitedDof, upper: bool, (q, v): (&[f64], &[f64])) -> Frame {
    let body = world.layout.joints.iter().rfind(|j| j.v <= limit.v).map_or(0, |j| j.body);
    let (gap, speed) =
        if upper { (limit.upper - q[limit.q], -v[limit.v]) } else { (q[limit.q] - limit.lower, v[limit.v]) };
    Frame {
        bodies: [body; 2],
        points: [Vec3::zeros(); 2],
        normal: Vec3::zeros(),
        tangents: [Vec3::zeros(); 2],
        gap,
        velocity: [speed, 0.0, 0.0],
        bias: [0.0; 3],
    }
}

/// Accelerations at zero joint accelerations into the frame; `false` where the feature is lost nearby.
pub(super) fn add_bias(
    world: &mut ContactWorld,
    site: Site,
    frozen: Option<&Frozen>,
    frame: &mut Frame,
    ws: &Workspace,
    bodies: &mut Bodies,
) -> bool {
    match site {
        Site::Point { pair, feature } => {
            let ContactWorld { scene, system, places, .. } = world;
            let smooth = if frozen.is_none() { Some((&mut *scene, (pair, feature))) } else { None };
            frame::add_bias(frame, smooth, frozen, (system, ws, places), bodies)
        }
        Site::Limit { .. } => true,
    }
}

/// What a site is frozen to for a step, if its place is too rough to be followed.
pub(super) fn freeze(
    world: &mut ContactWorld,
    site: Site,
    time: f64,
    frame: &Frame,
    bodies: &mut Bodies,
) -> Option<Frozen> {
    let Site::Point { pair, feature } = site else { return None };
    frame::freeze(time, frame, (pair, feature), &mut world.scene, bodies)
}

/// The rows of a site: normal, and the tangents if it has friction.
pub(super) fn push_rows(
    world: &ContactWorld,
    site: Site,
    frame: &Frame,
    friction: bool,
    ws: &Workspace,
    rows: &mut Rows,
) {
    if let Site::Limit { dof, upper } = site {
        rows.push_dof(&world.system, dof as usize, if upper { -1.0 } else { 1.0 });
        return;
    }
    let places = frame.bodies.map(|b| world.places[b]);
    let points = frame.points.map(Into::into);
    rows.push_point(&world.system, ws, places, points, frame.normal.into());
    if friction {
        for t in frame.tangents {
            rows.push_point(&world.system, ws, places, points, t.into());
        }
    }
}
