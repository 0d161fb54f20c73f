//! Controllers and sensors of a scenario: validated against the world they act in, and their numbers by path.

use veracity_control::{ControlError, ControlLoop, ControllerConfig, SensorConfig, Setup};
use veracity_engine::{Capabilities, DriveForm, EventTime, Fidelity};
use veracity_model::{Layout, World};

/// An engine with fixed steps and every capability: what is invalid for it is invalid for all.
const ABLE: Capabilities = Capabilities {
    snapshot: Fidelity::Exact,
    events: EventTime::Located,
    drives: DriveForm::Implicit,
    contact: true,
    limits: true,
    reactions: true,
    accelerations: true,
    gaps: true,
    adaptive: false,
    deterministic: true,
    single_precision: false,
};

/// Everything that is wrong with controllers and sensors in a world, whatever the engine.
pub(crate) fn problems(
    world: &World,
    controllers: &[ControllerConfig],
    sensors: &[SensorConfig],
    step_ns: i64,
) -> Vec<ControlError> {
    let layout = Layout::new(world);
    let setup = Setup { world, layout: &layout, capabilities: ABLE, step_ns, seed: 0, trial: 0 };
    let built = |c: &[ControllerConfig], s: &[SensorConfig]| ControlLoop::new(&setup, c, s).err();
    // A loop stops at its first problem; building each part alone finds the others.
    let mut out: Vec<ControlError> = sensors.iter().filter_map(|s| built(&[], std::slice::from_ref(s))).collect();
    if out.is_empty() {
        out.extend(controllers.iter().filter_map(|c| built(std::slice::from_ref(c), sensors)));
    }
    if out.is_empty() {
        out.extend(built(controllers, sensors));
    }
    out
}

/// As a TOML table, for its numbers.
pub(crate) fn table<T: serde::Serialize>(config: &T) -> toml::Value {
    // Both types are tables of strings, numbers, lists and tables, which TOML can represent.
    toml::Value::try_from(config).unwrap_or_else(|_| toml::Value::Table(toml::Table::new()))
}
