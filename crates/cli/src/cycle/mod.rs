//! Output of `veracity cycle`, and the engine settings it uses.

pub mod json;
pub mod print;
pub mod spec;
