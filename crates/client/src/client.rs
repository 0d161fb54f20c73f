//! The simulated [`Backend`]: a connection to the coordinator.

use crate::backend::Backend;
use crate::shared::{Words, inherited};
use crate::wire;
use rustix::fd::{AsFd, OwnedFd};
use rustix::time::{ClockId, clock_gettime};
use std::io;

/// Errors of the connection to the coordinator.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The program was not started by the coordinator.
    #[error(
        "{} is not set: start this program with `veracity tempo run`, or connect it to a robot",
        wire::ENVIRONMENT
    )]
    NotStarted,
    /// The page is not of this version.
    #[error("the coordinator's page cannot be read: {0}; build client and coordinator from one version")]
    Page(String),
    /// A channel is broken.
    #[error("connection to the coordinator lost: {0}")]
    Gone(#[from] io::Error),
    /// Wrong number of values.
    #[error("{what}: {given} numbers given, {wanted} expected")]
    Count {
        /// Kind of data.
        what: &'static str,
        /// Number given.
        given: usize,
        /// Number expected.
        wanted: usize,
    },
}

/// An observation: the latest sensor values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observed {
    /// Time of the dynamics when it was published [ns].
    pub time_ns: i64,
    /// One number per channel; NaN until its sensor has delivered.
    pub values: Vec<f64>,
    /// When each value was measured [ns].
    pub stamps_ns: Vec<i64>,
}

/// A program's connection to the coordinator.
pub struct Client {
    page: Words,
    notify: OwnedFd,
    places: wire::Places,
    replay: bool,
    written: u64,
    observed: Observed,
    plan: Vec<f64>,
    plan_ordinal: u64,
    plan_ns: i64,
    channels: [Vec<(String, String)>; 2],
}

impl Client {
    /// Connects to the coordinator that started this program and waits for the run to begin.
    pub fn connect() -> Result<Self, ClientError> {
        let text = std::env::var(wire::ENVIRONMENT).map_err(|_| ClientError::NotStarted)?;
        let numbers: Vec<i32> = text.split(',').filter_map(|n| n.parse().ok()).collect();
        let [page, notify] = numbers[..] else { return Err(ClientError::Page(format!("'{text}'"))) };
        let (page, notify) = (inherited(page)?, inherited(notify)?);
        let head = Words::map(page.as_fd(), wire::BODY_AT)?;
        if head.get(wire::MAGIC) != wire::MAGIC_VALUE {
            return Err(ClientError::Page("unknown magic number".to_string()));
        }
        let words = Words::map(page.as_fd(), head.get(wire::WORDS) as usize)?;
        let count = |place| words.get(place) as usize;
        let (observed, commanded, bytes) = (count(wire::OBSERVED), count(wire::COMMANDED), count(wire::NAMES_BYTES));
        let places = wire::Places::new(bytes, observed, commanded);
        if places.end != words.all().len() {
            return Err(ClientError::Page("inconsistent sizes".to_string()));
        }
        let channels = names(&words, &places, bytes, observed)?;
        let client = Self {
            replay: words.get(wire::MODE) == wire::MODE_REPLAY,
            observed: Observed { time_ns: 0, values: vec![f64::NAN; observed], stamps_ns: vec![i64::MIN; observed] },
            plan: Vec::with_capacity(wire::PLAN_NUMBERS),
            page: words,
            written: 0,
            plan_ordinal: 0,
            plan_ns: 0,
            notify,
            places,
            channels,
        };
        client.ask(wire::ASK_HELLO, 0)?;
        Ok(client)
    }

    /// Index of an observation channel, such as `pendulum/hinge/position`; a suffix such as `hinge/position` is enough
    /// if it is unique.
    pub fn observation_place(&self, name: &str) -> Option<usize> {
        place(&self.channels[0], name)
    }

    /// Index of a command channel, such as `efforts/hinge`, as written in the configuration file.
    pub fn command_place(&self, name: &str) -> Option<usize> {
        place(&self.channels[1], name)
    }

    /// Names and units of the observation.
    pub fn observation_channels(&self) -> &[(String, String)] {
        &self.channels[0]
    }

    /// Names and units of the command.
    pub fn command_channels(&self) -> &[(String, String)] {
        &self.channels[1]
    }

    /// When the current activation was due [ns], and its number.
    pub fn activation(&self) -> (i64, u64) {
        (self.page.get_i64(wire::ACTIVATION_NS), self.page.get(wire::ACTIVATION))
    }

    /// Period of the activations [ns]; `None` for a best-effort client.
    pub fn period_ns(&self) -> Option<i64> {
        Some(self.page.get_i64(wire::PERIOD_NS)).filter(|p| *p > 0)
    }

    /// Seed of the run.
    pub fn seed(&self) -> u64 {
        self.page.get(wire::SEED)
    }

    /// The current virtual time [ns], equation (1) of [`wire`].
    pub fn time_ns(&mut self) -> Result<i64, ClientError> {
        if self.replay {
            self.ask(wire::ASK_TIME, 0)?;
            return Ok(self.page.get_i64(wire::ANSWER));
        }
        let now = now_ns(&self.page);
        self.log(wire::LOG_TIME, now, &[])?;
        Ok(now)
    }

    /// The latest sensor values.
    pub fn observe(&mut self) -> Result<&Observed, ClientError> {
        if self.replay {
            self.ask(wire::ASK_OBSERVE, 0)?;
        }
        let page = &self.page;
        // The coordinator writes only while this process does not run, unless they are on different cores; then the
        // sequence number shows it, and the copy is repeated.
        let sequence = loop {
            let before = page.get(wire::OBSERVATION_SEQUENCE);
            self.observed.time_ns = page.get_i64(wire::OBSERVATION_NS);
            for (i, value) in self.observed.values.iter_mut().enumerate() {
                *value = page.get_f64(self.places.values + i);
            }
            for (i, stamp) in self.observed.stamps_ns.iter_mut().enumerate() {
                *stamp = page.get_i64(self.places.stamps + i);
            }
            self.plan_ordinal = page.get(wire::PLAN_IN_ORDINAL);
            self.plan_ns = page.get_i64(wire::PLAN_IN_NS);
            let count = (page.get(wire::PLAN_IN_COUNT) as usize).min(wire::PLAN_NUMBERS);
            self.plan.clear();
            self.plan.extend((0..count).map(|i| page.get_f64(self.places.plan_in + i)));
            if before.is_multiple_of(2) && before == page.get(wire::OBSERVATION_SEQUENCE) {
                break before;
            }
        };
        if !self.replay {
            self.log(wire::LOG_OBSERVE, (sequence / 2) as i64, &[])?;
        }
        Ok(&self.observed)
    }

    /// Sends a command, one number per channel. It acts from the first step of the dynamics that begins at or after
    /// now.
    pub fn command(&mut self, values: &[f64]) -> Result<(), ClientError> {
        let wanted = self.channels[1].len();
        if values.len() != wanted {
            return Err(ClientError::Count { what: "command", given: values.len(), wanted });
        }
        let now = if self.replay { 0 } else { now_ns(&self.page) };
        self.log(wire::LOG_COMMAND, now, values)?;
        if self.replay { self.ask(wire::ASK_COMMAND, 0) } else { Ok(()) }
    }

    /// Sleeps until the next activation; a best-effort client until the next step of the dynamics. Returns `false` when
    /// the run is over.
    pub fn wait(&mut self) -> Result<bool, ClientError> {
        self.ask(wire::ASK_WAIT, 0)?;
        Ok(self.page.get(wire::OVER) == 0)
    }

    /// Sleeps until a virtual time; returns `false` when the run is over.
    pub fn wait_until(&mut self, time_ns: i64) -> Result<bool, ClientError> {
        self.ask(wire::ASK_WAIT_UNTIL, time_ns as u64)?;
        Ok(self.page.get(wire::OVER) == 0)
    }

    /// Sends a plan to the clients configured to receive this program's plans; it arrives with the first step of the
    /// dynamics that begins at or after now.
    pub fn publish_plan(&mut self, plan: &[f64]) -> Result<(), ClientError> {
        if plan.len() > wire::PLAN_NUMBERS {
            return Err(ClientError::Count { what: "plan, at most", given: plan.len(), wanted: wire::PLAN_NUMBERS });
        }
        for (i, number) in plan.iter().enumerate() {
            self.page.set_f64(self.places.plan_out + i, *number);
        }
        self.ask(wire::ASK_PLAN, plan.len() as u64)
    }

    /// The latest plan that had arrived at the last [`Client::observe`]: ordinal (0: none yet), when published [ns],
    /// numbers.
    pub fn plan(&self) -> (u64, i64, &[f64]) {
        (self.plan_ordinal, self.plan_ns, &self.plan)
    }

    /// Asks the coordinator and sleeps until it answers.
    fn ask(&self, what: u64, argument: u64) -> Result<(), ClientError> {
        Ok(self.page.ask(self.notify.as_fd(), what, argument)?)
    }

    fn log(&mut self, kind: u64, stamp: i64, values: &[f64]) -> Result<(), ClientError> {
        if self.written - self.page.get(wire::LOG_TAKEN).min(self.written) >= wire::LOG_ENTRIES {
            self.ask(wire::ASK_FLUSH, 0)?;
        }
        let at = self.places.log + (self.written % wire::LOG_ENTRIES) as usize * self.places.entry;
        self.page.set(at, kind);
        self.page.set_i64(at + 1, stamp);
        for (i, value) in values.iter().enumerate() {
            self.page.set_f64(at + 2 + i, *value);
        }
        self.written += 1;
        self.page.set(wire::LOG_WRITTEN, self.written);
        Ok(())
    }
}

impl Backend for Client {
    fn time_ns(&mut self) -> Result<i64, ClientError> {
        Client::time_ns(self)
    }
    fn observe(&mut self) -> Result<&Observed, ClientError> {
        Client::observe(self)
    }
    fn command(&mut self, values: &[f64]) -> Result<(), ClientError> {
        Client::command(self, values)
    }
    fn wait(&mut self) -> Result<bool, ClientError> {
        Client::wait(self)
    }
    fn wait_until(&mut self, time_ns: i64) -> Result<bool, ClientError> {
        Client::wait_until(self, time_ns)
    }
    fn publish_plan(&mut self, plan: &[f64]) -> Result<(), ClientError> {
        Client::publish_plan(self, plan)
    }
    fn plan(&self) -> (u64, i64, &[f64]) {
        Client::plan(self)
    }
}

/// Index of the channel with this name, or of the only one that ends in it.
fn place(channels: &[(String, String)], name: &str) -> Option<usize> {
    channel_place(channels.iter().map(|(n, _)| n.as_str()), name)
}

/// Index of the channel with this name, or of the only one that ends in it.
pub fn channel_place<'a>(channels: impl Iterator<Item = &'a str> + Clone, name: &str) -> Option<usize> {
    channels.clone().position(|n| n == name).or_else(|| {
        let ends = |full: &str| full.strip_suffix(name).is_some_and(|front| front.ends_with('/'));
        let mut found = channels.enumerate().filter(|(_, full)| ends(full)).map(|(place, _)| place);
        found.next().filter(|_| found.next().is_none())
    })
}

/// Virtual time of this process, equation (1) of [`wire`].
pub(crate) fn now_ns(page: &Words) -> i64 {
    let own = clock_gettime(ClockId::ProcessCPUTime);
    page.virtual_ns(own.tv_sec * 1_000_000_000 + own.tv_nsec)
}

/// Channel names: one line `NAME<tab>UNIT` each, those of the observation first.
fn names(
    words: &Words,
    places: &wire::Places,
    bytes: usize,
    observed: usize,
) -> Result<[Vec<(String, String)>; 2], ClientError> {
    let all = (places.names..places.values).flat_map(|place| words.get(place).to_le_bytes());
    let text = String::from_utf8(all.take(bytes).collect()).map_err(|e| ClientError::Page(e.to_string()))?;
    let mut lines: Vec<(String, String)> =
        text.lines().filter_map(|l| l.split_once('\t')).map(|(n, u)| (n.to_string(), u.to_string())).collect();
    if lines.len() < observed {
        return Err(ClientError::Page("too few names".to_string()));
    }
    let commands = lines.split_off(observed);
    Ok([lines, commands])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_is_found_by_its_name_or_a_unique_suffix() {
        let names = ["a/hip/position", "b/hip/position", "b/knee/position", "position"];
        let channels: Vec<(String, String)> = names.iter().map(|n| (n.to_string(), String::new())).collect();
        assert_eq!(place(&channels, "b/hip/position"), Some(1));
        assert_eq!(place(&channels, "knee/position"), Some(2));
        assert_eq!(place(&channels, "hip/position"), None, "two channels end in it");
        assert_eq!(place(&channels, "nee/position"), None, "not a whole component of the name");
        assert_eq!(place(&channels, "position"), Some(3), "an exact name goes first");
    }

    #[test]
    fn an_error_says_how_to_start_the_program() {
        // The test's environment has no coordinator.
        let error = Client::connect().map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("veracity tempo run"), "{error}");
    }
}
