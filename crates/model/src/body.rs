//! Rigid bodies: mass properties and shapes.

use crate::finding::Source;
use crate::geometry::Pose;
use crate::inertia::Inertia;
use crate::model::MaterialId;
use crate::shape::Shape;
use serde::{Deserialize, Serialize};

/// One rigid body. Joint properties are stored in the joint that carries it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Body {
    /// Unique in the model.
    pub name: String,
    /// Mass distribution in the body frame. Zero is legal for a body that is carried by a fixed joint or that carries
    /// others.
    pub inertia: Inertia,
    /// Linear drag at the centre of mass, as a decay rate [1/s]: force = -rate · mass · v.
    pub linear_damping: f64,
    /// Angular drag, as a decay rate [1/s]: torque = -rate · I · ω.
    pub angular_damping: f64,
    /// Factor on gravity: 1 normally, 0 for none.
    pub gravity_scale: f64,
    /// Collision and visual shapes.
    pub shapes: Vec<BodyShape>,
    /// Where the file defines it.
    #[serde(skip)]
    pub source: Option<Source>,
}

/// A shape attached to a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyShape {
    /// Unique in the body.
    pub name: String,
    /// The geometry.
    pub shape: Shape,
    /// Pose in the body frame.
    pub body_from_shape: Pose,
    /// Whether it takes part in collisions.
    pub collides: bool,
    /// Whether it is drawn.
    pub visible: bool,
    /// Surface material; `None` means the engine-neutral default of [`crate::Material::default`].
    pub material: Option<MaterialId>,
    /// Groups this shape belongs to, one bit each.
    pub group: u32,
    /// Groups it may touch. Two shapes can touch if `a.group & b.mask != 0 || b.group & a.mask != 0`: a match in one
    /// direction is enough, as in ODE, Gazebo and MuJoCo (`contype` and `conaffinity`). See [`Self::may_touch`].
    pub mask: u32,
    /// Where the file defines it.
    #[serde(skip)]
    pub source: Option<Source>,
}

impl Body {
    /// A body without shapes or drag.
    pub fn new(name: impl Into<String>, inertia: Inertia) -> Self {
        Self {
            name: name.into(),
            inertia,
            linear_damping: 0.0,
            angular_damping: 0.0,
            gravity_scale: 1.0,
            shapes: Vec::new(),
            source: None,
        }
    }

    /// Adds a shape that collides and is drawn.
    pub fn with_shape(mut self, shape: Shape, body_from_shape: Pose) -> Self {
        let name = format!("shape{}", self.shapes.len());
        self.shapes.push(BodyShape::new(name, shape, body_from_shape));
        self
    }
}

impl BodyShape {
    /// A shape that collides (with everything) and is drawn.
    pub fn new(name: impl Into<String>, shape: Shape, body_from_shape: Pose) -> Self {
        Self {
            name: name.into(),
            shape,
            body_from_shape,
            collides: true,
            visible: true,
            material: None,
            group: 1,
            mask: u32::MAX,
            source: None,
        }
    }

    /// Whether both shapes collide and their groups and masks let them touch.
    pub fn may_touch(&self, other: &Self) -> bool {
        self.collides && other.collides && (self.group & other.mask != 0 || other.group & self.mask != 0)
    }
}
