//! The motion, for the eye: bodies with their shapes, and where they were.

use super::numbers::{F32Array, U32Array};
use serde::{Deserialize, Serialize};

/// Numbers per pose in [`Track::poses`]: x y z, then the quaternion w x y z.
pub const POSE_NUMBERS: usize = 7;

/// Bodies, and one track per trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    /// How long the motion is [s].
    pub duration_s: f64,
    /// The same in every track.
    pub bodies: Vec<Body>,
    /// Where they were.
    pub tracks: Vec<Track>,
}

/// A body and how it looks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Body {
    /// Its name in the model.
    pub name: String,
    /// Never moves: drawn once, behind everything.
    pub fixed: bool,
    /// Its shapes; a body without one is drawn as a small frame of axes.
    pub shapes: Vec<PlacedShape>,
}

/// A shape on a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlacedShape {
    /// Pose of the shape in the body's frame.
    pub body_from_shape: Pose,
    /// What it is.
    pub geometry: Geometry,
}

/// A place and an attitude.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// x y z [m].
    pub position_m: [f64; 3],
    /// Unit quaternion w x y z.
    pub rotation_wxyz: [f64; 4],
}

impl Pose {
    /// At the origin, not turned.
    pub const IDENTITY: Self = Self { position_m: [0.0; 3], rotation_wxyz: [1.0, 0.0, 0.0, 0.0] };

    /// Moved, not turned.
    pub const fn at(position_m: [f64; 3]) -> Self {
        Self { position_m, ..Self::IDENTITY }
    }
}

/// A solid or surface in its own frame, centred at the origin. A height field comes as a mesh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Geometry {
    /// A box.
    Box {
        /// Full side lengths [m].
        size_m: [f64; 3],
    },
    /// A ball.
    Sphere {
        /// Radius [m].
        radius_m: f64,
    },
    /// An ellipsoid.
    Ellipsoid {
        /// Half axes [m].
        radii_m: [f64; 3],
    },
    /// A cylinder about z.
    Cylinder {
        /// Radius [m].
        radius_m: f64,
        /// Length along z [m]; zero for a disc.
        length_m: f64,
    },
    /// A cylinder about z with half-spheres on its ends.
    Capsule {
        /// Radius [m].
        radius_m: f64,
        /// Length of the cylindrical part [m].
        length_m: f64,
    },
    /// The half space z <= 0.
    Plane,
    /// Triangles.
    Mesh {
        /// x y z of each vertex [m].
        vertices_m: F32Array,
        /// Three indices per triangle.
        triangles: U32Array,
    },
}

/// Where the bodies were, in one trial or in the reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Track {
    /// Index into the scenario's trials; `None` for the reference.
    pub trial: Option<usize>,
    /// Times, rising [s]. A track may end early, when its engine gave up.
    pub time_s: F32Array,
    /// world_from_body, frame by frame, in each frame body by body, [`POSE_NUMBERS`] numbers each.
    pub poses: F32Array,
}
