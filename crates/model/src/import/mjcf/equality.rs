//! `<equality>`: loops closed by a point or a weld, and joints that follow others.
//!
//! MuJoCo's constraints are soft (`solref`, `solimp`, kept verbatim); the model's constraints are exact.

use super::assemble::Assembled;
use super::context::Context;
use super::defaults::{MAIN, class_of};
use super::node::Node;
use super::pose::unit_quat;
use super::tendon::Tendon;
use crate::builder::ModelBuilder;
use crate::coupling::{Coupling, LoopJoint, LoopKind};
use crate::geometry::{Pose, Vec3};
use crate::model::{BodyId, JointId};
use std::collections::BTreeMap;

/// Default coefficients of a polynomial.
const POLYNOMIAL: [f64; 5] = [0.0, 1.0, 0.0, 0.0, 0.0];

/// The parts that constraints refer to.
pub(super) struct Scene<'s> {
    /// Names in the file.
    pub assembled: &'s Assembled,
    /// Tendons by name.
    pub tendons: &'s BTreeMap<String, Tendon>,
    /// `world_from_body` in the initial configuration of the file.
    pub poses: &'s [Pose],
}

impl Scene<'_> {
    fn world_from(&self, body: Option<BodyId>) -> Pose {
        body.map_or_else(Pose::identity, |BodyId(i)| self.poses[i])
    }
}

/// Reads one `<equality>`.
pub(super) fn read(node: &Node, scene: &Scene<'_>, builder: &mut ModelBuilder, ctx: &mut Context<'_>) {
    for child in &node.children {
        let kind = match child.name.as_str() {
            "joint" => "equality/joint",
            "tendon" => "equality/tendon",
            other => other,
        };
        ctx.check_attributes(child, kind);
        let class = class_of(child, MAIN, ctx);
        let full = ctx.defaults.complete(child, "equality", class);
        if !["connect", "weld", "joint", "tendon"].contains(&child.name.as_str()) {
            let what = format!("<{}> in <equality>", child.name);
            ctx.unsupported(child, &what, "only connect, weld and joint are supported");
            continue;
        }
        let count = builder.so_far().loops().len() + builder.so_far().couplings().len();
        let name = child.given_name().map_or_else(|| format!("{}#{count}", child.name), str::to_string);
        if full.flag("active", ctx.findings) == Some(false) {
            let text = format!("equality constraint '{name}' is switched off in the file and was left out");
            ctx.note(child, "inactive", &text);
            continue;
        }
        ctx.keep_for_mujoco(&full, "equality", &name, &["solref", "solimp", "torquescale"]);
        match child.name.as_str() {
            "joint" => {
                let joint =
                    |attribute: &str, ctx: &mut Context<'_>| scalar_joint(child, attribute, scene, builder, ctx);
                let Some(Some(follower)) = joint("joint1", ctx) else { continue };
                let Some(leader) = joint("joint2", ctx) else { continue };
                couple(&full, name, follower, leader, builder, ctx);
            }
            "tendon" => {
                let tendon =
                    |attribute: &str, ctx: &mut Context<'_>| single_joint_tendon(child, attribute, scene, ctx);
                let Some(Some(follower)) = tendon("tendon1", ctx) else { continue };
                let Some(leader) = tendon("tendon2", ctx) else { continue };
                couple(&full, name, follower, leader, builder, ctx);
            }
            _ => close_loop(&full, name, scene, builder, ctx),
        }
    }
}

/// A joint position times a factor, and its value in the initial configuration of the file.
#[derive(Clone, Copy)]
struct Scalar {
    joint: JointId,
    factor: f64,
    reference: f64,
}

/// The joint an attribute names. Outer `None`: an error, reported. Inner `None`: the attribute is missing.
fn scalar_joint(
    node: &Node,
    attribute: &str,
    scene: &Scene<'_>,
    builder: &ModelBuilder,
    ctx: &mut Context<'_>,
) -> Option<Option<Scalar>> {
    let Some(name) = node.attribute(attribute) else {
        if attribute == "joint1" {
            ctx.error(node, "reference", "<joint> in <equality> needs joint1");
            return None;
        }
        return Some(None);
    };
    match scene.assembled.joints.get(name) {
        Some(place) if builder.so_far().joint(place.id).kind.dof_count() == 1 => {
            Some(Some(Scalar { joint: place.id, factor: 1.0, reference: place.reference }))
        }
        Some(_) => {
            ctx.error(
                node,
                "reference",
                format!("joint '{name}' has several degrees of freedom; use hinge or slide"),
            );
            None
        }
        None => {
            ctx.error(node, "reference", format!("<joint> in <equality> names joint '{name}', which does not exist"));
            None
        }
    }
}

/// As [`scalar_joint`], for a tendon that is one joint times a factor.
fn single_joint_tendon(
    node: &Node,
    attribute: &str,
    scene: &Scene<'_>,
    ctx: &mut Context<'_>,
) -> Option<Option<Scalar>> {
    let Some(name) = node.attribute(attribute) else {
        if attribute == "tendon1" {
            ctx.error(node, "reference", "<tendon> in <equality> needs tendon1");
            return None;
        }
        return Some(None);
    };
    match scene.tendons.get(name) {
        Some(Tendon::Fixed { terms }) if terms.len() == 1 && terms[0].coefficient != 0.0 => {
            let term = terms[0];
            Some(Some(Scalar {
                joint: term.joint,
                factor: term.coefficient,
                reference: term.coefficient * term.reference,
            }))
        }
        Some(_) => {
            let hint = "couple joints with <joint> in <equality>";
            ctx.unsupported(node, "an equality of tendons over several joints or points", hint);
            None
        }
        None => {
            ctx.error(node, "reference", format!("<tendon> in <equality> names '{name}', which does not exist"));
            None
        }
    }
}

/// `y - y0 = Σ aₖ (x - x0)ᵏ` as a polynomial of the leader's position itself.
fn couple(
    node: &Node,
    name: String,
    follower: Scalar,
    leader: Option<Scalar>,
    builder: &mut ModelBuilder,
    ctx: &mut Context<'_>,
) {
    let given = node.up_to::<5>("polycoef", POLYNOMIAL, ctx.findings);
    let mut coefficients = match leader {
        None => vec![given[0]],
        Some(leader) => expand(&given, leader.factor, leader.reference),
    };
    coefficients[0] += follower.reference;
    coefficients.iter_mut().for_each(|c| *c /= follower.factor);
    while coefficients.len() > 1 && coefficients.last() == Some(&0.0) {
        coefficients.pop();
    }
    builder.add_coupling(Coupling {
        name,
        follower: follower.joint,
        leader: leader.map(|leader| leader.joint),
        coefficients,
        shared_motor: false,
        source: Some(node.source.clone()),
    });
}

/// Coefficients of `Σ aₖ (f x - x0)ᵏ` in powers of x, by Horner's scheme.
fn expand(given: &[f64; 5], factor: f64, reference: f64) -> Vec<f64> {
    let mut sum = vec![0.0; given.len()];
    for a in given.iter().rev() {
        for k in (0..sum.len()).rev() {
            let from_below = if k > 0 { factor * sum[k - 1] } else { 0.0 };
            sum[k] = from_below - reference * sum[k];
        }
        sum[0] += a;
    }
    sum
}

/// `connect` and `weld`, between two bodies (the second defaults to the world) or two sites.
fn close_loop(node: &Node, name: String, scene: &Scene<'_>, builder: &mut ModelBuilder, ctx: &mut Context<'_>) {
    let weld = node.name == "weld" && node.number("torquescale", ctx.findings) != Some(0.0);
    let frames =
        if node.has("site1") || node.has("site2") { sites(node, scene, ctx) } else { bodies(node, weld, scene, ctx) };
    let Some(((body_a, a_from_frame), (body_b, b_from_frame))) = frames else { return };
    if body_a == body_b {
        ctx.error(node, "loop-body", format!("equality constraint '{name}' ties a body to itself"));
        return;
    }
    let kind = if weld { LoopKind::Weld } else { LoopKind::Ball };
    let source = Some(node.source.clone());
    builder.add_loop(LoopJoint { name, kind, body_a, body_b, a_from_frame, b_from_frame, source });
}

type Anchor = (Option<BodyId>, Pose);

fn sites(node: &Node, scene: &Scene<'_>, ctx: &mut Context<'_>) -> Option<(Anchor, Anchor)> {
    let mut find = |attribute: &str| {
        let name = node.attribute(attribute).unwrap_or("");
        let found = scene.assembled.sites.get(name).copied();
        if found.is_none() {
            let text = format!("<{}> names site '{name}' as {attribute}, which does not exist", node.name);
            ctx.error(node, "reference", text);
        }
        found
    };
    let (a, b) = (find("site1"), find("site2"));
    a.zip(b)
}

fn bodies(node: &Node, weld: bool, scene: &Scene<'_>, ctx: &mut Context<'_>) -> Option<(Anchor, Anchor)> {
    let mut find = |attribute: &str| match (node.attribute(attribute), attribute) {
        (None, "body2") => Some(None),
        (name, _) => {
            let name = name.unwrap_or("");
            let found = scene.assembled.bodies.get(name).copied();
            if found.is_none() {
                let text = format!("<{}> names body '{name}' as {attribute}, which does not exist", node.name);
                ctx.error(node, "reference", text);
            }
            found
        }
    };
    let (a, b) = find("body1").zip(find("body2"))?;
    let anchor = node.vector("anchor", ctx.findings);
    let a_from_b = scene.world_from(a).inverse() * scene.world_from(b);
    let at = |point: Vec3| Pose::from_parts(point.into(), Default::default());
    if !weld && node.name == "connect" {
        // The anchor is given in the first body and coincides with the second in the initial configuration.
        let Some(anchor) = anchor else {
            ctx.error(node, "reference", "<connect> between bodies needs an anchor");
            return None;
        };
        let here = at(anchor);
        let there = at((a_from_b.inverse() * nalgebra::Point3::from(anchor)).coords);
        return Some(((a, here), (b, there)));
    }
    // A weld's anchor is given in the second body.
    let there = at(anchor.unwrap_or_else(Vec3::zeros));
    let given = node.numbers::<7>("relpose", ctx.findings);
    let rotation = given.and_then(|[_, _, _, w, x, y, z]| unit_quat(w, x, y, z));
    let here = match (given, rotation) {
        (Some([x, y, z, ..]), Some(rotation)) => Pose::from_parts(Vec3::new(x, y, z).into(), rotation),
        _ => a_from_b * there,
    };
    Some(((a, here), (b, there)))
}
