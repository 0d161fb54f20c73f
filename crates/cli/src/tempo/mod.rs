//! What `veracity tempo` prints.

pub mod json;
pub mod print;
