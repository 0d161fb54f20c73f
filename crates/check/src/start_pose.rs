//! The pose a model is judged at: the start its files mean.
//!
//! Most files describe a robot with all joints at zero, which for many is a pose it never takes (arms folded into
//! themselves, a humanoid inside the floor). The pose judged is, for each model:
//!
//! 1. the keyframe that equals the model's initial positions (a `.toml` beside the file said `start = …`), else
//! 2. the keyframe called `home`, else
//! 3. the first keyframe (MJCF `<key>`, SRDF `<group_state>`), else
//! 4. the initial positions.
//!
//! A run that names no start begins at the initial positions, so pose-dependent checks look there too: what is wrong only
//! there is a warning.

use crate::checks::{CHECKS, Check};
use crate::context::Context;
use std::collections::BTreeSet;
use veracity_model::{Finding, Findings, Keyframe, Model, Severity, World};

/// A pose with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct StartPose {
    /// Positions of all models, in the order of the placements.
    pub q: Vec<f64>,
    /// How a report calls it.
    pub name: String,
    /// Whether it differs from the initial positions.
    pub from_keyframe: bool,
}

/// Checks whose findings depend on where the joints are.
const POSE_DEPENDENT: [&str; 3] = ["overlap", "start-outside-limits", "loop-open"];

impl StartPose {
    /// The pose at which a world is judged.
    pub fn of(world: &World) -> Self {
        let chosen: Vec<Option<&Keyframe>> = world.placements.iter().map(|p| keyframe(&p.model)).collect();
        let positions = world.placements.iter().zip(&chosen);
        let q: Vec<f64> =
            positions.flat_map(|(p, k)| k.map_or_else(|| p.model.initial_positions(), |k| k.q.clone())).collect();
        let mut names: Vec<String> = chosen.iter().flatten().map(|k| format!("keyframe '{}'", k.name)).collect();
        names.dedup();
        let name = if names.is_empty() { "the initial positions".into() } else { names.join(", ") };
        Self { from_keyframe: q != initial(world), q, name }
    }

    /// What the pose-dependent checks find at the initial positions and not at this pose, as warnings: a run that names no
    /// start begins there.
    pub fn only_at_initial(&self, world: &World, here: &Findings) -> Findings {
        let mut found = Findings::new();
        if !self.from_keyframe {
            return found;
        }
        let seen: BTreeSet<Key> = here.iter().map(key).collect();
        let context = Context::at(world, &initial(world));
        let depends = |check: &&Check| POSE_DEPENDENT.contains(&check.code);
        for mut finding in CHECKS.iter().filter(depends).flat_map(|check| (check.run)(&context)) {
            if finding.severity >= Severity::Warning && !seen.contains(&key(&finding)) {
                finding.severity = Severity::Warning;
                finding.text = format!("at the initial positions, not at {}: {}", self.name, finding.text);
                found.push(finding);
            }
        }
        found
    }
}

type Key = (&'static str, String, Vec<String>);

/// What a finding is about, whatever numbers it gives: its code, its subject and the first two names it quotes.
fn key(finding: &Finding) -> Key {
    let quoted = finding.text.split('\'').skip(1).step_by(2).take(2).map(str::to_string).collect();
    (finding.code, finding.subject.clone(), quoted)
}

fn initial(world: &World) -> Vec<f64> {
    world.placements.iter().flat_map(|p| p.model.initial_positions()).collect()
}

fn keyframe(model: &Model) -> Option<&Keyframe> {
    let keyframes = model.keyframes();
    let initial = model.initial_positions();
    let chosen = keyframes.iter().find(|k| k.q == initial);
    chosen.or_else(|| keyframes.iter().find(|k| k.name == "home")).or_else(|| keyframes.first())
}
