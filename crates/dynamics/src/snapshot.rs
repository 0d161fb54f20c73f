//! Snapshots: saving a simulation and continuing it exactly.

use crate::integrate::{self, State};
use crate::simulation::{IntegrationTotals, SimulationError, SmoothSimulation};

/// Everything needed to continue exactly: opaque to callers, versioned for files.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    integrator: &'static str,
    state: State,
    memory: Vec<f64>,
    total: IntegrationTotals,
}

const SNAPSHOT_MAGIC: &[u8; 8] = b"VERASNP2";

impl SmoothSimulation {
    /// A snapshot of the present state.
    pub fn snapshot(&self) -> Snapshot {
        let mut memory = Vec::new();
        self.integrator.memory(&mut memory);
        Snapshot { integrator: self.entry.name, state: self.state.clone(), memory, total: self.total }
    }

    /// Restores a snapshot.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SimulationError> {
        let (nq, nv) = (self.system.position_count(), self.system.dof_count());
        if snapshot.integrator != self.entry.name {
            let text =
                format!("it was made by the integrator '{}', this is '{}'", snapshot.integrator, self.entry.name);
            return Err(SimulationError::Snapshot(text));
        }
        if snapshot.state.q.len() != nq || snapshot.state.v.len() != nv {
            let (q, v) = (snapshot.state.q.len(), snapshot.state.v.len());
            return Err(SimulationError::StateSize { q, v, nq, nv });
        }
        let mut memory = Vec::new();
        self.integrator.memory(&mut memory);
        if memory.len() != snapshot.memory.len() {
            let text = format!("it has {} numbers of integrator memory, not {}", snapshot.memory.len(), memory.len());
            return Err(SimulationError::Snapshot(text));
        }
        self.state.clone_from(&snapshot.state);
        self.integrator.set_memory(&snapshot.memory);
        self.total = snapshot.total;
        Ok(())
    }
}

impl Snapshot {
    /// As bytes for a file or another process.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = SNAPSHOT_MAGIC.to_vec();
        let mut put = |values: &[f64]| {
            out.extend((values.len() as u64).to_le_bytes());
            values.iter().for_each(|x| out.extend(x.to_le_bytes()));
        };
        put(&[self.state.time]);
        put(&self.state.q);
        put(&self.state.v);
        put(&self.memory);
        // Counts below 2⁵³ are exact.
        put(&[self.total.steps as f64, self.total.evaluations as f64, self.total.rejected as f64]);
        out.extend(self.integrator.as_bytes());
        out
    }

    /// From bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SimulationError> {
        let broken = || SimulationError::Snapshot("it is not a snapshot of this version, or it is truncated".into());
        let mut rest = bytes.strip_prefix(SNAPSHOT_MAGIC.as_slice()).ok_or_else(broken)?;
        let mut take = || -> Result<Vec<f64>, SimulationError> {
            let (head, tail) = rest.split_at_checked(8).ok_or_else(broken)?;
            let count = u64::from_le_bytes(head.try_into().map_err(|_| broken())?);
            let size = usize::try_from(count).ok().and_then(|n| n.checked_mul(8)).ok_or_else(broken)?;
            let (body, tail) = tail.split_at_checked(size).ok_or_else(broken)?;
            rest = tail;
            let number = |c: &[u8]| f64::from_le_bytes([c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]]);
            Ok(body.chunks_exact(8).map(number).collect())
        };
        let time = take()?.first().copied().ok_or_else(broken)?;
        let (q, v, memory) = (take()?, take()?, take()?);
        let [steps, evaluations, rejected] = take()?[..] else {
            return Err(broken());
        };
        let total =
            IntegrationTotals { steps: steps as u64, evaluations: evaluations as u64, rejected: rejected as u64 };
        let name = std::str::from_utf8(rest).map_err(|_| broken())?;
        let entry = integrate::find(name).ok_or_else(broken)?;
        Ok(Self { integrator: entry.name, state: State { time, q, v }, memory, total })
    }
}
