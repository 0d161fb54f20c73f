//! A function as a controller.

use crate::controller::{Controller, ControllerError};
use crate::signal_layout::{Command, Observation};

/// A controller that remembers nothing: a function of time and observation.
pub struct Memoryless<F>(pub F);

impl<F> Controller for Memoryless<F>
where
    F: Fn(i64, &Observation, &mut Command) + Send,
{
    fn reset(&mut self) -> Result<(), ControllerError> {
        Ok(())
    }

    fn activate(
        &mut self,
        time_ns: i64,
        observation: &Observation,
        command: &mut Command,
    ) -> Result<(), ControllerError> {
        (self.0)(time_ns, observation, command);
        Ok(())
    }

    fn snapshot(&self, _: &mut Vec<u8>) {}

    fn restore(&mut self, bytes: &[u8]) -> Result<(), ControllerError> {
        if bytes.is_empty() {
            return Ok(());
        }
        let what = "it has no memory, but the snapshot has bytes for it".to_string();
        Err(ControllerError { controller: "function".to_string(), what })
    }
}
