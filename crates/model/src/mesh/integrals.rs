//! Mass, centre of mass and inertia of polyhedra and shells, exact up to rounding.
//!
//! A closed surface splits its solid into signed tetrahedra from any one point to its triangles. For a tetrahedron
//! with corners 0, a, b, c
//!
//! ```text
//! (1)  V       = a · (b x c) / 6
//! (2)  ∫ x     = V (a + b + c) / 4
//! (3)  ∫ x xᵀ  = V (a aᵀ + b bᵀ + c cᵀ + s sᵀ) / 20,   s = a + b + c
//! ```
//!
//! and for a triangle of area A, with s as above,
//!
//! ```text
//! (4)  ∫ x     = A s / 3
//! (5)  ∫ x xᵀ  = A (a aᵀ + b bᵀ + c cᵀ + s sᵀ) / 12.
//! ```
//!
//! With C = ∫ x xᵀ about the centre of mass, the inertia tensor is tr(C) 1 - C. The common point is the centre of the
//! bounding box: a mesh far from its origin would otherwise lose digits to cancellation.

use super::TriangleMesh;
use crate::geometry::{Mat3, Vec3};
use crate::inertia::Inertia;

/// Volume, first and second moment about `centre`, at density one.
#[derive(Default)]
struct Moments {
    content: f64,
    /// Sum of the absolute contents, the scale for rounding errors.
    gross: f64,
    first: Vec3,
    second: Mat3,
}

impl Moments {
    /// Adds a piece of this content whose moments are `content · s / first` and `content · (…) / second`.
    fn add(&mut self, [a, b, c]: [Vec3; 3], content: f64, first: f64, second: f64) {
        let s = a + b + c;
        self.content += content;
        self.gross += content.abs();
        self.first += s * (content / first);
        let outer = a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose();
        self.second += outer * (content / second);
    }

    /// As an inertia, mirrored to positive content; `None` if the content is only rounding.
    fn inertia(self, centre: Vec3, pieces: usize, density: f64) -> Option<Inertia> {
        // Each of `pieces` additions rounds once relative to the running sum; 16 covers the product inside (1).
        let rounding = 16.0 * f64::EPSILON * (pieces as f64).sqrt() * self.gross;
        if self.content.is_nan() || self.content.abs() <= rounding {
            return None;
        }
        let com = self.first / self.content;
        let covariance = (self.second - com * com.transpose() * self.content) * (density * self.content.signum());
        let tensor = Mat3::identity() * covariance.trace() - covariance;
        let inertia = Inertia { mass: density * self.content.abs(), com: centre + com, tensor };
        inertia.is_finite().then_some(inertia)
    }
}

pub(super) fn signed_volume(mesh: &TriangleMesh) -> f64 {
    let centre = middle(mesh);
    let corners = mesh.triangles.iter().filter_map(|t| mesh.corners(*t));
    corners.map(|t| tetrahedron_volume(t.map(|v| v - centre))).sum()
}

pub(super) fn solid_inertia(mesh: &TriangleMesh, density: f64) -> Option<Inertia> {
    let centre = middle(mesh);
    let mut moments = Moments::default();
    for triangle in &mesh.triangles {
        let corners = mesh.corners(*triangle)?.map(|v| v - centre);
        moments.add(corners, tetrahedron_volume(corners), 4.0, 20.0);
    }
    moments.inertia(centre, mesh.triangles.len(), density)
}

pub(super) fn shell_inertia(mesh: &TriangleMesh, area_density: f64) -> Option<Inertia> {
    let centre = middle(mesh);
    let mut moments = Moments::default();
    for triangle in &mesh.triangles {
        let [a, b, c] = mesh.corners(*triangle)?.map(|v| v - centre);
        moments.add([a, b, c], 0.5 * (b - a).cross(&(c - a)).norm(), 3.0, 12.0);
    }
    moments.inertia(centre, mesh.triangles.len(), area_density)
}

/// (1)
fn tetrahedron_volume([a, b, c]: [Vec3; 3]) -> f64 {
    a.dot(&b.cross(&c)) / 6.0
}

fn middle(mesh: &TriangleMesh) -> Vec3 {
    mesh.bounding_box().map_or_else(Vec3::zeros, |[low, high]| low * 0.5 + high * 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Pose, pose};
    use std::f64::consts::PI;

    fn close(a: &Inertia, b: &Inertia, relative: f64) -> bool {
        (a.mass - b.mass).abs() <= relative * b.mass
            && (a.com - b.com).norm() <= relative * (b.com.norm() + 1.0)
            && (a.tensor - b.tensor).norm() <= relative * b.tensor.norm()
    }

    /// An octahedron whose faces are split in four `levels` times, with every vertex on the sphere.
    fn sphere(radius: f64, levels: u32) -> TriangleMesh {
        let (x, y, z) = (Vec3::x(), Vec3::y(), Vec3::z());
        let mut faces = vec![[x, y, z], [y, -x, z], [-x, -y, z], [-y, x, z]];
        faces.extend(faces.clone().iter().map(|[a, b, _]| [*b, *a, -z]));
        for _ in 0..levels {
            faces = faces
                .iter()
                .flat_map(|[a, b, c]| {
                    let [ab, bc, ca] = [a + b, b + c, c + a].map(|v| v.normalize());
                    [[*a, ab, ca], [ab, *b, bc], [ca, bc, *c], [ab, bc, ca]]
                })
                .collect();
        }
        let vertices: Vec<Vec3> = faces.iter().flatten().map(|v| v * radius).collect();
        let triangles = (0..faces.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        TriangleMesh::new(vertices, triangles).welded()
    }

    #[test]
    fn tetrahedron_has_the_textbook_inertia() {
        let mesh = TriangleMesh::new(
            vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()],
            vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        );
        let got = mesh.solid_inertia(6.0).unwrap();
        // Mass one, ∫x² = m/10 and ∫xy = m/20 about the corner, centroid at 1/4.
        assert!((got.mass - 1.0).abs() < 1e-15 && (got.com - Vec3::new(0.25, 0.25, 0.25)).norm() < 1e-15);
        let about_corner = got.about(&Vec3::zeros());
        assert!((about_corner[(0, 0)] - 0.2).abs() < 1e-15 && (about_corner[(0, 1)] + 0.05).abs() < 1e-15);
    }

    #[test]
    fn box_mesh_has_the_inertia_of_the_box() {
        let size = Vec3::new(0.3, 1.7, 0.04);
        let expected = Inertia::solid_box(2000.0 * size.product(), size);
        let mesh = TriangleMesh::cuboid(size);
        // Twelve tetrahedra and a handful of roundings in each.
        assert!(close(&mesh.solid_inertia(2000.0).unwrap(), &expected, 1e-15 * 8.0));
        assert!(close(&mesh.convex_hull_inertia(2000.0).unwrap(), &expected, 1e-15 * 8.0));
    }

    #[test]
    fn moving_the_mesh_moves_the_inertia() {
        let size = Vec3::new(0.3, 0.2, 0.5);
        let new_from_old = pose(Vec3::new(3.0, -2.0, 7.0), [0.3, -1.1, 2.0]);
        let expected = Inertia::solid_box(1000.0 * size.product(), size).transformed(&new_from_old);
        let mesh = TriangleMesh::cuboid(size).transformed(&new_from_old);
        // Vertices at 8 m are rounded to 1e-15 m, an edge of 0.2 m then to 5e-15 of its length.
        assert!(close(&mesh.solid_inertia(1000.0).unwrap(), &expected, 1e-13));
    }

    #[test]
    fn sphere_meshes_converge_to_the_ball_with_order_two() {
        let exact = Inertia::solid_sphere(1000.0 * 4.0 / 3.0 * PI * 0.027, 0.3);
        let errors: Vec<[f64; 2]> = (3..7)
            .map(|level| {
                let got = sphere(0.3, level).solid_inertia(1000.0).unwrap();
                [exact.mass - got.mass, exact.tensor[(0, 0)] - got.tensor[(0, 0)]]
            })
            .collect();
        for pair in errors.windows(2) {
            for (coarse, fine) in pair[0].iter().zip(pair[1]) {
                let order = (coarse / fine).log2();
                // Halving the edges of an inscribed polyhedron quarters the missing volume, from below; the
                // next term of the expansion is 0.03 in the order at the coarsest pair.
                assert!(fine > 0.0 && (order - 2.0).abs() < 0.05, "{errors:?}");
            }
        }
    }

    #[test]
    fn shell_of_a_sphere_is_two_thirds() {
        let got = sphere(0.5, 5).shell_inertia(3.0).unwrap();
        let mass = 3.0 * 4.0 * PI * 0.25;
        // The tessellation error itself, edges of 0.5·π/2/32 m.
        assert!((got.mass / mass - 1.0).abs() < 2e-3);
        assert!((got.tensor[(2, 2)] / (2.0 / 3.0 * mass * 0.25) - 1.0).abs() < 4e-3);
    }

    #[test]
    fn a_hollow_box_is_the_difference_of_two() {
        let (outer, inner) = (Vec3::new(1.0, 1.0, 1.0), Vec3::new(0.5, 0.5, 0.5));
        let mut mesh = TriangleMesh::cuboid(outer);
        let hole = TriangleMesh::cuboid(inner).turned_inside_out();
        mesh.vertices.extend(&hole.vertices);
        mesh.triangles.extend(hole.triangles.iter().map(|t| t.map(|i| i + 8)));
        let got = mesh.solid_inertia(1.0).unwrap();
        let expected = (1.0 - 0.125 * 0.25) / 6.0;
        assert!((got.mass - 0.875).abs() < 1e-15 && (got.tensor[(0, 0)] - expected).abs() < 1e-15);
    }

    #[test]
    fn two_sided_sheet_encloses_nothing() {
        let mesh = TriangleMesh::new(
            vec![Vec3::new(0.1, 0.2, 0.3), Vec3::new(1.1, 0.7, 0.4), Vec3::new(-0.3, 0.9, 0.8)],
            vec![[0, 1, 2], [0, 2, 1]],
        )
        .transformed(&Pose::translation(1.0, 1.0, 1.0));
        assert!(mesh.closure().is_closed());
        assert_eq!(mesh.solid_inertia(1.0), None);
        assert_eq!(mesh.convex_hull(), None);
    }
}
