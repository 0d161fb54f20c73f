//! A simulation in a worker, under the contract.
//!
//! What the last answer said of the state is kept here, so that looking costs nothing. A worker that died leaves the state as
//! it last was; every later call says what it died of.

use crate::host::engine::{Pool, hold, refused};
use crate::host::process::{Death, Process};
use crate::host::rows::{self, Asked, Left, Mark};
use crate::host::said::line;
use crate::message::{self, DONE, Operation, REFUSED, State, TROUBLE};
use crate::wire::{Malformed, Reader, Writer};
use std::sync::{Arc, Mutex};
use veracity_engine::{
    Advance, BodyState, Guard, GuardHit, Inputs, LoadError, Logged, LoopEnd, LoopRun, Samples, Simulation, Totals,
    Trouble, helpers,
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
    /// The state of an answer until it is believed.
    incoming: State,
    /// Whether the motion of bodies in it is that of the present, and whether somebody looked at it since the last answer.
    bodies_known: bool,
    bodies_wanted: bool,
    /// The pool counts this world.
    counted: bool,
    /// The worker's number in the system, lent to the thread that loaded this.
    helper: u32,
    /// What the worker died of, or was ended for, during an advance.
    lost: Option<String>,
}

/// What is known of its worker.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Name of the engine.
    pub engine: &'static str,
    /// Whether it takes control loops over.
    pub takes_loops: bool,
}

/// What a reply to an advance was.
enum Answer<T> {
    Done(T),
    Trouble(Trouble),
}

impl RemoteSimulation {
    /// Not yet loaded there.
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

    /// It was not loaded: nothing to unload or to give back.
    pub fn forget(&mut self) {
        self.counted = false;
    }

    /// Takes the state at the end of a reply.
    pub fn read_state(&mut self, r: &mut Reader) -> Result<(), Malformed> {
        self.bodies_known = self.state.read(r)?;
        believable(&self.state, self.bodies_known)?;
        r.end()
    }

    /// Asks, and takes the answer apart; an answer that makes no sense ends the worker.
    fn ask<T>(
        &self,
        operation: Operation,
        write: impl FnOnce(&mut Writer),
        stop_wanted: impl Fn() -> bool,
        read: impl FnOnce(&mut Reader) -> Result<T, Malformed>,
    ) -> Result<T, Death> {
        let mut process = hold(&self.process);
        // Who looked at bodies after the last step will after the next: they are asked for with it. Others need not be sent.
        process.spared = u64::from(!self.bodies_wanted);
        let understood = {
            let mut r = process.ask(operation, self.world, write, stop_wanted)?;
            read(&mut r)
        };
        understood.map_err(|what| process.nonsense(&what))
    }

    /// An advance of any kind: with the state in the answer. `rest` reads what stands before the state, and is told whether the
    /// advance was done; `check` holds where it stands now to what was asked, and says whether the motion goes on from there. An
    /// answer that makes no sense changes nothing here.
    fn advance_by<T>(
        &mut self,
        operation: Operation,
        write: impl FnOnce(&mut Writer),
        stop_wanted: impl Fn() -> bool,
        read: impl FnOnce(&mut Reader) -> Result<T, Malformed>,
        rest: impl FnOnce(&mut Reader, Option<&T>) -> Result<(), Malformed>,
        check: impl FnOnce(f64, Option<&T>) -> Result<bool, Malformed>,
    ) -> Result<T, Trouble> {
        let mut incoming = std::mem::take(&mut self.incoming);
        let answer = self.ask(operation, write, stop_wanted, |r| {
            let answer = match r.whole()? {
                DONE => Answer::Done(read(r)?),
                TROUBLE => {
                    let (time, reason) = (r.real()?, line(r.text()?));
                    Answer::Trouble(Trouble { time, reason })
                }
                other => return Err(format!("status {other}")),
            };
            let done = match &answer {
                Answer::Done(done) => Some(done),
                Answer::Trouble(_) => None,
            };
            rest(r, done)?;
            let told = incoming.read(r)?;
            r.end()?;
            // Where a motion ended in the engine's own trouble there may be no numbers any more.
            let goes_on = check(incoming.time, done)? && done.is_some();
            if goes_on && is_finite(&incoming) {
                believable(&incoming, told)?;
            }
            Ok((answer, told, goes_on))
        });
        self.incoming = incoming;
        match answer {
            Ok((answer, told, goes_on)) => {
                std::mem::swap(&mut self.state, &mut self.incoming);
                (self.bodies_known, self.bodies_wanted) = (told, false);
                match answer {
                    Answer::Done(_) if goes_on && !is_finite(&self.state) => {
                        let reason = "the engine's state contains NaN or infinity".to_string();
                        Err(Trouble { time: self.state.time, reason })
                    }
                    Answer::Done(done) => Ok(done),
                    Answer::Trouble(trouble) => Err(trouble),
                }
            }
            Err(Death(reason)) => {
                self.lost = Some(reason.clone());
                Err(Trouble { time: self.state.time, reason })
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
        let mut told = self.bodies_known;
        let answer = self.ask(
            operation,
            write,
            || false,
            |r| match r.whole()? {
                DONE => {
                    let number = if with_number { r.real()? } else { 0.0 };
                    told = state.read(r)?;
                    believable(&state, told)?;
                    r.end()?;
                    Ok(Ok(number))
                }
                REFUSED => Ok(Err(refused(r, self.about.engine)?)),
                other => Err(format!("status {other}")),
            },
        );
        self.state = state;
        self.bodies_known = told;
        answer.unwrap_or_else(|Death(why)| Err(LoadError::Other(why)))
    }

    /// A question whose answer may be missing: the worker died, and the next advance says so.
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

    /// Asks for the whole state. Of a worker that died what was last known stays.
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

/// Whether positions and velocities are numbers.
fn is_finite(state: &State) -> bool {
    state.q.iter().chain(&state.v).all(|x| x.is_finite())
}

/// A state that no engine can mean is no answer.
fn believable(state: &State, told: bool) -> Result<(), Malformed> {
    if !state.time.is_finite() || !is_finite(state) {
        return Err("a state that contains NaN or infinity".to_string());
    }
    let bodies = if told { state.bodies.as_chunks::<13>().0 } else { &[] };
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
            // A worker that died in between holds no world any more.
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

    fn step(&mut self, inputs: &Inputs, limit_s: f64) -> Result<Advance, Trouble> {
        let write = |out: &mut Writer| {
            message::write_inputs(inputs, out);
            out.real(limit_s);
        };
        let before_s = self.state.time;
        let check = |time: f64, _: Option<&Advance>| {
            let fine = time.is_finite() && time >= before_s;
            if fine { Ok(true) } else { Err(format!("a step from {before_s} s came to {time} s")) }
        };
        self.advance_by(Operation::Step, write, || false, message::read_advance, |_, _| Ok(()), check)
    }

    fn advance(&mut self, until: f64, inputs: &Inputs, samples: &mut Samples) -> Result<Advance, Trouble> {
        let [every_ns, next] = samples.plan();
        let write = |out: &mut Writer| {
            message::write_inputs(inputs, out);
            out.real(until);
            out.signed(every_ns);
            out.signed(next);
        };
        // Somebody may want a stop before anything began: then nothing begins.
        if samples.stop_wanted() {
            return Ok(Advance::default());
        }
        let stop = samples.stop_flag();
        let stop_wanted = || stop.as_ref().is_some_and(|s| s.load(std::sync::atomic::Ordering::Relaxed));
        let (mark, mut left) = (Mark::of(samples), Left::default());
        let asked = Asked { every_ns, next, before_s: self.state.time, until_s: until };
        let reached = |done: Option<&Advance>| done.is_some() && !stop_wanted();
        let rest = |r: &mut Reader, done: Option<&Advance>| {
            left = rows::read(r, samples, &asked, reached(done))?;
            Ok(())
        };
        let check = |time: f64, done: Option<&Advance>| asked.hold(time, reached(done)).map(|()| true);
        let advanced = self.advance_by(Operation::Advance, write, stop_wanted, message::read_advance, rest, check);
        if self.lost.is_some() {
            mark.take_back(samples);
            left = Left::default();
        }
        samples.go_on(next + left.rows as i64);
        // What the engine itself says of its trouble comes first.
        match left.trouble {
            Some(trouble) if advanced.is_ok() => Err(trouble),
            _ => advanced,
        }
    }

    fn advance_until(&mut self, until: f64, guards: &[Guard], inputs: &Inputs) -> Result<Option<GuardHit>, Trouble> {
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
        let asked = Asked { every_ns: 0, next: 0, before_s: self.state.time, until_s: until };
        let check =
            |time: f64, done: Option<&Option<GuardHit>>| asked.hold(time, matches!(done, Some(None))).map(|()| true);
        self.advance_by(Operation::AdvanceUntil, write, || false, read, |_, _| Ok(()), check)
    }

    fn snapshot(&self, out: &mut Vec<u8>) {
        let bytes = self.look(Operation::Snapshot, |_| {}, |r| r.blob().map(<[u8]>::to_vec));
        // Of a worker that died there is none: nothing is written, and no engine takes that for a snapshot.
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
        let (told, energy) = self.look(Operation::Energy, |_| {}, |r| Ok((r.whole()?, r.real()?)))?;
        (told == 1).then_some(energy)
    }

    fn warnings(&self, out: &mut Vec<String>) {
        let list = self.look(
            Operation::Warnings,
            |_| {},
            |r| serde_json::from_str::<Vec<String>>(r.text()?).map_err(|e| line(&e.to_string())),
        );
        // More than this nobody reads.
        out.extend(list.unwrap_or_default().iter().take(1000).map(|text| line(text)));
    }

    fn take_loop(&mut self, tables: &str) -> bool {
        let read = |r: &mut Reader| match r.whole()? {
            DONE => Ok(true),
            // Built here it is sound, there it is not: then it stays here.
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
                return Err(format!("from {time_ns} ns to {until_ns} ns a loop came to {} ns", after.0));
            }
            Ok(end)
        };
        let (mark, mut left) = (Mark::of(samples), Left::default());
        let asked = Asked { every_ns, next, before_s: self.state.time, until_s: until_ns as f64 * 1e-9 };
        let reached = |end: Option<&LoopEnd>| end == Some(&LoopEnd::Reached);
        let rest = |r: &mut Reader, end: Option<&LoopEnd>| {
            left = rows::read(r, samples, &asked, reached(end))?;
            Ok(())
        };
        let check = |time: f64, end: Option<&LoopEnd>| asked.hold(time, reached(end)).map(|()| reached(end));
        let ended = self.advance_by(Operation::RunLoop, write, stop_wanted, read, rest, check);
        if self.lost.is_some() {
            mark.take_back(samples);
            signals.truncate(signed);
            left = Left::default();
        }
        samples.go_on(next + left.rows as i64);
        if let Some(trouble) = left.trouble {
            // Rows that were cut take their signals with them.
            let width = (signals.len() - signed) / left.came.max(1);
            signals.truncate(signed + left.rows * width);
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
