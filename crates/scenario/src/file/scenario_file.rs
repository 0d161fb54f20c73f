//! What a scenario file may hold. `docs/scenarios.md` tells it with examples.

use super::cycle_table::CycleTable;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use veracity_control::{ControllerConfig, SensorConfig};
use veracity_model::CombineRule;

/// A scenario: what is tried. It names no engine; studies do.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScenarioFile {
    /// Version of this format: 1.
    pub schema: i64,
    /// Lower case letters, digits and underscores; unique in a study.
    pub name: String,
    /// For people, in a line.
    #[serde(default)]
    pub title: Option<String>,
    /// What it shows.
    #[serde(default)]
    pub text: String,
    /// Where its numbers come from.
    #[serde(default)]
    pub source: String,
    /// How long it runs [s]; a multiple of the step.
    pub duration_s: f64,
    /// The step it is meant for [s]; default: 0.001. A study may give others.
    #[serde(default = "default_step_s")]
    pub step_s: f64,
    /// A trial that takes more CPU time is too slow [s]; default: 60.
    #[serde(default = "default_cpu_cap_s")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub cpu_cap_s: f64,
    /// Where it happens.
    pub world: WorldTable,
    /// Where it starts; default: where the models' files show them.
    #[serde(default)]
    pub start: StartTable,
    /// What commands the robot.
    #[serde(default)]
    pub controllers: Vec<ControllerConfig>,
    /// What the controllers see.
    #[serde(default)]
    pub sensors: Vec<SensorConfig>,
    /// What is kept.
    #[serde(default)]
    pub record: RecordTable,
    /// How the truth is obtained.
    #[serde(default)]
    pub references: Vec<ReferenceTable>,
    /// What is demanded.
    #[serde(default)]
    pub checks: Vec<CheckTable>,
    /// What ends a trial before its duration.
    #[serde(default)]
    pub stop: Option<StopTable>,
    /// A change that must turn a check red.
    #[serde(default)]
    pub mutation: Option<MutationTable>,
    /// The limit cycle that `veracity cycle` looks for.
    #[serde(default)]
    pub cycle: Option<CycleTable>,
}

fn default_step_s() -> f64 {
    0.001
}

fn default_cpu_cap_s() -> f64 {
    60.0
}

/// `[world]`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorldTable {
    /// The one model file (URDF, SDF or MJCF), relative to this file.
    #[serde(default)]
    pub model: Option<String>,
    /// Several model files with their places; instead of `model`.
    #[serde(default)]
    pub models: Vec<ModelTable>,
    /// Folders in which package://NAME/… and model://NAME/… of model files are looked up, relative to this file; after
    /// those of the command line.
    #[serde(default)]
    pub package_paths: Vec<String>,
    /// Acceleration of free fall [m/s²]; what the model file says unless given.
    #[serde(default)]
    pub gravity_m_s2: Option<[f64; 3]>,
    /// Whether bodies may touch; default: true.
    #[serde(default)]
    pub contact: Option<bool>,
    /// How the friction of two surfaces in contact becomes that of the pair; what the model files say unless given:
    /// max for MJCF, else min.
    #[serde(default)]
    pub friction_rule: Option<CombineWord>,
    /// The same for restitution; max unless given.
    #[serde(default)]
    pub restitution_rule: Option<CombineWord>,
    /// Whether options that a model file gives for one engine alone (MJCF's `<option>`) are kept; default: true. An engine
    /// rejects those that its spec does not set to the same value.
    #[serde(default)]
    pub engine_settings: Option<bool>,
    /// Numbers of the world to change, by path, e.g. "world/arm/bodies/hand/mass" = 1.2.
    #[serde(default)]
    pub set: BTreeMap<String, f64>,
}

/// How two coefficients become one.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CombineWord {
    /// Half the sum.
    Average,
    /// The smaller.
    Min,
    /// The product.
    Multiply,
    /// The larger.
    Max,
    /// The square root of the product.
    GeometricMean,
}

impl From<CombineWord> for CombineRule {
    fn from(word: CombineWord) -> Self {
        match word {
            CombineWord::Average => CombineRule::Average,
            CombineWord::Min => CombineRule::Min,
            CombineWord::Multiply => CombineRule::Multiply,
            CombineWord::Max => CombineRule::Max,
            CombineWord::GeometricMean => CombineRule::GeometricMean,
        }
    }
}

/// `[[world.models]]`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelTable {
    /// URDF, SDF or MJCF, relative to this file.
    pub file: String,
    /// What it is called in paths; default: the model's own name.
    #[serde(default)]
    pub name: Option<String>,
    /// Its place in the world [m].
    #[serde(default)]
    pub position_m: Option<[f64; 3]>,
    /// Its turn: roll, pitch, yaw about fixed axes [rad].
    #[serde(default)]
    pub rpy_rad: Option<[f64; 3]>,
    /// Its turn as a unit quaternion w x y z; instead of `rpy_rad`.
    #[serde(default)]
    pub quat_wxyz: Option<[f64; 4]>,
    /// How the root of a URDF is held.
    #[serde(default)]
    pub base: Option<BaseWord>,
    /// A sidecar for this scenario only, relative to this file; applied after the one next to the model file.
    #[serde(default)]
    pub sidecar: Option<String>,
    /// The SRDF of a URDF, relative to this file; the one of the same name next to it or in ../srdf unless given.
    #[serde(default)]
    pub srdf: Option<String>,
}

/// How the root of a URDF is held.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BaseWord {
    /// To the world.
    Fixed,
    /// Not at all.
    Free,
}

/// `[start]`
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StartTable {
    /// A named state of the model file.
    #[serde(default)]
    pub keyframe: Option<String>,
    /// Positions by joint [rad or m]; joints with several freedoms take a list.
    #[serde(default)]
    pub positions: BTreeMap<String, OneOrMany>,
    /// Velocities by joint [rad/s or m/s].
    #[serde(default)]
    pub velocities: BTreeMap<String, OneOrMany>,
    /// Places and motions of free bodies, by body.
    #[serde(default)]
    pub bodies: BTreeMap<String, FreeBodyTable>,
}

/// A number or a list of numbers.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMany {
    /// One.
    One(f64),
    /// Several.
    Many(Vec<f64>),
}

/// A free body at the start. What is left out stays as the model's file shows it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FreeBodyTable {
    /// Of the body's frame, in the world [m].
    #[serde(default)]
    pub position_m: Option<[f64; 3]>,
    /// Roll, pitch, yaw about the world's axes [rad].
    #[serde(default)]
    pub rpy_rad: Option<[f64; 3]>,
    /// Unit quaternion w x y z; instead of `rpy_rad`.
    #[serde(default)]
    pub quat_wxyz: Option<[f64; 4]>,
    /// Of the origin of the body's frame, in world axes [m/s].
    #[serde(default)]
    pub velocity_m_s: Option<[f64; 3]>,
    /// Angular velocity in the body's own axes [rad/s].
    #[serde(default)]
    pub spin_rad_s: Option<[f64; 3]>,
}

/// `[record]`
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordTable {
    /// Rows in a second [Hz]; default: 100. The interval must be a multiple of the step.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub rate_hz: Option<f64>,
}

/// `[[references]]`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReferenceTable {
    /// Checks call it by this.
    pub name: String,
    /// How it is made.
    pub kind: ReferenceWord,
    /// Of a closed form: which one.
    #[serde(default)]
    pub form: Option<String>,
    /// Of a closed form: what it wants to know, e.g. which joint is meant.
    #[serde(default)]
    pub parameters: BTreeMap<String, ParameterTable>,
    /// Of published values: where they were printed.
    #[serde(default)]
    pub source: Option<String>,
    /// Of published values or a recording: what is known.
    #[serde(default)]
    pub channels: Vec<ChannelTable>,
    /// Of a recording: CSV, MCAP or Parquet, relative to this file.
    #[serde(default)]
    pub file: Option<String>,
}

/// How a reference is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReferenceWord {
    /// A formula.
    ClosedForm,
    /// Printed values.
    Published,
    /// A far more accurate run, made by the study's spec for it.
    Converged,
    /// A recorded file.
    Recorded,
}

/// A name, a number or a list of numbers.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ParameterTable {
    /// A number, SI.
    Number(f64),
    /// A name.
    Text(String),
    /// Several numbers, SI.
    Numbers(Vec<f64>),
}

/// `[[references.channels]]`: one quantity. Exactly one of the keys up to `scalar` says which.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChannelTable {
    /// Position of this joint [rad or m].
    #[serde(default)]
    pub joint: Option<String>,
    /// Speed of this joint [rad/s or m/s].
    #[serde(default)]
    pub joint_speed: Option<String>,
    /// Place of this body, or of `point_m` in it [m].
    #[serde(default)]
    pub position_of: Option<String>,
    /// Velocity of the same, world axes [m/s].
    #[serde(default)]
    pub velocity_of: Option<String>,
    /// Orientation of this body: w x y z.
    #[serde(default)]
    pub orientation_of: Option<String>,
    /// Angular velocity of this body, world axes [rad/s].
    #[serde(default)]
    pub spin_of: Option<String>,
    /// A number for the whole run, named like the metric it is compared with, e.g. period.
    #[serde(default)]
    pub scalar: Option<String>,
    /// A point in the body's frame; default: its origin [m].
    #[serde(default)]
    pub point_m: Option<[f64; 3]>,
    /// When [s], increasing (published).
    #[serde(default)]
    pub times_s: Vec<f64>,
    /// One for each time: a number, or a list for quantities with several (published).
    #[serde(default)]
    pub values: Vec<OneOrMany>,
    /// Names of the file's columns, in the order of the quantity's numbers (recorded).
    #[serde(default)]
    pub columns: Vec<String>,
    /// Error of the values in their own unit: one for all, or one for each time. Half of the last printed digit, unless
    /// the source says more.
    pub uncertainty: OneOrMany,
}

/// `[[checks]]`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckTable {
    /// Unique in the scenario.
    pub name: String,
    /// What is measured; `veracity list metrics` shows all.
    pub metric: String,
    /// The body, joint or pair meant; default: all of them (the worst counts).
    #[serde(default)]
    pub of: Option<String>,
    /// Another metric, for those that are made of one.
    #[serde(default)]
    pub quantity: Option<String>,
    /// A point in the body's frame [m].
    #[serde(default)]
    pub point_m: Option<[f64; 3]>,
    /// Instants to look at [s]; default: every recorded one.
    #[serde(default)]
    pub at_s: Vec<f64>,
    /// First instant that counts [s].
    #[serde(default)]
    pub from_s: Option<f64>,
    /// Last instant that counts [s].
    #[serde(default)]
    pub until_s: Option<f64>,
    /// Added to the instants of the reference to get those of the record [s].
    #[serde(default)]
    pub time_offset_s: f64,
    /// What a relative error is divided by.
    #[serde(default)]
    pub scale: Option<f64>,
    /// A threshold, in the unit of what the metric follows.
    #[serde(default)]
    pub level: Option<f64>,
    /// Bodies that hold, of any model (grasp_published, grasp_corrected, held, dropped,
    /// exceeded).
    #[serde(default)]
    pub grippers: Vec<String>,
    /// Bodies that are held, of any model (grasp_published, grasp_corrected, held, dropped,
    /// exceeded).
    #[serde(default)]
    pub objects: Vec<String>,
    /// The other body, of any model: of a contact pair (gap, penetration, slip), or the one in whose frame `of` is followed
    /// (relative_displacement, relative_angle, reached, exceeded).
    #[serde(default)]
    pub with: Option<String>,
    /// Where `of` should be, in the frame of `with` or in the world [m] (reached).
    #[serde(default)]
    pub target_m: Option<[f64; 3]>,
    /// How `of` should be turned: roll, pitch, yaw about fixed axes [rad] (reached).
    #[serde(default)]
    pub target_rpy_rad: Option<[f64; 3]>,
    /// How far from the target is near enough (reached), or how far a held object may move (held) [m].
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub within_m: Option<f64>,
    /// The same for turning [rad] (reached, held).
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub within_rad: Option<f64>,
    /// Lower than this over the world's origin, a body has fallen (fell) or an object is dropped (dropped) [m].
    #[serde(default)]
    pub below_m: Option<f64>,
    /// Farther from its place in the grippers' frames, an object is dropped [m] (dropped).
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub farther_m: Option<f64>,
    /// Leaning more than this, a body has fallen [rad] (fell).
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub tilt_rad: Option<f64>,
    /// How long the target must be kept [s]; at once unless given (reached).
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub for_s: Option<f64>,
    /// Which reference it is held against.
    #[serde(default)]
    pub reference: Option<String>,
    /// The value must not exceed it, in the metric's unit: the bound of an error. A check has one of `bound`, `at_most`,
    /// `at_least` and `between`; a task condition needs none.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub bound: Option<f64>,
    /// The most the value may be, in the metric's unit; unlike `bound` it may be negative.
    #[serde(default)]
    pub at_most: Option<f64>,
    /// The least the value may be, in the metric's unit.
    #[serde(default)]
    pub at_least: Option<f64>,
    /// The least and the most the value may be, in the metric's unit.
    #[serde(default)]
    pub between: Option<[f64; 2]>,
    /// Where the bound comes from: theory, use, or a published tolerance.
    pub reason: String,
}

/// `[stop]`: the trial ends with the first recorded row in which one of these checks has come true.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StopTable {
    /// Names of checks whose metric is a task condition: held (the loss), dropped, fell, reached, exceeded.
    pub when: Vec<String>,
}

/// `[mutation]`: the changed scenario is run and held to the references of the unchanged one.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MutationTable {
    /// Numbers to change, by path.
    pub set: BTreeMap<String, f64>,
    /// Why that must show.
    pub why: String,
}
