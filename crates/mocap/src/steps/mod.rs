//! The steps from a recording to clean state: each a function with its own report.

pub mod actuator;
pub mod actuator_mode;
pub mod alignment;
pub mod centre_height;
pub mod centre_markers;
pub mod continuity;
pub mod differences;
pub mod frozen;
pub mod pairing;
pub mod plausible;
pub mod repair;
pub mod rigid;
pub mod smoother;
pub mod snaps;
pub mod snaps_robust;
pub mod synchronise;
pub mod time_base;
pub mod valid;
