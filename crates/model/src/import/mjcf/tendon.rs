//! `<tendon>`: sums of joint positions that actuators use, and straight springs between two sites.

use super::assemble::Assembled;
use super::context::Context;
use super::defaults::{MAIN, class_of};
use super::node::Node;
use crate::builder::ModelBuilder;
use crate::geometry::{Pose, Vec3};
use crate::model::{BodyId, JointId};
use crate::spring::Spring;
use std::collections::BTreeMap;

/// One joint of a fixed tendon.
#[derive(Clone, Copy, Debug)]
pub(super) struct Term {
    /// The joint.
    pub joint: JointId,
    /// Its weight.
    pub coefficient: f64,
    /// Its position in the initial configuration of the file.
    pub reference: f64,
}

/// A tendon that other elements may refer to.
#[derive(Clone, Debug)]
pub(super) enum Tendon {
    /// A weighted sum of joint positions.
    Fixed {
        /// The terms of the sum.
        terms: Vec<Term>,
    },
    /// A path through space: supported only as a spring.
    Spatial,
}

/// Reads one `<tendon>`; `rest_poses` is `world_from_body` where springs are relaxed.
pub(super) fn read(
    node: &Node,
    assembled: &Assembled,
    rest_poses: &[Pose],
    tendons: &mut BTreeMap<String, Tendon>,
    builder: &mut ModelBuilder,
    ctx: &mut Context<'_>,
) {
    for child in &node.children {
        let class = class_of(child, MAIN, ctx);
        let mut full = ctx.defaults.complete(child, "tendon", class);
        let tendon = match child.name.as_str() {
            "fixed" => {
                ctx.check_attributes(child, "fixed");
                if has_forces(&full, ctx) {
                    let hint = "write the same springs and limits into the joints";
                    ctx.unsupported(child, "stiffness, damping, friction, inertia or limits of a fixed tendon", hint);
                }
                fixed(child, assembled, builder, ctx)
            }
            "spatial" => {
                ctx.check_attributes(child, "spatial");
                full.children = child.children.clone();
                spatial(&full, assembled, rest_poses, builder, ctx);
                Some(Tendon::Spatial)
            }
            other => {
                let what = format!("<{other}> in <tendon>");
                ctx.unsupported(child, &what, "check its spelling");
                None
            }
        };
        if let (Some(name), Some(tendon)) = (child.given_name(), tendon)
            && tendons.insert(name.to_string(), tendon).is_some()
        {
            ctx.error(child, "name-clash", format!("two tendons are called '{name}'; rename one"));
        }
    }
}

/// Whether the tendon has forces, inertia or limits of its own.
fn has_forces(node: &Node, ctx: &mut Context<'_>) -> bool {
    let forces = ["stiffness", "damping", "frictionloss", "armature"];
    let pulls =
        forces.iter().any(|name| node.list(name, ctx.findings).is_some_and(|list| list.iter().any(|x| *x != 0.0)));
    pulls
        || ctx.is_limited(node, "limited", "range")
        || ctx.is_limited(node, "actuatorfrclimited", "actuatorfrcrange")
}

fn fixed(node: &Node, assembled: &Assembled, builder: &ModelBuilder, ctx: &mut Context<'_>) -> Option<Tendon> {
    ctx.check_children(node, &["joint"]);
    let mut terms = Vec::new();
    for child in node.children.iter().filter(|child| child.name == "joint") {
        ctx.check_attributes(child, "fixed/joint");
        let name = child.attribute("joint").unwrap_or("");
        let place = assembled.joints.get(name);
        let Some(place) = place.filter(|place| builder.so_far().joint(place.id).kind.dof_count() == 1) else {
            let text = format!("the tendon names joint '{name}', which does not exist or is neither hinge nor slide");
            ctx.error(child, "reference", text);
            return None;
        };
        let coefficient = child.number("coef", ctx.findings);
        if coefficient.is_none() {
            ctx.error(child, "reference", "a joint of a tendon needs a coef");
        }
        terms.push(Term { joint: place.id, coefficient: coefficient?, reference: place.reference });
    }
    Some(Tendon::Fixed { terms })
}

fn spatial(
    node: &Node,
    assembled: &Assembled,
    rest_poses: &[Pose],
    builder: &mut ModelBuilder,
    ctx: &mut Context<'_>,
) {
    if !has_forces(node, ctx) {
        ctx.has_no_effect("spatial tendons without spring, damper or limit");
        return;
    }
    let names: Vec<&str> =
        node.children.iter().filter(|c| c.name == "site").map(|c| c.attribute("site").unwrap_or("")).collect();
    if names.len() != 2 || node.children.len() != 2 {
        let hint = "replace it by springs between two sites each";
        ctx.unsupported(node, "a tendon that bends around sites, geoms or pulleys", hint);
        return;
    }
    let mut ends = Vec::new();
    for name in names {
        match assembled.sites.get(name) {
            Some((body, place)) => ends.push((*body, place.translation.vector)),
            None => {
                ctx.error(node, "reference", format!("the tendon names site '{name}', which does not exist"));
                return;
            }
        }
    }
    let stiffness = node.up_to::<3>("stiffness", [0.0; 3], ctx.findings);
    let damping = node.up_to::<3>("damping", [0.0; 3], ctx.findings);
    if stiffness[1] != 0.0 || stiffness[2] != 0.0 || damping[1] != 0.0 || damping[2] != 0.0 {
        ctx.unsupported(node, "a polynomial tendon spring or damper", "only the first coefficient is used");
    }
    let other = ["frictionloss", "armature"].iter().any(|name| node.number(name, ctx.findings).unwrap_or(0.0) != 0.0);
    let limited = ctx.is_limited(node, "limited", "range");
    let clamped = ctx.is_limited(node, "actuatorfrclimited", "actuatorfrcrange");
    if other || limited || clamped {
        let hint = "only its linear spring and damper are used";
        ctx.unsupported(node, "friction, inertia or limits of a spatial tendon", hint);
    }
    let rest = node.list("springlength", ctx.findings).unwrap_or_default();
    let rest_length = match rest.as_slice() {
        [] | [-1.0] | [-1.0, -1.0] => {
            let world = |(body, point): (Option<BodyId>, Vec3)| {
                let pose = body.map_or_else(Pose::identity, |BodyId(i)| rest_poses[i]);
                (pose * nalgebra::Point3::from(point)).coords
            };
            (world(ends[0]) - world(ends[1])).norm()
        }
        [length] => *length,
        [low, high] if low == high => *low,
        _ => {
            ctx.unsupported(node, "a tendon spring with a dead band", "give springlength one number");
            return;
        }
    };
    if stiffness[0] == 0.0 && damping[0] == 0.0 {
        return;
    }
    if ends[0].0 == ends[1].0 {
        ctx.has_no_effect("tendons between two sites of one body");
        return;
    }
    let count = builder.so_far().springs().len();
    let name = node.given_name().map_or_else(|| format!("tendon#{count}"), str::to_string);
    ctx.keep_for_mujoco(node, "tendon", &name, &["solreflimit", "solimplimit", "solreffriction", "solimpfriction"]);
    builder.add_spring(Spring {
        name,
        body_a: ends[0].0,
        body_b: ends[1].0,
        point_a: ends[0].1,
        point_b: ends[1].1,
        stiffness: stiffness[0],
        damping: damping[0],
        rest_length,
        source: Some(node.source.clone()),
    });
}
