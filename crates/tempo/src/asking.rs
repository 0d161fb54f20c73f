//! What clients ask, and the answers; and the two other ways to run: callback and replay.

use crate::coordinator::{Coordinator, Mode};
use crate::error::TempoError;
use crate::schedule::What;
use veracity_client::wire;

impl Coordinator {
    /// A client has notified us: deals with its question.
    pub(crate) fn answer(&mut self, i: usize) {
        if self.seats[i].ended || self.seats[i].asked {
            return;
        }
        self.drained(i);
        if self.seats[i].ended {
            return;
        }
        let page = &self.seats[i].process.page;
        let (ask, argument) = (page.get(wire::ASK), page.get(wire::ASK_ARGUMENT));
        page.set(wire::ASK, 0);
        self.seats[i].asked = true;
        if self.mode == Mode::Replay {
            // The recorded schedule answers, not we.
            self.seats[i].process.page.set(wire::ASK, ask);
            return;
        }
        match ask {
            wire::ASK_WAIT => self.begins_to_wait(i),
            wire::ASK_WAIT_UNTIL => {
                let mut until = (argument as i64).clamp(0, i64::MAX / 4);
                // An alarm ends a sleep.
                if let Some(want) = self.seats[i].earliest_want_ns().filter(|_| self.seats[i].is_unmodified()) {
                    until = until.min(want);
                }
                self.ends_activation(i);
                self.waits(i, until);
            }
            wire::ASK_FLUSH => self.goes_on(i),
            wire::ASK_PLAN => {
                if argument as usize > wire::PLAN_NUMBERS {
                    return self
                        .put_out(i, format!("it wrote garbage into shared memory: a plan of {argument} numbers"));
                }
                let now = self.leaves[i].progress_ns;
                self.takes_plan(i, argument as usize, now);
                self.goes_on(i);
            }
            wire::ASK_THREAD => {
                let what =
                    "it starts threads: unsupported in a callback, where nobody can tell when all of them are done";
                self.put_out(i, what.to_string());
            }
            other => self.put_out(i, format!("it wrote garbage into shared memory: question {other} does not exist")),
        }
    }

    fn goes_on(&mut self, i: usize) {
        self.seats[i].asked = false;
        self.seats[i].process.go();
    }

    fn waits(&mut self, i: usize, until_ns: i64) {
        self.leaves[i].waits_until_ns = Some(until_ns);
        self.tell(i, What::Wait { until_ns });
    }

    /// It is done with what it was activated for, and waits for the next activation or step.
    fn begins_to_wait(&mut self, i: usize) {
        self.ends_activation(i);
        // Without metering a client's own clock runs ahead of the world: the world's counts.
        let now = if self.mode == Mode::Callback { self.dynamics_ns } else { self.leaves[i].progress_ns };
        let dynamics = self.dynamics_ns;
        let seat = &mut self.seats[i];
        if !seat.is_periodic() {
            let until = if self.mode == Mode::Callback { dynamics + 1 } else { dynamics };
            return self.waits(i, until);
        }
        let first = seat.activation == 0;
        let mut next = if first { seat.due_ns } else { seat.due_ns + seat.period_ns };
        while next + seat.period_ns <= now {
            next += seat.period_ns;
            seat.stats.skipped += 1;
        }
        (seat.due_ns, seat.active) = (next, true);
        self.waits(i, next);
    }

    fn ends_activation(&mut self, i: usize) {
        let progress = self.leaves[i].progress_ns;
        let seat = &mut self.seats[i];
        if !seat.active {
            return;
        }
        seat.active = false;
        // In a callback nothing moves while it computes: by that clock it is always in time. What it used is told.
        let response = match self.mode {
            Mode::Callback => seat.executed_ns() - seat.executed_at_wake_ns,
            _ => progress - seat.due_ns,
        };
        let stats = &mut seat.stats;
        stats.activations += 1;
        stats.worst_response_ns = stats.worst_response_ns.max(response);
        stats.total_response_ns += response;
        if response > seat.deadline_ns {
            stats.misses += 1;
            let late_ns = response - seat.deadline_ns;
            self.tell(i, What::Miss { late_ns });
        }
    }

    fn takes_plan(&mut self, i: usize, count: usize, now_ns: i64) {
        let seat = &mut self.seats[i];
        let at = seat.process.places.plan_out;
        let plan: Vec<f64> = (0..count).map(|n| seat.process.page.get_f64(at + n)).collect();
        seat.stats.plans += 1;
        let receivers = seat.plans_to.clone();
        // With the world standing still a plan arrives at once.
        let stamp = if self.mode == Mode::Callback { self.dynamics_ns } else { now_ns };
        for receiver in receivers {
            self.seats[receiver].plans.push_back((stamp, plan.clone()));
        }
        self.tell(i, What::Plan { ns: now_ns, count: count as u32 });
    }

    /// Callback mode: the world stands still at `time_ns` until the client waits again.
    pub(crate) fn call_back(&mut self, i: usize, time_ns: i64) -> Result<(), TempoError> {
        self.dynamics_ns = time_ns;
        if self.seats[i].ended {
            return Ok(());
        }
        // The first time it has only said hello: it comes to its first wait.
        while self.leaves[i].waits_until_ns.is_some_and(|until| until <= time_ns) {
            self.leaves[i].waits_until_ns = None;
            self.grant(i, time_ns);
            self.wake(i);
            if !self.wait_for_question(i)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Replay: every client does in this step what it did in the recorded one.
    pub(crate) fn replay_step(&mut self) -> Result<(), TempoError> {
        for i in 0..self.seats.len() {
            while let Some(event) = self.replay[i].front().copied().filter(|e| e.step <= self.step) {
                self.replay[i].pop_front();
                if self.seats[i].ended {
                    continue;
                }
                self.replay_event(i, event.what)?;
                self.events.push(event);
            }
        }
        Ok(())
    }

    fn replay_event(&mut self, i: usize, what: What) -> Result<(), TempoError> {
        if let What::Wake { due_ns, activation } = what {
            let page = &self.seats[i].process.page;
            page.set(wire::ACTIVATION, activation);
            page.set_i64(wire::ACTIVATION_NS, due_ns);
            page.set(wire::ASK, 0);
            self.leaves[i].waits_until_ns = None;
            self.goes_on(i);
            return Ok(());
        }
        if !self.wait_for_question(i)? {
            return Ok(());
        }
        let ask = self.seats[i].process.page.get(wire::ASK);
        let fits = match what {
            What::Wait { .. } => ask == wire::ASK_WAIT || ask == wire::ASK_WAIT_UNTIL,
            What::Observe => ask == wire::ASK_OBSERVE,
            What::Time { .. } => ask == wire::ASK_TIME,
            What::Command { .. } => ask == wire::ASK_COMMAND,
            What::Plan { .. } => ask == wire::ASK_PLAN,
            _ => false,
        };
        if !fits {
            let place = format!("clients/{}", self.seats[i].config.name);
            let why = format!(
                "it asks {ask} where the schedule has {what:?} in step {}; only a program that does the same for the same \
                 answers can be replayed",
                self.step
            );
            return Err(TempoError::new(place, why));
        }
        match what {
            // It stays asleep until its recorded wake-up.
            What::Wait { .. } => return Ok(()),
            What::Time { ns } => self.seats[i].process.page.set_i64(wire::ANSWER, ns),
            What::Command { ns } => self.seats[i].restamp_last(ns),
            What::Plan { ns, count } => {
                let given = self.seats[i].process.page.get(wire::ASK_ARGUMENT);
                if given != u64::from(count) {
                    let place = format!("clients/{}", self.seats[i].config.name);
                    return Err(TempoError::new(
                        place,
                        format!("its plan has {given} numbers, the recorded one {count}"),
                    ));
                }
                self.takes_plan(i, count as usize, ns);
                // The recorded event is told by whoever replays.
                self.events.pop();
            }
            _ => {}
        }
        self.goes_on(i);
        Ok(())
    }
}
