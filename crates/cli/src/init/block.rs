//! A block between two groups of bodies, found by rays.
//!
//! From a plane between the groups, a grid of rays goes both ways. A part of the grid whose corner rays are equally long
//! on each side, and no longer than the rays between them, is where a box touches both sides at four points or more: flat
//! surfaces, and pads with gaps between them. The largest such part of the grid is chosen.

use super::robot::{PlacedCollider, Robot};
use veracity_collide::{Collider, Ray, collider_gap_within};
use veracity_model::geometry::Mat3;
use veracity_model::{JointId, JointKind, Pose, Quat, Shape, Vec3};

/// Rays along each edge of the grid.
const RAYS: usize = 13;
/// How unequal the lengths of rays on a flat surface may be [m].
const FLAT: f64 = 3e-4;
/// How far a block may turn until it rests on slightly curved or tapered surfaces [rad]: half of what the scenario's check
/// allows. Tried where no surface is flat.
pub const TILT: f64 = 0.05;
/// Smallest and largest edge of the block along the surfaces [m].
pub const EDGE: [f64; 2] = [0.005, 0.05];
/// Smallest and largest distance of the surfaces [m].
const WIDTH: [f64; 2] = [0.003, 0.15];
/// Room left on each side of the block [m].
const CLEARANCE: f64 = 1e-4;

/// A block and the bodies that hold it.
pub struct GraspBlock {
    /// The body on each side.
    pub sides: [usize; 2],
    /// Its frame at its middle; x goes from the first side to the second.
    pub world_from_block: Pose,
    /// Edges along its axes [m].
    pub size: Vec3,
}

impl GraspBlock {
    /// Distance of the two sides along the block's x axis through its middle [m].
    pub fn width_in(&self, robot: &Robot) -> Option<f64> {
        let middle = self.world_from_block.translation.vector;
        let x = self.world_from_block.rotation * Vec3::x();
        let to = |side: usize, direction: Vec3| {
            let ray = Ray { origin: middle, direction };
            nearest(robot, &[self.sides[side]], &ray).map(|(distance, _)| distance)
        };
        Some(to(0, -x)? + to(1, x)?)
    }
}

/// What was found between two groups of bodies.
#[derive(Default)]
pub struct Facing {
    /// The largest block.
    pub block: Option<GraspBlock>,
    /// How far a block would turn on the pair of surfaces that is nearest to parallel [rad]; `None` where no two surfaces face
    /// each other.
    pub tilt: Option<f64>,
}

/// The best block between two groups of bodies where they are now, on surfaces on which it turns by at most `most_tilt` [rad].
pub fn between(robot: &Robot, sides: &[Vec<usize>; 2], palm: usize, drivers: &[usize], most_tilt: f64) -> Facing {
    let mut best: Option<(f64, GraspBlock)> = None;
    let mut tilt: Option<f64> = None;
    for rotation in directions(robot, sides, palm, drivers) {
        for plane in planes(robot, sides, &rotation) {
            let found = facing(robot, sides, palm, (&rotation, plane), most_tilt, &mut tilt);
            if let Some((area, block)) = found
                && best.as_ref().is_none_or(|(most, _)| area > 1.05 * most)
            {
                best = Some((area, block));
            }
        }
    }
    Facing { block: best.map(|(_, block)| block), tilt }
}

/// Places along x from which rays are sent: the middle between the sides, or, where one side reaches around the other
/// (a palm around its jaw), some distances in front of the first.
fn planes(robot: &Robot, sides: &[Vec<usize>; 2], rotation: &Quat) -> Vec<f64> {
    let frame = Pose::from_parts(Vec3::zeros().into(), *rotation);
    let [Some(a), Some(b)] = sides.each_ref().map(|side| robot.bounds_in(&frame, side)) else { return Vec::new() };
    if a[1].x < b[0].x {
        return vec![0.5 * (a[1].x + b[0].x)];
    }
    [0.002, 0.005, 0.01, 0.02, 0.04].map(|distance| a[1].x + distance).to_vec()
}

/// Frames whose x axis may be the direction in which the sides close.
fn directions(robot: &Robot, sides: &[Vec<usize>; 2], palm: usize, drivers: &[usize]) -> Vec<Quat> {
    let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
    let palm = robot.poses[palm].rotation;
    let mut out: Vec<Vec3> = axes.iter().map(|axis| palm * axis).collect();
    for &driver in drivers {
        let joint = robot.world.placements[0].model.joint(JointId(driver));
        let turn = robot.poses[driver].rotation * joint.child_from_joint.rotation;
        match robot.layout.joints[driver].kind {
            JointKind::Prismatic { axis } => out.push(turn * axis),
            // Everything that the hinge turns faces some direction across its axis.
            JointKind::Revolute { axis } | JointKind::Continuous { axis } => {
                let axis = turn * axis;
                let across = axis.cross(&axes[axis.iamin()]).normalize();
                let angles = (0..24).map(|i| f64::from(i) * std::f64::consts::PI / 24.0);
                out.extend(angles.map(|angle| Quat::from_scaled_axis(axis * angle) * across));
            }
            _ => {}
        }
    }
    let centre = |bodies: &[usize]| robot.bounds(bodies).map(|[low, high]| 0.5 * (low + high));
    let between = centre(&sides[0]).zip(centre(&sides[1])).map(|(a, b)| b - a);
    let between = between.unwrap_or_else(Vec3::x);
    let frame = |x: Vec3| {
        // From the first side to the second; y along the palm's axis that is most nearly across x.
        let x = if x.dot(&between) < 0.0 { -x } else { x };
        let local = palm.inverse() * x;
        let y = palm * axes[local.iamin()];
        let z = x.cross(&y).normalize();
        let y = z.cross(&x);
        Quat::from_matrix(&Mat3::from_columns(&[x, y, z]))
    };
    out.into_iter().map(frame).collect()
}

/// The largest block whose x axis is that of the frame, and its area. Lowers `least_tilt` to that of the surfaces nearest
/// to parallel.
fn facing(
    robot: &Robot,
    sides: &[Vec<usize>; 2],
    palm: usize,
    (rotation, plane): (&Quat, f64),
    most_tilt: f64,
    least_tilt: &mut Option<f64>,
) -> Option<(f64, GraspBlock)> {
    let world_from_frame = Pose::from_parts(Vec3::zeros().into(), *rotation);
    let [a, b] = sides.each_ref().map(|side| robot.bounds_in(&world_from_frame, side));
    let (a, b) = (a?, b?);
    let (low, high) = (a[0].sup(&b[0]), a[1].inf(&b[1]));
    let size = high - low;
    if size.y < EDGE[0] || size.z < EDGE[0] {
        return None;
    }
    let spacing = [size.y, size.z].map(|extent| extent / (RAYS - 1) as f64);
    let mut hits = [[None; RAYS]; RAYS];
    for (i, row) in hits.iter_mut().enumerate() {
        for (j, hit) in row.iter_mut().enumerate() {
            let point = Vec3::new(plane, low.y + i as f64 * spacing[0], low.z + j as f64 * spacing[1]);
            let x = rotation * Vec3::x();
            let both = [-x, x].map(|direction| Ray { origin: rotation * point, direction });
            let to = |side: usize| nearest(robot, &sides[side], &both[side]).filter(|(distance, _)| *distance > 0.0);
            *hit = to(0).zip(to(1));
        }
    }
    let palm_at = rotation.inverse() * robot.poses[palm].translation.vector;
    let mut best: Option<([f64; 2], GraspBlock)> = None;
    for (i0, i1) in windows(spacing[0]) {
        for (j0, j1) in windows(spacing[1]) {
            let Some(patch) = Patch::of(&hits, [i0, i1], [j0, j1]) else { continue };
            let edge = |from: usize, to: usize, spacing: f64| (0.9 * (to - from) as f64 * spacing).min(EDGE[1]);
            let (y, z) = (edge(i0, i1, spacing[0]), edge(j0, j1, spacing[1]));
            let tilt = if patch.uneven <= FLAT { 0.0 } else { patch.uneven / y.min(z) };
            *least_tilt = Some(least_tilt.unwrap_or(f64::INFINITY).min(tilt));
            if tilt > most_tilt {
                continue;
            }
            let middle = Vec3::new(
                plane + 0.5 * (patch.to[1] - patch.to[0]),
                low.y + 0.5 * (i0 + i1) as f64 * spacing[0],
                low.z + 0.5 * (j0 + j1) as f64 * spacing[1],
            );
            // Of equal areas the one farther from the palm: at the tips.
            let score = [y * z, (middle - palm_at).norm()];
            let better = |s: &[f64; 2]| score[0] > 1.02 * s[0] || (score[0] > 0.98 * s[0] && score[1] > s[1]);
            if !best.as_ref().is_none_or(|(s, _)| better(s)) {
                continue;
            }
            let size = Vec3::new(patch.to[0] + patch.to[1] - 2.0 * CLEARANCE, y, z);
            let world_from_block = Pose::from_parts((rotation * middle).into(), *rotation);
            if is_free(robot, &world_from_block, &size) {
                best = Some((score, GraspBlock { sides: patch.bodies, world_from_block, size }));
            }
        }
    }
    best.map(|(score, block)| (score[0], block))
}

/// First and last ray of every interval at least as long as the smallest edge.
fn windows(spacing: f64) -> Vec<(usize, usize)> {
    let all = (0..RAYS).flat_map(|from| (from + 1..RAYS).map(move |to| (from, to)));
    // A block is a little smaller than its rays, and never larger than the largest edge.
    all.filter(|(from, to)| {
        let length = 0.9 * (to - from) as f64 * spacing;
        to - from >= 2 && length >= EDGE[0] && length - spacing < EDGE[1]
    })
    .collect()
}

type Hit = Option<((f64, usize), (f64, usize))>;

/// A part of the grid on which a box rests on both sides.
struct Patch {
    /// Distance of each side from the plane of the rays [m]: the least.
    to: [f64; 2],
    /// The body that the corners hit on each side.
    bodies: [usize; 2],
    /// How unequal the rays at the corners of one side are, or how far a surface stands out between them [m].
    uneven: f64,
}

impl Patch {
    fn of(hits: &[[Hit; RAYS]; RAYS], rows: [usize; 2], columns: [usize; 2]) -> Option<Self> {
        let mut low = [f64::INFINITY; 2];
        let mut high = [f64::NEG_INFINITY; 2];
        let corners = rows.map(|row| columns.map(|column| hits[row][column]));
        let first = corners[0][0]?;
        let bodies = [first.0.1, first.1.1];
        for corner in corners.into_iter().flatten() {
            let (a, b) = corner?;
            // One body on each side: the two halves of a joint do not stay parallel.
            if [a.1, b.1] != bodies {
                return None;
            }
            for (side, (distance, _)) in [a, b].into_iter().enumerate() {
                low[side] = low[side].min(distance);
                high[side] = high[side].max(distance);
            }
        }
        // Between the corners a surface may be farther away, or missing, but not in front of them.
        let all = hits[rows[0]..=rows[1]].iter().flat_map(|row| &row[columns[0]..=columns[1]]).flatten();
        let mut nearest = low;
        for (a, b) in all {
            nearest = [nearest[0].min(a.0), nearest[1].min(b.0)];
        }
        let uneven = (0..2).map(|side| high[side] - nearest[side]).fold(0.0, f64::max);
        let width = nearest[0] + nearest[1];
        let fits = (WIDTH[0]..=WIDTH[1]).contains(&width);
        fits.then_some(Self { to: nearest, bodies, uneven })
    }
}

/// The nearest shape of some bodies along a ray: its distance and its body.
fn nearest(robot: &Robot, bodies: &[usize], ray: &Ray) -> Option<(f64, usize)> {
    let hit = |part: &PlacedCollider| {
        let place = robot.poses[part.body] * part.body_from_shape;
        ray.distance(&part.collider, &place, 2.0 * WIDTH[1]).map(|distance| (distance, part.body))
    };
    let parts = robot.colliders.iter().filter(|part| bodies.contains(&part.body));
    parts.filter_map(hit).min_by(|a, b| a.0.total_cmp(&b.0))
}

/// Whether a block overlaps no shape of the robot.
fn is_free(robot: &Robot, world_from_block: &Pose, size: &Vec3) -> bool {
    let Ok(block) = Collider::new(&Shape::Box { size: *size }) else { return false };
    robot.colliders.iter().all(|part| {
        let place = robot.poses[part.body] * part.body_from_shape;
        !matches!(collider_gap_within(&block, world_from_block, &part.collider, &place, 1e-5), Ok(Some(_)))
    })
}
