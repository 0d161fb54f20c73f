//! Contents of a document, before frames are resolved and links are joined into trees.
//!
//! Owned, because documents read by `<include>` are dropped after reading.

use super::version::Version;
use crate::body::BodyShape;
use crate::finding::{Finding, Source};
use crate::geometry::{Pose, Vec3};
use crate::inertia::Inertia;
use crate::joint::Dof;
use crate::material::Material;
use crate::sensor::SensorKind;

/// `(engine, key, value)`, kept verbatim.
pub(super) type Setting = (String, String, String);

/// A `<world>`, or the top-level models of a document without one.
#[derive(Debug)]
pub(super) struct WorldText {
    pub name: String,
    pub gravity: Vec3,
    pub models: Vec<ModelText>,
    pub frames: Vec<FrameText>,
    pub joints: Vec<JointText>,
    pub settings: Vec<Setting>,
}

/// A `<model>`, nested or not.
#[derive(Debug)]
pub(super) struct ModelText {
    pub name: String,
    pub source: Source,
    pub version: Version,
    pub pose: PoseText,
    /// The frame inside the model that `pose` places; the model frame if `None`.
    pub placement_frame: Option<String>,
    pub canonical_link: Option<String>,
    pub is_static: bool,
    pub links: Vec<LinkText>,
    pub joints: Vec<JointText>,
    pub frames: Vec<FrameText>,
    pub models: Vec<ModelText>,
    /// Keys relative to the model.
    pub settings: Vec<Setting>,
    /// Warnings recorded while reading it and its nested models; kept for top-level models.
    pub warnings: Vec<Finding>,
}

/// A `<pose>` and the frame it is expressed in.
#[derive(Clone, Debug)]
pub(super) struct PoseText {
    pub pose: Pose,
    /// `None` is the default of the element that holds the pose.
    pub relative_to: Option<String>,
    pub source: Source,
}

/// A `<frame>`.
#[derive(Debug)]
pub(super) struct FrameText {
    pub name: String,
    pub source: Source,
    pub pose: PoseText,
    pub attached_to: Option<String>,
    /// Set for the model frame of a merged include: the pose places this frame of the same scope instead.
    pub placement_frame: Option<String>,
}

/// A `<link>`.
#[derive(Debug)]
pub(super) struct LinkText {
    pub name: String,
    pub source: Source,
    pub pose: PoseText,
    /// In the link frame.
    pub inertia: Inertia,
    /// The file writes a mass of exactly zero.
    pub massless: bool,
    pub linear_damping: f64,
    pub angular_damping: f64,
    pub gravity: bool,
    pub self_collide: bool,
    pub shapes: Vec<ShapeText>,
    pub sensors: Vec<SensorText>,
}

/// A `<collision>` or `<visual>`.
#[derive(Debug)]
pub(super) struct ShapeText {
    /// Its `body_from_shape` holds only the contribution of the geometry (the normal of a plane); `pose` is applied on
    /// top.
    pub shape: BodyShape,
    pub pose: PoseText,
    /// Density for automatic inertia [kg/m³], if the collision gives its own.
    pub density: Option<f64>,
    pub material: Option<Material>,
}

/// A `<sensor>` on a link or a joint.
#[derive(Debug)]
pub(super) struct SensorText {
    pub name: String,
    pub source: Source,
    pub pose: PoseText,
    /// The joint of a force-torque sensor is filled in when the joint is placed.
    pub kind: SensorOn,
    pub rate_hz: Option<f64>,
    pub noise_std: f64,
}

/// The measured quantity, as far as the document alone determines it.
#[derive(Debug)]
pub(super) enum SensorOn {
    /// Fully known.
    Ready(SensorKind),
    /// Force and torque through the joint that holds the sensor.
    HoldingJoint,
}

/// The `type` of a `<joint>` with the values specific to that type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum JointType {
    Fixed,
    Revolute,
    Continuous,
    Prismatic,
    /// Advance per radian [m/rad].
    Screw {
        pitch: f64,
    },
    /// Also `revolute2`: two hinges in series, the first on the parent, the second on the child.
    Universal,
    Ball,
    /// `theta_child = -ratio · theta_parent`, both relative to a third body.
    Gearbox {
        ratio: f64,
    },
}

/// A `<joint>`.
#[derive(Debug)]
pub(super) struct JointText {
    pub name: String,
    pub source: Source,
    pub kind: JointType,
    pub parent: String,
    pub child: String,
    pub pose: PoseText,
    pub axes: Vec<AxisText>,
    pub gearbox_reference: Option<String>,
    pub must_be_loop: bool,
    pub sensors: Vec<SensorText>,
    /// Keys relative to the joint.
    pub settings: Vec<Setting>,
}

/// An `<axis>` or `<axis2>`.
#[derive(Debug)]
pub(super) struct AxisText {
    pub xyz: Vec3,
    /// `None` is the joint frame; `Some("__model__")` the frame of the model that holds the joint.
    pub expressed_in: Option<String>,
    pub dof: Dof,
    pub initial_position: f64,
    pub mimic: Option<MimicText>,
    pub source: Source,
}

/// `follower = multiplier · (leader - reference) + offset`.
#[derive(Debug)]
pub(super) struct MimicText {
    pub joint: String,
    pub axis: String,
    pub multiplier: f64,
    pub offset: f64,
    pub reference: f64,
    pub source: Source,
}
