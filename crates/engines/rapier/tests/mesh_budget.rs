//! Two fine meshes near each other: memory once grew as n^1.9 with n triangles each, to 8.6 GB, and ended the process.

use std::sync::Arc;
use veracity_counting::{Counting, peak_bytes};
use veracity_engine::{Engine, Inputs, LoadError, LoadOptions, Simulation};
use veracity_engine_rapier::ENGINE;
use veracity_model::geometry::at;
use veracity_model::{
    Body, BodyShape, Inertia, Joint, JointKind, ModelBuilder, Pose, Shape, TriangleMesh, Vec3, World,
};

#[global_allocator]
static MEMORY: Counting = Counting;

/// A square plate of 0.1 m in the plane z = 0, `cells` by `cells` squares of two triangles.
fn plate(cells: u32) -> Shape {
    let side = cells + 1;
    let place = |i: u32| 0.1 * (f64::from(i) / f64::from(cells) - 0.5);
    let vertices = (0..side * side).map(|i| Vec3::new(place(i % side), place(i / side), 0.0)).collect();
    let corner = |x: u32, y: u32| y * side + x;
    let square = |i: u32| {
        let (x, y) = (i % cells, i / cells);
        [
            [corner(x, y), corner(x + 1, y), corner(x + 1, y + 1)],
            [corner(x, y), corner(x + 1, y + 1), corner(x, y + 1)],
        ]
    };
    let triangles = (0..cells * cells).flat_map(square).collect();
    Shape::Mesh(Arc::new(TriangleMesh::new(vertices, triangles)))
}

/// A plate that is held, and a free one above it by `gap`.
fn plates(cells: u32, gap: f64) -> World {
    let mut builder = ModelBuilder::new("plates");
    for (name, joint) in [
        ("below", Joint::new("held", JointKind::Fixed)),
        ("above", Joint::new("free", JointKind::Free).at(at(0.0, 0.0, gap))),
    ] {
        let mut body = Body::new(name, Inertia::solid_box(1.0, Vec3::new(0.1, 0.1, 0.01)));
        body.shapes.push(BodyShape::new("plate", plate(cells), Pose::identity()));
        builder.add_body(body, joint, None);
    }
    let mut world = World::with_model(builder.build().unwrap());
    world.contact = true;
    world
}

fn load(world: &World) -> Box<dyn Simulation> {
    let settings = ENGINE.resolve(&"rapier".parse().unwrap()).unwrap();
    ENGINE.load(world, &settings, &LoadOptions { step_s: 1e-3 }).unwrap_or_else(|e| panic!("{e}"))
}

fn start(world: &World) -> (Vec<f64>, Vec<f64>) {
    (world.placements[0].model.initial_positions(), vec![0.0; 6])
}

#[test]
fn coarse_meshes_run() {
    let world = plates(12, 1e-3);
    let mut simulation = load(&world);
    let (q, v) = start(&world);
    simulation.set_state(0.0, &q, &v).unwrap();
    simulation.step(&Inputs::none(6), 1e-3).unwrap_or_else(|t| panic!("{}", t.reason));
}

#[test]
fn fine_meshes_that_start_near_each_other_are_refused_with_a_message() {
    let world = plates(150, 1e-3);
    let (refused, peak) = peak_bytes(|| {
        let mut simulation = load(&world);
        let (q, v) = start(&world);
        simulation.set_state(0.0, &q, &v)
    });
    let Err(LoadError::Unsupported(list)) = refused else { panic!("{refused:?}") };
    let message = list[0].to_string();
    assert!(
        message.contains("'plates/below/plate' and 'plates/above/plate'") && message.contains("convex pieces"),
        "{message}"
    );
    // Trees over 90,000 triangles, built and copied; one step would have taken gigabytes.
    assert!(peak < 200 << 20, "{peak} bytes");
}

#[test]
fn fine_meshes_that_come_near_end_their_own_trial() {
    let world = plates(150, 0.05);
    let mut simulation = load(&world);
    let (q, mut v) = start(&world);
    v[5] = -5.0;
    simulation.set_state(0.0, &q, &v).unwrap();
    let inputs = Inputs::none(6);
    let (trouble, peak) = peak_bytes(|| (0..30).find_map(|_| simulation.step(&inputs, 1e-3).err()));
    let reason = trouble.expect("they meet within 10 ms").reason;
    assert!(reason.contains("pairs of triangles"), "{reason}");
    assert!(simulation.lost().is_some(), "the motion itself did not break down");
    assert!(peak < 1 << 30, "{peak} bytes");
}
