//! Positions and velocities of joints. Groups: position, velocity.

use super::{BuiltSensor, Measure, Needs, SensorKind, SensorSite, View};
use crate::address::turns;
use crate::error::{ControlError, list};
use veracity_model::{JointKind, Layout, SensorKind as ModelKind};

pub(super) const KIND: SensorKind = SensorKind {
    name: "encoder",
    text: "positions and velocities of joints",
    keys: &["joints", "model_sensor"],
    groups: &["position", "velocity"],
    build,
};

/// Entries of `q`, then of `v`.
struct Encoder {
    positions: Vec<usize>,
    velocities: Vec<usize>,
}

impl Measure for Encoder {
    fn measure(&mut self, view: &View<'_>, out: &mut [f64]) -> bool {
        let truth = self.positions.iter().map(|i| view.q[*i]).chain(self.velocities.iter().map(|i| view.v[*i]));
        out.iter_mut().zip(truth).for_each(|(x, value)| *x = value);
        true
    }
}

fn build(site: &SensorSite<'_>) -> Result<BuiltSensor, ControlError> {
    let layout = site.setup.layout;
    let mut joints: Vec<usize> = Vec::new();
    let named = |name: &str| {
        layout.joint(name).filter(|slot| layout.joints[*slot].kind.dof_count() > 0).ok_or_else(|| {
            let moving = layout.joints.iter().filter(|j| j.kind.dof_count() > 0).map(|j| j.name.as_str());
            let what = format!("unknown moving joint '{name}'; available: {}", list(moving));
            ControlError::new(format!("{}/joints", site.place), what)
        })
    };
    for name in &site.config.joints {
        joints.push(named(name)?);
    }
    if let Some((placement, sensor)) = site.model_sensor {
        let ModelKind::Encoder { joint } = &sensor.kind else {
            let what = format!("'{}' of the model is not an encoder", sensor.name);
            return Err(ControlError::new(format!("{}/model_sensor", site.place), what));
        };
        let first = layout.joints.iter().position(|j| j.placement == placement).unwrap_or(0);
        joints.push(first + joint.0);
    }
    if joints.is_empty() {
        joints = (0..layout.joints.len()).filter(|j| layout.joints[*j].kind.dof_count() > 0).collect();
    }
    let mut channels = Vec::new();
    let (mut positions, mut velocities) = (Vec::new(), Vec::new());
    for &slot in &joints {
        let joint = &layout.joints[slot];
        positions.extend(joint.q..joint.q + joint.kind.position_count());
        channels.extend(joint_channels(layout, slot, 0).into_iter().map(|(name, unit)| (name, unit, 0)));
    }
    for &slot in &joints {
        velocities.extend(velocity_entries(layout, slot));
        channels.extend(joint_channels(layout, slot, 1).into_iter().map(|(name, unit)| (name, unit, 1)));
    }
    let measure = Box::new(Encoder { positions, velocities });
    Ok(BuiltSensor { channels, needs: Needs::default(), encodes: joints, measure, note: None })
}

/// Entries of `v` of a joint.
pub(crate) fn velocity_entries(layout: &Layout, slot: usize) -> std::ops::Range<usize> {
    let joint = &layout.joints[slot];
    joint.v..joint.v + joint.kind.dof_count()
}

/// Names and units of a joint's positions (`group` 0) or velocities (1): `arm/elbow/position`, or `base/position/0` …
/// where there are several.
pub(crate) fn joint_channels(layout: &Layout, slot: usize, group: usize) -> Vec<(String, &'static str)> {
    let joint = &layout.joints[slot];
    let (word, count) =
        if group == 0 { ("position", joint.kind.position_count()) } else { ("velocity", joint.kind.dof_count()) };
    let unit = |i: usize| match (group, joint.kind) {
        // Components of a quaternion.
        (0, JointKind::Ball) => "",
        (0, JointKind::Free) => {
            if i < 3 {
                "m"
            } else {
                ""
            }
        }
        (0, _) => {
            if turns(layout, joint.v + i) {
                "rad"
            } else {
                "m"
            }
        }
        _ => {
            if turns(layout, joint.v + i) {
                "rad/s"
            } else {
                "m/s"
            }
        }
    };
    let name =
        |i: usize| if count == 1 { format!("{}/{word}", joint.name) } else { format!("{}/{word}/{i}", joint.name) };
    (0..count).map(|i| (name(i), unit(i))).collect()
}
