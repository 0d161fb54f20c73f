//! Audits of a model and of an experiment before any engine is blamed.
//!
//! [`CHECKS`] is the list: each entry looks at a world in its start position and returns findings with file and line.
//! [`audit`] runs them all over an imported file, merges what the importer and the builder had to say, marks what the
//! model's authors already know, and gives a [`Verdict`].
//!
//! [`experiment`] does the same for what is about to be tried: [`experiment::EXPERIMENT_CHECKS`] look at the start, the
//! controllers and their step, so that a study says before any ranking what no engine could get right.
//!
//! What is deliberately absent: repair. A check says what is wrong and what to do, and changes nothing.
//!
//! ```
//! use veracity_check::{Verdict, audit_world};
//! use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Vec3, World};
//!
//! let mut builder = ModelBuilder::new("pendulum");
//! let bob = Body::new("bob", Inertia::point_mass(-1.0, Vec3::x()));
//! builder.add_body(bob, Joint::new("hinge", JointKind::revolute(Vec3::y())), None);
//! let report = audit_world(&World::with_model(builder.build().unwrap()));
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
pub use experiment::{EXPERIMENT_CHECKS, Experiment, audit_experiment};
pub use mass_matrix::{MassBlock, MassMatrix};
pub use report::{Entry, Report, Verdict, audit, audit_world};
pub use summary::Summary;
