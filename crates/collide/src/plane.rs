//! Gaps to a half space: closed forms for every shape.
//!
//! The lowest point of a solid touches the half space `z <= 0` first, so
//!
//! ```text
//! (1)  gap = min { z : x in K } = s_C(-z)·z - r
//! ```
//!
//! exactly, for any core `C` with radius `r`: a ball's centre minus its radius, a box's lowest corner, a cylinder's
//! lowest rim point `h·|cos| + r·|sin|` below its centre, a disc's `r·|sin|`. For a mesh it is the lowest vertex.

use crate::convex::{Convex, PlacedCore};
use crate::gap::Gap;
use nalgebra as na;
use veracity_model::{Pose, Vec3};

/// Gap of a convex solid (first) to the plane (second), in the plane's frame.
pub(crate) fn plane_convex_gap(convex: &Convex, plane_from_shape: &Pose) -> Gap {
    let down = -Vec3::z();
    let core = PlacedCore { core: &convex.core, pose: plane_from_shape };
    above_plane(core.support(&down) + down * convex.radius)
}

/// Gap of the hull of points (first) to the plane (second), in the plane's frame.
pub(crate) fn plane_points_gap(points: &[Vec3], plane_from_shape: &Pose) -> Gap {
    let placed = points.iter().map(|p| (plane_from_shape * na::Point3::from(*p)).coords);
    above_plane(placed.min_by(|p, q| p.z.total_cmp(&q.z)).unwrap_or_default())
}

fn above_plane(lowest: Vec3) -> Gap {
    Gap {
        distance: lowest.z,
        bounds: [lowest.z, lowest.z],
        normal: Vec3::z(),
        point_a: lowest,
        point_b: Vec3::new(lowest.x, lowest.y, 0.0),
    }
}
