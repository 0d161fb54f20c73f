//! How far to trust a robot simulation.
//!
//! This crate is what a Rust program adds to its `Cargo.toml`; each module is one crate of the workspace. Read a robot with
//! [`model`], inspect it with [`check`], move it with an [`engine`], describe a task with [`scenario`], run it on several
//! engines with [`lab`] and get a verdict for each.
//!
//! ```
//! use veracity::lab::TrialVerdict;
//! use veracity::scenario::{Scenario, Study};
//!
//! // A pendulum held to its closed form, on our engine and on Rapier, which stretches its joints.
//! let scenario = Scenario::built_in("pendulum_with_ball").unwrap();
//! let specs = ["native", "rapier"].map(|spec| spec.parse().unwrap());
//! let study = Study::of_scenario(scenario, &specs, Vec::new()).unwrap();
//!
//! let folder = std::env::temp_dir().join(format!("veracity-front-page-{}", std::process::id()));
//! let result = veracity::run(&study, &folder).unwrap();
//! let verdicts: Vec<TrialVerdict> = result.rows.iter().map(|row| row.verdict).collect();
//! assert_eq!(verdicts, [TrialVerdict::Accepted, TrialVerdict::Rejected]);
//! # std::fs::remove_dir_all(folder).unwrap();
//! ```
//!
//! Programs to start from are in `examples/`: `cargo run -p veracity --example simulate`. [`run`] uses the two engines that are
//! linked in; [`engines`] also finds those in processes of their own (Bullet, DART, MuJoCo, ODE, Simbody, PhysX).

pub mod engines;

pub use veracity_check as check;
pub use veracity_control as control;
pub use veracity_cycle as cycle;
pub use veracity_dynamics as dynamics;
pub use veracity_engine as engine;
pub use veracity_engine_native as native;
pub use veracity_engine_rapier as rapier;
pub use veracity_lab as lab;
pub use veracity_measure as measure;
pub use veracity_model as model;
pub use veracity_record as record;
pub use veracity_scenario as scenario;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use veracity_engine::Engine;
use veracity_lab::{Engines, Lab, LabError, Silent, Store, StoreError, StudyResult, Threads};

/// The engines linked into this crate.
pub const ENGINES: &[&'static dyn Engine] = &[&veracity_engine_native::ENGINE, &veracity_engine_rapier::ENGINE];

/// Why a study could not be run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The study cannot be planned or its results cannot be stored.
    #[error(transparent)]
    Lab(#[from] LabError),
    /// The results folder cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The program file, whose digest is part of every trial's key, cannot be read, or threads cannot be started.
    #[error("cannot run the study: {0}")]
    Host(String),
}

/// Runs every trial of a study on [`ENGINES`], one thread per core, and stores the records in `folder`. Trials that this
/// program has stored there before are not run again.
pub fn run(study: &scenario::Study, folder: &Path) -> Result<StudyResult, RunError> {
    let host = |error: &dyn std::fmt::Display| RunError::Host(error.to_string());
    let build = std::env::current_exe().and_then(|program| engines::build_of(&program)).map_err(|e| host(&e))?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let executor = Threads::new(cores).map_err(|e| host(&e))?;
    let store = Store::open(folder)?;
    let linked = Engines { list: ENGINES, build: &build };
    let stop = Arc::new(AtomicBool::new(false));
    let lab = Lab { engines: linked, store: &store, executor: &executor, stop, fresh: false };
    let result = lab.run(study, &Silent)?;
    store.close()?;
    Ok(result)
}
