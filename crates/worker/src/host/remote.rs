//! A simulation in a worker, under the contract.
//!
//! The state of the last answer is kept here, so that reading it costs nothing. After a worker died its last state
//! stays readable; every later call returns the cause of its death.

use crate::host::engine::{Pool, hold, refused};
use crate::host::one_line::line;
use crate::host::process::{Death, Process};
use crate::host::rows::{self, Mark, Received, Requested};
use crate::message::{self, DONE, Operation, REFUSED, State, TROUBLE};
use crate::wire::{Malformed, Reader, Writer};
use std::sync::{Arc, Mutex};
use veracity_engine::{
    Advance, BodyState, Guard, GuardHit, Inputs, LoadError, Logged, LoopEnd, LoopRun, Samples, Simulation, StepError,
    Totals, helpers,
};
use veracity_model::Layout;
use veracity_record::{ContactSample, EventRules};

/// A world in a worker.
pub struct RemoteSimulation {
    about: About,
    layout: Layout,
    process: Arc<Mutex<Process>>,
    pool: Pool,
    world: u64,
    state: State,
    /// The state of an answer until it is validated.
    incoming: State,
    /// Whether its motion of bodies is current, and whether a caller read it since the last answer.
    bodies_known: bool,
    bodies_wanted: bool,
    /// The pool counts this world.
    counted: bool,
    /// The worker's process id, registered for the thread that loaded this.
    helper: u32,
    /// Why the worker died, or was ended, during an advance.
    lost: Option<String>,
}

/// Properties of its worker.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Name of the engine.
    pub engine: &'static str,
    /// Whether it takes control loops over.
    pub takes_loops: bool,
}

/// Reply to an advance.
enum Answer<T> {
    Done(T),
    Trouble(StepError),
}

impl RemoteSimulation {
    /// Not yet loaded in the worker.
    pub fn new(
        about: About,
        layout: Layout,
        process: Arc<Mutex<Process>>,
        pool: Pool,
        (world, helper): (u64, u32),
    ) -> Self {
        let (bodies, pairs) = (layout.bodies.len(), layout.pairs.len());
        let state = State::new(layout.position_count, layout.dof_count(), bodies, pairs);
        helpers::lend(helper);
        Self {
            about,
            layout,
            process,
            pool,
            world,
            incoming: state.clone(),
            state,
            bodies_known: true,
            bodies_wanted: true,
            counted: true,
            helper,
            lost: None,
        }
    }

    /// Its number in its worker.
    pub fn number(&self) -> u64 {
        self.world
    }

    /// Marks it as not loaded: nothing to unload or to release.
    pub fn forget(&mut self) {
        self.counted = false;
    }

    /// Reads the state at the end of a reply.
    pub fn read_state(&mut self, r: &mut Reader) -> Result<(), Malformed> {
        self.bodies_known = self.state.read(r)?;
        believable(&self.state, self.bodies_known)?;
        r.end()
    }

    /// Sends a request and parses the answer; an invalid answer ends the worker.
    fn ask<T>(
        &self,
        operation: Operation,
        write: impl FnOnce(&mut Writer),
        stop_wanted: impl Fn() -> bool,
        read: impl FnOnce(&mut Reader) -> Result<T, Malformed>,
    ) -> Result<T, Death> {
        let mut process = hold(&self.process);
        // A caller that read bodies after the last step will do so after the next: only then are they sent along.
        process.spared = u64::from(!self.bodies_wanted);
        let understood = {
            let mut r = process.ask(operation, self.world, write, stop_wanted)?;
            read(&mut r)
        };
        understood.map_err(|what| process.nonsense(&what))
    }

    /// An advance of any kind: with the state in the answer. `rest` reads what precedes the state, and is given the
    /// result if the advance was done; `check` compares the time reached with the request, and returns whether the
    /// motion continues from there. An invalid answer changes nothing here.
    fn advance_by<T>(
        &mut self,
        operation: Operation,
        write: impl FnOnce(&mut Writer),
        stop_wanted: impl Fn() -> bool,
        read: impl FnOnce(&mut Reader) -> Result<T, Malformed>,
        rest: impl FnOnce(&mut Reader, Option<&T>) -> Result<(), Malformed>,
        check: impl FnOnce(f64, Option<&T>) -> Result<bool, Malformed>,
    ) -> Result<T, StepError> {
        let mut incoming = std::mem::take(&mut self.incoming);
        let answer = self.ask(operation, write, stop_wanted, |r| {
            let answer = match r.whole()? {
                DONE => Answer::Done(read(r)?),
                TROUBLE => {
                    let (time, reason) = (r.real()?, line(r.text()?));
                    Answer::Trouble(StepError { time, reason })
                }
                other => return Err(format!("status {other}")),
            };
            let done = match &answer {
                Answer::Done(done) => Some(done),
                Answer::Trouble(_) => None,
            };
            rest(r, done)?;
            let has_bodies = incoming.read(r)?;
            r.end()?;
            // After trouble reported by the engine the state may contain NaN.
            let goes_on = check(incoming.time, done)? && done.is_some();
            if goes_on && is_finite(&incoming) {
                believable(&incoming, has_bodies)?;
            }
            Ok((answer, has_bodies, goes_on))
        });
        self.incoming = incoming;
        match answer {
            Ok((answer, has_bodies, goes_on)) => {
                std::mem::swap(&mut self.state, &mut self.incoming);
                (self.bodies_known, self.bodies_wanted) = (has_bodies, false);
                match answer {
                    Answer::Done(_) if goes_on && !is_finite(&self.state) => {
                        let reason = "the engine's state contains NaN or infinity".to_string();
                        Err(StepError { time: self.state.time, reason })
                    }
                    Answer::Done(done) => Ok(done),
                    Answer::Trouble(trouble) => Err(trouble),
                }
            }
            Err(Death(reason)) => {
                self.lost = Some(reason.clone());
                Err(StepError { time: self.state.time, reason })
            }
        }
    }

    /// A request that the worker may refuse: with the state in the answer.
    fn set_by(
        &mut self,
        operation: Operation,
        write: impl FnOnce(&mut Writer),
        with_number: bool,
    ) -> Result<f64, LoadError> {
        let mut state = std::mem::take(&mut self.state);
        let mut has_bodies = self.bodies_known;
        let answer = self.ask(
            operation,
            write,
            || false,
            |r| match r.whole()? {
                DONE => {
                    let number = if with_number { r.real()? } else { 0.0 };
                    has_bodies = state.read(r)?;
                    believable(&state, has_bodies)?;
                    r.end()?;
                    Ok(Ok(number))
                }
                REFUSED => Ok(Err(refused(r, self.about.engine)?)),
                other => Err(format!("status {other}")),
            },
        );
        self.state = state;
        self.bodies_known = has_bodies;
        answer.unwrap_or_else(|Death(why)| Err(LoadError::Other(why)))
    }

    /// A query whose answer is `None` if the worker died; the next advance reports it.
    fn look<T>(
        &self,
        operation: Operation,
        write: impl FnOnce(&mut Writer),
        read: impl FnOnce(&mut Reader) -> Result<T, Malformed>,
    ) -> Option<T> {
        let read = |r: &mut Reader| match r.whole()? {
            DONE => {
                let answer = read(r)?;
                r.end()?;
                Ok(answer)
            }
            other => Err(format!("status {other}")),
        };
        self.ask(operation, write, || false, read).ok()
    }

    /// Requests the whole state. If the worker died, the last known state stays.
    fn look_again(&mut self) {
        let mut state = std::mem::take(&mut self.state);
        let known = self.look(Operation::State, |_| {}, |r| state.read(r));
        self.state = state;
        self.bodies_known = known == Some(true);
    }

    fn six_each(&self, operation: Operation, inputs: &Inputs, out: &mut [([f64; 3], [f64; 3])]) -> bool {
        let answer =
            self.look(operation, |w| message::write_inputs(inputs, w), |r| Ok((r.whole()? == 1, r.reals()?)));
        let Some((true, numbers)) = answer else { return false };
        if numbers.len() != 6 * out.len() {
            return false;
        }
        for (out, six) in out.iter_mut().zip(numbers.as_chunks::<6>().0) {
            *out = ([six[0], six[1], six[2]], [six[3], six[4], six[5]]);
        }
        true
    }
}

/// Whether positions and velocities are finite.
fn is_finite(state: &State) -> bool {
    state.q.iter().chain(&state.v).all(|x| x.is_finite())
}

/// Rejects an impossible state.
fn believable(state: &State, has_bodies: bool) -> Result<(), Malformed> {
    if !state.time.is_finite() || !is_finite(state) {
        return Err("a state that contains NaN or infinity".to_string());
    }
    let bodies = if has_bodies { state.bodies.as_chunks::<13>().0 } else { &[] };
    if bodies.iter().flatten().any(|x| !x.is_finite()) {
        return Err("bodies whose motion contains NaN or infinity".to_string());
    }
    match bodies.iter().find_map(|b| rows::norm_fault(&[b[3], b[4], b[5], b[6]])) {
        Some(fault) => Err(fault),
        None => Ok(()),
    }
}

impl Drop for RemoteSimulation {
    fn drop(&mut self) {
        helpers::give_back(self.helper);
        if self.counted {
            // A worker that has died holds no world any more.
            let _ = self.look(Operation::Unload, |_| {}, |_| Ok(()));
            self.pool.give_back(&self.process);
        }
    }
}

impl Simulation for RemoteSimulation {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn time(&self) -> f64 {
        self.state.time
    }

    fn q(&self) -> &[f64] {
        &self.state.q
    }

    fn v(&self) -> &[f64] {
        &self.state.v
    }

    fn set_state(&mut self, time: f64, q: &[f64], v: &[f64]) -> Result<f64, LoadError> {
        let write = |out: &mut Writer| {
            out.real(time);
            out.reals(q);
            out.reals(v);
        };
        self.set_by(Operation::SetState, write, true)
    }

    fn bodies(&mut self, out: &mut [BodyState]) {
        self.bodies_wanted = true;
        if !self.bodies_known {
            self.look_again();
        }
        out.iter_mut().enumerate().for_each(|(slot, body)| *body = self.state.body(slot));
    }

    fn step(&mut self, inputs: &Inputs, limit_s: f64) -> Result<Advance, StepError> {
        let write = |out: &mut Writer| {
            message::write_inputs(inputs, out);
            out.real(limit_s);
        };
        let before_s = self.state.time;
        let check = |time: f64, _: Option<&Advance>| {
            let fine = time.is_finite() && time >= before_s;
            if fine { Ok(true) } else { Err(format!("a step from {before_s} s ended at {time} s")) }
        };
        self.advance_by(Operation::Step, write, || false, message::read_advance, |_, _| Ok(()), check)
    }

    fn advance(&mut self, until: f64, inputs: &Inputs, samples: &mut Samples) -> Result<Advance, StepError> {
        let [every_ns, next] = samples.plan();
        let write = |out: &mut Writer| {
            message::write_inputs(inputs, out);
            out.real(until);
            out.signed(every_ns);
            out.signed(next);
        };
        // If a stop was requested before the start, nothing is sent.
        if samples.stop_wanted() {
            return Ok(Advance::default());
        }
        let stop = samples.stop_flag();
        let stop_wanted = || stop.as_ref().is_some_and(|s| s.load(std::sync::atomic::Ordering::Relaxed));
        let (mark, mut received) = (Mark::of(samples), Received::default());
        let asked = Requested { every_ns, next, before_s: self.state.time, until_s: until };
        let reached = |done: Option<&Advance>| done.is_some() && !stop_wanted();
        let rest = |r: &mut Reader, done: Option<&Advance>| {
            received = rows::read(r, samples, &asked, reached(done))?;
            Ok(())
        };
        let check = |time: f64, done: Option<&Advance>| asked.hold(time, reached(done)).map(|()| true);
        let advanced = self.advance_by(Operation::Advance, write, stop_wanted, message::read_advance, rest, check);
        if self.lost.is_some() {
            mark.take_back(samples);
            received = Received::default();
        }
        samples.go_on(next + received.rows as i64);
        // An error reported by the engine takes precedence.
        match received.trouble {
            Some(trouble) if advanced.is_ok() => Err(trouble),
            _ => advanced,
        }
    }

    fn advance_until(
        &mut self,
        until: f64,
        guards: &[Guard],
        inputs: &Inputs,
    ) -> Result<Option<GuardHit>, StepError> {
        let write = |out: &mut Writer| {
            message::write_inputs(inputs, out);
            out.real(until);
            message::write_guards(guards, out);
        };
        let read = |r: &mut Reader| {
            let (hit, guard, time, error) = (r.whole()? == 1, r.whole()? as usize, r.real()?, r.real()?);
            let hit = hit.then_some(GuardHit { guard, time, error });
            match hit {
                Some(hit) if hit.guard >= guards.len() || !hit.time.is_finite() => {
                    Err(format!("guard {guard} of {} was crossed at {time} s", guards.len()))
                }
                hit => Ok(hit),
            }
        };
        let asked = Requested { every_ns: 0, next: 0, before_s: self.state.time, until_s: until };
        let check =
            |time: f64, done: Option<&Option<GuardHit>>| asked.hold(time, matches!(done, Some(None))).map(|()| true);
        self.advance_by(Operation::AdvanceUntil, write, || false, read, |_, _| Ok(()), check)
    }

    fn snapshot(&self, out: &mut Vec<u8>) {
        let bytes = self.look(Operation::Snapshot, |_| {}, |r| r.blob().map(<[u8]>::to_vec));
        // If the worker died, nothing is written, which every engine rejects as a snapshot.
        out.extend(bytes.unwrap_or_default());
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), LoadError> {
        self.set_by(Operation::Restore, |out| out.blob(bytes), false).map(|_| ())
    }

    fn contacts(&self, out: &mut Vec<ContactSample>) {
        out.clear();
        let _ = self.look(Operation::Contacts, |_| {}, |r| message::read_contacts(r, out));
    }

    fn gaps(&mut self, out: &mut [f64]) {
        out.copy_from_slice(&self.state.gaps);
    }

    fn least_gaps(&self, out: &mut [f64]) {
        out.copy_from_slice(&self.state.least_gaps);
    }

    fn reactions(&mut self, inputs: &Inputs, out: &mut [([f64; 3], [f64; 3])]) -> bool {
        self.six_each(Operation::Reactions, inputs, out)
    }

    fn accelerations(&mut self, inputs: &Inputs, out: &mut [([f64; 3], [f64; 3])]) -> bool {
        self.six_each(Operation::Accelerations, inputs, out)
    }

    fn log_events(&mut self, rules: Option<EventRules>) -> bool {
        let write = |out: &mut Writer| {
            out.whole(rules.is_some().into());
            if let Some(rules) = &rules {
                message::write_rules(rules, out);
            }
        };
        self.look(Operation::LogEvents, write, |r| r.whole()).is_some_and(|kept| kept == 1)
    }

    fn take_events(&mut self, end: bool, out: &mut Vec<Logged>) {
        let _ = self.look(Operation::TakeEvents, |w| w.whole(end.into()), |r| message::read_events(r, out));
    }

    fn own_energy(&mut self) -> Option<f64> {
        let (reported, energy) = self.look(Operation::Energy, |_| {}, |r| Ok((r.whole()?, r.real()?)))?;
        (reported == 1).then_some(energy)
    }

    fn warnings(&self, out: &mut Vec<String>) {
        let list = self.look(
            Operation::Warnings,
            |_| {},
            |r| serde_json::from_str::<Vec<String>>(r.text()?).map_err(|e| line(&e.to_string())),
        );
        // More than this is not useful.
        out.extend(list.unwrap_or_default().iter().take(1000).map(|text| line(text)));
    }

    fn take_loop(&mut self, tables: &str) -> bool {
        let read = |r: &mut Reader| match r.whole()? {
            DONE => Ok(true),
            // The worker cannot build a loop that the host can: it stays on the host.
            REFUSED => Ok(false),
            other => Err(format!("status {other}")),
        };
        self.about.takes_loops
            && self.ask(Operation::TakeLoop, |out| out.text(tables), || false, read).unwrap_or(false)
    }

    fn run_loop(&mut self, run: LoopRun<'_>) -> LoopEnd {
        let LoopRun { time_ns, until_ns, memory, samples, signals } = run;
        if samples.stop_wanted() {
            return LoopEnd::Stopped;
        }
        let [every_ns, next] = samples.plan();
        let write = |out: &mut Writer| {
            [*time_ns, until_ns, every_ns, next].into_iter().for_each(|x| out.signed(x));
            out.blob(memory);
        };
        let stop = samples.stop_flag();
        let stop_wanted = || stop.as_ref().is_some_and(|s| s.load(std::sync::atomic::Ordering::Relaxed));
        let mut after = (0, Vec::new());
        let signed = signals.len();
        let read = |r: &mut Reader| {
            let end = message::read_loop_end(r)?;
            after = (r.signed()?, r.blob()?.to_vec());
            r.reals_onto(signals)?;
            if !(*time_ns..=until_ns).contains(&after.0) || (end == LoopEnd::Reached && after.0 != until_ns) {
                return Err(format!("a loop run from {time_ns} ns to {until_ns} ns ended at {} ns", after.0));
            }
            Ok(end)
        };
        let (mark, mut received) = (Mark::of(samples), Received::default());
        let asked = Requested { every_ns, next, before_s: self.state.time, until_s: until_ns as f64 * 1e-9 };
        let reached = |end: Option<&LoopEnd>| end == Some(&LoopEnd::Reached);
        let rest = |r: &mut Reader, end: Option<&LoopEnd>| {
            received = rows::read(r, samples, &asked, reached(end))?;
            Ok(())
        };
        let check = |time: f64, end: Option<&LoopEnd>| asked.hold(time, reached(end)).map(|()| reached(end));
        let ended = self.advance_by(Operation::RunLoop, write, stop_wanted, read, rest, check);
        if self.lost.is_some() {
            mark.take_back(samples);
            signals.truncate(signed);
            received = Received::default();
        }
        samples.go_on(next + received.rows as i64);
        if let Some(trouble) = received.trouble {
            // The signals of dropped rows are dropped too.
            let width = (signals.len() - signed) / received.came.max(1);
            signals.truncate(signed + received.rows * width);
            return match ended {
                Ok(end @ (LoopEnd::Trouble(_) | LoopEnd::Failed(_))) => end,
                Ok(_) => LoopEnd::Trouble(trouble),
                Err(trouble) => LoopEnd::Trouble(trouble),
            };
        }
        match ended {
            Ok(end) => {
                (*time_ns, *memory) = after;
                end
            }
            Err(trouble) => LoopEnd::Trouble(trouble),
        }
    }

    fn lost(&self) -> Option<String> {
        self.lost.clone().or_else(|| hold(&self.process).death().map(|Death(why)| why.clone()))
    }

    fn totals(&self) -> Totals {
        self.state.totals
    }
}
