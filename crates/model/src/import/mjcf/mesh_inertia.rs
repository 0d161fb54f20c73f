//! Mass properties of a mesh by MuJoCo's original rule (`inertia="legacy"`, still the default).
//!
//! With the triangles' area centroid `o`, each triangle and `o` span a pyramid. The exact rule counts pyramids that
//! face inwards as negative; this one counts all as positive:
//!
//! ```text
//! (1)  c  = Σ |Vᵢ| cᵢ / Σ |Vᵢ|,   Vᵢ the pyramid over triangle i with apex o, cᵢ its centroid
//! (2)  V  = Σ |Wᵢ|,               Wᵢ the pyramid with apex c
//! (3)  P  = Σ |Wᵢ| Pᵢ,            Pᵢ its second moments about c for unit volume
//! ```
//!
//! It agrees with the exact rule on solids that are star-shaped about their centroid and overestimates others.

use crate::geometry::{Mat3, Vec3};
use crate::inertia::Inertia;
use crate::mesh::TriangleMesh;

/// Inertia of `mesh` at this density by the rule above; `None` without volume.
pub(super) fn legacy(mesh: &TriangleMesh, density: f64) -> Option<Inertia> {
    let corners: Vec<[Vec3; 3]> = mesh.triangles.iter().filter_map(|t| mesh.corners(*t)).collect();
    let (mut area, mut apex) = (0.0, Vec3::zeros());
    for [a, b, c] in &corners {
        let weight = 0.5 * (b - a).cross(&(c - a)).norm();
        area += weight;
        apex += (a + b + c) * (weight / 3.0);
    }
    apex /= area;
    // (1)
    let (mut weights, mut com) = (0.0, Vec3::zeros());
    for [a, b, c] in &corners {
        let pyramid = pyramid_volume(&(a - apex), &(b - apex), &(c - apex));
        weights += pyramid;
        com += (a + b + c + apex) * (0.25 * pyramid);
    }
    com /= weights;
    // (2), (3): a tetrahedron with one corner at the origin and the others at d, e, f has second moments
    // (d+e+f)(d+e+f)' + dd' + ee' + ff', times its volume over twenty.
    let (mut volume, mut moments) = (0.0, Mat3::zeros());
    for [a, b, c] in &corners {
        let [d, e, f] = [a - com, b - com, c - com];
        let sum = d + e + f;
        let own = sum * sum.transpose() + d * d.transpose() + e * e.transpose() + f * f.transpose();
        let pyramid = pyramid_volume(&d, &e, &f);
        volume += pyramid;
        moments += own * (pyramid / 20.0);
    }
    let tensor = (Mat3::identity() * moments.trace() - moments) * density;
    let inertia = Inertia { mass: density * volume, com, tensor };
    (volume > 0.0 && inertia.is_finite()).then_some(inertia)
}

fn pyramid_volume(d: &Vec3, e: &Vec3, f: &Vec3) -> f64 {
    d.dot(&e.cross(f)).abs() / 6.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_weighs_what_it_should_wherever_it_stands() {
        let size = Vec3::new(0.3, 0.5, 0.7);
        let mut mesh = TriangleMesh::cuboid(size);
        mesh.vertices.iter_mut().for_each(|v| *v += Vec3::new(1.0, 2.0, 3.0));
        let inertia = legacy(&mesh, 100.0).unwrap();
        let exact = Inertia::solid_box(100.0 * size.product(), size);
        // Sums over twelve triangles at a distance of ten sizes: a few hundred roundings.
        assert!((inertia.mass / exact.mass - 1.0).abs() < 1e-13);
        assert!((inertia.tensor - exact.tensor).norm() < 1e-13 * exact.tensor.norm());
        assert!((inertia.com - Vec3::new(1.0, 2.0, 3.0)).norm() < 1e-14);
    }
}
