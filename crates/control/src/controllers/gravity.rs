//! Efforts that hold a configuration against gravity, `h(q, 0)`, or accelerate it, `M a + h(q, 0)`, by recursive Newton-Euler.
//!
//! Springs between points are compensated as well; springs and friction of joints are not.

use super::ControllerSite;
use crate::error::ControlError;
use crate::signal_layout::Observation;
use veracity_dynamics::{System, Workspace, forces, kinematics, rnea};

pub(super) struct GravityCompensation {
    system: System,
    workspace: Workspace,
    /// Channel of each entry of `q` in the observation.
    channels: Vec<usize>,
    q: Vec<f64>,
    at_rest: Vec<f64>,
    efforts: Vec<f64>,
}

impl GravityCompensation {
    pub fn new(site: &ControllerSite<'_>) -> Result<Self, ControlError> {
        let system = System::new(site.setup.world)
            .map_err(|e| ControlError::new(format!("{}/gravity_compensation", site.place), e.to_string()))?;
        let (nq, nv) = (system.position_count(), system.dof_count());
        let workspace = Workspace::new(&system);
        let channels = site.sensing.position_channels().to_vec();
        Ok(Self { system, workspace, channels, q: vec![0.0; nq], at_rest: vec![0.0; nv], efforts: vec![0.0; nv] })
    }

    /// Holding efforts at the observed configuration; `None` until every encoder has delivered.
    pub fn efforts(&mut self, observation: &Observation) -> Option<&[f64]> {
        self.place(observation)?;
        rnea::bias_efforts(&self.system, &mut self.workspace, &mut self.efforts);
        Some(&self.efforts)
    }

    /// Efforts for these accelerations, from rest at the observed configuration; `None` until every encoder has delivered.
    pub fn efforts_for(&mut self, observation: &Observation, accelerations: &[f64]) -> Option<&[f64]> {
        self.place(observation)?;
        rnea::inverse_dynamics(&self.system, &mut self.workspace, accelerations, &mut self.efforts);
        Some(&self.efforts)
    }

    /// Length of `v`.
    pub fn dof_count(&self) -> usize {
        self.at_rest.len()
    }

    fn place(&mut self, observation: &Observation) -> Option<()> {
        for (q, channel) in self.q.iter_mut().zip(&self.channels) {
            *q = observation.values[*channel];
        }
        if self.q.iter().any(|q| q.is_nan()) {
            return None;
        }
        // Noise and quantisation leave quaternions a little off.
        kinematics::normalise(&self.system, &mut self.q);
        kinematics::velocities(&self.system, &mut self.workspace, &self.q, &self.at_rest);
        forces::set_applied_wrenches(&self.system, &mut self.workspace, &[]);
        Some(())
    }
}
