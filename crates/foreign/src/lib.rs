//! Common parts of foreign engines: a world as rigid pieces with the frames of their joints, which shapes may touch,
//! and an engine made of a table of C functions.
//!
//! [`Scene`] is a world laid out flat; [`ShimEngine`] implements the contract over a shim, the C++ side of
//! `include/veracity_shim.h`: inputs, samples, guards, gaps, events and snapshots are implemented here, once.
//! `veracity-worker` serves a shim's executable.
//!
//! Deliberately absent: any particular engine, and processes.
//!
//! ```
//! use veracity_foreign::{Place, Refusals, Scene};
//! use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Vec3, World};
//!
//! let mut builder = ModelBuilder::new("pendulum");
//! let bob = Body::new("bob", Inertia::point_mass(1.0, Vec3::x()));
//! builder.add_body(bob, Joint::new("hinge", JointKind::revolute(Vec3::y())), None);
//! let world = World::with_model(builder.build().unwrap());
//! let scene = Scene::new(&world, &Place::new(&world, &mut Refusals::default()));
//! // The ground, and the bob.
//! assert_eq!((scene.pieces.len(), scene.nv), (2, 1));
//! ```

pub mod coordinates;
mod engine;
mod ffi;
mod loads;
mod motion;
pub mod pieces;
pub mod progress;
mod refusals;
pub mod scene;
mod stepper;
mod touch;

pub use engine::{ShimEngine, refuse_other_settings};
pub use ffi::{Abilities, Api, Shim, flags};
pub use refusals::Refusals;
pub use scene::{Place, Scene};
pub use stepper::logged_point;
pub use touch::{TouchTable, Touching};
