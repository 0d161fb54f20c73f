//! A rigid body: what it weighs and what it looks like.

use crate::finding::Source;
use crate::geometry::Pose;
use crate::inertia::Inertia;
use crate::model::MaterialId;
use crate::shape::Shape;
use serde::{Deserialize, Serialize};

/// One rigid body. Joint properties live in the joint that carries it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Body {
    /// Unique in the model.
    pub name: String,
    /// Mass distribution in the body frame. Zero is legal for a body carried by a fixed joint or carrying others.
    pub inertia: Inertia,
    /// Drag against the linear velocity of the centre of mass: the rate of decay [1/s], force = -rate · mass · v.
    pub linear_damping: f64,
    /// Drag against the angular velocity: the rate of decay [1/s], torque = -rate · I · ω.
    pub angular_damping: f64,
    /// Whether gravity acts on it, as a factor: 1 normally, 0 for none.
    pub gravity_scale: f64,
    /// Collision and visual shapes.
    pub shapes: Vec<BodyShape>,
    /// Where the file describes it.
    #[serde(skip)]
    pub source: Option<Source>,
}

/// A shape fastened to a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyShape {
    /// Unique in the body.
    pub name: String,
    /// The solid.
    pub shape: Shape,
    /// Its place in the body frame.
    pub body_from_shape: Pose,
    /// Takes part in collisions.
    pub collides: bool,
    /// Is drawn.
    pub visible: bool,
    /// What its surface is made of; `None` means the engine-neutral default of [`crate::Material::default`].
    pub material: Option<MaterialId>,
    /// Groups this shape belongs to, one bit each.
    pub group: u32,
    /// Groups it may touch. Two shapes can touch if `a.group & b.mask != 0 || b.group & a.mask != 0`: one of them
    /// being willing is enough, as in ODE, Gazebo and MuJoCo (`contype` and `conaffinity`). See [`Self::may_touch`].
    pub mask: u32,
    /// Where the file describes it.
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

    /// Adds a shape that both collides and is drawn.
    pub fn with_shape(mut self, shape: Shape, body_from_shape: Pose) -> Self {
        let name = format!("shape{}", self.shapes.len());
        self.shapes.push(BodyShape::new(name, shape, body_from_shape));
        self
    }
}

impl BodyShape {
    /// A shape that both collides (with everything) and is drawn.
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

    /// Whether both shapes collide at all and their groups and masks let them touch.
    pub fn may_touch(&self, other: &Self) -> bool {
        self.collides && other.collides && (self.group & other.mask != 0 || other.group & self.mask != 0)
    }
}
