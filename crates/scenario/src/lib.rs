//! Scenario and study files, references and their closed forms, the built-in catalogue.
//!
//! A [`Scenario`] says what is tried: a world, a start, controllers, a duration, references and checks with bounds. It
//! names no engine. A [`Study`] lays scenarios out over engine specs, steps, variations and seeds to answer a question,
//! and says what answer is expected. Both are TOML files a person writes beside a robot's URDF.
//!
//! Every number of a scenario has a stable path, and [`Scenario::with`] gives a changed, validated one: sampling, sweeps,
//! calibration and mutations all use this one way.
//!
//! What is deliberately absent: running. Nothing here moves a body; references that need a simulation are only
//! described, and the lab makes them.

pub mod catalogue;
pub mod check;
mod equipment;
pub mod file;
pub mod numbers;
mod read;
pub mod reference;
pub mod references;
pub mod scenario;
pub mod start;
pub mod starter;
pub mod study;
pub mod time;

pub use check::Check;
pub use read::LoadOptions;
pub use reference::{Channel, ChannelMap, ParameterValue, ReferenceConfig, ReferenceKind};
pub use scenario::{Mutation, Parts, Scenario};
pub use start::Start;
pub use study::{Expectation, Expected, Study, StudyEngine};
