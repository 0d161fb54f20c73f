//! Bodies, joints, shapes, frames and named states.

use super::{Comparison, number, numbers};
use serde_json::Value;
use veracity_model::{BodyId, JointId, JointKind, Mat3, Model, Pose, Quat, Shape, Vec3};

/// The model's body for MuJoCo's body; the world counts only if it has shapes.
pub fn find_body(model: &Model, index: usize, body: &Value) -> Option<BodyId> {
    let name = body["name"].as_str().unwrap();
    model.body_named(&if name.is_empty() { format!("body#{index}") } else { name.to_string() })
}

/// Independent kinematics to check the joint frames: written for this test from the definition of a joint alone.
pub fn forward_kinematics(model: &Model, q: &[f64]) -> Vec<Pose> {
    let mut poses: Vec<Pose> = Vec::new();
    for (i, joint) in model.joints().iter().enumerate() {
        let at = model.position_offset(JointId(i));
        let q = &q[at..at + joint.kind.position_count()];
        let turn = |w, x, y, z| Quat::new_normalize(nalgebra::Quaternion::new(w, x, y, z));
        let (shift, turn) = match joint.kind {
            JointKind::Fixed => (Vec3::zeros(), Quat::identity()),
            JointKind::Revolute { axis } | JointKind::Continuous { axis } => {
                (Vec3::zeros(), Quat::from_scaled_axis(axis * q[0]))
            }
            JointKind::Prismatic { axis } => (axis * q[0], Quat::identity()),
            JointKind::Ball => (Vec3::zeros(), turn(q[0], q[1], q[2], q[3])),
            JointKind::Free => (Vec3::new(q[0], q[1], q[2]), turn(q[3], q[4], q[5], q[6])),
            other => panic!("MJCF has no {}", other.name()),
        };
        let parent = joint.parent.map_or(Pose::identity(), |p| poses[p.0]);
        let motion = Pose::from_parts(shift.into(), turn);
        poses.push(parent * joint.parent_from_joint * motion * joint.child_from_joint.inverse());
    }
    poses
}

pub fn compare_mass(c: &mut Comparison, model: &Model, id: BodyId, body: &Value) {
    let ours = model.body(id);
    let name = &ours.name;
    c.numbers(&format!("mass of {name}"), &[ours.inertia.mass], &[number(&body["mass"])]);
    c.numbers(&format!("gravity scale of {name}"), &[ours.gravity_scale], &[number(&body["gravity_scale"])]);
    if ours.inertia.mass > 0.0 {
        c.numbers(&format!("centre of mass of {name}"), ours.inertia.com.as_slice(), &numbers(&body["com"]));
    }
    let theirs: Vec<f64> = body["tensor"].as_array().unwrap().iter().flat_map(numbers).collect();
    let scale = theirs.iter().fold(0.0_f64, |max, x| max.max(x.abs()));
    let off = (ours.inertia.tensor - Mat3::from_row_slice(&theirs)).norm();
    c.check(&format!("inertia of {name}: off by {off:e} of {scale:e}"), off <= c.tolerance * scale);
}

/// Compares the joints of a body and returns their ids in MuJoCo's order.
pub fn compare_joints(c: &mut Comparison, model: &Model, id: BodyId, body: &Value) -> Vec<JointId> {
    let theirs = body["joints"].as_array().unwrap();
    let mut ids = Vec::new();
    let mut next = Some(id);
    for _ in theirs {
        let Some(body) = next else { break };
        ids.push(JointId(body.0));
        next = model.parent(body);
    }
    ids.reverse();
    for (k, (id, their)) in ids.iter().zip(theirs).enumerate() {
        let joint = model.joint(*id);
        let name = their["name"].as_str().unwrap();
        let expected = if name.is_empty() { format!("{}#joint{k}", body_name(model, &ids)) } else { name.into() };
        c.check(&format!("joint {} should be called {expected}", joint.name), joint.name == expected);
        let kind = match joint.kind {
            JointKind::Revolute { .. } | JointKind::Continuous { .. } => "hinge",
            JointKind::Prismatic { .. } => "slide",
            JointKind::Ball => "ball",
            JointKind::Free => "free",
            _ => "other",
        };
        c.check(&format!("joint {name} is a {kind}"), their["type"] == kind);
        let dof = joint.dofs[0];
        let scalar = kind == "hinge" || kind == "slide";
        if scalar {
            let none = vec![f64::NEG_INFINITY, f64::INFINITY];
            let range = their["range"].as_array().map_or(none, |_| numbers(&their["range"]));
            c.numbers(&format!("range of {name}"), &[dof.lower, dof.upper], &range);
            let limit =
                their["effort_range"].as_array().map_or(f64::INFINITY, |_| numbers(&their["effort_range"])[1]);
            c.numbers(&format!("effort limit of {name}"), &[dof.effort_limit], &[limit]);
            let spring = [dof.stiffness, dof.spring_reference];
            c.numbers(
                &format!("spring of {name}"),
                &spring,
                &[number(&their["stiffness"]), number(&their["springref"])],
            );
        }
        let ours = [dof.damping, dof.friction, dof.armature];
        let theirs = [number(&their["damping"]), number(&their["friction"]), number(&their["armature"])];
        c.numbers(&format!("damping, friction and armature of {name}"), &ours, &theirs);
        c.check(&format!("freedoms of {name} differ"), joint.dofs.iter().all(|d| *d == dof));
    }
    ids
}

pub fn body_name<'m>(model: &'m Model, chain: &[JointId]) -> &'m str {
    chain.last().map_or("", |last| model.body(BodyId(last.0)).name.as_str())
}

/// Compares the shapes of a body and returns (body, shape) in MuJoCo's order.
pub fn compare_geoms(
    c: &mut Comparison,
    model: &Model,
    id: BodyId,
    world_from_body: &Pose,
    body: &Value,
) -> Vec<(BodyId, usize)> {
    let ours = model.body(id);
    let theirs = body["geoms"].as_array().unwrap();
    c.check(&format!("{} has {} shapes", ours.name, ours.shapes.len()), ours.shapes.len() == theirs.len());
    for (k, (shape, their)) in ours.shapes.iter().zip(theirs).enumerate() {
        let name = their["name"].as_str().unwrap();
        let expected = if name.is_empty() { format!("geom{k}") } else { name.into() };
        c.check(&format!("shape {} should be called {expected}", shape.name), shape.name == expected);
        let size = numbers(&their["size"]);
        let half = |length: f64| 0.5 * length;
        let (kind, sizes) = match &shape.shape {
            Shape::Sphere { radius } => ("sphere", vec![*radius]),
            Shape::Box { size } => ("box", size.iter().copied().map(half).collect()),
            Shape::Capsule { radius, length } => ("capsule", vec![*radius, half(*length)]),
            Shape::Cylinder { radius, length } => ("cylinder", vec![*radius, half(*length)]),
            Shape::Ellipsoid { radii } => ("ellipsoid", radii.iter().copied().collect()),
            Shape::Plane => ("plane", vec![]),
            Shape::HeightField(_) => ("hfield", vec![]),
            Shape::Convex(_) | Shape::Mesh(_) => ("mesh", vec![]),
            Shape::Disc { .. } => ("disc", vec![]),
        };
        c.check(&format!("geom {expected} is a {kind}"), their["type"] == kind);
        c.numbers(&format!("size of {expected}"), &sizes, &size[..sizes.len()]);
        let pose = world_from_body * shape.body_from_shape;
        c.pose(&format!("pose of geom {expected}"), &pose, &their["pos"], &their["rot"]);
        let bits = |key: &str| their[key].as_i64().unwrap() as u32;
        let same = shape.group == bits("contype") && shape.mask == bits("conaffinity");
        c.check(&format!("contype and conaffinity of {expected}"), same);
        let surface = &model.materials()[shape.material.unwrap().0];
        let friction = numbers(&their["friction"]);
        let condim = their["condim"].as_i64().unwrap();
        let expected_friction = [
            friction[0],
            friction[0],
            if condim >= 4 { friction[1] } else { 0.0 },
            if condim >= 6 { friction[2] } else { 0.0 },
        ];
        let [a, b] = surface.friction;
        let ours = [a, b, surface.torsional_friction, surface.rolling_friction];
        c.numbers(&format!("friction of {expected}"), &ours, &expected_friction);
    }
    (0..theirs.len()).map(|k| (id, k)).collect()
}

pub fn compare_keyframes(c: &mut Comparison, model: &Model, peer: &Value) {
    for (key, their) in model.keyframes().iter().zip(peer["keyframes"].as_array().unwrap()) {
        c.numbers(&format!("positions of keyframe {}", key.name), &key.q, &numbers(&their["qpos"]));
        let mut v = numbers(&their["qvel"]);
        for (i, joint) in model.joints().iter().enumerate() {
            if joint.kind == JointKind::Free {
                let at = model.dof_offset(JointId(i));
                v[at..at + 6].rotate_left(3);
            }
        }
        c.numbers(&format!("velocities of keyframe {}", key.name), &key.v, &v);
    }
}

pub fn compare_sites(c: &mut Comparison, model: &Model, poses: &[Pose], peer: &Value) {
    for site in peer["sites"].as_array().unwrap() {
        let name = site["name"].as_str().unwrap();
        let Some(frame) = model.frames().iter().find(|frame| frame.name == name) else {
            c.check(&format!("site {name} is missing"), name.is_empty());
            continue;
        };
        let body = frame.body.map_or(Pose::identity(), |id| poses[id.0]);
        c.pose(&format!("site {name}"), &(body * frame.body_from_frame), &site["pos"], &site["rot"]);
    }
}
