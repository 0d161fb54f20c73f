//! PD and PID with feed-forward.
//!
//! ```text
//! (1)  τ = kp (r - q) + kd (r' - q') + f + I + g
//! (2)  I ← clamp(I + ki (r - q) T, ±integral_limit)     once an activation, T the period
//! ```
//!
//! with target `r`, feed-forward `f` and gravity compensation `g`. Sampled, (1) is computed at the activation from the
//! observation and held: stable only while `kd T` is small compared with the inertia, see the inspection of
//! experiments. As a drive, the engine computes the first two terms in its drive form and the rest is passed to it as
//! feed-forward.

use super::gravity::GravityCompensation;
use super::reach::reaches;
use super::{Built, ControllerKind, ControllerSite};
use crate::config::{ControllerConfig, JointLaw, PdForm};
use crate::controller::{Controller, ControllerError};
use crate::error::{ControlError, list};
use crate::port::{DriveField, Port};
use crate::profile::Course;
use crate::signal_layout::{Command, Observation};
use veracity_engine::DriveForm;

pub(super) const PD: ControllerKind = ControllerKind {
    name: "pd",
    text: "kp (target - q) + kd (target' - q') + feed_forward on joints or through actuators, sampled or as a drive",
    keys: &["joints", "actuators", "form", "drive_forms", "gravity_compensation"],
    build,
};

pub(super) const PID: ControllerKind = ControllerKind {
    name: "pid",
    text: "pd with an integral part that is clamped against wind-up",
    keys: PD.keys,
    build,
};

/// Numbers of a drive, in the order of its channels.
const DRIVE: [DriveField; 5] =
    [DriveField::Kp, DriveField::Kd, DriveField::Target, DriveField::TargetSpeed, DriveField::FeedForward];

struct Law {
    dof: usize,
    /// Channels of the observation.
    q: usize,
    v: usize,
    kp: f64,
    kd: f64,
    ki: f64,
    integral_limit: f64,
    target: Course,
    feed_forward: Course,
    /// Command for an effort of one at the joint.
    scale: f64,
    /// I of (2) [N m or N].
    integral: f64,
}

struct Pd {
    name: String,
    laws: Vec<Law>,
    form: PdForm,
    period_s: f64,
    gravity: Option<GravityCompensation>,
}

impl Controller for Pd {
    fn reset(&mut self) -> Result<(), ControllerError> {
        self.laws.iter_mut().for_each(|law| law.integral = 0.0);
        Ok(())
    }

    fn activate(
        &mut self,
        time_ns: i64,
        observation: &Observation,
        command: &mut Command,
    ) -> Result<(), ControllerError> {
        let gravity = match &mut self.gravity {
            None => None,
            Some(compensation) => match compensation.efforts(observation) {
                // The configuration is not known yet: the command stays.
                None => return Ok(()),
                holding => holding,
            },
        };
        for (i, law) in self.laws.iter_mut().enumerate() {
            let (q, v) = (observation.values[law.q], observation.values[law.v]);
            let needs_state = self.form == PdForm::Sampled || law.ki != 0.0;
            if needs_state && (q.is_nan() || v.is_nan()) {
                continue;
            }
            let (target, speed) = law.target.at(time_ns);
            let mut extra = law.feed_forward.at(time_ns).0;
            if law.ki != 0.0 {
                let integral = law.integral + law.ki * (target - q) * self.period_s;
                law.integral = integral.max(-law.integral_limit).min(law.integral_limit);
                extra += law.integral;
            }
            if let Some(holding) = gravity {
                extra += holding[law.dof];
            }
            match self.form {
                PdForm::Sampled => {
                    let effort = law.kp * (target - q) + law.kd * (speed - v) + extra;
                    command.values[i] = effort * law.scale;
                }
                PdForm::Drive => {
                    let values = [law.kp, law.kd, target, speed, extra];
                    command.values[i * DRIVE.len()..(i + 1) * DRIVE.len()].copy_from_slice(&values);
                }
            }
        }
        Ok(())
    }

    fn snapshot(&self, out: &mut Vec<u8>) {
        self.laws.iter().for_each(|law| out.extend_from_slice(&law.integral.to_le_bytes()));
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), ControllerError> {
        let (numbers, rest) = bytes.as_chunks::<8>();
        if numbers.len() != self.laws.len() || !rest.is_empty() {
            let what = format!("the snapshot has {} bytes for its {} integrals", bytes.len(), self.laws.len());
            return Err(ControllerError { controller: self.name.clone(), what });
        }
        for (law, number) in self.laws.iter_mut().zip(numbers) {
            law.integral = f64::from_le_bytes(*number);
        }
        Ok(())
    }
}

fn build(config: &ControllerConfig, site: &ControllerSite<'_>) -> Result<Built, ControlError> {
    let layout = site.setup.layout;
    let form = config.form.unwrap_or_default();
    if form == PdForm::Drive {
        check_drive(config, site)?;
    } else if config.drive_forms.is_some() {
        let what = "drive_forms has no effect while the law is sampled; set form = \"drive\" or remove it";
        return Err(ControlError::new(format!("{}/drive_forms", site.place), what));
    }
    let mut laws = Vec::new();
    let mut ports = Vec::new();
    for reach in reaches(config, site.setup.world, layout)? {
        let (law, place) = (reach.law, &reach.place);
        check_law(law, config, place)?;
        let dof = reach.dof;
        let limit = law.integral_limit.unwrap_or(layout.dofs[dof].effort_limit);
        laws.push(Law {
            dof,
            q: site.sensing.position_channels()[reach.position],
            v: site.sensing.velocity_channels()[dof],
            kp: law.kp,
            kd: law.kd,
            ki: law.ki,
            integral_limit: limit,
            target: Course::new(&law.target, &format!("{place}/target"))?,
            feed_forward: Course::new(&law.feed_forward, &format!("{place}/feed_forward"))?,
            scale: reach.scale,
            integral: 0.0,
        });
        match form {
            PdForm::Sampled => ports.push(reach.port),
            PdForm::Drive => ports.extend(DRIVE.map(|field| Port::Drive { dof, field })),
        }
    }
    let gravity = match config.gravity_compensation {
        Some(true) => Some(GravityCompensation::new(site)?),
        _ => None,
    };
    let period_s = site.timing.period_ns as f64 / 1e9;
    Ok(Built { controller: Box::new(Pd { name: config.name.clone(), laws, form, period_s, gravity }), ports })
}

fn check_drive(config: &ControllerConfig, site: &ControllerSite<'_>) -> Result<(), ControlError> {
    let has = site.setup.capabilities.drives;
    if has == DriveForm::None {
        let what = "the engine has no joint drives; set form = \"sampled\" or use an engine that has them";
        return Err(ControlError::new(format!("{}/form", site.place), what));
    }
    if let Some(allowed) = config.drive_forms.as_ref().filter(|a| !a.contains(&has)) {
        let what = format!("the engine's drives are {}, but the experiment only allows {}", word(has), {
            list(allowed.iter().map(|f| word(*f)))
        });
        return Err(ControlError::new(format!("{}/drive_forms", site.place), what));
    }
    if !config.actuators.is_empty() {
        let what = "a drive acts on joints inside the engine, past the model's actuators; list the joints under joints, or \
                    set form = \"sampled\"";
        return Err(ControlError::new(format!("{}/actuators", site.place), what));
    }
    Ok(())
}

fn word(form: DriveForm) -> &'static str {
    match form {
        DriveForm::Continuous => "continuous",
        DriveForm::Implicit => "implicit",
        DriveForm::Explicit => "explicit",
        DriveForm::None => "none",
    }
}

fn check_law(law: &JointLaw, config: &ControllerConfig, place: &str) -> Result<(), ControlError> {
    for (key, x) in
        [("kp", law.kp), ("kd", law.kd), ("ki", law.ki), ("integral_limit", law.integral_limit.unwrap_or(0.0))]
    {
        if !x.is_finite() {
            return Err(ControlError::new(format!("{place}/{key}"), format!("{x} must be a finite number")));
        }
    }
    if law.integral_limit.is_some_and(|l| l < 0.0) {
        return Err(ControlError::new(format!("{place}/integral_limit"), "a bound cannot be negative"));
    }
    if config.kind == "pd" && (law.ki != 0.0 || law.integral_limit.is_some()) {
        let key = if law.ki != 0.0 { "ki" } else { "integral_limit" };
        return Err(ControlError::new(format!("{place}/{key}"), "a pd has no integral part; use kind pid"));
    }
    Ok(())
}
