//! Replay of a program with a link: it receives the recorded messages and times, and its commands are compared.

use crate::client_slot::State;
use crate::coordinator::Coordinator;
use crate::error::TempoError;
use crate::schedule::EventKind;
use veracity_client::wire;

/// Largest number of clock readings of a program that are recorded.
const MOST_READINGS: usize = 4 << 20;

impl Coordinator {
    /// Counts the clock readings among the events since `before`: too many are not recorded.
    pub(crate) fn count_readings(&mut self, i: usize, before: usize) {
        let progress = self.leaves[i].progress_ns;
        let Some(link) = &mut self.slots[i].link else { return };
        let read = self.events[before..].iter().filter(|e| matches!(e.what, EventKind::Time { .. })).count();
        let within = link.readings <= MOST_READINGS;
        link.readings += read;
        if within && link.readings > MOST_READINGS {
            self.slots[i].process.page.set(wire::LOGS_READINGS, 0);
            let what = "it reads its clock too often for that to be recorded: the run cannot be replayed";
            self.slots[i].record(progress, veracity_model::Severity::Note, "clock-not-recorded", what.to_string());
        }
    }

    /// Repeats a recorded event of a client with a link.
    pub(crate) fn replay_linked(&mut self, i: usize, what: &EventKind) -> Result<(), TempoError> {
        let diverges = |coordinator: &Self, why: &str| {
            let place = format!("clients/{}", coordinator.slots[i].config.name);
            let why = format!(
                "the replay diverges at step {}: {why} where the schedule has {what:?}; only a program that behaves the \
                 same for the same messages and times can be replayed",
                coordinator.step
            );
            Err(TempoError::new(place, why))
        };
        if self.slots[i].has_threads() {
            return diverges(self, "it has threads, whose order is not recorded,");
        }
        match what {
            EventKind::Deliver { .. } => {
                let slot = &mut self.slots[i];
                if let Some(Err(why)) = slot.link.as_mut().map(|link| link.send(&slot.process)) {
                    self.terminate(i, why);
                }
            }
            EventKind::Wait { .. } => {
                self.wait_until_idle(i)?;
                let ask = self.slots[i].process.page.get(wire::ASK);
                if self.slots[i].has_asked() && !matches!(ask, wire::ASK_SLEEP | wire::ASK_POLL) {
                    return diverges(self, "it does not wait");
                }
            }
            EventKind::Wake { .. } if self.slots[i].has_asked() => {
                self.slots[i].process.page.set(wire::ASK, 0);
                self.let_continue(i);
            }
            EventKind::Wake { .. } if !self.slots[i].has_ended() => self.slots[i].state = State::Running,
            EventKind::Time { ns } => {
                if !self.wait_until_idle(i)? {
                    return Ok(());
                }
                let page = &self.slots[i].process.page;
                if !self.slots[i].has_asked() || page.get(wire::ASK) != wire::ASK_TIME {
                    let what = if self.slots[i].has_asked() { "it waits" } else { "it waits for a message" };
                    return diverges(self, what);
                }
                page.set_i64(wire::ANSWER, *ns);
                page.set(wire::ASK, 0);
                self.let_continue(i);
            }
            EventKind::Command { ns, values } => {
                let arrived = |coordinator: &mut Self| {
                    coordinator.drain_log(i);
                    coordinator.slots[i].link.as_mut().and_then(|link| link.arrived.pop_front())
                };
                let mut now = arrived(self);
                if now.is_none() && self.wait_until_idle(i)? {
                    now = arrived(self);
                }
                let Some(now) = now else { return diverges(self, "it sends no command") };
                self.compare(i, "command", values, &now)?;
                let slot = &mut self.slots[i];
                slot.commands.stamp(*ns);
                if slot.commands.push(*ns, now.iter().copied()) {
                    slot.stats.commands += 1;
                } else {
                    slot.stats.commands_refused += 1;
                }
            }
            _ => {}
        }
        Ok(())
    }
}
