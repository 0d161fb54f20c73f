//! Output of `veracity tempo`.

pub mod json;
pub mod print;
