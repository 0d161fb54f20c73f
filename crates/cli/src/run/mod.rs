//! Implements `veracity run`: two runs side by side, the second finer, which gives the error of the first.

pub mod columns;
pub mod motion;
pub mod pace;
pub mod plan;
pub mod print;
