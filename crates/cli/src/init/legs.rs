//! Whether a robot stands on legs, and whether everything on it can touch a floor.

use super::robot::Robot;
use anyhow::ensure;

/// A body is on the floor when its lowest point is this close to the lowest of all, as a fraction of the height.
const ON_FLOOR: f64 = 0.03;

/// Rejects a robot that does not stand on two legs or more at its start: chains of at least two moving joints, apart
/// from each other, whose ends are on the floor.
pub fn must_stand_on_legs(robot: &Robot) -> anyhow::Result<()> {
    let feet = feet(robot);
    let mut legs: Vec<usize> = Vec::new();
    for &foot in &feet {
        // One foot of a leg is enough: the toes of a foot share its joints.
        let apart = |other: &usize| joints_apart(robot, foot, *other) >= 2 && joints_apart(robot, *other, foot) >= 2;
        if legs.iter().all(apart) && joints_apart(robot, foot, usize::MAX) >= 2 {
            legs.push(foot);
        }
    }
    let names: Vec<&str> = feet.iter().take(4).map(|foot| robot.layout.bodies[*foot].name.as_str()).collect();
    ensure!(
        legs.len() >= 2,
        "this robot does not stand on two legs or more: at its start {} on the floor; try --task drop, track or grasp",
        match names.as_slice() {
            [one] => format!("only '{one}' is"),
            several => format!("'{}' are", several.join("', '")),
        }
    );
    Ok(())
}

/// Bodies with the lowest collision shapes.
fn feet(robot: &Robot) -> Vec<usize> {
    let height = robot.room[1].z - robot.room[0].z;
    let low = |body: &usize| {
        let lowest = robot.bounds(&[*body]).map_or(f64::INFINITY, |[low, _]| low.z);
        lowest <= robot.room[0].z + ON_FLOOR * height
    };
    (0..robot.layout.bodies.len()).filter(low).collect()
}

/// Moving joints, except a free one, from a body up to the first body that also carries `other`, or to the root.
fn joints_apart(robot: &Robot, mut body: usize, other: usize) -> usize {
    let mut joints = 0;
    while !robot.carried_by(body).contains(&other) {
        let freedoms = robot.layout.joints[body].kind.dof_count();
        joints += usize::from((1..6).contains(&freedoms));
        match robot.layout.bodies[body].parent {
            Some(parent) => body = parent,
            None => break,
        }
    }
    joints
}

/// Rejects a robot with heavy bodies that hang below its lowest collision shape: nothing would keep them above a floor.
pub fn must_have_lowest_shapes(robot: &Robot, level: f64) -> anyhow::Result<()> {
    let model = &robot.world.placements[0].model;
    let heavy = |body: &usize| model.body(robot.layout.bodies[*body].body).inertia.mass > 0.0;
    let below = |body: &usize| robot.com(*body).z < robot.room[0].z + level;
    let hanging: Vec<usize> = (0..robot.layout.bodies.len()).filter(heavy).filter(below).collect();
    let Some(&first) = hanging.first() else { return Ok(()) };
    let others = match hanging.len() {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    anyhow::bail!(
        "'{}'{others} hang below every collision shape, so nothing would keep them above the floor; give them collision \
         shapes, or try --task track",
        robot.layout.bodies[first].name
    )
}
