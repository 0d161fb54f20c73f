//! The coordinator's part of a link: sends observations at their instants, takes commands, knows when a program waits
//! for a message.

use super::format::{Format, MessageBody, quoted};
use super::{Connection, adapter};
use crate::client_slot::{ClientSlot, State, Wait};
use crate::config::ClientConfig;
use crate::coordinator::{Coordinator, EXIT, HANG_NS, KIND, LINK, Mode};
use crate::error::TempoError;
use crate::process::Process;
use crate::schedule::EventKind;
use crate::sys::monotonic_ns;
use crate::timer;
use rustix::event::epoll;
use rustix::time::Timespec;
use std::process::Command;
use veracity_client::wire;
use veracity_control::ChannelLayout;
use veracity_model::Severity;

/// A program that starts and does not wait for messages is given up after this [ns].
const START_NS: i64 = 60_000_000_000;

/// A program that is connected and sleeps, though not for input, begins after this [ns]: it polls.
const SETTLED_NS: i64 = 1_000_000_000;

/// Where a number of an observation comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Time,
    /// Index among all channels.
    Channel(usize),
}

/// A program's link to the robot.
pub struct Link {
    connection: Box<dyn Connection>,
    format: Format,
    /// Channels of a message, with their names in JSON.
    channels: Vec<(Source, String)>,
    commands: Vec<String>,
    /// The last command.
    row: Vec<f64>,
    message: Vec<u8>,
    /// When the next observation is due [ns].
    pub next_ns: i64,
    period_ns: i64,
    sequence: u64,
    /// Observations that the program did not receive.
    lost: u64,
    /// Messages that are not commands, and what is wrong with the first.
    refused: (u64, String),
    /// Readings of its clocks that were recorded.
    pub(super) readings: usize,
    /// Commands that have arrived and are not in force; in a replay, for comparison.
    pub arrived: std::collections::VecDeque<Box<[f64]>>,
}

impl Link {
    /// Opens the robot's end for a client; `layout` has all channels of the robot.
    pub fn open(client: &ClientConfig, layout: &ChannelLayout) -> Result<Option<Self>, TempoError> {
        let Some(config) = &client.link else { return Ok(None) };
        let wrong = |what: String| TempoError::new(format!("clients/{}/link", client.name), what);
        let place = |name: &String| {
            if name == "time" {
                return Ok((Source::Time, quoted("time")));
            }
            let names = || layout.channels.iter().map(|(name, _)| name.as_str());
            let found = veracity_client::channel_place(names(), name).ok_or_else(|| {
                let known: Vec<&str> = names().collect();
                wrong(format!("observe: '{name}' is not the name of one channel; known: time, {}", known.join(", ")))
            })?;
            Ok((Source::Channel(found), quoted(&layout.channels[found].0)))
        };
        let all: Vec<String> = layout.channels.iter().map(|(name, _)| name.clone()).collect();
        let observe = if config.observe.is_empty() { &all } else { &config.observe };
        let channels = observe.iter().map(place).collect::<Result<_, _>>()?;
        Ok(Some(Self {
            connection: adapter(&config.adapter).and_then(|a| a.open(config)).map_err(wrong)?,
            format: config.format,
            channels,
            commands: client.commands.clone(),
            row: vec![0.0; client.commands.len()],
            message: Vec::new(),
            next_ns: (client.phase_s * 1e9).round() as i64,
            period_ns: client.rate_hz.map_or(i64::MAX / 4, |rate| (1e9 / rate).round() as i64),
            sequence: 0,
            lost: 0,
            refused: (0, String::new()),
            readings: 0,
            arrived: Default::default(),
        }))
    }

    /// Prepares the program's start.
    pub fn prepare(&mut self, command: &mut Command) -> Result<(), String> {
        self.connection.prepare(command)
    }

    /// Sends the next observation; returns its instant and number.
    pub(super) fn send(&mut self, process: &Process) -> Result<(i64, u64), String> {
        let due_ns = self.next_ns;
        self.next_ns += self.period_ns;
        self.sequence += 1;
        process.page.set_i64(wire::NEXT_MESSAGE_NS, self.next_ns);
        let (page, at) = (&process.page, process.places.values);
        let value = |source: Source| match source {
            Source::Time => due_ns as f64 / 1e9,
            Source::Channel(place) => page.get_f64(at + place),
        };
        self.message.clear();
        let mut values = self.channels.iter().map(|(source, name)| (name.as_str(), value(*source)));
        self.format
            .write(MessageBody { sequence: self.sequence, time_ns: due_ns, values: &mut values }, &mut self.message);
        if !self.connection.send(&self.message)? {
            self.lost += 1;
        }
        Ok((due_ns, self.sequence))
    }

    /// Takes the commands that have arrived.
    fn receive(&mut self) -> Result<(), String> {
        let Self { connection, format, commands, row, refused, arrived, .. } = self;
        connection.receive(&mut |message| match format.read(message, commands, row) {
            Ok(true) => arrived.push_back(row.as_slice().into()),
            Ok(false) => {}
            Err(what) => {
                if refused.0 == 0 {
                    refused.1 = what;
                }
                refused.0 += 1;
            }
        })
    }

    /// Ends the link; returns whether the program can notice that.
    pub fn close(&mut self) -> bool {
        self.connection.close()
    }
}

impl ClientSlot {
    /// When the next message for it is due [ns]; `None` without a link.
    pub(crate) fn next_message_ns(&self) -> Option<i64> {
        self.link.as_ref().map(|link| link.next_ns)
    }

    /// Records what went wrong on its link.
    pub(crate) fn report_link(&mut self, time_ns: i64) {
        let Some(link) = &self.link else { return };
        let (lost, (refused, first)) = (link.lost, link.refused.clone());
        if lost > 0 {
            let text = format!("{lost} observations were lost: it does not read them");
            self.record(time_ns, Severity::Warning, "observations-lost", text);
        }
        if refused > 0 {
            let text = format!("{refused} messages of it are not commands; the first: {first}");
            self.record(time_ns, Severity::Note, "messages-rejected", text);
        }
        if self.stats.commands == 0 && !self.config.commands.is_empty() {
            let text = "no command of it arrived".to_string();
            self.record(time_ns, Severity::Warning, "no-commands", text);
        }
    }

    /// Whether one of its threads sleeps in a system call that reads or waits for descriptors.
    fn waits_for_input(&self) -> bool {
        self.is_in(&INPUT_CALLS)
    }

    /// Whether one of its threads is in one of these system calls.
    fn is_in(&self, calls: &[i64]) -> bool {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.process.id())).into_iter().flatten().flatten();
        tasks.into_iter().any(|task| {
            let text = std::fs::read_to_string(task.path().join("syscall")).unwrap_or_default();
            let call = text.split_whitespace().next().and_then(|n| n.parse::<i64>().ok());
            call.is_some_and(|call| calls.contains(&call))
        })
    }
}

/// System calls that sleep until a time.
const SLEEP_CALLS: [i64; 2] = [libc::SYS_nanosleep, libc::SYS_clock_nanosleep];

/// System calls that wait for input.
const INPUT_CALLS: [i64; 13] = [
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_recvfrom,
    libc::SYS_recvmsg,
    libc::SYS_recvmmsg,
    libc::SYS_poll,
    libc::SYS_ppoll,
    libc::SYS_select,
    libc::SYS_pselect6,
    libc::SYS_epoll_wait,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    libc::SYS_io_uring_enter,
];

impl Coordinator {
    /// Waits until a program that has been started is connected and waits for its first message.
    pub(crate) fn wait_until_linked(&mut self, slot: &mut ClientSlot, i: u64) -> Result<(), TempoError> {
        let place = format!("clients/{}", slot.config.name);
        let failed = |what: String| TempoError::new(format!("{place}/link"), what);
        let deadline = monotonic_ns() + START_NS;
        let mut up_since = None;
        loop {
            if let Some(status) = slot.process.ended() {
                let what =
                    format!("it ended with {status} before it waited for a message (--output keeps what it prints)");
                return Err(failed(what));
            }
            let Some(link) = &mut slot.link else { return Ok(()) };
            let up = link.connection.is_up().map_err(&failed)?;
            let now = monotonic_ns();
            if up {
                let since = *up_since.get_or_insert(now);
                let asleep = slot.process.most_active_state() == 'S';
                if asleep && (slot.waits_for_input() || now - since > SETTLED_NS) {
                    break;
                }
            }
            if now > deadline {
                let what = if up {
                    "it computes, and did not wait for a message within a minute"
                } else {
                    "it did not connect within a minute: does it use the address in VERACITY_ROBOT, or the ports of the file?"
                };
                return Err(failed(what.to_string()));
            }
            let limit = Timespec { tv_sec: 0, tv_nsec: 1_000_000 };
            timer::wait(&self.set, &mut self.ready, Some(&limit))
                .map_err(|e| TempoError::system(place.clone(), "cannot be watched", e))?;
            let ended = self.ready.iter().filter(|key| **key & KIND == EXIT && **key & !KIND != i);
            for other in ended.map(|key| (key & !KIND) as usize).collect::<Vec<_>>() {
                self.on_exit(other);
            }
        }
        let Some(link) = &mut slot.link else { return Ok(()) };
        // Greetings are not commands of the run.
        link.connection.receive(&mut |_| ()).map_err(&failed)?;
        if let Some(descriptor) = link.connection.descriptor() {
            let edge = epoll::EventFlags::IN | epoll::EventFlags::ET;
            epoll::add(&self.set, descriptor, epoll::EventData::new_u64(LINK | i), edge)
                .map_err(|e| TempoError::system(place, "its link cannot be watched", e))?;
        }
        slot.process.page.set_i64(wire::NEXT_MESSAGE_NS, link.next_ns);
        slot.process.page.set(wire::LOGS_READINGS, u64::from(self.mode == Mode::Consistent));
        if slot.has_threads() {
            slot.adopt_threads();
        }
        Ok(())
    }

    /// A client with a link has just got virtual clocks: sleeps that began before end in wall time, and the run begins
    /// when they have ended.
    pub(crate) fn settle(&mut self, i: usize) -> Result<(), TempoError> {
        if self.slots[i].link.is_none() {
            return Ok(());
        }
        self.slots[i].state = State::Running;
        let page = &self.slots[i].process.page;
        let [zero_ns, real_ns] = [wire::ZERO_MONOTONIC_NS, wire::ZERO_REAL_NS].map(|place| page.get_i64(place));
        if self.mode != Mode::Replay {
            self.log_event(i, EventKind::Start { monotonic_ns: zero_ns, real_ns });
        }
        let deadline = monotonic_ns() + SETTLED_NS;
        while !self.slots[i].has_asked() && !self.slots[i].has_ended() {
            let slot = &self.slots[i];
            let settled = slot.process.most_active_state() == 'S' && !slot.is_in(&SLEEP_CALLS);
            if settled || monotonic_ns() > deadline {
                break;
            }
            let limit = Timespec { tv_sec: 0, tv_nsec: 200_000 };
            timer::wait(&self.set, &mut self.ready, Some(&limit))
                .map_err(|e| TempoError::system("coordinator", "cannot wait for events", e))?;
            self.deal_with_events(None);
        }
        let (slot, leaf) = (&mut self.slots[i], &mut self.leaves[i]);
        if slot.has_ended() {
            return Ok(());
        }
        let next_ns = slot.next_message_ns();
        slot.start_account();
        (leaf.progress_ns, leaf.executed_ns) = (0, 0);
        if !slot.has_asked() {
            slot.state = State::Waiting(Wait::Message);
            leaf.waits_until_ns = next_ns.into_iter().chain(slot.earliest_wakeup_ns()).min();
        }
        Ok(())
    }

    /// Sends a client the observations that are due at `now_ns` and before `end_ns`.
    pub(crate) fn deliver(&mut self, i: usize, now_ns: i64, end_ns: i64) {
        while self.slots[i].next_message_ns().is_some_and(|t| t <= now_ns && t < end_ns) && !self.slots[i].has_ended()
        {
            self.abandon_activation(i);
            let slot = &mut self.slots[i];
            let Some(link) = &mut slot.link else { return };
            match link.send(&slot.process) {
                Ok((due_ns, sequence)) => {
                    slot.due_ns = due_ns;
                    self.log_event(i, EventKind::Deliver { ns: due_ns, sequence });
                    self.begin_activation(i);
                }
                Err(what) => return self.terminate(i, what),
            }
        }
    }

    /// The next message is due, and the client has not finished with the last one: that is late, whatever follows.
    fn abandon_activation(&mut self, i: usize) {
        let (now_ns, slot) = (self.leaves[i].progress_ns, &mut self.slots[i]);
        let Some(activation) = slot.activation.take() else { return };
        let response = (now_ns - slot.due_ns).max(slot.timing.period_ns);
        let stats = &mut slot.stats;
        stats.skipped += 1;
        stats.worst_response_ns = stats.worst_response_ns.max(response);
        let late_ns = response - slot.timing.deadline_ns;
        stats.suspect_skipped += u64::from(late_ns <= activation.suspect_ns);
        self.log_event(i, EventKind::Miss { late_ns });
    }

    /// Takes the commands a client has sent over its link.
    pub(crate) fn take_commands(&mut self, i: usize) {
        let now_ns = self.leaves[i].progress_ns;
        let slot = &mut self.slots[i];
        let Some(link) = &mut slot.link else { return };
        if let Err(what) = link.receive() {
            return self.terminate(i, what);
        }
        if self.mode == Mode::Replay {
            return;
        }
        let mut any = false;
        while let Some(values) = self.slots[i].link.as_mut().and_then(|link| link.arrived.pop_front()) {
            let slot = &mut self.slots[i];
            let ns = slot.commands.stamp(now_ns);
            if slot.commands.push(ns, values.iter().copied()) {
                slot.stats.commands += 1;
            } else {
                slot.stats.commands_refused += 1;
            }
            self.log_event(i, EventKind::Command { ns, values });
            any = true;
        }
        if any {
            self.end_activation(i);
        }
    }

    /// No thread of a client can run: whether it waits for a message. Then it does so until the next one is due.
    pub(crate) fn starts_waiting_for_message(&mut self, i: usize) -> bool {
        let Some(next_ns) = self.slots[i].next_message_ns() else { return false };
        if !self.slots[i].waits_for_input() {
            return false;
        }
        self.drain_log(i);
        if self.slots[i].has_ended() {
            return true;
        }
        if self.mode == Mode::Replay {
            self.slots[i].state = State::Waiting(Wait::Message);
            return true;
        }
        self.end_activation(i);
        self.set_wait(i, next_ns, Wait::Message);
        // What another program sends it must not let it run before its turn.
        if self.slots[i].process.real_time && self.mode == Mode::Consistent {
            self.slots[i].park();
        }
        true
    }

    /// When a client whose threads all sleep is woken: by a message, or at `until_ns`, when one of them wakes.
    pub(crate) fn message_or(&mut self, i: usize, until_ns: i64) -> i64 {
        let Some(next_ns) = self.slots[i].next_message_ns() else { return until_ns };
        if self.slots[i].waits_for_input() {
            self.end_activation(i);
        }
        until_ns.min(next_ns)
    }

    /// In a callback: sends what is due at `time_ns`, and lets the client run until it waits for input again.
    pub(crate) fn run_linked_callback(&mut self, i: usize, time_ns: i64) -> Result<(), TempoError> {
        let waits_for_message = matches!(self.slots[i].state, State::Waiting(Wait::Message | Wait::Input));
        let due = self.slots[i].next_message_ns().is_some_and(|t| t <= time_ns);
        let wakes = self.leaves[i].waits_until_ns.is_some_and(|until| until <= time_ns);
        if !(due && waits_for_message || wakes) {
            self.deliver(i, time_ns, i64::MAX);
            return Ok(());
        }
        self.grant(i, time_ns);
        self.deliver(i, time_ns, i64::MAX);
        loop {
            self.continue_after_wait(i);
            if !self.wait_until_idle(i)? || self.leaves[i].waits_until_ns.is_none_or(|until| until > time_ns) {
                return Ok(());
            }
        }
    }

    /// Lets a client continue after a wait, whatever it waited in.
    pub(crate) fn continue_after_wait(&mut self, i: usize) {
        match self.slots[i].state {
            State::Waiting(Wait::Message) => {
                self.leaves[i].waits_until_ns = None;
                self.slots[i].state = State::Running;
                let due_ns = self.leaves[i].progress_ns;
                self.log_event(i, EventKind::Wake { due_ns, activation: self.slots[i].activations_begun });
            }
            State::Waiting(_) => self.wake(i),
            _ => {}
        }
    }

    /// Waits, in a callback or a replay, until a client asks a question or waits for input. Returns `false` if it has
    /// ended.
    pub(crate) fn wait_until_idle(&mut self, i: usize) -> Result<bool, TempoError> {
        let begun = self.slots[i].account.cpu_ns;
        let mut pause = Timespec { tv_sec: 0, tv_nsec: 20_000 };
        loop {
            self.charge(i, None);
            self.drain_log(i);
            if self.slots[i].has_ended() {
                return Ok(false);
            }
            if self.slots[i].has_asked() || self.slots[i].state == State::Waiting(Wait::Message) {
                return Ok(true);
            }
            if self.slots[i].process.most_active_state() == 'S' && self.starts_waiting_for_message(i) {
                return Ok(!self.slots[i].has_ended());
            }
            if self.slots[i].account.cpu_ns - begun > 12 * HANG_NS {
                let what = "it has computed for two minutes without waiting, so the world cannot continue";
                self.terminate(i, what.to_string());
                return Ok(false);
            }
            timer::wait(&self.set, &mut self.ready, Some(&pause))
                .map_err(|e| TempoError::system("coordinator", "cannot wait for events", e))?;
            self.deal_with_events(None);
            pause.tv_nsec = (pause.tv_nsec * 2).min(1_000_000);
        }
    }
}
