//! Time to find contact points, with the points found: `cargo run --release -p veracity-collide --example manifold_speed`.
//!
//! Each line is the least and the median of many runs, in microseconds. Bodies move a little from run to run, as they do
//! from step to step.
#![allow(clippy::disallowed_methods)] // It measures speed.

use std::sync::Arc;
use std::time::Instant;
use veracity_collide::ContactScene;
use veracity_model::geometry::pose;
use veracity_model::{Body, Inertia, Joint, JointKind, Layout, ModelBuilder, Pose, Shape, TriangleMesh, Vec3, World};

fn main() {
    println!(
        "{:<28} {:>7} {:>7} {:>9} {:>9} {:>12}",
        "scene", "bodies", "points", "least us", "median us", "least gap m"
    );
    for side in [5, 6] {
        let mut shapes = vec![Shape::Plane];
        let mut places = vec![Pose::identity()];
        for i in 0..side * side * side {
            let [x, y, z] = [i % side, i / side % side, i / side / side].map(|k| f64::from(k) * 0.0999);
            shapes.push(Shape::Sphere { radius: 0.05 });
            places.push(pose(Vec3::new(x, y, z + 0.0499), [0.0; 3]));
        }
        measure(&format!("{} balls", side * side * side), &shapes, &places, 1e-5);
    }
    let quarter = std::f64::consts::FRAC_PI_2;
    let row = |n: i32| {
        let gripper = || Shape::Box { size: Vec3::new(0.2, 0.1, 0.2) };
        let shapes: Vec<Shape> = std::iter::once(gripper())
            .chain((0..n).map(|_| Shape::Box { size: Vec3::repeat(0.1) }))
            .chain([gripper()])
            .collect();
        let places: Vec<Pose> = (0..n + 2).map(|i| pose(Vec3::new(0.0, 0.1 * f64::from(i), 0.5), [0.0; 3])).collect();
        (shapes, places)
    };
    let (shapes, places) = row(11);
    measure("row of 11 blocks", &shapes, &places, 1e-7);
    let table = Shape::Box { size: Vec3::new(1.0, 1.0, 0.2) };
    let mesh = |size: Vec3| Arc::new(TriangleMesh::cuboid(size));
    let standing = pose(Vec3::new(0.1, 0.0, 0.2), [0.0; 3]);
    let lying = pose(Vec3::new(0.1, 0.0, 0.15), [quarter, 0.0, 0.3]);
    let on_table: [(&str, Shape, Pose); 9] = [
        ("ball on box", Shape::Sphere { radius: 0.05 }, pose(Vec3::new(0.1, 0.0, 0.15), [0.0; 3])),
        ("box on box", Shape::Box { size: Vec3::repeat(0.2) }, standing),
        (
            "box on box, edge on edge",
            Shape::Box { size: Vec3::repeat(0.2) },
            pose(Vec3::new(0.6, 0.0, 0.2), [0.7, 0.7, 0.0]),
        ),
        ("hull of a box on box", Shape::Convex(mesh(Vec3::repeat(0.2))), standing),
        ("capsule on box", Shape::Capsule { radius: 0.05, length: 0.2 }, lying),
        ("standing cylinder on box", Shape::Cylinder { radius: 0.05, length: 0.2 }, standing),
        ("lying cylinder on box", Shape::Cylinder { radius: 0.05, length: 0.2 }, lying),
        ("ellipsoid on box", Shape::Ellipsoid { radii: Vec3::new(0.05, 0.06, 0.1) }, standing),
        (
            "ellipsoid over an edge",
            Shape::Ellipsoid { radii: Vec3::repeat(0.05) },
            pose(Vec3::new(0.53, 0.0, 0.135), [0.0; 3]),
        ),
    ];
    for (name, shape, place) in on_table {
        measure(name, &[table.clone(), shape], &[Pose::identity(), place], 1e-6);
    }
    let cylinder = Shape::Cylinder { radius: 0.05, length: 0.2 };
    let pairs = [
        ("cylinder on cylinder", pose(Vec3::new(0.01, 0.0, 0.2), [0.0; 3])),
        ("cylinders side by side", pose(Vec3::new(0.1, 0.0, 0.05), [0.0; 3])),
        ("cylinders crossed", pose(Vec3::new(0.1, 0.0, 0.05), [1.0, 0.0, 0.0])),
    ];
    for (name, place) in pairs {
        measure(name, &[cylinder.clone(), cylinder.clone()], &[Pose::identity(), place], 1e-6);
    }
    let round = |count: usize| {
        let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
        let place = |i: usize| {
            let z = 1.0 - 2.0 * (i as f64 + 0.5) / count as f64;
            let (s, c) = libm::sincos(golden * i as f64);
            Vec3::new((1.0 - z * z).sqrt() * c, (1.0 - z * z).sqrt() * s, z) * 0.1
        };
        Shape::Convex(Arc::new(TriangleMesh::new((0..count).map(place).collect(), Vec::new())))
    };
    for (count, apart) in [(20, 0.18), (400, 0.199)] {
        let apart = [Pose::identity(), pose(Vec3::new(apart, 0.0, 0.0), [0.5, 0.0, 0.0])];
        measure(&format!("hulls of {count} corners"), &[round(count), round(count)], &apart, 1e-6);
    }
    // A slab with a ridge: a mesh that is not convex, with 2 x 32 x 32 triangles on top.
    let field = veracity_model::shape::HeightField {
        size: [2.0, 2.0],
        counts: [33, 33],
        heights: (0..33 * 33).map(|i| if i % 33 == 0 { 0.1 } else { 0.0 }).collect(),
    };
    let ground = Shape::HeightField(Arc::new(field));
    let on_ground: [(&str, Shape, f64); 4] = [
        ("ball on 2048 triangles", Shape::Sphere { radius: 0.1 }, 0.1),
        ("box on 2048 triangles", Shape::Box { size: Vec3::repeat(0.2) }, 0.1),
        ("capsule on 2048 triangles", Shape::Capsule { radius: 0.1, length: 0.3 }, 0.25),
        ("cylinder on 2048 triangles", Shape::Cylinder { radius: 0.1, length: 0.2 }, 0.1),
    ];
    for (name, shape, height) in on_ground {
        let place = pose(Vec3::new(0.21, 0.13, height), [0.0, 0.0, 0.4]);
        measure(name, &[ground.clone(), shape], &[Pose::identity(), place], 1e-6);
    }
}

fn measure(name: &str, shapes: &[Shape], places: &[Pose], jitter: f64) {
    let mut builder = ModelBuilder::new("w");
    for (i, shape) in shapes.iter().enumerate() {
        let fixed = i == 0 && matches!(shape, Shape::Plane | Shape::HeightField(_));
        let kind = if fixed { JointKind::Fixed } else { JointKind::Free };
        let body =
            Body::new(format!("b{i}"), Inertia::solid_sphere(1.0, 0.1)).with_shape(shape.clone(), Pose::identity());
        builder.add_body(body, Joint::new(format!("j{i}"), kind), None);
    }
    let Ok(model) = builder.build() else { return };
    let world = World::with_model(model);
    let Ok(mut scene) = ContactScene::new(&world, &Layout::new(&world)) else { return };
    let reach = vec![1e-5; shapes.len()];
    let (mut found, mut times, mut least) = (Vec::new(), Vec::new(), f64::INFINITY);
    let mut moved = places.to_vec();
    for run in 0..2000 {
        for (i, (now, place)) in moved.iter_mut().zip(places).enumerate().skip(1) {
            let wave = |k: usize| jitter * libm::sin(0.01 * f64::from(run) + (i * 11 + k) as f64);
            *now = Pose::translation(wave(0), wave(1), wave(2)) * place;
        }
        let start = Instant::now();
        let outcome = scene.find(&moved, &reach, 1e-4, &mut found);
        times.push(start.elapsed().as_secs_f64() * 1e6);
        if let Err(trouble) = outcome {
            println!("{name}: {trouble}");
            return;
        }
        least = found.iter().fold(least, |g, p| g.min(p.gap));
    }
    times.sort_by(f64::total_cmp);
    let (bodies, points) = (shapes.len(), found.len());
    println!("{name:<28} {bodies:>7} {points:>7} {:>9.2} {:>9.2} {least:>12.2e}", times[0], times[times.len() / 2]);
}
