//! Joints that reach their limits.

use super::Logged;
use serde::{Deserialize, Serialize};
use veracity_model::Layout;
use veracity_record::{Event, EventKind, EventRules};

/// Distance at which a limit counts as reached, as a fraction of the margin at which it is left again: engines that
/// enforce limits stop at them to rounding or to the tolerance of a solver.
const REACHED: f64 = 0.01;

/// A state at an instant of a step.
#[derive(Clone, Copy)]
pub(super) struct Instant<'a> {
    pub time: f64,
    pub step: u64,
    pub q: &'a [f64],
    pub v: &'a [f64],
}

/// Positions that have limits.
#[derive(Clone, Debug)]
pub(super) struct Limits(Vec<Limited>);

#[derive(Clone, Debug)]
struct Limited {
    joint: String,
    q: usize,
    v: usize,
    range: [f64; 2],
}

/// Memory of one of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct LimitMemory {
    /// Whether it is at a limit.
    at: bool,
    /// Time, distance inside the limit and closing speed at the last instant.
    last: [f64; 3],
    count: u32,
}

impl Limits {
    pub(super) fn new(layout: &Layout) -> Self {
        let mut limited = Vec::new();
        for joint in &layout.joints {
            for v in joint.v..joint.v + joint.kind.dof_count() {
                let (dof, q) = (&layout.dofs[v], layout.dof_position[v]);
                if let (true, Some(q)) = (dof.lower.is_finite() || dof.upper.is_finite(), q) {
                    limited.push(Limited { joint: joint.name.clone(), q, v, range: [dof.lower, dof.upper] });
                }
            }
        }
        Self(limited)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// A run begins; positions at a limit are logged.
    pub(super) fn begin(
        &self,
        time: f64,
        q: &[f64],
        v: &[f64],
        memory: &mut Vec<LimitMemory>,
        log: &mut Vec<Logged>,
    ) {
        memory.clear();
        for limited in &self.0 {
            let inside = limited.inside(q);
            let at = inside <= 0.0;
            memory.push(LimitMemory { at, last: [time, inside, limited.closing(q, v)], count: u32::from(at) });
            if at {
                log.push(Logged { step: 0, event: limited.event([time, 0.0, inside], v, 1) });
            }
        }
    }

    /// Processes an instant.
    pub(super) fn look(
        &self,
        now: &Instant<'_>,
        rules: &EventRules,
        memory: &mut [LimitMemory],
        log: &mut Vec<Logged>,
    ) {
        let Instant { time, step, q, v } = *now;
        for (limited, memory) in self.0.iter().zip(memory) {
            let inside = limited.inside(q);
            let [before, was, closing] = std::mem::replace(&mut memory.last, [time, inside, limited.closing(q, v)]);
            if memory.at {
                memory.at = inside < rules.limit_margin;
            } else if inside <= REACHED * rules.limit_margin {
                memory.at = true;
                memory.count += 1;
                // The time at which it arrives at the speed it had: an engine that enforces limits stops there, so the
                // position at the end of the step says nothing.
                let left_s = was / closing;
                let at = if left_s > 0.0 { (before + left_s).min(time) } else { 0.5 * (before + time) };
                let half = 0.5 * (time - before);
                log.push(Logged { step, event: limited.event([at, half, inside], v, memory.count) });
            }
        }
    }
}

impl Limited {
    /// Distance to the nearer limit, negative beyond it [rad or m].
    fn inside(&self, q: &[f64]) -> f64 {
        let [lower, upper] = self.range;
        (q[self.q] - lower).min(upper - q[self.q])
    }

    /// Speed towards the nearer limit [rad/s or m/s].
    fn closing(&self, q: &[f64], v: &[f64]) -> f64 {
        let [lower, upper] = self.range;
        if q[self.q] - lower < upper - q[self.q] { -v[self.v] } else { v[self.v] }
    }

    fn event(&self, [time, time_error, gap]: [f64; 3], v: &[f64], ordinal: u32) -> Event {
        Event {
            time,
            time_error,
            substep: 0,
            pair: self.joint.clone(),
            ordinal,
            kind: EventKind::Limit,
            normal_speed: v[self.v],
            tangential_speed: f64::NAN,
            normal_impulse: f64::NAN,
            tangential_impulse: f64::NAN,
            gap,
        }
    }
}
