//! The interface of a client to its environment: the simulator's coordinator, or a real robot.

use crate::client::{ClientError, Observed};

/// Sensors, commands, plans and time. [`crate::Client`] is the simulated one; a robot's driver implements the same
/// trait and the program stays unchanged.
pub trait Backend {
    /// The current time [ns]: virtual in the simulator, the robot's clock on a robot.
    fn time_ns(&mut self) -> Result<i64, ClientError>;
    /// The latest sensor values.
    fn observe(&mut self) -> Result<&Observed, ClientError>;
    /// Sends a command: one number per command channel.
    fn command(&mut self, values: &[f64]) -> Result<(), ClientError>;
    /// Sleeps until the next activation; returns `false` when the run is over.
    fn wait(&mut self) -> Result<bool, ClientError>;
    /// Sleeps until a time; returns `false` when the run is over.
    fn wait_until(&mut self, time_ns: i64) -> Result<bool, ClientError>;
    /// Sends a plan to the clients configured to receive it.
    fn publish_plan(&mut self, plan: &[f64]) -> Result<(), ClientError>;
    /// The latest plan that had arrived at the last [`Backend::observe`]: its ordinal (0: none yet), when it was
    /// published [ns], its numbers.
    fn plan(&self) -> (u64, i64, &[f64]);
}
