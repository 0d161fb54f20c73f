//! The subject of a comparison: one file as we read it, with random states.

use crate::support::{Stream, random_state};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use veracity_dynamics::System;
use veracity_model::import::{Base, ImportOptions, load};
use veracity_model::{JointKind, Pose, World};

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    Urdf,
    Sdf,
    Mjcf,
}

/// A state and the efforts with which accelerations are compared.
#[derive(Clone, Debug)]
pub struct State {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub tau: Vec<f64>,
}

/// A file read by us.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Its name on the page.
    pub name: String,
    pub file: PathBuf,
    pub format: Format,
    pub base: Base,
    pub world: World,
    pub system: System,
    pub states: Vec<State>,
}

impl Format {
    pub fn of(path: &Path) -> Self {
        match path.extension().and_then(|e| e.to_str()) {
            Some("urdf") => Format::Urdf,
            Some("sdf") => Format::Sdf,
            _ => Format::Mjcf,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Format::Urdf => "URDF",
            Format::Sdf => "SDF",
            Format::Mjcf => "MJCF",
        }
    }
}

impl Subject {
    /// Reads the file, with the given base or the default one; the error is the first finding that made it
    /// impossible.
    pub fn read(name: &str, file: &Path, base: Option<Base>, states: usize) -> Result<Self, String> {
        let options = ImportOptions { base, ..ImportOptions::default() };
        let imported = load(file, &options);
        let Some(world) = imported.world else {
            let errors = || imported.findings.iter().filter(|f| f.severity == veracity_model::Severity::Error);
            let first = errors().next().or(imported.findings.iter().last());
            let line = |f: &veracity_model::Finding| f.source.as_ref().map_or(0, |s| s.line);
            return Err(match first {
                Some(f) => format!("line {}: [{}] {}", line(f), f.code, f.text),
                None => "no world and no finding".into(),
            });
        };
        Self::new(name, file, world, states)
    }

    /// From a world that was read from the file, perhaps changed since.
    pub fn new(name: &str, file: &Path, world: World, states: usize) -> Result<Self, String> {
        let system = System::new(&world).map_err(|e| e.to_string())?;
        let mut stream = Stream(seed(name));
        let states = (0..states)
            .map(|_| {
                let (q, v) = random_state(&system, stream.bits());
                State { tau: (0..system.dof_count()).map(|_| stream.uniform(-5.0, 5.0)).collect(), q, v }
            })
            .collect();
        let floats = world.placements.iter().flat_map(|p| p.model.joints()).any(|j| {
            // A peer needs to know whether the root of a URDF is free.
            j.parent.is_none() && j.kind == JointKind::Free
        });
        let base = if floats { Base::Free } else { Base::Fixed };
        Ok(Self { name: name.into(), file: file.into(), format: Format::of(file), base, world, system, states })
    }

    /// The line sent to a peer; `job_server.py` describes it.
    pub fn job(&self, id: usize) -> Value {
        let states: Vec<Value> = self.states.iter().map(|s| json!({ "q": s.q, "v": s.v })).collect();
        json!({
            "id": id,
            "file": self.file,
            "format": self.format.name().to_lowercase(),
            "base": if self.base == Base::Free { "free" } else { "fixed" },
            "gravity": self.world.gravity.as_slice(),
            "joints": self.joints(),
            "states": states,
        })
    }

    /// Every joint that moves, with its place in `q` and `v`.
    fn joints(&self) -> Vec<Value> {
        let mut list = Vec::new();
        let (mut q, mut v) = (0, 0);
        for placement in &self.world.placements {
            for joint in placement.model.joints() {
                let root = joint.parent.is_none();
                let world_from_joint =
                    if root { placement.world_from_model * joint.parent_from_joint } else { Pose::identity() };
                if joint.kind != JointKind::Fixed {
                    list.push(json!({
                        "model": placement.name,
                        "name": joint.name,
                        "kind": joint.kind.name(),
                        "q": q,
                        "v": v,
                        "root": root,
                        "child": placement.model.body(joint.child).name,
                        "world_from_joint": numbers(&world_from_joint),
                        "child_from_joint": numbers(&joint.child_from_joint),
                    }));
                }
                q += joint.kind.position_count();
                v += joint.kind.dof_count();
            }
        }
        list
    }
}

/// x y z and the quaternion w x y z.
fn numbers(pose: &Pose) -> [f64; 7] {
    let (t, r) = (pose.translation.vector, pose.rotation);
    [t.x, t.y, t.z, r.w, r.i, r.j, r.k]
}

/// Seed of a file's states: depends on its name only, not on other files (FNV-1a).
fn seed(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}
