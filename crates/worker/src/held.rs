//! A loaded world in a worker, with its buffers.

use crate::looped::HeldLoop;
use crate::message;
use crate::wire::Writer;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use veracity_engine::{BodyState, Capabilities, Inputs, Samples, Simulation};
use veracity_model::World;

/// A loaded world with its buffers.
pub struct Held {
    /// The simulation.
    pub simulation: Box<dyn Simulation>,
    /// The world that was loaded.
    pub world: World,
    /// Capabilities of its engine under its settings.
    pub capabilities: Capabilities,
    /// A control loop handed over by the host.
    pub looped: Option<HeldLoop>,
    /// Rows of a request.
    pub samples: Samples,
    /// Inputs of a request.
    pub inputs: Inputs,
    /// What the host does not need in the state: 1 for the motion of bodies.
    pub spared: u64,
    bodies: Vec<BodyState>,
    gaps: Vec<f64>,
}

impl Held {
    /// Just loaded.
    pub fn new(simulation: Box<dyn Simulation>, world: World, capabilities: Capabilities) -> Self {
        let layout = simulation.layout();
        let still = BodyState {
            world_from_body: veracity_model::Pose::identity(),
            angular_velocity: veracity_model::Vec3::zeros(),
            linear_velocity: veracity_model::Vec3::zeros(),
        };
        let (bodies, pairs) = (layout.bodies.len(), layout.pairs.len());
        Self {
            samples: Samples::none(layout),
            inputs: Inputs::none(layout.dof_count()),
            bodies: vec![still; bodies],
            gaps: vec![f64::NAN; pairs],
            spared: 0,
            simulation,
            world,
            capabilities,
            looped: None,
        }
    }

    /// Clears the rows for a new request.
    pub fn begin_rows(&mut self, stop: &Arc<AtomicBool>, every_ns: i64, next: i64) {
        if self.samples.plan()[0] != every_ns {
            self.samples = Samples::new(self.simulation.layout(), every_ns, 0);
        }
        let samples = &mut self.samples;
        samples.set_stop(Arc::clone(stop));
        samples.go_on(next);
        let track = &mut samples.track;
        for column in
            [&mut track.times, &mut track.q, &mut track.v, &mut track.efforts, &mut track.poses, &mut track.twists]
        {
            column.clear();
        }
        track.gaps.clear();
        samples.contacts.clear();
        samples.energies.clear();
        samples.residuals.clear();
    }

    /// Appends the state.
    pub fn write_state(&mut self, out: &mut Writer) {
        let simulation = &mut self.simulation;
        out.real(simulation.time());
        let totals = simulation.totals();
        for count in [totals.steps, totals.evaluations, totals.rejected] {
            out.whole(count);
        }
        out.reals(simulation.q());
        out.reals(simulation.v());
        if self.spared & 1 == 0 {
            simulation.bodies(&mut self.bodies);
            out.whole(13 * self.bodies.len() as u64);
            self.bodies.iter().for_each(|body| out.plain(&message::thirteen(body)));
        } else {
            out.whole(0);
        }
        simulation.gaps(&mut self.gaps);
        out.reals(&self.gaps);
        simulation.least_gaps(&mut self.gaps);
        out.reals(&self.gaps);
    }
}
