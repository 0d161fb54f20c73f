//! What a client needs of whatever is on the other side: the simulator's coordinator, or a real robot.

use crate::client::{ClientError, Observed};

/// The other side. [`crate::Client`] is the simulated one; a robot's driver implements the same and the program stays.
pub trait Backend {
    /// The present time [ns]: virtual in the simulator, the robot's clock on a robot.
    fn time_ns(&mut self) -> Result<i64, ClientError>;
    /// What the sensors have delivered last.
    fn observe(&mut self) -> Result<&Observed, ClientError>;
    /// One number for each command channel.
    fn command(&mut self, values: &[f64]) -> Result<(), ClientError>;
    /// Sleeps until the next activation; `false` when the run is over.
    fn wait(&mut self) -> Result<bool, ClientError>;
    /// Sleeps until a time; `false` when the run is over.
    fn wait_until(&mut self, time_ns: i64) -> Result<bool, ClientError>;
    /// Sends numbers to whoever receives this program's plans.
    fn publish_plan(&mut self, plan: &[f64]) -> Result<(), ClientError>;
    /// The latest plan that has arrived with the last [`Backend::observe`]: its ordinal (0 for none yet), when it was
    /// published, its numbers.
    fn plan(&self) -> (u64, i64, &[f64]);
}
