//! Degrees of freedom by name: a joint's name where it has one, `joint/0`, `joint/1` … where it has several.

use crate::error::list;
use veracity_model::{JointKind, Layout};

/// Index in `v`.
pub(crate) fn dof_named(layout: &Layout, name: &str) -> Result<usize, String> {
    if let Some(slot) = layout.joint(name) {
        let joint = &layout.joints[slot];
        return match joint.kind.dof_count() {
            1 => Ok(joint.v),
            0 => Err(format!("joint '{name}' is fixed; name one that moves")),
            n => Err(format!("joint '{name}' has {n} degrees of freedom; name one of {name}/0 to {name}/{}", n - 1)),
        };
    }
    if let Some((joint, number)) = name.rsplit_once('/')
        && let (Some(slot), Ok(number)) = (layout.joint(joint), number.parse::<usize>())
    {
        let joint_slot = &layout.joints[slot];
        let count = joint_slot.kind.dof_count();
        if number < count {
            return Ok(joint_slot.v + number);
        }
        return Err(format!("joint '{joint}' has {count} degrees of freedom, counted from 0"));
    }
    let moving = layout.joints.iter().filter(|j| j.kind.dof_count() > 0).map(|j| j.name.as_str());
    Err(format!("unknown joint '{name}'; available: {}", list(moving)))
}

/// The full name of a degree of freedom.
pub(crate) fn dof_name(layout: &Layout, dof: usize) -> String {
    let joint = layout.joints.iter().rfind(|j| j.v <= dof && j.kind.dof_count() > 0);
    match joint {
        Some(j) if j.kind.dof_count() == 1 => j.name.clone(),
        Some(j) => format!("{}/{}", j.name, dof - j.v),
        None => format!("{dof}"),
    }
}

/// Whether a degree of freedom turns rather than slides.
pub(crate) fn turns(layout: &Layout, dof: usize) -> bool {
    let joint = layout.joints.iter().rfind(|j| j.v <= dof && j.kind.dof_count() > 0);
    joint.is_none_or(|j| match j.kind {
        JointKind::Prismatic { .. } => false,
        JointKind::Free => dof - j.v < 3,
        JointKind::Planar { .. } => dof - j.v == 2,
        _ => true,
    })
}

/// Unit of a degree of freedom's effort.
pub(crate) fn effort_unit(layout: &Layout, dof: usize) -> &'static str {
    if turns(layout, dof) { "N m" } else { "N" }
}

/// Units of a degree of freedom's position and velocity.
pub(crate) fn motion_units(layout: &Layout, dof: usize) -> [&'static str; 2] {
    if turns(layout, dof) { ["rad", "rad/s"] } else { ["m", "m/s"] }
}
