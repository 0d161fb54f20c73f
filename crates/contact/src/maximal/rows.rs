//! What acts on joints, as rows and wrenches between free bodies.
//!
//! For a degree of freedom with speed `w` along its wrench, effort `τ` at the beginning of the step (motors, springs,
//! dampers) and slopes `K`, `D` of that effort, the linearly implicit step is a soft row:
//!
//! ```text
//! (1)  λ = h (τ - h K w - D (w - w₀))      so that      w + C λ = C h (τ + D w₀),   C = 1 / (h² K + h D)
//! ```
//!
//! Without slopes the impulse is `h τ` in any case. Limits are one-sided rows, dry friction is a row with bounds.

use super::coordinates::{JointFrame, JointPlace};
use crate::stepping::extra::Extra;
use veracity_lcp::Law;
use veracity_model::{Dof, Layout};

/// Efforts on the joints of the layout at the beginning of a step, in the order of `v`.
#[derive(Clone, Debug, Default)]
pub struct JointEfforts {
    /// `τ` [N m or N].
    pub effort: Vec<f64>,
    /// `K`.
    pub stiffness: Vec<f64>,
    /// `D`.
    pub damping: Vec<f64>,
}

/// Limits are included when they are nearer than twice the distance the step may cover plus the distance this
/// acceleration covers from rest.
const SUDDEN: f64 = 100.0;

/// Adds the rows of one joint to `out`.
pub fn add_rows(
    frame: &JointFrame,
    place: &JointPlace,
    layout: &Layout,
    (q, v): (&[f64], &[f64]),
    efforts: &JointEfforts,
    h: f64,
    out: &mut Vec<Extra>,
) {
    let bodies = [Some(frame.child), frame.parent];
    let point = place.frames[1].translation.vector.into();
    for k in 0..frame.kind.dof_count() {
        let dof = frame.v + k;
        let (torque, force) = frame.wrench(place, k);
        let plain = Extra {
            bodies,
            point,
            wrench: (torque.into(), force.into()),
            law: Law::Equal,
            compliance: 0.0,
            target: 0.0,
            gap: None,
        };
        let Dof { lower, upper, friction, .. } = layout.dofs[dof];

        let (effort, spring, damper) = (efforts.effort[dof], efforts.stiffness[dof], efforts.damping[dof]);
        let slope = h * h * spring + h * damper;
        if slope > 0.0 {
            let compliance = 1.0 / slope;
            let target = -compliance * h * (effort + damper * v[dof]);
            out.push(Extra { compliance, target, ..plain });
        } else if effort != 0.0 {
            out.push(Extra { law: Law::Between { lowest: h * effort, highest: h * effort }, ..plain });
        }
        if friction > 0.0 {
            out.push(Extra { law: Law::Between { lowest: -h * friction, highest: h * friction }, ..plain });
        }
        let Some(position) = layout.dof_position[dof].map(|at| q[at]) else { continue };
        if lower == upper {
            out.push(Extra { gap: Some(position - lower), ..plain });
            continue;
        }
        let near = 2.0 * h * v[dof].abs() + SUDDEN * h * h;
        if position - lower <= near {
            out.push(Extra { law: Law::Unilateral, gap: Some(position - lower), ..plain });
        }
        if upper - position <= near {
            let wrench = ((-torque).into(), (-force).into());
            out.push(Extra { law: Law::Unilateral, gap: Some(upper - position), wrench, ..plain });
        }
    }
}
