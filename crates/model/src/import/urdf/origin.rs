//! `<origin>`: a pose in the frame of the enclosing element.

use super::super::xml::Element;
use super::only;
use super::unread::Unread;
use crate::finding::Findings;
use crate::geometry::{Pose, Quat, Vec3, quat_from_rpy};
use nalgebra as na;

/// The pose in the `<origin>` of an element; identity when there is none.
pub(super) fn origin(element: Element<'_>, unread: &mut Unread, findings: &mut Findings) -> Pose {
    let Some(origin) = only(element, "origin", unread) else { return Pose::identity() };
    unread.check(origin, &["xyz", "rpy", "quat_xyzw"], &[]);
    let xyz = origin.vector("xyz", findings).unwrap_or_else(Vec3::zeros);
    let [roll, pitch, yaw] = origin.numbers::<3>("rpy", findings).unwrap_or_default();
    let rotation = match origin.numbers::<4>("quat_xyzw", findings) {
        Some([x, y, z, w]) => {
            if origin.attribute("rpy").is_some() {
                let text = "<origin> has both 'rpy' and 'quat_xyzw'; keep one of them";
                origin.error(findings, "origin-twice", "", text);
            }
            let quaternion = na::Quaternion::new(w, x, y, z);
            let norm = quaternion.norm();
            if !(norm > 0.0 && norm.is_finite()) {
                origin.error(findings, "number", "", "'quat_xyzw' has no direction; write a unit quaternion");
            }
            Quat::new_normalize(quaternion)
        }
        None => quat_from_rpy(roll, pitch, yaw),
    };
    Pose::from_parts(xyz.into(), rotation)
}
