//! The small worlds of the suite: each known in closed form, built by hand, named so that another process can build the
//! same.

use crate::inputs::{Inputs, JointDrive, Wrench};
use std::sync::Arc;
use veracity_model::geometry::at;
use veracity_model::{
    Body, ContactPair, Inertia, Joint, JointKind, Layout, Material, ModelBuilder, Placement, Pose, Shape, Vec3,
    World, world::DEFAULT_GRAVITY,
};

/// Free fall [m/s²].
pub(crate) const G: f64 = 9.81;
/// Of the links and boxes below [kg].
pub(crate) const LINK_MASS: f64 = 1.0;
/// From the hinge to the link's centre of mass [m].
pub(crate) const LINK_ARM: f64 = 0.5;
/// Full side lengths of a link, hanging along -z [m].
pub(crate) const LINK_SIZE: Vec3 = Vec3::new(0.1, 0.1, 1.0);
/// Of the slider [kg].
pub(crate) const SLIDER_MASS: f64 = 2.0;
/// Of the free box [kg].
pub(crate) const BOX_MASS: f64 = 2.0;
/// Full side lengths of the free box: three different moments [m].
pub(crate) const BOX_SIZE: Vec3 = Vec3::new(0.1, 0.2, 0.3);
/// Radius of balls [m].
pub(crate) const RADIUS: f64 = 0.1;

/// A world, a start state and constant inputs.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The world.
    pub world: World,
    /// Start positions.
    pub q: Vec<f64>,
    /// Start velocities.
    pub v: Vec<f64>,
    /// Constant inputs.
    pub inputs: Inputs,
}

/// A name and the function that builds its scene.
type Named = (&'static str, fn() -> Scene);

/// Scenes that other processes build by name.
pub(crate) const NAMED: &[Named] = &[
    ("double-pendulum", double_pendulum),
    ("tumbling", tumbling),
    ("floating-pair", floating_pair),
    ("driven", driven),
    ("passing", passing),
    ("resting", resting),
];

/// Moment of a link about its hinge [kg m²].
pub(crate) fn link_inertia() -> f64 {
    let s = LINK_SIZE;
    LINK_MASS * ((s.x * s.x + s.z * s.z) / 12.0 + LINK_ARM * LINK_ARM)
}

/// A smooth world without contact.
pub(crate) fn smooth(builder: ModelBuilder, gravity: Vec3) -> World {
    // The parts are given above: a builder that rejects them is a bug in the suite.
    let mut world = World::with_model(builder.build().expect("the suite's own models are valid"));
    world.gravity = gravity;
    world.contact = false;
    world
}

fn scene(world: World, q: &[f64], v: &[f64]) -> Scene {
    let inputs = Inputs::none(Layout::new(&world).dof_count());
    Scene { world, q: q.to_vec(), v: v.to_vec(), inputs }
}

/// A link that hangs along -z from its hinge about y.
fn link(name: &str) -> Body {
    let mut inertia = Inertia::solid_box(LINK_MASS, LINK_SIZE);
    inertia.com = Vec3::new(0.0, 0.0, -LINK_ARM);
    Body::new(name, inertia)
}

/// One link; zero is hanging.
pub(crate) fn pendulum(q: f64, v: f64) -> Scene {
    pendulum_with(q, v, |joint| joint)
}

/// One link whose joint is changed.
pub(crate) fn pendulum_with(q: f64, v: f64, change: impl Fn(Joint) -> Joint) -> Scene {
    let mut builder = ModelBuilder::new("pendulum");
    let hinge = Joint::new("hinge", JointKind::revolute(Vec3::y())).at(at(0.0, 0.0, 2.0));
    builder.add_body(link("link"), change(hinge), None);
    scene(smooth(builder, DEFAULT_GRAVITY), &[q], &[v])
}

/// Two links under an effort at each hinge and a force on the lower one.
pub(crate) fn double_pendulum() -> Scene {
    let mut builder = ModelBuilder::new("double-pendulum");
    let hinge = |name: &str| Joint::new(name, JointKind::revolute(Vec3::y()));
    let upper = builder.add_body(link("upper"), hinge("shoulder").at(at(0.0, 0.0, 2.0)), None);
    builder.add_body(link("lower"), hinge("elbow").at(at(0.0, 0.0, -2.0 * LINK_ARM)), Some(upper));
    let mut made = scene(smooth(builder, DEFAULT_GRAVITY), &[1.0, 0.5], &[0.2, -0.4]);
    made.inputs.efforts = vec![0.3, -0.2];
    made.inputs.wrenches = vec![Wrench { body: 1, force: [0.2, 0.0, 0.1], torque: [0.0, 0.05, 0.0] }];
    made
}

/// A box free in space, its frame away from its centre of mass, turning about no principal axis. No gravity.
pub(crate) fn tumbling() -> Scene {
    let quarter = [0.8, 0.0, 0.6, 0.0];
    let q = [0.1, -0.2, 1.0, quarter[0], quarter[1], quarter[2], quarter[3]];
    scene(free_box(Vec3::zeros(), offset()), &q, &[1.0, 2.0, -1.5, 0.3, 0.0, -0.2])
}

/// Centre of mass of the box in its body frame [m].
pub(crate) fn offset() -> Vec3 {
    Vec3::new(0.02, -0.01, 0.03)
}

/// The free box under a gravity.
pub(crate) fn free_box(gravity: Vec3, com: Vec3) -> World {
    let mut builder = ModelBuilder::new("box");
    let mut inertia = Inertia::solid_box(BOX_MASS, BOX_SIZE);
    inertia.com = com;
    builder.add_body(Body::new("box", inertia), Joint::new("free", JointKind::Free), None);
    smooth(builder, gravity)
}

/// The free box at rest at a height [m], its frame at its centre of mass.
pub(crate) fn falling(height: f64) -> Scene {
    scene(free_box(DEFAULT_GRAVITY, Vec3::zeros()), &[0.0, 0.0, height, 1.0, 0.0, 0.0, 0.0], &[0.0; 6])
}

/// The free box at rest without gravity.
pub(crate) fn drifting(com: Vec3) -> Scene {
    scene(free_box(Vec3::zeros(), com), &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], &[0.0; 6])
}

/// Two bodies joined by a hinge, free in space.
pub(crate) fn floating_pair() -> Scene {
    let mut builder = ModelBuilder::new("floating-pair");
    let base = Body::new("base", Inertia::solid_box(BOX_MASS, BOX_SIZE));
    let base = builder.add_body(base, Joint::new("free", JointKind::Free), None);
    let hinge = Joint::new("hinge", JointKind::revolute(Vec3::y())).at(at(0.1, 0.0, 0.0));
    builder.add_body(link("arm"), hinge, Some(base));
    let q = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.4];
    scene(smooth(builder, Vec3::zeros()), &q, &[0.5, 0.3, -0.4, 0.2, 0.1, 0.0, 1.5])
}

/// A mass on a rail along x.
pub(crate) fn slider(x: f64, speed: f64) -> Scene {
    slider_with(x, speed, |_, _| {})
}

/// A mass on a rail along x, body and joint changed.
pub(crate) fn slider_with(x: f64, speed: f64, change: impl Fn(&mut Body, &mut Joint)) -> Scene {
    let mut builder = ModelBuilder::new("slider");
    let mut body = Body::new("sled", Inertia::solid_box(SLIDER_MASS, Vec3::repeat(0.2)));
    let mut joint = Joint::new("rail", JointKind::prismatic(Vec3::x()));
    change(&mut body, &mut joint);
    builder.add_body(body, joint, None);
    scene(smooth(builder, DEFAULT_GRAVITY), &[x], &[speed])
}

/// A drive without gains or bounds.
pub(crate) fn drive(dof: usize) -> JointDrive {
    JointDrive { dof, kp: 0.0, kd: 0.0, target: 0.0, target_speed: 0.0, feed_forward: 0.0, max_effort: f64::INFINITY }
}

/// A link held by a drive.
pub(crate) fn driven() -> Scene {
    let mut made = pendulum(0.2, 0.5);
    made.inputs.drives = vec![JointDrive { kp: 40.0, kd: 4.0, target: 0.8, max_effort: 30.0, ..drive(0) }];
    made
}

/// A ball that falls towards a plate: the named pair has a gap, contact is off.
pub(crate) fn passing() -> Scene {
    let (mut world, q, v) = above_ground(1.0, Shape::Sphere { radius: RADIUS });
    world.name = "passing".to_string();
    world.contact = false;
    scene(world, &q, &v)
}

/// A box that falls a little and comes to rest on the ground.
pub(crate) fn resting() -> Scene {
    let (mut world, q, v) = above_ground(0.06, Shape::Box { size: Vec3::repeat(0.1) });
    world.name = "resting".to_string();
    scene(world, &q, &v)
}

/// A ball above the ground, both of one restitution.
pub fn ball_above_ground(gap: f64, restitution: f64) -> Scene {
    let surface = Material { name: "surface".to_string(), restitution, ..Material::default() };
    let shape = Shape::Sphere { radius: RADIUS };
    let (world, q, v) = above_ground_of(Some(surface), RADIUS + gap, shape);
    scene(world, &q, &v)
}

/// A box that stands on the ground, both of one friction.
pub(crate) fn box_on_ground(friction: f64) -> Scene {
    let surface = Material { name: "surface".to_string(), friction: [friction; 2], ..Material::default() };
    let shape = Shape::Box { size: Vec3::new(0.2, 0.2, 0.1) };
    let (world, q, v) = above_ground_of(Some(surface), 0.05, shape);
    scene(world, &q, &v)
}

fn above_ground(height: f64, shape: Shape) -> (World, Vec<f64>, Vec<f64>) {
    above_ground_of(None, height, shape)
}

fn above_ground_of(surface: Option<Material>, height: f64, shape: Shape) -> (World, Vec<f64>, Vec<f64>) {
    let mut builder = ModelBuilder::new("above-ground");
    let surface = surface.map(|surface| builder.add_material(surface));
    let of_surface = |mut body: Body| {
        body.shapes.iter_mut().for_each(|shape| shape.material = surface);
        body
    };
    let ground = of_surface(Body::new("ground", Inertia::zero()).with_shape(Shape::Plane, Pose::identity()));
    let ground = builder.add_body(ground, Joint::new("fixed", JointKind::Fixed), None);
    let inertia = Inertia::solid_box(LINK_MASS, Vec3::repeat(0.1));
    let body = of_surface(Body::new("block", inertia).with_shape(shape, Pose::identity()));
    let block = builder.add_body(body, Joint::new("free", JointKind::Free), None);
    builder.add_contact_pair(ContactPair {
        name: "block-ground".to_string(),
        a: block,
        b: Some(ground),
        material: None,
        conditions: Vec::new(),
    });
    let mut world = smooth(builder, DEFAULT_GRAVITY);
    world.contact = true;
    (world, vec![0.0, 0.0, height, 1.0, 0.0, 0.0, 0.0], vec![0.0; 6])
}

/// Four humanoids of 24 degrees of freedom (pelvis, a waist of two hinges, arms and legs of four) that fall onto each
/// other and the ground. Every part is a ball of 1 kg; places of parts and axes of joints follow from sines, so that no
/// two are alike. The sparse contact problem has fill between the trees, which chains and single trees do not show.
pub fn heap_of_humanoids() -> Scene {
    const PARENTS: [usize; 18] = [0, 1, 2, 3, 4, 5, 2, 7, 8, 9, 0, 11, 12, 13, 0, 15, 16, 17];
    let mut builder = ModelBuilder::new("humanoid");
    let ball = |i: usize| {
        let inertia = Inertia::solid_sphere(1.0, 0.06);
        Body::new(format!("part{i}"), inertia).with_shape(Shape::Sphere { radius: 0.06 }, Pose::identity())
    };
    let mut parts = vec![builder.add_body(ball(0), Joint::new("root", JointKind::Free), None)];
    for (k, parent) in PARENTS.iter().enumerate() {
        let i = k + 1;
        let s = |x: f64| libm::sin(x);
        let n = i as f64;
        let place = Vec3::new(s(3.0 * n + 2.0), s(5.0 * n + 3.0), s(7.0 * n + 4.0)) * 0.12;
        let axis = Vec3::new(s(2.0 * n + 1.0), s(4.0 * n + 2.0), s(6.0 * n + 3.0)).normalize();
        let hinge = Joint::new(format!("hinge{i}"), JointKind::revolute(axis)).at(at(place.x, place.y, place.z));
        let hinge = hinge.each_dof(|d| d.damping = 0.1);
        parts.push(builder.add_body(ball(i), hinge, Some(parts[*parent])));
    }
    builder.self_collide(false);
    let humanoid = Arc::new(builder.build().expect("the suite's own models are valid"));
    let mut ground = ModelBuilder::new("ground");
    let plane = Body::new("ground", Inertia::zero()).with_shape(Shape::Plane, Pose::identity());
    ground.add_body(plane, Joint::new("fixed", JointKind::Fixed), None);
    let mut world = smooth(ground, DEFAULT_GRAVITY);
    world.name = "heap-of-humanoids".to_string();
    world.contact = true;
    let mut q = Vec::new();
    for k in 0..4 {
        let name = format!("humanoid{k}");
        let placement = Placement { name, model: humanoid.clone(), world_from_model: Pose::identity() };
        world.placements.push(placement);
        let n = f64::from(k);
        q.extend([0.2 * n, 0.05 * n, 0.3 + 0.1 * n, 1.0, 0.0, 0.0, 0.0]);
        q.extend([0.0; 18]);
    }
    scene(world, &q, &[0.0; 96])
}

/// One body on a joint of each kind, with a state in which no coordinate is zero.
pub(crate) fn every_joint_kind() -> Vec<Scene> {
    let tilted = Vec3::new(1.0, 2.0, -2.0) / 3.0;
    let kinds = [
        JointKind::Revolute { axis: tilted },
        JointKind::Continuous { axis: tilted },
        JointKind::Prismatic { axis: tilted },
        JointKind::Screw { axis: tilted, pitch: 0.05 },
        JointKind::Universal { axis1: Vec3::x(), axis2: Vec3::y() },
        JointKind::Ball,
        JointKind::Planar { x_axis: Vec3::x(), y_axis: Vec3::z() },
        JointKind::Free,
    ];
    let of_kind = |kind: JointKind| {
        let mut builder = ModelBuilder::new(kind.name());
        let joint =
            Joint::new("joint", kind).at(veracity_model::geometry::pose(Vec3::new(0.3, -0.1, 1.0), [0.2, 0.3, -0.4]));
        let base = builder.add_body(link("base"), Joint::new("hinge", JointKind::revolute(Vec3::y())), None);
        // A free joint on a moving body is legal but rare; every engine has a free joint on the world.
        builder.add_body(link("body"), joint, (kind != JointKind::Free).then_some(base));
        let mut q = vec![0.3];
        q.extend_from_slice(match kind {
            JointKind::Ball => &[0.8, 0.36, -0.48, 0.0],
            JointKind::Free => &[0.3, -0.2, 0.5, 0.8, 0.36, -0.48, 0.0],
            _ => &[0.4, -0.3, 0.2][..kind.position_count()],
        });
        let v: Vec<f64> = (0..=kind.dof_count()).map(|i| 0.3 - 0.17 * i as f64).collect();
        scene(smooth(builder, DEFAULT_GRAVITY), &q, &v)
    };
    kinds.map(of_kind).to_vec()
}
