//! Records of every kind, and temporary folders.

#![allow(dead_code)] // Each test file uses its own part.

use proptest::collection::vec;
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use veracity_model::geometry::at;
use veracity_model::{
    Body, ContactPair, Digest, Inertia, Joint, JointKind, Layout, ModelBuilder, Placement, Pose, Shape, Vec3, World,
};
use veracity_record::{ContactSample, Event, EventKind, Head, Host, LogEntry, Outcome, Record, Signal, Track};

/// A temporary folder for one test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static CALLS: AtomicU64 = AtomicU64::new(0);
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("veracity-record-tests-{}-{call}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub fn root(&self) -> &Path {
        &self.0
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Sorted names of its files.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A point mass of 1 kg on a rod of 1 m, drawn as a ball and a rod.
pub fn pendulum() -> World {
    let mut builder = ModelBuilder::new("pendulum");
    let bob = Body::new("bob", Inertia::point_mass(1.0, Vec3::new(0.0, 0.0, -1.0)))
        .with_shape(Shape::Sphere { radius: 0.1 }, at(0.0, 0.0, -1.0))
        .with_shape(Shape::Cylinder { radius: 0.02, length: 1.0 }, at(0.0, 0.0, -0.5));
    builder.add_body(bob, Joint::new("hinge", JointKind::revolute(Vec3::y())), None);
    World::with_model(builder.build().unwrap())
}

/// Every kind of joint, two placements, a named pair, shapes of many kinds.
pub fn menagerie() -> World {
    let mut builder = ModelBuilder::new("menagerie");
    let kinds = [
        ("free", JointKind::Free),
        ("ball", JointKind::Ball),
        ("slide", JointKind::prismatic(Vec3::x())),
        ("cardan", JointKind::Universal { axis1: Vec3::x(), axis2: Vec3::y() }),
        ("table", JointKind::Planar { x_axis: Vec3::x(), y_axis: Vec3::y() }),
        ("weld", JointKind::Fixed),
    ];
    let shapes = [
        Shape::Box { size: Vec3::new(0.1, 0.2, 0.3) },
        Shape::Capsule { radius: 0.1, length: 0.3 },
        Shape::Ellipsoid { radii: Vec3::new(0.1, 0.2, 0.3) },
        Shape::Disc { radius: 0.2 },
        Shape::Plane,
        Shape::Convex(Arc::new(veracity_model::TriangleMesh::cuboid(Vec3::new(1.0, 1.0, 1.0)))),
    ];
    let mut bodies = Vec::new();
    for ((name, kind), shape) in kinds.into_iter().zip(shapes) {
        let body =
            Body::new(format!("on_{name}"), Inertia::point_mass(1.0, Vec3::x())).with_shape(shape, Pose::identity());
        let parent = bodies.last().copied().filter(|_| kind != JointKind::Free);
        bodies.push(builder.add_body(body, Joint::new(name, kind), parent));
    }
    builder.add_contact_pair(ContactPair {
        name: "near".to_string(),
        a: bodies[0],
        b: None,
        material: None,
        conditions: Vec::new(),
    });
    let mut world = World::with_model(builder.build().unwrap());
    let second = pendulum().placements.remove(0);
    world.placements.push(Placement { name: "clock".to_string(), world_from_model: at(1.0, 0.0, 0.0), ..second });
    world
}

/// A swinging pendulum in closed form for small angles, `rows` instants of 10 ms: smooth numbers, as in real trials.
pub fn swing(world: &Arc<World>, seed: u64, rows: usize) -> Record {
    let mut track = Track::new(1, 1, 1, 0, rows);
    let amplitude = 0.1 + seed as f64 * 1e-6;
    for row in 0..rows {
        let time = row as f64 * 0.01;
        let (q, v) = (amplitude * (3.13 * time).cos(), -3.13 * amplitude * (3.13 * time).sin());
        track.times.push(time);
        track.q.push(q);
        track.v.push(v);
        track.efforts.push(0.0);
        track.poses.extend([0.0, 0.0, 0.0, (0.5 * q).cos(), 0.0, (0.5 * q).sin(), 0.0]);
        track.twists.extend([0.0, v, 0.0, 0.0, 0.0, 0.0]);
    }
    let energy = track.v.iter().map(|v| 0.5 * v * v).collect();
    track.signals.push(Signal { name: "engine/energy_J".to_string(), unit: "J".to_string(), values: energy });
    let head = Head {
        schema: veracity_record::head::SCHEMA,
        scenario: "pendulum".to_string(),
        key: Some(Digest::of(&seed.to_le_bytes())),
        engine: "native:integrator=rk4".to_string(),
        engine_version: "0.1.0".to_string(),
        veracity_version: "0.1.0".to_string(),
        step_s: 0.001,
        duration_s: rows as f64 * 0.01,
        seed,
        overrides: vec![("world/pendulum/bodies/bob/mass".to_string(), 1.0)],
        world: world.digest(),
        events: Some(veracity_record::EventRules::default()),
    };
    Record {
        head,
        world: world.clone(),
        track,
        contacts: Vec::new(),
        events: Vec::new(),
        log: vec![LogEntry { time: 0.0, warning: false, text: "small angles".to_string() }],
        outcome: Outcome::Finished,
        host: Host { cpu_s: 0.25, machine: "a machine".to_string(), ..Host::default() },
    }
}

/// Any bits: every NaN, infinities, -0.0, subnormals.
fn number() -> impl Strategy<Value = f64> {
    let special =
        [0.0, -0.0, f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE / 2.0, 1.0, -2.5];
    prop_oneof![any::<u64>().prop_map(f64::from_bits), proptest::sample::select(special.to_vec())]
}

fn numbers(count: usize) -> impl Strategy<Value = Vec<f64>> {
    vec(number(), count)
}

fn text() -> impl Strategy<Value = String> {
    "[a-zµ°/_ ]{0,8}"
}

fn three() -> impl Strategy<Value = [f64; 3]> {
    proptest::array::uniform3(number())
}

fn track(layout: &Layout, rows: usize) -> impl Strategy<Value = Track> + use<> {
    let (nq, nv, bodies, pairs) =
        (layout.position_count, layout.dof_count(), layout.bodies.len(), layout.pairs.len());
    let signals = vec((text(), text(), numbers(rows)), 0..3).prop_map(|signals| {
        let numbered = signals.into_iter().enumerate();
        numbered.map(|(i, (name, unit, values))| Signal { name: format!("{name}{i}"), unit, values }).collect()
    });
    let columns = (numbers(rows), numbers(rows * nq), numbers(rows * nv), numbers(rows * nv));
    let more =
        (numbers(rows * bodies * 7), numbers(rows * bodies * 6), numbers(rows * pairs), numbers(pairs), signals);
    (columns, more).prop_map(move |((times, q, v, efforts), (poses, twists, gaps, least_gaps, signals))| Track {
        nq,
        nv,
        bodies,
        pairs,
        times,
        q,
        v,
        efforts,
        poses,
        twists,
        gaps,
        least_gaps,
        signals,
    })
}

fn contact(bodies: u32) -> impl Strategy<Value = ContactSample> {
    let body = move || proptest::option::of(0..bodies);
    (number(), body(), body(), three(), three(), number(), three()).prop_map(
        |(time, body_a, body_b, point, normal, gap, impulse)| ContactSample {
            time,
            body_a,
            body_b,
            point,
            normal,
            gap,
            impulse,
        },
    )
}

fn event() -> impl Strategy<Value = Event> {
    let kind = proptest::sample::select(EventKind::ALL.to_vec());
    ((number(), number(), any::<u32>(), text(), any::<u32>(), kind), numbers(5)).prop_map(
        |((time, time_error, substep, pair, ordinal, kind), more)| Event {
            time,
            time_error,
            substep,
            pair,
            ordinal,
            kind,
            normal_speed: more[0],
            tangential_speed: more[1],
            normal_impulse: more[2],
            tangential_impulse: more[3],
            gap: more[4],
        },
    )
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        Just(Outcome::Finished),
        (number(), text()).prop_map(|(time, reason)| Outcome::BrokeDown { time, reason }),
        vec(text(), 0..3).prop_map(|features| Outcome::NotExpressible { features }),
        number().prop_map(|time| Outcome::TooSlow { time }),
        text().prop_map(|reason| Outcome::Failed { reason }),
    ]
}

fn head(world: Digest) -> impl Strategy<Value = Head> {
    let texts = (text(), text(), text(), text());
    let key = proptest::option::of(any::<[u8; 32]>().prop_map(Digest));
    (texts, key, number(), number(), any::<u64>(), vec((text(), number()), 0..3)).prop_map(
        move |((scenario, engine, engine_version, veracity_version), key, step_s, duration_s, seed, overrides)| {
            Head {
                schema: veracity_record::head::SCHEMA,
                scenario,
                key,
                engine,
                engine_version,
                veracity_version,
                step_s,
                duration_s,
                seed,
                overrides,
                world,
                events: seed.is_multiple_of(2).then(veracity_record::EventRules::default),
            }
        },
    )
}

fn host() -> impl Strategy<Value = Host> {
    // Finite, so that records can be compared for equality.
    let finite = || proptest::num::f64::NORMAL;
    (finite(), finite(), finite(), any::<u64>(), any::<u64>(), finite(), text()).prop_map(
        |(cpu_s, wall_s, load_cpu_s, steps, evaluations, began_unix_s, machine)| Host {
            cpu_s,
            wall_s,
            load_cpu_s,
            steps,
            evaluations,
            began_unix_s,
            machine,
            solver_residuals: Vec::new(),
        },
    )
}

/// Any record, of one of two worlds, from empty to a few rows.
pub fn any_record() -> impl Strategy<Value = Record> {
    let worlds = proptest::sample::select(vec![Arc::new(pendulum()), Arc::new(menagerie())]);
    (worlds, 0..4usize).prop_flat_map(|(world, rows)| {
        let layout = Layout::new(&world);
        let bodies = layout.bodies.len() as u32;
        let log = vec((number(), any::<bool>(), text()), 0..3)
            .prop_map(|log| log.into_iter().map(|(time, warning, text)| LogEntry { time, warning, text }).collect());
        let happenings = (vec(contact(bodies), 0..4), vec(event(), 0..4), log, outcome());
        (Just(world.clone()), head(world.digest()), track(&layout, rows), happenings, host()).prop_map(
            |(world, head, track, (contacts, events, log, outcome), host)| {
                // Every second record has residuals, one for each row.
                let rows = if host.steps.is_multiple_of(2) { track.rows() } else { 0 };
                let host = Host { solver_residuals: vec![1e-9 / (1 + host.steps / 2) as f64; rows], ..host };
                Record { head, world, track, contacts, events, log, outcome, host }
            },
        )
    })
}

/// Compares both parts bit for bit; `==` would treat NaN as different from itself.
pub fn assert_same(back: &Record, record: &Record) {
    assert_eq!(back.to_bytes(), record.to_bytes());
    assert_eq!(back.digest(), record.digest());
    assert_eq!(back.host, record.host);
    assert_eq!(back.world, record.world);
}
