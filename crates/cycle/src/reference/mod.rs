//! Walkers with short equations of motion: the references the engine is compared with.
//!
//! Each is a [`crate::StrideMap`] in its own few coordinates, independent of bodies, contacts and engines.

pub mod extrapolation;
mod planar;
pub mod rimless_wheel;
pub mod simplest_walker;
pub mod straight_legs;

pub use rimless_wheel::RimlessWheel;
pub use simplest_walker::SimplestWalker;
pub use straight_legs::StraightLegs;
