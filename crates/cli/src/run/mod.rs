//! What `veracity run` does: two runs side by side, the second finer, so that the error of the first is known.

pub mod columns;
pub mod motion;
pub mod pace;
pub mod plan;
pub mod print;
