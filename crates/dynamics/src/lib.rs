//! Smooth multibody dynamics in joint coordinates.
//!
//! A [`System`] is a [`veracity_model::World`] compiled for motion; a [`Workspace`] is its scratch memory, allocated
//! once. Algorithms are functions over `(system, workspace, q, v, …)`; each file opens with its equations:
//! [`kinematics`], [`aba`] (forward dynamics in O(n)), [`crba`] (mass matrix and its sparse factor), [`rnea`]
//! (inverse dynamics), [`jacobian`], [`energy`](mod@energy), [`constraint`] (loops and couplings), [`forces`],
//! [`blocks`] and [`mod@free_velocity`] (used by contact). The
//! integrators are a list, [`integrate::INTEGRATORS`]; [`SmoothSimulation`] runs one of them with events, snapshots and restore.
//!
//! Deliberately absent: contact, and anything random or dependent on a clock.
//!
//! ```
//! use veracity_dynamics::{NoEfforts, SmoothSimulation, System, integrate::IntegratorSettings};
//! use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Vec3, world::DEFAULT_GRAVITY};
//!
//! let mut builder = ModelBuilder::new("pendulum");
//! let bob = Body::new("bob", Inertia::point_mass(1.0, Vec3::x()));
//! builder.add_body(bob, Joint::new("hinge", JointKind::revolute(Vec3::y())), None);
//! let system = System::from_model(&builder.build().unwrap(), DEFAULT_GRAVITY).unwrap();
//! let mut simulation = SmoothSimulation::new(system, "dop853", IntegratorSettings::default()).unwrap();
//! simulation.advance_to(0.5, &mut NoEfforts).unwrap();
//! assert!((simulation.state().q[0].cos() - 0.391048791550546).abs() < 1e-10);
//! ```

pub mod aba;
mod attachments;
pub mod blocks;
mod branches;
pub mod constraint;
pub mod crba;
pub mod energy;
pub mod events;
pub mod fastest_decay;
pub mod forces;
pub mod forward;
pub mod free_velocity;
pub mod integrate;
pub mod jacobian;
pub mod kinematics;
mod link;
pub mod observe;
pub mod reactions;
pub mod rnea;
pub mod row_coordinates;
pub mod simulation;
mod sincos;
pub mod snapshot;
pub mod spatial;
pub mod system;
pub mod workspace;

pub use energy::{Energy, Momentum};
pub use events::{EventHit, GuardFunction, Guards};
pub use fastest_decay::{DecaySource, FastestDecay};
pub use forces::BodyWrench;
pub use forward::{ActuatorCommands, ConstantEfforts, Efforts, NoEfforts, Trouble};
pub use observe::BodyMotion;
pub use simulation::{IntegrationTotals, SimulationError, SmoothSimulation};
pub use snapshot::Snapshot;
pub use system::{BodyPlace, System, SystemError};
pub use workspace::Workspace;
