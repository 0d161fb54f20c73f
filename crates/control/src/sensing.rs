//! Sensors of a trial and the observation they build.
//!
//! Every joint has an encoder: the one a `[[sensors]]` table gives it, or an ideal one that is read at the instant of
//! an activation. A reading is
//! the truth at the sampling instant with bias, noise and rounding ([`crate::noise`]), from a stream keyed by seed, trial and the
//! sensor's *name*, counted by the sample's number: neither the order of the sensors nor the rates of others change it. It
//! is delivered `latency` later.

use crate::config::{PerGroup, SensorConfig};
use crate::controller::Timing;
use crate::delay::Delay;
use crate::error::{ControlError, list};
use crate::noise::ChannelErrors;
use crate::sensors::{self, Measure, Needs, View, joint_channels, velocity_entries};
use crate::setup::Setup;
use crate::signal_layout::{ChannelLayout, Observation};
use std::sync::Arc;
use veracity_engine::random::{Purpose, Stream};
use veracity_engine::{BodyState, Inputs, Simulation};
use veracity_model::{Digest, Layout, Pose, Vec3, World};
use veracity_record::ContactSample;

/// Sensors, their readings in transit, and what has been delivered.
pub struct Sensing {
    pub(crate) observation: Observation,
    pub(crate) samplers: Vec<Sampler>,
    /// Channels read straight from `q` and `v`: (channel, index).
    ideal_positions: Vec<(usize, usize)>,
    ideal_velocities: Vec<(usize, usize)>,
    /// Channel of each entry of `q` and of `v`.
    position_channels: Vec<usize>,
    velocity_channels: Vec<usize>,
    every_step: bool,
    notes: Vec<String>,
    scratch: Scratch,
    gravity: Vec3,
}

/// One sensor with its state.
pub(crate) struct Sampler {
    pub name: String,
    pub timing: Timing,
    pub next_ns: i64,
    pub delay: Delay,
    pub measure: Box<dyn Measure>,
    needs: Needs,
    first_channel: usize,
    /// Of each channel.
    errors: Vec<ChannelErrors>,
    /// Noise of the last sample, channel by channel; NaN before the first.
    pub drift: Vec<f64>,
    stream: Stream,
    reading: Vec<f64>,
}

/// Buffers for what engines report.
struct Scratch {
    bodies: Vec<BodyState>,
    accelerations: Vec<([f64; 3], [f64; 3])>,
    reactions: Vec<([f64; 3], [f64; 3])>,
    contacts: Vec<ContactSample>,
}

impl Sensing {
    /// Builds the sensors of a scenario.
    pub fn new(setup: &Setup<'_>, configs: &[SensorConfig]) -> Result<Self, ControlError> {
        let mut plan =
            Plan { channels: Vec::new(), encoder: vec![None; setup.layout.joints.len()], notes: Vec::new() };
        let mut samplers: Vec<Sampler> = Vec::new();
        for (i, config) in configs.iter().enumerate() {
            if configs[..i].iter().any(|c| c.name == config.name) {
                let what = "another sensor has this name; names must be unique";
                return Err(ControlError::new(format!("sensors/{}", config.name), what));
            }
            samplers.push(plan.sampler(setup, config)?);
        }
        let keys: Vec<u32> = configs.iter().map(|c| name_key(&c.name)).collect();
        if let Some(i) = (0..keys.len()).find(|i| keys[..*i].contains(&keys[*i])) {
            let what = "its name leads to the same random numbers as another sensor's; choose another name";
            return Err(ControlError::new(format!("sensors/{}", configs[i].name), what));
        }
        Ok(plan.finish(setup, samplers))
    }

    /// Channels of the observation.
    pub fn layout(&self) -> &Arc<ChannelLayout> {
        &self.observation.layout
    }

    /// The channel of each entry of `q`.
    pub fn position_channels(&self) -> &[usize] {
        &self.position_channels
    }

    /// The channel of each entry of `v`.
    pub fn velocity_channels(&self) -> &[usize] {
        &self.velocity_channels
    }

    /// When the encoder of a degree of freedom samples and delivers; `None` for an ideal one.
    pub fn encoder_timing(&self, dof: usize) -> Option<Timing> {
        let channel = *self.velocity_channels.get(dof)?;
        let covers = |s: &&Sampler| (s.first_channel..s.first_channel + s.errors.len()).contains(&channel);
        self.samplers.iter().find(covers).map(|s| s.timing)
    }

    /// Reads a state with the ideal encoders.
    pub fn show(&mut self, time_ns: i64, q: &[f64], v: &[f64]) {
        let seen = &mut self.observation;
        for &(channel, i) in &self.ideal_positions {
            (seen.values[channel], seen.stamps_ns[channel]) = (q[i], time_ns);
        }
        for &(channel, i) in &self.ideal_velocities {
            (seen.values[channel], seen.stamps_ns[channel]) = (v[i], time_ns);
        }
    }

    /// What has been delivered.
    pub fn observation(&self) -> &Observation {
        &self.observation
    }

    /// Notes for the user on how sensors measure on this engine.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Channels of the scenario's sensors, in order: those to be recorded in addition to `q` and `v`.
    pub(crate) fn sensor_channels(&self) -> impl Iterator<Item = usize> + '_ {
        self.samplers.iter().flat_map(|s| s.first_channel..s.first_channel + s.errors.len())
    }

    pub(crate) fn needs_every_step(&self) -> bool {
        self.every_step
    }

    pub(crate) fn next_ns(&self) -> i64 {
        self.samplers.iter().map(|s| s.next_ns).min().unwrap_or(i64::MAX)
    }

    pub(crate) fn reset(&mut self, time_ns: i64) {
        self.observation.values.fill(f64::NAN);
        self.observation.stamps_ns.fill(i64::MIN);
        for s in &mut self.samplers {
            s.next_ns = s.timing.first_at_or_after(time_ns);
            s.delay.clear();
            s.measure.memory_mut().fill(f64::NAN);
            s.drift.fill(f64::NAN);
        }
    }

    /// Samples what is due. `inputs` are those that acted up to now.
    pub(crate) fn sample(&mut self, time_ns: i64, simulation: &mut dyn Simulation, inputs: &Inputs) {
        let due = self.samplers.iter().filter(|s| s.next_ns <= time_ns || s.needs.every_step);
        let needs = due.fold(Needs::default(), |all, s| all.union(s.needs));
        let scratch = &mut self.scratch;
        if needs.bodies {
            simulation.bodies(&mut scratch.bodies);
        }
        if needs.accelerations {
            simulation.accelerations(inputs, &mut scratch.accelerations);
        }
        if needs.reactions {
            simulation.reactions(inputs, &mut scratch.reactions);
        }
        if needs.contacts {
            simulation.contacts(&mut scratch.contacts);
        }
        let view = View {
            time_ns,
            q: simulation.q(),
            v: simulation.v(),
            bodies: &scratch.bodies,
            accelerations: &scratch.accelerations,
            reactions: &scratch.reactions,
            contacts: &scratch.contacts,
            inputs,
            gravity: self.gravity,
        };
        for sampler in &mut self.samplers {
            if sampler.next_ns <= time_ns {
                sampler.sample(&view);
                sampler.next_ns += sampler.timing.period_ns;
            }
            if sampler.needs.every_step {
                sampler.measure.follow(&view);
            }
        }
        self.show(time_ns, simulation.q(), simulation.v());
    }

    /// Delivers readings whose latency has passed.
    pub(crate) fn deliver(&mut self, time_ns: i64) {
        for s in &mut self.samplers {
            let place = s.first_channel..s.first_channel + s.errors.len();
            while let Some(stamp) = s.delay.pop_due(time_ns, &mut self.observation.values[place.clone()]) {
                self.observation.stamps_ns[place.clone()].fill(stamp);
            }
        }
    }
}

impl Sampler {
    fn sample(&mut self, view: &View<'_>) {
        if !self.measure.measure(view, &mut self.reading) {
            return;
        }
        let number = self.timing.count_at(self.next_ns);
        let channels = self.reading.iter_mut().zip(&self.errors).zip(&mut self.drift);
        for (lane, ((x, errors), drift)) in channels.enumerate() {
            *x = errors.apply(*x, number, lane as u32, &self.stream, drift);
        }
        self.measure.tidy(&mut self.reading);
        self.delay.push(self.next_ns, &self.reading);
    }
}

/// Collected while sensors are built.
struct Plan {
    channels: Vec<(String, String)>,
    /// For each joint the first channel of its positions and of its velocities.
    encoder: Vec<Option<(usize, usize)>>,
    notes: Vec<String>,
}

impl Plan {
    fn sampler(&mut self, setup: &Setup<'_>, config: &SensorConfig) -> Result<Sampler, ControlError> {
        let place = format!("sensors/{}", config.name);
        let kind = sensors::find(config)?;
        let model_sensor = config.model_sensor.as_deref().map(|n| model_sensor(setup, &place, n)).transpose()?;
        let rate = config.rate_hz.or(model_sensor.and_then(|(_, s)| s.rate_hz));
        let timing = Timing::of_sensor(config, rate, setup.step_ns)?;
        timing.check(setup, &place, false)?;
        let site = sensors::SensorSite { config, place: place.clone(), setup: *setup, model_sensor };
        let built = (kind.build)(&site)?;
        let first_channel = self.channels.len();
        self.encoders(setup.layout, &built.encodes, &place)?;
        let mut noise = config.noise_std.clone();
        if let (true, Some((_, sensor))) = (noise.is_zero(), model_sensor) {
            noise = PerGroup::Same(sensor.noise_std);
        }
        let number = |key: &str, list: &PerGroup, group: usize, negative: bool| match list.of_group(group) {
            Some(x) if x.is_finite() && (negative || x >= 0.0) => Ok(x),
            Some(x) => Err(ControlError::new(format!("{place}/{key}"), format!("{x} is not a valid {key}"))),
            None => {
                let what = format!("it has too few numbers; give one, or one each for {}", kind.groups.join(", "));
                Err(ControlError::new(format!("{place}/{key}"), what))
            }
        };
        let mut errors = Vec::with_capacity(built.channels.len());
        for (_, _, group) in &built.channels {
            let correlation_s = number("correlation_s", &config.correlation_s, *group, false)?;
            errors.push(ChannelErrors {
                std: number("noise_std", &noise, *group, false)?,
                relative: number("noise_relative", &config.noise_relative, *group, false)?,
                bias: number("bias", &config.bias, *group, true)?,
                resolution: number("resolution", &config.resolution, *group, false)?,
                kept: ChannelErrors::kept_after(correlation_s, timing.period_ns),
            });
        }
        let named = |(name, unit, _): (String, &str, usize)| {
            let name = if built.encodes.is_empty() { format!("{}/{name}", config.name) } else { name };
            (name, unit.to_string())
        };
        self.channels.extend(built.channels.into_iter().map(named));
        self.notes.extend(built.note.map(|n| format!("sensor '{}': {n}", config.name)));
        Ok(Sampler {
            name: config.name.clone(),
            timing,
            next_ns: timing.first_at_or_after(0),
            delay: Delay::new(errors.len(), timing.latency_ns, timing.period_ns),
            measure: built.measure,
            needs: built.needs,
            first_channel,
            reading: vec![0.0; errors.len()],
            drift: vec![f64::NAN; errors.len()],
            errors,
            stream: Stream::new(setup.seed, setup.trial, name_key(&config.name), Purpose::SensorNoise),
        })
    }

    /// Registers the joints of an encoder whose channels are added next, all positions first.
    fn encoders(&mut self, layout: &Layout, joints: &[usize], place: &str) -> Result<(), ControlError> {
        let mut position = self.channels.len();
        let mut velocity = position + joints.iter().map(|j| layout.joints[*j].kind.position_count()).sum::<usize>();
        for &slot in joints {
            let joint = &layout.joints[slot];
            if self.encoder[slot].replace((position, velocity)).is_some() {
                let what = format!("joint '{}' already has an encoder; list each joint once", joint.name);
                return Err(ControlError::new(format!("{place}/joints"), what));
            }
            position += joint.kind.position_count();
            velocity += joint.kind.dof_count();
        }
        Ok(())
    }

    /// Gives every other joint an ideal encoder.
    fn finish(mut self, setup: &Setup<'_>, samplers: Vec<Sampler>) -> Sensing {
        let layout = setup.layout;
        let (mut ideal_positions, mut ideal_velocities) = (Vec::new(), Vec::new());
        for (slot, joint) in layout.joints.iter().enumerate() {
            if self.encoder[slot].is_some() {
                continue;
            }
            let first = self.channels.len();
            let second = first + joint.kind.position_count();
            ideal_positions.extend((0..joint.kind.position_count()).map(|i| (first + i, joint.q + i)));
            ideal_velocities.extend(velocity_entries(layout, slot).enumerate().map(|(i, v)| (second + i, v)));
            for group in 0..2 {
                let named = |(name, unit): (String, &str)| (name, unit.to_string());
                self.channels.extend(joint_channels(layout, slot, group).into_iter().map(named));
            }
            self.encoder[slot] = Some((first, second));
        }
        let (mut position_channels, mut velocity_channels) = (Vec::new(), Vec::new());
        for (joint, encoder) in layout.joints.iter().zip(&self.encoder) {
            let (first, second) = encoder.unwrap_or((0, 0));
            position_channels.extend(first..first + joint.kind.position_count());
            velocity_channels.extend(second..second + joint.kind.dof_count());
        }
        let bodies = layout.bodies.len();
        let still = BodyState {
            world_from_body: Pose::identity(),
            angular_velocity: Vec3::zeros(),
            linear_velocity: Vec3::zeros(),
        };
        Sensing {
            observation: Observation::new(Arc::new(ChannelLayout { channels: self.channels })),
            every_step: samplers.iter().any(|s| s.needs.every_step),
            samplers,
            ideal_positions,
            ideal_velocities,
            position_channels,
            velocity_channels,
            notes: self.notes,
            scratch: Scratch {
                bodies: vec![still; bodies],
                accelerations: vec![([0.0; 3], [0.0; 3]); bodies],
                reactions: vec![([0.0; 3], [0.0; 3]); bodies],
                contacts: Vec::with_capacity(64),
            },
            gravity: setup.world.gravity,
        }
    }
}

fn model_sensor<'a>(
    setup: &Setup<'a>,
    place: &str,
    name: &str,
) -> Result<(usize, &'a veracity_model::Sensor), ControlError> {
    let Some(slot) = setup.layout.sensor(name) else {
        let known = list(setup.layout.sensors.iter().map(String::as_str));
        let what = format!("the model has no sensor '{name}'; available: {known}");
        return Err(ControlError::new(format!("{place}/model_sensor"), what));
    };
    let world: &'a World = setup.world;
    let mut all =
        world.placements.iter().enumerate().flat_map(|(p, x)| x.model.sensors().iter().map(move |s| (p, s)));
    Ok(all.nth(slot).expect("the layout counts the sensors of its world"))
}

/// The key of a sensor's random numbers.
pub(crate) fn name_key(name: &str) -> u32 {
    let Digest(bytes) = Digest::of(name.as_bytes());
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}
