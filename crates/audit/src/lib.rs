//! Audits engines: checks by experiment that every number of a world reaches the engine.
//!
//! A comparison of engines is only as good as the interface to them: a friction coefficient that never arrived, a start
//! state that one engine interpreted differently or a unit that was converted twice silently decides a ranking. So
//! every number of a [`World`](veracity_model::World) that an engine claims to honour has an [`Experiment`]: a small
//! world in which that number determines the motion in closed form. The engine moves it, and the number is computed
//! back from poses and velocities alone; nothing the engine says about itself is trusted.
//!
//! [`EXPERIMENTS`] lists them, [`audit()`] runs them, [`judge`] runs one. Each is read at three steps, so that the
//! step's own error is measured instead of guessed. A number is [honoured](ReadBack::Honoured),
//! [approximated](ReadBack::Approximated), [not expressible](ReadBack::NotExpressible) or [wrong](ReadBack::Wrong).
//!
//! Deliberately absent: any particular engine, and how good an engine is. The audit asks whether a number arrived; the
//! catalogue of scenarios asks how accurate the motion is.
//!
//! ```
//! use veracity_audit::{EXPERIMENTS, ReadBack, judge};
//! use veracity_engine::Engine;
//! use veracity_engine_native::ENGINE;
//!
//! let mass = EXPERIMENTS.iter().find(|experiment| experiment.name == "mass").unwrap();
//! let settings = ENGINE.resolve(&"native".parse().unwrap()).unwrap();
//! let finding = judge(mass, &ENGINE, &settings);
//! assert_eq!(finding.verdict, ReadBack::Honoured);
//! ```

pub mod bench;
pub mod experiment;
pub mod experiments;
pub mod repeat;
pub mod verdict;

pub use bench::{Bench, BenchScene, Run, Stopped};
pub use experiment::{Experiment, Reading, Tolerated};
pub use experiments::EXPERIMENTS;
pub use repeat::{Repeatability, repeatability};
pub use verdict::{Audit, Finding, ReadBack, audit, judge};

/// The coarsest of the three steps [s]; the others are a half and a quarter of it.
pub const STEP_S: f64 = 1e-3;
