//! Forward dynamics: accelerations of the whole system at a state.

use crate::forces::BodyWrench;
use crate::system::System;
use crate::workspace::Workspace;
use crate::{aba, constraint, forces, kinematics};

/// Forces in addition to the model's own springs, dampers and friction.
pub trait Efforts {
    /// Adds efforts [N m or N] at this state to `tau`.
    fn add(&mut self, system: &System, time: f64, q: &[f64], v: &[f64], tau: &mut [f64]);

    /// Adds the diagonal of `-∂τ/∂q` and `-∂τ/∂v`, for integrators that treat them implicitly.
    /// By default the efforts at the start of the step are used for the whole step.
    fn add_gains(
        &mut self,
        _system: &System,
        _time: f64,
        _q: &[f64],
        _v: &[f64],
        _stiffness: &mut [f64],
        _damping: &mut [f64],
    ) {
    }

    /// Wrenches on bodies, constant during a step.
    fn wrenches(&self) -> &[BodyWrench] {
        &[]
    }

    /// Computes the accelerations of a world without loops at a state, all forces included, where the forces themselves depend
    /// on the accelerations. `false`, and nothing done, means that the accelerations follow from the efforts.
    fn accelerations(
        &mut self,
        _system: &System,
        _time: f64,
        _q: &[f64],
        _v: &[f64],
        _out: &mut [f64],
    ) -> Result<bool, Trouble> {
        Ok(false)
    }
}

/// No forces.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoEfforts;

impl Efforts for NoEfforts {
    fn add(&mut self, _: &System, _: f64, _: &[f64], _: &[f64], _: &mut [f64]) {}
}

/// Constant efforts, as those of a sampled controller during a step.
#[derive(Clone, Debug, Default)]
pub struct ConstantEfforts(pub Vec<f64>);

impl Efforts for ConstantEfforts {
    fn add(&mut self, _: &System, _: f64, _: &[f64], _: &[f64], tau: &mut [f64]) {
        for (t, e) in tau.iter_mut().zip(&self.0) {
            *t += e;
        }
    }
}

/// The model's actuators under constant commands; drives are evaluated at every instant.
#[derive(Clone, Debug, Default)]
pub struct ActuatorCommands(pub Vec<f64>);

impl Efforts for ActuatorCommands {
    fn add(&mut self, system: &System, _: f64, q: &[f64], v: &[f64], tau: &mut [f64]) {
        forces::add_actuator_efforts(system, q, v, &self.0, tau);
    }

    fn add_gains(
        &mut self,
        system: &System,
        _: f64,
        q: &[f64],
        v: &[f64],
        stiffness: &mut [f64],
        damping: &mut [f64],
    ) {
        forces::add_actuator_gains(system, q, v, &self.0, stiffness, damping);
    }
}

impl<F: FnMut(f64, &[f64], &[f64], &mut [f64])> Efforts for F {
    fn add(&mut self, _: &System, time: f64, q: &[f64], v: &[f64], tau: &mut [f64]) {
        self(time, q, v, tau);
    }
}

/// A numerical failure.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Trouble {
    /// A degree of freedom has no inertia, so its acceleration is undefined.
    #[error("degree of freedom {dof} has no inertia at t = {time} s: give mass to the body it moves")]
    NoInertia {
        /// Index in `v`.
        dof: usize,
        /// [s]
        time: f64,
    },
    /// The state contains NaN or infinity.
    #[error(
        "degree of freedom {dof} is NaN or infinite at t = {time} s: the step is too large or the model is not physical"
    )]
    NotFinite {
        /// Index in `v`.
        dof: usize,
        /// [s]
        time: f64,
    },
    /// The implicit equations of a step were not solved.
    #[error("the implicit step at t = {time} s did not converge (residual {residual:e}): use a smaller step")]
    NotConverged {
        /// [s]
        time: f64,
        /// Residual of the step equation, relative to the velocity.
        residual: f64,
    },
    /// The adaptive integrator needs steps below the resolution of time.
    #[error("the step size fell to {step:e} s at t = {time} s: the motion is too stiff or not smooth there")]
    StepTooSmall {
        /// [s]
        time: f64,
        /// [s]
        step: f64,
    },
}

/// Accelerations at a state. With constraints, [`constraint::choose_basis`] must have been called.
pub fn accelerations(
    system: &System,
    ws: &mut Workspace,
    efforts: &mut dyn Efforts,
    time: f64,
    q: &[f64],
    v: &[f64],
    out: &mut [f64],
) -> Result<(), Trouble> {
    if ws.constraint.rows == 0 && efforts.accelerations(system, time, q, v, out)? {
        return Ok(());
    }
    // The buffer is moved out for the call so that the passes below may borrow the rest.
    let mut tau = std::mem::take(&mut ws.tau);
    tau.fill(0.0);
    efforts.add(system, time, q, v, &mut tau);
    forces::add_joint_forces(system, q, v, &mut tau);
    let wrenches = efforts.wrenches();
    let outcome = if ws.constraint.rows != 0 {
        kinematics::velocities(system, ws, q, v);
        forces::set_applied_wrenches(system, ws, wrenches);
        constraint::accelerations(system, ws, q, v, &tau, out)
    } else {
        if forces::has_applied_wrenches(system, wrenches) {
            kinematics::velocities(system, ws, q, v);
            forces::set_applied_wrenches(system, ws, wrenches);
            aba::accelerations(system, ws, &tau, out);
        } else {
            aba::accelerations_unloaded(system, ws, q, v, &tau, out);
        }
        Ok(())
    };
    ws.tau = tau;
    outcome.map_err(|dof| Trouble::NoInertia { dof, time })
}

/// The first degree of freedom that is not finite, as an error.
pub(crate) fn check_finite(values: &[f64], time: f64) -> Result<(), Trouble> {
    match values.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(dof) => Err(Trouble::NotFinite { dof, time }),
    }
}
