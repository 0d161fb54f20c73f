//! The scenario: what is simulated.

use crate::check::Check;
use crate::cycle::CycleConfig;
use crate::reference::ReferenceConfig;
use crate::start::Start;
use std::sync::Arc;
use veracity_control::{ControllerConfig, SensorConfig};
use veracity_model::{Digest, Findings, Overrides, World};

/// A change that must make at least one check fail; without it, a check that cannot fail would go unnoticed.
///
/// It imitates an engine that ignores what the model says: the changed scenario is run, and its record is judged with
/// the world, the references and the checks of the unchanged one.
#[derive(Clone, Debug, PartialEq)]
pub struct Mutation {
    /// What is changed.
    pub set: Overrides,
    /// Why it must make a check fail.
    pub why: String,
}

/// A world, a start, controllers, a duration, references and checks. Names no engine.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Lower case with underscores; unique in a study.
    pub name: String,
    /// Title for display.
    pub title: String,
    /// What it shows.
    pub text: String,
    /// Source of its numbers.
    pub source: String,
    /// The world.
    pub world: Arc<World>,
    /// The start as stated.
    pub start: Start,
    /// Positions at the start, in the order of the world's layout.
    pub q: Vec<f64>,
    /// Velocities at the start.
    pub v: Vec<f64>,
    /// Controllers, in order.
    pub controllers: Vec<ControllerConfig>,
    /// Sensors, in order.
    pub sensors: Vec<SensorConfig>,
    /// Duration [ns].
    pub duration_ns: i64,
    /// Interval between recorded rows [ns].
    pub record_every_ns: i64,
    /// Intended step [ns]; a study may use others.
    pub step_ns: i64,
    /// Cap of CPU time; a trial that takes more is too slow [s].
    pub cpu_cap_s: f64,
    /// References, in order.
    pub references: Vec<ReferenceConfig>,
    /// Checks, in order.
    pub checks: Vec<Check>,
    /// Names of checks of task conditions that end a trial when the first of them happens.
    pub stop: Vec<String>,
    /// The change that must make a check fail.
    pub mutation: Option<Mutation>,
    /// Its limit cycle.
    pub cycle: Option<CycleConfig>,
    /// Findings to read before a result is trusted.
    pub findings: Findings,
}

/// What a scenario made in code must state; the rest has defaults.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Lower case with underscores.
    pub name: String,
    /// The world.
    pub world: World,
    /// Positions at the start.
    pub q: Vec<f64>,
    /// Velocities at the start.
    pub v: Vec<f64>,
    /// Duration [ns].
    pub duration_ns: i64,
    /// Interval between recorded rows [ns].
    pub record_every_ns: i64,
    /// Intended step [ns].
    pub step_ns: i64,
}

impl Scenario {
    /// A scenario made in code, without controllers, sensors, references or checks; these are public fields.
    pub fn from_parts(parts: Parts) -> Self {
        let Parts { name, world, q, v, duration_ns, record_every_ns, step_ns } = parts;
        let start = Start::exactly(&world, &q, &v);
        Self {
            title: name.clone(),
            name,
            text: String::new(),
            source: String::new(),
            world: Arc::new(world),
            start,
            q,
            v,
            controllers: Vec::new(),
            sensors: Vec::new(),
            duration_ns,
            record_every_ns,
            step_ns,
            cpu_cap_s: 60.0,
            references: Vec::new(),
            checks: Vec::new(),
            stop: Vec::new(),
            mutation: None,
            cycle: None,
            findings: Findings::new(),
        }
    }

    /// The interval of recorded rows at a given step: the scenario's own interval if it is a multiple of the step,
    /// every step if the step is a multiple of the interval, else `None`.
    pub fn record_interval_ns(&self, step_ns: i64) -> Option<i64> {
        let fits = |long: i64, short: i64| short > 0 && long % short == 0;
        if fits(self.record_every_ns, step_ns) {
            Some(self.record_every_ns)
        } else {
            fits(step_ns, self.record_every_ns).then_some(step_ns)
        }
    }

    /// Whether a trial can use this step; the error says why not, and what to do.
    pub fn step_fits(&self, step_ns: i64) -> Result<(), String> {
        let seconds = |ns: i64| ns as f64 * 1e-9;
        if step_ns <= 0 || self.duration_ns % step_ns != 0 {
            return Err(format!(
                "the step {} s does not divide the {} s of scenario '{}'; choose one that does",
                seconds(step_ns),
                seconds(self.duration_ns),
                self.name
            ));
        }
        if self.record_interval_ns(step_ns).is_none() {
            return Err(format!(
                "the step {} s and the {} s between recorded rows of scenario '{}' have no common grid; choose a step \
                 that divides the interval, or a multiple of it",
                seconds(step_ns),
                seconds(self.record_every_ns),
                self.name
            ));
        }
        Ok(())
    }

    /// Removes the checks and instants beyond a shortened duration. A check with several instants keeps the remaining
    /// ones.
    pub fn within_its_duration(mut self) -> Self {
        // Instants are decimal seconds; a nanosecond of slack absorbs their rounding.
        let end = self.duration_ns as f64 * 1e-9 + 1e-9;
        self.checks.retain_mut(|check| {
            let options = &mut check.options;
            let had = !options.at_s.is_empty();
            options.at_s.retain(|t| t + options.time_offset_s <= end);
            let window = options.from_s.is_none_or(|t| t <= end);
            if options.until_s.is_some_and(|t| t > end) {
                options.until_s = None;
            }
            window && (!had || !options.at_s.is_empty())
        });
        let left = &self.checks;
        self.stop.retain(|name| left.iter().any(|check| check.name == *name));
        self
    }

    /// Digest of everything that decides the record: world, start, controllers, sensors, duration, record interval and
    /// `[stop]`. Titles, paths, references and other checks do not count.
    pub fn digest(&self) -> Digest {
        let world = self.world.digest();
        let numbers: Vec<u8> = self.q.iter().chain(&self.v).flat_map(|x| x.to_bits().to_le_bytes()).collect();
        let times: Vec<u8> = [self.duration_ns, self.record_every_ns].iter().flat_map(|t| t.to_le_bytes()).collect();
        // Tables of strings and finite numbers can always be serialised.
        let controllers = serde_json::to_vec(&self.controllers).expect("controllers can be written as JSON");
        let sensors = serde_json::to_vec(&self.sensors).expect("sensors can be written as JSON");
        let stop = |name: &String| {
            let check = self.checks.iter().find(|c| c.name == *name);
            // The name as well: the record names the check that ended it.
            serde_json::to_vec(&(name, check.map(|c| (c.metric.name, &c.options)))).expect("a check can be written")
        };
        let stops: Vec<Vec<u8>> = self.stop.iter().map(stop).collect();
        let parts = [&b"scenario 1"[..], &world.0, &numbers, &controllers, &sensors, &times];
        Digest::of_parts(parts.into_iter().chain(stops.iter().map(Vec::as_slice)))
    }
}
