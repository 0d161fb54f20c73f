//! External inputs, in the form the dynamics needs.

use crate::trouble;
use veracity_dynamics::{BodyPlace, BodyWrench, Efforts, System};
use veracity_engine::{Inputs, JointDrive, StepError};
use veracity_model::Layout;

/// Inputs, checked and compiled; refilled at every call and never shrunk.
pub(crate) struct Acting {
    efforts: Vec<f64>,
    /// Drives, each with the index of the position it acts on.
    drives: Vec<(JointDrive, usize)>,
    wrenches: Vec<BodyWrench>,
    dof_position: Vec<Option<usize>>,
    /// Whether a degree of freedom has a drive already.
    driven: Vec<bool>,
}

impl Acting {
    pub(crate) fn new(layout: &Layout) -> Self {
        let dofs = layout.dof_count();
        Self {
            efforts: vec![0.0; dofs],
            drives: Vec::with_capacity(dofs),
            wrenches: Vec::with_capacity(2 * layout.bodies.len()),
            dof_position: layout.dof_position.clone(),
            driven: vec![false; dofs],
        }
    }

    /// Accepts inputs, or returns what is wrong with them.
    pub(crate) fn take(
        &mut self,
        inputs: &Inputs,
        bodies: &[(BodyPlace, [f64; 3])],
        time: f64,
    ) -> Result<(), StepError> {
        let bad = |reason: String| Err(trouble::refused(time, reason));
        let dofs = self.efforts.len();
        if inputs.efforts.len() != dofs {
            return bad(format!("{} efforts given; this world has {dofs} degrees of freedom", inputs.efforts.len()));
        }
        if let Some(dof) = inputs.efforts.iter().position(|x| !x.is_finite()) {
            return bad(format!("the effort on degree of freedom {dof} is {}", inputs.efforts[dof]));
        }
        self.driven.fill(false);
        self.drives.clear();
        for drive in &inputs.drives {
            let position = match self.dof_position.get(drive.dof) {
                None => return bad(format!("drive on degree of freedom {}, but there are only {dofs}", drive.dof)),
                Some(None) => {
                    return bad(format!(
                        "a drive is on degree of freedom {}, the turning of a ball or free joint, which has no single \
                         position; control it with efforts",
                        drive.dof
                    ));
                }
                Some(Some(position)) => *position,
            };
            let numbers = [drive.kp, drive.kd, drive.target, drive.target_speed, drive.feed_forward];
            if numbers.iter().any(|x| !x.is_finite()) || drive.max_effort.is_nan() || drive.max_effort < 0.0 {
                return bad(format!(
                    "the drive on degree of freedom {} contains NaN or infinity: {drive:?}",
                    drive.dof
                ));
            }
            if std::mem::replace(&mut self.driven[drive.dof], true) {
                return bad(format!("degree of freedom {} has two drives; use one", drive.dof));
            }
            self.drives.push((*drive, position));
        }
        self.wrenches.clear();
        for wrench in &inputs.wrenches {
            let Some((place, com)) = bodies.get(wrench.body) else {
                return bad(format!("wrench on body {}, but there are only {}", wrench.body, bodies.len()));
            };
            if wrench.force.iter().chain(&wrench.torque).any(|x| !x.is_finite()) {
                return bad(format!("the wrench on body {} is {:?}, {:?}", wrench.body, wrench.force, wrench.torque));
            }
            self.wrenches.push(BodyWrench::new(*place, *com, wrench.force, wrench.torque));
        }
        self.efforts.copy_from_slice(&inputs.efforts);
        Ok(())
    }
}

impl Efforts for Acting {
    fn add(&mut self, _: &System, _: f64, q: &[f64], v: &[f64], tau: &mut [f64]) {
        for (t, e) in tau.iter_mut().zip(&self.efforts) {
            *t += e;
        }
        for (drive, position) in &self.drives {
            tau[drive.dof] += drive.effort(q[*position], v[drive.dof]);
        }
    }

    fn add_gains(&mut self, _: &System, _: f64, q: &[f64], v: &[f64], stiffness: &mut [f64], damping: &mut [f64]) {
        for (drive, position) in &self.drives {
            let free = JointDrive { max_effort: f64::INFINITY, ..*drive };
            let (q, v) = (q[*position], v[drive.dof]);
            // An effort at its bound does not depend on the state.
            if drive.effort(q, v) != free.effort(q, v) {
                continue;
            }
            // A negative gain would make the step's matrix closer to singular; it stays explicit.
            stiffness[drive.dof] += drive.kp.max(0.0);
            damping[drive.dof] += drive.kd.max(0.0);
        }
    }

    fn wrenches(&self) -> &[BodyWrench] {
        &self.wrenches
    }
}
