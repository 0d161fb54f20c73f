//! Names of the numbers of a state.

use veracity_model::{JointKind, World};

/// One name for each position, in the order of `q`: the joint's, with the coordinate where it has several.
pub fn positions(world: &World) -> Vec<String> {
    names(world, |kind| match kind {
        JointKind::Ball => &["w", "x", "y", "z"],
        JointKind::Free => &["x", "y", "z", "qw", "qx", "qy", "qz"],
        JointKind::Planar { .. } => &["x", "y", "angle"],
        JointKind::Universal { .. } => &["1", "2"],
        JointKind::Fixed => &[],
        _ => &[""],
    })
}

/// One name for each velocity, in the order of `v`.
pub fn velocities(world: &World) -> Vec<String> {
    names(world, |kind| match kind {
        JointKind::Ball => &["wx", "wy", "wz"],
        JointKind::Free => &["wx", "wy", "wz", "vx", "vy", "vz"],
        JointKind::Planar { .. } => &["x", "y", "angle"],
        JointKind::Universal { .. } => &["1", "2"],
        JointKind::Fixed => &[],
        _ => &[""],
    })
}

fn names(world: &World, coordinates: fn(&JointKind) -> &'static [&'static str]) -> Vec<String> {
    let several = world.placements.len() > 1;
    let mut out = Vec::new();
    for placement in &world.placements {
        for joint in placement.model.joints() {
            let joint_name = if several { format!("{}/{}", placement.name, joint.name) } else { joint.name.clone() };
            out.extend(
                coordinates(&joint.kind)
                    .iter()
                    .map(|c| if c.is_empty() { joint_name.clone() } else { format!("{joint_name}.{c}") }),
            );
        }
    }
    out
}
