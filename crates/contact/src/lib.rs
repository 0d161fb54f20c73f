//! Worlds whose bodies touch, and three ways to move them.
//!
//! A [`Paradigm`] moves a [`State`](veracity_dynamics::integrate::State) of a world through contact: time stepping, event
//! driven, or with compliant forces. All three see the same contacts, the same joints and the same surfaces:
//! [`ContactWorld`] is the compiled world, [`surface`] says what two surfaces are to each other, [`Rows`] are the rows of the
//! complementarity problem.
//!
//! What is deliberately absent: the contract of an engine. `engines/native` puts these behind it.

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
