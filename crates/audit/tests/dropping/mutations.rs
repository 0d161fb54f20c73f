//! One mutation for each experiment: the number is dropped where it has a default, else altered.

use super::{Mutation, NOTHING, Parts};
use veracity_engine::{Inputs, JointDrive};
use veracity_model::geometry::at;
use veracity_model::{Combination, CombineRule, Dof, JointKind, Pose, Shape, Vec3};

/// By the name of the experiment.
pub const MUTATIONS: &[(&str, Mutation)] = &[
    ("gravity-x", Mutation::world(|w| w.gravity.x = 0.0)),
    ("gravity-y", Mutation::world(|w| w.gravity.y = 0.0)),
    // The default of many engines instead of the world's value.
    ("gravity-z", Mutation::world(|w| w.gravity.z = -9.81)),
    ("gravity-scale", Mutation::world(|w| w.bodies[0].gravity_scale = 1.0)),
    ("mass", Mutation::world(|w| w.bodies[0].inertia.mass *= 1.001)),
    ("inertia-xx", Mutation::world(|w| tensor(w, 0, 0, 0.0501))),
    ("inertia-yy", Mutation::world(|w| tensor(w, 1, 1, 0.0701))),
    ("inertia-zz", Mutation::world(|w| tensor(w, 2, 2, 0.0901))),
    ("inertia-xy", Mutation::world(|w| tensor(w, 0, 1, 0.0))),
    ("inertia-xz", Mutation::world(|w| tensor(w, 0, 2, 0.0))),
    ("inertia-yz", Mutation::world(|w| tensor(w, 1, 2, 0.0))),
    ("com-x", Mutation::world(|w| w.bodies[0].inertia.com.x = 0.0)),
    ("com-y", Mutation::world(|w| w.bodies[0].inertia.com.y = 0.0)),
    ("com-z", Mutation::world(|w| w.bodies[0].inertia.com.z = 0.0)),
    ("hinge-axis-x", Mutation::world(|w| axis(w, |a| a.x *= 0.5))),
    ("hinge-axis-y", Mutation::world(|w| axis(w, |a| a.y = -a.y))),
    ("hinge-axis-z", Mutation::world(|w| axis(w, |a| a.z *= 0.5))),
    ("rail-axis-x", Mutation::world(|w| axis(w, |a| a.x *= 0.5))),
    ("rail-axis-y", Mutation::world(|w| axis(w, |a| a.y = -a.y))),
    ("rail-axis-z", Mutation::world(|w| axis(w, |a| a.z *= 0.5))),
    ("joint-origin-x", Mutation::world(|w| origin(w, |p| p.x = 0.0))),
    ("joint-origin-y", Mutation::world(|w| origin(w, |p| p.y = 0.0))),
    ("joint-origin-z", Mutation::world(|w| origin(w, |p| p.z = 0.0))),
    ("joint-in-child-x", Mutation::world(|w| in_child(w, |p| p.x = 0.0))),
    ("joint-in-child-y", Mutation::world(|w| in_child(w, |p| p.y = 0.0))),
    ("joint-in-child-z", Mutation::world(|w| in_child(w, |p| p.z = 0.0))),
    ("joint-frame-yaw", Mutation::world(|w| w.joints[0].parent_from_joint.rotation = Pose::identity().rotation)),
    (
        "screw-pitch",
        Mutation::world(|w| {
            w.joints[0].kind = JointKind::Screw { axis: Vec3::x(), pitch: 0.05 * std::f64::consts::TAU }
        }),
    ),
    ("damping-rail", Mutation::world(|w| dof(w, |d| d.damping = 0.0))),
    ("damping-hinge", Mutation::world(|w| dof(w, |d| d.damping = 0.0))),
    ("spring-stiffness", Mutation::world(|w| dof(w, |d| d.stiffness = 0.0))),
    ("spring-reference", Mutation::world(|w| dof(w, |d| d.spring_reference = 0.0))),
    ("dry-friction", Mutation::world(|w| dof(w, |d| d.friction = 0.0))),
    ("dry-friction-hold", Mutation::world(|w| dof(w, |d| d.friction = 0.0))),
    ("armature", Mutation::world(|w| dof(w, |d| d.armature = 0.0))),
    ("armature-hinge", Mutation::world(|w| dof(w, |d| d.armature = 0.0))),
    ("effort-rail", Mutation::inputs(|i| i.efforts[0] = 0.0)),
    ("effort-hinge", Mutation::inputs(|i| i.efforts[0] *= 57.3)),
    ("force-x", Mutation::inputs(|i| i.wrenches[0].force[0] = 0.0)),
    ("force-y", Mutation::inputs(|i| i.wrenches[0].force[1] = 0.0)),
    ("force-z", Mutation::inputs(|i| i.wrenches[0].force[2] = 0.0)),
    ("torque-x", Mutation::inputs(|i| i.wrenches[0].torque[0] = 0.0)),
    ("torque-y", Mutation::inputs(|i| i.wrenches[0].torque[1] = 0.0)),
    ("torque-z", Mutation::inputs(|i| i.wrenches[0].torque[2] = 0.0)),
    ("drive-kp", Mutation::inputs(|i| drive(i, |d| d.kp *= 0.9))),
    ("drive-target", Mutation::inputs(|i| drive(i, |d| d.target = 0.0))),
    ("drive-kd", Mutation::inputs(|i| drive(i, |d| d.kd = 0.0))),
    ("drive-target-speed", Mutation::inputs(|i| drive(i, |d| d.target_speed = 0.0))),
    ("drive-feed-forward", Mutation::inputs(|i| drive(i, |d| d.feed_forward = 0.0))),
    ("effort-limit", Mutation::inputs(|i| drive(i, |d| d.max_effort = f64::INFINITY))),
    ("start-place-x", Mutation::state(|q, _| q[0] = 0.0)),
    ("start-place-y", Mutation::state(|q, _| q[1] = 0.0)),
    ("start-place-z", Mutation::state(|q, _| q[2] = 0.0)),
    // The angle of the rotation is lost, or its direction.
    ("start-turn-x", Mutation::state(|q, _| q[3..7].copy_from_slice(&[1.0, 0.0, 0.0, 0.0]))),
    ("start-turn-y", Mutation::state(|q, _| q[5] = -q[5])),
    ("start-velocity-x", Mutation::state(|_, v| v[3] = 0.0)),
    ("start-velocity-y", Mutation::state(|_, v| v[4] = 0.0)),
    ("start-velocity-z", Mutation::state(|_, v| v[5] = 0.0)),
    ("start-spin-x", Mutation::state(|_, v| v[0] = 0.0)),
    ("start-spin-y", Mutation::state(|_, v| v[1] = 0.0)),
    ("start-spin-z", Mutation::state(|_, v| v[2] = 0.0)),
    ("start-angle", Mutation::state(|q, _| q[0] = 0.0)),
    ("start-angular-speed", Mutation::state(|_, v| v[0] = 0.0)),
    ("start-slide", Mutation::state(|q, _| q[0] = 0.0)),
    ("start-speed", Mutation::state(|_, v| v[0] = 0.0)),
    ("time-step", Mutation { step: 2.0, ..NOTHING }),
    ("clock", Mutation { clock: 2.0, ..NOTHING }),
    ("limit-rail-upper", Mutation::world(|w| last(w).upper = f64::INFINITY)),
    ("limit-rail-lower", Mutation::world(|w| last(w).lower = f64::NEG_INFINITY)),
    ("limit-hinge-upper", Mutation::world(|w| last(w).upper *= 1.1)),
    ("limit-hinge-lower", Mutation::world(|w| last(w).lower *= 0.5)),
    // The motor is not cut off.
    ("velocity-limit", Mutation::inputs(|i| i.efforts[0] = 2.0)),
    ("drag-linear", Mutation::world(|w| w.bodies[0].linear_damping = 0.0)),
    ("drag-angular", Mutation::world(|w| w.bodies[0].angular_damping = 0.0)),
    ("point-spring-stiffness", Mutation::world(|w| w.springs[0].stiffness = 0.0)),
    ("point-spring-damping", Mutation::world(|w| w.springs[0].damping = 0.0)),
    ("point-spring-rest", Mutation::world(|w| w.springs[0].rest_length = 1.0)),
    ("gear-ratio", Mutation::world(|w| w.couplings[0].coefficients[1] = 1.0)),
    ("rod-length", Mutation::world(|w| w.loops.clear())),
    // Only the first coefficient arrives, only the second, none, or a default.
    ("friction", Mutation::world(|w| w.materials[0].friction = [0.3; 2])),
    ("friction-diagonal", Mutation::world(|w| w.materials[0].friction = [0.0; 2])),
    ("friction-hold", Mutation::world(|w| w.materials[0].friction = [0.0; 2])),
    ("friction-first", Mutation::world(|w| w.materials[0].friction = [0.6; 2])),
    ("friction-second", Mutation::world(|w| w.materials[0].friction = [0.3; 2])),
    ("friction-torsional", Mutation::world(|w| w.materials[0].torsional_friction = 0.0)),
    ("friction-rolling", Mutation::world(|w| w.materials[0].rolling_friction = 0.0)),
    ("restitution", Mutation::world(|w| w.materials.iter_mut().for_each(|m| m.restitution = 0.0))),
    ("contact-stiffness", Mutation::world(|w| w.materials[1].stiffness = Some(2e4))),
    // The rule of another engine, or the default.
    ("friction-rule-min", Mutation::world(|w| w.combination.friction = CombineRule::Average)),
    ("friction-rule-average", Mutation::world(|w| w.combination = Combination::default())),
    ("friction-rule-multiply", Mutation::world(|w| w.combination = Combination::default())),
    ("friction-rule-max", Mutation::world(|w| w.combination = Combination::default())),
    ("friction-rule-geometric-mean", Mutation::world(|w| w.combination = Combination::default())),
    ("restitution-rule-min", Mutation::world(|w| w.combination = Combination::default())),
    ("restitution-rule-average", Mutation::world(|w| w.combination = Combination::default())),
    ("restitution-rule-multiply", Mutation::world(|w| w.combination = Combination::default())),
    ("restitution-rule-max", Mutation::world(|w| w.combination.restitution = CombineRule::Multiply)),
    ("restitution-rule-geometric-mean", Mutation::world(|w| w.combination = Combination::default())),
    ("sphere-radius", Mutation::world(|w| shape(w, |s| *s = Shape::Sphere { radius: 0.16 }))),
    ("box-x", Mutation::world(|w| shape(w, |s| *s = Shape::Box { size: Vec3::new(0.1, 0.16, 0.12) }))),
    ("box-y", Mutation::world(|w| shape(w, |s| *s = Shape::Box { size: Vec3::new(0.2, 0.08, 0.12) }))),
    ("box-z", Mutation::world(|w| shape(w, |s| *s = Shape::Box { size: Vec3::new(0.2, 0.16, 0.06) }))),
    ("capsule-radius", Mutation::world(|w| shape(w, |s| *s = Shape::Capsule { radius: 0.07, length: 0.3 }))),
    // The whole length instead of the length of the cylindrical part.
    ("capsule-length", Mutation::world(|w| shape(w, |s| *s = Shape::Capsule { radius: 0.08, length: 0.14 }))),
    ("cylinder-radius", Mutation::world(|w| shape(w, |s| *s = Shape::Cylinder { radius: 0.07, length: 0.3 }))),
    ("cylinder-length", Mutation::world(|w| shape(w, |s| *s = Shape::Cylinder { radius: 0.08, length: 0.05 }))),
    ("ellipsoid-x", Mutation::world(|w| shape(w, |s| *s = Shape::Ellipsoid { radii: Vec3::new(0.09, 0.12, 0.08) }))),
    ("ellipsoid-y", Mutation::world(|w| shape(w, |s| *s = Shape::Ellipsoid { radii: Vec3::new(0.1, 0.11, 0.08) }))),
    ("ellipsoid-z", Mutation::world(|w| shape(w, |s| *s = Shape::Ellipsoid { radii: Vec3::new(0.1, 0.12, 0.07) }))),
    ("shape-offset-x", Mutation::world(|w| fastened(w, |p| p.x = 0.0))),
    ("shape-offset-y", Mutation::world(|w| fastened(w, |p| p.y = 0.0))),
    ("shape-offset-z", Mutation::world(|w| fastened(w, |p| p.z = 0.0))),
    ("shape-turn", Mutation::world(|w| w.bodies[1].shapes[0].body_from_shape = Pose::identity())),
    ("filter-none", Mutation::world(|w| w.bodies[0].shapes[0].collides = false)),
    ("filter-excluded", Mutation::world(|w| w.filters.clear())),
    ("filter-groups", Mutation::world(|w| w.bodies.iter_mut().for_each(|b| b.shapes[0].mask = u32::MAX))),
    // As if both masks had to match.
    ("filter-one-willing", Mutation::world(|w| w.bodies[0].shapes[0].mask = 0)),
    ("filter-visual", Mutation::world(|w| w.bodies[1].shapes[0].collides = true)),
    ("filter-self", Mutation::world(|w| w.self_collide = true)),
    ("filter-world", Mutation::world(|w| w.contact = true)),
    ("filter-adjacent", Mutation::world(|w| w.adjacent = true)),
    ("filter-adjacent-touch", Mutation::world(|w| w.adjacent = false)),
];

fn tensor(w: &mut Parts, row: usize, column: usize, value: f64) {
    w.bodies[0].inertia.tensor[(row, column)] = value;
    w.bodies[0].inertia.tensor[(column, row)] = value;
}

fn axis(w: &mut Parts, change: fn(&mut Vec3)) {
    match &mut w.joints[0].kind {
        JointKind::Revolute { axis } | JointKind::Prismatic { axis } => change(axis),
        _ => panic!("the joint has no axis"),
    }
}

fn moved(pose: &mut Pose, change: fn(&mut Vec3)) {
    let mut place = pose.translation.vector;
    change(&mut place);
    pose.translation = at(place.x, place.y, place.z).translation;
}

fn origin(w: &mut Parts, change: fn(&mut Vec3)) {
    moved(&mut w.joints[0].parent_from_joint, change);
}

fn in_child(w: &mut Parts, change: fn(&mut Vec3)) {
    moved(&mut w.joints[0].child_from_joint, change);
}

fn dof(w: &mut Parts, change: fn(&mut Dof)) {
    change(&mut w.joints[0].dofs[0]);
}

fn drive(inputs: &mut Inputs, change: fn(&mut JointDrive)) {
    inputs.drives.iter_mut().for_each(change);
}

fn last(w: &mut Parts) -> &mut Dof {
    w.joints.last_mut().map(|joint| &mut joint.dofs[0]).expect("there is a joint")
}

fn shape(w: &mut Parts, change: fn(&mut Shape)) {
    change(&mut w.bodies[1].shapes[0].shape);
}

fn fastened(w: &mut Parts, change: fn(&mut Vec3)) {
    moved(&mut w.bodies[1].shapes[0].body_from_shape, change);
}
