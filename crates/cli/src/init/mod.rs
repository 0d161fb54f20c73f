//! What `veracity init --model` writes: a scenario for a robot of the user's, with controllers and checks that run as they are.

pub mod fingers;
pub mod robot;
pub mod tasks;
