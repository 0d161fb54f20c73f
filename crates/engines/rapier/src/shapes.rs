//! Collision shapes and surfaces in Rapier's terms.

use crate::convert::to_vector;
use rapier3d_f64::dynamics::CoefficientCombineRule;
use rapier3d_f64::geometry::SharedShape;
use rapier3d_f64::parry::utils::Array2;
use std::f64::consts::FRAC_PI_2;
use veracity_foreign::Refusals;
use veracity_model::geometry::quat_about;
use veracity_model::{CombineRule, Material, Pose, Shape, Vec3};

/// A shape and the pose of Rapier's frame of it in ours. `None` after a refusal.
pub fn shape(shape: &Shape, moves: bool, name: &str, refusals: &mut Refusals) -> Option<(SharedShape, Pose)> {
    // Rapier's cylinders and height fields stand along y; ours along z.
    let upright = Pose::from_parts(Vec3::zeros().into(), quat_about(&Vec3::x(), FRAC_PI_2));
    let plain = |shape| Some((shape, Pose::identity()));
    match shape {
        Shape::Sphere { radius } => plain(SharedShape::ball(*radius)),
        Shape::Box { size } => plain(SharedShape::cuboid(0.5 * size.x, 0.5 * size.y, 0.5 * size.z)),
        Shape::Capsule { radius, length } => plain(SharedShape::capsule_z(0.5 * length, *radius)),
        Shape::Cylinder { radius, length } => Some((SharedShape::cylinder(0.5 * length, *radius), upright)),
        Shape::Plane if moves => {
            refusals.add(format!("the plane '{name}' on a body that moves"), "make it a large box, or fix the body");
            None
        }
        Shape::Plane => plain(SharedShape::halfspace(to_vector(&Vec3::z()))),
        Shape::HeightField(field) => {
            let [columns, rows] = field.counts;
            // Turned upright, Rapier's rows run from the highest y to the lowest.
            let heights = Array2::new(rows, columns, column_major(&field.heights, columns, rows));
            let scale = Vec3::new(field.size[0], 1.0, field.size[1]);
            Some((SharedShape::heightfield(heights, to_vector(&scale)), upright))
        }
        Shape::Convex(mesh) => {
            let points: Vec<_> = mesh.vertices.iter().map(to_vector).collect();
            match SharedShape::convex_hull(&points) {
                Some(hull) => plain(hull),
                None => {
                    refusals.add(
                        format!("the convex mesh '{name}', whose points span no volume"),
                        "give it four or more points that span one",
                    );
                    None
                }
            }
        }
        Shape::Mesh(mesh) => {
            let points = mesh.vertices.iter().map(to_vector).collect();
            match SharedShape::trimesh(points, mesh.triangles.clone()) {
                Ok(mesh) => plain(mesh),
                Err(error) => {
                    refusals.add(format!("the mesh '{name}' ({error})"), "give it triangles, or a simpler shape");
                    None
                }
            }
        }
        Shape::Ellipsoid { .. } | Shape::Disc { .. } => {
            let what = shape.name();
            refusals
                .add(format!("the {what} '{name}' that collides"), "use a sphere, capsule, cylinder or convex mesh");
            None
        }
    }
}

/// Heights in the order Rapier stores them: column by column, and each column from the highest y.
fn column_major(heights: &[f64], columns: usize, rows: usize) -> Vec<f64> {
    (0..columns).flat_map(|c| (0..rows).rev().map(move |r| heights[r * columns + c])).collect()
}

/// Refuses surface properties beyond one coefficient of friction and one of restitution.
pub fn check_material(material: &Material, name: &str, refusals: &mut Refusals) {
    let mut refuse = |wrong: bool, what: &str, hint: &str| {
        if wrong {
            refusals.add(format!("{what} of the surface of '{name}'"), hint);
        }
    };
    let uneven = material.friction[0] != material.friction[1];
    refuse(uneven, "friction that depends on direction", "give both directions one coefficient");
    refuse(material.torsional_friction != 0.0, "torsional friction", "set torsional_friction to zero");
    refuse(material.rolling_friction != 0.0, "rolling friction", "set rolling_friction to zero");
    let compliant = material.stiffness.is_some() || material.dissipation != 0.0;
    refuse(compliant, "stiffness or dissipation", "leave the surface rigid; contact_hz softens all contacts alike");
}

/// A world's rule in Rapier. Rapier uses the stronger of two colliders' rules; here all colliders have the same.
pub fn combine_rule(rule: CombineRule) -> CoefficientCombineRule {
    match rule {
        CombineRule::Average => CoefficientCombineRule::Average,
        CombineRule::Min => CoefficientCombineRule::Min,
        CombineRule::Multiply => CoefficientCombineRule::Multiply,
        CombineRule::Max => CoefficientCombineRule::Max,
        CombineRule::GeometricMean => CoefficientCombineRule::GeometricMean,
    }
}
