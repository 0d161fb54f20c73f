//! Common part of constant, scheduled and sinusoidal commands: functions of time, independent of the robot.

use super::{Built, ControllerSite};
use crate::config::{ControllerConfig, Profile};
use crate::controller::{Controller, ControllerError};
use crate::error::ControlError;
use crate::port::Port;
use crate::profile::Course;
use crate::signal_layout::{Command, Observation};

/// One course for each number of the command. Has no memory.
pub(super) struct OpenLoop {
    pub courses: Vec<Course>,
    /// For messages.
    pub name: String,
}

impl Controller for OpenLoop {
    fn reset(&mut self) -> Result<(), ControllerError> {
        Ok(())
    }

    fn activate(&mut self, time_ns: i64, _: &Observation, command: &mut Command) -> Result<(), ControllerError> {
        for (value, course) in command.values.iter_mut().zip(&self.courses) {
            *value = course.at(time_ns).0;
        }
        Ok(())
    }

    fn snapshot(&self, _: &mut Vec<u8>) {}

    fn restore(&mut self, bytes: &[u8]) -> Result<(), ControllerError> {
        if bytes.is_empty() {
            return Ok(());
        }
        let what = "it has no memory, but the snapshot has bytes for it".to_string();
        Err(ControllerError { controller: self.name.clone(), what })
    }
}

/// Keys of all three kinds.
pub(super) const KEYS: &[&str] = &["efforts", "commands", "wrenches"];

/// Builds from `efforts`, `commands` and `wrenches` whose profiles `takes` accepts; `hint` says what to do with others.
pub(super) fn build(
    config: &ControllerConfig,
    site: &ControllerSite<'_>,
    takes: fn(&Profile) -> bool,
    hint: &str,
) -> Result<Built, ControlError> {
    let (mut ports, mut courses) = (Vec::new(), Vec::new());
    let mut add = |channel: String, place: String, profile: &Profile| {
        let port = Port::parse(site.setup.layout, &channel).map_err(|what| ControlError::new(&place, what))?;
        if !takes(profile) {
            return Err(ControlError::new(place, hint));
        }
        courses.push(Course::new(profile, &place)?);
        ports.push(port);
        Ok(())
    };
    for (joint, profile) in &config.efforts {
        add(format!("efforts/{joint}"), format!("{}/efforts/{joint}", site.place), profile)?;
    }
    for (actuator, profile) in &config.commands {
        add(format!("actuators/{actuator}"), format!("{}/commands/{actuator}", site.place), profile)?;
    }
    for (i, wrench) in config.wrenches.iter().enumerate() {
        for (family, key, components) in
            [("forces", "force_n", &wrench.force_n), ("torques", "torque_nm", &wrench.torque_nm)]
        {
            for (axis, profile) in ["x", "y", "z"].into_iter().zip(components).filter(|(_, p)| !p.is_zero()) {
                add(
                    format!("{family}/{}/{axis}", wrench.body),
                    format!("{}/wrenches/{i}/{key}", site.place),
                    profile,
                )?;
            }
        }
    }
    if ports.is_empty() {
        return Err(ControlError::new(&site.place, "it commands nothing; give it efforts, commands or wrenches"));
    }
    Ok(Built { controller: Box::new(OpenLoop { courses, name: config.name.clone() }), ports })
}
