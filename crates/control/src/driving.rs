//! Alternates loop and engine: the one function that does so, in the lab and in a worker.
//!
//! ```text
//! until the end:  the loop ticks, if a tick is due
//!                 the engine advances to the next tick under what acts now
//!                 each row it recorded on the way gets the commands and readings of that tick
//! ```

use crate::control_loop::ControlLoop;
use veracity_engine::{Inputs, LoopEnd, Samples, Simulation};

/// State of a run.
pub struct Drive<'a> {
    /// Present time [ns].
    pub time_ns: &'a mut i64,
    /// Inputs in force.
    pub inputs: &'a mut Inputs,
    /// Rows.
    pub samples: &'a mut Samples,
    /// Signals of the rows, row after row.
    pub signals: &'a mut Vec<f64>,
}

impl ControlLoop {
    /// Runs to a time [ns].
    pub fn drive(&mut self, simulation: &mut dyn Simulation, run: Drive<'_>, until_ns: i64) -> LoopEnd {
        let Drive { time_ns, inputs, samples, signals } = run;
        while *time_ns < until_ns {
            if self.next_tick_ns() <= *time_ns
                && let Err(error) = self.tick(*time_ns, simulation, inputs)
            {
                return LoopEnd::Failed(error.to_string());
            }
            let next_ns = self.next_tick_ns().min(until_ns);
            let rows = samples.track.rows();
            let advanced = simulation.advance(seconds(next_ns), inputs, samples);
            self.sign_rows(*time_ns, samples.track.rows() - rows, signals);
            if let Err(trouble) = advanced {
                return LoopEnd::Trouble(trouble);
            }
            if samples.stop_wanted() {
                return LoopEnd::Stopped;
            }
            *time_ns = next_ns;
        }
        LoopEnd::Reached
    }

    /// Appends the present commands and readings for rows that were just recorded.
    pub fn sign_rows(&mut self, time_ns: i64, rows: usize, signals: &mut Vec<f64>) {
        let width = self.signals().len();
        if rows == 0 || width == 0 {
            return;
        }
        let first = signals.len();
        signals.resize(first + width, f64::NAN);
        self.write_signals(time_ns, &mut signals[first..]);
        for _ in 1..rows {
            signals.extend_from_within(first..first + width);
        }
    }
}

/// As the lab computes instants.
fn seconds(ns: i64) -> f64 {
    ns as f64 * 1e-9
}
