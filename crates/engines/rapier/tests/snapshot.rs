//! A restored or forked run is the uninterrupted one, byte for byte: contacts, joints, drives and counted turns
//! included.

mod scenes;
use scenes::*;
use std::process::Command;
use std::sync::Arc;
use veracity_engine::{Inputs, JointDrive, Simulation};
use veracity_model::geometry::at;
use veracity_model::shape::HeightField;
use veracity_model::{Body, Dof, Inertia, Joint, JointKind, ModelBuilder, Pose, Shape, TriangleMesh, Vec3, World};

const SPECS: [&str; 4] =
    ["rapier", "rapier:iters=20,friction=coulomb", "rapier:multibody", "rapier:joint_warmstart=on"];

/// A plane, a heap of boxes and balls falling on it, an arm of three links swinging into the heap, a wheel that turns.
fn heap() -> World {
    let mut builder = ModelBuilder::new("heap");
    let ground = Body::new("ground", Inertia::zero()).with_shape(Shape::Plane, Pose::identity());
    builder.add_body(ground, Joint::new("fixed", JointKind::Fixed), None);
    let mut start = Vec::new();
    for i in 0..12 {
        let (shape, inertia) = if i % 2 == 0 {
            (Shape::Box { size: Vec3::repeat(0.1) }, Inertia::solid_box(1.0, Vec3::repeat(0.1)))
        } else {
            (Shape::Sphere { radius: 0.05 }, Inertia::solid_sphere(0.5, 0.05))
        };
        let body = Body::new(format!("b{i}"), inertia).with_shape(shape, Pose::identity());
        builder.add_body(body, Joint::new(format!("f{i}"), JointKind::Free), None);
        let (x, y) = (0.03 * (i % 3) as f64, 0.02 * (i % 4) as f64);
        start.extend([x, y, 0.1 + 0.12 * i as f64, 1.0, 0.0, 0.0, 0.0]);
    }
    let mut parent = None;
    for i in 0..3 {
        let size = Vec3::new(0.3, 0.05, 0.05);
        let mut inertia = Inertia::solid_box(1.0, size);
        inertia.com = Vec3::new(0.15, 0.0, 0.0);
        let body = Body::new(format!("l{i}"), inertia).with_shape(Shape::Box { size }, at(0.15, 0.0, 0.0));
        let joint = Joint::new(format!("j{i}"), JointKind::revolute(Vec3::y()));
        let joint = joint
            .at(if i == 0 { at(-0.7, 0.0, 0.8) } else { at(0.3, 0.0, 0.0) })
            .each_dof(|d: &mut Dof| d.damping = 0.01);
        parent = Some(builder.add_body(body, joint, parent));
        start.push(0.0);
    }
    let wheel = Body::new("wheel", Inertia::solid_cylinder(1.0, 0.1, 0.02));
    builder.add_body(
        wheel,
        Joint::new("axle", JointKind::Continuous { axis: Vec3::z() }).at(at(3.0, 0.0, 1.0)),
        None,
    );
    start.push(0.0);
    builder.start_at(start);
    World::with_model(builder.build().unwrap())
}

fn inputs(simulation: &dyn Simulation) -> Inputs {
    let layout = simulation.layout();
    let mut inputs = Inputs::none(layout.dof_count());
    let elbow = layout.joints[layout.joint("j1").unwrap()].v;
    let (kp, kd, max_effort) = (20.0, 0.5, 5.0);
    inputs.drives.push(JointDrive {
        dof: elbow,
        kp,
        kd,
        target: 0.5,
        target_speed: 0.0,
        feed_forward: 0.1,
        max_effort,
    });
    inputs.efforts[layout.joints[layout.joint("axle").unwrap()].v] = 0.02;
    inputs
}

fn run(simulation: &mut dyn Simulation, until: f64) {
    let inputs = inputs(simulation);
    advance(simulation, until, &inputs);
}

fn bytes(simulation: &dyn Simulation) -> Vec<u8> {
    let mut out = Vec::new();
    simulation.snapshot(&mut out);
    out
}

fn bits(simulation: &dyn Simulation) -> Vec<u64> {
    simulation.q().iter().chain(simulation.v()).map(|x| x.to_bits()).collect()
}

/// Run in a child process to continue a snapshot of the parent; otherwise does nothing.
#[test]
fn continued_in_another_process() {
    let Ok(file) = std::env::var("VERACITY_TEST_SNAPSHOT") else { return };
    let spec = std::env::var("VERACITY_TEST_SPEC").unwrap();
    let mut simulation = load(&spec, &heap(), 1e-3).unwrap();
    simulation.restore(&std::fs::read(&file).unwrap()).unwrap();
    run(simulation.as_mut(), 1.7);
    std::fs::write(format!("{file}.out"), postcard::to_stdvec(&bits(simulation.as_ref())).unwrap()).unwrap();
}

#[test]
fn a_run_restored_in_a_fresh_process_goes_on_byte_for_byte() {
    for (index, spec) in SPECS.iter().enumerate() {
        let mut whole = load(spec, &heap(), 1e-3).unwrap();
        run(whole.as_mut(), 0.7);
        let mut contacts = Vec::new();
        whole.contacts(&mut contacts);
        assert!(contacts.len() >= 8, "the heap touches nothing: {}", contacts.len());
        let saved = bytes(whole.as_ref());
        let file = std::env::temp_dir().join(format!("veracity-rapier-{}-{index}", std::process::id()));
        std::fs::write(&file, &saved).unwrap();
        run(whole.as_mut(), 1.7);
        let status = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "continued_in_another_process"])
            .env("VERACITY_TEST_SNAPSHOT", &file)
            .env("VERACITY_TEST_SPEC", spec)
            .status()
            .unwrap();
        assert!(status.success());
        let out = std::path::PathBuf::from(format!("{}.out", file.display()));
        let other: Vec<u64> = postcard::from_bytes(&std::fs::read(&out).unwrap()).unwrap();
        std::fs::remove_file(&file).unwrap();
        std::fs::remove_file(&out).unwrap();
        let differing = other.iter().zip(bits(whole.as_ref())).filter(|(a, b)| **a != *b).count();
        assert_eq!(differing, 0, "{spec}");
        assert!(whole.q().last().unwrap().abs() > 1.5, "the wheel turns: {:?}", whole.q().last());
    }
}

#[test]
fn forks_go_on_like_the_whole_from_any_step() {
    for spec in SPECS {
        let mut whole = load(spec, &heap(), 1e-3).unwrap();
        let mut fork = load(spec, &heap(), 1e-3).unwrap();
        run(fork.as_mut(), 0.013); // In another state before it is restored.
        for k in 1..8 {
            run(whole.as_mut(), 0.1 * k as f64 + 0.001 * k as f64);
            fork.restore(&bytes(whole.as_ref())).unwrap();
            assert_eq!(bits(fork.as_ref()), bits(whole.as_ref()), "{spec}: right after");
            let mut other = load(spec, &heap(), 1e-3).unwrap();
            other.restore(&bytes(whole.as_ref())).unwrap();
            let until = 0.1 * k as f64 + 0.001 * k as f64 + 0.05;
            run(fork.as_mut(), until);
            run(other.as_mut(), until);
            run(whole.as_mut(), until);
            assert_eq!(bits(fork.as_ref()), bits(whole.as_ref()), "{spec}: fork {k}");
            assert_eq!(bits(other.as_ref()), bits(whole.as_ref()), "{spec}: other {k}");
        }
    }
}

/// Every shape Rapier supports, a height field under them, and more collision classes than fit into its groups.
fn cabinet() -> World {
    let mut builder = ModelBuilder::new("cabinet");
    let heights = (0..30).map(|i| 0.02 * libm::sin(i as f64)).collect();
    let field = HeightField { size: [4.0, 4.0], counts: [6, 5], heights };
    let ground =
        Body::new("ground", Inertia::zero()).with_shape(Shape::HeightField(Arc::new(field)), Pose::identity());
    builder.add_body(ground, Joint::new("fixed", JointKind::Fixed), None);
    let cube = Arc::new(TriangleMesh::cuboid(Vec3::repeat(0.1)));
    let mut start = Vec::new();
    let mut last = None;
    for i in 0..40 {
        let shape = match i % 6 {
            0 => Shape::Sphere { radius: 0.05 },
            1 => Shape::Box { size: Vec3::repeat(0.1) },
            2 => Shape::Capsule { radius: 0.03, length: 0.05 },
            3 => Shape::Cylinder { radius: 0.04, length: 0.08 },
            4 => Shape::Convex(cube.clone()),
            _ => Shape::Mesh(cube.clone()),
        };
        let body = Body::new(format!("b{i}"), Inertia::solid_box(1.0, Vec3::repeat(0.1)));
        let body = body.with_shape(shape, Pose::identity());
        let id = builder.add_body(body, Joint::new(format!("f{i}"), JointKind::Free), None);
        last.into_iter().for_each(|last| builder.exclude_contact(last, id));
        last = Some(id);
        start.extend([0.11 * (i % 5) as f64, 0.12 * (i / 5 % 4) as f64, 0.15 + 0.12 * (i / 20) as f64]);
        start.extend([1.0, 0.0, 0.0, 0.0]);
    }
    builder.start_at(start);
    World::with_model(builder.build().unwrap())
}

#[test]
fn every_shape_goes_through_a_snapshot() {
    for spec in ["rapier", "rapier:ccd=on,ccd_substeps=4,soft_ccd_m=0.1,friction=coulomb"] {
        let mut whole = load(spec, &cabinet(), 1e-3).unwrap();
        coast(whole.as_mut(), 0.2);
        let mut fork = load(spec, &cabinet(), 1e-3).unwrap();
        fork.restore(&bytes(whole.as_ref())).unwrap();
        coast(fork.as_mut(), 0.6);
        coast(whole.as_mut(), 0.6);
        let mut contacts = Vec::new();
        whole.contacts(&mut contacts);
        assert!(contacts.len() > 40, "{}", contacts.len());
        assert_eq!(bits(fork.as_ref()), bits(whole.as_ref()), "{spec}");
    }
}

#[test]
fn damaged_or_foreign_bytes_are_refused_and_change_nothing() {
    let mut simulation = load("rapier", &heap(), 1e-3).unwrap();
    run(simulation.as_mut(), 0.05);
    let saved = bytes(simulation.as_ref());
    let before = bits(simulation.as_ref());
    for cut in [0, 1, 31, 32, 33, saved.len() / 2, saved.len() - 1] {
        assert!(simulation.restore(&saved[..cut]).is_err());
    }
    for flip in (0..saved.len()).step_by(saved.len() / 50) {
        let mut wrong = saved.clone();
        wrong[flip] ^= 1;
        assert!(simulation.restore(&wrong).is_err(), "byte {flip}");
    }
    let other = load("rapier:iters=5", &heap(), 1e-3).unwrap();
    let error = simulation.restore(&bytes(other.as_ref())).unwrap_err().to_string();
    assert!(error.contains("another engine, version, setting, step or world"), "{error}");
    assert_eq!(bits(simulation.as_ref()), before);
    assert_eq!(bytes(simulation.as_ref()), saved);
}
