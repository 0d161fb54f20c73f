//! Two runs side by side.

use super::plan::Plan;
use anyhow::Context;
use serde::Serialize;
use veracity_dynamics::integrate::Settings;
use veracity_dynamics::{ActuatorCommands, Efforts, Energy, NoEfforts, Simulation, System, Trouble, kinematics};

/// One line of the result.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// [s]
    pub time_s: f64,
    /// [J]
    pub kinetic_energy_j: f64,
    /// Kinetic, of height and of springs [J].
    pub energy_j: f64,
    /// Against the start [J].
    pub energy_change_j: f64,
    /// Largest error of any position at this time, as the finer run tells [rad or m].
    pub position_error: f64,
    /// Largest loop or coupling residual [m or rad].
    pub constraint_residual: f64,
    /// Positions.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
}

/// What a run cost.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Cost {
    /// Steps taken.
    pub steps: u64,
    /// Evaluations of the accelerations.
    pub evaluations: u64,
    /// Steps thrown away.
    pub rejected: u64,
}

/// The run and its finer twin.
pub struct Motion {
    run: Simulation,
    finer: Simulation,
    efforts: Box<dyn Efforts>,
    scale: f64,
    start_energy: f64,
    difference: Vec<f64>,
    /// How far the start was moved to close loops and couplings [rad or m].
    pub start_moved: f64,
}

impl Motion {
    /// At the start.
    pub fn new(plan: &Plan) -> anyhow::Result<Self> {
        let system = System::new(&plan.world)?;
        let make = |settings: Settings| -> anyhow::Result<Simulation> {
            let mut made = Simulation::new(system.clone(), plan.integrator.name, settings)
                .context("the model cannot be simulated")?;
            made.set_state(0.0, &plan.q, &plan.v).context("the run cannot start")?;
            Ok(made)
        };
        let mut run = make(plan.settings)?;
        let finer = make(plan.finer())?;
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
        Ok(Self { run, finer, efforts, scale: plan.error_over_difference(), start_energy, difference, start_moved })
    }

    /// Moves both to a time and compares them.
    pub fn advance_to(&mut self, time_s: f64) -> Result<Row, Trouble> {
        self.run.advance_to(time_s, &mut *self.efforts)?;
        self.finer.advance_to(time_s, &mut *self.efforts)?;
        let (q, v) = (self.run.state().q.clone(), self.run.state().v.clone());
        kinematics::difference(self.run.system(), &q, &self.finer.state().q, &mut self.difference);
        let energy: Energy = self.run.energy();
        Ok(Row {
            time_s,
            kinetic_energy_j: energy.kinetic,
            energy_j: energy.total(),
            energy_change_j: energy.total() - self.start_energy,
            position_error: self.scale * largest(&self.difference),
            constraint_residual: self.run.constraint_violation(),
            q,
            v,
        })
    }

    /// What the run itself cost, without its finer twin.
    pub fn cost(&self) -> Cost {
        let t = self.run.totals();
        Cost { steps: t.steps, evaluations: t.evaluations, rejected: t.rejected }
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |worst, x| x.abs().max(worst))
}
