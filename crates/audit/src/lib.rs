//! Did the engine get the number? An audit of the translation, by experiment.
//!
//! A comparison of engines is worth as much as the interface it goes through: a friction coefficient that never arrived, a
//! start state that one engine took differently, a unit that was converted twice decide a ranking unseen. So every number of
//! a [`World`](veracity_model::World) that an engine claims to honour has an [`Experiment`]: a small world in which that
//! number decides the motion in closed form. The engine moves it, and the number is worked out from poses and velocities
//! alone; nothing the engine says of itself is believed.
//!
//! [`EXPERIMENTS`] lists them, [`audit()`] runs them, [`judge`] runs one. Each is read at three steps, so that the step's own
//! error is known and not guessed. A number is [honoured](Verdict::Honoured), [approximated](Verdict::Approximated),
//! [not expressible](Verdict::NotExpressible) or [wrong](Verdict::Wrong).
//!
//! What is deliberately absent: any particular engine, and how good an engine is. The audit asks whether a number arrived,
//! the catalogue of scenarios what became of it.

pub mod bench;
pub mod experiment;
pub mod experiments;
pub mod repeat;
pub mod verdict;

pub use bench::{Bench, Run, Scene, Stopped};
pub use experiment::{Experiment, Reading, Tolerated};
pub use experiments::EXPERIMENTS;
pub use repeat::{Repeatability, repeatability};
pub use verdict::{Audit, Finding, Verdict, audit, judge};

/// The coarsest of the three steps [s]; the others are a half and a quarter of it.
pub const STEP_S: f64 = 1e-3;
