//! A spring and damper between two points.

use crate::finding::Source;
use crate::geometry::Vec3;
use crate::model::BodyId;
use serde::{Deserialize, Serialize};

/// Pulls two points together with `stiffness · (length - rest) + damping · d(length)/dt` [N].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spring {
    /// Unique in the model.
    pub name: String,
    /// First body; `None` is the model frame.
    pub body_a: Option<BodyId>,
    /// Second body; `None` is the model frame.
    pub body_b: Option<BodyId>,
    /// End in the first body [m].
    pub point_a: Vec3,
    /// End in the second body [m].
    pub point_b: Vec3,
    /// [N/m]
    pub stiffness: f64,
    /// [N s/m]
    pub damping: f64,
    /// Rest length [m].
    pub rest_length: f64,
    /// Where the file defines it.
    #[serde(skip)]
    pub source: Option<Source>,
}
