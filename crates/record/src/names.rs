//! Name and unit of each number of a row: the columns of tables and the fields of viewers.

use crate::track::{POSE, TWIST};
use veracity_model::{JointKind, Layout};

/// The name of a number and its SI unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// `pendulum/hinge`, `block/free/x` …
    pub name: String,
    /// Empty for a pure number.
    pub unit: &'static str,
}

/// Names of `q`: the joint's own for a single number, else with `/x`, `/qw` … after it.
pub fn positions(layout: &Layout) -> Vec<Named> {
    let parts = |kind: &JointKind| -> &'static [(&'static str, &'static str)] {
        match kind {
            JointKind::Fixed => &[],
            JointKind::Prismatic { .. } => &[("", "m")],
            JointKind::Revolute { .. } | JointKind::Continuous { .. } | JointKind::Screw { .. } => &[("", "rad")],
            JointKind::Universal { .. } => &[("/first", "rad"), ("/second", "rad")],
            JointKind::Ball => &[("/qw", ""), ("/qx", ""), ("/qy", ""), ("/qz", "")],
            JointKind::Planar { .. } => &[("/x", "m"), ("/y", "m"), ("/angle", "rad")],
            JointKind::Free => {
                &[("/x", "m"), ("/y", "m"), ("/z", "m"), ("/qw", ""), ("/qx", ""), ("/qy", ""), ("/qz", "")]
            }
        }
    };
    joint_names(layout, parts)
}

/// Names of `v`.
pub fn velocities(layout: &Layout) -> Vec<Named> {
    joint_names(layout, |kind| dof_parts(kind, ["rad/s", "m/s"]))
}

/// Names of efforts.
pub fn efforts(layout: &Layout) -> Vec<Named> {
    joint_names(layout, |kind| dof_parts(kind, ["N m", "N"]))
}

/// Names of the numbers of every body's pose.
pub fn poses(layout: &Layout) -> Vec<Named> {
    const PARTS: [(&str, &str); POSE] =
        [("/x", "m"), ("/y", "m"), ("/z", "m"), ("/qw", ""), ("/qx", ""), ("/qy", ""), ("/qz", "")];
    body_names(layout, &PARTS)
}

/// Names of the numbers of every body's twist.
pub fn twists(layout: &Layout) -> Vec<Named> {
    const PARTS: [(&str, &str); TWIST] =
        [("/wx", "rad/s"), ("/wy", "rad/s"), ("/wz", "rad/s"), ("/vx", "m/s"), ("/vy", "m/s"), ("/vz", "m/s")];
    body_names(layout, &PARTS)
}

/// Names of gaps.
pub fn gaps(layout: &Layout) -> Vec<Named> {
    layout.pairs.iter().map(|pair| Named { name: pair.clone(), unit: "m" }).collect()
}

/// The suffixes of a degree of freedom's name, with the units for rotation and translation.
fn dof_parts(kind: &JointKind, units: [&'static str; 2]) -> Vec<(&'static str, &'static str)> {
    let [turn, slide] = units;
    match kind {
        JointKind::Fixed => Vec::new(),
        JointKind::Prismatic { .. } => vec![("", slide)],
        JointKind::Revolute { .. } | JointKind::Continuous { .. } | JointKind::Screw { .. } => vec![("", turn)],
        JointKind::Universal { .. } => vec![("/first", turn), ("/second", turn)],
        JointKind::Ball => vec![("/wx", turn), ("/wy", turn), ("/wz", turn)],
        JointKind::Planar { .. } => vec![("/x", slide), ("/y", slide), ("/angle", turn)],
        JointKind::Free => {
            vec![("/wx", turn), ("/wy", turn), ("/wz", turn), ("/vx", slide), ("/vy", slide), ("/vz", slide)]
        }
    }
}

fn joint_names<P: AsRef<[(&'static str, &'static str)]>>(
    layout: &Layout,
    parts: impl Fn(&JointKind) -> P,
) -> Vec<Named> {
    let mut names = Vec::new();
    for joint in &layout.joints {
        let parts = parts(&joint.kind);
        names.extend(parts.as_ref().iter().map(|(part, unit)| Named { name: format!("{}{part}", joint.name), unit }));
    }
    names
}

fn body_names(layout: &Layout, parts: &[(&'static str, &'static str)]) -> Vec<Named> {
    let named = |body: &veracity_model::layout::BodySlot| {
        let body = body.name.clone();
        parts.iter().map(move |(part, unit)| Named { name: format!("{body}{part}"), unit })
    };
    layout.bodies.iter().flat_map(named).collect()
}
