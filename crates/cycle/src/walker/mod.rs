//! A walker from a scenario, moved by the general event-driven engine: the stride map of its model file.
//!
//! ```text
//! (1)  start    stance foot:  gap = 0, velocity at the contact = 0     released foot:  gap = 0
//! (2)  arc      stance foot:  gap = 0, velocity at the contact = 0
//! (3)  strike   (2), and the guard: gap of the landing foot = 0
//! ```
//!
//! A state is `q` and then `v`; a displacement has the size of a velocity for the positions and again for the
//! velocities, so quaternions have three numbers. A stride of two strikes ends on the foot it began on, without
//! renaming; it is not split at its strikes, so its multipliers come from differences only ([`crate::analyse`]). The
//! engine is given only states: each stride begins like a run, with its contacts found from the state alone.

mod feet;
mod joints;
mod symmetry;

pub use feet::Foot;
pub use symmetry::Symmetry;

use crate::analysis::{CycleAnalysis, analyse, analyse_twice};
use crate::map::{Arcs, NoReturn, Place, Stride, StrideEvent, StrideMap};
use crate::newton::Search;
use feet::Bodies;
use std::sync::Arc;
use veracity_contact::event_driven::{ContactEvent, EventDriven, EventDrivenSettings, EventKind, Site};
use veracity_contact::{ContactError, ContactWorld};
use veracity_dynamics::integrate::State;
use veracity_dynamics::{NoEfforts, Workspace, kinematics};
use veracity_model::World;
use veracity_scenario::{FootShape, Scenario};

/// A walker in its world.
pub struct Walker {
    world: Arc<World>,
    compiled: ContactWorld,
    ws: Workspace,
    /// The engine; the next two are the same with ten times the error allowed, and without anything to strike.
    engine: EventDriven,
    loose: EventDriven,
    smooth: EventDriven,
    feet: Feet,
    symmetry: Symmetry,
    cyclic: Vec<usize>,
    longest_s: f64,
    /// Number of strikes in a stride.
    strikes: u32,
    /// Why a stride has two strikes although the scenario says one.
    doubled: Option<String>,
    names: Vec<String>,
}

/// Why a scenario has no walker.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WalkerError {
    /// It has no `[cycle]`.
    #[error("scenario '{0}' has no [cycle]; docs/cycles.md shows what to write")]
    NoCycleTable(String),
    /// It has a controller, whose memory is not part of a state.
    #[error("scenario '{0}' has controllers; cycles of controlled walkers are not supported, remove the controllers")]
    Controlled(String),
    /// The engine cannot load it.
    #[error("the event-driven engine cannot load the world: {0}")]
    Engine(String),
    /// The feet do not match the world.
    #[error("the walker {0}")]
    Feet(NoReturn),
    /// `shift` maps the state to one of a different machine.
    #[error("the walker is not the same after 'shift': {0}; correct 'shift', or remove it and set 'strikes = 2'")]
    NotSymmetric(String),
}

impl Walker {
    /// The walker of a scenario with a `[cycle]`.
    pub fn new(scenario: &Scenario, settings: &EventDrivenSettings) -> Result<Self, WalkerError> {
        let Some(config) = &scenario.cycle else { return Err(WalkerError::NoCycleTable(scenario.name.clone())) };
        if !scenario.controllers.is_empty() {
            return Err(WalkerError::Controlled(scenario.name.clone()));
        }
        let list = |errors: Vec<ContactError>| {
            let all: Vec<String> = errors.iter().map(ToString::to_string).collect();
            WalkerError::Engine(all.join("; "))
        };
        let mut compiled = ContactWorld::new(&scenario.world).map_err(list)?;
        let mut ws = Workspace::new(&compiled.system);
        let bodies = Bodies::at(&compiled, &mut ws, &scenario.q, &scenario.v);
        let mut foot = |foot: &FootShape| -> Result<Foot, NoReturn> {
            let number = compiled.scene.shapes().iter().position(|s| s.body == foot.body && s.id.shape == foot.shape);
            let number = number.ok_or_else(|| NoReturn::Trouble("has a foot without a contact pair".to_string()))?;
            Foot::under(&mut compiled, &bodies, number)
        };
        let stance = foot(&config.stance).map_err(WalkerError::Feet)?;
        let released = foot(&config.released).map_err(WalkerError::Feet)?;
        let landing = foot(&config.strike).map_err(WalkerError::Feet)?;
        let looser = EventDrivenSettings {
            relative_tolerance: 10.0 * settings.relative_tolerance,
            absolute_tolerance: 10.0 * settings.absolute_tolerance,
            ..settings.clone()
        };
        // In the smooth engine only the stance foot has contact.
        let mut bare = compiled.clone();
        for shape in 0..bare.scene.shapes().len() {
            if shape != stance.shape && !bare.scene.shapes()[shape].fixed {
                bare.scene.ignore(shape);
            }
        }
        let names = names(&compiled);
        let mut symmetry = Symmetry { swap: config.swap.clone(), mirror: config.mirror, shift: config.shift.clone() };
        let mut strikes = config.strikes;
        let mut doubled = None;
        // Legs that are symmetric in geometry but not in mass: one step is not a whole stride, two are.
        let asymmetry =
            symmetry.asymmetry(&scenario.world, &mut compiled, &mut ws, &scenario.q, [stance.shape, landing.shape]);
        let asymmetry = asymmetry.map_err(WalkerError::Feet)?;
        if let Some(why) = asymmetry {
            if !symmetry.shift.is_empty() {
                return Err(WalkerError::NotSymmetric(why));
            }
            (symmetry, strikes, doubled) = (Symmetry::default(), 2, Some(why));
        }
        Ok(Self {
            engine: EventDriven::new(compiled.clone(), settings.clone()).map_err(list)?,
            loose: EventDriven::new(compiled.clone(), looser).map_err(list)?,
            smooth: EventDriven::new(bare, settings.clone()).map_err(list)?,
            world: scenario.world.clone(),
            ws,
            feet: Feet { stance, released, landing },
            symmetry,
            cyclic: config.cyclic.clone(),
            longest_s: config.longest_s,
            strikes,
            doubled,
            names,
            compiled,
        })
    }

    /// The scenario's start as a state of this map.
    pub fn start(scenario: &Scenario) -> Vec<f64> {
        scenario.q.iter().chain(&scenario.v).copied().collect()
    }

    /// Strikes in a stride: 1 where the legs are renamed after a step, 2 where they are not.
    pub fn strikes(&self) -> u32 {
        self.strikes
    }

    /// Why a stride has two strikes although the scenario renames the legs after one: the difference between the legs.
    pub fn doubled(&self) -> Option<&str> {
        self.doubled.as_deref()
    }

    /// Analyses the cycle near a guess: multipliers by both methods where a stride has one strike, by differences where
    /// it has two.
    pub fn analyse(&mut self, guess: &[f64], search: &Search) -> Result<CycleAnalysis, NoReturn> {
        if self.strikes == 1 { analyse_twice(self, guess, search) } else { analyse(self, guess, search) }
    }

    /// Positions of a state.
    pub fn positions<'a>(&self, state: &'a [f64]) -> &'a [f64] {
        &state[..self.compiled.system.position_count()]
    }

    /// Velocities of a state.
    pub fn velocities<'a>(&self, state: &'a [f64]) -> &'a [f64] {
        &state[self.compiled.system.position_count()..]
    }

    fn renamed(&mut self, state: &State, out: &mut Vec<f64>) -> Result<(), NoReturn> {
        let (mut q, mut v) = (state.q.clone(), state.v.clone());
        self.symmetry.apply(&self.world, &self.compiled, &mut self.ws, &mut q, &mut v)?;
        out.clear();
        out.extend(q);
        out.extend(v);
        Ok(())
    }

    fn state(&self, numbers: &[f64]) -> State {
        State { time: 0.0, q: self.positions(numbers).to_vec(), v: self.velocities(numbers).to_vec() }
    }

    fn walk(&mut self, start: &[f64], end: &mut Vec<f64>, accuracy: Accuracy) -> Result<Stride, NoReturn> {
        let mut state = self.state(start);
        let engine = if accuracy == Accuracy::Tight { &mut self.engine } else { &mut self.loose };
        let mut feet = self.feet;
        let mut events = Vec::new();
        engine.forget();
        let mut left = self.strikes;
        loop {
            let happened = engine
                .advance_to_event(&mut NoEfforts, &mut state, self.longest_s)
                .map_err(|e| NoReturn::Trouble(e.to_string()))?;
            if !happened {
                return Err(NoReturn::TooLong(self.longest_s));
            }
            let mut struck = false;
            for event in engine.events() {
                let body = &self.compiled.layout.bodies[event.bodies[0] as usize].name;
                let what = format!("{} {body}", word(event.kind));
                events.push(StrideEvent { time_s: event.time, what });
                struck |= event.kind == EventKind::Impact && feet.landing.is_at(event.site);
                if let Some(why) = feet.ends(event) {
                    return Err(why);
                }
            }
            left -= u32::from(struck);
            if left == 0 {
                break;
            }
            // The foot that has landed is the stance foot of the next step, and the other one lands.
            if struck {
                feet = Feet { stance: feet.landing, released: feet.stance, landing: feet.stance };
            }
        }
        let stride = Stride { time_s: state.time, events };
        self.renamed(&state, end)?;
        Ok(stride)
    }
}

/// The feet, by their role in a stride.
#[derive(Clone, Copy)]
struct Feet {
    stance: Foot,
    released: Foot,
    landing: Foot,
}

impl Feet {
    /// Whether an event ends the stride, and why.
    fn ends(&self, event: &ContactEvent) -> Option<NoReturn> {
        let at = event.time;
        let stance = self.stance.is_at(event.site);
        match event.kind {
            EventKind::Impact if self.landing.is_at(event.site) => None,
            EventKind::Impact if self.released.is_at(event.site) => {
                Some(NoReturn::TurnedBack(format!("the trailing foot touches down again at {at:.4} s")))
            }
            // The stance foot takes part in the impact problem of the strike.
            EventKind::Impact if !stance => {
                Some(NoReturn::Fell(format!("another part hits the ground at {at:.4} s")))
            }
            EventKind::Slip if stance => Some(NoReturn::Fell(format!("the stance foot slips at {at:.4} s"))),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Accuracy {
    Tight,
    Loose,
}

impl Foot {
    fn is_at(&self, site: Site) -> bool {
        // Any point of the foot: which one depends on its shape.
        matches!(site, Site::Point { pair, .. } if pair == self.pair)
    }
}

impl StrideMap for Walker {
    fn size(&self) -> usize {
        2 * self.compiled.system.dof_count()
    }

    fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    fn displace(&self, from: &[f64], by: &[f64], out: &mut Vec<f64>) {
        let nv = self.compiled.system.dof_count();
        let nq = from.len() - nv;
        out.clear();
        out.extend_from_slice(from);
        kinematics::advance(&self.compiled.system, &mut out[..nq], &by[..nv], 1.0);
        for (x, d) in out[nq..].iter_mut().zip(&by[nv..]) {
            *x += d;
        }
    }

    fn difference(&self, from: &[f64], to: &[f64], out: &mut [f64]) {
        let nv = self.compiled.system.dof_count();
        let nq = from.len() - nv;
        kinematics::difference(&self.compiled.system, &from[..nq], &to[..nq], &mut out[..nv]);
        for (o, (a, b)) in out[nv..].iter_mut().zip(from[nq..].iter().zip(&to[nq..])) {
            *o = b - a;
        }
    }

    fn cyclic(&self) -> &[usize] {
        &self.cyclic
    }

    fn constraints(&mut self, state: &[f64], place: Place, out: &mut Vec<f64>) -> Result<(), NoReturn> {
        let nq = self.compiled.system.position_count();
        let (q, v) = state.split_at(nq);
        let bodies = Bodies::at(&self.compiled, &mut self.ws, q, v);
        out.push(self.feet.stance.gap(&mut self.compiled, &bodies)?);
        out.extend(self.feet.stance.velocity(&mut self.compiled, &bodies)?);
        match place {
            Place::Arc => {}
            Place::Start => out.push(self.feet.released.gap(&mut self.compiled, &bodies)?),
            Place::Strike => out.push(self.feet.landing.gap(&mut self.compiled, &bodies)?),
        }
        Ok(())
    }

    fn stride(&mut self, start: &[f64], end: &mut Vec<f64>) -> Result<Stride, NoReturn> {
        self.walk(start, end, Accuracy::Tight)
    }

    fn stride_loosely(&mut self, start: &[f64], end: &mut Vec<f64>) -> Option<Result<Stride, NoReturn>> {
        Some(self.walk(start, end, Accuracy::Loose))
    }
}

impl Arcs for Walker {
    fn flow(&mut self, from: &[f64], duration_s: f64, to: &mut Vec<f64>) -> Result<(), NoReturn> {
        let mut state = self.state(from);
        self.smooth.forget();
        let mut lost = None;
        let mut observe = |event: &ContactEvent, _: &State| {
            lost = matches!(event.kind, EventKind::Slip | EventKind::Liftoff).then_some(event.time);
        };
        self.smooth
            .advance_to(&mut NoEfforts, &mut state, duration_s, &mut observe)
            .map_err(|e| NoReturn::Trouble(e.to_string()))?;
        if let Some(time) = lost {
            return Err(NoReturn::Fell(format!("the stance foot leaves the ground or slips at {time:.4} s")));
        }
        to.clear();
        to.extend(state.q);
        to.extend(state.v);
        Ok(())
    }

    fn strike(&mut self, before: &[f64], after: &mut Vec<f64>) -> Result<(), NoReturn> {
        if self.strikes != 1 {
            return Err(NoReturn::Trouble("cannot be split at a strike, because its stride has two".to_string()));
        }
        let mut state = self.state(before);
        self.engine.begin_anew(&mut NoEfforts, &mut state).map_err(|e| NoReturn::Trouble(e.to_string()))?;
        self.renamed(&state, after)
    }
}

fn word(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Impact => "impact",
        EventKind::Jam => "jam",
        EventKind::Rest => "rest",
        EventKind::Touch => "touch",
        EventKind::Liftoff => "liftoff",
        EventKind::Slip => "slip",
        EventKind::Stick => "stick",
        EventKind::Switch => "switch",
    }
}

/// Names: joint and index, with a prime for velocities.
fn names(compiled: &ContactWorld) -> Vec<String> {
    let mut out = Vec::new();
    for joint in &compiled.layout.joints {
        let count = joint.kind.dof_count();
        match joint.kind {
            veracity_model::JointKind::Free => {
                out.extend(["wx", "wy", "wz", "x", "y", "z"].map(|e| format!("{}/{e}", joint.name)));
            }
            _ if count == 1 => out.push(joint.name.clone()),
            _ => out.extend((0..count).map(|i| format!("{}/{i}", joint.name))),
        }
    }
    let speeds: Vec<String> = out.iter().map(|n| format!("{n}'")).collect();
    out.extend(speeds);
    out
}
