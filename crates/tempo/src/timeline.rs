//! A run over time: what each client computed in each step of the dynamics, what it missed, and Delta.

use crate::run::Run;
use crate::schedule::What;
use serde::Serialize;

/// One step of the dynamics.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Step {
    /// Its end [ns].
    pub time_ns: i64,
    /// The largest Delta in it [ns].
    pub delta_ns: i64,
    /// In the order of the file.
    pub clients: Vec<Share>,
}

/// A client in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Share {
    /// Computed [ns], virtual.
    pub computed_ns: i64,
    /// Activations done too late.
    pub misses: u32,
    /// Times it was stopped while it computed.
    pub preempted: u32,
}

/// Between two instants a client computed [ns].
pub type Span = (i64, i64);

/// Every step of a run.
pub fn steps(run: &Run) -> Vec<Step> {
    let (told, step_ns) = (&run.told, run.head.step_ns.max(1));
    let count = (told.simulated_ns + step_ns - 1) / step_ns;
    let none = vec![Share::default(); told.clients.len()];
    let new =
        |k: i64| Step { time_ns: ((k + 1) * step_ns).min(told.simulated_ns), delta_ns: 0, clients: none.clone() };
    let mut steps: Vec<Step> = (0..count).map(new).collect();
    for (time, delta) in &told.delta.timeline {
        let place = ((time + step_ns - 1) / step_ns - 1).clamp(0, count.max(1) - 1) as usize;
        if let Some(step) = steps.get_mut(place) {
            step.delta_ns = step.delta_ns.max(*delta);
        }
    }
    for event in &run.events {
        let Some(step) = steps.get_mut((event.step as usize).min(count.max(1) as usize - 1)) else { continue };
        let Some(share) = step.clients.get_mut(event.client as usize) else { continue };
        match event.what {
            What::Charge { ns, .. } => share.computed_ns += ns,
            What::Miss { .. } => share.misses += 1,
            What::Preempt => share.preempted += 1,
            _ => {}
        }
    }
    steps
}

/// When each client computed, up to an instant; neighbours are put together.
pub fn spans(run: &Run, until_ns: i64) -> Vec<Vec<Span>> {
    let mut spans: Vec<Vec<Span>> = vec![Vec::new(); run.told.clients.len()];
    for event in &run.events {
        let What::Charge { ns, at_ns } = event.what else { continue };
        let Some(mine) = spans.get_mut(event.client as usize).filter(|_| ns > 0 && at_ns - ns < until_ns) else {
            continue;
        };
        match mine.last_mut() {
            // What is granted between two charges is less than can be drawn.
            Some(last) if at_ns - ns - last.1 < 1000 => last.1 = at_ns.min(until_ns),
            _ => mine.push((at_ns - ns, at_ns.min(until_ns))),
        }
    }
    spans
}
