//! A shim under the driver.

use crate::ffi::{self, Abilities, ShimSim, flags};
use crate::loads::{self, Loads};
use crate::motion::ForeignMotion;
use crate::progress;
use crate::scene::{Place, Scene};
use serde::{Deserialize, Serialize};
use veracity_collide::NamedPairs;
use veracity_engine::driver::{Looks, Present, StepSpan, Stepper};
use veracity_engine::events::Point;
use veracity_engine::start_state::{largest_change, unit_quaternions};
use veracity_engine::{BodyState, EventLog, Inputs, LoadError, SolverOutcome, StepError, Totals, Unsolved};
use veracity_model::{Layout, Vec3};
use veracity_record::ContactSample;

/// A shim's part of a simulation. Joints, bodies and pieces that the engine does not report are computed on demand.
pub(crate) struct ForeignStepper {
    pub(crate) place: Place,
    pub(crate) scene: Scene,
    pub(crate) abilities: Abilities,
    pub(crate) sim: ShimSim,
    pub(crate) named: NamedPairs,
    pub(crate) motion: ForeignMotion,
    pub(crate) loads: Loads,
    /// Motion of the bodies at the step's beginning, for the log.
    pub(crate) before: Vec<BodyState>,
    /// Points of the last step, if they were read.
    pub(crate) points: Vec<ffi::Contact>,
    /// Whether `points` are those of the last step.
    pub(crate) points_read: bool,
    /// Points of the last step if the engine was restored since: its own points are then not those.
    pub(crate) restored: Option<Vec<[f64; 12]>>,
    pub(crate) evaluations: u64,
    /// Steps whose solve did not reach its tolerance, as counted by the engine at the end of the last step.
    pub(crate) not_converged: u64,
}

/// Content of a snapshot.
#[derive(Serialize, Deserialize)]
struct Saved {
    q: Vec<f64>,
    v: Vec<f64>,
    evaluations: u64,
    contacts: Vec<[f64; 12]>,
    engine: Vec<u8>,
}

impl ForeignStepper {
    fn reduced(&self) -> bool {
        self.abilities.has(flags::REDUCED)
    }

    /// Reads the motion the engine reports; the rest is computed by [`Stepper::settle`].
    fn read_motion(&mut self) {
        let motion = &mut self.motion;
        self.sim.read(&mut motion.q, &mut motion.v, &mut motion.pieces);
        motion.stepped();
    }

    /// Whether gaps or events need joints and bodies at every step.
    fn looks_at_bodies(&self, looks: Looks) -> bool {
        let touches = self.scene.contact && !self.scene.touch.is_empty();
        looks.gaps || (looks.log && (touches || looks.joints))
    }

    fn read_points(&mut self) {
        if self.scene.contact && !self.points_read && self.restored.is_none() {
            self.sim.contacts(&mut self.points);
            self.points_read = true;
        }
    }

    /// Points of the last step as they are now.
    fn present_points(&self) -> Vec<ffi::Contact> {
        if let Some(saved) = &self.restored {
            return saved.iter().map(unflat).collect();
        }
        let mut points = Vec::new();
        if self.scene.contact {
            self.sim.contacts(&mut points);
        }
        points
    }
}

impl Stepper for ForeignStepper {
    fn layout(&self) -> &Layout {
        &self.place.layout
    }

    fn q(&self) -> &[f64] {
        &self.motion.q
    }

    fn v(&self) -> &[f64] {
        &self.motion.v
    }

    fn settle(&mut self) {
        self.motion.settle(&self.place, self.abilities.has(flags::REDUCED));
    }

    fn present(&mut self) -> Present<'_> {
        self.settle();
        Present { q: &self.motion.q, v: &self.motion.v, bodies: &self.motion.bodies }
    }

    fn set_state(&mut self, time: f64, q: &[f64], v: &[f64]) -> Result<f64, LoadError> {
        let unit = unit_quaternions(&self.place.layout, time, q, v)?;
        let mut wanted = self.motion.clone();
        wanted.q.copy_from_slice(&unit);
        wanted.v.copy_from_slice(v);
        wanted.place(&self.place);
        self.sim.set_state(time, &wanted.q, &wanted.v, &wanted.pieces).map_err(LoadError::State)?;
        self.motion = wanted;
        self.read_motion();
        self.settle();
        self.evaluations = 0;
        self.not_converged = self.sim.solver().not_converged;
        (self.restored, self.points_read) = (Some(Vec::new()), false);
        Ok(largest_change([&self.motion.q, &self.motion.v], [q, v]))
    }

    fn take_inputs(&mut self, time: f64, inputs: &Inputs) -> Result<(), StepError> {
        loads::check(&self.place, inputs).map_err(|reason| StepError { time, reason })
    }

    fn step(&mut self, inputs: &Inputs, span: &StepSpan, looks: Looks) -> Result<SolverOutcome, StepError> {
        let looks_at_bodies = self.looks_at_bodies(looks);
        if looks_at_bodies || self.loads.look_at_motion(inputs) {
            self.settle();
        }
        if looks.log && looks_at_bodies {
            self.before.clone_from(&self.motion.bodies);
        }
        self.loads.gather(&self.place, &self.scene, &self.motion, inputs);
        let loads = &self.loads;
        let stepped = self.sim.step(&loads.efforts, &loads.wrenches, loads.any, &loads.drives);
        stepped.map_err(|reason| StepError { time: span.begin, reason })?;
        (self.restored, self.points_read) = (None, false);
        progress::tell(span.count);
        let solver = self.sim.solver();
        self.evaluations += solver.iterations.max(1);
        let before = std::mem::replace(&mut self.not_converged, solver.not_converged);
        Ok(SolverOutcome {
            iterations: u32::try_from(solver.iterations).unwrap_or(u32::MAX),
            residual: solver.residual,
            not_converged: solver.not_converged.saturating_sub(before),
        })
    }

    fn read(&mut self, time: f64, looks: Looks) -> Result<(), StepError> {
        self.read_motion();
        if self.looks_at_bodies(looks) || (!self.reduced() && !self.motion.may_wait()) {
            self.settle();
        }
        // If the pieces may wait, the coordinates are those of an earlier step and still finite.
        if !self.motion.is_finite() {
            let reason = "the state is no longer finite; use a smaller step".to_string();
            return Err(StepError { time, reason });
        }
        Ok(())
    }

    fn measure_gaps(&mut self, out: &mut [f64]) {
        self.named.measure(out, |body| self.motion.bodies[body].world_from_body);
    }

    fn log_points(&mut self, time: f64, log: &mut EventLog) {
        self.read_points();
        if self.points_read {
            for contact in &self.points {
                let sample = sample_of(&self.scene, contact, time);
                log.point(&logged_point(&sample, &self.before, &self.motion.bodies));
            }
        }
    }

    /// Efforts of drives are those of the last step, or, where the engine implements drives, their law at its end.
    fn efforts(&mut self, inputs: &Inputs, out: &mut Vec<f64>) {
        out.clone_from(&inputs.efforts);
        for drive in &inputs.drives {
            if let Some(at) = self.place.layout.dof_position[drive.dof] {
                out[drive.dof] += if self.abilities.has(flags::DRIVES) {
                    drive.effort(self.motion.q[at], self.motion.v[drive.dof])
                } else {
                    self.loads.driven[drive.dof]
                };
            }
        }
    }

    fn prepare_contacts(&mut self) {
        self.read_points();
    }

    fn contacts(&self, time: f64, out: &mut Vec<ContactSample>) {
        if self.points_read {
            out.extend(self.points.iter().map(|c| sample_of(&self.scene, c, time)));
        } else {
            out.extend(self.present_points().iter().map(|c| sample_of(&self.scene, c, time)));
        }
    }

    fn energy(&mut self) -> Option<f64> {
        self.abilities.has(flags::ENERGY).then(|| self.sim.energy()).filter(|e| e.is_finite())
    }

    fn save(&self, out: &mut Vec<u8>) -> bool {
        if self.abilities.snapshot < 0.0 {
            return false;
        }
        let mut engine = Vec::new();
        self.sim.save(&mut engine);
        let (q, v, evaluations) = (self.motion.q.clone(), self.motion.v.clone(), self.evaluations);
        let contacts = self.present_points().iter().map(flat).collect();
        // Writing these types to memory cannot fail.
        let own = postcard::to_stdvec(&Saved { q, v, evaluations, contacts, engine });
        out.extend_from_slice(&own.expect("a snapshot can be written to memory"));
        true
    }

    fn restore(&mut self, _: f64, bytes: &[u8]) -> Result<(), LoadError> {
        let damaged = |e: postcard::Error| LoadError::Snapshot(format!("it is damaged ({e}): use another copy"));
        let own: Saved = postcard::from_bytes(bytes).map_err(damaged)?;
        self.sim.restore(&own.engine).map_err(LoadError::Snapshot)?;
        self.evaluations = own.evaluations;
        self.not_converged = self.sim.solver().not_converged;
        // Angles read from bodies continue from these.
        (self.motion.q, self.motion.v) = (own.q, own.v);
        (self.restored, self.points_read) = (Some(own.contacts), false);
        self.read_motion();
        self.settle();
        Ok(())
    }

    fn warnings(&self, steps: u64, out: &mut Vec<String>) {
        self.sim.warnings(out);
        let not_converged = self.sim.solver().not_converged;
        if not_converged > 0 {
            let unsolved = Unsolved { steps: not_converged, of: steps, first_s: None };
            out.push(format!("{unsolved}; give it more iterations, or use another solver"));
        }
        if !self.reduced() && self.scene.joints.iter().any(|j| j.kind != "free") {
            out.push(
                "joints are constraints between bodies: they may separate by an amount that depends on the step"
                    .to_string(),
            );
        }
    }

    fn totals(&self, steps: u64) -> Totals {
        Totals { steps, evaluations: self.evaluations, rejected: 0 }
    }
}

fn sample_of(scene: &Scene, contact: &ffi::Contact, time: f64) -> ContactSample {
    let slot = |shape: i32| usize::try_from(shape).ok().and_then(|s| scene.shapes.get(s)).map(|s| s.body as u32);
    ContactSample {
        time,
        body_a: slot(contact.a),
        body_b: slot(contact.b),
        point: contact.point,
        normal: contact.normal,
        gap: contact.gap,
        impulse: contact.impulse,
    }
}

fn flat(c: &ffi::Contact) -> [f64; 12] {
    let mut out = [0.0; 12];
    (out[0], out[1]) = (f64::from(c.a), f64::from(c.b));
    out[2..5].copy_from_slice(&c.point);
    out[5..8].copy_from_slice(&c.normal);
    out[8] = c.gap;
    out[9..].copy_from_slice(&c.impulse);
    out
}

fn unflat(x: &[f64; 12]) -> ffi::Contact {
    let three = |at: usize| [x[at], x[at + 1], x[at + 2]];
    ffi::Contact { a: x[0] as i32, b: x[1] as i32, point: three(2), normal: three(5), gap: x[8], impulse: three(9) }
}

/// A point in the form of the event log: its speeds are those of the bodies before and after the step, at the contact
/// point after it.
pub fn logged_point(sample: &ContactSample, before: &[BodyState], after: &[BodyState]) -> Point {
    let (point, normal) = (Vec3::from(sample.point), Vec3::from(sample.normal));
    let speed_of = |bodies: &[BodyState], slot: Option<u32>| match slot.and_then(|slot| bodies.get(slot as usize)) {
        None => Vec3::zeros(),
        Some(body) => {
            let arm = point - body.world_from_body.translation.vector;
            body.linear_velocity + body.angular_velocity.cross(&arm)
        }
    };
    let split = |bodies: &[BodyState]| {
        let relative = speed_of(bodies, sample.body_a) - speed_of(bodies, sample.body_b);
        let along = relative.dot(&normal);
        (along, (relative - along * normal).norm())
    };
    let ((approach, slide_before), (separation, slide)) = (split(before), split(after));
    let impulse = Vec3::from(sample.impulse);
    let normal_impulse = impulse.dot(&normal);
    Point {
        time: sample.time,
        bodies: [sample.body_a, sample.body_b],
        gap: sample.gap,
        approach,
        separation,
        slide_before,
        slide,
        normal_impulse,
        tangential_impulse: (impulse - normal_impulse * normal).into(),
        sticks: None,
        located: false,
    }
}
