//! `<joint>`: kind of motion, limits, damping and friction.

use super::super::xml::Element;
use super::only;
use super::origin::origin;
use super::unread::Unread;
use crate::finding::Findings;
use crate::geometry::{Vec3, frame_with_z};
use crate::joint::{Joint, JointKind};

/// A joint as read.
pub(super) struct UrdfJoint<'a> {
    pub element: Element<'a>,
    pub joint: Joint,
    /// Names of the two links; empty if the file gives none, which has been reported.
    pub parent: &'a str,
    pub child: &'a str,
    /// Whether the file gives an effort limit.
    pub has_effort: bool,
}

impl UrdfJoint<'_> {
    pub fn name(&self) -> &str {
        &self.joint.name
    }

    pub fn subject(&self) -> String {
        format!("joints/{}", self.joint.name)
    }

    pub fn mimic(&self) -> Option<Element<'_>> {
        self.element.child("mimic")
    }
}

pub(super) fn read<'a>(element: Element<'a>, unread: &mut Unread, findings: &mut Findings) -> UrdfJoint<'a> {
    // `dont_collapse` asks a program not to merge two links; this importer never merges links.
    unread.check(
        element,
        &["name", "type", "dont_collapse"],
        &["origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "safety_controller", "calibration"],
    );
    let name = element.attribute("name").unwrap_or("").trim();
    let subject = format!("joints/{name}");
    let mut link = |role: &str| {
        let end = only(element, role, unread);
        let named = end.and_then(|e| e.attribute("link")).map(str::trim).unwrap_or("");
        if let Some(end) = end {
            unread.check(end, &["link"], &[]);
        }
        if named.is_empty() {
            let text = format!("joint '{name}' has no <{role} link=\"…\"/>; name a link");
            element.error(findings, "joint-link", &subject, text);
        }
        named
    };
    let (parent, child) = (link("parent"), link("child"));
    let parent_from_joint = origin(element, unread, findings);
    // After an error a fixed joint is substituted, so that the whole tree is still checked.
    let kind = read_kind(element, name, &subject, unread, findings).unwrap_or(JointKind::Fixed);
    let mut joint = Joint::new(name, kind).at(parent_from_joint);
    joint.source = Some(element.source());
    let has_effort = read_limit(element, &mut joint, &subject, unread, findings);
    if let Some(dynamics) = only(element, "dynamics", unread) {
        unread.check(dynamics, &["damping", "friction"], &[]);
        let damping = dynamics.number("damping", findings).unwrap_or(0.0);
        let friction = dynamics.number("friction", findings).unwrap_or(0.0);
        joint = joint.each_dof(|d| (d.damping, d.friction) = (damping, friction));
    }
    if let Some(safety) = element.child("safety_controller") {
        unread.note(safety, "<safety_controller>".into(), "soft limits belong to the controller");
    }
    if let Some(calibration) = element.child("calibration") {
        unread.note(calibration, "<calibration>".into(), "it concerns the real robot's start-up");
    }
    UrdfJoint { element, joint, parent, child, has_effort }
}

/// `None` for an unknown kind, which has been reported.
fn read_kind(
    element: Element<'_>,
    name: &str,
    subject: &str,
    unread: &mut Unread,
    findings: &mut Findings,
) -> Option<JointKind> {
    let axis = only(element, "axis", unread).map(|axis| {
        unread.check(axis, &["xyz"], &[]);
        axis.vector("xyz", findings)
    });
    let axis = axis.flatten().unwrap_or_else(Vec3::x);
    Some(match element.attribute("type").unwrap_or("").trim() {
        "fixed" => JointKind::Fixed,
        "revolute" => JointKind::Revolute { axis },
        "continuous" => JointKind::Continuous { axis },
        "prismatic" => JointKind::Prismatic { axis },
        "floating" => JointKind::Free,
        "spherical" | "ball" => JointKind::Ball,
        "planar" => {
            let norm = axis.norm();
            if !(norm > 0.0 && norm.is_finite()) {
                let text = format!("the axis of joint '{name}' has no direction; give it the normal of the plane");
                element.error(findings, "joint-axis", subject, text);
                return None;
            }
            // The axis is the normal; any two directions normal to it are valid, and for z these are x and y.
            let joint_from_plane = frame_with_z(&(axis / norm));
            JointKind::Planar { x_axis: joint_from_plane * Vec3::x(), y_axis: joint_from_plane * Vec3::y() }
        }
        other => {
            let text = format!(
                "joint '{name}' is of type '{other}'; expected fixed, revolute, continuous, prismatic, planar, \
                 floating or spherical"
            );
            element.error(findings, "joint-type", subject, text);
            return None;
        }
    })
}

/// Sets the limits; returns whether there is an effort limit.
fn read_limit(
    element: Element<'_>,
    joint: &mut Joint,
    subject: &str,
    unread: &mut Unread,
    findings: &mut Findings,
) -> bool {
    let limited = matches!(joint.kind, JointKind::Revolute { .. } | JointKind::Prismatic { .. });
    let Some(limit) = only(element, "limit", unread) else {
        if limited {
            let text = format!(
                "{} joint '{}' has no <limit>, which URDF requires; it moves without limits here",
                joint.kind.name(),
                joint.name
            );
            element.warning(findings, "limit-missing", subject, text);
        }
        return false;
    };
    unread.check(limit, &["lower", "upper", "effort", "velocity"], &[]);
    let mut read = |name: &str| {
        let value = limit.number(name, findings)?;
        if value < 0.0 && matches!(name, "effort" | "velocity") {
            let text = format!("the {name} limit of joint '{}' is {value}; write how large it may be", joint.name);
            limit.error(findings, "limit-negative", subject, text);
        }
        Some(value)
    };
    let (lower, upper) = (read("lower"), read("upper"));
    let (effort, velocity) = (read("effort"), read("velocity"));
    for dof in &mut joint.dofs {
        dof.effort_limit = effort.unwrap_or(f64::INFINITY);
        dof.velocity_limit = velocity.unwrap_or(f64::INFINITY);
    }
    match (limited, lower.is_some() || upper.is_some()) {
        (true, true) => {
            // URDF: a bound that is not given is zero.
            let (lower, upper) = (lower.unwrap_or(0.0), upper.unwrap_or(0.0));
            *joint = joint.clone().each_dof(|d| (d.lower, d.upper) = (lower, upper));
        }
        (true, false) => {
            let text = format!(
                "<limit> of {} joint '{}' gives neither 'lower' nor 'upper', which by the letter locks it at zero; \
                 it moves without limits here: write the range, or make it continuous",
                joint.kind.name(),
                joint.name
            );
            limit.warning(findings, "limit-missing", subject, text);
        }
        (false, true) if joint.kind != JointKind::Fixed => {
            let what = format!("a position limit on a {} joint", joint.kind.name());
            unread.warn(limit, what, "only revolute and prismatic joints have position limits in URDF");
        }
        _ => {}
    }
    effort.is_some()
}
