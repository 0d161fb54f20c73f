//! What `veracity mocap` does with one recording, and how it reports it.

pub mod arguments;
pub mod json;
pub mod one;
pub mod print;
pub mod score;
