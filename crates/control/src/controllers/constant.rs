//! Efforts, actuator commands and wrenches that stay the same.

use super::{ControllerKind, open_loop};
use crate::config::Profile;

pub(super) const KIND: ControllerKind = ControllerKind {
    name: "constant",
    text: "efforts, actuator commands, forces and torques that stay the same",
    keys: open_loop::KEYS,
    build: |config, site| {
        let constant = |p: &Profile| matches!(p, Profile::Constant(_));
        open_loop::build(
            config,
            site,
            constant,
            "a constant controller accepts numbers; use kind schedule or sinusoid",
        )
    },
};
