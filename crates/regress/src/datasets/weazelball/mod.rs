//! The Weazelball: published tables of state pairs, recorded sessions, and synthetic rows of the same shape.

pub mod archive;
pub mod pairs;
pub mod published;
pub mod sessions;
pub mod wandering;
