//! A control loop that runs in the worker, with its engine.

use crate::message;
use crate::wire::{Malformed, Writer};
use veracity_control::{ControlLoop, Drive, LoopTables};
use veracity_engine::{Capabilities, Inputs, LoopEnd, Samples, Simulation};
use veracity_model::{Layout, World};

/// The loop, and the result of its last run.
pub struct HeldLoop {
    control: ControlLoop,
    inputs: Inputs,
    time_ns: i64,
    end: LoopEnd,
    memory: Vec<u8>,
    signals: Vec<f64>,
}

impl HeldLoop {
    /// Builds it from the text of its tables. Fails with a message if this worker cannot build it.
    pub fn build(text: &str, world: &World, layout: &Layout, capabilities: Capabilities) -> Result<Self, String> {
        let control = LoopTables::from_text(text)?.build(world, layout, capabilities).map_err(|e| e.to_string())?;
        let (memory, signals) = (Vec::new(), Vec::new());
        Ok(Self { inputs: control.inputs(), control, time_ns: 0, end: LoopEnd::Reached, memory, signals })
    }

    /// Runs from one instant to another [ns] with the memory of the host's loop; the memory of another loop is
    /// rejected.
    pub fn run(
        &mut self,
        [from_ns, until_ns]: [i64; 2],
        memory: &[u8],
        simulation: &mut dyn Simulation,
        samples: &mut Samples,
    ) -> Result<(), Malformed> {
        self.control.restore(memory).map_err(|e| e.to_string())?;
        self.inputs.clone_from(self.control.in_force());
        self.time_ns = from_ns;
        self.signals.clear();
        let Self { time_ns, inputs, signals, .. } = self;
        let run = Drive { time_ns, inputs, samples, signals };
        self.end = self.control.drive(simulation, run, until_ns);
        self.memory.clear();
        self.control.snapshot(&mut self.memory);
        Ok(())
    }

    /// Appends how and when it ended, the loop's memory, and the signals of the rows.
    pub fn write(&self, out: &mut Writer) {
        message::write_loop_end(&self.end, out);
        out.signed(self.time_ns);
        out.blob(&self.memory);
        out.reals(&self.signals);
    }
}
