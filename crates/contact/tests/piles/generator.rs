//! One pile for every paradigm: 2 to 30 solids of six kinds and four surfaces, thrown together over level ground.

#![allow(dead_code)]

use std::sync::Arc;
use veracity_model::geometry::{at, pose};
use veracity_model::mesh::TriangleMesh;
use veracity_model::{Body, Inertia, Joint, JointKind, Material, ModelBuilder, Pose, Shape, Vec3, World};

/// A reproducible stream of numbers (splitmix64).
pub struct Stream(pub u64);

impl Stream {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in (low, high).
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    fn vector(&mut self, size: f64) -> [f64; 3] {
        [0; 3].map(|_| self.uniform(-size, size))
    }
}

/// A world and the state it starts in.
pub struct Pile {
    pub world: World,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
}

/// Kinds of solids.
pub const KINDS: u64 = 6;

/// A solid of a kind, at most 0.1 m from its origin.
pub fn solid(kind: u64, s: &mut Stream) -> Shape {
    let r = s.uniform(0.025, 0.055);
    let mut extent = || s.uniform(0.05, 0.11);
    let size = Vec3::new(extent(), extent(), extent());
    match kind {
        0 => Shape::Sphere { radius: r },
        1 => Shape::Box { size },
        2 => Shape::Capsule { radius: 0.7 * r, length: 1.5 * r },
        3 => Shape::Cylinder { radius: r, length: size.x },
        4 => Shape::Convex(Arc::new(stone(s, size))),
        _ => Shape::Mesh(Arc::new(angle(size))),
    }
}

/// The hull of twelve points on an ellipsoid.
fn stone(s: &mut Stream, size: Vec3) -> TriangleMesh {
    let corner = |s: &mut Stream| {
        let d = Vec3::from(s.vector(1.0));
        // Six of them along the axes, so that no stone is flat.
        d.normalize().component_mul(&(size * 0.5))
    };
    let mut vertices: Vec<Vec3> = (0..6).map(|_| corner(s)).collect();
    for k in 0..3 {
        let mut tip = Vec3::zeros();
        tip[k] = 0.5 * size[k];
        vertices.extend([tip, -tip]);
    }
    TriangleMesh::new(vertices, Vec::new()).convex_hull().expect("its axes span a volume")
}

/// A bracket: an L of two plates, hollow between them.
fn angle(size: Vec3) -> TriangleMesh {
    let (x, y, z) = (0.5 * size.x, 0.5 * size.y, 0.5 * size.z);
    let thick = 0.35;
    // The outline of the L in the x-z plane, counter-clockwise seen from -y.
    let (xi, zi) = (-x + 2.0 * x * thick, -z + 2.0 * z * thick);
    let outline = [(-x, -z), (x, -z), (x, zi), (xi, zi), (xi, z), (-x, z)];
    let mut vertices = Vec::new();
    for side in [-y, y] {
        vertices.extend(outline.iter().map(|(a, b)| Vec3::new(*a, side, *b)));
    }
    // Triangles fill the L on both sides; walls join the two sides.
    let front = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]];
    let mut triangles: Vec<[u32; 3]> = front.to_vec();
    triangles.extend(front.iter().map(|[a, b, c]| [a + 6, c + 6, b + 6]));
    for i in 0..6 {
        let j = (i + 1) % 6;
        triangles.extend([[i, i + 6, j], [j, i + 6, j + 6]]);
    }
    TriangleMesh::new(vertices, triangles)
}

pub fn inertia(shape: &Shape, density: f64) -> Inertia {
    match shape {
        Shape::Mesh(mesh) => mesh.solid_inertia(density).expect("a closed mesh"),
        Shape::Convex(mesh) => mesh.convex_hull_inertia(density).expect("a hull with volume"),
        other => other.solid_inertia(density).expect("a solid"),
    }
}

/// The pile of a seed. Nothing touches at the start: cells of 0.23 m, solids within 0.1 m of their origins.
pub fn pile(seed: u64) -> Pile {
    let mut s = Stream(seed.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1));
    let mut builder = ModelBuilder::new("pile");
    builder.self_collide(true);
    let materials: Vec<_> = (0..4)
        .map(|k| {
            let mu = s.uniform(0.0, 1.2);
            let restitution = if s.bits().is_multiple_of(2) { 0.0 } else { s.uniform(0.0, 0.9) };
            builder.add_material(Material {
                name: format!("surface{k}"),
                friction: [mu; 2],
                restitution,
                ..Material::default()
            })
        })
        .collect();
    let mut add = |name: String, inertia, shape, joint: Joint, material: usize| {
        let mut body = Body::new(name, inertia).with_shape(shape, Pose::identity());
        body.shapes[0].material = Some(materials[material]);
        builder.add_body(body, joint, None);
    };
    add(
        "ground".into(),
        Inertia::zero(),
        Shape::Plane,
        Joint::new("ground", JointKind::Fixed).at(at(0.0, 0.0, 0.0)),
        0,
    );
    let count = 2 + (s.bits() % 29) as usize;
    let (mut q, mut v) = (Vec::new(), Vec::new());
    for i in 0..count {
        let kind = s.bits() % KINDS;
        let shape = solid(kind, &mut s);
        let inertia = inertia(&shape, s.uniform(300.0, 3000.0));
        let cell = Vec3::new((i % 3) as f64, (i / 3 % 3) as f64, (i / 9) as f64);
        let place = pose(cell * 0.23 + Vec3::new(0.0, 0.0, 0.12) + Vec3::from(s.vector(0.01)), s.vector(3.0));
        let (p, r) = (place.translation.vector, place.rotation);
        let material = (s.bits() % 4) as usize;
        add(format!("solid{i}"), inertia, shape, Joint::new(format!("free{i}"), JointKind::Free), material);
        q.extend([p.x, p.y, p.z, r.w, r.i, r.j, r.k]);
        v.extend(s.vector(8.0));
        v.extend(s.vector(1.0));
    }
    Pile { world: World::with_model(builder.build().unwrap()), q, v }
}
