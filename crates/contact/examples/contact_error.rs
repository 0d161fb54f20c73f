//! Contact error against step size: the table of docs/contact.md for our own paradigms.
//!
//! `cargo run --release -p veracity-contact --example contact_error [SCENE]`
//!
//! Each scene is run event driven, twice, at tolerances of 1e-12 and 1e-10 and with pieces of at most 1 and 10 ms: their
//! distance is the error of the reference. Then by time stepping with both path rules and by penalty contact, at 1 ms
//! and 0.25 ms: distance of one body at the end [m], angle between its orientations [rad], observed order.

use veracity_contact::stepping::PathRule;
use veracity_contact::{
    ContactWorld, EventDriven, EventDrivenSettings, Paradigm, Penalty, PenaltySettings, Stepping, SteppingSettings,
};
use veracity_dynamics::integrate::State;
use veracity_dynamics::{Efforts, NoEfforts};
use veracity_model::geometry::at;
use veracity_model::{Body, Inertia, Joint, JointKind, Material, ModelBuilder, Pose, Shape, Vec3, World};

const STEPS: [f64; 2] = [1e-3, 2.5e-4];

/// One body at the start: position, roll and pitch, velocity, spin in its own axes.
struct Start {
    inertia: Inertia,
    shape: Shape,
    place: [f64; 3],
    turn: [f64; 2],
    velocity: [f64; 3],
    spin: [f64; 3],
}

struct Scene {
    name: &'static str,
    friction: f64,
    restitution: f64,
    duration: f64,
    /// The measured body.
    watched: usize,
    bodies: Vec<Start>,
    /// Force and torque on the first body.
    push: Option<([f64; 3], [f64; 3])>,
}

fn at_rest(inertia: Inertia, shape: Shape, place: [f64; 3]) -> Start {
    Start { inertia, shape, place, turn: [0.0; 2], velocity: [0.0; 3], spin: [0.0; 3] }
}

fn plate(place: [f64; 3]) -> Start {
    let size = Vec3::new(0.2, 0.2, 0.05);
    at_rest(Inertia::solid_box(1.0, size), Shape::Box { size }, place)
}

fn ball(mass: f64, radius: f64, place: [f64; 3]) -> Start {
    at_rest(Inertia::solid_sphere(mass, radius), Shape::Sphere { radius }, place)
}

/// A block on its lower edge, leaning by an angle.
fn block(lean: f64) -> Start {
    let size = Vec3::new(0.1, 0.1, 0.3);
    let (x, z) = (0.5 * size.x, 0.5 * size.z);
    let (s, c) = libm::sincos(lean);
    let place = [x - c * x + s * z, 0.0, s * x + c * z];
    Start { turn: [0.0, lean], ..at_rest(Inertia::solid_box(1.0, size), Shape::Box { size }, place) }
}

/// A disc that rolls on its rim about a fixed centre.
fn disc() -> Start {
    let (radius, length, lean) = (0.1f64, 0.01, 0.3);
    let (s, c) = libm::sincos(lean);
    let round = (3.0 * radius * radius + length * length) / 12.0;
    let inertia = Inertia::new(1.0, Vec3::zeros(), [round, round, 0.5 * radius * radius, 0.0, 0.0, 0.0]);
    // The centre is at rest if the body turns about the radius to the contact point.
    let rate = (4.0 * 9.81 / (radius * s)).sqrt() * s / radius.hypot(0.5 * length);
    let shape = Shape::Cylinder { radius, length };
    Start {
        turn: [lean, 0.0],
        spin: [0.0, -rate * radius, -rate * 0.5 * length],
        ..at_rest(inertia, shape, [0.0, 0.0, radius * s + 0.5 * length * c])
    }
}

fn scenes() -> Vec<Scene> {
    let scene = |name, (friction, restitution), duration, bodies: Vec<Start>| Scene {
        name,
        friction,
        restitution,
        duration,
        watched: bodies.len() - 1,
        bodies,
        push: None,
    };
    let balls = [-0.2, 0.0, 0.06, 0.12].map(|x| ball(0.2, 0.03, [x, 0.0, 0.03]));
    let [striker, first, second, last] = balls;
    vec![
        scene("drop_slide", (0.4, 0.3), 1.0, vec![Start { velocity: [2.0, 0.0, 0.0], ..plate([0.0, 0.0, 0.125]) }]),
        scene(
            "tumble",
            (0.4, 0.5),
            0.35,
            vec![Start {
                turn: [0.2, 0.3],
                velocity: [1.0, 0.3, 0.0],
                spin: [1.0, 2.0, 0.5],
                ..plate([0.0, 0.0, 0.3])
            }],
        ),
        scene("bounce", (0.5, 0.8), 2.0, vec![ball(1.0, 0.05, [0.0, 0.0, 1.05])]),
        scene(
            "oblique",
            (0.3, 0.7),
            1.5,
            vec![Start { velocity: [1.5, 0.0, 0.0], spin: [0.0, -20.0, 5.0], ..ball(1.0, 0.05, [0.0, 0.0, 0.55]) }],
        ),
        scene("rocking", (1.0, 0.0), 0.6, vec![block(0.15)]),
        scene("tipping", (1.0, 0.0), 0.4, vec![block(libm::atan2(0.1, 0.3) + 0.05)]),
        Scene {
            push: Some(([1.75, 0.0, 0.0], [0.0, 0.2625, 0.0])),
            ..scene("push_tip", (1.0, 0.0), 0.5, vec![block(0.0)])
        },
        scene("disc", (1.0, 0.0), 0.5, vec![disc()]),
        scene(
            "billiards",
            (0.2, 0.9),
            0.6,
            vec![
                Start { velocity: [1.5, 0.0, 0.0], ..ball(0.2, 0.03, [-0.2, 0.0, 0.03]) },
                ball(0.2, 0.03, [0.0, 0.02, 0.03]),
            ],
        ),
        scene("cradle", (0.0, 1.0), 0.5, vec![Start { velocity: [1.0, 0.0, 0.0], ..striker }, first, second, last]),
    ]
}

impl Scene {
    fn world(&self) -> World {
        let mut builder = ModelBuilder::new("scene");
        builder.self_collide(true);
        let material = builder.add_material(Material {
            name: "m".into(),
            friction: [self.friction; 2],
            restitution: self.restitution,
            ..Material::default()
        });
        let mut add = |name: String, inertia, shape, kind| {
            let mut body = Body::new(&name, inertia).with_shape(shape, Pose::identity());
            body.shapes[0].material = Some(material);
            builder.add_body(body, Joint::new(name, kind).at(at(0.0, 0.0, 0.0)), None);
        };
        add("ground".into(), Inertia::zero(), Shape::Plane, JointKind::Fixed);
        for (k, body) in self.bodies.iter().enumerate() {
            add(format!("b{k}"), body.inertia, body.shape.clone(), JointKind::Free);
        }
        World::with_model(builder.build().expect("a valid scene"))
    }

    fn start(&self) -> State {
        let (mut q, mut v) = (Vec::new(), Vec::new());
        for body in &self.bodies {
            let [(sr, cr), (sp, cp)] = body.turn.map(|angle| libm::sincos(0.5 * angle));
            q.extend(body.place);
            q.extend([cp * cr, cp * sr, sp * cr, -sp * sr]);
            v.extend(body.spin);
            v.extend(body.velocity);
        }
        State { time: 0.0, q, v }
    }

    /// The measured body at the end: position and orientation.
    fn end(&self, paradigm: &mut dyn Paradigm, step: f64) -> [f64; 7] {
        let mut state = self.start();
        let push = self.push;
        let mut pushed = move |_: f64, q: &[f64], _: &[f64], tau: &mut [f64]| {
            let Some((force, torque)) = push else { return };
            // Efforts of a free joint: torque in the body's axes, force in the world's.
            let turn = nalgebra::UnitQuaternion::new_normalize(nalgebra::Quaternion::new(q[3], q[4], q[5], q[6]));
            let torque = turn.inverse() * Vec3::from(torque);
            (0..3).for_each(|k| tau[k] += torque[k]);
            (0..3).for_each(|k| tau[3 + k] += force[k]);
        };
        let efforts: &mut dyn Efforts = if push.is_some() { &mut pushed } else { &mut NoEfforts };
        let steps = (self.duration / step).round() as u32;
        for k in 1..=steps {
            let end = if k == steps { self.duration } else { f64::from(k) * step };
            while end - state.time > 1e-12 {
                let limit = end - state.time;
                paradigm.step(efforts, &mut state, limit).unwrap_or_else(|e| panic!("{}: {e}", self.name));
            }
        }
        let mut out = [0.0; 7];
        out.copy_from_slice(&state.q[7 * self.watched..7 * self.watched + 7]);
        out
    }
}

/// Distance [m] and angle [rad].
fn apart(a: &[f64; 7], b: &[f64; 7]) -> (f64, f64) {
    let far = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
    let dot: f64 = (3..7).map(|k| a[k] * b[k]).sum();
    (far, 2.0 * libm::acos(dot.abs().min(1.0)))
}

fn main() {
    let wanted = std::env::args().nth(1);
    for scene in scenes().into_iter().filter(|s| wanted.as_ref().is_none_or(|w| w == s.name)) {
        let world = scene.world();
        let event = |relative_tolerance: f64, grid: f64| {
            let settings = EventDrivenSettings {
                relative_tolerance,
                absolute_tolerance: 0.1 * relative_tolerance,
                ..Default::default()
            };
            let compiled = ContactWorld::new(&world).expect("a scene for events");
            scene.end(&mut EventDriven::new(compiled, settings).expect("a scene for events"), grid)
        };
        let truth = event(1e-12, 1e-3);
        println!("{:10}  reference to {:.1e} m", scene.name, apart(&truth, &event(1e-10, 1e-2)).0);
        let stepping = |path| SteppingSettings { path, ..Default::default() };
        type Make<'a> = Box<dyn Fn() -> Box<dyn Paradigm> + 'a>;
        let paradigms: [(&str, Make); 3] = [
            ("stepping", Box::new(|| Box::new(Stepping::new(&world, stepping(PathRule::Mean)).expect("a scene")))),
            ("path=end", Box::new(|| Box::new(Stepping::new(&world, stepping(PathRule::End)).expect("a scene")))),
            ("penalty", Box::new(|| Box::new(Penalty::new(&world, PenaltySettings::default()).expect("a scene")))),
        ];
        for (name, make) in &paradigms {
            let [coarse, fine] = STEPS.map(|step| apart(&scene.end(make().as_mut(), step), &truth));
            let order = (coarse.0 / fine.0).ln() / (STEPS[0] / STEPS[1]).ln();
            println!(
                "{:10}  {name:9} {:.1e} m {:.1e} rad   {:.1e} m {:.1e} rad   order {order:.1}",
                "", coarse.0, coarse.1, fine.0, fine.1
            );
        }
    }
}
