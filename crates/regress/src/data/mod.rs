//! Tables of states, from text files in folders and archives.

pub mod archive;
pub mod published;
pub mod rows;
pub mod sessions;
pub mod wandering;

pub use rows::{Rows, RunRows};
