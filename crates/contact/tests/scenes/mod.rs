//! Small worlds for contact tests.
#![allow(dead_code)]

use veracity_contact::ContactWorld;
use veracity_contact::event_driven::EventDriven;
use veracity_dynamics::integrate::State;
use veracity_model::geometry::at;
use veracity_model::import::{ImportOptions, load};
use veracity_model::{Body, Inertia, Joint, JointKind, Material, ModelBuilder, Placement, Pose, Shape, Vec3, World};

/// A body with one shape about its centre of mass.
pub fn body(name: &str, inertia: Inertia, shape: Shape) -> Body {
    Body::new(name, inertia).with_shape(shape, Pose::identity())
}

/// A surface with this friction and restitution.
pub fn surface(friction: f64, restitution: f64) -> Material {
    Material { name: "surface".into(), friction: [friction; 2], restitution, ..Material::default() }
}

/// Loose bodies over the plane z = 0, all of one material.
pub fn world_on_floor(bodies: Vec<Body>, material: Material) -> World {
    let mut builder = ModelBuilder::new("scene");
    let id = builder.add_material(material);
    let mut floor = Body::new("floor", Inertia::zero()).with_shape(Shape::Plane, at(0.0, 0.0, 0.0));
    floor.shapes[0].material = Some(id);
    builder.add_body(floor, Joint::new("ground", JointKind::Fixed), None);
    for mut body in bodies {
        body.shapes.iter_mut().for_each(|s| s.material = Some(id));
        let joint = Joint::new(format!("free_{}", body.name), JointKind::Free);
        builder.add_body(body, joint, None);
    }
    World::with_model(builder.build().unwrap())
}

/// The same compiled.
pub fn on_floor(bodies: Vec<Body>, material: Material) -> ContactWorld {
    ContactWorld::new(&world_on_floor(bodies, material)).unwrap()
}

/// A state of loose bodies: position, velocity and angular velocity of each; upright.
pub fn start(engine: &EventDriven, bodies: &[(Vec3, Vec3, Vec3)]) -> State {
    let system = &engine.world().system;
    let mut state = State { time: 0.0, q: system.neutral_positions().to_vec(), v: vec![0.0; system.dof_count()] };
    for (i, (place, velocity, spin)) in bodies.iter().enumerate() {
        state.q[7 * i..7 * i + 3].copy_from_slice(place.as_slice());
        state.v[6 * i..6 * i + 3].copy_from_slice(spin.as_slice());
        state.v[6 * i + 3..6 * i + 6].copy_from_slice(velocity.as_slice());
    }
    state
}

/// A shipped model on the plane z = 0.
pub fn walker(path: &str) -> World {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(path);
    let imported = load(&path, &ImportOptions::default());
    let mut world = imported.world.unwrap_or_else(|| panic!("{}", imported.findings));
    let mut builder = ModelBuilder::new("ground");
    let floor = Body::new("floor", Inertia::zero()).with_shape(Shape::Plane, at(0.0, 0.0, 0.0));
    builder.add_body(floor, Joint::new("ground", JointKind::Fixed), None);
    world.placements.push(Placement {
        name: "ground".into(),
        model: std::sync::Arc::new(builder.build().unwrap()),
        world_from_model: Pose::identity(),
    });
    world
}

/// Compiled with the default rules.
pub fn compiled(world: &World) -> ContactWorld {
    ContactWorld::new(world).unwrap()
}

/// A keyframe of the first model as a state.
pub fn keyframe(world: &World, name: &str) -> State {
    let frame = world.placements[0].model.keyframes().iter().find(|k| k.name == name).expect("a shipped keyframe");
    State { time: 0.0, q: frame.q.clone(), v: frame.v.clone() }
}

/// A small generator of numbers between -1 and 1, the same on every platform.
pub struct Lcg(u64);

impl Lcg {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x2545_F491_4F6C_DD1D)
    }

    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
