//! Contact of a body: the mean normal force over the last step, or whether there was any. One group: contact.

use super::mount::Mount;
use super::{BuiltSensor, Measure, Needs, SensorKind, SensorSite, View};
use crate::error::ControlError;
use veracity_model::{SensorKind as ModelKind, Vec3};

pub(super) const KIND: SensorKind = SensorKind {
    name: "contact",
    text: "mean normal force on a body over the last step, or 1 and 0",
    keys: &["body", "binary", "model_sensor"],
    groups: &["contact"],
    build,
};

struct Contact {
    body: u32,
    binary: bool,
    step_s: f64,
}

impl Measure for Contact {
    fn measure(&mut self, view: &View<'_>, out: &mut [f64]) -> bool {
        let own = view.contacts.iter().filter(|c| c.body_a == Some(self.body) || c.body_b == Some(self.body));
        let normal: f64 = own.map(|c| Vec3::from(c.impulse).dot(&Vec3::from(c.normal))).sum();
        out[0] = if self.binary { f64::from(normal > 0.0) } else { normal / self.step_s };
        true
    }
}

fn build(site: &SensorSite<'_>) -> Result<BuiltSensor, ControlError> {
    let mount = Mount::new(site, |kind| matches!(kind, ModelKind::Contact))?;
    let Some(body) = mount.body else {
        return Err(ControlError::new(&site.place, "it is not on a body; name the body whose contact it measures"));
    };
    let binary = site.config.binary.unwrap_or(false);
    let channel = if binary { ("touches".to_string(), "", 0) } else { ("normal_force".to_string(), "N", 0) };
    Ok(BuiltSensor {
        channels: vec![channel],
        needs: Needs { contacts: true, ..Needs::default() },
        encodes: Vec::new(),
        measure: Box::new(Contact { body: body as u32, binary, step_s: site.setup.step_ns as f64 / 1e9 }),
        note: None,
    })
}
