//! A model with one of everything that carries a number.

use std::sync::Arc;
use veracity_model::geometry::{at, pose};
use veracity_model::shape::HeightField;
use veracity_model::*;

/// One of every kind of joint, shape, drive, sensor and constraint, with unusual names and rotated frames.
pub fn one_of_everything() -> Model {
    let mut b = ModelBuilder::new("everything");
    let solid = Inertia::new(1.3, Vec3::new(0.1, -0.2, 0.03), [0.02, 0.03, 0.035, 0.001, -0.002, 0.0005]);
    let turned = pose(Vec3::new(0.1, 0.2, 0.3), [0.3, -1.2, 2.5]);
    let field = HeightField { size: [2.0, 3.0], counts: [2, 2], heights: vec![0.0, 0.1, 0.2, 0.3] };
    let shapes = [
        Shape::Sphere { radius: 0.1 },
        Shape::Box { size: Vec3::new(0.1, 0.2, 0.3) },
        Shape::Capsule { radius: 0.1, length: 0.2 },
        Shape::Cylinder { radius: 0.1, length: 0.2 },
        Shape::Ellipsoid { radii: Vec3::new(0.1, 0.2, 0.3) },
        Shape::Disc { radius: 0.1 },
        Shape::Plane,
        Shape::HeightField(Arc::new(field)),
        Shape::Mesh(Arc::new(TriangleMesh::default())),
    ];
    let body = shapes.into_iter().fold(Body::new("base/left~1", solid), |body, s| body.with_shape(s, turned));
    let kinds = [
        ("free", JointKind::Free),
        ("fixed", JointKind::Fixed),
        ("revolute", JointKind::revolute(Vec3::new(1.0, 2.0, 3.0))),
        ("continuous", JointKind::Continuous { axis: Vec3::y() }),
        ("prismatic", JointKind::prismatic(Vec3::new(-1.0, 0.5, 0.1))),
        ("screw", JointKind::Screw { axis: Vec3::z(), pitch: 0.01 }),
        ("universal", JointKind::Universal { axis1: Vec3::x(), axis2: Vec3::y() }),
        ("ball", JointKind::Ball),
        ("planar", JointKind::Planar { x_axis: Vec3::x(), y_axis: Vec3::y() }),
    ];
    let mut parent = None;
    for (i, (name, kind)) in kinds.into_iter().enumerate() {
        let body = if i == 0 { body.clone() } else { Body::new(format!("body{i}"), solid) };
        let mut joint = Joint::new(name, kind).at(turned).each_dof(|d| d.damping = 0.1);
        joint.child_from_joint = pose(Vec3::new(0.0, 0.0, -0.1), [1.0, 0.0, 0.0]);
        parent = Some(b.add_body(body, joint, parent));
    }
    let joint = |name: &str, b: &ModelBuilder| b.so_far().joint_named(name).unwrap();
    let (revolute, prismatic) = (joint("revolute", &b), joint("prismatic", &b));
    let last = parent.unwrap();
    for (name, kind) in [
        ("weld", LoopKind::Weld),
        ("hinge", LoopKind::Revolute { axis: Vec3::z() }),
        ("cardan", LoopKind::Universal { axis_a: Vec3::x(), axis_b: Vec3::y() }),
        ("rod", LoopKind::Distance { length: 0.5 }),
    ] {
        let (a_from_frame, b_from_frame) = (turned, at(1.0, 2.0, 3.0));
        let name = name.to_string();
        b.add_loop(LoopJoint {
            name,
            kind,
            body_a: None,
            body_b: Some(last),
            a_from_frame,
            b_from_frame,
            source: None,
        });
    }
    b.add_coupling(Coupling {
        name: "gear".into(),
        follower: prismatic,
        leader: Some(revolute),
        coefficients: vec![0.1, 2.0],
        shared_motor: false,
        source: None,
    });
    b.add_spring(Spring {
        name: "spring".into(),
        body_a: None,
        body_b: Some(last),
        point_a: Vec3::new(0.1, 0.2, 0.3),
        point_b: Vec3::zeros(),
        stiffness: 10.0,
        damping: 1.0,
        rest_length: 0.2,
        source: None,
    });
    b.add_material(Material { friction_direction: Some(Vec3::x()), stiffness: Some(1e5), ..Material::default() });
    b.add_material(Material { name: "rigid".into(), ..Material::default() });
    let drives = [
        Drive::Effort { gain: 2.0 },
        Drive::Position { kp: 10.0, kd: 1.0 },
        Drive::Velocity { kd: 3.0 },
        Drive::Affine { gain: 1.0, bias: [0.1, 0.2, 0.3] },
    ];
    for (i, drive) in drives.into_iter().enumerate() {
        b.add_actuator(Actuator { drive, ..Actuator::effort(format!("motor{i}"), revolute) });
    }
    let tendon = Transmission::Tendon { terms: vec![(revolute, 0.5), (prismatic, -2.0)], gear: 3.0 };
    b.add_actuator(Actuator { transmission: tendon, ..Actuator::effort("tendon", revolute) });
    b.add_sensor(Sensor {
        name: "sonar".into(),
        kind: SensorKind::Range { max: 2.5 },
        body: Some(last),
        body_from_sensor: turned,
        rate_hz: None,
        noise_std: 0.01,
        source: None,
    });
    b.add_frame(Frame { name: "tool".into(), body: Some(last), body_from_frame: turned });
    b.add_contact_pair(ContactPair {
        name: "foot".into(),
        a: last,
        b: None,
        material: None,
        conditions: vec![
            StateCondition::JointPosition { joint: revolute, above: -1.0, below: 1.0 },
            StateCondition::JointVelocity { joint: prismatic, above: 0.0, below: f64::INFINITY },
        ],
    });
    b.add_parameter(Parameter { name: "length".into(), value: 0.7, text: "a length [m]".into() });
    let (q, v) = (b.so_far().neutral_positions(), vec![0.0; b.so_far().dof_count()]);
    b.start_at(q.clone());
    b.add_keyframe(Keyframe { name: "home".into(), q, v, command: vec![1.0; 5] });
    b.build().unwrap_or_else(|e| panic!("{e}"))
}
