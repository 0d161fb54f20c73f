//! The event log: one post-processor for every engine.
//!
//! An engine reports at every step what it saw: the points of each pair with their gaps, speeds and impulses
//! ([`Point`]), the gaps of the named pairs, positions at their limits. [`EventLog`] turns this into events, in the
//! same way for all engines:
//!
//! 1. The points of a pair are merged into one state ([`veracity_record::Merge`]). A pair touches in a step when its
//!    normal impulse is above [`EventRules::least_impulse`](veracity_record::EventRules::least_impulse); points that an
//!    engine only predicted have none.
//! 2. Free → touching is an `impact` (closing faster than `impact_speed`) or a `touch`. An engine with fixed steps
//!    knows only the step; the instant is where the gap at the step's beginning closes at the closing speed,
//!    `t = t₀ + gap₀ / |v|`, and `time_error` is half the step. The impulse is that of the whole impact, summed over
//!    the steps in which the separation speed still grows.
//! 3. Touching → free is a `liftoff` at the last instant with an impulse, once the gap has reached `liftoff_gap` and
//!    `debounce` has passed or the pair touches again. Anything less is chatter and not an event: a ball that comes to
//!    rest through infinitely many bounces leaves the impacts that can be resolved, and a `rest`.
//! 4. A contact that holds for `debounce` with a normal speed below `rest_speed` is at `rest`, from when it began to
//!    hold.
//! 5. `slip` above `slip_speed` in two consecutive steps; `stick` below `stick_speed` for `debounce`. Their instants
//!    are where the line through the speeds of two neighbouring steps is zero.
//! 6. A `near_miss` is a minimum of a positive gap of a named pair that fell and rises by `near_miss_rise`, with
//!    nothing touching: the lowest point of the parabola through the three steps around it (`gap`).
//! 7. A joint that reaches a limit is a `limit` (`limit`).
//!
//! An event is logged when it is certain, which is up to `debounce` after it happened: [`in_order`] sorts a run's
//! events by time. A condition that holds at the start is logged as if it had begun there.
//!
//! Memory is allocated only when an event is logged or a pair is seen for the first time.

mod gap;
mod limit;
mod memory;
mod order;
mod pair;
#[cfg(test)]
mod tests;

pub use memory::SavedLog;
pub use order::{Logged, in_order};

use gap::GapMemory;
use limit::{Instant, Limits};
use pair::PairMemory;
use serde::{Deserialize, Serialize};
use veracity_model::{Layout, World};
use veracity_record::{EventKind, EventRules};

/// One point of two bodies in a step, or at an instant inside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// When [s]: the end of the step, or the located instant.
    pub time: f64,
    /// Slots of the bodies; `None` is the ground.
    pub bodies: [Option<u32>; 2],
    /// Signed gap at `time` [m].
    pub gap: f64,
    /// Relative velocity along the normal before the step or impact [m/s]; negative when closing.
    pub approach: f64,
    /// The same after it.
    pub separation: f64,
    /// Relative speed across the normal before [m/s]; NaN where it is not known.
    pub slide_before: f64,
    /// The same after.
    pub slide: f64,
    /// Along the normal over the step, or at the impact [N s].
    pub normal_impulse: f64,
    /// On the first body, across the normal, world axes [N s].
    pub tangential_impulse: [f64; 3],
    /// Whether friction holds the point; `None` where the engine does not report it.
    pub sticks: Option<bool>,
    /// Whether `time` is the located instant of an impact of no duration.
    pub located: bool,
}

/// Turns what an engine reports into events. Belongs to one simulation and is part of its snapshots.
#[derive(Clone, Debug)]
pub struct EventLog {
    rules: EventRules,
    on: bool,
    names: Names,
    limits: Limits,
    memory: Memory,
    /// Logged and not yet taken by the caller.
    pending: Vec<Logged>,
}

/// Memory of a log.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Memory {
    /// Beginning of the present step, and the last instant processed [s].
    begin: f64,
    now: f64,
    steps: u64,
    /// The named pairs, in the order of the layout, then those that touched without a name.
    pairs: Vec<PairMemory>,
    /// Bodies and the index of their pair, sorted.
    index: Vec<([u32; 2], u32)>,
    gaps: Vec<GapMemory>,
    limits: Vec<limit::LimitMemory>,
}

/// Names of bodies and pairs.
#[derive(Clone, Debug)]
struct Names {
    bodies: Vec<String>,
    /// Bodies that cannot move.
    fixed: Vec<bool>,
    /// Name and bodies of each named pair; the environment is everything that is fixed.
    named: Vec<(String, u32, Option<u32>)>,
}

/// The ground in an index of bodies.
const GROUND: u32 = u32::MAX;

impl EventLog {
    /// The log of a world; off until it is switched on.
    pub fn new(world: &World, layout: &Layout) -> Self {
        let names = Names::new(world, layout);
        let limits = Limits::new(layout);
        Self {
            rules: EventRules::default(),
            on: false,
            names,
            limits,
            memory: Memory::default(),
            pending: Vec::new(),
        }
    }

    /// Switches the log on under these thresholds, or off. After switching it on, call [`EventLog::begin`].
    pub fn switch(&mut self, rules: Option<EventRules>) {
        self.on = rules.is_some();
        self.rules = rules.unwrap_or_default();
        self.memory = Memory::default();
        self.pending.clear();
    }

    /// Whether the log is on. While it is off, nothing may be reported to it.
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// Whether it needs positions and velocities: some joint has limits.
    pub fn watches_joints(&self) -> bool {
        self.limits.len() > 0
    }

    /// Clears the memory: a run begins at `time` with these gaps of the named pairs and this state.
    pub fn begin(&mut self, time: f64, gaps: &[f64], q: &[f64], v: &[f64]) {
        let named = self.names.named.len();
        self.pending.clear();
        self.memory = Memory {
            begin: time,
            now: time,
            pairs: (0..named).map(|slot| PairMemory::new(Some(slot as u32), [GROUND; 2])).collect(),
            gaps: vec![GapMemory::default(); named],
            ..Memory::default()
        };
        for (slot, pair) in self.memory.pairs.iter_mut().enumerate() {
            pair.gap = gaps.get(slot).copied().unwrap_or(f64::NAN);
            self.memory.gaps[slot].begin(time, pair.gap);
        }
        self.limits.begin(time, q, v, &mut self.memory.limits, &mut self.pending);
    }

    /// A step begins at `time`; everything reported until [`EventLog::end_step`] belongs to it.
    pub fn begin_step(&mut self, time: f64) {
        self.memory.begin = time;
        self.memory.steps += 1;
    }

    /// Reports a point that touched, or might have. Points of one pair must come in the order of time.
    pub fn point(&mut self, point: &Point) {
        let key = point.bodies.map(|body| body.unwrap_or(GROUND));
        let at = self.pair_of(key);
        let pair = &mut self.memory.pairs[at];
        // Tangential impulses are summed as acting on the body with the lower number.
        let sign = if key[0] <= key[1] { 1.0 } else { -1.0 };
        if pair.is_later(point.time) {
            let context = Context { begin: self.memory.begin, step: self.memory.steps, rules: &self.rules };
            pair.settle(&context, &self.names, &mut self.pending);
        }
        self.memory.pairs[at].merge(point, sign, &self.rules);
    }

    /// Reports an instant inside a long step, for near misses and limits.
    pub fn look_inside(&mut self, time: f64, gaps: &[f64], q: &[f64], v: &[f64]) {
        for slot in 0..self.names.named.len() {
            self.look_at_gap(slot, time, gaps.get(slot).copied().unwrap_or(f64::NAN));
        }
        let step = self.memory.steps;
        self.limits.look(&Instant { time, step, q, v }, &self.rules, &mut self.memory.limits, &mut self.pending);
    }

    fn look_at_gap(&mut self, slot: usize, time: f64, gap: f64) {
        let busy = self.memory.pairs[slot].is_busy();
        if let Some([time, error, least]) = self.memory.gaps[slot].look(time, gap, busy, &self.rules) {
            let step = self.memory.steps;
            let pair = &mut self.memory.pairs[slot];
            self.pending.push(pair.entry(EventKind::NearMiss, [time, error, least], step, &self.names));
        }
    }

    /// The step ends at `time` with these gaps of the named pairs and this state.
    pub fn end_step(&mut self, time: f64, gaps: &[f64], q: &[f64], v: &[f64]) {
        let context = Context { begin: self.memory.begin, step: self.memory.steps, rules: &self.rules };
        for (at, pair) in self.memory.pairs.iter_mut().enumerate() {
            let named = gaps.get(at).copied().filter(|_| pair.slot.is_some());
            pair.end_step(&context, time, named, &self.names, &mut self.pending);
        }
        self.look_inside(time, gaps, q, v);
        self.memory.now = time;
    }

    /// Moves events that have become certain to `out`; a log that is off has none. At the `end` of a run pending events
    /// are decided from what is known.
    pub fn take(&mut self, end: bool, out: &mut Vec<Logged>) {
        if end {
            for pair in &mut self.memory.pairs {
                pair.finish(&self.rules, &self.names, &mut self.pending);
            }
        }
        out.append(&mut self.pending);
    }

    /// Index of the pair of two bodies.
    fn pair_of(&mut self, key: [u32; 2]) -> usize {
        let key = [key[0].min(key[1]), key[0].max(key[1])];
        match self.memory.index.binary_search_by(|(known, _)| known.cmp(&key)) {
            Ok(found) => self.memory.index[found].1 as usize,
            Err(place) => {
                let at = match self.names.slot(key) {
                    Some(slot) => slot,
                    None => {
                        self.memory.pairs.push(PairMemory::new(None, key));
                        self.memory.pairs.len() - 1
                    }
                };
                self.memory.index.insert(place, (key, at as u32));
                at
            }
        }
    }
}

/// Data of a step shared by all pairs.
struct Context<'a> {
    begin: f64,
    step: u64,
    rules: &'a EventRules,
}

impl Names {
    fn new(world: &World, layout: &Layout) -> Self {
        let mut fixed = Vec::with_capacity(layout.bodies.len());
        for (slot, body) in layout.bodies.iter().enumerate() {
            let held = layout.joints[slot].kind.dof_count() == 0;
            fixed.push(held && body.parent.is_none_or(|parent| fixed[parent]));
        }
        let mut named = Vec::with_capacity(layout.pairs.len());
        let mut first = 0;
        for placement in &world.placements {
            for pair in placement.model.contact_pairs() {
                let name = layout.pairs[named.len()].clone();
                named.push((name, (first + pair.a.0) as u32, pair.b.map(|b| (first + b.0) as u32)));
            }
            first += placement.model.bodies().len();
        }
        Self { bodies: layout.bodies.iter().map(|b| b.name.clone()).collect(), fixed, named }
    }

    fn is_fixed(&self, body: u32) -> bool {
        self.fixed.get(body as usize).copied().unwrap_or(true)
    }

    /// The named pair of two bodies: one that names both comes before one with the environment.
    fn slot(&self, key: [u32; 2]) -> Option<usize> {
        let both = |&(_, a, b): &(String, u32, Option<u32>)| b.is_some_and(|b| [a.min(b), a.max(b)] == key);
        let with_environment = |&(_, a, b): &(String, u32, Option<u32>)| {
            b.is_none() && ((a == key[0] && self.is_fixed(key[1])) || (a == key[1] && self.is_fixed(key[0])))
        };
        self.named.iter().position(both).or_else(|| self.named.iter().position(with_environment))
    }

    /// Name of a pair: its own name, or the names of its bodies in alphabetical order.
    fn of(&self, pair: &PairMemory) -> String {
        if let Some(slot) = pair.slot {
            return self.named[slot as usize].0.clone();
        }
        let name = |body: u32| self.bodies.get(body as usize).map_or("ground", String::as_str);
        let [a, b] = pair.bodies.map(name);
        if a <= b { format!("{a} {b}") } else { format!("{b} {a}") }
    }
}
