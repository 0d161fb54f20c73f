//! Particle traces: many perturbed runs of one scenario, where their behaviour splits, and which number decides.
//!
//! A [`TraceSetup`] names a scenario, engines and uncertain numbers. [`run()`] runs the particles through the lab (its store,
//! executor and engines; there is no second scheduler here) and reduces each record to a [`Particle`]. [`analyse`] turns
//! them into an [`Analysis`]: what can happen, with exact intervals; the behaviour [`tree`] and its splits; margins and
//! [`near_miss`]es; which number decides ([`attribution`]), confirmed by running again with only that number
//! [`mod@swap`]ped.
//!
//! Deliberately absent: printing, and sampling noise during a run, which sensors and controllers of a scenario have.
//!
//! ```
//! // 60 particles: 40 and 19 of two behaviours, and one of a third.
//! let seen = veracity_trace::unseen::unseen(&[40, 19, 1]);
//! assert_eq!(seen.behaviours, 3);
//! assert!((seen.unseen - 1.0 / 60.0).abs() < 1e-12 && seen.unseen_at_most > seen.unseen);
//! ```

pub mod alignment;
pub mod analysis;
pub mod attribution;
pub mod bundle;
pub mod cycle_start;
pub mod detectors;
pub mod dip;
pub mod mixture;
pub mod near_miss;
pub mod page;
pub mod paired;
pub mod particle;
pub mod rare;
pub mod regression;
pub mod run;
pub mod sampling;
pub mod sobol_indices;
pub mod sobol_points;
pub mod splitting;
pub mod swap;
pub mod symbols;
pub mod tree;
pub mod unseen;

pub use analysis::{Analysis, analyse};
pub use bundle::Bundle;
pub use particle::{Fate, Particle, Summary};
pub use run::{Runner, TraceError, run};
pub use veracity_scenario::TraceSetup;
