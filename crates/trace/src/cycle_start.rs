//! Particles that start on their own limit cycle.
//!
//! A walker with other numbers has another cycle, or none; from the nominal start it falls for the wrong reason. The cycle is followed
//! from the nominal numbers to the particle's ([`follow_changes`]) and stored, so that a resumed trace does not search again. Offsets of the start
//! are added to the state on the cycle, which is then brought back to rolling contact ([`settle`]): from the exact cycle an unstable gait
//! takes many steps to show.

use crate::run::TraceError;
use serde::{Deserialize, Serialize};
use veracity_cycle::changed::follow_changes;
use veracity_cycle::manifold::settle;
use veracity_cycle::{EventDrivenSettings, Place, Search, StrideMap, Walker};
use veracity_lab::{Lab, TrialKey};
use veracity_model::{Digest, Overrides};
use veracity_scenario::{Scenario, TraceSetup};

/// Names of the scalars that such particles have, in order.
pub const SCALARS: [&str; 2] = ["stride_radius", "stride_s"];

/// Raised whenever the search changes its results.
const FORMAT: u32 = 1;

/// What the search found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum CycleStart {
    /// A start state, the modulus of the largest multiplier of a stride, its duration [s], and the CPU time of the search [s].
    Found {
        /// Positions.
        q: Vec<f64>,
        /// Velocities.
        v: Vec<f64>,
        /// Largest modulus of the multipliers of one stride.
        stride_radius: f64,
        /// Duration of a stride [s].
        stride_s: f64,
    },
    /// No cycle was found, and why.
    NotFound(String),
    /// The motion could not be computed.
    Trouble(String),
}

/// The start of a particle with these numbers changed. Numbers of `start/` are offsets.
pub fn find(
    lab: &Lab<'_>,
    setup: &TraceSetup,
    base: Digest,
    overrides: &Overrides,
) -> Result<CycleStart, TraceError> {
    let text: String = overrides.iter().map(|(path, x)| format!("{path}={:016x}\n", x.to_bits())).collect();
    let build = lab.engines.build.as_bytes();
    let key = TrialKey(Digest::of_parts([format!("cycle {FORMAT}").as_bytes(), &base.0, text.as_bytes(), build]));
    if !lab.fresh
        && let Some(bytes) = lab.store.summary(key).map_err(veracity_lab::LabError::from)?
        && let Ok(found) = postcard::from_bytes(&bytes)
    {
        return Ok(found);
    }
    let found = search(&setup.scenario, overrides);
    let bytes = postcard::to_stdvec(&found).expect("numbers can be written to memory");
    lab.store.keep_summary(key, &bytes).map_err(veracity_lab::LabError::from)?;
    Ok(found)
}

/// The same without a store.
pub fn search(scenario: &Scenario, overrides: &Overrides) -> CycleStart {
    let (offsets, changes): (Vec<_>, Vec<_>) = overrides.iter().partition(|(path, _)| path.starts_with("start/"));
    let changes: Overrides = changes.into_iter().collect();
    let offsets: Overrides = offsets.into_iter().collect();
    let settings = EventDrivenSettings::default();
    // A cycle to 1e-9 is far below what a perturbed start adds; each digit more costs a round of strides.
    let search = Search { residual: 1e-10, ..Search::default() };
    match follow_changes(scenario, &changes, &settings, &search) {
        Some(Ok(followed)) => match with_offsets(scenario, &changes, &offsets, followed.state, &settings) {
            Ok((q, v)) => {
                CycleStart::Found { q, v, stride_radius: followed.stride_radius, stride_s: followed.stride_s }
            }
            Err(why) => CycleStart::Trouble(why),
        },
        Some(Err(why)) => CycleStart::NotFound(why.to_string()),
        None => CycleStart::Trouble("the scenario itself has no cycle to follow".to_string()),
    }
}

fn with_offsets(
    scenario: &Scenario,
    changes: &Overrides,
    offsets: &Overrides,
    state: Vec<f64>,
    settings: &EventDrivenSettings,
) -> Result<(Vec<f64>, Vec<f64>), String> {
    let nq = scenario.q.len();
    let split = |state: &[f64]| (state[..nq].to_vec(), state[nq..].to_vec());
    if offsets.is_empty() {
        return Ok(split(&state));
    }
    let changed = scenario.with(changes).map_err(|f| f.to_string())?;
    let (q, v) = split(&state);
    let moved: Overrides = changed
        .start_numbers(&q, &v)
        .into_iter()
        .map(|(path, x)| {
            let by = offsets.get(&path).unwrap_or(0.0);
            (path, x + by)
        })
        .collect();
    let moved = changed.with(&moved).map_err(|f| f.to_string())?;
    let mut walker = Walker::new(&changed, settings).map_err(|e| e.to_string())?;
    let mut state = Walker::start(&moved);
    debug_assert_eq!(state.len(), moved.q.len() + moved.v.len());
    debug_assert!(walker.size() > 0);
    settle(&mut walker, &mut state, Place::Start).map_err(|e| format!("the offset start {e}"))?;
    Ok(split(&state))
}
