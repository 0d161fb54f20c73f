//! Checks that every engine makes of a start state before it accepts it.

use crate::error::LoadError;
use veracity_model::{JointKind, Layout};

/// The positions with unit quaternions, or why the state is invalid.
pub fn unit_quaternions(layout: &Layout, time: f64, q: &[f64], v: &[f64]) -> Result<Vec<f64>, LoadError> {
    let (nq, nv) = (layout.position_count, layout.dof_count());
    if q.len() != nq || v.len() != nv {
        let text = format!("it has {} positions and {} velocities; the world has {nq} and {nv}", q.len(), v.len());
        return Err(LoadError::State(text));
    }
    if !q.iter().chain(v).chain([&time]).all(|x| x.is_finite()) {
        return Err(LoadError::State("it contains NaN or infinity".to_string()));
    }
    let mut q = q.to_vec();
    for joint in &layout.joints {
        let at = match joint.kind {
            JointKind::Ball => joint.q,
            JointKind::Free => joint.q + 3,
            _ => continue,
        };
        let norm = q[at..at + 4].iter().map(|x| x * x).sum::<f64>().sqrt();
        if norm < 1e-6 {
            return Err(LoadError::State(format!("the quaternion of joint '{}' has zero length", joint.name)));
        }
        q[at..at + 4].iter_mut().for_each(|x| *x /= norm);
    }
    Ok(q)
}

/// Largest difference of an entry between the state set and the one requested [rad, m, rad/s or m/s].
pub fn largest_change(set: [&[f64]; 2], requested: [&[f64]; 2]) -> f64 {
    let pairs = set[0].iter().zip(requested[0]).chain(set[1].iter().zip(requested[1]));
    pairs.fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()))
}
