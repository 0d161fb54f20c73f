//! Joint limits: the smooth dynamics does not enforce them, so exceeding them must be reported.

use serde::{Deserialize, Serialize};
use veracity_model::Layout;

/// Watches the positions that have limits.
pub(crate) struct LimitWatch {
    watched: Vec<Limited>,
    pub(crate) left: Vec<Left>,
}

struct Limited {
    joint: String,
    q: usize,
    range: [f64; 2],
}

/// How a limit was exceeded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Left {
    /// Number of instants outside, among those inspected: the end of every step.
    pub instants: u64,
    /// The first of them [s].
    pub first: f64,
    /// Largest excess [rad or m].
    pub farthest: f64,
}

impl LimitWatch {
    pub(crate) fn new(layout: &Layout) -> Self {
        let mut watched = Vec::new();
        for joint in &layout.joints {
            for k in 0..joint.kind.dof_count() {
                let dof = &layout.dofs[joint.v + k];
                let limited = dof.lower.is_finite() || dof.upper.is_finite();
                if let (true, Some(q)) = (limited, layout.dof_position[joint.v + k]) {
                    watched.push(Limited { joint: joint.name.clone(), q, range: [dof.lower, dof.upper] });
                }
            }
        }
        Self { left: vec![Left::default(); watched.len()], watched }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.watched.is_empty()
    }

    pub(crate) fn reset(&mut self) {
        self.left.fill(Left::default());
    }

    /// Inspects an instant.
    pub(crate) fn look(&mut self, time: f64, q: &[f64]) {
        for (limited, left) in self.watched.iter().zip(&mut self.left) {
            let [lower, upper] = limited.range;
            let beyond = (lower - q[limited.q]).max(q[limited.q] - upper);
            if beyond > 0.0 {
                if left.instants == 0 {
                    left.first = time;
                }
                left.instants += 1;
                left.farthest = left.farthest.max(beyond);
            }
        }
    }

    /// Warnings for limits exceeded by more than `least`, the residual error of an engine that enforces them.
    pub(crate) fn warnings_beyond(&self, least: f64, out: &mut Vec<String>) {
        let left = |(_, left): &(&Limited, &Left)| left.farthest > least;
        for (limited, left) in self.watched.iter().zip(&self.left).filter(left) {
            out.push(format!(
                "joint {} exceeded its limits by up to {:.3e}, first at t = {} s; use a smaller step or more iters",
                limited.joint, left.farthest, left.first
            ));
        }
    }

    pub(crate) fn warnings(&self, out: &mut Vec<String>) {
        for (limited, left) in self.watched.iter().zip(&self.left).filter(|(_, left)| left.instants > 0) {
            out.push(format!(
                "the joint {} left its limits at t = {} s, for {} steps and by up to {:.3e}; this engine does not enforce \
                 them",
                limited.joint, left.first, left.instants, left.farthest
            ));
        }
    }
}
