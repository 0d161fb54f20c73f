//! Contact sites in a world: their positions, rows and accelerations.

use super::closed::closed;
use super::frame::{self, Bodies, Frame, Frozen, Wander};
use super::log::Site;
use super::rows::Rows;
use crate::world::{ContactWorld, LimitedDof};
use veracity_collide::ContactPoint;
use veracity_dynamics::Workspace;
use veracity_model::Vec3;

/// A site at the bodies' poses with its accelerations at zero joint accelerations. `None` where the feature is not
/// defined there or is lost nearby.
pub(super) fn placed(
    world: &mut ContactWorld,
    (site, frozen): (Site, Option<&Frozen>),
    ws: &Workspace,
    bodies: &mut Bodies,
    time: f64,
    state: (&[f64], &[f64]),
) -> Option<Frame> {
    if let (Site::Point { pair, feature }, None) = (site, frozen)
        && let Some((point, wander)) = closed_point(world, pair, feature, bodies)
    {
        let mut frame = frame_of(world, &point, bodies);
        frame.bias = frame::bias(&frame, &wander, (&world.system, ws, &world.places), bodies);
        return Some(frame);
    }
    let mut frame = frame_at(world, site, frozen, bodies, time, state)?;
    add_bias(world, site, frozen, &mut frame, ws, bodies).then_some(frame)
}

/// A point whose position and motion have a closed form.
fn closed_point(world: &ContactWorld, pair: u32, feature: u64, bodies: &Bodies) -> Option<(ContactPoint, Wander)> {
    let make = world.scene.make_of(pair, feature)?;
    let shapes = world.scene.shapes_of(pair);
    let slots = shapes.map(|s| world.scene.shapes()[s].body);
    let found = closed(&make, slots, bodies)?;
    let ([body_a, body_b], [shape_a, shape_b]) = (slots.map(|s| s as u32), shapes.map(|s| s as u32));
    let [point_a, point_b] = found.points;
    let (normal, gap) = (found.normal, found.gap);
    let point = ContactPoint { pair, feature, body_a, body_b, shape_a, shape_b, point_a, point_b, normal, gap };
    Some((point, found.wander))
}

/// A site at the bodies' poses. `None` where the feature is not defined there.
fn frame_at(
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

/// The end of a joint's range: its remaining distance and its speed, as a contact without tangents.
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

/// Adds accelerations at zero joint accelerations to the frame; returns `false` where the feature is lost nearby.
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
            if frozen.is_none()
                && let Some((_, wander)) = closed_point(world, pair, feature, bodies)
            {
                frame.bias = frame::bias(frame, &wander, (&world.system, ws, &world.places), bodies);
                return true;
            }
            let ContactWorld { scene, system, places, .. } = world;
            let smooth = if frozen.is_none() { Some((&mut *scene, (pair, feature))) } else { None };
            frame::add_bias(frame, smooth, frozen, (system, ws, places), bodies)
        }
        Site::Limit { .. } => true,
    }
}

/// The frozen form of a site for a step, if its position is too rough to be followed.
pub(super) fn freeze(world: &mut ContactWorld, site: Site, time: f64, bodies: &mut Bodies) -> Option<Frozen> {
    // Every named feature has a closed form; only nearest points may come from an iteration.
    let Site::Point { pair, feature: 0 } = site else { return None };
    if world.scene.make_of(pair, 0).is_some() {
        return None;
    }
    let point = world.scene.evaluate(pair, 0, &bodies.poses)?;
    let frame = frame_of(world, &point, bodies);
    frame::freeze(time, &frame, (pair, 0), &mut world.scene, bodies)
}

/// Appends the rows of a site: normal, and the tangents if it has friction.
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
