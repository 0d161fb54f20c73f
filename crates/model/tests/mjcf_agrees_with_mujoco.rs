//! MuJoCo is the judge of what an MJCF file means: masses, frames, joints, shapes, actuators and contact pairs of
//! every file must be those of MuJoCo's compiled model.
//!
//! Needs a Python with `mujoco`, `pybullet` and `gymnasium`, named by `VERACITY_PYTHON`; without it the tests say so
//! and pass.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use veracity_model::import::{ImportOptions, load};
use veracity_model::{
    BodyId, CollisionFilter, Drive, JointId, JointKind, Mat3, Model, Pose, Quat, Shape, Transmission, Vec3, World,
};

/// Both sides compute in f64 from the same decimal numbers; sums over geoms and eigenvector products leave some
/// roundings, far below this.
const EXACT: f64 = 1e-9;
/// MuJoCo keeps mesh vertices in f32.
const MESH: f64 = 3e-7;

#[test]
fn every_mjcf_in_the_wheels_loads_as_in_mujoco_or_is_refused_by_both() {
    let Some(peers) = ask_mujoco(&["--wheels".into()]) else { return };
    let mut lines = Vec::new();
    let mut failures = Vec::new();
    for peer in &peers {
        let key = peer["key"].as_str().unwrap();
        let ours = load(Path::new(peer["file"].as_str().unwrap()), &ImportOptions::default());
        let verdict = match (&ours.world, peer.get("refused")) {
            (None, Some(reason)) => format!("refused by both ({})", reason.as_str().unwrap().lines().next().unwrap()),
            (Some(_), Some(_)) => "WRONG: loads here, MuJoCo refuses".into(),
            (None, None) => format!("WRONG: MuJoCo loads it, here: {}", ours.findings),
            (Some(world), None) => match differences(world, peer, EXACT) {
                list if list.is_empty() => match peer["repaired"].as_str() {
                    Some(repair) => format!("agrees, after a repair MuJoCo needs ({repair})"),
                    None => "agrees".into(),
                },
                list => format!("WRONG:\n    {}", list.join("\n    ")),
            },
        };
        lines.push(format!("{key}: {verdict}"));
        if verdict.starts_with("WRONG") {
            failures.push(lines.last().unwrap().clone());
        }
    }
    println!("{}", lines.join("\n"));
    // 26 files in pybullet_data and 14 in gymnasium: fewer means that the wheels were not found.
    assert!(lines.len() >= 40, "only {} files were found", lines.len());
    assert!(failures.is_empty(), "{} of {} files differ:\n{}", failures.len(), lines.len(), failures.join("\n"));
}

#[test]
fn our_own_documents_mean_the_same_to_mujoco() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mjcf");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "xml"));
    files.sort();
    assert!(!files.is_empty());
    let names: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
    let Some(peers) = ask_mujoco(&names) else { return };
    for (file, peer) in files.iter().zip(&peers) {
        let ours = load(file, &ImportOptions::default());
        let world = ours.world.unwrap_or_else(|| panic!("{}", ours.findings));
        assert_eq!(peer.get("refused"), None, "{}", file.display());
        let tolerance = if file.to_string_lossy().contains("mesh") { MESH } else { EXACT };
        let list = differences(&world, peer, tolerance);
        assert!(list.is_empty(), "{}:\n{}", file.display(), list.join("\n"));
    }
}

#[test]
fn a_changed_mass_or_frame_is_noticed() {
    // The comparison itself must be able to fail.
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mjcf/joints.xml");
    let Some(peers) = ask_mujoco(&[file.display().to_string()]) else { return };
    let text = std::fs::read_to_string(&file).unwrap();
    for (old, new) in [("mass=\"2\"", "mass=\"2.0001\""), ("ref=\"20\"", "ref=\"20.01\""), ("damping=\"0.3\"", "")] {
        assert!(text.contains(old), "{old}");
        let changed = text.replace(old, new);
        let ours = veracity_model::import::load_bytes(changed.as_bytes(), &file, &ImportOptions::default());
        let list = differences(&ours.world.unwrap(), &peers[0], EXACT);
        assert!(!list.is_empty(), "{old} -> {new}");
    }
}

/// What MuJoCo says of these files; `None` without a Python to ask.
fn ask_mujoco(arguments: &[String]) -> Option<Vec<Value>> {
    let Some(python) = std::env::var_os("VERACITY_PYTHON") else {
        println!("VERACITY_PYTHON is not set: not compared with MuJoCo");
        return None;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/mujoco_model.py");
    let output = Command::new(python).arg(script).args(arguments).output().expect("VERACITY_PYTHON can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).expect("the script prints JSON"))
}

/// Collects what differs.
struct Comparison {
    tolerance: f64,
    list: Vec<String>,
}

impl Comparison {
    fn numbers(&mut self, what: &str, ours: &[f64], theirs: &[f64]) {
        // Relative to the largest number of the group: the components of one vector share their roundings.
        let scale =
            theirs.iter().chain(ours).fold(1e-12_f64, |max, x| if x.is_finite() { max.max(x.abs()) } else { max });
        let same = |(a, b): (&f64, &f64)| a == b || (a - b).abs() <= self.tolerance * scale.max(1e-3);
        if ours.len() != theirs.len() || !ours.iter().zip(theirs).all(same) {
            self.list.push(format!("{what}: ours {ours:?}, MuJoCo {theirs:?}"));
        }
    }

    fn pose(&mut self, what: &str, ours: &Pose, position: &Value, rotation: &Value) {
        let place = numbers(position);
        let rows: Vec<f64> = rotation.as_array().unwrap().iter().flat_map(numbers).collect();
        // Lengths of a robot are of the order of a metre.
        let p = ours.translation.vector;
        let scale = place.iter().fold(1.0_f64, |max, x| max.max(x.abs()));
        let off = (p - Vec3::from_column_slice(&place)).norm();
        let turn = (ours.rotation.to_rotation_matrix().matrix() - Mat3::from_row_slice(&rows)).norm();
        if off > self.tolerance * scale || turn > self.tolerance {
            self.list.push(format!("{what}: off by {off:e} m and {turn:e}"));
        }
    }

    fn check(&mut self, what: &str, same: bool) {
        if !same {
            self.list.push(what.to_string());
        }
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn differences(world: &World, peer: &Value, tolerance: f64) -> Vec<String> {
    let mut c = Comparison { tolerance, list: Vec::new() };
    let model = &world.placements[0].model;
    c.numbers("gravity", world.gravity.as_slice(), &numbers(&peer["gravity"]));

    let configurations = peer["configurations"].as_array().unwrap();
    c.numbers("initial positions", &model.initial_positions(), &numbers(&configurations[0]["qpos"]));
    let bodies = peer["bodies"].as_array().unwrap();
    let ids: Vec<Option<BodyId>> = bodies.iter().enumerate().map(|(i, body)| find_body(model, i, body)).collect();
    for configuration in configurations {
        let poses = forward_kinematics(model, &numbers(&configuration["qpos"]));
        for (i, id) in ids.iter().enumerate().skip(1) {
            match id {
                Some(id) => c.pose(
                    &format!("frame of {}", model.body(*id).name),
                    &poses[id.0],
                    &configuration["xpos"][i],
                    &configuration["xmat"][i],
                ),
                None => c.check(&format!("body {i} is missing"), false),
            }
        }
    }
    let initial = forward_kinematics(model, &model.initial_positions());
    let mut joints = Vec::new();
    let mut geoms = Vec::new();
    for (body, id) in bodies.iter().zip(&ids) {
        let Some(id) = id else { continue };
        compare_mass(&mut c, model, *id, body);
        joints.extend(compare_joints(&mut c, model, *id, body));
        geoms.extend(compare_geoms(&mut c, model, *id, &initial[id.0], body));
    }
    c.check("number of joints", model.joints().iter().filter(|j| j.kind != JointKind::Fixed).count() == joints.len());
    compare_actuators(&mut c, model, &joints, peer);
    compare_contacts(&mut c, model, &geoms, peer);
    compare_keyframes(&mut c, model, peer);
    c.list
}

/// The model's body for MuJoCo's; the world counts only when it has shapes.
fn find_body(model: &Model, index: usize, body: &Value) -> Option<BodyId> {
    let name = body["name"].as_str().unwrap();
    model.body_named(&if name.is_empty() { format!("body#{index}") } else { name.to_string() })
}

/// A second opinion on the joint frames: written for this test, from the definition of a joint alone.
fn forward_kinematics(model: &Model, q: &[f64]) -> Vec<Pose> {
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

fn compare_mass(c: &mut Comparison, model: &Model, id: BodyId, body: &Value) {
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
fn compare_joints(c: &mut Comparison, model: &Model, id: BodyId, body: &Value) -> Vec<JointId> {
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

fn body_name<'m>(model: &'m Model, chain: &[JointId]) -> &'m str {
    chain.last().map_or("", |last| model.body(BodyId(last.0)).name.as_str())
}

/// Compares the shapes of a body and returns (body, shape) in MuJoCo's order.
fn compare_geoms(
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

fn compare_actuators(c: &mut Comparison, model: &Model, joints: &[JointId], peer: &Value) {
    let theirs = peer["actuators"].as_array().unwrap();
    c.check("number of actuators", model.actuators().len() == theirs.len());
    for (ours, their) in model.actuators().iter().zip(theirs) {
        let name = &ours.name;
        let gear = numbers(&their["gear"]);
        match &ours.transmission {
            Transmission::Joint { joint, gear: ours, .. } => {
                let target = their["joint"].as_u64().map(|index| joints[index as usize]);
                c.check(&format!("joint of actuator {name}"), target == Some(*joint));
                let theirs = gear.iter().copied().find(|x| *x != 0.0).unwrap_or(0.0);
                c.numbers(&format!("gear of {name}"), &[*ours], &[theirs]);
            }
            Transmission::Tendon { gear: ours, .. } => {
                c.check(&format!("target of actuator {name}"), their["joint"].is_null());
                c.numbers(&format!("gear of {name}"), &[*ours], &gear[..1]);
            }
        }
        let law = match ours.drive {
            Drive::Effort { gain } => [gain, 0.0, 0.0, 0.0],
            Drive::Position { kp, kd } => [kp, 0.0, -kp, -kd],
            Drive::Velocity { kd } => [kd, 0.0, 0.0, -kd],
            Drive::Affine { gain, bias: [a, b, c] } => [gain, a, b, c],
        };
        let mut their_law = vec![number(&their["gain"])];
        their_law.extend(numbers(&their["bias"]));
        c.numbers(&format!("gain and bias of {name}"), &law, &their_law);
        for (ours, key) in [(ours.command_range, "ctrlrange"), (ours.effort_range, "forcerange")] {
            let none = vec![f64::NEG_INFINITY, f64::INFINITY];
            let theirs = their[key].as_array().map_or(none, |_| numbers(&their[key]));
            c.numbers(&format!("{key} of {name}"), &ours, &theirs);
        }
    }
}

/// The pairs of shapes that may touch, by the model's rules, against those that MuJoCo lets touch.
fn compare_contacts(c: &mut Comparison, model: &Model, geoms: &[(BodyId, usize)], peer: &Value) {
    // The body at the bottom of each group of bodies without a joint between them; `None` is the model frame.
    let bottom = |mut id: BodyId| loop {
        if model.joint(JointId(id.0)).kind != JointKind::Fixed {
            return Some(id);
        }
        match model.parent(id) {
            Some(parent) => id = parent,
            None => return None,
        }
    };
    let surface_only = |shape: &Shape| matches!(shape, Shape::Plane | Shape::HeightField(_));
    let mut ours = Vec::new();
    for (i, (a, k)) in geoms.iter().enumerate() {
        for (j, (b, l)) in geoms.iter().enumerate().skip(i + 1) {
            let (s, t) = (&model.body(*a).shapes[*k], &model.body(*b).shapes[*l]);
            let (low, high) = if a <= b { (*a, *b) } else { (*b, *a) };
            let filtered = model.collision_filters().contains(&CollisionFilter { a: low, b: high });
            let apart = bottom(*a) != bottom(*b);
            if s.may_touch(t) && apart && !filtered && !(surface_only(&s.shape) && surface_only(&t.shape)) {
                ours.push(vec![i as f64, j as f64]);
            }
        }
    }
    let theirs: Vec<Vec<f64>> = peer["touching"].as_array().unwrap().iter().map(numbers).collect();
    let missing: Vec<_> = theirs.iter().filter(|pair| !ours.contains(pair)).collect();
    let extra: Vec<_> = ours.iter().filter(|pair| !theirs.contains(pair)).collect();
    let text = format!("geom pairs that touch only in MuJoCo: {missing:?}, only here: {extra:?}");
    c.check(&text, missing.is_empty() && extra.is_empty());
}

fn compare_keyframes(c: &mut Comparison, model: &Model, peer: &Value) {
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
