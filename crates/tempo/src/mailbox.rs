//! A client as a [`Controller`] of the session.
//!
//! It is activated at every step of the dynamics: it publishes the observation of that instant and returns the command
//! that is due by then. The coordinator decides when the program itself runs.

use crate::coordinator::Coordinator;
use std::sync::{Arc, Mutex};
use veracity_control::{Command, Controller, ControllerError, Observation};

/// The session's end of a client.
pub struct Mailbox {
    /// Its name.
    pub name: String,
    /// Its index.
    pub client: usize,
    /// The coordinator that runs it.
    pub coordinator: Arc<Mutex<Coordinator>>,
}

impl Mailbox {
    fn error(&self, what: impl Into<String>) -> ControllerError {
        ControllerError { controller: self.name.clone(), what: what.into() }
    }
}

impl Controller for Mailbox {
    fn reset(&mut self) -> Result<(), ControllerError> {
        Err(self.error("a program cannot be reset; start another run"))
    }

    fn activate(
        &mut self,
        time_ns: i64,
        observation: &Observation,
        command: &mut Command,
    ) -> Result<(), ControllerError> {
        let mut coordinator = self.coordinator.lock().map_err(|_| self.error("the coordinator has panicked"))?;
        coordinator
            .exchange(self.client, time_ns, observation, &mut command.values)
            .map_err(|e| self.error(e.to_string()))
    }

    fn snapshot(&self, _out: &mut Vec<u8>) {}

    fn restore(&mut self, _bytes: &[u8]) -> Result<(), ControllerError> {
        Err(self.error("the state of a program cannot be restored; replay its schedule instead"))
    }
}
