//! The simulation contract over a shim.

use crate::ffi::{self, Abilities, ShimSim, flags};
use crate::loads::{self, Loads};
use crate::motion::ForeignMotion;
use crate::progress;
use crate::scene::{Place, Scene};
use serde::{Deserialize, Serialize};
use veracity_collide::NamedPairs;
use veracity_engine::events::Point;
use veracity_engine::{
    Advance, BodyState, EventLog, Guard, GuardHit, Inputs, LoadError, Logged, Samples, SavedLog, Seal, Simulation,
    SolverOutcome, StepError, Totals, Unsolved, Watched,
};
use veracity_model::{JointKind, Layout, Vec3};
use veracity_record::{ContactSample, EventRules};

/// A shim's simulation under the contract. Advancing does not allocate.
pub struct ForeignSimulation {
    pub(crate) place: Place,
    pub(crate) scene: Scene,
    pub(crate) abilities: Abilities,
    pub(crate) seal: Seal,
    pub(crate) sim: ShimSim,
    pub(crate) step_s: f64,
    pub(crate) named: NamedPairs,
    pub(crate) motion: ForeignMotion,
    pub(crate) loads: Loads,
    pub(crate) start_s: f64,
    pub(crate) steps: u64,
    pub(crate) gaps: Vec<f64>,
    pub(crate) least_gaps: Vec<f64>,
    pub(crate) watched: Vec<f64>,
    pub(crate) events: EventLog,
    /// Motion of the bodies at the step's beginning, for the log.
    pub(crate) before: Vec<BodyState>,
    /// Points of the last step, if they were read.
    pub(crate) points: Vec<ffi::Contact>,
    /// Points of the last step if the engine was restored since: its own points are then not those.
    pub(crate) restored: Option<Vec<[f64; 12]>>,
    pub(crate) evaluations: u64,
}

/// Content of a snapshot.
#[derive(Serialize, Deserialize)]
struct Saved {
    start_s: f64,
    steps: u64,
    q: Vec<f64>,
    v: Vec<f64>,
    least_gaps: Vec<f64>,
    evaluations: u64,
    contacts: Vec<[f64; 12]>,
    events: Option<SavedLog>,
    engine: Vec<u8>,
}

impl ForeignSimulation {
    fn reduced(&self) -> bool {
        self.abilities.has(flags::REDUCED)
    }

    fn trouble(&self, reason: String) -> StepError {
        StepError { time: self.time(), reason }
    }

    /// Reads the motion the engine reports; the rest is computed by [`ForeignSimulation::settle`].
    fn read(&mut self) {
        let motion = &mut self.motion;
        self.sim.read(&mut motion.q, &mut motion.v, &mut motion.pieces);
        motion.stepped();
    }

    /// Brings joints, bodies and pieces up to date.
    fn settle(&mut self) {
        self.motion.settle(&self.place, self.abilities.has(flags::REDUCED));
    }

    /// Whether gaps or events need joints and bodies at every step.
    fn looks_at_every_step(&self) -> bool {
        let touches = self.scene.contact && !self.scene.touch.is_empty();
        !self.gaps.is_empty() || (self.events.is_on() && (touches || self.events.watches_joints()))
    }

    /// Settles after an advance, however it ended.
    fn settled<T>(&mut self, advanced: T) -> T {
        self.settle();
        advanced
    }

    fn one_step(&mut self, inputs: &Inputs) -> Result<(), StepError> {
        let looks = self.looks_at_every_step();
        if looks || self.loads.look_at_motion(inputs) {
            self.settle();
        }
        if self.events.is_on() {
            self.events.begin_step(self.time());
            if looks {
                self.before.clone_from(&self.motion.bodies);
            }
        }
        self.loads.gather(&self.place, &self.scene, &self.motion, inputs);
        let loads = &self.loads;
        let stepped = self.sim.step(&loads.efforts, &loads.wrenches, loads.any, &loads.drives);
        stepped.map_err(|reason| self.trouble(reason))?;
        self.steps += 1;
        self.restored = None;
        progress::tell(self.steps);
        self.read();
        if looks || (!self.reduced() && !self.motion.may_wait()) {
            self.settle();
        }
        // If the pieces may wait, the coordinates are those of an earlier step and still finite.
        if !self.motion.is_finite() {
            return Err(self.trouble("the state is no longer finite; use a smaller step".to_string()));
        }
        self.evaluations += self.sim.solver().iterations.max(1);
        if !self.gaps.is_empty() {
            self.measure_gaps();
            for (least, gap) in self.least_gaps.iter_mut().zip(&self.gaps) {
                *least = least.min(*gap);
            }
        }
        self.log_step();
        Ok(())
    }

    /// Reports the last step to the event log.
    fn log_step(&mut self) {
        if !self.events.is_on() {
            return;
        }
        let time = self.time();
        if self.scene.contact {
            self.sim.contacts(&mut self.points);
        }
        for contact in &self.points {
            let sample = sample_of(&self.scene, contact, time);
            self.events.point(&logged_point(&sample, &self.before, &self.motion.bodies));
        }
        self.events.end_step(time, &self.gaps, &self.motion.q, &self.motion.v);
    }

    fn measure_gaps(&mut self) {
        for (pair, gap) in self.gaps.iter_mut().enumerate() {
            *gap = self.named.gap(pair, |body| self.motion.bodies[body].world_from_body);
        }
    }

    /// Number of steps to a time.
    fn steps_to(&self, until: f64) -> Result<u64, StepError> {
        let wanted = (until - self.start_s) / self.step_s;
        let whole = wanted.round();
        if !(wanted - whole).abs().le(&1e-6) || whole < self.steps as f64 {
            let (step, start) = (self.step_s, self.start_s);
            return Err(self.trouble(format!(
                "{until} s is not a whole number of steps of {step} s ahead, counted from {start} s"
            )));
        }
        Ok(whole as u64 - self.steps)
    }

    /// Records the rows that are due.
    fn sample(&mut self, inputs: &Inputs, samples: &mut Samples) -> Result<(), StepError> {
        let time = self.time();
        if samples.due(time) {
            self.settle();
        }
        while samples.due(time) {
            let next = samples.next_time();
            if (next - time).abs() > 1e-6 * self.step_s + 1e-9 * time.abs() {
                let step = self.step_s;
                let text =
                    format!("a row at {next} s lies between steps of {step} s; record at multiples of the step");
                return Err(self.trouble(text));
            }
            // The requested instant, to the last bit.
            samples.push(next, &self.motion.q, &self.motion.v, &self.motion.bodies, &inputs.efforts, &self.gaps);
            self.add_drives(inputs, samples);
            if self.scene.contact {
                self.sim.contacts(&mut self.points);
                let scene = &self.scene;
                samples.contacts.extend(self.points.iter().map(|c| sample_of(scene, c, next)));
            }
            samples.energies.extend(self.energy());
            samples.taken();
        }
        Ok(())
    }

    /// Adds the efforts of drives to the row just recorded: their efforts in the last step, or, where the engine
    /// implements them, their law at its end.
    fn add_drives(&self, inputs: &Inputs, samples: &mut Samples) {
        let row = samples.track.efforts.len() - samples.track.nv;
        for drive in &inputs.drives {
            if let Some(at) = self.place.layout.dof_position[drive.dof] {
                let effort = if self.abilities.has(flags::DRIVES) {
                    drive.effort(self.motion.q[at], self.motion.v[drive.dof])
                } else {
                    self.loads.driven[drive.dof]
                };
                samples.track.efforts[row + drive.dof] += effort;
            }
        }
    }

    fn energy(&self) -> Option<f64> {
        self.abilities.has(flags::ENERGY).then(|| self.sim.energy()).filter(|e| e.is_finite())
    }

    fn outcome(&self, steps: u64, failed_before: u64) -> Advance {
        let solver = self.sim.solver();
        let iterations = u32::try_from(solver.iterations).unwrap_or(u32::MAX);
        let not_converged = solver.not_converged.saturating_sub(failed_before);
        Advance { steps, solver: SolverOutcome { iterations, residual: solver.residual, not_converged } }
    }

    fn watch(&self, watched: &Watched) -> Option<f64> {
        let body = |body: usize| self.motion.bodies.get(body);
        match *watched {
            Watched::Position(i) => self.motion.q.get(i).copied(),
            Watched::Speed(i) => self.motion.v.get(i).copied(),
            Watched::BodyCoordinate { body: b, axis } => {
                body(b)?.world_from_body.translation.vector.as_slice().get(axis).copied()
            }
            Watched::BodySpin { body: b, axis } => body(b)?.angular_velocity.as_slice().get(axis).copied(),
            Watched::Gap(pair) => self.gaps.get(pair).copied(),
        }
    }

    /// The state with normalised quaternions, or why it is invalid.
    fn normalised(&self, time: f64, q: &[f64], v: &[f64]) -> Result<Vec<f64>, LoadError> {
        let layout = &self.place.layout;
        let (nq, nv) = (layout.position_count, layout.dof_count());
        if q.len() != nq || v.len() != nv {
            let text =
                format!("it has {} positions and {} velocities; the world has {nq} and {nv}", q.len(), v.len());
            return Err(LoadError::State(text));
        }
        if !q.iter().chain(v).chain([&time]).all(|x| x.is_finite()) {
            return Err(LoadError::State("it contains NaN or infinity".to_string()));
        }
        let mut q = q.to_vec();
        for joint in &layout.joints {
            let at = match joint.kind {
                JointKind::Ball => joint.q,
                JointKind::Free => joint.q + 3,
                _ => continue,
            };
            let norm = q[at..at + 4].iter().map(|x| x * x).sum::<f64>().sqrt();
            if norm < 1e-6 {
                return Err(LoadError::State(format!("the quaternion of joint '{}' has zero length", joint.name)));
            }
            q[at..at + 4].iter_mut().for_each(|x| *x /= norm);
        }
        Ok(q)
    }

    /// Steps and records the rows that are due; returns the number of steps taken before a stop request.
    fn sampled_steps(&mut self, steps: u64, inputs: &Inputs, samples: &mut Samples) -> Result<u64, StepError> {
        for taken in 0..steps {
            if samples.stop_wanted() {
                return Ok(taken);
            }
            self.one_step(inputs)?;
            self.sample(inputs, samples)?;
        }
        Ok(steps)
    }

    /// Steps until a guard is crossed; of several in one step the first in the list counts. The time is where the
    /// straight line between the step's ends crosses the level.
    fn watched_steps(
        &mut self,
        until: f64,
        guards: &[Guard],
        inputs: &Inputs,
        watched: &mut Vec<f64>,
    ) -> Result<Option<GuardHit>, StepError> {
        for _ in 0..self.steps_to(until)? {
            watched.clear();
            watched.extend(guards.iter().map(|g| self.watch(&g.watched).unwrap_or(f64::NAN)));
            let before_s = self.time();
            self.one_step(inputs)?;
            self.settle();
            for (index, guard) in guards.iter().enumerate() {
                let (before, after) = (watched[index], self.watch(&guard.watched).unwrap_or(f64::NAN));
                if guard.crossed(before, after) {
                    let time = before_s + (guard.level - before) / (after - before) * self.step_s;
                    return Ok(Some(GuardHit { guard: index, time, error: 0.5 * self.step_s }));
                }
            }
        }
        Ok(None)
    }

    /// Points of the last step as they are now.
    fn present_points(&self) -> Vec<ffi::Contact> {
        if let Some(saved) = &self.restored {
            return saved.iter().map(unflat).collect();
        }
        let mut points = Vec::new();
        if self.scene.contact && self.steps > 0 {
            self.sim.contacts(&mut points);
        }
        points
    }
}

impl Simulation for ForeignSimulation {
    fn layout(&self) -> &Layout {
        &self.place.layout
    }

    fn time(&self) -> f64 {
        self.start_s + self.steps as f64 * self.step_s
    }

    fn q(&self) -> &[f64] {
        &self.motion.q
    }

    fn v(&self) -> &[f64] {
        &self.motion.v
    }

    fn set_state(&mut self, time: f64, q: &[f64], v: &[f64]) -> Result<f64, LoadError> {
        let unit = self.normalised(time, q, v)?;
        let mut wanted = self.motion.clone();
        wanted.q.copy_from_slice(&unit);
        wanted.v.copy_from_slice(v);
        wanted.place(&self.place);
        self.sim.set_state(time, &wanted.q, &wanted.v, &wanted.pieces).map_err(LoadError::State)?;
        self.motion = wanted;
        self.read();
        self.settle();
        (self.start_s, self.steps, self.evaluations) = (time, 0, 0);
        self.restored = Some(Vec::new());
        self.measure_gaps();
        self.least_gaps.copy_from_slice(&self.gaps);
        if self.events.is_on() {
            self.events.begin(time, &self.gaps, &self.motion.q, &self.motion.v);
        }
        let pairs = self.motion.q.iter().zip(q).chain(self.motion.v.iter().zip(v));
        Ok(pairs.fold(0.0, |most: f64, (a, b)| most.max((a - b).abs())))
    }

    fn bodies(&mut self, out: &mut [BodyState]) {
        out.copy_from_slice(&self.motion.bodies);
    }

    fn step(&mut self, inputs: &Inputs, limit_s: f64) -> Result<Advance, StepError> {
        veracity_engine::step_within(self.time(), self.step_s, limit_s)?;
        loads::check(&self.place, inputs).map_err(|reason| self.trouble(reason))?;
        let failed = self.sim.solver().not_converged;
        let stepped = self.one_step(inputs);
        self.settled(stepped)?;
        Ok(self.outcome(1, failed))
    }

    fn advance(&mut self, until: f64, inputs: &Inputs, samples: &mut Samples) -> Result<Advance, StepError> {
        loads::check(&self.place, inputs).map_err(|reason| self.trouble(reason))?;
        let failed = self.sim.solver().not_converged;
        let steps = self.steps_to(until)?;
        let taken = self.sampled_steps(steps, inputs, samples);
        let taken = self.settled(taken)?;
        Ok(self.outcome(taken, failed))
    }

    fn advance_until(
        &mut self,
        until: f64,
        guards: &[Guard],
        inputs: &Inputs,
    ) -> Result<Option<GuardHit>, StepError> {
        loads::check(&self.place, inputs).map_err(|reason| self.trouble(reason))?;
        for guard in guards {
            if self.watch(&guard.watched).is_none() {
                return Err(self.trouble(format!("a guard watches {:?}, which does not exist", guard.watched)));
            }
        }
        let mut watched = std::mem::take(&mut self.watched);
        let hit = self.watched_steps(until, guards, inputs, &mut watched);
        self.watched = watched;
        self.settled(hit)
    }

    fn snapshot(&self, out: &mut Vec<u8>) {
        if self.abilities.snapshot < 0.0 {
            return; // No snapshots; empty bytes are rejected on restore.
        }
        let mut engine = Vec::new();
        self.sim.save(&mut engine);
        let own = Saved {
            start_s: self.start_s,
            steps: self.steps,
            q: self.motion.q.clone(),
            v: self.motion.v.clone(),
            least_gaps: self.least_gaps.clone(),
            evaluations: self.evaluations,
            contacts: self.present_points().iter().map(flat).collect(),
            events: self.events.save(),
            engine,
        };
        // Writing these types to memory cannot fail.
        let bytes = postcard::to_stdvec(&own).expect("a snapshot can be written to memory");
        self.seal.wrap(out, |out| out.extend_from_slice(&bytes));
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), LoadError> {
        let damaged = |e: postcard::Error| LoadError::Snapshot(format!("it is damaged ({e}): use another copy"));
        let own: Saved = postcard::from_bytes(self.seal.open(bytes)?).map_err(damaged)?;
        self.events.fits(own.events.as_ref())?;
        self.sim.restore(&own.engine).map_err(LoadError::Snapshot)?;
        self.events.restore(own.events);
        (self.start_s, self.steps, self.evaluations) = (own.start_s, own.steps, own.evaluations);
        // Angles read from bodies continue from these.
        (self.motion.q, self.motion.v) = (own.q, own.v);
        self.least_gaps = own.least_gaps;
        self.restored = Some(own.contacts);
        self.read();
        self.settle();
        self.measure_gaps();
        Ok(())
    }

    fn contacts(&self, out: &mut Vec<ContactSample>) {
        out.clear();
        let time = self.time();
        out.extend(self.present_points().iter().map(|c| sample_of(&self.scene, c, time)));
    }

    fn gaps(&mut self, out: &mut [f64]) {
        out.copy_from_slice(&self.gaps);
    }

    fn least_gaps(&self, out: &mut [f64]) {
        out.copy_from_slice(&self.least_gaps);
    }

    fn log_events(&mut self, rules: Option<EventRules>) -> bool {
        self.events.switch(rules);
        if rules.is_some() {
            self.events.begin(self.time(), &self.gaps, &self.motion.q, &self.motion.v);
        }
        true
    }

    fn take_events(&mut self, end: bool, out: &mut Vec<Logged>) {
        self.events.take(end, out);
    }

    fn own_energy(&mut self) -> Option<f64> {
        self.energy()
    }

    fn warnings(&self, out: &mut Vec<String>) {
        self.sim.warnings(out);
        let steps = self.sim.solver().not_converged;
        if steps > 0 {
            let unsolved = Unsolved { steps, of: self.steps, first_s: None };
            out.push(format!("{unsolved}; give it more iterations, or use another solver"));
        }
        if !self.reduced() && self.scene.joints.iter().any(|j| j.kind != "free") {
            out.push(
                "joints are constraints between bodies: they may separate by an amount that depends on the step"
                    .to_string(),
            );
        }
    }

    fn totals(&self) -> Totals {
        Totals { steps: self.steps, evaluations: self.evaluations, rejected: 0 }
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
