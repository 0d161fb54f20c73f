//! A primitive fitted to a mesh: `<geom type="box" mesh="…"/>`.
//!
//! The primitive is placed at the mesh's centre of mass along its principal axes, the longest last. With the half sides
//! of the box that has the mesh's moments, for mass `m` and principal moments `I1 >= I2 >= I3`,
//!
//! ```text
//! (1)  b_i = ½ √(6 (I_j + I_k - I_i) / m),    b1 <= b2 <= b3
//! ```
//!
//! the sizes are, each times `fitscale`:
//!
//! | kind | sizes |
//! |---|---|
//! | sphere | `(b1 + b2 + b3) / 3` |
//! | cylinder | `r = (b1 + b2) / 2`, half length `b3` |
//! | capsule | `r = (b1 + b2) / 2`, half length `max(0, b3 - r/2)` |
//! | box, ellipsoid | `b1, b2, b3` |

use crate::geometry::{Mat3, Pose, Quat};
use crate::inertia::Inertia;
use nalgebra as na;

/// Pose in the mesh's frame and half sizes; `None` if the mesh has no volume.
pub(super) fn primitive(kind: &str, mesh: &Inertia, scale: f64) -> Option<(Pose, [f64; 3])> {
    let eigen = na::SymmetricEigen::new(mesh.tensor);
    let mut order = [0, 1, 2];
    order.sort_by(|a, b| eigen.eigenvalues[*b].total_cmp(&eigen.eigenvalues[*a]));
    let moments = order.map(|i| eigen.eigenvalues[i]);
    let trace: f64 = moments.iter().sum();
    let half = moments.map(|moment| 0.5 * scale * (6.0 * (trace - 2.0 * moment) / mesh.mass).sqrt());
    if !half.iter().all(|b| b.is_finite() && *b > 0.0) {
        return None;
    }
    let [b1, b2, b3] = half;
    let radius = 0.5 * (b1 + b2);
    let sizes = match kind {
        "sphere" => [(b1 + b2 + b3) / 3.0, 0.0, 0.0],
        "cylinder" => [radius, b3, 0.0],
        "capsule" => [radius, (b3 - 0.5 * radius).max(0.0), 0.0],
        _ => half,
    };
    let mut axes = Mat3::from_columns(&order.map(|i| eigen.eigenvectors.column(i).into_owned()));
    if axes.determinant() < 0.0 {
        axes.column_mut(0).neg_mut();
    }
    let turn = Quat::from_rotation_matrix(&na::Rotation3::from_matrix_unchecked(axes));
    Some((Pose::from_parts(mesh.com.into(), turn), sizes))
}
