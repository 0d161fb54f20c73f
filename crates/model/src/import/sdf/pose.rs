//! `<pose>`: six numbers, or seven with a quaternion, and the frame they are expressed in.

use super::super::xml::Element;
use super::description::PoseText;
use super::reader::{Document, Reader};
use super::version::Version;
use crate::geometry::{Pose, Quat, Vec3, pose};
use nalgebra as na;

impl Reader {
    /// The pose of `holder`: identity in the default frame if it has none.
    pub fn pose(&mut self, holder: Element<'_>, document: Document<'_>) -> PoseText {
        self.given_pose(holder, document).unwrap_or_else(|| PoseText {
            pose: Pose::identity(),
            relative_to: None,
            source: holder.source(),
        })
    }

    /// The pose of `holder` if it has one.
    pub fn given_pose(&mut self, holder: Element<'_>, document: Document<'_>) -> Option<PoseText> {
        let element = holder.child("pose")?;
        self.known_attributes(element, &["relative_to", "frame", "degrees", "rotation_format"]);
        // `frame` was in the specification of 1.5 and 1.6, but no released library used it.
        if element.attribute("frame").is_some_and(|f| !f.trim().is_empty()) {
            let text = "the attribute 'frame' of <pose> was never honoured by libsdformat and is ignored; \
                        use SDF 1.7 and 'relative_to'";
            element.warning(&mut self.findings, "pose-frame", "", text);
        }
        let relative_to = element.attribute("relative_to").map(str::trim).filter(|t| !t.is_empty());
        if relative_to.is_some() && !document.version.names_frames() {
            let text = "'relative_to' belongs to SDF 1.7; it is honoured, as newer libsdformat does, but this \
                        document says it is older. Raise its version";
            element.warning(&mut self.findings, "pose-version", "", text);
        }
        let pose = self.placement(element, document).unwrap_or_else(Pose::identity);
        Some(PoseText { pose, relative_to: relative_to.map(str::to_string), source: element.source() })
    }

    fn placement(&mut self, element: Element<'_>, document: Document<'_>) -> Option<Pose> {
        if document.version < Version(9) {
            for newer in ["degrees", "rotation_format"].into_iter().filter(|a| element.attribute(a).is_some()) {
                let text = format!("'{newer}' belongs to SDF 1.9; it is honoured, but the document says it is older");
                element.warning(&mut self.findings, "pose-version", "", text);
            }
        }
        // An empty <pose/> is the identity: libsdformat's default.
        if element.text().is_empty() {
            return None;
        }
        let degrees = self.truth_attribute(element, "degrees").unwrap_or(false);
        let out = match element.attribute("rotation_format").unwrap_or("euler_rpy") {
            "euler_rpy" => {
                let [x, y, z, roll, pitch, yaw] = element.text_numbers::<6>(&mut self.findings)?;
                let unit = if degrees { std::f64::consts::PI / 180.0 } else { 1.0 };
                pose(Vec3::new(x, y, z), [roll * unit, pitch * unit, yaw * unit])
            }
            "quat_xyzw" => {
                let [x, y, z, i, j, k, w] = element.text_numbers::<7>(&mut self.findings)?;
                if degrees {
                    let text = "'degrees' has no meaning with a quaternion; remove it";
                    element.error(&mut self.findings, "pose", "pose", text);
                }
                let q = na::Quaternion::new(w, i, j, k);
                // Printed quaternions are of unit length to about six digits; larger deviations are not a rotation.
                if (q.norm() - 1.0).abs() > 1e-3 {
                    let text = format!("the quaternion has length {}; write a unit quaternion", q.norm());
                    element.error(&mut self.findings, "pose", "pose", text);
                    return None;
                }
                Pose::from_parts(Vec3::new(x, y, z).into(), Quat::new_normalize(q))
            }
            other => {
                let shown: String = other.chars().take(40).collect();
                let text = format!("rotation_format '{shown}' is unknown; write euler_rpy or quat_xyzw");
                element.error(&mut self.findings, "pose", "pose", text);
                return None;
            }
        };
        let finite = out.translation.vector.iter().chain(out.rotation.coords.iter()).all(|x| x.is_finite());
        if !finite {
            element.error(&mut self.findings, "not-finite", "pose", "the pose is not finite; write finite numbers");
        }
        finite.then_some(out)
    }
}
