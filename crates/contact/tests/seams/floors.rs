//! Floors of several shapes, bodies that slide on them, and the three paradigms.

use std::sync::Arc;
use veracity_contact::penalty::{Penalty, PenaltySettings};
use veracity_contact::{ContactWorld, EventDriven, EventDrivenSettings, Paradigm, Stepping, SteppingSettings};
use veracity_dynamics::NoEfforts;
use veracity_dynamics::integrate::State;
use veracity_model::geometry::at;
use veracity_model::shape::HeightField;
use veracity_model::{
    Body, Inertia, Joint, JointKind, Material, ModelBuilder, Pose, Shape, TriangleMesh, Vec3, World,
};

pub const G: f64 = 9.81;

/// The paradigms by name.
pub const PARADIGMS: [&str; 3] = ["stepping", "event", "penalty"];

/// A part of the floor: a shape and its pose.
pub type Part = (Shape, Pose);

/// A box.
pub fn block(x: f64, y: f64, z: f64) -> Shape {
    Shape::Box { size: Vec3::new(x, y, z) }
}

/// The prism over a polygon in the x-z plane, given counter-clockwise seen from -y, `width` along y.
pub fn prism(polygon: &[[f64; 2]], width: f64, convex: bool) -> Shape {
    let count = polygon.len() as u32;
    let side = |y: f64| polygon.iter().map(move |[x, z]| Vec3::new(*x, y, *z));
    let vertices: Vec<Vec3> = side(-0.5 * width).chain(side(0.5 * width)).collect();
    let mut triangles = Vec::new();
    for i in 0..count {
        let next = (i + 1) % count;
        triangles.extend([[i, i + count, next + count], [i, next + count, next]]);
    }
    // A fan about the first corner, from which all others must be visible.
    for i in 1..count - 1 {
        triangles.extend([[0, i, i + 1], [count, count + i + 1, count + i]]);
    }
    let mesh = Arc::new(TriangleMesh::new(vertices, triangles));
    if convex { Shape::Convex(mesh) } else { Shape::Mesh(mesh) }
}

/// Floors whose top is z = 0 and continues through x = 0, by name.
pub fn flat_floors() -> Vec<(&'static str, Vec<Part>)> {
    let tile = || block(1.0, 2.0, 0.2);
    let hull = |low: f64, high: f64| prism(&[[low, -0.2], [high, -0.2], [high, 0.0], [low, 0.0]], 2.0, true);
    // A slab with a leg under its far end: not convex.
    let table = |sign: f64| {
        let mut outline = [[0.8, -0.2], [0.8, -0.5], [1.0, -0.5], [1.0, 0.0], [0.0, 0.0], [0.0, -0.2]];
        outline.iter_mut().for_each(|p| p[0] *= sign);
        if sign < 0.0 {
            outline[1..].reverse();
        }
        prism(&outline, 2.0, false)
    };
    let field =
        || Shape::HeightField(Arc::new(HeightField { size: [1.0, 2.0], counts: [5, 9], heights: vec![0.0; 45] }));
    let bricks = vec![
        (block(1.0, 1.0, 0.2), at(-0.5, 0.5, -0.1)),
        (block(1.0, 1.0, 0.2), at(-0.5, -0.5, -0.1)),
        (block(1.0, 1.0, 0.3), at(0.5, 0.013, -0.15)),
        (block(1.0, 1.0, 0.2), at(0.5, 1.013, -0.1)),
        (block(1.0, 1.0, 0.2), at(0.5, -0.987, -0.1)),
    ];
    vec![
        ("boxes", vec![(tile(), at(-0.5, 0.0, -0.1)), (tile(), at(0.5, 0.0, -0.1))]),
        ("bricks", bricks),
        ("hulls", vec![(hull(-1.0, 0.0), Pose::identity()), (hull(0.0, 1.0), Pose::identity())]),
        ("meshes", vec![(table(-1.0), Pose::identity()), (table(1.0), Pose::identity())]),
        ("mesh and box", vec![(table(-1.0), Pose::identity()), (tile(), at(0.5, 0.0, -0.1))]),
        ("height fields", vec![(field(), at(-0.5, 0.0, 0.0)), (field(), at(0.5, 0.0, 0.0))]),
        ("plane and box", vec![(Shape::Plane, Pose::identity()), (tile(), at(0.5, 0.0, -0.1))]),
        ("slit", vec![(tile(), at(-0.505, 0.0, -0.1)), (tile(), at(0.505, 0.0, -0.1))]),
    ]
}

/// How the parts of a floor are attached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Held {
    /// Each is a body fixed to the world.
    Bodies,
    /// All are shapes of one fixed body.
    OneBody,
    /// All are shapes of one heavy body that slides along x at this speed [m/s].
    Carried(f64),
}

/// One body that slides on a floor.
pub struct Slide {
    pub paradigm: Box<dyn Paradigm>,
    pub state: State,
    first: usize,
}

/// The sliding body.
#[derive(Clone)]
pub struct Mover {
    pub shape: Shape,
    pub inertia: Inertia,
    pub pose: Pose,
    pub velocity: Vec3,
}

impl Mover {
    pub fn new(shape: Shape, inertia: Inertia, pose: Pose, velocity: Vec3) -> Self {
        Self { shape, inertia, pose, velocity }
    }
}

impl Slide {
    pub fn new(paradigm: &str, floor: &[Part], held: Held, mover: &Mover, mu: f64) -> Self {
        let mut builder = ModelBuilder::new("w");
        builder.self_collide(true);
        let material = Material { name: "m".into(), friction: [mu; 2], ..Material::default() };
        let material = builder.add_material(material);
        let mut add = |mut body: Body, joint: Joint| {
            body.shapes.iter_mut().for_each(|s| s.material = Some(material));
            builder.add_body(body, joint, None);
        };
        let (mut q, mut v) = (Vec::new(), Vec::new());
        match held {
            Held::Bodies => {
                for (i, (shape, pose)) in floor.iter().enumerate() {
                    let body = Body::new(format!("tile{i}"), Inertia::zero()).with_shape(shape.clone(), *pose);
                    add(body, Joint::new(format!("fix{i}"), JointKind::Fixed));
                }
            }
            Held::OneBody | Held::Carried(_) => {
                // So heavy that friction slows it by no more than rounding.
                let mut body = Body::new("floor", Inertia::solid_sphere(1e12, 1.0));
                for (shape, pose) in floor {
                    body = body.with_shape(shape.clone(), *pose);
                }
                match held {
                    Held::Carried(speed) => {
                        add(body, Joint::new("carry", JointKind::prismatic(Vec3::x())));
                        (q, v) = (vec![0.0], vec![speed]);
                    }
                    _ => add(body, Joint::new("fix", JointKind::Fixed)),
                }
            }
        }
        let first = q.len();
        add(
            Body::new("mover", mover.inertia).with_shape(mover.shape.clone(), Pose::identity()),
            Joint::new("free", JointKind::Free),
        );
        let (p, r) = (mover.pose.translation.vector, mover.pose.rotation);
        q.extend([p.x, p.y, p.z, r.w, r.i, r.j, r.k]);
        v.extend([0.0, 0.0, 0.0, mover.velocity.x, mover.velocity.y, mover.velocity.z]);
        let mut world = World::with_model(builder.build().unwrap());
        world.gravity = Vec3::new(0.0, 0.0, -G);
        let paradigm: Box<dyn Paradigm> = match paradigm {
            "stepping" => Box::new(Stepping::new(&world, SteppingSettings::default()).unwrap()),
            "penalty" => Box::new(Penalty::new(&world, PenaltySettings::default()).unwrap()),
            _ => {
                let compiled = ContactWorld::new(&world).unwrap();
                Box::new(EventDriven::new(compiled, EventDrivenSettings::default()).unwrap())
            }
        };
        Self { paradigm, state: State { time: 0.0, q, v }, first }
    }

    /// Advances to a time, in steps of at most `h`.
    pub fn to(&mut self, time: f64, h: f64) {
        while self.state.time < time - 1e-12 {
            let left = h.min(time - self.state.time);
            self.paradigm.step(&mut NoEfforts, &mut self.state, left).unwrap();
        }
    }

    pub fn place(&self) -> Vec3 {
        Vec3::from_row_slice(&self.state.q[self.first..self.first + 3])
    }

    pub fn velocity(&self) -> Vec3 {
        Vec3::from_row_slice(&self.state.v[self.first + 3..self.first + 6])
    }
}
