//! SDF versions and their rules.
//!
//! The rules that changed between SDF 1.4 and 1.11 and affect motion (SDFormat specification and its own `1_4.convert`,
//! `1_6.convert` conversion tables):
//!
//! | since | rule |
//! |---|---|
//! | up to 1.4 | a joint's axis is written in the frame of the model that holds the joint |
//! | 1.5, 1.6 | a joint's axis is written in the joint frame, unless `use_parent_model_frame` is true |
//! | 1.6 | gravity is in `<world>`; before, in `<physics>` |
//! | 1.7 | `pose/@relative_to`, `frame/@attached_to`, `axis/xyz/@expressed_in`; the axis is in the joint frame |
//! | 1.8 | names of nested models are reached with `::`; `placement_frame` |
//! | 1.9 | `pose/@degrees`, `pose/@rotation_format` |
//! | 1.10 | `screw_thread_pitch` [m/rev, right-handed] replaces `thread_pitch` [rad/m, left-handed] |
//! | 1.11 | `axis/mimic`, `inertial/@auto` |

use super::super::xml::Element;
use crate::finding::{Findings, Severity};

/// The minor number of SDF 1.x.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version(pub u32);

/// Oldest version read.
pub(super) const OLDEST: Version = Version(4);
/// Newest version read.
pub(super) const NEWEST: Version = Version(11);

impl Version {
    /// Reads `<sdf version="1.N">`; `None`, with an error, if the version is not supported.
    pub(super) fn of(root: Element<'_>, findings: &mut Findings) -> Option<Self> {
        let Some(text) = root.attribute("version") else {
            let text = format!("<{}> has no version; write <sdf version=\"1.N\">, N from 4 to 11", root.name());
            root.error(findings, "version", "", text);
            return None;
        };
        let minor = text.trim().strip_prefix("1.").and_then(|m| m.parse::<u32>().ok()).map(Version);
        match minor {
            Some(v) if (OLDEST..=NEWEST).contains(&v) => Some(v),
            // 1.3 and 1.4 differ only in elements that are reported as unsupported anyway.
            Some(Version(3)) => {
                let text = "SDF 1.3 is read by the rules of 1.4; convert the file with `gz sdf -c` to be sure";
                findings.add(Severity::Warning, "version", Some(root.source()), "", text);
                Some(OLDEST)
            }
            Some(v) if v > NEWEST => {
                let text = format!("SDF {text} is newer than 1.{}, the newest version read here", NEWEST.0);
                root.error(findings, "version", "", text);
                None
            }
            _ => {
                let shown: String = text.chars().take(40).collect();
                let text =
                    format!("SDF version '{shown}' is not one of 1.4 to 1.11; convert the file with `gz sdf -c`");
                root.error(findings, "version", "", text);
                None
            }
        }
    }

    /// Whether poses and axes can refer to frames by name.
    pub(super) fn names_frames(self) -> bool {
        self >= Version(7)
    }

    /// Whether an axis is in the model frame by default.
    pub(super) fn axis_is_in_model_frame(self) -> bool {
        self <= Version(4)
    }
}
