//! Two sides of a gripper and a block that fits between them.
//!
//! A gripper is found by its structure: bodies named like fingers whose joints are all moved by one motor each, or by
//! one motor together. Of a finger with several motors the one nearest to the palm closes it, and the others are held. The
//! other side is a second finger of the same palm, or the palm itself where there is one jaw.
//! Both ends of each motor's range are tried, the fingers closed step by step, and [`block`](super::block) looks for
//! parallel surfaces.

use super::block::{self, GraspBlock};
use super::robot::Robot;
use anyhow::{Context, bail};
use veracity_model::JointKind;

/// Words in names of bodies or joints that grasp, best first.
const WORDS: [&str; 7] = ["finger", "jaw", "gripper", "tip", "knuckle", "thumb", "claw"];
/// How far the fingers are open, as a fraction of their range, in the order tried.
const OPENINGS: [f64; 12] = [1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.25, 0.2, 0.15, 0.1];
/// Largest force of the fingers on the block [N].
const FORCE: f64 = 20.0;
/// Force on the block as a multiple of its weight: with friction 0.5 it could carry eight times as much.
const OF_WEIGHT: f64 = 8.0;
/// Force on the block at least, as a multiple of the weight of the heavier finger, which may hang on its motor.
const OF_FINGER: f64 = 4.0;
/// Density of the block [kg/m³]: aluminium.
const DENSITY: f64 = 2700.0;

/// A gripper with a block between its fingers.
pub struct Gripper {
    /// The block, and the bodies on both sides of it.
    pub block: GraspBlock,
    /// Joints that close the gripper, and the effort of each [N or N m].
    pub squeeze: Vec<(usize, f64)>,
    /// Force on the block [N].
    pub force: f64,
    /// Mass of the block [kg].
    pub mass: f64,
}

/// A part that one motor moves.
struct Finger {
    /// The first of the rigid bodies that carry it.
    palm: usize,
    bodies: Vec<usize>,
    drivers: Vec<usize>,
    /// Whether it has other motors, position of its name's word in [`WORDS`], and whether it hinges.
    rank: (bool, usize, bool),
}

/// Two groups of bodies that may close on each other.
struct Candidate {
    /// Whether the palm is one of the sides, then the rank of the finger: least is best.
    rank: (bool, (bool, usize, bool)),
    sides: [Vec<usize>; 2],
    palm: usize,
    drivers: Vec<usize>,
}

impl Gripper {
    /// The first gripper of the robot that can hold a block. The robot's joints are left where it is open.
    pub fn of(robot: &mut Robot) -> anyhow::Result<Self> {
        let (candidates, left_out) = candidates(robot);
        if let (true, Some(why)) = (candidates.is_empty(), left_out) {
            bail!("{why}, so init cannot write a grasp for it; try --task track or drop");
        }
        let mut failed: Option<String> = None;
        for candidate in &candidates {
            let before = robot.clone();
            match closed_on_block(robot, candidate) {
                Ok(gripper) => return Ok(gripper),
                Err(why) => failed = failed.or(Some(format!("{why:#}"))),
            }
            *robot = before;
        }
        let why = failed.context(
            "no gripper was found: no body named like a finger or a jaw on a slider or a hinge; try --task track or drop",
        )?;
        bail!("no block can be placed in the gripper: {why}; try --task track or drop")
    }
}

/// Every pair of sides, best first, and why a finger was left out.
fn candidates(robot: &Robot) -> (Vec<Candidate>, Option<String>) {
    let (mut out, mut left_out) = (Vec::new(), None);
    let mut fingers: Vec<Finger> = Vec::new();
    for body in 0..robot.layout.bodies.len() {
        let Some(parent) = robot.layout.bodies[body].parent else { continue };
        if robot.layout.joints[body].kind.dof_count() != 1 {
            continue;
        }
        let carried = robot.carried_by(body);
        let names = [&robot.layout.bodies[body].name, &robot.layout.joints[body].name];
        // Without the name of the model in front, which may be a gripper's.
        let names = names.map(|name| name.rsplit('/').next().unwrap_or(name).to_lowercase());
        let word = WORDS.iter().position(|word| names.iter().any(|name| name.contains(word)));
        let slides = matches!(robot.layout.joints[body].kind, JointKind::Prismatic { .. });
        let shown = &robot.layout.bodies[body].name;
        if robot.bounds(&carried).is_none() {
            if word.is_some() {
                left_out = Some(format!("'{shown}' has no collision shape"));
            }
            continue;
        }
        let moving = carried.iter().filter(|b| robot.layout.joints[**b].kind.dof_count() > 0);
        let mut drivers: Vec<usize> = moving.filter_map(|b| robot.driver(*b)).collect();
        drivers.sort_unstable();
        drivers.dedup();
        let several = drivers.len() > 1;
        if several {
            drivers = robot.driver(body).into_iter().collect();
        }
        if !drivers.is_empty() && (word.is_some() || !several) {
            let rank = (several, word.unwrap_or(WORDS.len()), !slides);
            fingers.push(Finger { palm: robot.rigid_root(parent), bodies: carried, drivers, rank });
        }
    }
    for (i, a) in fingers.iter().enumerate() {
        for b in &fingers[i + 1..] {
            let rank = a.rank.max(b.rank);
            // Two sliders on one body are a gripper by any name.
            if a.palm == b.palm && (rank.1 < WORDS.len() || !rank.2) {
                let mut drivers = [a.drivers.clone(), b.drivers.clone()].concat();
                drivers.dedup();
                let sides = [a.bodies.clone(), b.bodies.clone()];
                out.push(Candidate { rank: (false, rank), sides, palm: a.palm, drivers });
            }
        }
        if a.rank.1 < WORDS.len() {
            let of_palm = |body: &usize| robot.rigid_root(*body) == a.palm;
            let fixed: Vec<usize> = (0..robot.layout.bodies.len()).filter(of_palm).collect();
            let sides = [a.bodies.clone(), fixed];
            out.push(Candidate { rank: (true, a.rank), sides, palm: a.palm, drivers: a.drivers.clone() });
        }
    }
    // A jaw that closes on its own palm only where no two fingers do.
    out.sort_by_key(|candidate| candidate.rank);
    (out, left_out)
}

fn closed_on_block(robot: &mut Robot, candidate: &Candidate) -> anyhow::Result<Gripper> {
    let mut ranges = Vec::new();
    for &driver in &candidate.drivers {
        let joint = &robot.layout.joints[driver];
        let limits = robot.layout.dofs[joint.v];
        if !(limits.lower.is_finite() && limits.upper.is_finite() && limits.upper > limits.lower) {
            bail!("joint '{}' has no limits, so how far it opens is not known", joint.name);
        }
        if limits.effort_limit <= 0.0 {
            bail!("joint '{}' has an effort limit of 0 in its file", joint.name);
        }
        let (at, q) = ([limits.lower, limits.upper], joint.q);
        let mut apart = [0.0; 2];
        for (end, distance) in at.iter().zip(&mut apart) {
            robot.place(q, *end)?;
            let centre = |bodies: &[usize]| robot.bounds(bodies).map(|[low, high]| 0.5 * (low + high));
            let centres = candidate.sides.each_ref().map(|side| centre(side));
            let [Some(a), Some(b)] = centres else { bail!("one side of it has no collision shape") };
            *distance = (a - b).norm();
        }
        // Open is the end at which the sides are farther apart.
        let (open, closed) = if apart[1] > apart[0] { (at[1], at[0]) } else { (at[0], at[1]) };
        robot.place(q, open)?;
        ranges.push((q, closed, open));
    }
    let mut least_tilt: Option<f64> = None;
    for most_tilt in [0.0, block::TILT] {
        for opening in OPENINGS {
            for (q, closed, open) in &ranges {
                robot.place(*q, closed + opening * (open - closed))?;
            }
            let found = block::between(robot, &candidate.sides, candidate.palm, &candidate.drivers, most_tilt);
            if let Some(block) = found.block {
                return squeezed(robot, candidate, &ranges, block);
            }
            least_tilt = found.tilt.map(|one| one.min(least_tilt.unwrap_or(f64::INFINITY))).or(least_tilt);
        }
        // A second search finds nothing where no surfaces face each other, or none nearly in parallel.
        if least_tilt.is_none_or(|tilt| tilt > block::TILT) {
            break;
        }
    }
    let names = candidate.sides.each_ref().map(|side| robot.layout.bodies[side[0]].name.as_str());
    let between = format!("between '{}' and '{}' no two surfaces face each other", names[0], names[1]);
    let edge = 1e3 * block::EDGE[0];
    match least_tilt.map(f64::to_degrees) {
        Some(tilt) if tilt > block::TILT.to_degrees() => {
            let most = block::TILT.to_degrees();
            bail!(
                "{between} in parallel: a block would turn by {tilt:.0} degrees until it rests on them, and {most:.0} are allowed"
            )
        }
        Some(_) => bail!("{between} with room for a block of {edge} mm or more between them"),
        None => bail!("{between} over {edge} mm or more"),
    }
}

/// Efforts with which all motors together press on the block, by virtual work: what a motor does while its finger closes
/// by dg is force times dg. The force follows from the weights of block and fingers: far more than needed would test how
/// an engine squeezes a feather. At most [`FORCE`], and a fifth of each motor's limit; dry friction in a joint is added.
fn squeezed(
    robot: &Robot,
    candidate: &Candidate,
    ranges: &[(usize, f64, f64)],
    block: GraspBlock,
) -> anyhow::Result<Gripper> {
    let model = &robot.world.placements[0].model;
    let mass_of = |side: &Vec<usize>| -> f64 {
        let own = side.iter().filter(|body| robot.rigid_root(**body) != candidate.palm);
        own.map(|body| model.body(robot.layout.bodies[*body].body).inertia.mass).sum()
    };
    let finger = candidate.sides.iter().map(mass_of).fold(0.0, f64::max);
    let mass = DENSITY * block.size.x * block.size.y * block.size.z;
    let wanted = 9.81 * (OF_WEIGHT * mass).max(OF_FINGER * finger);
    let (mut squeeze, mut force) = (Vec::new(), wanted.min(FORCE));
    for (&driver, &(q, closed, open)) in candidate.drivers.iter().zip(ranges) {
        let step = 1e-3 * (closed - open);
        let mut trial = robot.clone();
        trial.place(q, robot.q[q] + step)?;
        let (Some(before), Some(after)) = (block.width_in(robot), block.width_in(&trial)) else {
            bail!("the fingers leave the block when they close")
        };
        let lever = (before - after) / step.abs();
        if lever <= 0.0 {
            bail!("joint '{}' does not close on the block", robot.layout.joints[driver].name);
        }
        let dof = &robot.layout.dofs[robot.layout.joints[driver].v];
        let (limit, dry_friction) = (dof.effort_limit, dof.friction);
        force = force.min((0.2 * limit).min(limit - dry_friction).max(0.0) / lever);
        squeeze.push((driver, step.signum(), lever, dry_friction));
    }
    let effort =
        |(driver, sign, lever, friction): (usize, f64, f64, f64)| (driver, sign * (lever * force + friction));
    let squeeze = squeeze.into_iter().map(effort).collect();
    // Weak motors hold a lighter block.
    let mass = mass.min(force / (OF_WEIGHT * 9.81));
    Ok(Gripper { block, squeeze, force, mass })
}
