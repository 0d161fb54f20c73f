//! What `veracity init --model` writes: a scenario for the user's robot, with controllers and checks that run
//! unchanged.

pub mod block;
pub mod fingers;
pub mod grasp;
mod grasp_study;
pub mod legs;
pub mod robot;
pub mod sidecar;
pub mod tasks;
