//! `<actuator>`: commands to joints and fixed tendons.

use super::actuator_law::Law;
use super::assemble::Assembled;
use super::context::Context;
use super::defaults::{MAIN, class_of, lay_over};
use super::node::Node;
use super::tendon::Tendon;
use crate::actuator::{Actuator, Drive, Transmission, VelocityRule};
use crate::builder::ModelBuilder;
use crate::joint::JointKind;
use crate::model::JointId;
use std::collections::BTreeMap;

/// Attributes of the drive law, which are specific to one actuator tag and not shared between tags.
const LAW: [&str; 13] = [
    "dyntype",
    "gaintype",
    "biastype",
    "dynprm",
    "gainprm",
    "biasprm",
    "kp",
    "kv",
    "dampratio",
    "timeconst",
    "inheritrange",
    "actdim",
    "actlimited",
];

/// A servo whose `kv` is computed from the mass matrix.
#[derive(Clone, Copy, Debug)]
pub(super) struct DampingRatio {
    /// Index of the actuator in the model.
    pub actuator: usize,
    /// `kv` in units of `2 √(kp m)`.
    pub ratio: f64,
}

/// Values to be computed after all actuators are read.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// Servos with a damping ratio.
    pub ratios: Vec<DampingRatio>,
    /// For each actuator of the file, whether it is in the model: keyframes count all.
    pub kept: Vec<bool>,
}

/// Reads one `<actuator>`.
pub(super) fn read(
    node: &Node,
    assembled: &Assembled,
    tendons: &BTreeMap<String, Tendon>,
    pending: &mut Pending,
    builder: &mut ModelBuilder,
    ctx: &mut Context<'_>,
) {
    for child in &node.children {
        let kept = read_one(child, assembled, tendons, pending, builder, ctx);
        pending.kept.push(kept.is_some());
    }
}

fn read_one(
    node: &Node,
    assembled: &Assembled,
    tendons: &BTreeMap<String, Tendon>,
    pending: &mut Pending,
    builder: &mut ModelBuilder,
    ctx: &mut Context<'_>,
) -> Option<()> {
    ctx.check_attributes(node, &node.name);
    let class = class_of(node, MAIN, ctx).to_string();
    let law = Law::of(node, &class, &ctx.defaults, ctx.findings);
    let drive = match law.drive() {
        Ok(drive) => drive,
        Err(what) => {
            ctx.unsupported(node, &what, "only efforts, and servos on position or speed, are supported");
            return None;
        }
    };
    let full = mechanics(node, &class, ctx);
    let gear = full.up_to::<6>("gear", [1.0, 0.0, 0.0, 0.0, 0.0, 0.0], ctx.findings);
    let transmission = transmission(&full, gear, drive, assembled, tendons, builder, ctx)?;
    if full.number("delay", ctx.findings).unwrap_or(0.0) > 0.0 {
        ctx.unsupported(node, "an actuator with a delay", "give the controller the latency instead");
    }
    reflect(&full, &transmission, builder, ctx);

    let mut command_range = range(&full, "ctrllimited", "ctrlrange", ctx);
    if law.inherit_range > 0.0 && full.attribute("ctrllimited") != Some("false") {
        match inherited_range(&law, &transmission, builder) {
            Some(inherited) => command_range = inherited,
            None => ctx.unsupported(node, "inheritrange from a tendon or a joint without range", "give a ctrlrange"),
        }
    }
    let effort_range = range(&full, "forcelimited", "forcerange", ctx);
    let actuator = builder.so_far().actuators().len();
    let name = node.given_name().map_or_else(|| format!("{}#{actuator}", node.name), str::to_string);
    builder.add_actuator(Actuator {
        name,
        drive,
        transmission,
        command_range,
        effort_range,
        velocity_limit: f64::INFINITY,
        velocity_rule: VelocityRule::Ignore,
        source: Some(node.source.clone()),
    });
    if let Some(ratio) = law.damping_ratio() {
        pending.ratios.push(DampingRatio { actuator, ratio });
    }
    Some(())
}

/// The attributes shared by all actuator tags, from the class and the element.
fn mechanics(node: &Node, class: &str, ctx: &Context<'_>) -> Node {
    let mut attributes = Vec::new();
    let elements = ctx.defaults.actuators(class);
    for element in elements.into_iter().flatten().chain([node]) {
        let shared: Vec<_> =
            element.attributes.iter().filter(|(name, _)| !LAW.contains(&name.as_str())).cloned().collect();
        lay_over(&mut attributes, &shared);
    }
    Node { name: node.name.clone(), attributes, children: Vec::new(), source: node.source.clone(), scope: node.scope }
}

fn range(node: &Node, limited: &str, range: &str, ctx: &mut Context<'_>) -> [f64; 2] {
    if !ctx.is_limited(node, limited, range) {
        return [f64::NEG_INFINITY, f64::INFINITY];
    }
    let [low, high] = node.numbers::<2>(range, ctx.findings).unwrap_or([0.0; 2]);
    if low > high || low == high && range == "ctrlrange" {
        ctx.error(node, "limits", format!("the actuator is limited but its {range} is [{low}, {high}]"));
    }
    [low, high]
}

fn transmission(
    node: &Node,
    gear: [f64; 6],
    drive: Drive,
    assembled: &Assembled,
    tendons: &BTreeMap<String, Tendon>,
    builder: &ModelBuilder,
    ctx: &mut Context<'_>,
) -> Option<Transmission> {
    if let Some(attribute) = ["joint", "jointinparent"].into_iter().find(|name| node.has(name)) {
        let name = node.attribute(attribute).unwrap_or("");
        let Some(place) = assembled.joints.get(name) else {
            ctx.error(node, "reference", format!("the actuator names joint '{name}', which does not exist"));
            return None;
        };
        let joint = place.id;
        return match &builder.so_far().joint(joint).kind {
            kind if kind.dof_count() == 1 => Some(Transmission::Joint { joint, dof: 0, gear: gear[0] }),
            kind => several_freedoms(node, attribute, joint, kind, gear, drive, ctx),
        };
    }
    if let Some(name) = node.attribute("tendon") {
        return match tendons.get(name) {
            Some(Tendon::Fixed { terms }) => {
                let terms = terms.iter().map(|term| (term.joint, term.coefficient)).collect();
                Some(Transmission::Tendon { terms, gear: gear[0] })
            }
            Some(Tendon::Spatial) => {
                ctx.unsupported(node, "an actuator that pulls a spatial tendon", "let it act on joints");
                None
            }
            None => {
                ctx.error(node, "reference", format!("the actuator names tendon '{name}', which does not exist"));
                None
            }
        };
    }
    match ["site", "body", "cranksite", "slidersite"].into_iter().find(|name| node.has(name)) {
        Some(kind) => {
            ctx.unsupported(node, &format!("an actuator on a {kind}"), "let it act on joints");
        }
        None => ctx.error(node, "reference", "the actuator names neither joint nor tendon"),
    }
    None
}

/// A ball or free joint: only an effort along one coordinate of the joint's velocity can be expressed.
fn several_freedoms(
    node: &Node,
    attribute: &str,
    joint: JointId,
    kind: &JointKind,
    gear: [f64; 6],
    drive: Drive,
    ctx: &mut Context<'_>,
) -> Option<Transmission> {
    // MuJoCo: forces along world axes first, then torques about the child's axes. Here: torques first.
    let along: Vec<(usize, f64)> = match kind {
        JointKind::Ball => gear[..3].iter().copied().enumerate().collect(),
        _ => (0..6).map(|i| ((i + 3) % 6, gear[i])).collect(),
    };
    let acting: Vec<(usize, f64)> = along.into_iter().filter(|(_, gear)| *gear != 0.0).collect();
    match acting.as_slice() {
        [(dof, gear)] if matches!(drive, Drive::Effort { .. }) && (attribute == "joint" || *dof >= 3) => {
            Some(Transmission::Joint { joint, dof: *dof, gear: *gear })
        }
        _ => {
            let what = "an actuator on several degrees of freedom of a ball or free joint, or a servo on one";
            ctx.unsupported(node, what, "use hinge and slide joints, or one effort for each coordinate");
            None
        }
    }
}

/// Rotor inertia and damping of the actuator, reflected to the joint by the square of the gear.
fn reflect(node: &Node, transmission: &Transmission, builder: &mut ModelBuilder, ctx: &mut Context<'_>) {
    let armature = node.number("armature", ctx.findings).unwrap_or(0.0);
    let damping = node.up_to::<3>("damping", [0.0; 3], ctx.findings);
    if damping[1] != 0.0 || damping[2] != 0.0 {
        ctx.unsupported(node, "polynomial damping of an actuator", "only the first coefficient is used");
    }
    if armature == 0.0 && damping[0] == 0.0 {
        return;
    }
    match transmission {
        Transmission::Joint { joint, gear, .. } if builder.so_far().joint(*joint).dofs.len() == 1 => {
            let dof = &mut builder.joint_mut(*joint).dofs[0];
            dof.armature += gear * gear * armature;
            dof.damping += gear * gear * damping[0];
        }
        _ => ctx.unsupported(node, "armature or damping of an actuator on a tendon or ball", "give it to the joints"),
    }
}

/// Command range of a position servo from the range of its joint.
fn inherited_range(law: &Law, transmission: &Transmission, builder: &ModelBuilder) -> Option<[f64; 2]> {
    let Transmission::Joint { joint, .. } = transmission else { return None };
    let dof = builder.so_far().joint(*joint).dofs.first()?;
    let (middle, half) = (0.5 * (dof.lower + dof.upper), 0.5 * (dof.upper - dof.lower) * law.inherit_range);
    (law.inherit_range > 0.0 && half.is_finite()).then_some([middle - half, middle + half])
}
