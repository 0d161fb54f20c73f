//! The immutable model.

use crate::actuator::Actuator;
use crate::body::Body;
use crate::contact::{CollisionFilter, ContactPair};
use crate::coupling::{Coupling, LoopJoint};
use crate::finding::Findings;
use crate::geometry::Pose;
use crate::joint::Joint;
use crate::material::Material;
use crate::numbers::{Derived, Parameter};
use crate::sensor::Sensor;
use crate::spring::Spring;
use serde::{Deserialize, Serialize};

/// Index of a body in its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BodyId(pub usize);

/// Index of a tree joint in its model: joint `i` carries body `i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct JointId(pub usize);

/// Index of a material in its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MaterialId(pub usize);

/// A named frame on a body: a tool centre, a site, a massless fixed link that others refer to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Unique in the model.
    pub name: String,
    /// The body it is attached to; `None` is the model frame.
    pub body: Option<BodyId>,
    /// Its pose.
    pub body_from_frame: Pose,
}

/// A named state defined in the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Keyframe {
    /// Unique in the model.
    pub name: String,
    /// Positions, in the order of [`Model::position_offset`].
    pub q: Vec<f64>,
    /// Velocities, in the order of [`Model::dof_offset`].
    pub v: Vec<f64>,
    /// Actuator commands, in the order of the actuators; empty if the file gives none.
    pub command: Vec<f64>,
}

/// Bodies, joints and everything attached to them. Parents come before children; joint `i` carries body `i`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    pub(crate) name: String,
    pub(crate) bodies: Vec<Body>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) loops: Vec<LoopJoint>,
    pub(crate) couplings: Vec<Coupling>,
    pub(crate) springs: Vec<Spring>,
    pub(crate) materials: Vec<Material>,
    pub(crate) actuators: Vec<Actuator>,
    pub(crate) sensors: Vec<Sensor>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) collision_filters: Vec<CollisionFilter>,
    pub(crate) contact_pairs: Vec<ContactPair>,
    pub(crate) keyframes: Vec<Keyframe>,
    pub(crate) initial: Option<Vec<f64>>,
    pub(crate) adjacent_bodies_collide: bool,
    pub(crate) self_collide: bool,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) derived: Vec<Derived>,
    #[serde(skip)]
    pub(crate) warnings: Findings,
}

impl Model {
    /// The name given in the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Bodies, parents before children.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// Tree joints; joint `i` carries body `i`.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Loop-closing joints.
    pub fn loops(&self) -> &[LoopJoint] {
        &self.loops
    }

    /// Couplings between joints.
    pub fn couplings(&self) -> &[Coupling] {
        &self.couplings
    }

    /// Springs between two points.
    pub fn springs(&self) -> &[Spring] {
        &self.springs
    }

    /// Surface materials.
    pub fn materials(&self) -> &[Material] {
        &self.materials
    }

    /// Actuators.
    pub fn actuators(&self) -> &[Actuator] {
        &self.actuators
    }

    /// Sensors.
    pub fn sensors(&self) -> &[Sensor] {
        &self.sensors
    }

    /// Named frames.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// Pairs of bodies that never touch.
    pub fn collision_filters(&self) -> &[CollisionFilter] {
        &self.collision_filters
    }

    /// Named contact pairs.
    pub fn contact_pairs(&self) -> &[ContactPair] {
        &self.contact_pairs
    }

    /// Named states.
    pub fn keyframes(&self) -> &[Keyframe] {
        &self.keyframes
    }

    /// Whether a body may touch its parent body.
    pub fn adjacent_bodies_collide(&self) -> bool {
        self.adjacent_bodies_collide
    }

    /// Whether bodies of this model may touch each other at all.
    pub fn self_collide(&self) -> bool {
        self.self_collide
    }

    /// Named parameters with their current values.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Numbers computed from parameters.
    pub fn derived(&self) -> &[Derived] {
        &self.derived
    }

    /// Warnings to read before trusting a result; copied into every record.
    pub fn warnings(&self) -> &Findings {
        &self.warnings
    }

    /// The body with this index.
    pub fn body(&self, id: BodyId) -> &Body {
        &self.bodies[id.0]
    }

    /// The joint with this index.
    pub fn joint(&self, id: JointId) -> &Joint {
        &self.joints[id.0]
    }

    /// The body with this name.
    pub fn body_named(&self, name: &str) -> Option<BodyId> {
        self.bodies.iter().position(|b| b.name == name).map(BodyId)
    }

    /// The joint with this name.
    pub fn joint_named(&self, name: &str) -> Option<JointId> {
        self.joints.iter().position(|j| j.name == name).map(JointId)
    }

    /// The parent of a body; `None` for the model frame.
    pub fn parent(&self, id: BodyId) -> Option<BodyId> {
        self.joints[id.0].parent
    }

    /// Length of `q`.
    pub fn position_count(&self) -> usize {
        self.joints.iter().map(|j| j.kind.position_count()).sum()
    }

    /// Length of `v`.
    pub fn dof_count(&self) -> usize {
        self.joints.iter().map(|j| j.kind.dof_count()).sum()
    }

    /// Offset of a joint's positions in `q`.
    pub fn position_offset(&self, id: JointId) -> usize {
        self.joints[..id.0].iter().map(|j| j.kind.position_count()).sum()
    }

    /// Offset of a joint's velocities in `v`.
    pub fn dof_offset(&self, id: JointId) -> usize {
        self.joints[..id.0].iter().map(|j| j.kind.dof_count()).sum()
    }

    /// `q` with every joint at the position where its frames coincide.
    pub fn neutral_positions(&self) -> Vec<f64> {
        self.joints.iter().flat_map(|j| j.kind.neutral().iter().copied()).collect()
    }

    /// `q` of the pose in the file: where a run starts unless another start is given. Neutral unless the file specifies
    /// more, as MJCF does for floating bodies and for joints with a reference.
    pub fn initial_positions(&self) -> Vec<f64> {
        self.initial.clone().unwrap_or_else(|| self.neutral_positions())
    }

    /// Total mass [kg].
    pub fn mass(&self) -> f64 {
        self.bodies.iter().map(|b| b.inertia.mass).sum()
    }
}
