//! The pose of an element: `pos` with one of `quat`, `axisangle`, `xyaxes`, `zaxis`, `euler`.

use super::compiler::Compiler;
use super::context::Context;
use super::node::Node;
use crate::geometry::{Mat3, Pose, Quat, Vec3, frame_with_z, quat_about};
use nalgebra as na;

/// The notations of an orientation; at most one may be used.
pub(super) const ORIENTATIONS: [&str; 5] = ["quat", "axisangle", "xyaxes", "zaxis", "euler"];

/// Vectors shorter than this have no direction.
const SHORTEST: f64 = 1e-14;

/// The pose of an element in its enclosing frame.
pub(super) fn read(node: &Node, ctx: &mut Context<'_>) -> Pose {
    let position = node.vector("pos", ctx.findings).unwrap_or_else(Vec3::zeros);
    Pose::from_parts(position.into(), orientation(node, ctx))
}

/// The orientation of an element in its enclosing frame.
pub(super) fn orientation(node: &Node, ctx: &mut Context<'_>) -> Quat {
    let given: Vec<&str> = ORIENTATIONS.into_iter().filter(|name| node.has(name)).collect();
    if given.len() > 1 {
        let text =
            format!("<{}> gives its orientation {} times ({}); keep one", node.name, given.len(), given.join(", "));
        ctx.error(node, "orientation", text);
        return Quat::identity();
    }
    let Some(way) = given.first() else { return Quat::identity() };
    let (f, compiler) = (&mut *ctx.findings, &ctx.compilers[node.scope]);
    let rotation = match *way {
        "quat" => node.numbers::<4>("quat", f).map(|[w, x, y, z]| unit_quat(w, x, y, z)),
        "axisangle" => node.numbers::<4>("axisangle", f).map(|[x, y, z, angle]| {
            let axis = direction(Vec3::new(x, y, z))?;
            Some(quat_about(&axis, compiler.angle(angle)))
        }),
        "xyaxes" => node.numbers::<6>("xyaxes", f).map(from_axes),
        "zaxis" => node.vector("zaxis", f).map(|z| direction(z).map(|z| frame_with_z(&z))),
        _ => node.vector("euler", f).map(|angles| Some(from_euler(&angles, compiler))),
    };
    match rotation {
        Some(Some(rotation)) => rotation,
        Some(None) => {
            let text = format!("'{way}' of <{}> has no direction; give vectors with length", node.name);
            ctx.error(node, "orientation", text);
            Quat::identity()
        }
        None => Quat::identity(),
    }
}

/// The unit quaternion along four numbers; `None` if they are too small to define a direction.
pub(super) fn unit_quat(w: f64, x: f64, y: f64, z: f64) -> Option<Quat> {
    let q = na::Quaternion::new(w, x, y, z);
    let norm = q.norm();
    (norm > SHORTEST && norm.is_finite()).then(|| Quat::new_unchecked(q / norm))
}

/// The unit vector along three numbers; `None` if they are too small to define a direction.
pub(super) fn direction(v: Vec3) -> Option<Vec3> {
    let norm = v.norm();
    (norm > SHORTEST && norm.is_finite()).then(|| v / norm)
}

fn from_axes([a, b, c, d, e, f]: [f64; 6]) -> Option<Quat> {
    let x = direction(Vec3::new(a, b, c))?;
    let y = Vec3::new(d, e, f);
    let y = direction(y - x * x.dot(&y))?;
    let matrix = Mat3::from_columns(&[x, y, x.cross(&y)]);
    Some(Quat::from_rotation_matrix(&na::Rotation3::from_matrix_unchecked(matrix)))
}

/// Three rotations in the order of `eulerseq`: about axes that rotate with the frame (multiplied from the right) or
/// stay fixed (from the left).
fn from_euler(angles: &Vec3, compiler: &Compiler) -> Quat {
    compiler.euler.iter().zip(angles.iter()).fold(Quat::identity(), |so_far, ((axis, turns), angle)| {
        let turn = quat_about(axis, compiler.angle(*angle));
        if *turns { so_far * turn } else { turn * so_far }
    })
}
