//! Where a point of another body is, in the sensor's frame, while it is in view. One group: position.
//!
//! With `p` the point in the sensor's frame, `α` the half angle of view and `R` the range, it is seen when
//!
//! ```text
//! (1)  |p| <= R                                  near enough
//! (2)  atan2(√(p_y² + p_z²), p_x) <= α           inside the cone about +x; all around without `half_view_rad`
//! (3)  the ray to p hits no shape before |p|     not hidden
//! ```
//!
//! The first channel says so, 1 or 0, without noise. While it is 0 the others are 0, so that a controller that ignores
//! `seen` does not learn where the point is. Shapes of the sensor's own body and of the target body hide nothing: the
//! sensor and the point lie inside them. All other bodies do, including those of the same robot.

use super::mount::{Mount, put};
use super::occluders::Occluders;
use super::range::farthest;
use super::{BuiltSensor, Measure, Needs, SensorKind, SensorSite, View};
use crate::error::{ControlError, list};
use std::f64::consts::PI;
use veracity_collide::Ray;
use veracity_model::Vec3;

/// A point on a surface is not hidden by it: the last part of the ray does not count.
const BEFORE: f64 = 1.0 - 1e-9;

pub(super) const KIND: SensorKind = SensorKind {
    name: "sight",
    text: "whether a point of another body is in view (range, cone about +x, not hidden behind a shape) and where it is in \
           the sensor's frame; all zero while it is not",
    keys: &["body", "xyz_m", "rpy_rad", "max_m", "target", "target_xyz_m", "half_view_rad"],
    groups: &["position"],
    build,
};

struct Sight {
    mount: Mount,
    target: usize,
    body_from_point: Vec3,
    max: f64,
    half_view: f64,
    occluders: Occluders,
    seen: bool,
}

impl Sight {
    fn sees(&self, point: &Vec3, direction: &Vec3, eye: &Vec3, view: &View<'_>) -> bool {
        let distance = point.norm();
        // (1), (2); a point at the sensor has no direction and is seen.
        if distance == 0.0 {
            return true;
        }
        let off_axis = libm::atan2(libm::hypot(point.y, point.z), point.x);
        if distance > self.max || off_axis > self.half_view {
            return false;
        }
        // (3)
        let ray = Ray { origin: *eye, direction: direction / distance };
        self.occluders.nearest(&ray, view, distance * BEFORE).is_none()
    }
}

impl Measure for Sight {
    fn measure(&mut self, view: &View<'_>, out: &mut [f64]) -> bool {
        let sensor = self.mount.motion(view).world_from_sensor;
        let body = &view.bodies[self.target].world_from_body;
        let eye = sensor.translation.vector;
        let direction = body.rotation * self.body_from_point + body.translation.vector - eye;
        let point = sensor.rotation.inverse() * direction;
        self.seen = self.sees(&point, &direction, &eye, view);
        put(&mut out[1..], point);
        true
    }

    fn tidy(&self, out: &mut [f64]) {
        out[0] = f64::from(self.seen);
        if !self.seen {
            out[1..].fill(0.0);
        }
    }
}

fn build(site: &SensorSite<'_>) -> Result<BuiltSensor, ControlError> {
    let at = |key: &str, what: String| ControlError::new(format!("{}/{key}", site.place), what);
    let layout = site.setup.layout;
    let mount = Mount::new(site, |_| false)?;
    let known = || list(layout.bodies.iter().map(|b| b.name.as_str()));
    let name = site.config.target.as_ref();
    let name = name.ok_or_else(|| at("target", format!("give the body it looks for; available: {}", known())))?;
    let target = layout.body(name);
    let target = target.ok_or_else(|| at("target", format!("unknown body '{name}'; available: {}", known())))?;
    if mount.body == Some(target) {
        return Err(at("target", format!("it is mounted on '{name}' itself; name another body")));
    }
    let body_from_point = Vec3::from(site.config.target_xyz_m.unwrap_or_default());
    if body_from_point.iter().any(|x| !x.is_finite()) {
        return Err(at("target_xyz_m", "it must be three finite numbers".to_string()));
    }
    let half_view = site.config.half_view_rad.unwrap_or(PI);
    if !(half_view > 0.0 && half_view <= PI) {
        return Err(at("half_view_rad", format!("{half_view} rad must be above 0 and at most π")));
    }
    let max = farthest(site, None)?;
    let occluders = Occluders::without(site, &[mount.body, Some(target)])?;
    let channels = [("seen", ""), ("x", "m"), ("y", "m"), ("z", "m")];
    Ok(BuiltSensor {
        channels: channels.map(|(name, unit)| (name.to_string(), unit, 0)).to_vec(),
        needs: Needs { bodies: true, ..Needs::default() },
        encodes: Vec::new(),
        measure: Box::new(Sight { mount, target, body_from_point, max, half_view, occluders, seen: false }),
        note: None,
    })
}
