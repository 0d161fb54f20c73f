//! The scenario: what is tried.

use crate::check::Check;
use crate::reference::ReferenceConfig;
use crate::start::Start;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use veracity_model::{Digest, Findings, Overrides, World};

/// A controller or sensor as the file states it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Equipment {
    /// Unique among its kind in the scenario.
    pub name: String,
    /// Its table.
    pub content: toml::Table,
}

/// A change that must turn at least one check red; without it, a check that cannot fail would go unnoticed.
///
/// The changed scenario is run, and held to the references of the unchanged one.
#[derive(Clone, Debug, PartialEq)]
pub struct Mutation {
    /// What is changed.
    pub set: Overrides,
    /// Why that must show.
    pub why: String,
}

/// What is tried: a world, a start, controllers, a duration, references and checks. Names no engine.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Lower case with underscores; unique in a study.
    pub name: String,
    /// For people.
    pub title: String,
    /// What it shows.
    pub text: String,
    /// Where its numbers come from.
    pub source: String,
    /// Where it happens.
    pub world: Arc<World>,
    /// The start as stated.
    pub start: Start,
    /// Positions at the start, in the order of the world's layout.
    pub q: Vec<f64>,
    /// Velocities at the start.
    pub v: Vec<f64>,
    /// Controllers, in order.
    pub controllers: Vec<Equipment>,
    /// Sensors, in order.
    pub sensors: Vec<Equipment>,
    /// How long.
    pub duration_ns: i64,
    /// From one recorded row to the next.
    pub record_every_ns: i64,
    /// The step it is meant for; a study may give others.
    pub step_ns: i64,
    /// A trial that takes more CPU time is too slow [s].
    pub cpu_cap_s: f64,
    /// What is true.
    pub references: Vec<ReferenceConfig>,
    /// What is demanded.
    pub checks: Vec<Check>,
    /// The change that must show.
    pub mutation: Option<Mutation>,
    /// What somebody should read before trusting a result.
    pub findings: Findings,
}

/// What a scenario made in code must say; the rest has defaults.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Lower case with underscores.
    pub name: String,
    /// Where it happens.
    pub world: World,
    /// Positions at the start.
    pub q: Vec<f64>,
    /// Velocities at the start.
    pub v: Vec<f64>,
    /// How long.
    pub duration_ns: i64,
    /// From one recorded row to the next.
    pub record_every_ns: i64,
    /// The step it is meant for.
    pub step_ns: i64,
}

impl Scenario {
    /// A scenario made in code, without controllers, sensors, references or checks; they are public fields.
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
            mutation: None,
            findings: Findings::new(),
        }
    }

    /// How often a row is recorded under a step: the scenario's own interval where it is a multiple of the step, every
    /// step where the step is a multiple of the interval, else `None`.
    pub fn record_interval_ns(&self, step_ns: i64) -> Option<i64> {
        let fits = |long: i64, short: i64| short > 0 && long % short == 0;
        if fits(self.record_every_ns, step_ns) {
            Some(self.record_every_ns)
        } else {
            fits(step_ns, self.record_every_ns).then_some(step_ns)
        }
    }

    /// Names everything that decides the motion: world, start, controllers, sensors, duration and record interval. Not
    /// titles, paths, references or checks.
    pub fn digest(&self) -> Digest {
        let world = self.world.digest();
        let numbers: Vec<u8> = self.q.iter().chain(&self.v).flat_map(|x| x.to_bits().to_le_bytes()).collect();
        let times: Vec<u8> = [self.duration_ns, self.record_every_ns].iter().flat_map(|t| t.to_le_bytes()).collect();
        // Tables of words and finite numbers can always be written.
        let text = |equipment: &[Equipment]| serde_json::to_vec(equipment).expect("equipment can be written as JSON");
        let (controllers, sensors) = (text(&self.controllers), text(&self.sensors));
        Digest::of_parts([&b"scenario 1"[..], &world.0, &numbers, &controllers, &sensors, &times])
    }
}
