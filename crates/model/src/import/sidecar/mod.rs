//! `<file>.toml` next to a model file: properties that the file's format cannot express. A scenario may name another
//! one for its own use, which is applied after it.
//!
//! ```toml
//! schema = 1                       # the version of this format; always given
//! base = "free"                    # URDF only: "free" or "fixed", unless the caller says
//! gravity = [0, 0, -9.8]           # m/s²
//! friction_rule = "min"            # friction of two surfaces in contact: min (the default), average, multiply, max,
//!                                  # geometric_mean
//! restitution_rule = "max"         # the same for restitution; max is the default
//! start = "standing"               # the keyframe a run starts from
//! model = "robot"                  # which model is meant, where the file has several
//! self_collide = true              # whether bodies of this model may touch each other
//! adjacent_bodies_collide = false  # … even those that share a joint
//!
//! [[known]]                        # findings that are expected, and why
//! code = "inertia-triangle"
//! subject = "bodies/hand"          # left out: any
//! why = "published so"
//!
//! [parameters]                     # named numbers, and
//! length_m = { value = 1.0, text = "length of the arm [m]" }
//! [derive]                         # what follows from them
//! "bodies/arm/com/z" = "0.5 * length_m"
//!
//! [[keyframe]]                     # joints and actuators that are not named stay where they are
//! name = "standing"
//! q = { knee = 0.3, root = [0, 0, 1, 1, 0, 0, 0] }   # rad or m; quaternions w x y z
//! v = { knee = -1 }
//! command = { knee = 2 }          # by actuator
//!
//! [[joint]]                        # joint properties beyond the format
//! joint = "knee"
//! armature = 0.01                  # kg m² or kg; also damping, friction, stiffness, spring_reference
//!
//! [[loop]]                         # a joint that closes a loop; a body left out is the model frame
//! name = "pin"
//! kind = "ball"                    # weld, ball, revolute, prismatic, universal, distance
//! body_a = "rod"
//! frame_a = { xyz_m = [0, 0, 1], rpy_rad = [0, 0, 0] }
//! body_b = "crank"
//! frame_b = { xyz_m = [0, 0, 0] }  # also axis, axis_a, axis_b, length_m as the kind needs
//!
//! [[spring]]
//! name = "spring"
//! body_a = "rod"
//! point_b_m = [0, 0.1, 0]
//! stiffness_n_per_m = 100
//! rest_length_m = 0.2              # also damping_n_s_per_m, point_a_m, body_b
//!
//! [[coupling]]                     # new, or changes the one its follower already has
//! follower = "right"
//! leader = "left"
//! coefficients = [0, 1]
//! shared_motor = true
//!
//! [[actuator]]                     # new, or changes the one of this name (the joint's unless given)
//! joint = "knee"
//! effort = 30                      # clamp, N m or N; or effort_range = [low, high]
//! velocity_limit_rad_s = 4         # or velocity_limit_m_s
//! velocity_rule = "cut-pushing"    # ignore, cut-pushing, torque-speed-line
//! drive = { kind = "position", kp = 100, kd = 5 }   # effort (gain), position (kp, kd), velocity (kd)
//!
//! [[material]]                     # new, or changes the one of this name
//! name = "rubber"
//! bodies = ["foot"]                # whose collision shapes are made of it
//! friction = [0.8, 0.8]            # also torsional_friction_m, rolling_friction_m, restitution,
//!                                  # stiffness_n_per_m (inf: rigid), dissipation_s_per_m
//!
//! [[contact_pair]]                 # b left out is the environment
//! name = "scuff"
//! a = "foot"
//! material = "rubber"
//! conditions = [{ joint = "knee", position = [0.1, inf] }]   # or velocity = [low, high]
//!
//! [[exclude]]                      # two bodies that never touch
//! a = "upper"
//! b = "lower"
//! ```
//!
//! An unknown key is an error that lists the valid ones.

mod apply;
mod convert;
mod names;
mod schema;
#[cfg(test)]
mod tests;

pub(super) use apply::apply;

use super::Base;
use crate::finding::{Finding, Findings, Severity, Source};
use std::path::Path;
use std::sync::Arc;

/// The JSON Schema of sidecars, for editors.
pub fn json_schema() -> String {
    let schema = schemars::schema_for!(schema::Content);
    // A value of strings, numbers, lists and objects can always be serialised.
    serde_json::to_string_pretty(&schema).expect("a JSON value can be written") + "\n"
}

/// The newest schema that can be read.
pub const SCHEMA: i64 = 1;
/// Maximum size of a sidecar [bytes].
const MAX_BYTES: u64 = 16 << 20;

/// An expected finding of a shipped model, and why.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct KnownFinding {
    /// The finding's code.
    pub code: String,
    /// The finding's subject; empty means any.
    pub subject: String,
    /// Why it is expected.
    pub why: String,
    /// Where the sidecar lists it.
    pub source: Source,
}

impl KnownFinding {
    /// Whether this is the expected finding.
    pub fn covers(&self, finding: &Finding) -> bool {
        self.code == finding.code && (self.subject.is_empty() || self.subject == finding.subject)
    }
}

/// A sidecar that has been parsed but not applied.
pub(super) struct Sidecar {
    content: schema::Content,
    text: SidecarText,
}

/// The file's name and text, for source positions.
struct SidecarText {
    file: Arc<str>,
    text: String,
}

impl Sidecar {
    /// The sidecar next to `model_file`, if there is one. `Err` if it exists but cannot be used; that has been
    /// reported.
    pub fn beside(model_file: &Path, findings: &mut Findings) -> Result<Option<Self>, ()> {
        let mut path = model_file.as_os_str().to_owned();
        path.push(".toml");
        match std::fs::metadata(&path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            _ => Self::named(Path::new(&path), findings).map(Some),
        }
    }

    /// The sidecar at `path`. `Err` if it cannot be used; that has been reported.
    pub fn named(path: &Path, findings: &mut Findings) -> Result<Self, ()> {
        let file: Arc<str> = path.display().to_string().into();
        let mut fail = |text: String| {
            findings.add(Severity::Error, "file-read", Some(Source { file: file.clone(), line: 0 }), "", text);
            Err(())
        };
        match std::fs::metadata(path) {
            Ok(meta) if meta.len() > MAX_BYTES => return fail(format!("is larger than {} MiB", MAX_BYTES >> 20)),
            Ok(meta) if !meta.is_file() => return fail("is not a regular file; remove it".to_string()),
            Ok(_) => {}
            Err(e) => return fail(format!("cannot be read: {e}; check its permissions or remove it")),
        }
        match crate::input::read_text(path, MAX_BYTES) {
            Ok(text) => Self::parse(&text, &file, findings),
            Err(e) => fail(format!("cannot be read: {e}; save it as UTF-8 text")),
        }
    }

    /// Parses the text; `Err` if it cannot be used, which has been reported.
    pub fn parse(text: &str, file: &Arc<str>, findings: &mut Findings) -> Result<Self, ()> {
        let text = SidecarText { file: file.clone(), text: text.to_string() };
        let mut fail = |at: Option<std::ops::Range<usize>>, what: String| {
            let source = at.map_or(Source { file: file.clone(), line: 0 }, |at| text.source(at.start));
            findings.add(Severity::Error, "sidecar", Some(source), "", what);
            Err(())
        };
        // The version is read first: the contents of a newer file are unknown.
        let version = match toml::from_str::<schema::Version>(&text.text) {
            Ok(version) => version,
            Err(e) => return fail(e.span(), e.message().to_string()),
        };
        match version.schema {
            None => return fail(None, format!("has no 'schema'; write schema = {SCHEMA} at its top")),
            Some(v) if *v.get_ref() > SCHEMA => {
                let text =
                    format!("has schema {}; this program reads schema {SCHEMA}; use a newer program", v.get_ref());
                return fail(Some(v.span()), text);
            }
            Some(v) if *v.get_ref() < 1 => return fail(Some(v.span()), "'schema' counts from 1".into()),
            Some(_) => {}
        }
        match toml::from_str::<schema::Content>(&text.text) {
            Ok(content) => Ok(Self { content, text }),
            Err(e) => fail(e.span(), e.message().to_string()),
        }
    }

    /// How the base is attached, if the sidecar specifies it.
    pub fn base(&self) -> Option<Base> {
        self.content.base.map(|base| match base {
            schema::Held::Fixed => Base::Fixed,
            schema::Held::Free => Base::Free,
        })
    }

    /// Records a warning about a top-level key.
    pub fn warn(&self, findings: &mut Findings, key: &str, text: &str) {
        let line_of_key = self.text.text.lines().position(|l| l.split('=').next().is_some_and(|k| k.trim() == key));
        let line = line_of_key.map_or(0, |l| l as u32 + 1);
        let source = Source { file: self.text.file.clone(), line };
        findings.add(Severity::Warning, "sidecar", Some(source), key, text);
    }

    /// The expected findings.
    pub fn known(&self) -> Vec<KnownFinding> {
        let known = self.content.known.iter().map(|entry| {
            let schema::Known { code, subject, why } = entry.get_ref().clone();
            KnownFinding { code, subject, why, source: self.text.source(entry.span().start) }
        });
        known.collect()
    }
}

impl SidecarText {
    /// The source position of a byte offset.
    fn source(&self, at: usize) -> Source {
        let before = self.text.as_bytes().iter().take(at);
        Source { file: self.file.clone(), line: 1 + before.filter(|b| **b == b'\n').count() as u32 }
    }
}
