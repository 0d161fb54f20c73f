//! Random models and small linear algebra shared by the tests of this crate.
#![allow(dead_code)]

use veracity_model::geometry::pose;
use veracity_model::inertia::LogCholesky;
use veracity_model::{Body, BodyId, Inertia, Joint, JointKind, Model, ModelBuilder, Vec3};

/// A reproducible stream of numbers (splitmix64).
pub struct Stream(pub u64);

impl Stream {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in (low, high).
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    pub fn vector(&mut self, size: f64) -> Vec3 {
        Vec3::new(self.uniform(-size, size), self.uniform(-size, size), self.uniform(-size, size))
    }

    pub fn axis(&mut self) -> Vec3 {
        loop {
            let v = self.vector(1.0);
            if (0.1..1.0).contains(&v.norm()) {
                return v.normalize();
            }
        }
    }
}

/// A random joint of the `index`-th kind.
pub fn joint_kind(index: usize, s: &mut Stream) -> JointKind {
    match index % 9 {
        0 => JointKind::Revolute { axis: s.axis() },
        1 => JointKind::Prismatic { axis: s.axis() },
        2 => JointKind::Screw { axis: s.axis(), pitch: s.uniform(-0.3, 0.3) },
        3 => JointKind::Universal { axis1: s.axis(), axis2: s.axis() },
        4 => JointKind::Ball,
        5 => {
            let x_axis = s.axis();
            JointKind::Planar { x_axis, y_axis: x_axis.cross(&s.axis()).normalize() }
        }
        6 => JointKind::Free,
        7 => JointKind::Continuous { axis: s.axis() },
        _ => JointKind::Fixed,
    }
}

/// A tree of `count` bodies with every kind of joint, random frames and physically possible inertias.
pub fn random_tree(count: usize, seed: u64) -> Model {
    let mut s = Stream(seed);
    let mut builder = ModelBuilder::new("random");
    for i in 0..count {
        let theta = [
            s.uniform(-0.5, 0.5),
            s.uniform(-2.0, -1.0),
            s.uniform(-2.0, -1.0),
            s.uniform(-2.0, -1.0),
            s.uniform(-0.1, 0.1),
            s.uniform(-0.1, 0.1),
            s.uniform(-0.1, 0.1),
            s.uniform(-0.2, 0.2),
            s.uniform(-0.2, 0.2),
            s.uniform(-0.2, 0.2),
        ];
        let body = Body::new(format!("b{i}"), Inertia::from_log_cholesky(&LogCholesky { theta }));
        let parent = if i == 0 { None } else { Some(BodyId((s.bits() % i as u64) as usize)) };
        // The first nine bodies cover every kind; after that kinds are random.
        let kind = joint_kind(if i < 9 { i } else { (s.bits() % 9) as usize }, &mut s);
        let frame = pose(s.vector(0.5), s.vector(3.0).into());
        let mut joint = Joint::new(format!("j{i}"), kind).at(frame);
        joint.child_from_joint = pose(s.vector(0.2), s.vector(3.0).into());
        if kind != JointKind::Free {
            let armature = s.uniform(0.0, 0.1);
            joint = joint.each_dof(|d| d.armature = armature);
        }
        builder.add_body(body, joint, parent);
    }
    builder.build().expect("a random tree is a model")
}

/// Random positions on the manifold and velocities.
pub fn random_state(system: &veracity_dynamics::System, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut s = Stream(seed);
    let mut q = system.neutral_positions().to_vec();
    let step: Vec<f64> = (0..system.dof_count()).map(|_| s.uniform(-2.0, 2.0)).collect();
    veracity_dynamics::kinematics::advance(system, &mut q, &step, 1.0);
    let v = (0..system.dof_count()).map(|_| s.uniform(-3.0, 3.0)).collect();
    (q, v)
}

pub fn norm(x: &[f64]) -> f64 {
    x.iter().map(|a| a * a).sum::<f64>().sqrt()
}

/// `M x` for a matrix by rows.
pub fn multiply(m: &[f64], x: &[f64]) -> Vec<f64> {
    m.chunks_exact(x.len()).map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum()).collect()
}

/// A model of `scenarios/`, with its sidecar file.
pub fn shipped(name: &str) -> veracity_model::import::Imported {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(name);
    let imported = veracity_model::import::load(&path, &Default::default());
    assert!(imported.world.is_some(), "{}", imported.findings);
    imported
}

/// Whether claims run at full size: `cargo xtask acceptance`.
pub fn full_size() -> bool {
    std::env::var_os("VERACITY_FULL").is_some()
}

/// Slope of log(error) over log(step) by least squares.
pub fn observed_order(steps: &[f64], errors: &[f64]) -> f64 {
    let n = steps.len() as f64;
    let (x, y): (Vec<f64>, Vec<f64>) =
        (steps.iter().map(|h| h.ln()).collect(), errors.iter().map(|e| e.ln()).collect());
    let (mx, my) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let top: f64 = x.iter().zip(&y).map(|(a, b)| (a - mx) * (b - my)).sum();
    top / x.iter().map(|a| (a - mx).powi(2)).sum::<f64>()
}
