//! The start of a scenario as stated: it is resolved again for every changed world.

use std::collections::BTreeMap;
use veracity_model::{Layout, World};

/// A start state as stated. Later entries override: first the keyframe of each model (or the pose in its file), then
/// joints.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Start {
    /// Keyframes, by placement.
    pub keyframes: BTreeMap<String, String>,
    /// Positions of joints by full name `placement/joint`, all numbers of the joint [rad or m, quaternions w x y z].
    pub positions: BTreeMap<String, Vec<f64>>,
    /// Velocities of joints by full name [rad/s or m/s].
    pub velocities: BTreeMap<String, Vec<f64>>,
}

impl Start {
    /// A start with exactly these arrays.
    pub fn exactly(world: &World, q: &[f64], v: &[f64]) -> Self {
        let layout = Layout::new(world);
        let mut start = Start::default();
        for joint in layout.joints.iter().filter(|j| j.kind.dof_count() > 0) {
            let (nq, nv) = (joint.kind.position_count(), joint.kind.dof_count());
            start.positions.insert(joint.name.clone(), q[joint.q..joint.q + nq].to_vec());
            start.velocities.insert(joint.name.clone(), v[joint.v..joint.v + nv].to_vec());
        }
        start
    }

    /// Positions and velocities in the order of the layout. Names that the world does not have are skipped: the reader
    /// has already reported them.
    pub fn resolve(&self, world: &World) -> (Vec<f64>, Vec<f64>) {
        let layout = Layout::new(world);
        let (mut q, mut v) = (Vec::new(), Vec::new());
        for placement in &world.placements {
            let model = &placement.model;
            let named = self.keyframes.get(&placement.name);
            match named.and_then(|name| model.keyframes().iter().find(|k| k.name == *name)) {
                Some(keyframe) => {
                    q.extend_from_slice(&keyframe.q);
                    v.extend_from_slice(&keyframe.v);
                }
                None => {
                    q.extend(model.initial_positions());
                    v.extend(std::iter::repeat_n(0.0, model.dof_count()));
                }
            }
        }
        for joint in &layout.joints {
            if let Some(values) = self.positions.get(&joint.name) {
                q[joint.q..joint.q + values.len()].copy_from_slice(values);
            }
            if let Some(values) = self.velocities.get(&joint.name) {
                v[joint.v..joint.v + values.len()].copy_from_slice(values);
            }
        }
        (q, v)
    }

    /// Adds the joints that differ from what this start resolves to.
    pub(crate) fn keep_changes(&mut self, world: &World, q: &[f64], v: &[f64]) {
        let (old_q, old_v) = self.resolve(world);
        for joint in &Layout::new(world).joints {
            let at = joint.q..joint.q + joint.kind.position_count();
            if q[at.clone()] != old_q[at.clone()] {
                self.positions.insert(joint.name.clone(), q[at].to_vec());
            }
            let at = joint.v..joint.v + joint.kind.dof_count();
            if v[at.clone()] != old_v[at.clone()] {
                self.velocities.insert(joint.name.clone(), v[at].to_vec());
            }
        }
    }
}
