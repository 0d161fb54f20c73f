//! Every kind of sensor: one file and one line each.
//!
//! A kind defines its channels and measures the truth; rate, latency, bias, noise and resolution are added by
//! [`Sensing`](crate::Sensing), the same for all.

mod attitude;
mod contact;
mod effort;
mod encoder;
mod force_torque;
mod gps;
mod imu;
mod mount;
mod occluders;
mod pose;
mod range;
mod sight;

use crate::config::SensorConfig;
use crate::error::{ControlError, list};
use crate::setup::Setup;
use veracity_engine::{BodyState, Inputs};
use veracity_model::{Sensor, Vec3};
use veracity_record::ContactSample;

pub(crate) use encoder::{joint_channels, velocity_entries};

/// One kind of sensor.
pub struct SensorKind {
    /// As in `kind = "…"`.
    pub name: &'static str,
    /// What it measures, in a line.
    pub text: &'static str,
    /// Keys it accepts besides name, kind, timing and noise.
    pub keys: &'static [&'static str],
    /// Groups of its channels, as noise_std, bias and resolution list them.
    pub groups: &'static [&'static str],
    /// Builds one.
    pub build: fn(&SensorSite<'_>) -> Result<BuiltSensor, ControlError>,
}

/// Every kind of sensor.
pub const SENSORS: &[SensorKind] = &[
    encoder::KIND,
    effort::KIND,
    imu::KIND,
    gps::KIND,
    attitude::KIND,
    force_torque::KIND,
    contact::KIND,
    range::KIND,
    pose::KIND,
    sight::KIND,
];

/// Context for building a sensor.
pub struct SensorSite<'a> {
    /// Its table.
    pub config: &'a SensorConfig,
    /// Path of its table: `sensors/NAME`.
    pub place: String,
    /// The trial.
    pub setup: Setup<'a>,
    /// The sensor of the model it represents, with the index of its placement.
    pub model_sensor: Option<(usize, &'a Sensor)>,
}

/// A built sensor.
pub struct BuiltSensor {
    /// Name, unit and group of each channel.
    pub channels: Vec<(String, &'static str, usize)>,
    /// What it needs to see.
    pub needs: Needs,
    /// Slots of the joints whose encoder it is.
    pub encodes: Vec<usize>,
    /// The measurement.
    pub measure: Box<dyn Measure>,
    /// A note for the user on how it measures.
    pub note: Option<String>,
}

/// What a sensor needs to see in addition to `q` and `v`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// [`View::bodies`].
    pub bodies: bool,
    /// [`View::accelerations`].
    pub accelerations: bool,
    /// [`View::reactions`].
    pub reactions: bool,
    /// [`View::contacts`].
    pub contacts: bool,
    /// [`Measure::follow`] at every step.
    pub every_step: bool,
}

/// The truth at an instant. Parts that no sensor needs are stale.
pub struct View<'a> {
    /// The instant [ns].
    pub time_ns: i64,
    /// Positions.
    pub q: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
    /// Every body.
    pub bodies: &'a [BodyState],
    /// Angular and linear acceleration of every body's origin, world axes.
    pub accelerations: &'a [([f64; 3], [f64; 3])],
    /// Force and torque through every joint on the body it carries, at the joint's origin, world axes.
    pub reactions: &'a [([f64; 3], [f64; 3])],
    /// Where bodies touched in the last step.
    pub contacts: &'a [ContactSample],
    /// What acted up to now.
    pub inputs: &'a Inputs,
    /// Acceleration of free fall [m/s²].
    pub gravity: Vec3,
}

/// Measures the truth.
pub trait Measure: Send {
    /// One number for each channel; `false` if there is none yet.
    fn measure(&mut self, view: &View<'_>, out: &mut [f64]) -> bool;

    /// Called at every step for kinds that need it; after `measure` at the same instant.
    fn follow(&mut self, _view: &View<'_>) {}

    /// Restores constraints on readings after noise and rounding, e.g. unit length.
    fn tidy(&self, _out: &mut [f64]) {}

    /// Its memory.
    fn memory(&self) -> &[f64] {
        &[]
    }

    /// The same, to be overwritten.
    fn memory_mut(&mut self) -> &mut [f64] {
        &mut []
    }
}

impl Needs {
    /// The union of both.
    pub fn union(self, other: Self) -> Self {
        Self {
            bodies: self.bodies || other.bodies,
            accelerations: self.accelerations || other.accelerations,
            reactions: self.reactions || other.reactions,
            contacts: self.contacts || other.contacts,
            every_step: self.every_step || other.every_step,
        }
    }
}

/// The kind of a table; an error if a key is set that the kind does not accept.
pub(crate) fn find(config: &SensorConfig) -> Result<&'static SensorKind, ControlError> {
    let place = format!("sensors/{}", config.name);
    let Some(kind) = SENSORS.iter().find(|k| k.name == config.kind) else {
        let known = list(SENSORS.iter().map(|k| k.name));
        let what = format!("unknown kind of sensor '{}'; available: {known}", config.kind);
        return Err(ControlError::new(format!("{place}/kind"), what));
    };
    if let Some(key) = config.keys_given().into_iter().find(|k| !kind.keys.contains(k)) {
        let what = format!("a sensor of kind '{}' has no key '{key}'; it has {}", kind.name, kind.keys.join(", "));
        return Err(ControlError::new(format!("{place}/{key}"), what));
    }
    Ok(kind)
}
