//! The clients' questions and their answers; callback mode and replay.

use crate::client_slot::{Activation, State, Wait};
use crate::coordinator::{Coordinator, Mode};
use crate::error::TempoError;
use crate::schedule::{EventKind, first_difference};
use veracity_client::wire;

impl Coordinator {
    /// A client has notified the coordinator: handles its question.
    pub(crate) fn answer(&mut self, i: usize) {
        if self.slots[i].has_ended() || self.slots[i].has_asked() {
            return;
        }
        self.drain_log(i);
        if self.slots[i].has_ended() {
            return;
        }
        let page = &self.slots[i].process.page;
        let (ask, argument) = (page.get(wire::ASK), page.get(wire::ASK_ARGUMENT));
        page.set(wire::ASK, 0);
        self.slots[i].state = State::Waiting(Wait::Answer);
        if self.mode == Mode::Replay {
            // The recorded schedule answers instead.
            self.slots[i].process.page.set(wire::ASK, ask);
            return;
        }
        match ask {
            wire::ASK_WAIT => self.start_waiting(i),
            wire::ASK_WAIT_UNTIL | wire::ASK_SLEEP | wire::ASK_POLL => {
                let mut until = (argument as i64).clamp(0, i64::MAX / 4);
                // An alarm ends a sleep.
                if let Some(want) = self.slots[i].earliest_wakeup_ns().filter(|_| self.slots[i].has_virtual_clocks())
                {
                    until = until.min(want);
                }
                // A sleep is a part of its activation.
                if ask == wire::ASK_WAIT_UNTIL || ask == wire::ASK_POLL && self.slots[i].link.is_some() {
                    self.end_activation(i);
                }
                let what = if ask == wire::ASK_POLL { Wait::Input } else { Wait::Time };
                self.set_wait(i, until, what);
            }
            wire::ASK_FLUSH => self.let_continue(i),
            wire::ASK_PLAN => {
                if argument as usize > wire::PLAN_NUMBERS {
                    return self
                        .terminate(i, format!("it wrote garbage into shared memory: a plan of {argument} numbers"));
                }
                let now = self.leaves[i].progress_ns;
                self.deliver_plan(i, argument as usize, now);
                self.let_continue(i);
            }
            wire::ASK_THREAD => {
                let what =
                    "it starts threads: unsupported in a callback, where it is unknown when all of them are done";
                self.terminate(i, what.to_string());
            }
            other => {
                self.terminate(i, format!("it wrote garbage into shared memory: question {other} does not exist"))
            }
        }
    }

    pub(crate) fn let_continue(&mut self, i: usize) {
        self.slots[i].state = State::Running;
        self.slots[i].process.go();
    }

    pub(crate) fn set_wait(&mut self, i: usize, until_ns: i64, what: Wait) {
        self.log_event(i, EventKind::Wait { until_ns });
        // One thread waits: others may compute meanwhile, and the detector finds out when none does.
        let is_question = matches!(what, Wait::Activation | Wait::Time | Wait::Input);
        if self.mode == Mode::Consistent && is_question && self.slots[i].has_threads() {
            self.slots[i].asked = Some((until_ns, what));
            self.slots[i].state = State::Running;
            return;
        }
        self.slots[i].state = State::Waiting(what);
        self.leaves[i].waits_until_ns = Some(until_ns);
    }

    /// It has completed its activation, and waits for the next activation or step.
    fn start_waiting(&mut self, i: usize) {
        let suspect_ns = self.end_activation(i);
        // Without metering the client's own clock runs ahead of the world, so the world's time is used.
        let now = if self.mode == Mode::Callback { self.dynamics_ns } else { self.leaves[i].progress_ns };
        let dynamics = self.dynamics_ns;
        let slot = &mut self.slots[i];
        if !slot.is_periodic() {
            let until = if self.mode == Mode::Callback { dynamics + 1 } else { dynamics };
            return self.set_wait(i, until, Wait::Time);
        }
        let period = slot.timing.period_ns;
        let mut next = slot.due_ns + period;
        if slot.activations_begun == 0 {
            next = slot.due_ns;
            while next < now && self.mode != Mode::Callback {
                next += period;
            }
            slot.first_due_ns = next;
        }
        while next + period <= now {
            next += period;
            slot.stats.skipped += 1;
            slot.stats.suspect_skipped += u64::from(next > now - suspect_ns);
        }
        slot.due_ns = next;
        self.set_wait(i, next, Wait::Activation);
    }

    /// Begins the activation a client waited for; returns its number and when it was due.
    pub(crate) fn begin_activation(&mut self, i: usize) -> (u64, i64) {
        let progress = self.leaves[i].progress_ns;
        let slot = &mut self.slots[i];
        slot.stats.worst_jitter_ns = slot.stats.worst_jitter_ns.max(progress - slot.due_ns);
        slot.activations_begun += 1;
        let executed_at_wake_ns = slot.account.executed_ns();
        slot.activation = Some(Activation { executed_at_wake_ns, over_budget: false, suspect_ns: 0 });
        slot.process.page.set(wire::ACTIVATION, slot.activations_begun);
        slot.process.page.set_i64(wire::ACTIVATION_NS, slot.due_ns);
        (slot.activations_begun, slot.due_ns)
    }

    /// Ends the activation in progress, if there is one. Returns by how much the host may have delayed it [ns].
    pub(crate) fn end_activation(&mut self, i: usize) -> i64 {
        let progress = self.leaves[i].progress_ns;
        let slot = &mut self.slots[i];
        let Some(activation) = slot.activation.take() else { return 0 };
        // In a callback the world stands still while the client computes, so it would always be in time. Its CPU time
        // is used instead.
        let response = match self.mode {
            Mode::Callback => slot.account.executed_ns() - activation.executed_at_wake_ns,
            _ => progress - slot.due_ns,
        };
        let stats = &mut slot.stats;
        stats.activations += 1;
        stats.worst_response_ns = stats.worst_response_ns.max(response);
        stats.total_response_ns += response;
        if response > slot.timing.deadline_ns {
            stats.misses += 1;
            let late_ns = response - slot.timing.deadline_ns;
            // Late without the suspected time as well, it is late by itself.
            stats.suspect_misses += u64::from(late_ns <= activation.suspect_ns);
            self.log_event(i, EventKind::Miss { late_ns });
        }
        activation.suspect_ns
    }

    fn deliver_plan(&mut self, i: usize, count: usize, now_ns: i64) {
        let plan = self.plan_of(i, count);
        let slot = &mut self.slots[i];
        slot.stats.plans += 1;
        let receivers = slot.plans_to.clone();
        // While the world stands still, a plan arrives at once.
        let stamp = if self.mode == Mode::Callback { self.dynamics_ns } else { now_ns };
        for receiver in receivers {
            self.slots[receiver].plans.push_back((stamp, plan.clone()));
        }
        self.log_event(i, EventKind::Plan { ns: now_ns, count: count as u32, values: plan.into() });
    }

    /// The plan a client is about to publish.
    fn plan_of(&self, i: usize, count: usize) -> Vec<f64> {
        let (page, at) = (&self.slots[i].process.page, self.slots[i].process.places.plan_out);
        (0..count).map(|n| page.get_f64(at + n)).collect()
    }

    /// In a replay, fails at the first number of a command or plan that differs from the recorded one.
    pub(crate) fn compare(&self, i: usize, what: &str, recorded: &[f64], now: &[f64]) -> Result<(), TempoError> {
        // A schedule of schema 1 has no numbers.
        let Some(place) = first_difference(recorded, now).filter(|_| !recorded.is_empty()) else { return Ok(()) };
        let config = &self.slots[i].config;
        let number = |list: &[f64]| list.get(place).map_or("missing".to_string(), |v| format!("{v:?}"));
        let channel = config.commands.get(place).filter(|_| what == "command");
        let channel = channel.map_or(format!("number {place}"), |name| name.to_string());
        Err(TempoError::new(
            format!("clients/{}", config.name),
            format!(
                "the replay diverges at step {} ({} s): {channel} of its {what} is {}, recorded {}; only a program that \
                 behaves the same for the same answers can be replayed",
                self.step,
                (self.dynamics_ns - self.delta.step_ns) as f64 * 1e-9,
                number(now),
                number(recorded)
            ),
        ))
    }

    /// Callback mode: stops the world at `time_ns` until the client waits again.
    pub(crate) fn run_callback(&mut self, i: usize, time_ns: i64) -> Result<(), TempoError> {
        self.dynamics_ns = time_ns;
        if self.slots[i].has_ended() {
            return Ok(());
        }
        if self.slots[i].link.is_some() {
            return self.run_linked_callback(i, time_ns);
        }
        // The first time it has only connected: it runs to its first wait.
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

    /// Replay: every client repeats in this step its recorded events.
    pub(crate) fn replay_step(&mut self) -> Result<(), TempoError> {
        for i in 0..self.slots.len() {
            while self.replay[i].front().is_some_and(|e| e.step <= self.step) {
                let Some(event) = self.replay[i].pop_front() else { break };
                if self.slots[i].has_ended() {
                    continue;
                }
                self.replay_event(i, &event.what)?;
                self.events.push(event);
            }
        }
        Ok(())
    }

    fn replay_event(&mut self, i: usize, what: &EventKind) -> Result<(), TempoError> {
        if self.slots[i].link.is_some() {
            return self.replay_linked(i, what);
        }
        if let EventKind::Wake { due_ns, activation } = *what {
            let page = &self.slots[i].process.page;
            page.set(wire::ACTIVATION, activation);
            page.set_i64(wire::ACTIVATION_NS, due_ns);
            page.set(wire::ASK, 0);
            self.leaves[i].waits_until_ns = None;
            self.let_continue(i);
            return Ok(());
        }
        if !self.wait_for_question(i)? {
            return Ok(());
        }
        let ask = self.slots[i].process.page.get(wire::ASK);
        let fits = match what {
            EventKind::Wait { .. } => ask == wire::ASK_WAIT || ask == wire::ASK_WAIT_UNTIL,
            EventKind::Observe => ask == wire::ASK_OBSERVE,
            EventKind::Time { .. } => ask == wire::ASK_TIME,
            EventKind::Command { .. } => ask == wire::ASK_COMMAND,
            EventKind::Plan { .. } => ask == wire::ASK_PLAN,
            _ => false,
        };
        if !fits {
            let place = format!("clients/{}", self.slots[i].config.name);
            let why = format!(
                "question {ask} where the schedule has {what:?} in step {}; only a program that behaves the same for the same \
                 answers can be replayed",
                self.step
            );
            return Err(TempoError::new(place, why));
        }
        match what {
            // It sleeps until its recorded wake-up.
            EventKind::Wait { .. } => return Ok(()),
            EventKind::Time { ns } => self.slots[i].process.page.set_i64(wire::ANSWER, *ns),
            EventKind::Command { ns, values } => {
                let now = self.slots[i].commanded.take().unwrap_or_default();
                self.compare(i, "command", values, &now)?;
                self.slots[i].commands.restamp_last(*ns);
            }
            EventKind::Plan { ns, count, values } => {
                let given = self.slots[i].process.page.get(wire::ASK_ARGUMENT);
                if given != u64::from(*count) {
                    let place = format!("clients/{}", self.slots[i].config.name);
                    return Err(TempoError::new(
                        place,
                        format!("its plan has {given} numbers, the recorded one {count}"),
                    ));
                }
                let now = self.plan_of(i, *count as usize);
                self.compare(i, "plan", values, &now)?;
                self.deliver_plan(i, *count as usize, *ns);
                // The replay adds the recorded event itself.
                self.events.pop();
            }
            _ => {}
        }
        self.let_continue(i);
        Ok(())
    }
}
