//! What a client has used and was granted: its virtual time.

use crate::process::Process;
use veracity_client::wire;

/// The account of one client. Times are nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Account {
    /// Virtual time for each unit of CPU time.
    pub factor: f64,
    /// Total wait granted.
    pub wait_ns: i64,
    /// CPU clock at time zero.
    pub cpu0_ns: i64,
    /// CPU clock at the last charge.
    pub cpu_ns: i64,
}

impl Account {
    /// An account in which nothing has been charged.
    pub fn new(factor: f64) -> Self {
        Self { factor, wait_ns: 0, cpu0_ns: 0, cpu_ns: 0 }
    }

    /// CPU time used since time zero.
    pub fn cpu_used_ns(&self) -> i64 {
        self.cpu_ns - self.cpu0_ns
    }

    /// Virtual time it executed: all that its clock counted.
    pub fn executed_ns(&self) -> i64 {
        (self.cpu_used_ns() as f64 * self.factor) as i64
    }

    /// Its progress, equation (1) of the wire.
    pub fn progress_ns(&self) -> i64 {
        self.wait_ns + self.executed_ns()
    }

    /// Adds to the granted wait, and shows it to the client.
    pub fn add_wait(&mut self, process: &Process, ns: i64) {
        self.wait_ns += ns;
        process.page.set_i64(wire::WAIT_NS, self.wait_ns);
    }
}
