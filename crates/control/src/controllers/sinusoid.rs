//! Efforts, actuator commands and wrenches that oscillate.

use super::{ControllerKind, open_loop};
use crate::config::Profile;

pub(super) const KIND: ControllerKind = ControllerKind {
    name: "sinusoid",
    text: "efforts, actuator commands, forces and torques that oscillate: offset + amplitude sin(omega t + phase)",
    keys: open_loop::KEYS,
    build: |config, site| {
        let swings = |p: &Profile| !matches!(p, Profile::Schedule(_));
        open_loop::build(config, site, swings, "a sinusoid accepts amplitude and omega_rad_s; use kind schedule")
    },
};
