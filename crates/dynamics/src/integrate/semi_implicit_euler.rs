//! Semi-implicit (symplectic) Euler: `v₁ = v + h a(q, v)`, `q₁ = q ⊕ h v₁`. Order 1; used by most engines.

use super::{Integrator, IntegratorEntry, State, StepReport, begin_step, finish_step};
use crate::forward::{Efforts, Trouble, accelerations};
use crate::kinematics;
use crate::system::System;
use crate::workspace::Workspace;

pub(super) const ENTRY: IntegratorEntry = IntegratorEntry {
    name: "euler",
    order: 1,
    adaptive: false,
    text: "semi-implicit Euler: cheap, order 1, used by most engines",
    make: |system, _| Box::new(SemiImplicitEuler { acceleration: vec![0.0; system.dof_count()] }),
};

struct SemiImplicitEuler {
    acceleration: Vec<f64>,
}

impl Integrator for SemiImplicitEuler {
    fn step(
        &mut self,
        system: &System,
        ws: &mut Workspace,
        efforts: &mut dyn Efforts,
        state: &mut State,
        h: f64,
    ) -> Result<StepReport, Trouble> {
        let mut report = StepReport { taken_s: h, evaluations: 1, ..Default::default() };
        begin_step(system, ws, state)?;
        accelerations(system, ws, efforts, state.time, &state.q, &state.v, &mut self.acceleration)?;
        for (v, a) in state.v.iter_mut().zip(&self.acceleration) {
            *v += h * a;
        }
        kinematics::advance(system, &mut state.q, &state.v, h);
        state.time += h;
        finish_step(system, ws, state, &mut report)?;
        Ok(report)
    }
}
