//! Position, orientation and velocities of a frame in the world. Groups: position, orientation, linear_velocity,
//! angular_velocity.
//!
//! Errors of the orientation are added to the components of the quaternion, which is then normalised: a standard
//! deviation `s` of the components is one of `2 s` radians about each axis.

use super::mount::{Mount, put};
use super::{BuiltSensor, Measure, Needs, SensorKind, SensorSite, View};
use crate::error::ControlError;
use veracity_model::SensorKind as ModelKind;

pub(super) const KIND: SensorKind = SensorKind {
    name: "pose",
    text: "position, orientation and velocities of a frame in the world",
    keys: &["body", "xyz_m", "rpy_rad", "model_sensor"],
    groups: &["position", "orientation", "linear_velocity", "angular_velocity"],
    build,
};

struct PoseSensor(Mount);

impl Measure for PoseSensor {
    fn measure(&mut self, view: &View<'_>, out: &mut [f64]) -> bool {
        let motion = self.0.motion(view);
        let turn = motion.world_from_sensor.rotation;
        put(&mut out[..3], motion.world_from_sensor.translation.vector);
        out[3..7].copy_from_slice(&[turn.w, turn.i, turn.j, turn.k]);
        put(&mut out[7..10], motion.linear_velocity);
        put(&mut out[10..], motion.angular_velocity);
        true
    }

    fn tidy(&self, out: &mut [f64]) {
        let length = out[3..7].iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 0.0 {
            out[3..7].iter_mut().for_each(|x| *x /= length);
        }
    }
}

fn build(site: &SensorSite<'_>) -> Result<BuiltSensor, ControlError> {
    let mount = Mount::new(site, |kind| matches!(kind, ModelKind::Pose))?;
    let mut channels = Vec::new();
    let mut group = |number: usize, names: &[&str], unit: &'static str| {
        channels.extend(names.iter().map(|n| (n.to_string(), unit, number)));
    };
    group(0, &["x", "y", "z"], "m");
    group(1, &["qw", "qx", "qy", "qz"], "");
    group(2, &["vx", "vy", "vz"], "m/s");
    group(3, &["wx", "wy", "wz"], "rad/s");
    Ok(BuiltSensor {
        channels,
        needs: Needs { bodies: true, ..Needs::default() },
        encodes: Vec::new(),
        measure: Box::new(PoseSensor(mount)),
        note: None,
    })
}
