//! The cost of an inspection grows linearly with the size of a world, not quadratically: the mass matrix has one block
//! for each tree.

use nalgebra as na;
use veracity_check::experiment::coupled_groups::analyse;
use veracity_check::experiment::step_map::Feedback;
use veracity_check::{CHECKS, Context, MassMatrix, Verdict, inspect_world};
use veracity_control::Timing;
use veracity_control::config::PdForm;
use veracity_control::controllers::LoopGain;
use veracity_counting::{Counting, peak_bytes};
use veracity_dynamics::{Workspace, crba, kinematics};
use veracity_model::geometry::at;
use veracity_model::{
    Body, BodyShape, Inertia, Joint, JointKind, Mat3, Model, ModelBuilder, Pose, Shape, Vec3, World,
};

#[global_allocator]
static MEMORY: Counting = Counting;

const RADIUS: f64 = 0.05;

/// Free balls of 1 kg in a cubic grid, four radii apart.
fn add_balls(builder: &mut ModelBuilder, count: usize) {
    let side = (count as f64).cbrt().ceil() as usize;
    for i in 0..count {
        let place = [i % side, i / side % side, i / side / side].map(|k| 4.0 * RADIUS * k as f64);
        let mut ball = Body::new(format!("ball{i}"), Inertia::solid_sphere(1.0, RADIUS));
        ball.shapes.push(BodyShape::new("ball", Shape::Sphere { radius: RADIUS }, Pose::identity()));
        let joint = Joint::new(format!("free{i}"), JointKind::Free).at(at(place[0], place[1], 1.0 + place[2]));
        builder.add_body(ball, joint, None);
    }
}

/// An arm with unequal links.
fn add_arm(builder: &mut ModelBuilder) {
    let mut parent = None;
    for i in 0..4 {
        let f = f64::from(i);
        let tensor = Mat3::new(0.2, 0.01, -0.02, 0.01, 0.3, 0.03, -0.02, 0.03, 0.25);
        let body =
            Body::new(format!("link{i}"), Inertia { mass: 4.0 - f, com: Vec3::new(0.1, -0.1 * f, 0.05), tensor });
        let axis = if i % 2 == 0 { Vec3::y() } else { Vec3::x() };
        let joint = Joint::new(format!("hinge{i}"), JointKind::revolute(axis)).at(at(0.2, 0.1, -0.3));
        parent = Some(builder.add_body(body, joint, parent));
    }
}

fn model(add: impl FnOnce(&mut ModelBuilder)) -> Model {
    let mut builder = ModelBuilder::new("m");
    add(&mut builder);
    builder.build().unwrap()
}

fn balls(count: usize) -> World {
    let mut world = World::with_model(model(|b| add_balls(b, count)));
    world.contact = true;
    world
}

/// The matrix of [`Context`] at the start.
fn mass_of<'a>(context: &'a Context<'_>) -> &'a MassMatrix {
    match &context.start {
        Ok(start) => &start.mass_matrix,
        Err(_) => panic!("the world does not compile"),
    }
}

#[test]
fn the_mass_matrix_of_free_bodies_is_as_large_as_their_number() {
    let world = balls(300);
    // A dense matrix would be 1800 x 1800.
    assert_eq!(mass_of(&Context::new(&world)).stored(), 300 * 36);
}

#[test]
fn memory_and_work_of_a_check_grow_with_the_number_of_bodies() {
    let cost = |count: usize| {
        let world = balls(count);
        let before = veracity_counting::allocations();
        let (report, peak) = peak_bytes(|| inspect_world(&world));
        assert_eq!(report.verdict, Some(Verdict::Accepted), "{:?}", report.reasons);
        (peak as f64, (veracity_counting::allocations() - before) as f64)
    };
    let ((small, few), (large, many)) = (cost(200), cost(800));
    // Four times as many bodies: a dense matrix would take sixteen times the memory. A vector that grows by doubling
    // may hold twice what it needs.
    println!("200 bodies: {small} bytes, {few} allocations; 800: {large}, {many}");
    assert!(large < 6.0 * small, "{small} to {large} bytes");
    assert!(many < 4.5 * few, "{few} to {many} allocations");
}

#[test]
fn blocks_have_the_condition_of_the_whole_matrix() {
    let world = World::with_model(model(|b| {
        add_arm(b);
        add_balls(b, 3);
    }));
    let context = Context::new(&world);
    let (start, mass) = (context.start.as_ref().ok().unwrap(), mass_of(&context));
    assert_eq!(mass.blocks().iter().map(|b| b.matrix.nrows()).collect::<Vec<_>>(), [4, 6, 6, 6]);
    let mut ws = Workspace::new(&start.system);
    kinematics::positions(&start.system, &mut ws, &start.q);
    let n = start.system.dof_count();
    let mut rows = vec![0.0; n * n];
    crba::mass_matrix(&start.system, &mut ws, &mut rows);
    let whole = na::DMatrix::from_row_slice(n, n, &rows);
    let all: Vec<usize> = (0..n).collect();
    assert_eq!(mass.among(&all), whole);
    let ratio = |m: &na::DMatrix<f64>| {
        let eigenvalues = m.symmetric_eigenvalues();
        eigenvalues.max() / eigenvalues.min()
    };
    let scale = whole.diagonal().map(|x| 1.0 / x.sqrt());
    let scaled = na::DMatrix::from_fn(n, n, |i, j| whole[(i, j)] * scale[i] * scale[j]);
    // Eigenvalues of matrices with a condition number of a few hundred, up to some roundings.
    for (ours, dense) in [(mass.condition(), ratio(&whole)), (mass.scaled_condition(), ratio(&scaled))] {
        assert!((ours.unwrap() / dense - 1.0).abs() < 1e-11, "{ours:?} {dense}");
    }
}

#[test]
fn a_bad_tree_among_many_is_found() {
    let mut world = balls(50);
    let arm = model(|b| {
        add_arm(b);
        let body = Body::new("empty", Inertia { mass: 0.0, com: Vec3::zeros(), tensor: Mat3::zeros() });
        b.add_body(body, Joint::new("loose", JointKind::revolute(Vec3::z())), None);
    });
    let mut placement = world.placements[0].clone();
    (placement.name, placement.model) = ("arm".into(), std::sync::Arc::new(arm));
    world.placements.push(placement);
    let context = Context::new(&world);
    let check = CHECKS.iter().find(|c| c.code == "mass-matrix").unwrap();
    let findings: Vec<_> = (check.run)(&context).into_iter().collect();
    assert!(matches!(&findings[..], [f] if f.subject == "arm/joints/loose"), "{findings:?}");
    assert_eq!(mass_of(&context).condition(), None);
}

fn pd(dofs: &[usize], kd: f64) -> Vec<Feedback> {
    let gain = |&dof: &usize| LoopGain {
        terms: vec![(dof, 1.0)],
        kp: 10.0,
        kd,
        ki: 0.0,
        timing: Timing::every(1_000_000),
        form: PdForm::Sampled,
    };
    dofs.iter().map(|dof| Feedback { gain: gain(dof), sensor: None }).collect()
}

#[test]
fn a_controlled_arm_among_loose_bodies_grows_as_it_does_alone() {
    let alone = World::with_model(model(add_arm));
    let among = World::with_model(model(|b| {
        add_balls(b, 120);
        add_arm(b);
    }));
    let growth = |world: &World, first: usize| {
        let context = Context::new(world);
        let mass = mass_of(&context);
        let zeros = vec![0.0; first + 4];
        let dofs: Vec<usize> = (first..first + 4).collect();
        let found = analyse(mass, &zeros, &zeros, &pd(&dofs, 900.0), 1_000_000);
        // 720 degrees of freedom exceed the limit for the map of a whole world.
        assert_eq!(found.not_analysed, None);
        found.fastest.unwrap()
    };
    let (one, other) = (growth(&alone, 0), growth(&among, 720));
    assert!(one.radius > 1.5, "{one:?}");
    assert!((one.radius / other.radius - 1.0).abs() < 1e-12, "{one:?} {other:?}");
    assert_eq!(one.leading_dof + 720, other.leading_dof);
}

#[test]
fn trees_that_a_tendon_couples_are_one_group() {
    let world = World::with_model(model(|b| {
        for i in 0..2 {
            let joint = Joint::new(format!("j{i}"), JointKind::revolute(Vec3::y()));
            b.add_body(Body::new(format!("b{i}"), Inertia::point_mass(1.0, Vec3::x())), joint, None);
        }
    }));
    let context = Context::new(&world);
    let mass = mass_of(&context);
    // v₁ + v₂ of two unit inertias is damped: the sum has an inertia of one half, so T M⁻¹ Kd = 2 kd T.
    let mut tendon = pd(&[0], 1000.0);
    tendon[0].gain.terms = vec![(0, 1.0), (1, 1.0)];
    tendon[0].gain.kp = 0.0;
    let found = analyse(mass, &[0.0; 2], &[0.0; 2], &tendon, 1_000_000).fastest.unwrap();
    assert!((found.damping_eigenvalue - 2.0).abs() < 1e-12, "{found:?}");
}
