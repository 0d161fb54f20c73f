//! A mesh that is out of scale with the rest of the robot: millimetres read as metres, or the other way.
//!
//! The robot's size is the median diagonal of its other shapes, or how far its bodies stand apart if that is more. A
//! mesh a hundred times larger is the error. Small parts are more common than large ones, so on that side it
//! takes two hundred; the slip itself is a factor of a thousand.

use crate::Check;
use crate::context::{BodyRef, Context, Notes};
use crate::extent::Extent;
use crate::show::length;
use veracity_model::{Findings, Pose, Severity, Shape};

pub(super) const CHECK: Check =
    Check { code: "mesh-scale", text: "meshes are in scale with the rest of the robot", run };

const TOO_LARGE: f64 = 100.0;
const TOO_SMALL: f64 = 1.0 / 200.0;

struct Sized<'a> {
    owner: BodyRef<'a>,
    shape: usize,
    diagonal: f64,
}

fn run(context: &Context<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    for (placement, model) in context.models() {
        let mut sized = Vec::new();
        for owner in context.bodies().filter(|b| b.placement == placement) {
            for (shape, s) in owner.body.shapes.iter().enumerate() {
                if let Some(extent) = Extent::of_shape(s, &Pose::identity()) {
                    sized.push(Sized { owner, shape, diagonal: extent.diagonal() });
                }
            }
        }
        let reach = longest_arm(model);
        for (i, s) in sized.iter().enumerate() {
            let shape = &s.owner.body.shapes[s.shape];
            if !matches!(shape.shape, Shape::Mesh(_) | Shape::Convex(_)) {
                continue;
            }
            let others: Vec<f64> =
                sized.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, o)| o.diagonal).collect();
            let Some(robot) = median(others).map(|m| m.max(reach)).or(Some(reach).filter(|r| *r > 0.0)) else {
                continue;
            };
            let ratio = s.diagonal / robot;
            let (comparison, advice) = if ratio > TOO_LARGE {
                (format!("{ratio:.0} times larger than"), "a mesh in millimetres needs scale=\"0.001 0.001 0.001\"")
            } else if ratio < TOO_SMALL {
                (format!("{:.0} times smaller than", 1.0 / ratio), "a mesh in metres needs no scale")
            } else {
                continue;
            };
            let text = format!(
                "the mesh of shape '{}' of body '{}' is {} across, {comparison} the rest of the robot; {advice}",
                shape.name,
                s.owner.body.name,
                length(s.diagonal)
            );
            let subject = format!("{}/shapes/{}", s.owner.path(context), shape.name);
            notes.add(Severity::Warning, &shape.source, subject, text);
        }
    }
    notes.done()
}

/// Longest distance between a joint and its parent body [m].
fn longest_arm(model: &veracity_model::Model) -> f64 {
    let arms = model.joints().iter().filter(|j| j.parent.is_some());
    arms.map(|j| j.parent_from_joint.translation.vector.norm()).fold(0.0, f64::max)
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
