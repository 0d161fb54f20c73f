//! Temporary time stepping where events accumulate without end.
//!
//! Contacts that share a statically indeterminate load, and lines along which shapes touch, may change their modes
//! every microsecond; a feature may be lost in the middle of a step. There the motion continues by time steps of size
//! `capture_s` (`stepping`, without the correction of overlaps), in which everything that happens within a step happens
//! at its end and no step gains energy: with `r` the natural residual of the solve, `λ` and `w` impulses and velocities
//! of its rows,
//!
//! ```text
//! (1)  E₁ <= E₀ + r Σ (|λ| + m |w|)
//! ```
//!
//! The last term is counted. A fall-back begins when a piece failed, when there are too many mode changes for the time
//! they took (2), or when following the events of a world with lasting contacts has cost too much for that time (3):
//!
//! ```text
//! (2)  n ← max(0, n - taken · RATE) + 1 per change of a mode, 1/8 per impact;                       n > MOST
//! (3)  c ← max(0, c - taken · COST_RATE) + evaluations · (trees + lasting points) per piece;         c > MOST_COST
//! ```
//!
//! Thirty bodies that come to rest on each other have some thousand events in a second, each of which moves all of them
//! repeatedly until it is located; (3) is reached where that costs some ten times as much as time steps would. Bodies
//! without lasting contacts, however many, are followed to the end. (3) is reached at once where more than [`LARGEST`]
//! lasting points form one island: their equations are dense, and nothing determines which of them carry the load.
//!
//! A fall-back lasts [`FIRST`] steps, and twice as many as the last one if that ended less than [`PATIENCE`] ago, so
//! that a pile that chatters permanently costs little more than its time steps. After a fall-back the contacts are
//! found anew: gaps within the drift bound and closing speeds up to those of one step of free fall are not impacts.

use super::{EventDriven, EventDrivenSettings};
use crate::islands::{join, root};
use crate::paradigm::{Paradigm, Touch};
use crate::stepping::{PathRule, Stabilisation, Stepping, SteppingSettings};
use crate::world::{ContactError, ContactWorld};
use veracity_dynamics::integrate::{State, StepReport};
use veracity_dynamics::{Efforts, Trouble};

/// Mode changes that are forgotten per second: a contact that slides, stops and slides again fifty times in a
/// millisecond is not physical.
const RATE: f64 = 2e4;
/// Threshold of (2).
const MOST: f64 = 40.0;
/// Weight of an impact relative to a mode change: many bodies may collide at once.
const IMPACT: f64 = 0.125;
/// Rate of (3): one and a half microseconds each.
const COST_RATE: f64 = 1e5;
/// Threshold of (3).
const MOST_COST: f64 = 2e4;
/// Time steps of a first fall-back.
const FIRST: u32 = 4;
/// A fall-back that begins within this time after the last one is longer [s].
const PATIENCE: f64 = 0.05;
/// Islands of up to this many lasting points are followed from event to event.
pub(super) const LARGEST: usize = 12;
/// Time steps that are added while an island has too many points.
const STAY: u32 = 16;
/// Maximum time steps of one fall-back.
const LONGEST: u32 = 512;

/// State of the time stepping, and when it is used.
pub(super) struct Capture {
    stepping: Option<Box<Stepping>>,
    step_s: f64,
    gravity: f64,
    masses: Vec<f64>,
    /// Memory of the time stepping before its first step.
    fresh: Vec<f64>,
    /// `n` of (2) and `c` of (3).
    crowd: f64,
    cost: f64,
    /// Remaining steps of this fall-back, and the number the next one gets.
    left: u32,
    next: u32,
    /// When the last fall-back ended [s].
    ended: f64,
    /// The state was produced by time steps.
    pub just_left: bool,
    islands: Islands,
    counted: Counted,
}

/// Values already counted towards a fall-back.
#[derive(Default)]
struct Counted {
    evaluations: u64,
    impacts: u64,
    events: u64,
}

impl Capture {
    pub(super) fn new(world: &ContactWorld, settings: &EventDrivenSettings) -> Result<Self, Vec<ContactError>> {
        let h = settings.capture_s;
        let of_steps = SteppingSettings {
            relative_tolerance: 1e-8,
            // What gravity adds in one step: below this a bounce and rest cannot be distinguished.
            bounce_speed: 10.0 * h,
            // Displacements do work that no velocity pays for. Drift is corrected as elsewhere in the event-driven
            // paradigm.
            stabilisation: Stabilisation::None,
            anchor: false,
            // The energy balance of the mean path has rounding errors of some 1e-8 of a pile's energy; events allow
            // 1e-9.
            path: PathRule::End,
            ..SteppingSettings::default()
        };
        let stepping = (h > 0.0).then(|| Stepping::of_compiled(world.clone(), of_steps)).transpose()?.map(Box::new);
        let mut fresh = Vec::new();
        if let Some(stepping) = &stepping {
            stepping.memory(&mut fresh);
        }
        let masses = world.system.block_masses();
        let masses = world.blocks.iter().map(|block| block.map_or(f64::INFINITY, |b| masses[b])).collect();
        let g = world.system.gravity();
        Ok(Self {
            stepping,
            step_s: h,
            gravity: g[0].abs() + g[1].abs() + g[2].abs(),
            masses,
            fresh,
            crowd: 0.0,
            cost: 0.0,
            left: 0,
            next: FIRST,
            ended: f64::NEG_INFINITY,
            just_left: false,
            islands: Islands::default(),
            counted: Counted::default(),
        })
    }

    pub(super) fn is_on(&self) -> bool {
        self.left > 0
    }

    /// Closing speed that a time step may leave at a lasting contact [m/s].
    pub(super) fn slowest_bounce(&self) -> f64 {
        2.0 * self.gravity * self.step_s
    }

    /// Writes the length, then what an exact continuation needs.
    pub(super) fn write(&self, out: &mut Vec<f64>) {
        let at = out.len();
        out.push(0.0);
        out.extend([self.crowd, self.cost, f64::from(self.left), f64::from(self.next), self.ended]);
        out.push(f64::from(u8::from(self.just_left)));
        if let (Some(stepping), true) = (&self.stepping, self.is_on()) {
            stepping.memory(out);
        }
        out[at] = (out.len() - at - 1) as f64;
    }

    /// Restores it. Returns `false`, with nothing changed, if it does not fit.
    pub(super) fn read(&mut self, memory: &[f64]) -> bool {
        let Some((&[crowd, cost, left, next, ended, just_left], rest)) = memory.split_first_chunk() else {
            return false;
        };
        let fits = match (&mut self.stepping, left > 0.0) {
            (Some(stepping), true) => stepping.set_memory(rest),
            (_, on) => !on && rest.is_empty(),
        };
        if fits {
            (self.crowd, self.cost) = (crowd, cost);
            (self.left, self.next) = (left as u32, next as u32);
            (self.ended, self.just_left) = (ended, just_left == 1.0);
        }
        fits
    }
}

/// Islands of points, by the trees they join.
#[derive(Default)]
struct Islands {
    of_block: Vec<usize>,
    of_point: Vec<usize>,
}

impl Islands {
    /// The number of touching points in the largest island.
    fn largest(&mut self, world: &ContactWorld, touches: &[Touch]) -> usize {
        let of = &mut self.of_block;
        of.clear();
        of.extend(0..world.system.blocks().len());
        let blocks = |t: &Touch| t.bodies.map(|b| world.blocks[b as usize]);
        let carries = |t: &&Touch| t.impulse != [0.0; 3];
        for touch in touches.iter().filter(carries) {
            if let [Some(a), Some(b)] = blocks(touch) {
                join(of, a, b);
            }
        }
        self.of_point.clear();
        let moved = touches.iter().filter(carries).filter_map(|t| blocks(t).into_iter().flatten().next());
        self.of_point.extend(moved.map(|block| root(of, block)));
        self.of_point.sort_unstable();
        self.of_point.chunk_by(|a, b| a == b).map(<[usize]>::len).max().unwrap_or(0)
    }
}

impl EventDriven {
    /// Updates (2) and (3) after a piece.
    pub(super) fn count_towards_capture(&mut self, report: &StepReport) {
        let impacts = self.counts.impacts - self.capture.counted.impacts;
        let changes = self.counts.events - self.capture.counted.events;
        (self.capture.counted.impacts, self.capture.counted.events) = (self.counts.impacts, self.counts.events);
        let evaluations = self.counts.evaluations
            - std::mem::replace(&mut self.capture.counted.evaluations, self.counts.evaluations);
        let lasting = self.held.contacts.len();
        let capture = &mut self.capture;
        capture.crowd = (capture.crowd - report.taken_s * RATE).max(0.0);
        capture.crowd += if impacts > 0 { IMPACT } else { changes as f64 };
        capture.cost = (capture.cost - report.taken_s * COST_RATE).max(0.0);
        if lasting > 0 {
            capture.cost += evaluations as f64 * (self.system.blocks().len() + lasting) as f64;
        }
        if (capture.crowd > MOST || capture.cost > MOST_COST) && self.settings.capture_s > 0.0 {
            self.begin_capture();
        }
    }

    /// Starts a fall-back.
    pub(super) fn begin_capture(&mut self) {
        let now = self.piece.start.time;
        let capture = &mut self.capture;
        let soon = now < capture.ended + PATIENCE;
        capture.next = if soon { (2 * capture.next).min(LONGEST) } else { FIRST };
        capture.left = capture.next;
        (capture.crowd, capture.cost) = (0.0, 0.5 * MOST_COST);
        if let Some(stepping) = &mut capture.stepping {
            stepping.set_memory(&capture.fresh);
        }
        self.counts.captures += 1;
        self.memory.known = None;
    }

    /// Takes one time step.
    pub(super) fn capture_step(
        &mut self,
        efforts: &mut dyn Efforts,
        state: &mut State,
        limit_s: f64,
    ) -> Result<StepReport, Trouble> {
        let capture = &mut self.capture;
        let Some(stepping) = &mut capture.stepping else {
            return Err(Trouble::StepTooSmall { time: state.time, step: 0.0 });
        };
        // Avoids leaving a tiny remainder of a step.
        let h = if limit_s < capture.step_s * (1.0 + 1e-9) { limit_s } else { capture.step_s };
        let report = stepping.step(efforts, state, h).inspect_err(|_| {
            state.clone_from(&self.piece.start);
            capture.left = 0;
        })?;
        let mut sum = 0.0;
        for touch in stepping.touches() {
            let lighter = touch.bodies.iter().map(|b| capture.masses[*b as usize]).fold(f64::INFINITY, f64::min);
            let size = |x: [f64; 3]| x[0].abs() + x[1].abs() + x[2].abs();
            sum += size(touch.impulse) + lighter * size(touch.velocity);
        }
        self.counts.tolerated_j += report.contact_residual * sum;
        self.counts.capture_steps += 1;
        self.counts.captured_s += h;
        self.counts.unsolved += u64::from(report.unsolved);
        self.touches.extend_from_slice(stepping.touches());
        capture.left -= 1;
        if capture.left == 0 && capture.islands.largest(stepping.world(), stepping.touches()) > LARGEST {
            // Returning to events would only begin another fall-back.
            capture.left = STAY;
        }
        if capture.left == 0 {
            capture.ended = state.time;
            capture.just_left = true;
        }
        self.memory.known = None;
        Ok(report)
    }
}
