//! The energy change of a step, and the allowed one.

use crate::generator::Pile;
use veracity_contact::displaced::work_of_displacement;
use veracity_contact::event_driven::EventDriven;
use veracity_contact::{
    ContactWorld, EventDrivenSettings, Paradigm, Penalty, PenaltySettings, Stepping, SteppingSettings,
};
use veracity_dynamics::energy::{Energy, energy};
use veracity_dynamics::integrate::State;
use veracity_dynamics::{Efforts, System, Trouble, Workspace};

/// Step of the fixed-step paradigms [s].
pub const STEP: f64 = 1e-3;

/// Energy terms of one step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Did {
    /// Energy in contacts after it [J].
    pub stored: f64,
    /// Work of displacing bodies without a velocity [J].
    pub work: f64,
    /// Energy that the arithmetic may have added, by its own tolerances [J].
    pub allowance: f64,
}

/// A paradigm, with what the energy balance needs from it.
pub trait Kept {
    fn world(&self) -> &ContactWorld;

    /// One step of at most `h`.
    fn step(&mut self, efforts: &mut dyn Efforts, state: &mut State, h: f64) -> Result<Did, Trouble>;

    /// The largest requested step [s].
    fn longest_step(&self) -> f64 {
        STEP
    }

    /// Other values to report, as counts that add up: solves short of their tolerance, fall-backs.
    fn counts(&self) -> Vec<(&'static str, f64)>;
}

pub fn system_of(kept: &dyn Kept) -> System {
    kept.world().system.clone()
}

/// Time stepping. With `w` the contact velocities and `λ` the impulses of a step, `ΔE <= W + w · λ` (module docs of
/// `stepping` and `spending`), and exact impulses have `w · λ <= 0`. A natural residual `r` [m/s] leaves either
/// `w <= r` or `λ <= r / A(i, i)` in each row: `w · λ <= r Σ (|λ| + |w| / A(i, i))`, where `1 / A(i, i)` is no more
/// than the mass of the lighter body.
pub struct ByStepping {
    paradigm: Stepping,
    ws: Workspace,
    before: State,
    scratch: State,
    masses: Vec<f64>,
    unsolved: u64,
    steps: u64,
}

impl ByStepping {
    pub fn new(pile: &Pile) -> Self {
        let paradigm = Stepping::new(&pile.world, SteppingSettings::default()).unwrap();
        let masses = masses_of(paradigm.world());
        let ws = Workspace::new(&paradigm.world().system);
        let empty = State { time: 0.0, q: Vec::new(), v: Vec::new() };
        Self { paradigm, ws, before: empty.clone(), scratch: empty, masses, unsolved: 0, steps: 0 }
    }
}

impl Kept for ByStepping {
    fn world(&self) -> &ContactWorld {
        self.paradigm.world()
    }

    fn step(&mut self, efforts: &mut dyn Efforts, state: &mut State, h: f64) -> Result<Did, Trouble> {
        self.before.clone_from(state);
        let report = self.paradigm.step(efforts, state, h)?;
        self.steps += 1;
        self.unsolved += u64::from(report.unsolved);
        let mut sum = 0.0;
        for t in self.paradigm.touches() {
            let lighter = t.bodies.iter().map(|b| self.masses[*b as usize]).fold(f64::INFINITY, f64::min);
            let size = |x: [f64; 3]| x[0].abs() + x[1].abs() + x[2].abs();
            sum += size(t.impulse) + lighter * size(t.velocity);
        }
        let (system, path) = (&self.paradigm.world().system, self.paradigm.moved_along());
        let work = work_of_displacement(system, &mut self.ws, &self.before, state, path, h, &mut self.scratch);
        let e: Energy = energy(system, &mut self.ws, &state.q, &state.v);
        // The sums of the energies themselves have rounding errors of some 1e-16 in each of their terms.
        let rounding = 1e-14 * (e.kinetic + e.gravity.abs());
        Ok(Did { stored: 0.0, work, allowance: report.contact_residual * sum + rounding })
    }

    fn counts(&self) -> Vec<(&'static str, f64)> {
        vec![("steps", self.steps as f64), ("unsolved", self.unsolved as f64)]
    }
}

/// Event driven. A smooth piece is as accurate as its integrator: 1e-12 of each number of the state, so some 1e-12 of
/// the energy, and a hundred times that because a bound of an error estimate is not a bound of the error. A sticking
/// contact creeps at no more than 1e-8 m/s, its normal at 1e-9, under forces of the size of the weights: `1e-7 M g`
/// watts allows for loads of ten times the weight. Impacts add nothing: the plastic one never does, and mixtures are
/// limited where they would.
pub struct ByEvents {
    paradigm: EventDriven,
    ws: Workspace,
    weight: f64,
    last_tolerated: f64,
}

impl ByEvents {
    pub fn new(pile: &Pile) -> Self {
        let world = ContactWorld::new(&pile.world).unwrap();
        let weight = 9.81 * masses_of(&world).iter().filter(|m| m.is_finite()).sum::<f64>();
        let paradigm = EventDriven::new(world, EventDrivenSettings::default()).unwrap();
        let ws = Workspace::new(&paradigm.world().system);
        Self { paradigm, ws, weight, last_tolerated: 0.0 }
    }
}

impl Kept for ByEvents {
    fn longest_step(&self) -> f64 {
        f64::INFINITY
    }

    fn world(&self) -> &ContactWorld {
        self.paradigm.world()
    }

    fn step(&mut self, efforts: &mut dyn Efforts, state: &mut State, h: f64) -> Result<Did, Trouble> {
        let begin = state.time;
        self.paradigm.step(efforts, state, h)?;
        let counts = self.paradigm.counts();
        let tolerated = counts.tolerated_j - std::mem::replace(&mut self.last_tolerated, counts.tolerated_j);
        let e: Energy = energy(&self.paradigm.world().system, &mut self.ws, &state.q, &state.v);
        let smooth = 1e-10 * (e.kinetic + e.gravity.abs()) + 1e-7 * self.weight * (state.time - begin);
        Ok(Did { stored: 0.0, work: 0.0, allowance: smooth + tolerated })
    }

    fn counts(&self) -> Vec<(&'static str, f64)> {
        let c = self.paradigm.counts();
        vec![
            ("pieces", c.steps as f64),
            ("impacts", c.impacts as f64),
            ("fall-backs", c.captures as f64),
            ("steps in them", c.capture_steps as f64),
            ("seconds in them", c.captured_s),
        ]
    }
}

/// Penalty. The step is the minimum of a convex function of the velocities (module docs of `normal` and `friction`), of
/// the potential energies of springs and bristles at its end: its residual of the momentum balance, `ε` of the momenta
/// in the metric of the inertia, is at most `2 ε` of twice the kinetic energy and the work of any efforts. The bound
/// uses `8 ε` of the present energy, and 1e-12 of it for rounding.
pub struct ByForces {
    paradigm: Penalty,
    ws: Workspace,
    last_work: f64,
}

impl ByForces {
    pub fn new(pile: &Pile) -> Self {
        let paradigm = Penalty::new(&pile.world, PenaltySettings::default()).unwrap();
        let ws = Workspace::new(&paradigm.world().system);
        Self { paradigm, ws, last_work: 0.0 }
    }
}

impl Kept for ByForces {
    fn world(&self) -> &ContactWorld {
        self.paradigm.world()
    }

    fn step(&mut self, efforts: &mut dyn Efforts, state: &mut State, h: f64) -> Result<Did, Trouble> {
        self.paradigm.step(efforts, state, h)?;
        let all = self.paradigm.work_of_geometry();
        let work = all - std::mem::replace(&mut self.last_work, all);
        let e: Energy = energy(&self.paradigm.world().system, &mut self.ws, &state.q, &state.v);
        let at_hand = e.kinetic + e.gravity.abs() + self.paradigm.stored_energy();
        Ok(Did {
            stored: self.paradigm.stored_energy(),
            work,
            allowance: (1e-12 + 8.0 * self.paradigm.residual()) * at_hand,
        })
    }

    fn counts(&self) -> Vec<(&'static str, f64)> {
        vec![("substeps", self.paradigm.substeps() as f64)]
    }
}

/// Mass of each body by slots; infinite for bodies that cannot move.
fn masses_of(world: &ContactWorld) -> Vec<f64> {
    let masses = world.system.block_masses();
    world.blocks.iter().map(|block| block.map_or(f64::INFINITY, |b| masses[b])).collect()
}
