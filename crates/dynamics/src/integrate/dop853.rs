//! The adaptive integrator: Dormand and Prince's explicit Runge-Kutta method of order 8 with embedded error
//! estimates of order 5 and 3 and a dense output of order 7 (Hairer, Nørsett, Wanner, section II.10).
//!
//! ```text
//! (1)  err = h |e5|² / sqrt(n (|e5|² + 0.01 |e3|²)),  components scaled by  atol + rtol max(|y0|, |y1|)
//! (2)  h_next = h min(6, max(1/3, 0.9 err^(-1/8)))
//! ```
//!
//! Where a mechanism passes a singular position the constraint forces have a pole: the rounding error of the constraints,
//! divided by the distance to the pole, is an acceleration. Smaller steps only approach it and never pass. The strength of
//! the weakest constraint row falls linearly towards the pole, which locates it; the step across is placed so that the pole
//! is in the widest gap between the stages ([`POLE_FRACTION`]).

use super::dop853_coefficients::{A, ALL_STAGES, B, C, D, E3, E5, STAGES};
use super::{Integrator, IntegratorEntry, IntegratorSettings, State, StepReport, begin_step, finish_step};
use crate::constraint::weakest_row;
use crate::forward::{Efforts, Trouble, accelerations};
use crate::kinematics::{normalise, position_rates};
use crate::system::System;
use crate::workspace::Workspace;

pub(super) const ENTRY: IntegratorEntry = IntegratorEntry {
    name: "dop853",
    order: 8,
    adaptive: true,
    text: "adaptive Runge-Kutta of order 8 with dense output: the reference for smooth motion",
    make: |system, settings| Box::new(Dop853::new(system, settings)),
};

/// Middle of the widest gap between the times of the stages, 0.333 to 0.6.
const POLE_FRACTION: f64 = 0.4667;
/// Smallest tolerance of a step across a pole. The error of rounding over the distance of the nearest stages (1e-11 to 1e-9)
/// is in the weak directions, and the projection at the end of the step removes it; the size of the step is still the one
/// that satisfied the tolerance before.
const POLE_TOLERANCE: f64 = 1e-8;
/// Strength of the weakest row below which a pole is looked for.
const NEAR_POLE: f64 = 0.5;

struct Dop853 {
    settings: IntegratorSettings,
    nq: usize,
    /// Start, stage and end of the step: `q` then `v`.
    y0: Vec<f64>,
    y: Vec<f64>,
    /// Slopes of the stages.
    k: Vec<Vec<f64>>,
    /// Coefficients of the dense output.
    dense: Vec<Vec<f64>>,
    start_time: f64,
    taken: f64,
    next: f64,
    /// Time and strength of the weakest constraint row at the start of the last step.
    strength: (f64, f64),
}

impl Dop853 {
    fn new(system: &System, settings: &IntegratorSettings) -> Self {
        let nq = system.position_count();
        let n = nq + system.dof_count();
        Self {
            settings: *settings,
            nq,
            y0: vec![0.0; n],
            y: vec![0.0; n],
            k: vec![vec![0.0; n]; ALL_STAGES],
            dense: vec![vec![0.0; n]; 7],
            start_time: 0.0,
            taken: 0.0,
            next: settings.step_s,
            strength: (f64::NEG_INFINITY, 1.0),
        }
    }

    /// Time until a singular position, if the weakest row is approaching zero [s].
    fn time_to_pole(&mut self, ws: &Workspace, time: f64) -> Option<f64> {
        let (before, strength_before) = self.strength;
        let strength = weakest_row(ws);
        self.strength = (time, strength);
        let falling = strength < NEAR_POLE && strength < strength_before && before.is_finite();
        falling.then(|| strength * (time - before) / (strength_before - strength))
    }

    /// Slopes at `self.y` into `k[stage]`.
    fn slope(
        &mut self,
        system: &System,
        ws: &mut Workspace,
        efforts: &mut dyn Efforts,
        time: f64,
        stage: usize,
    ) -> Result<(), Trouble> {
        let (q, v) = self.y.split_at(self.nq);
        let (rate, acceleration) = self.k[stage].split_at_mut(self.nq);
        accelerations(system, ws, efforts, time, q, v, acceleration)?;
        position_rates(system, q, v, rate);
        Ok(())
    }

    /// `y = y0 + h Σ a_j k_j`.
    fn combine(&mut self, weights: &[f64], count: usize, h: f64) {
        self.y.copy_from_slice(&self.y0);
        for (k, &w) in self.k.iter().zip(weights).take(count) {
            if w != 0.0 {
                let wh = w * h;
                for (y, s) in self.y.iter_mut().zip(k) {
                    *y += wh * s;
                }
            }
        }
    }

    /// All stages of a step of size `h` from `y0`; the result is in `y`.
    fn stages(
        &mut self,
        system: &System,
        ws: &mut Workspace,
        efforts: &mut dyn Efforts,
        h: f64,
    ) -> Result<(), Trouble> {
        for stage in 1..STAGES {
            self.combine(&A[stage], stage, h);
            self.slope(system, ws, efforts, self.start_time + C[stage] * h, stage)?;
        }
        self.combine(&B, STAGES, h);
        Ok(())
    }

    /// (1).
    fn error(&self, h: f64, across_pole: bool) -> f64 {
        let floor = if across_pole { POLE_TOLERANCE } else { 0.0 };
        let relative = self.settings.relative_tolerance.max(floor);
        let absolute = self.settings.absolute_tolerance.max(floor);
        let (mut sum5, mut sum3) = (0.0, 0.0);
        for i in 0..self.y.len() {
            let (mut e5, mut e3) = (0.0, 0.0);
            for stage in 0..STAGES {
                e5 += E5[stage] * self.k[stage][i];
                e3 += E3[stage] * self.k[stage][i];
            }
            let size = self.y0[i].abs().max(self.y[i].abs());
            let scale = absolute + relative * size;
            sum5 += (e5 / scale) * (e5 / scale);
            sum3 += (e3 / scale) * (e3 / scale);
        }
        let denominator = sum5 + 0.01 * sum3;
        if denominator == 0.0 { 0.0 } else { h * sum5 / (denominator * self.y.len() as f64).sqrt() }
    }

    fn load(&mut self, state: &State) {
        self.start_time = state.time;
        self.y0[..self.nq].copy_from_slice(&state.q);
        self.y0[self.nq..].copy_from_slice(&state.v);
        self.y.copy_from_slice(&self.y0);
    }

    fn store(&mut self, state: &mut State, h: f64) {
        state.q.copy_from_slice(&self.y[..self.nq]);
        state.v.copy_from_slice(&self.y[self.nq..]);
        state.time = self.start_time + h;
        self.taken = h;
    }
}

impl Integrator for Dop853 {
    fn step(
        &mut self,
        system: &System,
        ws: &mut Workspace,
        efforts: &mut dyn Efforts,
        state: &mut State,
        limit: f64,
    ) -> Result<StepReport, Trouble> {
        let mut report = StepReport { evaluations: 1, ..Default::default() };
        begin_step(system, ws, state)?;
        self.load(state);
        self.slope(system, ws, efforts, state.time, 0)?;
        let pole = self.time_to_pole(ws, state.time);
        let mut target = self.next.min(100.0 * self.settings.step_s);
        let h = loop {
            let h = place_step(target, limit, pole);
            // A failure in a stage may be due to the size of this step: numbers that grew without bound make a mass matrix
            // that is not finite, which is not caused by the masses. A smaller step may succeed.
            let staged = self.stages(system, ws, efforts, h);
            report.evaluations += STAGES as u32 - 1;
            let error = if staged.is_ok() { self.error(h, pole.is_some_and(|p| p < h)) } else { f64::NAN };
            // NaN compares false: a step with NaN is rejected.
            if error <= 1.0 {
                let grow = if error == 0.0 { 6.0 } else { (0.9 * libm::pow(error, -0.125)).clamp(1.0 / 3.0, 6.0) };
                // A step shortened by the limit does not reduce the planned size.
                let planned = h * if report.rejected > 0 { grow.min(1.0) } else { grow };
                self.next = if h < target { target.max(planned) } else { planned };
                report.error_ratio = error;
                break h;
            }
            report.rejected += 1;
            let shrink = if error.is_finite() { (0.9 * libm::pow(error, -0.125)).max(1.0 / 3.0) } else { 0.1 };
            target = h.min(target) * shrink;
            self.next = target;
            if target < 1e-15 * state.time.abs().max(1e-3) {
                staged?;
                return Err(Trouble::StepTooSmall { time: state.time, step: target });
            }
        };
        self.store(state, h);
        report.taken_s = h;
        finish_step(system, ws, state, &mut report)?;
        Ok(report)
    }

    fn exact_step(
        &mut self,
        system: &System,
        ws: &mut Workspace,
        efforts: &mut dyn Efforts,
        state: &mut State,
        h: f64,
    ) -> Result<StepReport, Trouble> {
        let mut report = StepReport { taken_s: h, evaluations: STAGES as u32, ..Default::default() };
        begin_step(system, ws, state)?;
        self.load(state);
        self.slope(system, ws, efforts, state.time, 0)?;
        self.stages(system, ws, efforts, h)?;
        self.store(state, h);
        finish_step(system, ws, state, &mut report)?;
        Ok(report)
    }

    fn prepare_dense(
        &mut self,
        system: &System,
        ws: &mut Workspace,
        efforts: &mut dyn Efforts,
        end: &State,
    ) -> Result<bool, Trouble> {
        let (h, t0) = (self.taken, self.start_time);
        self.y[..self.nq].copy_from_slice(&end.q);
        self.y[self.nq..].copy_from_slice(&end.v);
        self.slope(system, ws, efforts, end.time, STAGES)?;
        for i in 0..self.y.len() {
            let (y0, y1, f0, f1) = (self.y0[i], self.y[i], self.k[0][i], self.k[STAGES][i]);
            self.dense[0][i] = y1 - y0;
            self.dense[1][i] = h * f0 - (y1 - y0);
            self.dense[2][i] = 2.0 * (y1 - y0) - h * (f1 + f0);
        }
        for stage in STAGES + 1..ALL_STAGES {
            self.combine(&A[stage], stage, h);
            self.slope(system, ws, efforts, t0 + C[stage] * h, stage)?;
        }
        for (row, weights) in self.dense[3..].iter_mut().zip(&D) {
            row.fill(0.0);
            for (k, &w) in self.k.iter().zip(weights) {
                for (r, s) in row.iter_mut().zip(k) {
                    *r += h * w * s;
                }
            }
        }
        Ok(true)
    }

    fn interpolate(&self, system: &System, fraction: f64, out: &mut State) {
        let (x, rest) = (fraction, 1.0 - fraction);
        let (nq, nv) = (self.nq, out.v.len());
        // Row by row over all numbers, so that the compiler can vectorise.
        let of = |from: usize, values: &mut [f64]| {
            values.fill(0.0);
            for (power, row) in self.dense.iter().rev().enumerate() {
                let factor = if power % 2 == 0 { x } else { rest };
                for (y, r) in values.iter_mut().zip(&row[from..]) {
                    *y = (*y + r) * factor;
                }
            }
            for (y, y0) in values.iter_mut().zip(&self.y0[from..]) {
                *y += y0;
            }
        };
        of(0, &mut out.q[..nq]);
        of(nq, &mut out.v[..nv]);
        out.time = self.start_time + fraction * self.taken;
        normalise(system, &mut out.q);
    }

    fn memory(&self, out: &mut Vec<f64>) {
        out.extend([self.next, self.strength.0, self.strength.1]);
    }

    fn set_memory(&mut self, memory: &[f64]) {
        self.next = memory[0];
        self.strength = (memory[1], memory[2]);
    }
}

/// The size of the next step: `target`, limited by `limit`, or adapted to a pole ahead: across it if it is near enough for
/// a step of about the target's size, else up to where the next step can cross it.
fn place_step(target: f64, limit: f64, pole: Option<f64>) -> f64 {
    let h = target.min(limit);
    let Some(pole) = pole.filter(|p| *p < (1.0 + POLE_FRACTION) * h) else {
        return h;
    };
    let across = pole / POLE_FRACTION;
    if across <= 1.25 * h && across <= limit { across } else { (pole - POLE_FRACTION * h).clamp(0.1 * h, h) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounding of sums of at most sixteen terms up to about 50.
    const ROUNDING: f64 = 2e-13;

    #[test]
    fn the_weights_satisfy_the_quadrature_conditions_to_order_eight() {
        for power in 0..8 {
            let sum: f64 = B.iter().zip(C).map(|(b, c)| b * c.powi(power)).sum();
            assert!((sum - 1.0 / (power as f64 + 1.0)).abs() < ROUNDING, "power {power}: {sum}");
        }
    }

    #[test]
    fn every_stage_stands_at_its_time() {
        for (row, c) in A.iter().zip(C) {
            assert!((row.iter().sum::<f64>() - c).abs() < ROUNDING);
        }
    }

    #[test]
    fn the_nested_conditions_hold() {
        // Σ b_i a_ij c_j^k = 1 / ((k+1)(k+2)) and one level deeper, as far as order eight asks.
        for k in 0..6 {
            let inner = |i: usize| -> f64 { (0..STAGES).map(|j| A[i][j] * C[j].powi(k)).sum() };
            let sum: f64 = (0..STAGES).map(|i| B[i] * inner(i)).sum();
            let k1 = f64::from(k) + 1.0;
            assert!((sum - 1.0 / (k1 * (k1 + 1.0))).abs() < ROUNDING);
            let deeper: f64 = (0..STAGES).map(|i| B[i] * (0..STAGES).map(|j| A[i][j] * inner(j)).sum::<f64>()).sum();
            if k < 5 {
                assert!((deeper - 1.0 / (k1 * (k1 + 1.0) * (k1 + 2.0))).abs() < ROUNDING);
            }
        }
    }

    #[test]
    fn the_error_weights_vanish_on_low_polynomials() {
        for (weights, order) in [(E5, 5), (E3, 3)] {
            for power in 0..order {
                let sum: f64 = weights.iter().zip(C).map(|(e, c)| e * c.powi(power)).sum();
                assert!(sum.abs() < ROUNDING, "order {order}, power {power}: {sum}");
            }
        }
    }
}
