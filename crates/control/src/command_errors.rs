//! Noise of commands and jitter of their delay: [`CommandNoise`] applied at each activation.

use crate::config::CommandNoise;
use crate::controller::Timing;
use crate::error::ControlError;
use crate::noise::ChannelErrors;
use crate::port::{DriveField, Port};
use crate::setup::Setup;
use veracity_engine::random::{Purpose, Stream};

/// Largest jitter, in standard deviations.
const CUT: f64 = 3.0;

/// The errors of one controller's commands, with their state.
pub(crate) struct CommandErrors {
    errors: ChannelErrors,
    /// Whether each channel has noise: efforts have, gains and targets of drives do not.
    noisy: Vec<bool>,
    jitter_ns: f64,
    step_ns: i64,
    stream: Stream,
    /// `e` of the last activation, channel by channel.
    pub drift: Vec<f64>,
    /// What goes out.
    pub sent: Vec<f64>,
    /// When the last command arrives.
    pub last_arrival_ns: i64,
}

impl CommandErrors {
    pub fn new(
        noise: &CommandNoise,
        name: &str,
        ports: &[Port],
        timing: &Timing,
        setup: &Setup<'_>,
    ) -> Result<Self, ControlError> {
        for (key, x) in noise.numbers() {
            if !(x.is_finite() && x >= 0.0) {
                let what = format!("{x} must be a finite number that is not negative");
                return Err(ControlError::new(format!("controllers/{name}/noise/{key}"), what));
            }
        }
        let noisy = |port: &Port| !matches!(port, Port::Drive { field, .. } if *field != DriveField::FeedForward);
        let errors = ChannelErrors {
            std: noise.std,
            relative: noise.relative,
            bias: 0.0,
            resolution: noise.resolution,
            kept: ChannelErrors::kept_after(noise.correlation_s, timing.period_ns),
        };
        Ok(Self {
            errors,
            noisy: ports.iter().map(noisy).collect(),
            jitter_ns: noise.latency_jitter_s * 1e9,
            step_ns: setup.step_ns,
            stream: Stream::new(setup.seed, setup.trial, crate::sensing::name_key(name), Purpose::CommandNoise),
            drift: vec![f64::NAN; ports.len()],
            sent: vec![0.0; ports.len()],
            last_arrival_ns: i64::MIN,
        })
    }

    /// The longest delay of a command [ns].
    pub fn longest_ns(&self, timing: &Timing) -> i64 {
        timing.latency_ns + (CUT * self.jitter_ns) as i64 + self.step_ns
    }

    /// Prepares [`CommandErrors::sent`] from a command; returns when it arrives [ns].
    pub fn send(&mut self, time_ns: i64, command: &[f64], timing: &Timing) -> i64 {
        let number = timing.count_at(time_ns);
        for (i, x) in command.iter().enumerate() {
            let noisy = self.noisy[i];
            // Lane 0 is the jitter's.
            let y = |drift: &mut f64| self.errors.apply(*x, number, i as u32 + 1, &self.stream, drift);
            self.sent[i] = if noisy { y(&mut self.drift[i]) } else { *x };
        }
        let mut delay_ns = timing.latency_ns;
        if self.jitter_ns > 0.0 {
            let off = self.jitter_ns * self.stream.normal(number, 0).clamp(-CUT, CUT);
            let steps = ((timing.latency_ns as f64 + off) / self.step_ns as f64).round();
            delay_ns = (steps as i64).max(0) * self.step_ns;
        }
        self.last_arrival_ns = self.last_arrival_ns.max(time_ns + delay_ns);
        self.last_arrival_ns
    }

    pub fn reset(&mut self) {
        self.drift.fill(f64::NAN);
        self.last_arrival_ns = i64::MIN;
    }
}
