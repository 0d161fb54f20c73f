//! A sound robot that passes every inspection and, for each inspection, a mutation of it that this inspection reports
//! at the right line.

use std::sync::Arc;
use veracity_check::{CHECKS, InspectionReport, Verdict, inspect_world};
use veracity_model::geometry::at;
use veracity_model::{
    Actuator, Body, BodyId, Inertia, Joint, JointId, JointKind, LoopJoint, LoopKind, Mat3, Material, ModelBuilder,
    Pose, Severity, Shape, Source, TriangleMesh, Vec3, World,
};

const BASE: BodyId = BodyId(0);
const UPPER: BodyId = BodyId(1);
const LOWER: BodyId = BodyId(2);

fn line(line: u32) -> Option<Source> {
    Some(Source { file: "arm.urdf".into(), line })
}

/// A box of aluminium with its own inertia.
fn beam(name: &str, size: Vec3, at_line: u32) -> Body {
    let mass = 2700.0 * size.x * size.y * size.z;
    let centre = at(0.0, 0.0, 0.5 * size.z);
    let inertia = Inertia::solid_box(mass, size).transformed(&centre);
    let mut body = Body::new(name, inertia).with_shape(Shape::Box { size }, centre);
    body.source = line(at_line);
    body.shapes[0].source = line(at_line + 1);
    body
}

fn hinge(name: &str, z: f64, at_line: u32) -> Joint {
    let mut joint = Joint::new(name, JointKind::revolute(Vec3::y())).at(at(0.0, 0.0, z)).each_dof(|d| {
        (d.lower, d.upper) = (-2.0, 2.0);
        (d.effort_limit, d.velocity_limit) = (100.0, 3.0);
        (d.damping, d.armature) = (0.1, 1e-3);
    });
    joint.source = line(at_line);
    joint
}

/// An arm of two links on a base, with a rod from the base to the upper link and a mesh as its hand.
fn arm() -> ModelBuilder {
    let mut builder = ModelBuilder::new("arm");
    let rubber = builder.add_material(Material { name: "rubber".into(), ..Material::default() });
    let base =
        builder.add_body(beam("base", Vec3::new(0.2, 0.2, 0.1), 10), Joint::new("weld", JointKind::Fixed), None);
    let upper =
        builder.add_body(beam("upper", Vec3::new(0.05, 0.05, 0.4), 20), hinge("shoulder", 0.1, 25), Some(base));
    let mut lower = beam("lower", Vec3::new(0.04, 0.04, 0.3), 30);
    let hand = TriangleMesh::cuboid(Vec3::new(0.1, 0.04, 0.05));
    lower = lower.with_shape(Shape::Mesh(Arc::new(hand)), at(0.0, 0.0, 0.325));
    lower.shapes[1].source = line(32);
    lower.shapes[1].material = Some(rubber);
    builder.add_body(lower, hinge("elbow", 0.4, 35), Some(upper));
    builder.add_actuator(Actuator { source: line(40), ..Actuator::effort("motor", JointId(1)) });
    builder.add_loop(LoopJoint {
        name: "rod".into(),
        kind: LoopKind::Distance { length: 0.5 },
        body_a: Some(base),
        body_b: Some(upper),
        a_from_frame: at(0.3, 0.0, 0.1),
        b_from_frame: at(0.0, 0.0, 0.4),
        source: line(50),
    });
    builder
}

fn report(builder: ModelBuilder) -> InspectionReport {
    inspect_world(&World::with_model(builder.build().expect("the mutation leaves a model")))
}

/// Replaces the mesh of the hand.
fn set_hand(builder: &mut ModelBuilder, mesh: TriangleMesh) {
    builder.body_mut(LOWER).shapes[1].shape = Shape::Mesh(Arc::new(mesh));
}

struct Mutation {
    code: &'static str,
    what: &'static str,
    severity: Severity,
    /// Line of the finding in arm.urdf, 0 for the whole file.
    line: u32,
    make: fn(&mut ModelBuilder),
}

const fn mutation(
    code: &'static str,
    what: &'static str,
    severity: Severity,
    line: u32,
    make: fn(&mut ModelBuilder),
) -> Mutation {
    Mutation { code, what, severity, line, make }
}

use Severity::{Error, Note, Warning};

const MUTATIONS: &[Mutation] = &[
    mutation("mass-not-positive", "negative mass", Error, 20, |b| b.body_mut(UPPER).inertia.mass = -1.0),
    mutation("mass-not-positive", "inertia without mass", Error, 20, |b| b.body_mut(UPPER).inertia.mass = 0.0),
    mutation("massless-leaf", "nothing on the elbow", Error, 30, |b| {
        b.body_mut(LOWER).inertia = Inertia::zero();
        b.joint_mut(JointId(2)).dofs[0].armature = 0.0;
    }),
    mutation("inertia-negative", "a sign", Error, 30, |b| b.body_mut(LOWER).inertia.tensor[(0, 0)] *= -1.0),
    mutation("inertia-triangle", "one moment four times too large", Error, 30, |b| {
        b.body_mut(LOWER).inertia.tensor[(0, 0)] *= 4.0
    }),
    mutation("inertia-triangle", "six equal entries: rank one, broken by 100 %", Error, 30, |b| {
        b.body_mut(LOWER).inertia.tensor = Mat3::repeat(1e-3);
    }),
    mutation("inertia-triangle", "a plate rounded to three digits", Warning, 30, |b| {
        let plate = Inertia::solid_box(1.0, Vec3::new(0.04, 0.3, 0.0));
        let com = b.so_far().body(LOWER).inertia.com;
        b.body_mut(LOWER).inertia = Inertia { com, ..plate };
        b.body_mut(LOWER).inertia.tensor[(2, 2)] *= 1.005;
    }),
    mutation("inertia-proportion", "inertia a thousand times too large", Error, 20, |b| {
        b.body_mut(UPPER).inertia.tensor *= 1000.0
    }),
    mutation("inertia-proportion", "inertia a hundred times too small", Warning, 20, |b| {
        b.body_mut(UPPER).inertia.tensor *= 0.01
    }),
    mutation("density", "grams for kilograms", Warning, 20, |b| {
        b.body_mut(UPPER).inertia.mass *= 1000.0;
        b.body_mut(UPPER).inertia.tensor *= 1000.0;
    }),
    mutation("density", "a ten-thousandth of the mass", Warning, 20, |b| {
        b.body_mut(UPPER).inertia.mass *= 1e-4;
        b.body_mut(UPPER).inertia.tensor *= 1e-4;
    }),
    mutation("com-outside", "centre of mass a metre off", Warning, 30, |b| b.body_mut(LOWER).inertia.com.x = 1.0),
    mutation("mass-matrix", "a point mass on its own axis", Error, 35, |b| {
        b.body_mut(LOWER).inertia = Inertia::point_mass(1.0, Vec3::zeros());
        b.joint_mut(JointId(2)).dofs[0].armature = 0.0;
    }),
    mutation("conditioning", "two hinges on one axis with next to nothing between", Warning, 0, |b| {
        b.joint_mut(JointId(2)).parent_from_joint = Pose::identity();
        b.body_mut(UPPER).inertia.mass *= 1e-8;
        b.body_mut(UPPER).inertia.tensor *= 1e-8;
        [JointId(1), JointId(2)].into_iter().for_each(|j| b.joint_mut(j).dofs[0].armature = 0.0);
    }),
    mutation("mass-ratio", "four thousand times heavier", Warning, 35, |b| {
        b.body_mut(LOWER).inertia.mass *= 4e3;
        b.body_mut(LOWER).inertia.tensor *= 4e3;
    }),
    mutation("mesh-surface", "a missing triangle", Warning, 32, |b| {
        let mut mesh = TriangleMesh::cuboid(Vec3::new(0.1, 0.04, 0.05));
        mesh.triangles.pop();
        set_hand(b, mesh);
    }),
    mutation("mesh-surface", "inside out", Warning, 32, |b| {
        set_hand(b, TriangleMesh::cuboid(Vec3::new(0.1, 0.04, 0.05)).turned_inside_out())
    }),
    mutation("mesh-scale", "millimetres read as metres", Warning, 32, |b| {
        set_hand(b, TriangleMesh::cuboid(Vec3::new(100.0, 40.0, 50.0)))
    }),
    mutation("mesh-scale", "metres read as millimetres", Warning, 32, |b| {
        set_hand(b, TriangleMesh::cuboid(Vec3::new(1e-4, 4e-5, 5e-5)))
    }),
    mutation("limits-inverted", "limits swapped", Error, 35, |b| {
        let d = &mut b.joint_mut(JointId(2)).dofs[0];
        (d.lower, d.upper) = (1.0, -1.0);
    }),
    mutation("limits-inverted", "no range", Warning, 35, |b| {
        let d = &mut b.joint_mut(JointId(2)).dofs[0];
        (d.lower, d.upper) = (0.0, 0.0);
    }),
    mutation("limits-zero", "no effort", Warning, 25, |b| b.joint_mut(JointId(1)).dofs[0].effort_limit = 0.0),
    mutation("limits-zero", "negative speed limit", Error, 25, |b| {
        b.joint_mut(JointId(1)).dofs[0].velocity_limit = -1.0
    }),
    mutation("passive-negative", "negative damping", Error, 25, |b| b.joint_mut(JointId(1)).dofs[0].damping = -0.1),
    mutation("passive-negative", "negative drag", Error, 20, |b| b.body_mut(UPPER).linear_damping = -0.1),
    mutation("material-range", "a bounce that gains", Error, 31, |b| {
        let id = b.add_material(Material { name: "spring".into(), restitution: 1.1, ..Material::default() });
        b.body_mut(LOWER).shapes[0].material = Some(id);
    }),
    mutation("start-outside-limits", "limits beyond the start", Warning, 35, |b| {
        let d = &mut b.joint_mut(JointId(2)).dofs[0];
        (d.lower, d.upper) = (0.5, 1.0);
    }),
    mutation("loop-open", "a rod too long by a centimetre", Warning, 50, |b| set_rod(b, 0.51)),
    mutation("loop-open", "a rod longer than the mechanism", Error, 50, |b| set_rod(b, 2.0)),
    mutation("overlap", "the hand in the base", Error, 11, |b| {
        b.body_mut(LOWER).shapes[1].body_from_shape = at(0.0, 0.0, -0.46);
    }),
    mutation("names", "a name in another case", Warning, 30, |b| b.body_mut(LOWER).name = "Upper".into()),
    mutation("unused", "a material for nothing", Note, 0, |b| {
        b.add_material(Material { name: "felt".into(), ..Material::default() });
    }),
    mutation("unused", "a motor without gear", Warning, 60, |b| {
        let mut idle = Actuator { source: line(60), ..Actuator::effort("idle", JointId(2)) };
        idle.transmission = veracity_model::Transmission::Joint { joint: JointId(2), dof: 0, gear: 0.0 };
        b.add_actuator(idle);
    }),
];

/// The builder cannot change a loop, so this adds another one.
fn set_rod(b: &mut ModelBuilder, length: f64) {
    b.add_loop(LoopJoint {
        name: "second rod".into(),
        kind: LoopKind::Distance { length },
        body_a: Some(BASE),
        body_b: Some(LOWER),
        a_from_frame: at(0.4, 0.0, 0.1),
        b_from_frame: at(0.0, 0.0, 0.3),
        source: line(50),
    });
}

#[test]
fn the_sound_robot_has_no_findings_and_is_accepted() {
    let report = report(arm());
    assert_eq!(report.entries, []);
    assert_eq!(report.verdict, Some(Verdict::Accepted));
    let summary = report.summary.unwrap();
    assert_eq!((summary.bodies, summary.dof, summary.loops, summary.collision_shapes), (3, 2, 1, 4));
}

#[test]
fn each_mutation_is_caught_by_its_check_at_its_line() {
    for m in MUTATIONS {
        let mut builder = arm();
        (m.make)(&mut builder);
        let report = report(builder);
        let found: Vec<_> = report.entries.iter().filter(|e| e.finding.code == m.code).collect();
        assert!(!found.is_empty(), "{}: {} was not caught; found {:#?}", m.code, m.what, report.entries);
        let first = &found[0].finding;
        assert_eq!(first.severity, m.severity, "{}: {first}", m.what);
        assert_eq!(first.source, line(m.line), "{}: {first}", m.what);
        assert!(first.text.contains(';') || first.text.contains(':'), "{}: no advice in: {first}", m.what);
        let expected = if m.severity == Error { Verdict::Rejected } else { Verdict::Accepted };
        if report.entries.iter().all(|e| e.finding.code == m.code) {
            assert_eq!(report.verdict, Some(expected), "{}: {first}", m.what);
        }
    }
}

#[test]
fn every_check_has_a_mutation_and_every_mutation_a_check() {
    for check in CHECKS {
        assert!(MUTATIONS.iter().any(|m| m.code == check.code), "{} has no mutation", check.code);
        assert!(check.text.len() > 20 && !check.text.ends_with('.'), "{}: '{}'", check.code, check.text);
    }
    for m in MUTATIONS {
        assert!(CHECKS.iter().any(|c| c.code == m.code), "{} is no check", m.code);
    }
}

#[test]
fn a_point_mass_is_legal() {
    let mut builder = ModelBuilder::new("pendulum");
    let bob = Body::new("bob", Inertia::point_mass(1.0, Vec3::x()))
        .with_shape(Shape::Sphere { radius: 0.05 }, Pose::translation(1.0, 0.0, 0.0));
    builder.add_body(bob, Joint::new("hinge", JointKind::revolute(Vec3::y())), None);
    assert_eq!(report(builder).entries, []);
}

#[test]
fn a_gripper_with_a_thousand_times_its_inertia_is_rejected() {
    // The published gripper of the block row: a box of 0.2 x 0.1 x 0.2 m and 1 kg with 6.667 kg m² about each axis.
    let mut builder = ModelBuilder::new("gripper");
    let size = Vec3::new(0.2, 0.1, 0.2);
    let inertia = Inertia::new(1.0, Vec3::zeros(), [6.667, 6.667, 6.667, 0.0, 0.0, 0.0]);
    let body = Body::new("l_gripper", inertia).with_shape(Shape::Box { size }, Pose::identity());
    builder.add_body(body, Joint::new("slide", JointKind::prismatic(Vec3::y())), None);
    let report = report(builder);
    assert_eq!(report.verdict, Some(Verdict::Rejected));
    let text = &report.entries[0].finding.text;
    // 6.667 over a solid box's (0.1² + 0.2²)/12 and (0.2² + 0.2²)/12: the worst axis is 1600 times.
    assert!(text.contains("1600 times"), "{text}");
}

#[test]
fn hollow_bodies_are_not_out_of_proportion() {
    // All mass at the corners of the box: three times the solid box, and exactly the bound.
    let size = Vec3::new(0.3, 0.2, 0.1);
    let mut hollow = Inertia::solid_box(1.0, size);
    hollow.tensor *= 3.0;
    let mut builder = ModelBuilder::new("frame");
    let body = Body::new("cage", hollow).with_shape(Shape::Box { size }, Pose::identity());
    builder.add_body(body, Joint::new("hinge", JointKind::revolute(Vec3::y())), None);
    assert_eq!(report(builder).entries, []);
}
