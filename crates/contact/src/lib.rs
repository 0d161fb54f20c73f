//! Worlds with contact, and three paradigms to move them.
//!
//! A [`Paradigm`] moves a [`State`](veracity_dynamics::integrate::State) of a world through contact: time stepping,
//! event driven, or penalty (compliant forces). All three use the same contacts, joints and surfaces: [`ContactWorld`]
//! is the compiled world, [`surface`] combines the properties of two surfaces, [`Rows`] are the constraint rows of the
//! complementarity problem.
//!
//! Deliberately absent: the contract of an engine. `engines/native` implements it with these paradigms.

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
