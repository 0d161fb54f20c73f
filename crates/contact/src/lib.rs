//! Worlds with contact, and three paradigms to move them.
//!
//! A [`Paradigm`] moves a [`State`](veracity_dynamics::integrate::State) of a world through contact: time stepping,
//! event driven, or penalty (compliant forces). All three use the same contacts, joints and surfaces: [`ContactWorld`]
//! is the compiled world, [`surface`] combines the properties of two surfaces, [`Rows`] are the constraint rows of the
//! complementarity problem.
//!
//! Deliberately absent: the contract of an engine. `engines/native` implements it with these paradigms.
//!
//! ```
//! use veracity_contact::{Paradigm, Stepping, SteppingSettings};
//! use veracity_dynamics::NoEfforts;
//! use veracity_dynamics::integrate::State;
//! use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Pose, Shape, World};
//!
//! let mut builder = ModelBuilder::new("ball");
//! let ground = Body::new("ground", Inertia::zero()).with_shape(Shape::Plane, Pose::identity());
//! builder.add_body(ground, Joint::new("fixed", JointKind::Fixed), None);
//! let ball = Body::new("ball", Inertia::solid_sphere(1.0, 0.1)).with_shape(Shape::Sphere { radius: 0.1 }, Pose::identity());
//! builder.add_body(ball, Joint::new("free", JointKind::Free), None);
//! let world = World::with_model(builder.build().unwrap());
//!
//! let mut stepping = Stepping::new(&world, SteppingSettings::default()).unwrap();
//! // At rest on the ground: x y z, then the quaternion.
//! let mut state = State { time: 0.0, q: vec![0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0], v: vec![0.0; 6] };
//! for _ in 0..100 {
//!     stepping.step(&mut NoEfforts, &mut state, 1e-3).unwrap();
//! }
//! assert!((state.q[2] - 0.1).abs() < 1e-6, "it stays there");
//! ```

pub mod displaced;
pub mod event_driven;
mod islands;
pub mod maximal;
pub mod paradigm;
pub mod penalty;
pub mod rows;
pub mod stepping;
pub mod surface;
pub mod world;

pub use event_driven::{EventDriven, EventDrivenSettings};
pub use maximal::{Coordinates, Maximal};
pub use paradigm::{Paradigm, Touch};
pub use penalty::{Penalty, PenaltySettings};
pub use rows::{Rows, Source};
pub use stepping::{Stepping, SteppingSettings};
pub use surface::{PairSurface, Surface, Surfaces};
pub use world::{ContactError, ContactWorld, LimitedDof};
