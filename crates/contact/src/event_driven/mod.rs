//! The event-driven paradigm: smooth motion between located events.
//!
//! Between events every lasting contact keeps its mode (sticking or sliding) and the motion is that of a smooth system
//! with constraints, integrated to the accuracy of the integrator (`held`). Everything that ends a mode is a function
//! that falls to zero and is located to the resolution of time (`search`): shapes begin to touch, a contact force
//! vanishes, friction reaches its limit, sliding stops, a joint reaches the end of its range, the condition of a
//! contact pair changes. At the instant itself one complementarity problem over all touching points determines impulses
//! and accelerations (`resolve`, `problem`).
//!
//! Drift: positions and velocities of lasting contacts are maintained by the accuracy of the integrator alone, as for
//! any smooth motion. Velocities that an impact left along constrained directions are removed where they exceed that
//! accuracy, and a gap that has drifted beyond [`EventDrivenSettings::drift_bound_m`] is closed; these corrections are
//! counted, and the energy of lifting is taken from the motion of the touching bodies. Bodies at rest are not changed.
//!
//! Where events accumulate without end (contacts that share a statically indeterminate load may change modes every
//! microsecond) or the smooth motion cannot be followed (contacts separate, or energy is gained without a source), time
//! steps of bounded size take over temporarily (`capture`); how often is counted.
//!
//! Deliberately absent: torsional and rolling friction and closed loops, which are rejected; dry friction of joints is
//! the smoothed one of [`veracity_dynamics::forces`].

mod capture;
mod closed;
mod counts;
mod dense;
mod frame;
mod held;
mod lasting;
mod log;
mod piece;
mod problem;
mod resolve;
mod rows;
mod saved;
mod search;
mod settings;
mod sites;
mod watch;

pub use counts::Counts;
pub use log::{ContactEvent, EventKind, Site};
pub use settings::{EventDrivenSettings, Restitution, Smooth};

use crate::paradigm::{Paradigm, Touch};
use crate::world::{ContactError, ContactWorld};
use held::Held;
use lasting::Mode;
use problem::Judge;
use veracity_dynamics::integrate::{self, Integrator, IntegratorSettings, State, StepReport};
use veracity_dynamics::{Efforts, System, Trouble, Workspace};
use veracity_lcp::SolveReport;

/// The event-driven motion of one world.
pub struct EventDriven {
    settings: EventDrivenSettings,
    /// A second copy of the system, so that it can be lent to the integrator together with the contacts.
    system: System,
    ws: Workspace,
    integrator: Box<dyn Integrator>,
    /// Memory of the integrator before its first step.
    new_integrator: Vec<f64>,
    /// The lasting contacts, which are memory, and the equations of motion with them.
    held: Held,
    judge: Judge,
    capture: capture::Capture,
    memory: Memory,
    // Results.
    counts: Counts,
    touches: Vec<Touch>,
    events: Vec<ContactEvent>,
    before_impact: State,
    // Scratch of `piece`, `search` and `resolve`.
    piece: piece::Scratch,
    search: search::Scratch,
    resolving: resolve::Scratch,
}

/// What the next step depends on besides the state, the integrator, the lasting contacts and the fall-back.
struct Memory {
    /// Sites that touch but have been released, and their gaps at that time.
    open: Vec<(Site, f64)>,
    /// The state the contacts belong to; `None` before the first step.
    known: Option<State>,
    /// How far ahead the next step may look [s].
    horizon: f64,
    /// Consecutive events between which time did not advance.
    stalls: u32,
}

impl EventDriven {
    /// Creates it from a compiled world. On failure, lists everything that is not supported.
    pub fn new(world: ContactWorld, settings: EventDrivenSettings) -> Result<Self, Vec<ContactError>> {
        let mut trouble = refusals(&world);
        let judge = Judge::new(&settings);
        if judge.is_none() {
            let known: Vec<_> = veracity_lcp::SOLVERS.iter().map(|s| s.name).collect();
            trouble.push(ContactError::Unsupported {
                subject: "solver".into(),
                what: format!("'{}'", settings.solver),
                hint: format!("choose one of {}", known.join(", ")),
            });
        }
        let (Some(judge), true) = (judge, trouble.is_empty()) else { return Err(trouble) };
        let capture = capture::Capture::new(&world, &settings)?;
        let system = world.system.clone();
        let entry = integrate::find(settings.integrator.name());
        let numbers = IntegratorSettings {
            step_s: settings.step_s,
            relative_tolerance: settings.relative_tolerance,
            absolute_tolerance: settings.absolute_tolerance,
        };
        let Some(entry) = entry else { return Err(trouble) };
        let state = State { time: 0.0, q: system.neutral_positions().to_vec(), v: vec![0.0; system.dof_count()] };
        let integrator = (entry.make)(&system, &numbers);
        let mut new_integrator = Vec::new();
        integrator.memory(&mut new_integrator);
        Ok(Self {
            ws: Workspace::new(&system),
            integrator,
            new_integrator,
            held: Held::new(world),
            judge,
            capture,
            memory: Memory { open: Vec::new(), known: None, horizon: f64::INFINITY, stalls: 0 },
            counts: Counts::default(),
            touches: Vec::new(),
            events: Vec::new(),
            before_impact: state.clone(),
            piece: piece::Scratch::new(state),
            search: search::Scratch::default(),
            resolving: resolve::Scratch::default(),
            system,
            settings,
        })
    }

    /// The world it moves.
    pub fn world(&self) -> &ContactWorld {
        &self.held.world
    }

    /// Events of the last step, in order. A step ends at the first instant with an event.
    pub fn events(&self) -> &[ContactEvent] {
        &self.events
    }

    /// The state just before the last jump of velocities.
    pub fn before_impact(&self) -> &State {
        &self.before_impact
    }

    /// Counts since construction.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Sites of the lasting contacts, and whether they stick.
    pub fn lasting(&self) -> impl Iterator<Item = (Site, bool)> + '_ {
        self.held.contacts.iter().map(|c| (c.site, c.mode == Mode::Stick))
    }

    /// Advances to the next event or to `time`; returns `true` if there was an event. [`EventDriven::events`] lists the
    /// events, and the state is the one after them.
    pub fn advance_to_event(
        &mut self,
        efforts: &mut dyn Efforts,
        state: &mut State,
        time: f64,
    ) -> Result<bool, Trouble> {
        while time > state.time {
            let left = time - state.time;
            let report = self.step(efforts, state, left)?;
            if report.taken_s == left {
                state.time = time;
            }
            if !self.events.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Advances to `time` through all events; `look` is called for each event with the state after it.
    pub fn advance_to(
        &mut self,
        efforts: &mut dyn Efforts,
        state: &mut State,
        time: f64,
        look: &mut dyn FnMut(&ContactEvent, &State),
    ) -> Result<(), Trouble> {
        while self.advance_to_event(efforts, state, time)? {
            self.events.iter().for_each(|event| look(event, state));
        }
        Ok(())
    }

    /// Discards the contacts and the integrator's step size: the next step depends on the state alone, to the bit, as
    /// at the beginning of a run.
    pub fn forget(&mut self) {
        self.memory.known = None;
        self.integrator.set_memory(&self.new_integrator);
    }

    /// Starts a run from this state: finds contacts from the state alone, and applies the impacts of points that close
    /// at once.
    pub fn begin_anew(&mut self, efforts: &mut dyn Efforts, state: &mut State) -> Result<(), Trouble> {
        self.forget();
        self.begin(efforts, state)
    }

    fn note_outcome(&mut self, outcome: &SolveReport) {
        self.counts.unsolved += u64::from(!outcome.converged());
        self.counts.worst_residual = self.counts.worst_residual.max(outcome.residual);
    }
}

impl Paradigm for EventDriven {
    fn step(&mut self, efforts: &mut dyn Efforts, state: &mut State, limit_s: f64) -> Result<StepReport, Trouble> {
        self.touches.clear();
        self.events.clear();
        self.piece.start.clone_from(state);
        let unsolved = self.counts.unsolved;
        if self.capture.is_on() {
            return self.capture_step(efforts, state, limit_s);
        }
        let mut outcome = self.piece(efforts, state, limit_s);
        if outcome.is_ok() {
            let bad = state.q.iter().chain(&state.v).position(|x| !x.is_finite());
            if let Some(index) = bad {
                let dof = index.saturating_sub(state.q.len());
                outcome = Err(Trouble::NotFinite { dof, time: state.time });
            }
        }
        if let (Ok(Some(_)), Some(trouble)) = (&outcome, self.has_gained(efforts, state)) {
            outcome = Err(trouble);
        }
        // NaN and infinity are never returned: the state is reset to the beginning of the step.
        if outcome.is_err() {
            state.clone_from(&self.piece.start);
            self.memory.known = None;
            self.touches.clear();
            self.events.clear();
        }
        match outcome {
            Ok(Some(mut report)) => {
                report.unsolved += u32::try_from(self.counts.unsolved - unsolved).unwrap_or(u32::MAX);
                self.count_towards_capture(&report);
                return Ok(report);
            }
            Err(trouble) if self.settings.capture_s == 0.0 => return Err(trouble),
            _ => self.begin_capture(),
        }
        self.capture_step(efforts, state, limit_s)
    }

    fn touches(&self) -> &[Touch] {
        &self.touches
    }

    fn warnings(&self, out: &mut Vec<String>) {
        self.counts.warnings(out);
    }

    fn memory(&self, out: &mut Vec<f64>) {
        saved::write(self, out);
    }

    fn set_memory(&mut self, memory: &[f64]) -> bool {
        saved::read(self, memory)
    }
}

/// The unsupported features of a world.
fn refusals(world: &ContactWorld) -> Vec<ContactError> {
    let mut out = Vec::new();
    if world.system.is_constrained() {
        out.push(ContactError::Unsupported {
            subject: "loops and couplings".into(),
            what: "a mechanism with closed loops in the event-driven paradigm".into(),
            hint: "use paradigm=stepping, or open the loop".into(),
        });
    }
    let shapes = world.scene.shapes().len();
    for a in 0..shapes {
        for b in a + 1..shapes {
            if world.scene.pair_of(a, b).is_none() {
                continue;
            }
            let surface = world.surfaces.of_pair(a as u32, b as u32);
            if surface.torsion > 0.0 || surface.rolling > 0.0 {
                let name = |s: usize| world.layout.bodies[world.scene.shapes()[s].body].name.clone();
                out.push(ContactError::Unsupported {
                    subject: format!("{} and {}", name(a), name(b)),
                    what: "torsional or rolling friction in the event-driven paradigm".into(),
                    hint: "set it to zero, or use paradigm=stepping".into(),
                });
            }
        }
    }
    out
}
