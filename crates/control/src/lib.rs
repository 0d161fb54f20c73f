//! Controllers and sensors: what closes the loop around an engine.
//!
//! A [`Controller`] sees an [`Observation`], built by sensors, and fills a [`Command`]; both are flat arrays whose
//! [`ChannelLayout`] is fixed at load, so that shared memory, C, Python and worker processes see the same bytes. Rate,
//! phase, latency and deadline are data ([`Timing`]), not code. Built-in kinds are listed in one slice; others (external
//! programs, Python) implement the same trait elsewhere.
//!
//! What is deliberately absent: time. Nobody here decides when a controller runs; the lab calls at the ticks `Timing`
//! names.

pub mod controller;
pub mod signal_layout;

pub use controller::{Controller, ControllerError, Timing};
pub use signal_layout::{ChannelLayout, Command, Observation};
