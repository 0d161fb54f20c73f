//! What to run, from the arguments and the file.

use super::columns;
use anyhow::{Context, bail, ensure};
use veracity_dynamics::integrate::{self, IntegratorEntry, IntegratorSettings};
use veracity_model::numbers::Overrides;
use veracity_model::{Findings, World};

/// One run.
pub struct Plan {
    /// The world.
    pub world: World,
    /// Positions at the start, all models one after the other.
    pub q: Vec<f64>,
    /// Velocities at the start.
    pub v: Vec<f64>,
    /// Commands of all actuators, or motors off.
    pub command: Option<Vec<f64>>,
    /// Description of the start in the report.
    pub start_text: String,
    /// [s]
    pub duration_s: f64,
    /// Interval between rows [s].
    pub every_s: f64,
    /// The integrator.
    pub integrator: &'static IntegratorEntry,
    /// Whether the user named it: then no other takes over.
    pub integrator_named: bool,
    /// Its settings.
    pub settings: IntegratorSettings,
}

impl Plan {
    /// Whether nothing in the model dissipates or adds energy: a change of energy is then an error.
    pub fn conserves_energy(&self) -> bool {
        let still = |m: &veracity_model::Model| {
            let joints = m.joints().iter().flat_map(|j| &j.dofs).all(|d| d.damping == 0.0 && d.friction == 0.0);
            let bodies = m.bodies().iter().all(|b| b.linear_damping == 0.0 && b.angular_damping == 0.0);
            joints && bodies && m.springs().iter().all(|s| s.damping == 0.0)
        };
        self.command.is_none() && self.world.placements.iter().all(|p| still(&p.model))
    }

    /// Features of the model that the run ignores.
    pub fn left_out(&self) -> Vec<&'static str> {
        let models = || self.world.placements.iter().map(|p| &p.model);
        let mut out = Vec::new();
        if models().flat_map(|m| m.bodies()).flat_map(|b| &b.shapes).any(|s| s.collides) {
            out.push("contact");
        }
        if models().flat_map(|m| m.joints()).flat_map(|j| &j.dofs).any(|d| d.lower.is_finite() || d.upper.is_finite())
        {
            out.push("joint limits");
        }
        if self.command.is_none() && models().any(|m| !m.actuators().is_empty()) {
            out.push("motors (off)");
        }
        out
    }
}

/// Applies `PATH=NUMBER` texts. A path without `world/` refers to the only model.
pub fn with_numbers(world: &World, texts: &[&str]) -> Result<World, Findings> {
    let given = Overrides::parse(texts.iter().copied())?;
    let complete = |path: &str| match world.placements.as_slice() {
        [only] if !path.starts_with("world/") => {
            format!("world/{}/{path}", only.name.replace('~', "~0").replace('/', "~1"))
        }
        _ => path.to_string(),
    };
    world.with(&given.iter().map(|(path, value)| (complete(path), value)).collect())
}

/// Where a run starts.
pub struct Start {
    /// Positions.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Commands, if a keyframe has them.
    pub command: Option<Vec<f64>>,
    /// Description.
    pub text: String,
}

/// The selected start: the file's own, a keyframe by name, or numbers.
pub fn start(world: &World, (option, wanted): (&str, Option<&str>)) -> anyhow::Result<Start> {
    let models = || world.placements.iter().map(|p| &p.model);
    let q: Vec<f64> = models().flat_map(|m| m.initial_positions()).collect();
    let v = vec![0.0; models().map(|m| m.dof_count()).sum()];
    let Some(wanted) = wanted else {
        // A file that starts in one of its keyframes also starts with its velocities and commands.
        let shown = |p: &veracity_model::Placement| {
            let initial = p.model.initial_positions();
            p.model.keyframes().iter().find(|k| k.q == initial).map(|k| k.name.clone())
        };
        return Ok(match world.placements.iter().find_map(shown) {
            Some(name) => keyframe(world, &name),
            None => Start { q, v, command: None, text: "from rest at the file's initial positions".into() },
        });
    };
    if models().any(|m| m.keyframes().iter().any(|k| k.name == wanted)) {
        return Ok(keyframe(world, wanted));
    }
    let numbers: Result<Vec<f64>, _> =
        wanted.split([',', ' ']).filter(|w| !w.is_empty()).map(str::parse::<f64>).collect();
    match numbers {
        Ok(numbers) if numbers.iter().all(|x| x.is_finite()) => {
            ensure!(
                numbers.len() == q.len(),
                "{option} has {} numbers, but this model has {} positions",
                numbers.len(),
                q.len()
            );
            Ok(Start { q: numbers, v, command: None, text: "from rest at the given positions".into() })
        }
        _ => {
            let names: Vec<&str> = models().flat_map(|m| m.keyframes()).map(|k| k.name.as_str()).collect();
            let known = if names.is_empty() { "it has none".into() } else { format!("it has {}", names.join(", ")) };
            bail!("{option} '{wanted}' is neither a list of numbers nor a keyframe of the model; {known}")
        }
    }
}

/// Help text of every command with a velocity option.
pub const VELOCITY_HELP: &str =
    "All velocities separated by commas, or NAME=X for some of them (`hinge=2,base.vx=0.5`)";

/// Sets the velocity of a start: one number for each degree of freedom, or some by the names of their columns.
pub fn set_velocity(world: &World, start: &mut Start, (option, text): (&str, &str)) -> anyhow::Result<()> {
    let names = columns::velocities(world);
    let words: Vec<&str> = text.split([',', ' ']).filter(|w| !w.is_empty()).collect();
    let finite = |word: &str| {
        let value = word.trim().parse::<f64>().ok().filter(|x| x.is_finite());
        value.with_context(|| format!("{option}: '{word}' is not a finite number"))
    };
    if words.iter().any(|w| w.contains('=')) {
        for word in words {
            let (name, value) = word.split_once('=').with_context(|| {
                format!("{option}: '{word}' has no name; give NAME=X for each, or plain numbers for all")
            })?;
            let at = names.iter().position(|n| n == name).with_context(|| {
                format!("{option}: there is no velocity '{name}'; there are {}", names.join(", "))
            })?;
            start.v[at] = finite(value)?;
        }
    } else {
        ensure!(
            words.len() == names.len(),
            "{option} has {} numbers, but this model has {} velocities: {}",
            words.len(),
            names.len(),
            names.join(", ")
        );
        start.v = words.into_iter().map(finite).collect::<anyhow::Result<_>>()?;
    }
    start.text = format!(
        "{} with the given velocity",
        start.text.replacen("from rest at", "from", 1).replacen("from rest", "from", 1)
    );
    Ok(())
}

/// Every model that has the keyframe starts there, the others as in their file.
fn keyframe(world: &World, name: &str) -> Start {
    let mut start = Start { q: Vec::new(), v: Vec::new(), command: None, text: format!("from keyframe '{name}'") };
    let mut command = Vec::new();
    let mut commanded = false;
    for placement in &world.placements {
        let model = &placement.model;
        let found = model.keyframes().iter().find(|k| k.name == name);
        start.q.extend(found.map_or_else(|| model.initial_positions(), |k| k.q.clone()));
        start.v.extend(found.map_or_else(|| vec![0.0; model.dof_count()], |k| k.v.clone()));
        let given = found.filter(|k| !k.command.is_empty());
        commanded |= given.is_some();
        command.extend(given.map_or_else(|| vec![0.0; model.actuators().len()], |k| k.command.clone()));
    }
    start.command = commanded.then_some(command);
    start
}

/// The integrator with this name; the error lists the available names.
pub fn integrator(name: &str) -> anyhow::Result<&'static IntegratorEntry> {
    integrate::find(name).with_context(|| {
        let names: Vec<&str> = integrate::INTEGRATORS.iter().map(|e| e.name).collect();
        format!("there is no integrator '{name}'; there are {}", names.join(", "))
    })
}
