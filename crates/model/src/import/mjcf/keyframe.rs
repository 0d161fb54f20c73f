//! `<keyframe>`: named states.
//!
//! Positions are MuJoCo's `qpos` number for number. Velocities differ for free joints only: MuJoCo puts the velocity of
//! the origin first and the angular velocity (in the body's axes) after it, the model the reverse.

use super::actuator::Pending;
use super::assemble::Assembled;
use super::context::Context;
use super::node::Node;
use crate::builder::ModelBuilder;
use crate::joint::JointKind;
use crate::model::Keyframe;

/// Reads one `<keyframe>`.
pub(super) fn read(
    node: &Node,
    assembled: &Assembled,
    pending: &Pending,
    builder: &mut ModelBuilder,
    ctx: &mut Context<'_>,
) {
    ctx.check_children(node, &["key"]);
    for child in node.children.iter().filter(|child| child.name == "key") {
        ctx.check_attributes(child, "key");
        let count = builder.so_far().keyframes().len();
        let name = child.given_name().map_or_else(|| format!("key#{count}"), str::to_string);
        for other in ["act", "mpos", "mquat", "plastic"] {
            if child.has(other) {
                let what = format!("'{other}' of a keyframe");
                ctx.unsupported(child, &what, "the model has no such state");
            }
        }
        let freedoms = builder.so_far().dof_count();
        let Some(mut q) = sized(child, "qpos", &assembled.initial, ctx) else { continue };
        let Some(mut v) = sized(child, "qvel", &vec![0.0; freedoms], ctx) else { continue };
        let (mut at_q, mut at_v) = (0, 0);
        for joint in builder.so_far().joints() {
            match joint.kind {
                JointKind::Free => {
                    normalise(&mut q[at_q + 3..at_q + 7]);
                    v[at_v..at_v + 6].rotate_left(3);
                }
                JointKind::Ball => normalise(&mut q[at_q..at_q + 4]),
                _ => {}
            }
            at_q += joint.kind.position_count();
            at_v += joint.kind.dof_count();
        }
        let command = if child.has("ctrl") {
            let Some(all) = sized(child, "ctrl", &vec![0.0; pending.kept.len()], ctx) else { continue };
            all.into_iter().zip(&pending.kept).filter(|(_, kept)| **kept).map(|(value, _)| value).collect()
        } else {
            Vec::new()
        };
        builder.add_keyframe(Keyframe { name, q, v, command });
    }
}

/// A list of the length of `otherwise`, which is the default.
fn sized(node: &Node, name: &str, otherwise: &[f64], ctx: &mut Context<'_>) -> Option<Vec<f64>> {
    if !node.has(name) {
        return Some(otherwise.to_vec());
    }
    let list = node.list(name, ctx.findings)?;
    if list.len() != otherwise.len() {
        let text = format!("'{name}' of the keyframe has {} numbers; the model has {}", list.len(), otherwise.len());
        ctx.error(node, "keyframe-size", text);
        return None;
    }
    Some(list)
}

/// A unit quaternion; zeros mean no rotation.
fn normalise(q: &mut [f64]) {
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    if norm > 0.0 && norm.is_finite() {
        q.iter_mut().for_each(|x| *x /= norm);
    } else {
        q.copy_from_slice(&[1.0, 0.0, 0.0, 0.0]);
    }
}
