//! Everything in a trial except the engine: sensors, controllers, delayed commands, actuators.
//!
//! At a tick, in this order: sensors that are due sample; readings whose latency has passed are delivered; controllers
//! that are due are activated, in the order of the scenario, and their commands enter the delay; commands whose latency
//! has passed come into force; actuators are evaluated. A reading is therefore taken under the inputs that acted up to
//! now, and without latency a controller acts on the state of its own instant.
//!
//! Actuators whose effort depends on the state (a speed rule, a position drive) are evaluated at every step, at any
//! rate of the controller.
//!
//! ```text
//! let mut control = ControlLoop::new(&setup, &controllers, &sensors)?;
//! let mut inputs = control.inputs();
//! control.tick(0, simulation, &mut inputs)?;
//! loop { advance to control.next_tick_ns(); control.tick(…)?; }
//! ```

use crate::actuation::{Actuation, Outlet};
use crate::command_errors::CommandErrors;
use crate::config::{CommandNoise, ControllerConfig, SensorConfig};
use crate::controller::{Controller, Timing};
use crate::controllers;
use crate::delay::Delay;
use crate::error::ControlError;
use crate::port::Port;
use crate::sensing::Sensing;
use crate::setup::{Setup, seconds};
use crate::signal_layout::{ChannelLayout, Command};
use std::sync::Arc;
use veracity_engine::{Inputs, Simulation};

/// A controller of any kind with what the loop needs to know: built-in, Python, an external program, a closure.
pub struct ControllerPart {
    /// Unique in the loop.
    pub name: String,
    /// When it runs and when its commands act.
    pub timing: Timing,
    /// The controller.
    pub controller: Box<dyn Controller>,
    /// Its command: the names of channels define their effect, see [`Port`].
    pub command: Arc<ChannelLayout>,
    /// Errors between what it commands and what arrives.
    pub noise: CommandNoise,
}

/// Sensors, controllers and actuators around one engine.
pub struct ControlLoop {
    pub(crate) sensing: Sensing,
    pub(crate) runners: Vec<Runner>,
    actuation: Actuation,
    step_ns: i64,
    every_step: bool,
    pub(crate) now_ns: i64,
    /// Whether the tick at `now_ns` has been done.
    pub(crate) ticked: bool,
    /// Inputs written by the last tick.
    pub(crate) in_force: Inputs,
    signals: Vec<(String, String)>,
}

/// A controller with its state in the loop.
pub(crate) struct Runner {
    pub name: String,
    pub timing: Timing,
    pub controller: Box<dyn Controller>,
    pub outlets: Vec<Outlet>,
    pub next_ns: i64,
    /// What the controller writes.
    pub command: Command,
    /// The command in force; none until the first command has arrived.
    pub acting: Vec<f64>,
    pub has_acted: bool,
    pub pending: Delay,
    pub errors: CommandErrors,
}

impl ControlLoop {
    /// From the tables of a scenario.
    pub fn new(
        setup: &Setup<'_>,
        controllers: &[ControllerConfig],
        sensors: &[SensorConfig],
    ) -> Result<Self, ControlError> {
        let sensing = Sensing::new(setup, sensors)?;
        let parts: Result<Vec<_>, _> = controllers.iter().map(|c| controllers::build(c, setup, &sensing)).collect();
        Self::with_controllers(setup, sensing, parts?)
    }

    /// From controllers made elsewhere, or mixed with those of [`controllers::build`].
    pub fn with_controllers(
        setup: &Setup<'_>,
        sensing: Sensing,
        parts: Vec<ControllerPart>,
    ) -> Result<Self, ControlError> {
        if setup.step_ns < 1 {
            return Err(ControlError::new("step_s", "the step must be at least a nanosecond"));
        }
        let mut actuation = Actuation::new(setup);
        let mut runners: Vec<Runner> = Vec::with_capacity(parts.len());
        for part in parts {
            let place = format!("controllers/{}", part.name);
            if runners.iter().any(|r| r.name == part.name) {
                return Err(ControlError::new(place, "another controller has this name; names must be unique"));
            }
            runners.push(Runner::new(part, &place, setup, &mut actuation)?);
        }
        let sensed = sensing.sensor_channels().map(|c| {
            let (name, unit) = &sensing.layout().channels[c];
            (format!("sensors/{name}"), unit.clone())
        });
        let commanded = runners.iter().flat_map(|r| {
            let channels = r.command.layout.channels.iter();
            channels.map(|(name, unit)| (format!("commands/{}/{name}", r.name), unit.clone()))
        });
        let signals = sensed.chain(commanded).collect();
        let every_step = actuation.needs_every_step() || sensing.needs_every_step();
        let (step_ns, in_force) = (setup.step_ns, actuation.inputs());
        Ok(Self { sensing, runners, actuation, step_ns, every_step, now_ns: 0, ticked: false, in_force, signals })
    }

    /// Resets to a start time.
    pub fn reset(&mut self, time_ns: i64) -> Result<(), ControlError> {
        self.sensing.reset(time_ns);
        for r in &mut self.runners {
            r.controller.reset()?;
            r.next_ns = r.timing.first_at_or_after(time_ns);
            r.command.values.fill(0.0);
            r.acting.fill(0.0);
            r.has_acted = false;
            r.pending.clear();
            r.errors.reset();
        }
        (self.now_ns, self.ticked) = (time_ns, false);
        self.in_force.clear();
        Ok(())
    }

    /// Inputs with capacity for everything this loop can command.
    pub fn inputs(&self) -> Inputs {
        self.actuation.inputs()
    }

    /// Inputs written by the last tick: they act until the next one, also after [`ControlLoop::restore`].
    pub fn in_force(&self) -> &Inputs {
        &self.in_force
    }

    /// Notes on how sensors measure on this engine, for the record's log.
    pub fn notes(&self) -> &[String] {
        self.sensing.notes()
    }

    /// The sensors and the observation.
    pub fn sensing(&self) -> &Sensing {
        &self.sensing
    }

    /// When [`ControlLoop::tick`] must be called next; `i64::MAX` for never.
    pub fn next_tick_ns(&self) -> i64 {
        if !self.ticked {
            return self.now_ns;
        }
        let activation = self.runners.iter().map(|r| r.next_ns);
        let arrival = self.runners.iter().filter_map(|r| r.pending.next_ns());
        let step = if self.every_step { (self.now_ns / self.step_ns + 1) * self.step_ns } else { i64::MAX };
        activation.chain(arrival).chain([self.sensing.next_ns(), step]).min().unwrap_or(i64::MAX)
    }

    /// Runs what is due now and writes the inputs from now on.
    pub fn tick(
        &mut self,
        time_ns: i64,
        simulation: &mut dyn Simulation,
        inputs: &mut Inputs,
    ) -> Result<(), ControlError> {
        let due = self.next_tick_ns();
        if time_ns > due || time_ns < self.now_ns {
            let what = format!("a tick is due at {} s and was given at {} s", seconds(due), seconds(time_ns));
            return Err(ControlError::new("control", what));
        }
        (self.now_ns, self.ticked) = (time_ns, true);
        self.sensing.sample(time_ns, simulation, inputs);
        self.sensing.deliver(time_ns);
        for r in &mut self.runners {
            if r.next_ns <= time_ns {
                r.controller.activate(time_ns, &self.sensing.observation, &mut r.command)?;
                let arrives_ns = r.errors.send(time_ns, &r.command.values, &r.timing);
                r.pending.push_until(time_ns, arrives_ns, &r.errors.sent);
                r.next_ns += r.timing.period_ns;
            }
            while r.pending.pop_due(time_ns, &mut r.acting).is_some() {
                r.has_acted = true;
            }
        }
        self.actuation.begin(inputs);
        for r in self.runners.iter().filter(|r| r.has_acted) {
            for (outlet, value) in r.outlets.iter().zip(&r.acting) {
                self.actuation.take(*outlet, *value, inputs);
            }
        }
        self.actuation.finish(simulation.q(), simulation.v(), inputs);
        // Field by field, to reuse allocated memory.
        self.in_force.efforts.clone_from(&inputs.efforts);
        self.in_force.wrenches.clone_from(&inputs.wrenches);
        self.in_force.drives.clone_from(&inputs.drives);
        Ok(())
    }

    /// Names and units of what [`ControlLoop::write_signals`] writes: `sensors/…` and `commands/CONTROLLER/…`.
    pub fn signals(&self) -> &[(String, String)] {
        &self.signals
    }

    /// Readings delivered by now and commands in force, one number for each signal; NaN before the first. Call it after
    /// the tick of the same instant, if there is one.
    pub fn write_signals(&mut self, time_ns: i64, out: &mut [f64]) {
        self.sensing.deliver(time_ns);
        let sensed = self.sensing.sensor_channels().map(|c| self.sensing.observation.values[c]);
        let in_force = |r: &'_ Runner, i: usize| if r.has_acted { r.acting[i] } else { f64::NAN };
        let commanded = self.runners.iter().flat_map(|r| (0..r.acting.len()).map(move |i| in_force(r, i)));
        out.iter_mut().zip(sensed.chain(commanded)).for_each(|(x, value)| *x = value);
    }
}

impl Runner {
    fn new(
        part: ControllerPart,
        place: &str,
        setup: &Setup<'_>,
        actuation: &mut Actuation,
    ) -> Result<Self, ControlError> {
        let ControllerPart { name, timing, controller, command, noise } = part;
        timing.check(setup, place, true)?;
        let ports: Result<Vec<Port>, ControlError> = command
            .channels
            .iter()
            .map(|(channel, _)| Port::parse(setup.layout, channel).map_err(|what| ControlError::new(place, what)))
            .collect();
        let ports = ports?;
        if let Some(i) = (0..ports.len()).find(|i| ports[..*i].contains(&ports[*i])) {
            let what = format!("it commands '{}' twice; give one number for each", command.channels[i].0);
            return Err(ControlError::new(place, what));
        }
        let outlets = actuation.connect(&ports, place, setup)?;
        let width = outlets.len();
        let errors = CommandErrors::new(&noise, &name, &ports, &timing, setup)?;
        Ok(Self {
            name,
            timing,
            controller,
            outlets,
            next_ns: timing.first_at_or_after(0),
            command: Command::new(command),
            acting: vec![0.0; width],
            has_acted: false,
            pending: Delay::new(width, errors.longest_ns(&timing), timing.period_ns),
            errors,
        })
    }
}
