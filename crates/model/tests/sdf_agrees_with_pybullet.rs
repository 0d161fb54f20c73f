//! PyBullet defines the meaning of the SDF files in its package: link frames, joints, masses, the mass matrix and the
//! bias forces of every file must equal PyBullet's.
//!
//! Needs a Python with `pybullet`, named by `VERACITY_PYTHON`; without it the tests print that and pass.

mod sdf_kinematics;

use nalgebra as na;
use sdf_kinematics::body_poses;
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use veracity_model::import::{ImportOptions, load, load_bytes};
use veracity_model::{JointKind, Mat3, Model, Placement, Pose, Quat, Vec3, World};

/// PyBullet returns link frames in single precision: a few roundings of 6e-8 at distances of two metres.
const SAME_PLACE: f64 = 1e-6;
/// Relative to the largest entry of the matrix or the efforts, which are in double precision.
const SAME_DYNAMICS: f64 = 1e-9;

#[test]
fn every_sdf_in_the_package_moves_as_in_pybullet() {
    let Some(peers) = ask_pybullet() else { return };
    let mut wrong = Vec::new();
    for peer in peers {
        let key = peer["key"].as_str().unwrap();
        let ours = load(Path::new(peer["file"].as_str().unwrap()), &ImportOptions::default());
        let verdict = match (&ours.world, peer.get("bodies")) {
            (Some(world), Some(_)) => match differences(world, peer) {
                (list, worst) if list.is_empty() => match peer["repaired"].as_str() {
                    Some(repair) => format!("agrees to {worst:.0e}, after a repair PyBullet needs ({repair})"),
                    None => format!("agrees to {worst:.0e}"),
                },
                (list, _) => format!("WRONG:\n    {}", list.join("\n    ")),
            },
            (None, _) => format!("WRONG: refused:\n{}", ours.findings),
            (Some(_), None) => format!("WRONG: PyBullet fails on it ({})", peer["reason"]),
        };
        println!("{key}: {verdict}");
        if verdict.starts_with("WRONG") {
            wrong.push(format!("{key}: {verdict}"));
        }
    }
    assert_eq!(peers.len(), 15, "the package was not found or has changed");
    assert!(wrong.is_empty(), "{} of {} files differ:\n{}", wrong.len(), peers.len(), wrong.join("\n"));
}

#[test]
fn a_changed_axis_mass_or_pose_is_noticed() {
    // The comparison itself must be able to fail.
    let Some(peers) = ask_pybullet() else { return };
    let peer = peers.iter().find(|p| p["key"] == "kuka_iiwa/model.sdf").unwrap();
    let file = Path::new(peer["file"].as_str().unwrap());
    let text = std::fs::read_to_string(file).unwrap();
    for (old, new) in [
        ("<mass>2.7</mass>", "<mass>2.70001</mass>"),
        ("<pose>0 0 0.36 1.5708 -0 -3.14159</pose>", "<pose>0 0 0.36 1.5708 -0 -3.1416</pose>"),
        ("<use_parent_model_frame>0</use_parent_model_frame>", "<use_parent_model_frame>1</use_parent_model_frame>"),
        (
            "<ixx>0.05</ixx>\n          <ixy>0</ixy>\n          <ixz>0</ixz>\n          <iyy>0.018",
            "<ixx>0.051</ixx><iyy>0.018",
        ),
        ("<damping>0.5</damping>", "<damping>0.6</damping>"),
    ] {
        assert!(text.contains(old), "{old}");
        let changed = load_bytes(text.replace(old, new).as_bytes(), file, &ImportOptions::default());
        let (list, _) = differences(&changed.world.unwrap(), peer);
        assert!(!list.is_empty(), "{new} was not noticed");
    }
}

/// PyBullet's description of every file, queried once.
fn ask_pybullet() -> Option<&'static Vec<Value>> {
    static ANSWER: OnceLock<Option<Vec<Value>>> = OnceLock::new();
    let ask = || {
        let Some(python) = std::env::var_os("VERACITY_PYTHON") else {
            println!("VERACITY_PYTHON is not set: not compared with PyBullet");
            return None;
        };
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/pybullet_sdf.py");
        let output = Command::new(python).arg(script).output().expect("VERACITY_PYTHON can be run");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Some(serde_json::from_slice(&output.stdout).expect("the script prints JSON"))
    };
    ANSWER.get_or_init(ask).as_ref()
}

/// The differences, and the largest relative difference of mass matrices and bias forces.
fn differences(world: &World, peer: &Value) -> (Vec<String>, f64) {
    let bodies = peer["bodies"].as_array().unwrap();
    let mut list = Vec::new();
    let mut worst = 0.0;
    if bodies.len() != world.placements.len() {
        list.push(format!("{} models, PyBullet has {}", world.placements.len(), bodies.len()));
    }
    for (placement, body) in world.placements.iter().zip(bodies) {
        worst = compare(placement, body, world.gravity, &mut list).max(worst);
    }
    (list, worst)
}

fn compare(placement: &Placement, body: &Value, gravity: Vec3, list: &mut Vec<String>) -> f64 {
    let model = &placement.model;
    let mut q = model.neutral_positions();
    let mut moving = Vec::new();
    let mut speeds = vec![0.0; model.joints().len()];
    for theirs in body["joints"].as_array().unwrap() {
        let name = theirs["name"].as_str().unwrap();
        let Some(id) = model.joint_named(name) else {
            list.push(format!("no joint {name}"));
            continue;
        };
        let ours = model.joint(id);
        let kind = match ours.kind {
            JointKind::Revolute { .. } | JointKind::Continuous { .. } => "revolute",
            other => other.name(),
        };
        if kind != theirs["kind"] {
            list.push(format!("{name} is {kind}, PyBullet's is {}", theirs["kind"]));
            continue;
        }
        let end = |id| model.body(id).name.as_str();
        let ends = [ours.parent.map_or("", end), end(ours.child)];
        if ends != [theirs["parent"].as_str().unwrap(), theirs["child"].as_str().unwrap()]
            // The joint to the world that PyBullet cannot read.
            && ours.parent.is_some()
        {
            list.push(format!("{name} joins {ends:?}, PyBullet's {} and {}", theirs["parent"], theirs["child"]));
        }
        if let Some(dof) = ours.dofs.first() {
            moving.push(id.0);
            speeds[id.0] = theirs["v"].as_f64().unwrap();
            q[model.position_offset(id)] = theirs["q"].as_f64().unwrap();
            let limits = [("lower", dof.lower), ("upper", dof.upper), ("effort", dof.effort_limit)];
            let more = [("velocity", dof.velocity_limit), ("damping", dof.damping)];
            let continuous = matches!(ours.kind, JointKind::Continuous { .. });
            for (what, value) in limits.into_iter().chain(more) {
                // PyBullet writes "no limit" as 0 .. -1, or leaves 0.
                if !(continuous && value.is_infinite()) && value != theirs[what].as_f64().unwrap() {
                    list.push(format!("{name}: {what} {value}, PyBullet {}", theirs[what]));
                }
            }
        }
    }
    let poses: Vec<Pose> = body_poses(model, &q).iter().map(|p| placement.world_from_model * p).collect();
    let links = body["links"].as_array().unwrap();
    if links.len() != model.bodies().len() {
        list.push(format!("{} links, PyBullet has {}", model.bodies().len(), links.len()));
    }
    for theirs in links {
        let name = theirs["name"].as_str().unwrap();
        let Some(id) = model.body_named(name) else {
            list.push(format!("no link {name}"));
            continue;
        };
        let (place, [x, y, z, w]) = (three(&theirs["position"]), four(&theirs["quaternion_xyzw"]));
        let theirs_at = Pose::from_parts(place.into(), Quat::new_normalize(na::Quaternion::new(w, x, y, z)));
        let off = (0..4).map(|i| {
            let p = if i == 3 { na::Point3::origin() } else { na::Point3::from(Vec3::ith(i, 1.0)) };
            (poses[id.0] * p - theirs_at * p).norm()
        });
        let off = off.fold(0.0, f64::max);
        if off > SAME_PLACE {
            list.push(format!("{name} is off by {off:e}"));
        }
        let ours = &model.body(id).inertia;
        let mass = theirs["mass"].as_f64().unwrap();
        // In PyBullet, bodies fixed to the world have no mass.
        let immovable = model.joint(veracity_model::JointId(id.0)).parent.is_none() && mass == 0.0;
        if (ours.mass != mass && !immovable) || (ours.com - three(&theirs["com"])).norm() > SAME_PLACE {
            list.push(format!("{name}: mass {} at {}, PyBullet {mass}", ours.mass, ours.com));
        }
    }
    let mut worst: f64 = 0.0;
    if let Some(rows) = body["mass_matrix"].as_array() {
        let ours = mass_matrix(model, &q, &moving);
        let n = moving.len();
        let theirs = na::DMatrix::from_fn(n, n, |r, c| rows[r][c].as_f64().unwrap());
        let off = (&ours - &theirs).amax() / theirs.amax();
        worst = worst.max(off);
        if off > SAME_DYNAMICS {
            list.push(format!("the mass matrix is off by {off:e}:\n{ours}{theirs}"));
        }
    }
    if let Some(theirs) = body["bias"].as_array() {
        let gravity = placement.world_from_model.rotation.inverse() * gravity;
        let ours = bias(model, &q, &speeds, gravity);
        let ours = na::DVector::from_iterator(moving.len(), moving.iter().map(|j| ours[*j]));
        let theirs = na::DVector::from_iterator(moving.len(), theirs.iter().map(|x| x.as_f64().unwrap()));
        let off = (&ours - &theirs).amax() / theirs.amax();
        worst = worst.max(off);
        if off > SAME_DYNAMICS {
            list.push(format!("the bias forces are off by {off:e}:\n{ours}{theirs}"));
        }
    }
    worst
}

/// A body's velocity per unit speed of a joint that carries it, in model axes: angular, and of the point `at`.
fn column(model: &Model, poses: &[Pose], joint: usize, at: &Vec3) -> (Vec3, Vec3) {
    let frame = poses[joint] * model.joints()[joint].child_from_joint;
    match model.joints()[joint].kind {
        JointKind::Revolute { axis } | JointKind::Continuous { axis } => {
            let axis = frame.rotation * axis;
            (axis, axis.cross(&(at - frame.translation.vector)))
        }
        JointKind::Prismatic { axis } => (Vec3::zeros(), frame.rotation * axis),
        // Fixed joints, and the free joint of a body that is at rest here.
        _ => (Vec3::zeros(), Vec3::zeros()),
    }
}

/// Joints from a body to the root.
fn carriers(model: &Model, body: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(body), |b| model.joints()[*b].parent.map(|p| p.0))
}

fn tensor_in_model(model: &Model, poses: &[Pose], body: usize) -> Mat3 {
    let rotation = poses[body].rotation.to_rotation_matrix();
    rotation * model.bodies()[body].inertia.tensor * rotation.transpose()
}

fn com_in_model(model: &Model, poses: &[Pose], body: usize) -> Vec3 {
    (poses[body] * na::Point3::from(model.bodies()[body].inertia.com)).coords
}

/// `M = Σ Jᵀ I J` over the bodies, for joints of one degree of freedom, from the definition.
fn mass_matrix(model: &Model, q: &[f64], joints: &[usize]) -> na::DMatrix<f64> {
    let poses = body_poses(model, q);
    let mut matrix = na::DMatrix::zeros(joints.len(), joints.len());
    for (k, body) in model.bodies().iter().enumerate() {
        let (com, tensor) = (com_in_model(model, &poses, k), tensor_in_model(model, &poses, k));
        let chain: Vec<usize> = carriers(model, k).collect();
        for (r, a) in joints.iter().enumerate().filter(|(_, j)| chain.contains(j)) {
            for (c, b) in joints.iter().enumerate().filter(|(_, j)| chain.contains(j)) {
                let ((wa, va), (wb, vb)) = (column(model, &poses, *a, &com), column(model, &poses, *b, &com));
                matrix[(r, c)] += wa.dot(&(tensor * wb)) + body.inertia.mass * va.dot(&vb);
            }
        }
    }
    matrix
}

/// Efforts at zero joint acceleration: `Σ Jᵀ (I α + ω × I ω, m (a - g))`, with velocities and accelerations propagated
/// from body to body at the joints' origins.
fn bias(model: &Model, q: &[f64], speeds: &[f64], gravity: Vec3) -> Vec<f64> {
    let poses = body_poses(model, q);
    let mut motions: Vec<[Vec3; 4]> = Vec::new();
    let mut efforts = vec![0.0; speeds.len()];
    // Velocity and acceleration of the point `at` of a body that moves as `[origin, ω, α, acceleration of origin]`.
    let acceleration = |[origin, w, alpha, a]: &[Vec3; 4], at: &Vec3| {
        let arm = at - origin;
        a + alpha.cross(&arm) + w.cross(&w.cross(&arm))
    };
    for (k, joint) in model.joints().iter().enumerate() {
        let origin = (poses[k] * joint.child_from_joint).translation.vector;
        let still = [origin, Vec3::zeros(), Vec3::zeros(), Vec3::zeros()];
        let parent = joint.parent.map_or(still, |p| motions[p.0]);
        let (turn, slide) = column(model, &poses, k, &origin);
        let (turn, slide) = (turn * speeds[k], slide * speeds[k]);
        // A slide's axis rotates with its parent: Coriolis.
        let a = acceleration(&parent, &origin) + 2.0 * parent[1].cross(&slide);
        let motion = [origin, parent[1] + turn, parent[2] + parent[1].cross(&turn), a];
        motions.push(motion);

        let inertia = &model.bodies()[k].inertia;
        let (com, tensor) = (com_in_model(model, &poses, k), tensor_in_model(model, &poses, k));
        let force = (acceleration(&motion, &com) - gravity) * inertia.mass;
        let torque = tensor * motion[2] + motion[1].cross(&(tensor * motion[1]));
        for j in carriers(model, k) {
            let (w, v) = column(model, &poses, j, &com);
            efforts[j] += w.dot(&torque) + v.dot(&force);
        }
    }
    efforts
}

fn three(value: &Value) -> Vec3 {
    Vec3::from_iterator(value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()))
}

fn four(value: &Value) -> [f64; 4] {
    std::array::from_fn(|i| value[i].as_f64().unwrap())
}
