//! A client as a [`Controller`] like any other to the lab.
//!
//! It is activated at every step of the dynamics: the observation of that instant goes out, the command that is due by then
//! comes in. When the program itself runs is the coordinator's business.

use crate::coordinator::Coordinator;
use std::sync::{Arc, Mutex};
use veracity_control::{Command, Controller, ControllerError, Observation};

/// The lab's end of a client.
pub struct Mailbox {
    /// Its name.
    pub name: String,
    /// Its number.
    pub client: usize,
    /// Who runs it.
    pub coordinator: Arc<Mutex<Coordinator>>,
}

impl Mailbox {
    fn error(&self, what: impl Into<String>) -> ControllerError {
        ControllerError { controller: self.name.clone(), what: what.into() }
    }
}

impl Controller for Mailbox {
    fn reset(&mut self) -> Result<(), ControllerError> {
        Err(self.error("a program cannot be begun anew; start another run"))
    }

    fn activate(
        &mut self,
        time_ns: i64,
        observation: &Observation,
        command: &mut Command,
    ) -> Result<(), ControllerError> {
        let mut coordinator = self.coordinator.lock().map_err(|_| self.error("the coordinator broke down"))?;
        coordinator
            .exchange(self.client, time_ns, observation, &mut command.values)
            .map_err(|e| self.error(e.to_string()))
    }

    fn snapshot(&self, _out: &mut Vec<u8>) {}

    fn restore(&mut self, _bytes: &[u8]) -> Result<(), ControllerError> {
        Err(self.error("what a program remembers cannot be put back; replay its schedule instead"))
    }
}
