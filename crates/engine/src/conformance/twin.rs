//! Settings that only choose how a problem is stored.
//!
//! MuJoCo 4.0.0 factorised sparse Hessians wrongly where trees of bodies touch each other (mujoco#3767): the Newton
//! solver needed twice the iterations and found other accelerations, in every world of 60 degrees of freedom or more.
//! Nothing about such a world looks wrong from outside; comparing it with the same world under the other storage shows
//! the error at once.

use super::scenes;
use super::{Claim, Evidence, Subject};
use crate::contract::LoadOptions;
use crate::samples::Samples;
use crate::spec::EngineSpec;

pub(super) const STORAGE: Claim = Claim {
    name: "storage-twin",
    says: "Settings that only choose how the contact problem is stored (`jacobian=dense` or `sparse`) give one motion.",
    run: storage,
};

/// A setting and two of its values that must give the same motion.
const TWINS: &[(&str, [&str; 2])] = &[("jacobian", ["dense", "sparse"])];

/// Rounding of 1e-16 grows with the contacts: to 2e-15 in a tenth of a second under default settings, to 3e-9 where
/// contacts are stiff. A wrong factor shows in the first digit (0.87): a thousand times away from both.
const SAME: f64 = 1e-6;
const STEPS: f64 = 100.0;

fn storage(subject: &Subject<'_>) -> Result<Evidence, String> {
    let known = |key: &str| subject.settings.known().any(|s| s.key == key);
    let Some((key, words)) = TWINS.iter().find(|(key, _)| known(key)) else {
        return Ok(Evidence::DoesNotApply("the engine has no setting for storage".to_string()));
    };
    let scene = scenes::heap_of_humanoids();
    let mut ends: Vec<(Vec<f64>, u64)> = Vec::new();
    for word in words {
        let mut spec: EngineSpec = subject.settings.full_spec().parse().map_err(|e| format!("{e}"))?;
        spec.settings.retain(|(k, v)| k != key && !(k.is_empty() && words.contains(&v.as_str())));
        spec.settings.push((key.to_string(), word.to_string()));
        let settings = subject.engine.resolve(&spec).map_err(|e| e.to_string())?;
        let options = LoadOptions { step_s: subject.step_s };
        let mut simulation = subject.engine.load(&scene.world, &settings, &options).map_err(|e| e.to_string())?;
        simulation.set_state(0.0, &scene.q, &scene.v).map_err(|e| e.to_string())?;
        let mut none = Samples::none(simulation.layout());
        simulation.advance(STEPS * subject.step_s, &scene.inputs, &mut none).map_err(|e| e.to_string())?;
        ends.push((simulation.q().to_vec(), simulation.totals().evaluations));
    }
    let apart = ends[0].0.iter().zip(&ends[1].0).fold(0.0f64, |worst, (a, b)| worst.max((a - b).abs()));
    let numbers = format!(
        "{key}={} and {key}={}: {apart:.1e} rad or m apart after {STEPS} steps of {} degrees of freedom, {} and {} iterations",
        words[0],
        words[1],
        scene.v.len(),
        ends[0].1,
        ends[1].1
    );
    // A NaN is not below any bound.
    if apart <= SAME { Ok(Evidence::Holds(numbers)) } else { Err(numbers) }
}
