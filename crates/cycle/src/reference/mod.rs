//! Walkers whose equations can be written on a page: the references the engine is held to.
//!
//! Each is a [`crate::StrideMap`] in its own few coordinates. They know nothing of bodies, contacts or engines.

pub mod extrapolation;
mod planar;
pub mod rimless_wheel;
pub mod simplest_walker;
pub mod straight_legs;

pub use rimless_wheel::RimlessWheel;
pub use simplest_walker::SimplestWalker;
pub use straight_legs::StraightLegs;
