//! Output of `veracity tempo`.

pub mod checks;
pub mod json;
pub mod print;
