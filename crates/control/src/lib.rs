//! Controllers, sensors and actuators around an engine.
//!
//! A [`Controller`] sees an [`Observation`], built by [`Sensing`], and fills a [`Command`]; both are flat arrays whose
//! [`ChannelLayout`] is fixed at load, so that shared memory, C, Python and worker processes see the same bytes. Rate,
//! phase, latency and deadline are data ([`Timing`]), not code. Built-in kinds are two slices, [`CONTROLLERS`] and
//! [`SENSORS`]; others (external programs, Python) implement the same trait elsewhere and join as [`ControllerPart`]s.
//! [`ControlLoop`] is everything of a trial that is not the engine.
//!
//! Commands become efforts here, by the model's own actuators, identically for every engine.
//!
//! A loop of built-in kinds can run in the engine's process: sent as text ([`LoopTables`]), with its memory as bytes.
//!
//! Deliberately absent: a clock. The loop reports when it must be called next, in whole nanoseconds; the lab advances
//! the engine to that time.
//!
//! ```
//! use veracity_control::{CONTROLLERS, ControllerConfig};
//!
//! let config: ControllerConfig = toml::from_str(
//!     r#"
//!     name = "hold"
//!     kind = "pd"
//!     rate_hz = 1000
//!     joints.hinge = { kp = 100, kd = 10, target = 0.5 }
//!     "#,
//! )
//! .unwrap();
//! assert!(CONTROLLERS.iter().any(|kind| kind.name == config.kind));
//! ```

mod actuation;
mod address;
mod closure;
mod command_errors;
pub mod config;
mod control_loop;
pub mod controller;
pub mod controllers;
mod delay;
mod driving;
mod error;
mod gait_plan;
mod kinematics;
mod noise;
mod port;
mod profile;
mod sensing;
pub mod sensors;
mod setup;
pub mod signal_layout;
mod snapshot;
mod tables;
mod timing;

pub use closure::Memoryless;
pub use config::{ControllerConfig, SensorConfig};
pub use control_loop::{ControlLoop, ControllerPart};
pub use controller::{Controller, ControllerError, Timing};
pub use controllers::{CONTROLLERS, ControllerKind};
pub use driving::Drive;
pub use error::ControlError;
pub use port::{DriveField, Port};
pub use sensing::Sensing;
pub use sensors::{SENSORS, SensorKind};
pub use setup::Setup;
pub use signal_layout::{ChannelLayout, Command, Observation};
pub use tables::LoopTables;
