//! PyBullet wrote the SDF files in its package and is their judge: link frames, joints, masses and the mass matrix of
//! every file must be PyBullet's.
//!
//! Needs a Python with `pybullet`, named by `VERACITY_PYTHON`; without it the tests say so and pass.

mod sdf_kinematics;

use nalgebra as na;
use sdf_kinematics::body_poses;
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use veracity_model::import::{ImportOptions, load, load_bytes};
use veracity_model::{JointKind, Model, Placement, Pose, Quat, Vec3, World};

/// PyBullet hands out link frames in single precision: a few roundings of 6e-8 at distances of two metres.
const SAME_PLACE: f64 = 1e-6;
/// Relative to the largest entry of the matrix, which comes in double precision.
const SAME_MASS_MATRIX: f64 = 1e-9;

#[test]
fn every_sdf_in_the_package_moves_as_in_pybullet() {
    let Some(peers) = ask_pybullet() else { return };
    let mut wrong = Vec::new();
    for peer in &peers {
        let key = peer["key"].as_str().unwrap();
        let ours = load(Path::new(peer["file"].as_str().unwrap()), &ImportOptions::default());
        let verdict = match (&ours.world, peer.get("bodies")) {
            (Some(world), Some(_)) => match differences(world, peer) {
                list if list.is_empty() => match peer["repaired"].as_str() {
                    Some(repair) => format!("agrees, after a repair PyBullet needs ({repair})"),
                    None => "agrees".into(),
                },
                list => format!("WRONG:\n    {}", list.join("\n    ")),
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
        let list = differences(&changed.world.unwrap(), peer);
        assert!(!list.is_empty(), "{new} was not noticed");
    }
}

fn ask_pybullet() -> Option<Vec<Value>> {
    let Some(python) = std::env::var_os("VERACITY_PYTHON") else {
        println!("VERACITY_PYTHON is not set: not compared with PyBullet");
        return None;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/pybullet_sdf.py");
    let output = Command::new(python).arg(script).output().expect("VERACITY_PYTHON can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).expect("the script prints JSON"))
}

fn differences(world: &World, peer: &Value) -> Vec<String> {
    let bodies = peer["bodies"].as_array().unwrap();
    let mut list = Vec::new();
    if bodies.len() != world.placements.len() {
        return vec![format!("{} models, PyBullet has {}", world.placements.len(), bodies.len())];
    }
    for (placement, body) in world.placements.iter().zip(bodies) {
        compare(placement, body, &mut list);
    }
    list
}

fn compare(placement: &Placement, body: &Value, list: &mut Vec<String>) {
    let model = &placement.model;
    let mut q = model.neutral_positions();
    let mut moving = Vec::new();
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
            q[model.position_offset(id)] = theirs["q"].as_f64().unwrap();
            let limits = [("lower", dof.lower), ("upper", dof.upper), ("effort", dof.effort_limit)];
            let more = [("velocity", dof.velocity_limit), ("damping", dof.damping)];
            let continuous = matches!(ours.kind, JointKind::Continuous { .. });
            for (what, value) in limits.into_iter().chain(more) {
                // PyBullet writes "none" as 0 .. -1, or leaves 0.
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
        // To PyBullet what is fixed to the world has no mass.
        let immovable = model.joint(veracity_model::JointId(id.0)).parent.is_none() && mass == 0.0;
        if (ours.mass != mass && !immovable) || (ours.com - three(&theirs["com"])).norm() > SAME_PLACE {
            list.push(format!("{name}: mass {} at {}, PyBullet {mass}", ours.mass, ours.com));
        }
    }
    if let Some(rows) = body["mass_matrix"].as_array() {
        let ours = mass_matrix(model, &q, &moving);
        let n = moving.len();
        let theirs = na::DMatrix::from_fn(n, n, |r, c| rows[r][c].as_f64().unwrap());
        let off = (&ours - &theirs).amax() / theirs.amax();
        if off > SAME_MASS_MATRIX {
            list.push(format!("the mass matrix is off by {off:e}:\n{ours}{theirs}"));
        }
    }
}

/// `M = Σ Jᵀ I J` over the bodies, for joints of one degree of freedom, from the definition.
fn mass_matrix(model: &Model, q: &[f64], joints: &[usize]) -> na::DMatrix<f64> {
    let poses = body_poses(model, q);
    let carries = |joint: usize, mut body: usize| loop {
        if body == joint {
            return true;
        }
        match model.joints()[body].parent {
            Some(parent) => body = parent.0,
            None => return false,
        }
    };
    let mut matrix = na::DMatrix::zeros(joints.len(), joints.len());
    for (k, body) in model.bodies().iter().enumerate() {
        let rotation = poses[k].rotation.to_rotation_matrix();
        let com = poses[k] * na::Point3::from(body.inertia.com);
        let tensor = rotation * body.inertia.tensor * rotation.transpose();
        let jacobian: Vec<Option<(Vec3, Vec3)>> = joints
            .iter()
            .map(|&j| {
                let joint = &model.joints()[j];
                let at = poses[j] * joint.child_from_joint;
                carries(j, k).then(|| match joint.kind {
                    JointKind::Revolute { axis } | JointKind::Continuous { axis } => {
                        let axis = at.rotation * axis;
                        (axis, axis.cross(&(com.coords - at.translation.vector)))
                    }
                    JointKind::Prismatic { axis } => (Vec3::zeros(), at.rotation * axis),
                    _ => unreachable!("the files have no other joints"),
                })
            })
            .collect();
        for (r, a) in jacobian.iter().enumerate() {
            for (c, b) in jacobian.iter().enumerate() {
                if let (Some((wa, va)), Some((wb, vb))) = (a, b) {
                    matrix[(r, c)] += wa.dot(&(tensor * wb)) + body.inertia.mass * va.dot(vb);
                }
            }
        }
    }
    matrix
}

fn three(value: &Value) -> Vec3 {
    Vec3::from_iterator(value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()))
}

fn four(value: &Value) -> [f64; 4] {
    std::array::from_fn(|i| value[i].as_f64().unwrap())
}
