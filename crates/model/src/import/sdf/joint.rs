//! `<joint>` and its axes.

use super::super::xml::Element;
use super::description::{AxisText, JointText, JointType, MimicText};
use super::reader::{Document, Reader};
use super::version::Version;
use crate::geometry::Vec3;
use crate::joint::Dof;
use std::f64::consts::TAU;

/// SDF wrote "no limit" as ±1e16 before it supported infinity (1.11).
const NO_LIMIT: f64 = 1e16;

impl Reader {
    /// Reads a joint; `None` if it cannot be used, with the reason recorded.
    pub fn joint(&mut self, element: Element<'_>, document: Document<'_>) -> Option<JointText> {
        self.known_attributes(element, &["name", "type"]);
        let name = self.name(element, document)?;
        let kind = self.joint_type(element, document, &name);
        let [parent, child] = ["parent", "child"].map(|end| {
            let word = self.word(element, end);
            if word.is_none() {
                let text = format!("joint '{name}' has no <{end}>; name the link it connects");
                element.error(&mut self.findings, "joint-end", &name, text);
            }
            word
        });
        let mut joint = JointText {
            kind: kind?,
            parent: parent?,
            child: child?,
            pose: self.pose(element, document),
            axes: Vec::new(),
            gearbox_reference: self.word(element, "gearbox_reference_body"),
            must_be_loop: false,
            sensors: Vec::new(),
            settings: Vec::new(),
            source: element.source(),
            name,
        };
        for node in element.children() {
            match node.name() {
                "parent" | "child" | "pose" | "axis" | "axis2" => {}
                "gearbox_ratio" | "gearbox_reference_body" if matches!(joint.kind, JointType::Gearbox { .. }) => {}
                "thread_pitch" | "screw_thread_pitch" if matches!(joint.kind, JointType::Screw { .. }) => {}
                // Files print every element of the schema; a pitch on a hinge has no meaning.
                "gearbox_ratio" | "gearbox_reference_body" | "thread_pitch" | "screw_thread_pitch" => {
                    self.left_out(
                        node,
                        format!("<{}> on another type of joint", node.name()),
                        "it has no meaning there",
                    );
                }
                "physics" => self.joint_physics(node, &mut joint),
                "sensor" => joint.sensors.extend(self.sensor(node, document, true)),
                _ => self.unknown(node, "joint"),
            }
        }
        self.axes(element, document, &mut joint);
        Some(joint)
    }

    fn joint_type(&mut self, element: Element<'_>, document: Document<'_>, name: &str) -> Option<JointType> {
        let Some(word) = element.attribute("type") else {
            element.error(&mut self.findings, "joint-type", name, format!("joint '{name}' has no type"));
            return None;
        };
        Some(match word.trim() {
            "fixed" => JointType::Fixed,
            "revolute" => JointType::Revolute,
            "continuous" => JointType::Continuous,
            "prismatic" => JointType::Prismatic,
            "ball" => JointType::Ball,
            "universal" | "revolute2" => JointType::Universal,
            "screw" => JointType::Screw { pitch: self.screw_pitch(element, document, name)? },
            "gearbox" => JointType::Gearbox { ratio: self.scalar(element, "gearbox_ratio").unwrap_or(1.0) },
            other => {
                let shown: String = other.chars().take(40).collect();
                let text = format!(
                    "joint '{name}' is of type '{shown}'; SDF has fixed, revolute, continuous, prismatic, screw, \
                     universal, revolute2, ball and gearbox"
                );
                element.error(&mut self.findings, "joint-type", name, text);
                return None;
            }
        })
    }

    /// Advance per radian, positive for a right-handed thread [m/rad].
    ///
    /// `screw_thread_pitch` (1.10) is metres per revolution, right-handed, and takes precedence over `thread_pitch`,
    /// which is radians per metre with a positive value for a left-handed thread (SDFormat 1.11, `joint.sdf`).
    fn screw_pitch(&mut self, element: Element<'_>, document: Document<'_>, name: &str) -> Option<f64> {
        let per_revolution = self.scalar(element, "screw_thread_pitch");
        let radians_per_metre = self.scalar(element, "thread_pitch");
        if per_revolution.is_none() && radians_per_metre.is_none() {
            let text = format!("screw joint '{name}' has no pitch; SDF's default of 1 is used");
            element.warning(&mut self.findings, "screw-pitch", name, text);
        }
        let pitch = match (per_revolution, radians_per_metre) {
            (Some(p), _) => p / TAU,
            (None, Some(t)) => -1.0 / t,
            (None, None) if document.version >= Version(10) => 1.0 / TAU,
            (None, None) => -1.0,
        };
        if !pitch.is_finite() {
            let text = format!("the thread pitch of joint '{name}' is not finite");
            element.error(&mut self.findings, "screw-pitch", name, text);
            return None;
        }
        Some(pitch)
    }

    fn axes(&mut self, element: Element<'_>, document: Document<'_>, joint: &mut JointText) {
        let wanted: &[&str] = match joint.kind {
            JointType::Fixed | JointType::Ball => &[],
            JointType::Universal | JointType::Gearbox { .. } => &["axis", "axis2"],
            _ => &["axis"],
        };
        for tag in ["axis", "axis2"] {
            match (element.child(tag), wanted.contains(&tag)) {
                (Some(axis), true) => {
                    let axis = self.axis(axis, document, joint);
                    joint.axes.push(axis);
                }
                (Some(axis), false) => {
                    let what = format!("<{tag}> on a joint that has no such axis");
                    self.left_out(axis, what, "it has no meaning there");
                }
                (None, true) => {
                    let text = format!("joint '{}' has no <{tag}>; its type needs one", joint.name);
                    element.error(&mut self.findings, "joint-axis", &joint.name, text);
                }
                (None, false) => {}
            }
        }
    }

    fn axis(&mut self, element: Element<'_>, document: Document<'_>, joint: &mut JointText) -> AxisText {
        let mut axis = AxisText {
            xyz: Vec3::z(),
            // Up to 1.4 the axis is in the model frame (libsdformat's 1_4.convert); see `version`.
            expressed_in: document.version.axis_is_in_model_frame().then(|| "__model__".to_string()),
            dof: Dof::default(),
            initial_position: 0.0,
            mimic: None,
            source: element.source(),
        };
        if element.child("xyz").is_none() {
            let text = format!("an axis of joint '{}' has no <xyz>; SDF's default is 0 0 1", joint.name);
            element.warning(&mut self.findings, "joint-axis", &joint.name, text);
        }
        for child in element.children() {
            match child.name() {
                "xyz" => self.axis_vector(child, document, joint, &mut axis),
                "use_parent_model_frame" => self.parent_model_frame(child, document, joint, &mut axis),
                "limit" => self.limit(child, joint, &mut axis.dof, element.name()),
                "dynamics" => self.dynamics(child, joint, &mut axis.dof),
                "initial_position" => axis.initial_position = child.text_number(&mut self.findings).unwrap_or(0.0),
                "mimic" => axis.mimic = self.mimic(child),
                _ => self.unknown(child, element.name()),
            }
        }
        let limited = axis.dof.lower.is_finite() || axis.dof.upper.is_finite();
        if joint.kind == JointType::Continuous && limited {
            let text = format!("joint '{}' is continuous and has limits; they are ignored. Use revolute", joint.name);
            element.warning(&mut self.findings, "joint-limits", &joint.name, text);
            (axis.dof.lower, axis.dof.upper) = (f64::NEG_INFINITY, f64::INFINITY);
        }
        axis
    }

    fn axis_vector(&mut self, element: Element<'_>, document: Document<'_>, joint: &JointText, axis: &mut AxisText) {
        self.known_attributes(element, &["expressed_in"]);
        if let Some([x, y, z]) = element.text_numbers::<3>(&mut self.findings) {
            axis.xyz = Vec3::new(x, y, z);
            let norm = axis.xyz.norm();
            if !(norm > 0.0 && norm.is_finite()) {
                let text = format!("an axis of joint '{}' has no direction; give a non-zero vector", joint.name);
                element.error(&mut self.findings, "joint-axis", &joint.name, text);
                axis.xyz = Vec3::z();
            }
        }
        let Some(frame) = element.attribute("expressed_in").map(str::trim).filter(|t| !t.is_empty()) else { return };
        if !document.version.names_frames() {
            let text = "'expressed_in' belongs to SDF 1.7; it is honoured, but the document says it is older";
            element.warning(&mut self.findings, "pose-version", &joint.name, text);
        }
        axis.expressed_in = Some(frame.to_string());
    }

    fn parent_model_frame(
        &mut self,
        element: Element<'_>,
        document: Document<'_>,
        joint: &JointText,
        axis: &mut AxisText,
    ) {
        let Some(yes) = self.truth(element) else { return };
        if document.version.names_frames() {
            let text =
                "<use_parent_model_frame> ended with SDF 1.6 and is ignored; write <xyz expressed_in=\"__model__\">";
            element.warning(&mut self.findings, "axis-frame", &joint.name, text);
        } else if document.version.axis_is_in_model_frame() {
            if !yes {
                let text = "<use_parent_model_frame> came with SDF 1.5; in this older document the axis is in the \
                            model frame whatever it says";
                element.warning(&mut self.findings, "axis-frame", &joint.name, text);
            }
        } else if yes {
            axis.expressed_in = Some("__model__".to_string());
        }
    }

    fn limit(&mut self, element: Element<'_>, joint: &mut JointText, dof: &mut Dof, axis: &str) {
        for child in element.children() {
            let mut take = |none: fn(f64) -> bool, target: &mut f64| {
                if let Some(value) = child.text_number(&mut self.findings).filter(|v| !none(*v)) {
                    *target = value;
                }
            };
            match child.name() {
                "lower" => take(|v| v <= -NO_LIMIT, &mut dof.lower),
                "upper" => take(|v| v >= NO_LIMIT, &mut dof.upper),
                // A negative value, -1 by default, means no limit.
                "effort" => take(|v| v < 0.0, &mut dof.effort_limit),
                "velocity" => take(|v| v < 0.0, &mut dof.velocity_limit),
                "stiffness" | "dissipation" => {
                    // Compliance of the stop: read only by Simbody.
                    joint.settings.push((
                        "simbody".into(),
                        format!("{axis}/limit/{}", child.name()),
                        child.text().to_string(),
                    ));
                    let what = format!("<{}> of a joint limit", child.name());
                    self.left_out(child, what, "it is kept as a setting of Simbody; the stop is rigid elsewhere");
                }
                _ => self.unknown(child, "limit"),
            }
        }
    }

    fn dynamics(&mut self, element: Element<'_>, joint: &JointText, dof: &mut Dof) {
        const KNOWN: [&str; 4] = ["damping", "friction", "spring_reference", "spring_stiffness"];
        for child in element.children() {
            if !KNOWN.contains(&child.name()) {
                self.unknown(child, "dynamics");
                continue;
            }
            let value = child.text_number(&mut self.findings).unwrap_or(0.0);
            match child.name() {
                "damping" if value < 0.0 => {
                    let text = format!(
                        "joint '{}' has damping {value}; a negative number asks ODE for adaptive damping, which no \
                         other engine has. Zero is used",
                        joint.name
                    );
                    child.warning(&mut self.findings, "unsupported", &joint.name, text);
                }
                "damping" => dof.damping = value,
                "friction" => dof.friction = value,
                "spring_reference" => dof.spring_reference = value,
                _ => dof.stiffness = value,
            }
        }
    }

    fn mimic(&mut self, element: Element<'_>) -> Option<MimicText> {
        self.known_attributes(element, &["joint", "axis"]);
        let known = ["multiplier", "offset", "reference"];
        for child in element.children().filter(|c| !known.contains(&c.name())) {
            self.unknown(child, "mimic");
        }
        let Some(joint) = element.attribute("joint").map(str::trim).filter(|j| !j.is_empty()) else {
            element.error(&mut self.findings, "mimic", "", "<mimic> names no joint to follow");
            return None;
        };
        Some(MimicText {
            joint: joint.to_string(),
            axis: element.attribute("axis").unwrap_or("axis").trim().to_string(),
            multiplier: self.scalar(element, "multiplier").unwrap_or(1.0),
            offset: self.scalar(element, "offset").unwrap_or(0.0),
            reference: self.scalar(element, "reference").unwrap_or(0.0),
            source: element.source(),
        })
    }

    fn joint_physics(&mut self, element: Element<'_>, joint: &mut JointText) {
        for (engine, key, value) in self.settings(element, "") {
            if engine == "simbody" && key == "must_be_loop_joint" {
                joint.must_be_loop = matches!(value.to_ascii_lowercase().as_str(), "1" | "true");
            }
            joint.settings.push((engine, key, value));
        }
        let hint = "they are kept as settings of the engine they name and act nowhere else";
        self.left_out(element, "<physics> settings of a joint", hint);
    }
}
