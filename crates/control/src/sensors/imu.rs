//! Specific force and angular rate in the sensor's frame. Groups: specific_force, angular_rate.
//!
//! ```text
//! (1)  f = Rᵀ (a - g),   a = a_o + α × r + ω × (ω × r)
//! (2)  a ≈ (v(t) - v(t - h)) / h                          where the engine reports no accelerations
//! ```
//!
//! with `r` from the body's origin to the sensor. A body at rest reads +g upwards, a falling one zero. (2) lags by half
//! a step and shows an impact as one spike; the loop's notes say when it is used.

use super::mount::{Mount, put};
use super::{BuiltSensor, Measure, Needs, SensorKind, SensorSite, View};
use crate::error::ControlError;
use crate::setup::seconds;
use veracity_model::{SensorKind as ModelKind, Vec3};

pub(super) const KIND: SensorKind = SensorKind {
    name: "imu",
    text: "specific force and angular rate in the sensor's frame",
    keys: &["body", "xyz_m", "rpy_rad", "model_sensor"],
    groups: &["specific_force", "angular_rate"],
    build,
};

struct Imu {
    mount: Mount,
    /// Whether (2) is used, and then the time [s] and velocity of the sensor at the step before; NaN before the first.
    differences: bool,
    before: [f64; 4],
}

impl Measure for Imu {
    fn measure(&mut self, view: &View<'_>, out: &mut [f64]) -> bool {
        let motion = self.mount.motion(view);
        let acceleration = if self.differences {
            let [time, x, y, z] = self.before;
            if time.is_nan() {
                return false;
            }
            let passed = (view.time_ns - time as i64) as f64 / 1e9;
            (motion.linear_velocity - Vec3::new(x, y, z)) / passed
        } else {
            match self.mount.body {
                None => Vec3::zeros(),
                Some(slot) => {
                    let (angular, linear) = &view.accelerations[slot];
                    let (w, r) = (motion.angular_velocity, motion.arm);
                    Vec3::from(*linear) + Vec3::from(*angular).cross(&r) + w.cross(&w.cross(&r))
                }
            }
        };
        let turn = motion.world_from_sensor.rotation;
        put(&mut out[..3], turn.inverse_transform_vector(&(acceleration - view.gravity)));
        put(&mut out[3..], turn.inverse_transform_vector(&motion.angular_velocity));
        true
    }

    fn follow(&mut self, view: &View<'_>) {
        let v = self.mount.motion(view).linear_velocity;
        // Nanoseconds below 2^53 are exact in a double.
        self.before = [view.time_ns as f64, v.x, v.y, v.z];
    }

    fn memory(&self) -> &[f64] {
        &self.before
    }

    fn memory_mut(&mut self) -> &mut [f64] {
        &mut self.before
    }
}

fn build(site: &SensorSite<'_>) -> Result<BuiltSensor, ControlError> {
    let mount = Mount::new(site, |kind| matches!(kind, ModelKind::Imu))?;
    let differences = !site.setup.capabilities.accelerations && mount.body.is_some();
    let note = differences.then(|| {
        format!(
            "the engine reports no accelerations; they are computed as differences of velocities over {} s",
            seconds(site.setup.step_ns)
        )
    });
    let force = ["x", "y", "z"].map(|axis| (format!("specific_force_{axis}"), "m/s²", 0));
    let rate = ["x", "y", "z"].map(|axis| (format!("angular_rate_{axis}"), "rad/s", 1));
    Ok(BuiltSensor {
        channels: force.into_iter().chain(rate).collect(),
        needs: Needs { bodies: true, accelerations: !differences, every_step: differences, ..Needs::default() },
        encodes: Vec::new(),
        measure: Box::new(Imu { mount, differences, before: [f64::NAN; 4] }),
        note,
    })
}
