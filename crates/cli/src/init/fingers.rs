//! Two fingers of a robot and a block that fits between them.

use super::robot::Robot;
use anyhow::{Context, ensure};
use veracity_model::{JointKind, Pose, Vec3};

/// Words in names of bodies or joints that grasp, best first.
const WORDS: [&str; 6] = ["finger", "jaw", "gripper", "tip", "knuckle", "thumb"];

/// A pair of fingers with a block between them.
pub struct Fingers {
    /// Slots of the two bodies.
    pub bodies: [usize; 2],
    /// The block's frame: at its middle, along the axes of the body that carries the fingers.
    pub world_from_block: Pose,
    /// Edges of the block along its own axes [m].
    pub size: Vec3,
    /// Effort that presses each finger against the block [N or N m].
    pub efforts: [f64; 2],
}

impl Fingers {
    /// The two bodies that can close on each other: named like fingers if there are any, on sliders rather than hinges.
    pub fn of(robot: &mut Robot) -> anyhow::Result<Self> {
        let bodies = pair(robot).context(
            "no two fingers were found: bodies on one-freedom joints of the same parent, named like fingers; \
             try --task track, walk or drop",
        )?;
        open(robot, bodies)?;
        // Along the axes of the body that carries the fingers: in the world they may be oblique.
        let parent = robot.layout.bodies[bodies[0]].parent;
        let palm = parent.map_or(Pose::identity(), |parent| robot.poses[parent]);
        let boxes = bodies.map(|body| robot.bounds_in(&palm, &[body]));
        let [Some(a), Some(b)] = boxes else { anyhow::bail!("a finger has no collision shape that can be measured") };
        let centres = [a, b].map(|[low, high]| 0.5 * (low + high));
        let across = (centres[1] - centres[0]).iamax();
        // Along the axis on which they are farthest apart: the free distance between the two boxes.
        let (low, high) = if centres[0][across] < centres[1][across] { (a, b) } else { (b, a) };
        let gap = high[0][across] - low[1][across];
        ensure!(
            gap > 2e-3,
            "the fingers '{}' and '{}' leave {gap:.4} m between them when open; nothing fits",
            robot.layout.bodies[bodies[0]].name,
            robot.layout.bodies[bodies[1]].name
        );
        let mut centre = 0.5 * (centres[0] + centres[1]);
        centre[across] = 0.5 * (high[0][across] + low[1][across]);
        // As wide as the distance between them less half a millimetre on each side, and as tall as the smaller finger.
        let mut size = (a[1] - a[0]).inf(&(b[1] - b[0])).map(|x| x.clamp(0.01, 0.05));
        size[across] = gap - 1e-3;
        // At the tips, as far from the body that carries the fingers as they reach.
        if let Some(hand) = parent.and_then(|parent| robot.bounds_in(&palm, &[parent])) {
            let mut away = centre - 0.5 * (hand[0] + hand[1]);
            away[across] = 0.0;
            let along = away.iamax();
            let (low, high) = (a[0][along].max(b[0][along]), a[1][along].min(b[1][along]));
            size[along] = size[along].min(0.5 * (high - low)).max(5e-3);
            let half = 0.5 * size[along];
            centre[along] = if away[along] > 0.0 { high - half } else { low + half };
        }
        let world_from_block = palm * Pose::translation(centre.x, centre.y, centre.z);
        let middle = world_from_block.translation.vector;
        let efforts = [closing(robot, bodies[0], &middle), closing(robot, bodies[1], &middle)];
        Ok(Self { bodies, world_from_block, size, efforts })
    }
}

fn pair(robot: &Robot) -> Option<[usize; 2]> {
    let model = &robot.world.placements[0].model;
    let moves = |body: &usize| robot.layout.joints[*body].kind.dof_count() == 1 && robot.bounds(&[*body]).is_some();
    let candidates: Vec<usize> = (0..robot.layout.bodies.len()).filter(moves).collect();
    let rank = |body: usize| {
        let slot = &robot.layout.bodies[body];
        let names = [model.body(slot.body).name.to_lowercase(), robot.layout.joints[body].name.to_lowercase()];
        let word = WORDS.iter().position(|word| names.iter().any(|name| name.contains(word)));
        let slides = matches!(robot.layout.joints[body].kind, JointKind::Prismatic { .. });
        (word.unwrap_or(WORDS.len()), !slides)
    };
    let mut best: Option<((usize, bool), [usize; 2])> = None;
    for (i, &a) in candidates.iter().enumerate() {
        for &b in &candidates[i + 1..] {
            let worse = rank(a).max(rank(b));
            let siblings = robot.layout.bodies[a].parent == robot.layout.bodies[b].parent;
            let named = worse.0 < WORDS.len() || !worse.1;
            if siblings && named && best.is_none_or(|(rank, _)| worse < rank) {
                best = Some((worse, [a, b]));
            }
        }
    }
    best.map(|(_, bodies)| bodies)
}

/// Moves both fingers to the end of their range at which they are farther apart.
fn open(robot: &mut Robot, bodies: [usize; 2]) -> anyhow::Result<()> {
    let apart = |robot: &Robot| {
        let centre = |body: usize| robot.bounds(&[body]).map(|[low, high]| 0.5 * (low + high));
        Some((centre(bodies[0])? - centre(bodies[1])?).norm())
    };
    for body in bodies {
        let joint = robot.layout.joints[body].clone();
        let limits = robot.layout.dofs[joint.v];
        let mut best = (apart(robot), robot.q[joint.q]);
        for at in [limits.lower, limits.upper].into_iter().filter(|x| x.is_finite()) {
            robot.place(joint.q, at)?;
            if apart(robot) > best.0 {
                best = (apart(robot), at);
            }
        }
        robot.place(joint.q, best.1)?;
    }
    Ok(())
}

/// The effort that moves a finger towards the block: a fifth of its limit, at most 20 N or 2 N m.
fn closing(robot: &Robot, body: usize, centre: &Vec3) -> f64 {
    let joint = &robot.layout.joints[body];
    let limits = robot.layout.dofs[joint.v];
    let slides = matches!(joint.kind, JointKind::Prismatic { .. });
    let most: f64 = if slides { 20.0 } else { 2.0 };
    let size = if limits.effort_limit.is_finite() { most.min(0.2 * limits.effort_limit) } else { most };
    let distance = |step: f64| {
        let mut trial = robot.clone();
        let at = trial.q[joint.q] + step;
        let placed = trial.place(joint.q, at).ok().and_then(|()| trial.bounds(&[body]));
        placed.map_or(f64::INFINITY, |[low, high]| (0.5 * (low + high) - centre).norm())
    };
    let step = if slides { 1e-3 } else { 1e-2 };
    if distance(step) < distance(-step) { size } else { -size }
}
