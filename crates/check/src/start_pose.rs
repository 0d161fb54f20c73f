//! The pose at which a model is inspected: the intended start of its files.
//!
//! Most files describe a robot with all joints at zero, which for many is a pose never used (arms folded into
//! themselves, a humanoid inside the floor). The pose used is, for each model:
//!
//! 1. the keyframe that equals the model's initial positions (a `.toml` next to the file sets `start = …`), else
//! 2. the keyframe called `home`, else
//! 3. the first keyframe (MJCF `<key>`, SRDF `<group_state>`), else
//! 4. the initial positions.
//!
//! A run without an explicit start begins at the initial positions, so pose-dependent inspections run there too: faults
//! that occur only there are warnings.

use crate::checks::{CHECKS, Check};
use crate::context::Context;
use std::collections::BTreeSet;
use veracity_model::{Finding, Findings, Keyframe, Model, Severity, World};

/// A pose with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct StartPose {
    /// Positions of all models, in the order of the placements.
    pub q: Vec<f64>,
    /// Its name in a report.
    pub name: String,
    /// Whether it differs from the initial positions.
    pub from_keyframe: bool,
}

/// Inspections whose findings depend on the joint positions.
const POSE_DEPENDENT: [&str; 3] = ["overlap", "start-outside-limits", "loop-open"];

impl StartPose {
    /// The pose at which a world is inspected.
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

    /// Findings of the pose-dependent inspections at the initial positions that do not occur at this pose, as warnings:
    /// a run without an explicit start begins there.
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

/// Identity of a finding, independent of its numbers: its code, its subject and the first two names it quotes.
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
