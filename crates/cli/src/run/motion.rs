//! A run and a finer run side by side.

use super::pace::{self, Slow, Switch};
use super::plan::Plan;
use anyhow::Context;
use serde::Serialize;
use veracity_dynamics::integrate::{self, IntegratorEntry, IntegratorSettings, State};
use veracity_dynamics::{
    ActuatorCommands, Efforts, Energy, NoEfforts, SmoothSimulation, System, Trouble, kinematics,
};

/// Method that takes over for stiff motion: stable for any damping with any step.
const FOR_STIFF: &str = "implicit";

/// One row of the result.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// [s]
    pub time_s: f64,
    /// [J]
    pub kinetic_energy_j: f64,
    /// Kinetic energy plus potential energy of gravity and springs [J].
    pub energy_j: f64,
    /// Change since the start [J].
    pub energy_change_j: f64,
    /// Largest error of any position at this time, estimated with the finer run [rad or m].
    pub position_error: f64,
    /// Largest loop or coupling residual [m or rad].
    pub constraint_residual: f64,
    /// Positions.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
}

/// Cost of a run.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Cost {
    /// Steps taken.
    pub steps: u64,
    /// Evaluations of the accelerations.
    pub evaluations: u64,
    /// Steps rejected.
    pub rejected: u64,
}

/// The run and the finer run.
pub struct Motion {
    run: SmoothSimulation,
    finer: SmoothSimulation,
    efforts: Box<dyn Efforts>,
    /// The method in use.
    integrator: &'static IntegratorEntry,
    settings: IntegratorSettings,
    /// Whether another method may take over.
    may_switch: bool,
    duration_s: f64,
    velocity_names: Vec<String>,
    start_energy: f64,
    difference: Vec<f64>,
    /// Cost of runs before another method took over.
    cost_before: Cost,
    /// Whether slowness has been reported.
    said_slow: bool,
    /// How far the start was moved to close loops and couplings [rad or m].
    pub start_moved: f64,
    /// Set if another method took over.
    pub switched: Option<Switch>,
}

impl Motion {
    /// Both runs at the start.
    pub fn new(plan: &Plan) -> anyhow::Result<Self> {
        let system = System::new(&plan.world)?;
        let make = |settings: IntegratorSettings| -> anyhow::Result<SmoothSimulation> {
            let mut made = SmoothSimulation::new(system.clone(), plan.integrator.name, settings)
                .context("the model cannot be simulated")?;
            made.set_state(0.0, &plan.q, &plan.v).context("the run cannot start")?;
            Ok(made)
        };
        let mut run = make(plan.settings)?;
        let finer = make(finer(plan.integrator, plan.settings))?;
        let mut difference = vec![0.0; system.dof_count()];
        let mut asked = plan.q.clone();
        kinematics::normalise(&system, &mut asked);
        kinematics::difference(&system, &asked, &run.state().q, &mut difference);
        let start_moved = largest(&difference);
        let start_energy = run.energy().total();
        let efforts: Box<dyn Efforts> = match &plan.command {
            Some(command) => Box::new(ActuatorCommands(command.clone())),
            None => Box::new(NoEfforts),
        };
        Ok(Self {
            run,
            finer,
            efforts,
            integrator: plan.integrator,
            settings: plan.settings,
            may_switch: !plan.integrator_named,
            duration_s: plan.duration_s,
            velocity_names: super::columns::velocities(&plan.world),
            start_energy,
            difference,
            cost_before: Cost::default(),
            said_slow: false,
            start_moved,
            switched: None,
        })
    }

    /// Advances both to a time and compares them. Messages for the user while it runs go to `say`.
    pub fn advance_to(&mut self, time_s: f64, say: &mut dyn FnMut(&str)) -> Result<Row, Trouble> {
        let begin = self.run.state().clone();
        let (mut before, mut evaluations) = (begin.time, self.run.totals().evaluations);
        while !self.run.advance_some(time_s, &mut *self.efforts, pace::BATCH)? {
            let (now, total) = (self.run.state().time, self.run.totals().evaluations);
            let slow = pace::look(&mut self.run, &mut *self.efforts, before, total - evaluations, self.duration_s);
            (before, evaluations) = (now, total);
            let Some(slow) = slow.filter(|_| !self.said_slow) else { continue };
            self.said_slow = true;
            say(&self.react(&slow, &begin));
            evaluations = self.run.totals().evaluations;
            before = self.run.state().time;
        }
        self.finer.advance_to(time_s, &mut *self.efforts)?;
        let (q, v) = (self.run.state().q.clone(), self.run.state().v.clone());
        kinematics::difference(self.run.system(), &q, &self.finer.state().q, &mut self.difference);
        let energy: Energy = self.run.energy();
        Ok(Row {
            time_s,
            kinetic_energy_j: energy.kinetic,
            energy_j: energy.total(),
            energy_change_j: energy.total() - self.start_energy,
            position_error: error_over_difference(self.integrator) * largest(&self.difference),
            constraint_residual: self.run.constraint_violation(),
            q,
            v,
        })
    }

    /// Cost of the run itself, without the finer run.
    pub fn cost(&self) -> Cost {
        let (t, b) = (self.run.totals(), self.cost_before);
        Cost {
            steps: b.steps + t.steps,
            evaluations: b.evaluations + t.evaluations,
            rejected: b.rejected + t.rejected,
        }
    }

    /// The method in use.
    pub fn integrator(&self) -> &'static IntegratorEntry {
        self.integrator
    }

    /// Describes a failure: with the joint's name, and with the damping that an explicit method could not follow, if
    /// there is any.
    pub fn explain(&mut self, trouble: &Trouble) -> String {
        let name = |dof: usize| self.velocity_names.get(dof).map_or(String::new(), |n| format!(" ('{n}')"));
        let mut text = match trouble {
            Trouble::NoInertia { dof, .. } | Trouble::NotFinite { dof, .. } => format!("{trouble}{}", name(*dof)),
            _ => trouble.to_string(),
        };
        // The finer run is at the last time at which both were valid.
        let decay = self.finer.fastest_decay(&mut *self.efforts);
        let explicit = self.integrator.name != FOR_STIFF;
        if let Some(decay) = decay.filter(|d| explicit && d.rate * self.settings.step_s > 1.0) {
            text += &format!(
                "; {}, too fast for explicit steps of {} s: check it, or use --integrator {FOR_STIFF}",
                pace::told(&decay, &self.velocity_names),
                self.settings.step_s
            );
        }
        text
    }

    /// Switches to another method where the motion is stiff and the user did not choose the method; returns the
    /// message.
    fn react(&mut self, slow: &Slow, begin: &State) -> String {
        let (name, Slow { steps, step_s, stiff }) = (self.integrator.name, *slow);
        let needs = format!("{name} needs steps of {step_s:.0e} s, about {steps:.0e} more for this run");
        let Some(decay) = stiff else {
            return format!("this takes long: {needs}; use a shorter --duration-s or a larger --tolerance");
        };
        let why = format!("the motion is stiff: {}, and {needs}", pace::told(&decay, &self.velocity_names));
        let other = integrate::find(FOR_STIFF).filter(|other| self.may_switch && other.name != name);
        let Some(other) = other else {
            return format!("{why}; --integrator {FOR_STIFF} accepts any step");
        };
        let cost = self.cost();
        if let Err(error) = self.take_over(other, begin) {
            return format!("{why}; --integrator {FOR_STIFF} accepts any step, but cannot start here: {error}");
        }
        self.cost_before = cost;
        let step_s = self.settings.step_s;
        let said = format!(
            "{why}; continuing from t = {} s with --integrator {FOR_STIFF} and steps of {step_s} s (name an integrator to keep it)",
            begin.time
        );
        self.switched = Some(Switch { time_s: begin.time, from: name, to: other.name, step_s, why });
        said
    }

    /// Both runs continue from where they were last compared.
    fn take_over(&mut self, other: &'static IntegratorEntry, begin: &State) -> anyhow::Result<()> {
        let make = |settings: IntegratorSettings, from: &State| -> anyhow::Result<SmoothSimulation> {
            let mut made = SmoothSimulation::new(self.run.system().clone(), other.name, settings)?;
            made.set_state(from.time, &from.q, &from.v)?;
            Ok(made)
        };
        let run = make(self.settings, begin)?;
        let finer = make(finer(other, self.settings), self.finer.state())?;
        (self.run, self.finer, self.integrator) = (run, finer, other);
        Ok(())
    }
}

/// Settings of the finer run that gives the error of this one: half the step, or a hundredth of the tolerance.
fn finer(integrator: &IntegratorEntry, s: IntegratorSettings) -> IntegratorSettings {
    if integrator.adaptive {
        IntegratorSettings {
            relative_tolerance: 0.01 * s.relative_tolerance,
            absolute_tolerance: 0.01 * s.absolute_tolerance,
            ..s
        }
    } else {
        IntegratorSettings { step_s: 0.5 * s.step_s, ..s }
    }
}

/// Factor from the difference between the two runs to the error of this one.
///
/// A fixed-step method of order p has errors `e` and `e / 2^p`, so their difference is `e (1 - 2^-p)`. For the adaptive
/// method the finer run counts as exact.
fn error_over_difference(integrator: &IntegratorEntry) -> f64 {
    if integrator.adaptive { 1.0 } else { 1.0 / (1.0 - 0.5_f64.powi(integrator.order as i32)) }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |worst, x| x.abs().max(worst))
}
