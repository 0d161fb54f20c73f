//! Conversion of the dynamics' errors to those of the contract.

use veracity_dynamics::Trouble as Inner;
use veracity_engine::StepError;
use veracity_model::Layout;

/// An error of the caller.
pub(crate) fn refused(time: f64, reason: String) -> StepError {
    StepError { time, reason }
}

/// A numerical error, with the names of the world.
pub(crate) fn of(layout: &Layout, inner: Inner) -> StepError {
    let joint = |dof: usize| match layout.joints.iter().rev().find(|j| j.v <= dof && j.kind.dof_count() > 0) {
        Some(joint) => format!("joint '{}'", joint.name),
        None => format!("degree of freedom {dof}"),
    };
    let (time, reason) = match inner {
        Inner::NoInertia { dof, time } => {
            (time, format!("{} moves a body without inertia; give that body mass", joint(dof)))
        }
        Inner::NotFinite { dof, time } => {
            (time, format!("the speed of {} is NaN or infinite; use a smaller step", joint(dof)))
        }
        Inner::NotConverged { time, residual } => {
            (time, format!("the implicit step did not converge (residual {residual:e}); use a smaller step"))
        }
        Inner::StepTooSmall { time, step } => {
            (time, format!("the step size fell to {step:e} s: the motion is too stiff or not smooth there"))
        }
    };
    StepError { time, reason }
}
