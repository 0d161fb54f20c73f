//! Scenario and study files, references and their closed forms, the built-in catalogue.
//!
//! A [`Scenario`] says what is simulated: a world, a start, controllers, a duration, references and checks with bounds.
//! It names no engine. A [`Study`] combines scenarios with engine specs, steps, variations and seeds to answer a
//! question, and states the expected answer. Both are hand-written TOML files next to a robot's URDF.
//!
//! Every number of a scenario has a stable path, and [`Scenario::with`] returns a changed, validated scenario:
//! sampling, sweeps, calibration and mutations all use it.
//!
//! ```
//! use veracity_model::Overrides;
//! use veracity_scenario::{Scenario, references};
//!
//! let pendulum = Scenario::built_in("simple_pendulum").unwrap();
//! let exact = references::work_out(&pendulum.references[0], &pendulum, &[10.0]).unwrap();
//! let heavier = pendulum.with(&Overrides::new().set("world/gravity/z", -10.0)).unwrap();
//! // A closed form follows the world it is asked about.
//! assert_ne!(references::work_out(&heavier.references[0], &heavier, &[10.0]).unwrap(), exact);
//! ```
//!
//! Where to read on: [`scenario`] and [`study`] are the types, `read` builds them from the tables of [`mod@file`],
//! [`references`] computes the truth, [`catalogue`] lists the built-in scenarios.
//!
//! Deliberately absent: running. Nothing here moves a body; references that need a simulation are only described, and
//! the lab makes them.

pub mod axis;
pub mod catalogue;
pub mod check;
pub mod cycle;
pub mod distribution;
mod equipment;
pub mod file;
pub mod numbers;
mod possible;
mod read;
pub mod reference;
pub mod references;
pub mod scenario;
pub mod start;
pub mod starter;
pub mod study;
pub mod time;
pub mod trace;
pub mod units;

pub use axis::VariedNumber;
pub use check::Check;
pub use cycle::{CycleConfig, CycleExpect, CycleVerdictWord, FootShape};
pub use distribution::Distribution;
pub use numbers::Inertias;
pub use read::LoadOptions;
pub use reference::{Channel, ChannelMap, ParameterValue, ReferenceConfig, ReferenceKind};
pub use scenario::{Mutation, Parts, Scenario};
pub use start::Start;
pub use study::{ClaimWord, Evidence, Expectation, Expected, Hypothesis, PublishedCell, Side, Study, StudyEngine};
pub use trace::TraceSetup;
