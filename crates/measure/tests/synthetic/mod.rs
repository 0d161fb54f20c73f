//! Records with known numbers: from closed forms, or from the adaptive integrator at its tightest tolerance.
#![allow(dead_code)]

use std::sync::Arc;
use veracity_dynamics::integrate::IntegratorSettings;
use veracity_dynamics::observe::body_motion;
use veracity_dynamics::{ConstantEfforts, SmoothSimulation, System, Workspace, kinematics};
use veracity_measure::{Quantity, Subject, Truth, TruthChannel};
use veracity_model::{Body, ContactPair, Inertia, Joint, JointKind, Layout, ModelBuilder, Pose, Shape, Vec3, World};
use veracity_record::{Head, Host, Outcome, Record, Track, head};

/// A record with the layout of its world, from which a subject can be made.
#[derive(Clone)]
pub struct Case {
    pub record: Record,
    pub layout: Layout,
}

impl Case {
    pub fn subject(&self) -> Subject<'_> {
        Subject { record: &self.record, layout: &self.layout }
    }

    /// The same states in another world: the record of an engine that got the world wrong.
    pub fn in_world(&self, change: impl Fn(&mut World)) -> Case {
        let mut case = self.clone();
        let mut world = (*case.record.world).clone();
        change(&mut world);
        case.record.world = Arc::new(world);
        case
    }

    /// The same record with its track changed.
    pub fn with(&self, change: impl Fn(&mut Track)) -> Case {
        let mut case = self.clone();
        change(&mut case.record.track);
        case
    }
}

/// A record of states given at each time.
pub fn record_of(world: World, times: &[f64], mut state: impl FnMut(f64) -> (Vec<f64>, Vec<f64>)) -> Case {
    let system = System::new(&world).expect("a world of the tests");
    let mut ws = Workspace::new(&system);
    let layout = Layout::new(&world);
    let mut track = Track::new(layout.position_count, layout.dof_count(), layout.bodies.len(), layout.pairs.len(), 0);
    for &t in times {
        let (q, v) = state(t);
        kinematics::velocities(&system, &mut ws, &q, &v);
        track.times.push(t);
        track.efforts.extend(vec![0.0; v.len()]);
        for slot in &layout.bodies {
            let motion = body_motion(&ws, system.place(slot.placement, slot.body));
            let (p, r) = (motion.world_from_body.translation.vector, motion.world_from_body.rotation.into_inner());
            track.poses.extend([p.x, p.y, p.z, r.w, r.i, r.j, r.k]);
            track.twists.extend(motion.angular_velocity.iter().chain(motion.linear_velocity.iter()));
        }
        track.gaps.extend(vec![f64::NAN; layout.pairs.len()]);
        track.q.extend(q);
        track.v.extend(v);
    }
    let head = Head {
        schema: head::SCHEMA,
        scenario: world.name.clone(),
        key: None,
        engine: "synthetic".to_string(),
        engine_version: String::new(),
        veracity_version: String::new(),
        step_s: 1e-3,
        duration_s: times.last().copied().unwrap_or(0.0),
        seed: 0,
        overrides: Vec::new(),
        world: world.digest(),
        events: None,
    };
    let record = Record {
        head,
        world: Arc::new(world),
        track,
        contacts: Vec::new(),
        events: Vec::new(),
        log: Vec::new(),
        outcome: Outcome::Finished,
        host: Host::default(),
    };
    Case { record, layout }
}

/// Motion from a state under constant efforts, by an integrator of `dynamics`.
pub fn simulated_by(
    (integrator, step_s): (&str, f64),
    world: &World,
    (q, v): (&[f64], &[f64]),
    efforts: &[f64],
    every_s: f64,
    rows: usize,
) -> Case {
    let system = System::new(world).expect("a world of the tests");
    let settings = IntegratorSettings { step_s, ..IntegratorSettings::default() };
    let mut simulation = SmoothSimulation::new(system, integrator, settings).unwrap();
    simulation.set_state(0.0, q, v).unwrap();
    let times: Vec<f64> = (0..rows).map(|i| i as f64 * every_s).collect();
    let mut push = ConstantEfforts(efforts.to_vec());
    let mut case = record_of(world.clone(), &times, |t| {
        simulation.advance_to(t, &mut push).unwrap();
        (simulation.state().q.clone(), simulation.state().v.clone())
    });
    case.record.head.step_s = step_s;
    if !efforts.is_empty() {
        case.record.track.efforts = efforts.repeat(rows);
    }
    case
}

/// The same by the adaptive integrator at its tightest tolerance.
pub fn simulated(world: &World, state: (&[f64], &[f64]), efforts: &[f64], every_s: f64, rows: usize) -> Case {
    simulated_by(("dop853", 1e-3), world, state, efforts, every_s, rows)
}

pub fn times(every_s: f64, rows: usize) -> Vec<f64> {
    (0..rows).map(|i| i as f64 * every_s).collect()
}

/// One free box of 2 kg, with gravity [m/s²] along z.
pub fn box_world(gravity: f64) -> World {
    let mut builder = ModelBuilder::new("box");
    let body = Body::new("box", Inertia::solid_box(2.0, Vec3::new(0.1, 0.2, 0.3)));
    builder.add_body(body, Joint::new("free", JointKind::Free), None);
    let mut world = World::with_model(builder.build().unwrap());
    world.gravity = Vec3::new(0.0, 0.0, gravity);
    world
}

/// Free fall from rest at one metre, closed form.
pub fn falling(every_s: f64, rows: usize) -> Case {
    let state = |t: f64| {
        let (z, w) = (1.0 - 0.5 * 9.81 * t * t, -9.81 * t);
        (vec![0.0, 0.0, z, 1.0, 0.0, 0.0, 0.0], vec![0.0, 0.0, 0.0, 0.0, 0.0, w])
    };
    record_of(box_world(-9.81), &times(every_s, rows), state)
}

/// The box rotating at 2 rad/s about its own and the world's z axis, closed form.
pub fn turning(every_s: f64, rows: usize) -> Case {
    let state =
        |t: f64| (vec![0.0, 0.0, 0.0, libm::cos(t), 0.0, 0.0, libm::sin(t)], vec![0.0, 0.0, 2.0, 0.0, 0.0, 0.0]);
    record_of(box_world(0.0), &times(every_s, rows), state)
}

/// A bob of 1 kg on a hinge about y, one metre below it at q = 0; `losses` is the hinge's damping [N m s/rad].
pub fn pendulum_world(losses: f64) -> World {
    let mut builder = ModelBuilder::new("pendulum");
    let bob = Body::new("bob", Inertia::point_mass(1.0, Vec3::new(0.0, 0.0, -1.0)));
    let hinge = Joint::new("hinge", JointKind::revolute(Vec3::y())).each_dof(|d| d.damping = losses);
    builder.add_body(bob, hinge, None);
    World::with_model(builder.build().unwrap())
}

/// The pendulum from 1 rad at rest.
pub fn pendulum(every_s: f64, rows: usize) -> Case {
    simulated(&pendulum_world(0.0), (&[1.0], &[0.0]), &[], every_s, rows)
}

/// A reference with the values of a record.
pub fn truth_of(case: &Case, quantities: &[Quantity]) -> Truth {
    let track = &case.record.track;
    let number = |quantity: &Quantity, row: usize| -> Vec<f64> {
        match quantity {
            Quantity::JointPosition(j) => vec![track.q(row)[case.layout.joints[*j].q]],
            Quantity::JointSpeed(j) => vec![track.v(row)[case.layout.joints[*j].v]],
            Quantity::Orientation(b) => track.pose(row, *b)[3..].to_vec(),
            Quantity::Spin(b) => track.twist(row, *b)[..3].to_vec(),
            Quantity::Point { body, point } => {
                let row = veracity_measure::rows::BodyRow::read(track, row, *body);
                row.point(&Vec3::from(*point)).iter().copied().collect()
            }
            Quantity::PointVelocity { body, point } => {
                let row = veracity_measure::rows::BodyRow::read(track, row, *body);
                row.point_velocity(&Vec3::from(*point)).iter().copied().collect()
            }
            Quantity::Scalar(_) => panic!("a scalar is no curve"),
        }
    };
    let channel = |quantity: &Quantity| TruthChannel {
        quantity: quantity.clone(),
        times: track.times.clone(),
        values: (0..track.rows()).flat_map(|r| number(quantity, r)).collect(),
        uncertainty: vec![0.0; track.rows()],
        parts_at_s: None,
    };
    let channels = quantities.iter().map(channel).collect();
    Truth { name: "known".to_string(), source: "closed form".to_string(), channels }
}

/// Moves a body in a row [m].
pub fn shift(track: &mut Track, row: usize, body: usize, by: [f64; 3]) {
    let at = (row * track.bodies + body) * 7;
    (0..3).for_each(|k| track.poses[at + k] += by[k]);
}

/// Rotates a body in a row about a unit world axis [rad].
pub fn turn(track: &mut Track, row: usize, body: usize, axis: [f64; 3], angle: f64) {
    let at = (row * track.bodies + body) * 7 + 3;
    let (s, c) = libm::sincos(0.5 * angle);
    let q: [f64; 4] = track.poses[at..at + 4].try_into().unwrap();
    let turned = veracity_dynamics::spatial::quat_mul([c, s * axis[0], s * axis[1], s * axis[2]], q);
    track.poses[at..at + 4].copy_from_slice(&turned);
}

/// A ball of 0.1 m over a plane, named as the pair `floor`.
pub fn ball_world() -> World {
    let mut builder = ModelBuilder::new("ball");
    let ground = Body::new("ground", Inertia::zero()).with_shape(Shape::Plane, Pose::identity());
    builder.add_body(ground, Joint::new("fixed", JointKind::Fixed), None);
    let ball = Body::new("ball", Inertia::solid_sphere(1.0, 0.1));
    let ball = ball.with_shape(Shape::Sphere { radius: 0.1 }, Pose::identity());
    let ball = builder.add_body(ball, Joint::new("free", JointKind::Free), None);
    builder.add_contact_pair(ContactPair {
        name: "floor".to_string(),
        a: ball,
        b: None,
        material: None,
        conditions: Vec::new(),
    });
    World::with_model(builder.build().unwrap())
}

/// The ball thrown up and caught: its height is `0.4 - t + 2 t²`, lowest (0.275 m) at a quarter of a second.
pub fn passing_ball(every_s: f64, rows: usize) -> Case {
    record_of(ball_world(), &times(every_s, rows), |t| {
        (vec![0.3 * t, 0.0, 0.4 - t + 2.0 * t * t, 1.0, 0.0, 0.0, 0.0], vec![0.0, 0.0, 0.0, 0.3, 0.0, 4.0 * t - 1.0])
    })
}

/// A cube of 0.1 m and 1 kg at rest between two grippers on sliders along y.
pub fn held_block(every_s: f64, rows: usize) -> Case {
    let mut builder = ModelBuilder::new("hand");
    for (name, y) in [("left", -0.1), ("right", 0.1)] {
        let body = Body::new(name, Inertia::solid_box(1.0, Vec3::repeat(0.1)));
        let mut slider = Joint::new(format!("{name}_slider"), JointKind::prismatic(Vec3::y()));
        slider.parent_from_joint = Pose::translation(0.0, y, 0.0);
        builder.add_body(body, slider, None);
    }
    builder.add_body(
        Body::new("block", Inertia::solid_box(1.0, Vec3::repeat(0.1))),
        Joint::new("free", JointKind::Free),
        None,
    );
    let world = World::with_model(builder.build().unwrap());
    record_of(world, &times(every_s, rows), |_| (vec![0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], vec![0.0; 8]))
}

/// The arithmetic-geometric mean: `K(k) = π / (2 agm(1, √(1 - k²)))`.
pub fn agm(mut a: f64, mut b: f64) -> f64 {
    // Quadratic convergence: eight iterations from any ratio used here.
    for _ in 0..12 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    a
}

/// Period of a pendulum of length one metre from an amplitude [rad], under a gravity [m/s²].
pub fn pendulum_period(amplitude: f64, gravity: f64) -> f64 {
    std::f64::consts::TAU / (gravity.sqrt() * agm(1.0, libm::cos(0.5 * amplitude)))
}

/// The box spun at 3 rad/s about its intermediate axis y with a little about the others, and the time between its flips
/// by Landau and Lifshitz, Mechanics, section 37: `2 K(k) / n`.
pub fn flipping(every_s: f64, rows: usize) -> (Case, f64) {
    let world = box_world(0.0);
    let spin = [0.05, 3.0, 0.02];
    let v = [spin[0], spin[1], spin[2], 0.0, 0.0, 0.0];
    let case = simulated(&world, (&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], &v), &[], every_s, rows);
    // The box is 0.1, 0.2, 0.3 m: its moments fall from x to z.
    let tensor = world.placements[0].model.bodies()[0].inertia.tensor;
    let moments = [tensor[(2, 2)], tensor[(1, 1)], tensor[(0, 0)]];
    let spin = [spin[2], spin[1], spin[0]];
    let twice_energy: f64 = (0..3).map(|k| moments[k] * spin[k] * spin[k]).sum();
    let square: f64 = (0..3).map(|k| (moments[k] * spin[k]).powi(2)).sum();
    let [i1, i2, i3] = moments;
    // For a rotation with more momentum than energy; else the outer axes are exchanged.
    let (i1, i3) = if square > twice_energy * i2 { (i1, i3) } else { (i3, i1) };
    let n = ((i3 - i2) * (square - twice_energy * i1) / (i1 * i2 * i3)).sqrt();
    let k2 = (i2 - i1) * (twice_energy * i3 - square) / ((i3 - i2) * (square - twice_energy * i1));
    (case, std::f64::consts::PI / (agm(1.0, (1.0 - k2).sqrt()) * n))
}
