//! A run over time: what each client computed in each step of the dynamics, its misses, and Delta.

use crate::run::Run;
use crate::schedule::EventKind;
use serde::Serialize;

/// One step of the dynamics.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Step {
    /// Its end [ns].
    pub time_ns: i64,
    /// The largest Delta in it [ns].
    pub delta_ns: i64,
    /// In the order of the configuration file.
    pub clients: Vec<Share>,
}

/// One client in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Share {
    /// Virtual time it computed [ns].
    pub computed_ns: i64,
    /// Activations completed too late.
    pub misses: u32,
    /// Number of times it was stopped while computing.
    pub preempted: u32,
}

/// Start and end of an interval in which a client computed [ns].
pub type Span = (i64, i64);

/// Every step of a run.
pub fn steps(run: &Run) -> Vec<Step> {
    let (summary, step_ns) = (&run.summary, run.head.step_ns.max(1));
    let count = (summary.simulated_ns + step_ns - 1) / step_ns;
    let none = vec![Share::default(); summary.clients.len()];
    let new =
        |k: i64| Step { time_ns: ((k + 1) * step_ns).min(summary.simulated_ns), delta_ns: 0, clients: none.clone() };
    let mut steps: Vec<Step> = (0..count).map(new).collect();
    for (time, delta) in &summary.delta.timeline {
        let place = ((time + step_ns - 1) / step_ns - 1).clamp(0, count.max(1) - 1) as usize;
        if let Some(step) = steps.get_mut(place) {
            step.delta_ns = step.delta_ns.max(*delta);
        }
    }
    for event in &run.events {
        let Some(step) = steps.get_mut((event.step as usize).min(count.max(1) as usize - 1)) else { continue };
        let Some(share) = step.clients.get_mut(event.client as usize) else { continue };
        match event.what {
            EventKind::Charge { ns, .. } => share.computed_ns += ns,
            EventKind::Miss { .. } => share.misses += 1,
            EventKind::Preempt => share.preempted += 1,
            _ => {}
        }
    }
    steps
}

/// The intervals in which each client computed, up to an instant; adjacent ones are merged.
pub fn spans(run: &Run, until_ns: i64) -> Vec<Vec<Span>> {
    let mut spans: Vec<Vec<Span>> = vec![Vec::new(); run.summary.clients.len()];
    for event in &run.events {
        let EventKind::Charge { ns, at_ns } = event.what else { continue };
        let Some(mine) = spans.get_mut(event.client as usize).filter(|_| ns > 0 && at_ns - ns < until_ns) else {
            continue;
        };
        match mine.last_mut() {
            // A wait granted between two charges is too short to be drawn.
            Some(last) if at_ns - ns - last.1 < 1000 => last.1 = at_ns.min(until_ns),
            _ => mine.push((at_ns - ns, at_ns.min(until_ns))),
        }
    }
    spans
}
