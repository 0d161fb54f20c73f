//! Joints, loops and couplings of states in joint coordinates hold to rounding, and each kind detects what it forbids
//! and nothing that it allows.

mod synthetic;

use std::path::Path;
use synthetic::*;
use veracity_dynamics::{SmoothSimulation, System, integrate::IntegratorSettings};
use veracity_measure::machine::Machine;
use veracity_measure::violation::{names_of_held, violations};
use veracity_model::geometry::pose;
use veracity_model::import::{ImportOptions, load};
use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Vec3, World};

/// Largest gap [m] and angle [rad] over all constraints, in a row.
fn worst(case: &Case, row: usize) -> (f64, f64) {
    let subject = case.subject();
    let all = violations(&subject, &Machine::new(&subject), row);
    assert_eq!(all.len(), names_of_held(&subject).len());
    all.iter().fold((0.0, 0.0), |w, v| (w.0.max(v.gap), w.1.max(v.angle)))
}

/// One body on a joint of a kind, with an oblique base.
fn hung_by(kind: JointKind) -> World {
    let mut builder = ModelBuilder::new("one");
    let joint =
        Joint { child_from_joint: pose(Vec3::new(-0.1, 0.2, 0.3), [0.5, -0.4, 0.2]), ..Joint::new("j", kind) };
    let joint = joint.at(pose(Vec3::new(0.4, 0.1, -0.2), [-0.3, 0.6, 1.0]));
    builder.add_body(Body::new("b", Inertia::solid_box(1.0, Vec3::new(0.1, 0.2, 0.3))), joint, None);
    World::with_model(builder.build().unwrap())
}

const OBLIQUE: Vec3 = Vec3::new(0.6, 0.0, 0.8);

fn kinds() -> [JointKind; 9] {
    [
        JointKind::Fixed,
        JointKind::Revolute { axis: OBLIQUE },
        JointKind::Continuous { axis: Vec3::z() },
        JointKind::Prismatic { axis: OBLIQUE },
        JointKind::Screw { axis: OBLIQUE, pitch: 0.05 },
        JointKind::Universal { axis1: Vec3::x(), axis2: Vec3::new(0.0, 0.6, 0.8) },
        JointKind::Ball,
        JointKind::Planar { x_axis: Vec3::new(0.8, 0.0, -0.6), y_axis: Vec3::y() },
        JointKind::Free,
    ]
}

#[test]
fn every_kind_holds_in_its_own_coordinates() {
    for kind in kinds() {
        let case = record_of(hung_by(kind), &times(0.1, 20), |t| {
            let mut q: Vec<f64> = (0..kind.position_count()).map(|k| 7.0 * t - k as f64).collect();
            let quaternion = q.len().saturating_sub(4);
            if matches!(kind, JointKind::Ball | JointKind::Free) {
                let norm = q[quaternion..].iter().map(|x| x * x).sum::<f64>().sqrt();
                q[quaternion..].iter_mut().for_each(|x| *x /= norm);
            }
            (q, vec![0.0; kind.dof_count()])
        });
        for row in 0..20 {
            let (gap, angle) = worst(&case, row);
            // Some ten products of poses with numbers up to ten.
            assert!(gap < 1e-13 && angle < 1e-13, "{}: {gap:e} m, {angle:e} rad", kind.name());
        }
    }
}

#[test]
fn every_kind_notices_what_it_forbids() {
    // The forbidden ones of six small moves of the child: three along and three about the world's axes.
    for kind in kinds() {
        let case = record_of(hung_by(kind), &[0.0], |_| (kind.neutral().to_vec(), vec![0.0; kind.dof_count()]));
        let mut squares = (0.0, 0.0);
        for axis in 0..3 {
            let mut e = [0.0; 3];
            e[axis] = 1.0;
            let moved = case.with(|t| shift(t, 0, 0, e.map(|x| 1e-4 * x)));
            squares.0 += worst(&moved, 0).0.powi(2) / 1e-8;
            let turned = case.with(|t| {
                // About the joint's own position, so that it does not move.
                let b = &Machine::new(&case.subject()).bodies[0];
                let anchor = (b.joint.parent_from_joint).translation.vector;
                let at = Vec3::new(t.poses[0], t.poses[1], t.poses[2]) - anchor;
                turn(t, 0, 0, e, 1e-4);
                let about = veracity_model::geometry::quat_about(&Vec3::from(e), 1e-4);
                let now = anchor + about * at;
                (0..3).for_each(|k| t.poses[k] = now[k]);
            });
            squares.1 += worst(&turned, 0).1.powi(2) / 1e-8;
        }
        // Over three orthogonal directions the squares of the forbidden parts add up to the number of forbidden
        // directions.
        let forbidden = match kind {
            JointKind::Fixed => (3.0, 3.0),
            JointKind::Revolute { .. } | JointKind::Continuous { .. } => (3.0, 2.0),
            JointKind::Prismatic { .. } => (2.0, 3.0),
            JointKind::Screw { .. } => (3.0, 2.0),
            JointKind::Universal { .. } => (3.0, 1.0),
            JointKind::Ball => (3.0, 0.0),
            JointKind::Planar { .. } => (1.0, 2.0),
            JointKind::Free => (0.0, 0.0),
        };
        // Angles of 1e-4 rad: second-order terms are 1e-4 of the first, and rounding 1e-16 of one.
        let close = |found: f64, expected: f64| (found - expected).abs() < 2e-3;
        assert!(close(squares.0, forbidden.0) && close(squares.1, forbidden.1), "{}: {squares:?}", kind.name());
    }
}

#[test]
fn loops_and_couplings_of_shipped_mechanisms_hold_and_come_apart() {
    for (name, held) in
        [("four_bar/four_bar_2.sdf", 1e-10), ("andrews/andrews.urdf", 1e-10), ("nao/nao_h25.urdf", 1e-12)]
    {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(name);
        let world = load(&path, &ImportOptions::default()).world.unwrap();
        let simulation =
            SmoothSimulation::new(System::new(&world).unwrap(), "dop853", IntegratorSettings::default()).unwrap();
        let (q, v) = (simulation.state().q.clone(), simulation.state().v.clone());
        let case = record_of(world, &[0.0], |_| (q.clone(), v.clone()));
        let (gap, angle) = worst(&case, 0);
        // The projection onto constraints stops at its own tolerance.
        assert!(gap < held && angle < held, "{name}: {gap:e} m, {angle:e} rad");
        // The last body is at the end of a loop, or of a chain of hinges: lifted by a millimetre it is apart by that.
        let last = case.layout.bodies.len() - 1;
        let lifted = case.with(|t| shift(t, 0, last, [0.0, 0.0, 1e-3]));
        assert!((worst(&lifted, 0).0 - 1e-3).abs() < 1e-9, "{name}: {:?}", worst(&lifted, 0));
    }
    // The Nao's hips share a motor: rotating one alone violates the coupling by that angle.
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/nao/nao_h25.urdf");
    let world = load(&path, &ImportOptions::default()).world.unwrap();
    let coupling = world.placements[0].model.couplings()[0].clone();
    let q = world.placements[0].model.neutral_positions();
    let at = world.placements[0].model.position_offset(coupling.follower);
    let nv = world.placements[0].model.dof_count();
    let case = record_of(world, &[0.0], |_| {
        let mut q = q.clone();
        q[at] += 0.01;
        (q, vec![0.0; nv])
    });
    assert!((worst(&case, 0).1 - 0.01).abs() < 1e-12, "{:?}", worst(&case, 0));
}
