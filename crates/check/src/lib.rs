//! Inspections of a model and of an experiment, to run before an engine is blamed.
//!
//! [`CHECKS`] is the list: each entry inspects a world in its start position and returns findings with file and line.
//! [`inspect`] runs them all over an imported file, merges the findings of the importer and the builder, marks those the
//! model's authors already know, and returns a [`Verdict`].
//!
//! [`experiment`] does the same for an experiment: [`experiment::EXPERIMENT_CHECKS`] inspect the start, the controllers
//! and the step, so that a study reports before any ranking what no engine could get right.
//!
//! Deliberately absent: repair. An inspection reports what is wrong and what to do, and changes nothing.
//!
//! ```
//! use veracity_check::{Verdict, inspect_world};
//! use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Vec3, World};
//!
//! let mut builder = ModelBuilder::new("pendulum");
//! let bob = Body::new("bob", Inertia::point_mass(-1.0, Vec3::x()));
//! builder.add_body(bob, Joint::new("hinge", JointKind::revolute(Vec3::y())), None);
//! let report = inspect_world(&World::with_model(builder.build().unwrap()));
//! assert_eq!(report.verdict, Some(Verdict::Rejected));
//! assert!(report.entries.iter().any(|e| e.finding.code == "mass-not-positive"));
//! ```

mod checks;
mod context;
pub mod experiment;
mod extent;
mod mass_matrix;
mod mass_properties;
mod pieces;
mod report;
pub mod show;
mod start_pose;
mod summary;

pub use checks::{CHECKS, Check};
pub use context::{BodyRef, Context, Start};
pub use experiment::{EXPERIMENT_CHECKS, InspectedExperiment, inspect_experiment};
pub use mass_matrix::{MassBlock, MassMatrix};
pub use report::{Entry, InspectionReport, inspect, inspect_world};
pub use summary::Summary;
pub use veracity_measure::Verdict;
