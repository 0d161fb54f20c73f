//! Efforts, actuator commands and wrenches that change at given times.

use super::{ControllerKind, open_loop};
use crate::config::Profile;

pub(super) const KIND: ControllerKind = ControllerKind {
    name: "schedule",
    text: "efforts, actuator commands, forces and torques by times and values, held or interpolated linearly",
    keys: open_loop::KEYS,
    build: |config, site| {
        let scheduled = |p: &Profile| !matches!(p, Profile::Sinusoid(_));
        open_loop::build(config, site, scheduled, "a schedule accepts times_s and values; use kind sinusoid")
    },
};
