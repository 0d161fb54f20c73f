//! `[[controllers]]` and `[[sensors]]` of scenario files, as data.
//!
//! Tables are flat, one key for each number, units in the names where they are always the same. The reader of the file
//! deserialises into these types and gets unknown keys and wrong types with their line; the meaning of a key for a kind
//! is checked when the loop is built, with the path of the value.
//!
//! ```
//! use veracity_control::config::ControllerConfig;
//!
//! let text = r#"
//!     name = "arm"
//!     kind = "pd"
//!     rate_hz = 1000
//!     joints.elbow = { kp = 60, kd = 24, target = { amplitude = 1.6, omega_rad_s = 0.66 } }
//! "#;
//! let config: ControllerConfig = toml::from_str(text).unwrap();
//! assert_eq!(config.joints["elbow"].kd, 24.0);
//! ```

mod command_noise;
mod controller;
mod gait;
mod path;
mod profile;
mod sensor;

pub use command_noise::CommandNoise;
pub use controller::{ControllerConfig, JointLaw, PdForm, WrenchConfig};
pub use gait::{GaitConfig, GaitSpace, LegConfig};
pub use path::{GripperConfig, PathConfig, WaypointConfig};
pub use profile::{Interpolation, Profile, Schedule, Sinusoid};
pub use sensor::{PerGroup, SensorConfig};
