//! The keys of a sidecar. The JSON Schema that editors use and the reference page are made from these types.

use crate::combination::CombineRule;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// Read first.
#[derive(Deserialize)]
pub(super) struct Version {
    pub schema: Option<Spanned<i64>>,
}

/// A sidecar: what a model file cannot express.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Sidecar")]
pub(super) struct Content {
    /// Version of this format: 1.
    #[serde(rename = "schema")]
    pub _schema: i64,
    /// URDF only: how the root is held; the caller may overrule it.
    pub base: Option<Held>,
    /// Acceleration of free fall [m/s²].
    pub gravity: Option<[f64; 3]>,
    /// How the friction of two surfaces in contact becomes that of the pair; min unless given.
    pub friction_rule: Option<CombineRule>,
    /// The same for restitution; max unless given.
    pub restitution_rule: Option<CombineRule>,
    /// The keyframe a run starts from.
    #[schemars(with = "Option<String>")]
    pub start: Option<Spanned<String>>,
    /// Which model is meant, where the file has several.
    #[schemars(with = "Option<String>")]
    pub model: Option<Spanned<String>>,
    /// Whether bodies of this model may touch each other.
    pub self_collide: Option<bool>,
    /// Whether even bodies that share a joint may.
    pub adjacent_bodies_collide: Option<bool>,
    /// Findings that are expected, and why.
    #[serde(default)]
    #[schemars(with = "Vec<Known>")]
    pub known: Vec<Spanned<Known>>,
    /// Named numbers.
    #[serde(default)]
    pub parameters: BTreeMap<String, ParameterValue>,
    /// Numbers by path, as expressions of the parameters: "bodies/arm/com/z" = "0.5 * length_m".
    #[serde(default)]
    pub derive: BTreeMap<String, String>,
    /// Stored states.
    #[serde(default)]
    #[schemars(with = "Vec<Keyframe>")]
    pub keyframe: Vec<Spanned<Keyframe>>,
    /// Properties of joints.
    #[serde(default)]
    #[schemars(with = "Vec<Joint>")]
    pub joint: Vec<Spanned<Joint>>,
    /// Joints that close loops.
    #[serde(default, rename = "loop")]
    #[schemars(with = "Vec<Loop>")]
    pub loops: Vec<Spanned<Loop>>,
    /// Springs between points of two bodies.
    #[serde(default)]
    #[schemars(with = "Vec<Spring>")]
    pub spring: Vec<Spanned<Spring>>,
    /// Joints that follow others.
    #[serde(default)]
    #[schemars(with = "Vec<Coupling>")]
    pub coupling: Vec<Spanned<Coupling>>,
    /// Motors.
    #[serde(default)]
    #[schemars(with = "Vec<Actuator>")]
    pub actuator: Vec<Spanned<Actuator>>,
    /// Surfaces.
    #[serde(default)]
    #[schemars(with = "Vec<Material>")]
    pub material: Vec<Spanned<Material>>,
    /// Pairs of bodies with a surface or a condition of their own.
    #[serde(default)]
    #[schemars(with = "Vec<ContactPair>")]
    pub contact_pair: Vec<Spanned<ContactPair>>,
    /// Pairs of bodies that never touch.
    #[serde(default)]
    #[schemars(with = "Vec<Exclude>")]
    pub exclude: Vec<Spanned<Exclude>>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Held {
    Fixed,
    Free,
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Known {
    /// The finding's code, e.g. inertia-triangle.
    pub code: String,
    /// The part it is about, e.g. bodies/hand; any unless given.
    #[serde(default)]
    pub subject: String,
    /// Why it is expected.
    pub why: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a number or { value = …, text = \"…\" }")]
pub(super) enum ParameterValue {
    Bare(f64),
    Described(DescribedParameter),
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DescribedParameter {
    /// Its value.
    pub value: f64,
    /// What it is, with its unit.
    #[serde(default)]
    pub text: String,
}

/// A number for a joint with one value, a list for a joint with several.
#[derive(Clone, Deserialize, JsonSchema)]
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

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Keyframe {
    /// Unique in the model.
    pub name: String,
    /// Positions by joint [rad or m]; quaternions w x y z. Joints left out stay where the file puts them.
    #[serde(default)]
    pub q: BTreeMap<String, Values>,
    /// Velocities by joint [rad/s or m/s]; 0 unless given.
    #[serde(default)]
    pub v: BTreeMap<String, Values>,
    /// Commands by actuator; 0 unless given.
    #[serde(default)]
    pub command: BTreeMap<String, f64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Joint {
    /// Its name.
    pub joint: String,
    /// Inertia of the motor seen at the joint [kg m² or kg].
    pub armature: Option<f64>,
    /// [N m s/rad or N s/m]
    pub damping: Option<f64>,
    /// Dry friction [N m or N].
    pub friction: Option<f64>,
    /// Of a spring in the joint [N m/rad or N/m].
    pub stiffness: Option<f64>,
    /// Where that spring is at rest [rad or m].
    pub spring_reference: Option<f64>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Frame {
    /// Origin in the body [m].
    pub xyz_m: [f64; 3],
    /// Roll, pitch, yaw about fixed axes [rad].
    pub rpy_rad: Option<[f64; 3]>,
    /// Unit quaternion w x y z, instead of `rpy_rad`.
    pub quat_wxyz: Option<[f64; 4]>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum LoopWord {
    Weld,
    Ball,
    Revolute,
    Prismatic,
    Universal,
    Distance,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Loop {
    /// Unique in the model.
    pub name: String,
    /// What it keeps together.
    pub kind: LoopWord,
    /// The first body; the model frame unless given.
    pub body_a: Option<String>,
    /// The second body; the model frame unless given.
    pub body_b: Option<String>,
    /// Its frame on the first body.
    #[serde(default)]
    pub frame_a: Frame,
    /// Its frame on the second body.
    #[serde(default)]
    pub frame_b: Frame,
    /// Of a revolute or prismatic loop, in its frame.
    pub axis: Option<[f64; 3]>,
    /// Of a universal loop, on the first body.
    pub axis_a: Option<[f64; 3]>,
    /// Of a universal loop, on the second body.
    pub axis_b: Option<[f64; 3]>,
    /// Of a distance loop [m].
    pub length_m: Option<f64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Spring {
    /// Unique in the model.
    pub name: String,
    /// The first body; the model frame unless given.
    pub body_a: Option<String>,
    /// The second body; the model frame unless given.
    pub body_b: Option<String>,
    /// Where it is attached to the first body [m].
    #[serde(default)]
    pub point_a_m: [f64; 3],
    /// Where it is attached to the second body [m].
    #[serde(default)]
    pub point_b_m: [f64; 3],
    /// [N/m]
    pub stiffness_n_per_m: f64,
    /// [N s/m]
    #[serde(default)]
    pub damping_n_s_per_m: f64,
    /// [m]
    pub rest_length_m: f64,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Coupling {
    /// Unique in the model; FOLLOWER_coupling unless given.
    pub name: Option<String>,
    /// The joint that follows.
    pub follower: String,
    /// The joint it follows; none holds it at the first coefficient.
    pub leader: Option<String>,
    /// Of the polynomial in the leader's position, constant first.
    pub coefficients: Option<Vec<f64>>,
    /// Whether one motor drives both.
    pub shared_motor: Option<bool>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Actuator {
    /// Unique in the model; the joint's unless given. An actuator of this name is changed.
    pub name: Option<String>,
    /// The joint it drives.
    pub joint: Option<String>,
    /// Which freedom of that joint, from 0.
    pub dof: Option<usize>,
    /// Joint effort for each unit of motor effort.
    pub gear: Option<f64>,
    /// What its command means.
    pub drive: Option<Drive>,
    /// Largest effort, both ways [N m or N].
    pub effort: Option<f64>,
    /// Least and largest effort [N m or N], instead of `effort`.
    pub effort_range: Option<[f64; 2]>,
    /// Least and largest command.
    pub command_range: Option<[f64; 2]>,
    /// [rad/s]
    pub velocity_limit_rad_s: Option<f64>,
    /// [m/s]
    pub velocity_limit_m_s: Option<f64>,
    /// What happens at that limit.
    pub velocity_rule: Option<VelocityRule>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
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

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum VelocityRule {
    Ignore,
    CutPushing,
    TorqueSpeedLine,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Material {
    /// Unique in the model. A material of this name is changed.
    pub name: String,
    /// Bodies whose collision shapes are made of it.
    #[serde(default)]
    pub bodies: Vec<String>,
    /// Coulomb coefficients along two directions.
    pub friction: Option<[f64; 2]>,
    /// Against rotation about the normal, as a length [m].
    pub torsional_friction_m: Option<f64>,
    /// Against rolling, as a length [m].
    pub rolling_friction_m: Option<f64>,
    /// 0 to 1.
    pub restitution: Option<f64>,
    /// Of compliant contact [N/m]; inf is rigid.
    pub stiffness_n_per_m: Option<f64>,
    /// Hunt-Crossley dissipation of compliant contact [s/m].
    pub dissipation_s_per_m: Option<f64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ContactPair {
    /// Unique in the model.
    pub name: String,
    /// The first body.
    pub a: String,
    /// The second body; everything outside the model unless given.
    pub b: Option<String>,
    /// The surface of this pair.
    pub material: Option<String>,
    /// When the pair may touch; always unless given.
    #[serde(default)]
    pub conditions: Vec<Condition>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Condition {
    /// Its position or velocity decides.
    pub joint: String,
    /// Least and largest [rad or m].
    pub position: Option<[f64; 2]>,
    /// Least and largest [rad/s or m/s].
    pub velocity: Option<[f64; 2]>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Exclude {
    /// The first body.
    pub a: String,
    /// The second body.
    pub b: String,
}
