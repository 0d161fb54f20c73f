//! The classical Runge-Kutta method: order 4 for smooth motion, four evaluations per step.

use super::{Integrator, IntegratorEntry, State, StepReport, begin_step, finish_step};
use crate::forward::{Efforts, Trouble, accelerations};
use crate::kinematics::position_rates;
use crate::system::System;
use crate::workspace::Workspace;

pub(super) const ENTRY: IntegratorEntry = IntegratorEntry {
    name: "rk4",
    order: 4,
    adaptive: false,
    text: "classical Runge-Kutta: order 4, the fixed-step method for smooth motion",
    make: |system, _| {
        let (nq, nv) = (system.position_count(), system.dof_count());
        Box::new(RungeKutta4 {
            q: vec![0.0; nq],
            v: vec![0.0; nv],
            rate: vec![0.0; nq],
            acceleration: vec![0.0; nv],
            sum_rate: vec![0.0; nq],
            sum_acceleration: vec![0.0; nv],
        })
    },
};

struct RungeKutta4 {
    q: Vec<f64>,
    v: Vec<f64>,
    rate: Vec<f64>,
    acceleration: Vec<f64>,
    sum_rate: Vec<f64>,
    sum_acceleration: Vec<f64>,
}

/// (time of the stage, weight in the result) as fractions of the step.
const STAGES: [(f64, f64); 4] = [(0.0, 1.0 / 6.0), (0.5, 1.0 / 3.0), (0.5, 1.0 / 3.0), (1.0, 1.0 / 6.0)];

impl Integrator for RungeKutta4 {
    fn step(
        &mut self,
        system: &System,
        ws: &mut Workspace,
        efforts: &mut dyn Efforts,
        state: &mut State,
        h: f64,
    ) -> Result<StepReport, Trouble> {
        let mut report = StepReport { taken_s: h, evaluations: 4, ..Default::default() };
        begin_step(system, ws, state)?;
        self.sum_rate.fill(0.0);
        self.sum_acceleration.fill(0.0);
        for (i, &(at, weight)) in STAGES.iter().enumerate() {
            if i == 0 {
                self.q.copy_from_slice(&state.q);
                self.v.copy_from_slice(&state.v);
            } else {
                // Each stage starts from the state and uses only the slopes of the stage before.
                let reach = at * h;
                combine(&mut self.q, &state.q, &self.rate, reach);
                combine(&mut self.v, &state.v, &self.acceleration, reach);
            }
            let time = state.time + at * h;
            accelerations(system, ws, efforts, time, &self.q, &self.v, &mut self.acceleration)?;
            position_rates(system, &self.q, &self.v, &mut self.rate);
            accumulate(&mut self.sum_rate, &self.rate, weight);
            accumulate(&mut self.sum_acceleration, &self.acceleration, weight);
        }
        accumulate(&mut state.q, &self.sum_rate, h);
        accumulate(&mut state.v, &self.sum_acceleration, h);
        state.time += h;
        finish_step(system, ws, state, &mut report)?;
        Ok(report)
    }
}

#[inline]
fn combine(out: &mut [f64], base: &[f64], slope: &[f64], reach: f64) {
    for ((o, b), s) in out.iter_mut().zip(base).zip(slope) {
        *o = b + s * reach;
    }
}

#[inline]
fn accumulate(sum: &mut [f64], slope: &[f64], weight: f64) {
    for (x, s) in sum.iter_mut().zip(slope) {
        *x += s * weight;
    }
}
