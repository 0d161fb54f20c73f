//! What `veracity init --model` writes: a scenario for the user's robot, with controllers and checks that run
//! unchanged.

pub mod fingers;
pub mod robot;
pub mod tasks;
