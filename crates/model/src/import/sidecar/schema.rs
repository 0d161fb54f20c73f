//! The keys of a sidecar. Each table lists all its keys; the module documentation explains them.

use crate::combination::CombineRule;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// Read first.
#[derive(Deserialize)]
pub(super) struct Version {
    pub schema: Option<Spanned<i64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Content {
    #[serde(rename = "schema")]
    pub _schema: i64,
    pub base: Option<Held>,
    pub gravity: Option<[f64; 3]>,
    pub friction_rule: Option<CombineRule>,
    pub restitution_rule: Option<CombineRule>,
    pub start: Option<Spanned<String>>,
    pub model: Option<Spanned<String>>,
    pub self_collide: Option<bool>,
    pub adjacent_bodies_collide: Option<bool>,
    #[serde(default)]
    pub known: Vec<Spanned<Known>>,
    #[serde(default)]
    pub parameters: BTreeMap<String, ParameterValue>,
    #[serde(default)]
    pub derive: BTreeMap<String, String>,
    #[serde(default)]
    pub keyframe: Vec<Spanned<Keyframe>>,
    #[serde(default)]
    pub joint: Vec<Spanned<Joint>>,
    #[serde(default, rename = "loop")]
    pub loops: Vec<Spanned<Loop>>,
    #[serde(default)]
    pub spring: Vec<Spanned<Spring>>,
    #[serde(default)]
    pub coupling: Vec<Spanned<Coupling>>,
    #[serde(default)]
    pub actuator: Vec<Spanned<Actuator>>,
    #[serde(default)]
    pub material: Vec<Spanned<Material>>,
    #[serde(default)]
    pub contact_pair: Vec<Spanned<ContactPair>>,
    #[serde(default)]
    pub exclude: Vec<Spanned<Exclude>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Held {
    Fixed,
    Free,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Known {
    pub code: String,
    #[serde(default)]
    pub subject: String,
    pub why: String,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a number or { value = …, text = \"…\" }")]
pub(super) enum ParameterValue {
    Bare(f64),
    Described(DescribedParameter),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DescribedParameter {
    pub value: f64,
    #[serde(default)]
    pub text: String,
}

/// A number for a joint with one value, a list for a joint with several.
#[derive(Clone, Deserialize)]
#[serde(untagged, expecting = "a number or a list of numbers")]
pub(super) enum Values {
    One(f64),
    Many(Vec<f64>),
}

impl Values {
    pub fn as_slice(&self) -> &[f64] {
        match self {
            Values::One(value) => std::slice::from_ref(value),
            Values::Many(values) => values,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Keyframe {
    pub name: String,
    #[serde(default)]
    pub q: BTreeMap<String, Values>,
    #[serde(default)]
    pub v: BTreeMap<String, Values>,
    #[serde(default)]
    pub command: BTreeMap<String, f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Joint {
    pub joint: String,
    pub armature: Option<f64>,
    pub damping: Option<f64>,
    pub friction: Option<f64>,
    pub stiffness: Option<f64>,
    pub spring_reference: Option<f64>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Frame {
    pub xyz_m: [f64; 3],
    pub rpy_rad: Option<[f64; 3]>,
    pub quat_wxyz: Option<[f64; 4]>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum LoopWord {
    Weld,
    Ball,
    Revolute,
    Prismatic,
    Universal,
    Distance,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Loop {
    pub name: String,
    pub kind: LoopWord,
    pub body_a: Option<String>,
    pub body_b: Option<String>,
    #[serde(default)]
    pub frame_a: Frame,
    #[serde(default)]
    pub frame_b: Frame,
    pub axis: Option<[f64; 3]>,
    pub axis_a: Option<[f64; 3]>,
    pub axis_b: Option<[f64; 3]>,
    pub length_m: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Spring {
    pub name: String,
    pub body_a: Option<String>,
    pub body_b: Option<String>,
    #[serde(default)]
    pub point_a_m: [f64; 3],
    #[serde(default)]
    pub point_b_m: [f64; 3],
    pub stiffness_n_per_m: f64,
    #[serde(default)]
    pub damping_n_s_per_m: f64,
    pub rest_length_m: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Coupling {
    pub name: Option<String>,
    pub follower: String,
    pub leader: Option<String>,
    pub coefficients: Option<Vec<f64>>,
    pub shared_motor: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Actuator {
    pub name: Option<String>,
    pub joint: Option<String>,
    pub dof: Option<usize>,
    pub gear: Option<f64>,
    pub drive: Option<Drive>,
    pub effort: Option<f64>,
    pub effort_range: Option<[f64; 2]>,
    pub command_range: Option<[f64; 2]>,
    pub velocity_limit_rad_s: Option<f64>,
    pub velocity_limit_m_s: Option<f64>,
    pub velocity_rule: Option<VelocityRule>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Drive {
    Effort {
        #[serde(default = "one")]
        gain: f64,
    },
    Position {
        kp: f64,
        #[serde(default)]
        kd: f64,
    },
    Velocity {
        kd: f64,
    },
}

fn one() -> f64 {
    1.0
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum VelocityRule {
    Ignore,
    CutPushing,
    TorqueSpeedLine,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Material {
    pub name: String,
    #[serde(default)]
    pub bodies: Vec<String>,
    pub friction: Option<[f64; 2]>,
    pub torsional_friction_m: Option<f64>,
    pub rolling_friction_m: Option<f64>,
    pub restitution: Option<f64>,
    pub stiffness_n_per_m: Option<f64>,
    pub dissipation_s_per_m: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ContactPair {
    pub name: String,
    pub a: String,
    pub b: Option<String>,
    pub material: Option<String>,
    #[serde(default)]
    pub conditions: Vec<Condition>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Condition {
    pub joint: String,
    pub position: Option<[f64; 2]>,
    pub velocity: Option<[f64; 2]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Exclude {
    pub a: String,
    pub b: String,
}
