//! Ports: what each number of a command does, given by the name of its channel, so that any program can command them:
//!
//! | channel | acts as |
//! |---|---|
//! | `efforts/JOINT` | effort on a joint [N m or N], clamped to its effort limit |
//! | `actuators/ACTUATOR` | command of an actuator of the model, whose law gives the effort |
//! | `forces/BODY/x` (`y`, `z`) | force on a body's centre of mass, world axes [N] |
//! | `torques/BODY/x` (`y`, `z`) | torque on a body, world axes [N m] |
//! | `drives/JOINT/target` (`target_speed`, `feed_forward`, `kp`, `kd`) | a joint drive inside the engine |
//!
//! Efforts, forces and torques of several controllers add up; an actuator or a drive has only one controller.

use crate::address::{dof_name, dof_named, effort_unit, motion_units, turns};
use crate::error::list;
use veracity_model::Layout;

/// Which number of a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriveField {
    /// [rad or m]
    Target,
    /// [rad/s or m/s]
    TargetSpeed,
    /// [N m or N]
    FeedForward,
    /// [N m/rad or N/m]
    Kp,
    /// [N m s/rad or N s/m]
    Kd,
}

/// Names of the fields in channels.
const DRIVE_FIELDS: [(&str, DriveField); 5] = [
    ("kp", DriveField::Kp),
    ("kd", DriveField::Kd),
    ("target", DriveField::Target),
    ("target_speed", DriveField::TargetSpeed),
    ("feed_forward", DriveField::FeedForward),
];

const AXES: [&str; 3] = ["x", "y", "z"];

/// What one channel of a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Port {
    /// Effort along a degree of freedom.
    Effort {
        /// Index in `v`.
        dof: usize,
    },
    /// Command of an actuator.
    Actuator {
        /// Slot in the layout.
        slot: usize,
    },
    /// A component of a force on a body.
    Force {
        /// Slot in the layout.
        body: usize,
        /// 0 x, 1 y, 2 z.
        axis: usize,
    },
    /// A component of a torque on a body.
    Torque {
        /// Slot in the layout.
        body: usize,
        /// 0 x, 1 y, 2 z.
        axis: usize,
    },
    /// A number of a joint drive.
    Drive {
        /// Index in `v`.
        dof: usize,
        /// Which number.
        field: DriveField,
    },
}

impl Port {
    /// Every port of a world.
    pub fn all(layout: &Layout) -> Vec<Self> {
        let dofs = 0..layout.dof_position.len();
        let axes = || (0..layout.bodies.len()).flat_map(|body| (0..AXES.len()).map(move |axis| (body, axis)));
        let driven = dofs.clone().filter(|dof| layout.dof_position[*dof].is_some());
        let fields = |dof| DRIVE_FIELDS.iter().map(move |(_, field)| Self::Drive { dof, field: *field });
        let efforts = dofs.map(|dof| Self::Effort { dof });
        let actuators = (0..layout.actuators.len()).map(|slot| Self::Actuator { slot });
        let forces = axes().map(|(body, axis)| Self::Force { body, axis });
        let torques = axes().map(|(body, axis)| Self::Torque { body, axis });
        efforts.chain(actuators).chain(driven.flat_map(fields)).chain(forces).chain(torques).collect()
    }

    /// Reads a channel's name.
    pub fn parse(layout: &Layout, channel: &str) -> Result<Self, String> {
        let unknown = || {
            format!(
                "'{channel}' is not a command channel; write efforts/JOINT, actuators/ACTUATOR, forces/BODY/x, torques/BODY/x \
                 or drives/JOINT/target"
            )
        };
        let (family, rest) = channel.split_once('/').ok_or_else(unknown)?;
        let last = || rest.rsplit_once('/').ok_or_else(unknown);
        let body_axis = || {
            let (body, axis) = last()?;
            let slot = layout.body(body).ok_or_else(|| {
                format!("unknown body '{body}'; available: {}", list(layout.bodies.iter().map(|b| b.name.as_str())))
            })?;
            let axis = AXES.iter().position(|a| *a == axis).ok_or_else(unknown)?;
            Ok::<_, String>((slot, axis))
        };
        match family {
            "efforts" => dof_named(layout, rest).map(|dof| Port::Effort { dof }),
            "actuators" => match layout.actuator(rest) {
                Some(slot) => Ok(Port::Actuator { slot }),
                None => {
                    let known = list(layout.actuators.iter().map(String::as_str));
                    Err(format!("unknown actuator '{rest}'; available: {known}"))
                }
            },
            "forces" => body_axis().map(|(body, axis)| Port::Force { body, axis }),
            "torques" => body_axis().map(|(body, axis)| Port::Torque { body, axis }),
            "drives" => {
                let (joint, field) = last()?;
                let dof = dof_named(layout, joint)?;
                if layout.dof_position[dof].is_none() {
                    return Err(format!("'{joint}' has no single position that a drive could hold"));
                }
                let field = DRIVE_FIELDS.iter().find(|(name, _)| *name == field).ok_or_else(unknown)?.1;
                Ok(Port::Drive { dof, field })
            }
            _ => Err(unknown()),
        }
    }

    /// The full name and unit of its channel.
    pub fn channel(&self, layout: &Layout) -> (String, String) {
        let (name, unit): (String, &str) = match *self {
            Port::Effort { dof } => (format!("efforts/{}", dof_name(layout, dof)), effort_unit(layout, dof)),
            // Its unit depends on the actuator: a position, a speed, or an input that its gain turns into an effort.
            Port::Actuator { slot } => (format!("actuators/{}", layout.actuators[slot]), ""),
            Port::Force { body, axis } => (format!("forces/{}/{}", layout.bodies[body].name, AXES[axis]), "N"),
            Port::Torque { body, axis } => (format!("torques/{}/{}", layout.bodies[body].name, AXES[axis]), "N m"),
            Port::Drive { dof, field } => {
                let word = DRIVE_FIELDS.iter().find(|(_, f)| *f == field).map_or("", |(word, _)| word);
                let turning = turns(layout, dof);
                let unit = match field {
                    DriveField::Target => motion_units(layout, dof)[0],
                    DriveField::TargetSpeed => motion_units(layout, dof)[1],
                    DriveField::FeedForward => effort_unit(layout, dof),
                    DriveField::Kp if turning => "N m/rad",
                    DriveField::Kp => "N/m",
                    DriveField::Kd if turning => "N m s/rad",
                    DriveField::Kd => "N s/m",
                };
                (format!("drives/{}/{word}", dof_name(layout, dof)), unit)
            }
        };
        (name, unit.to_string())
    }
}
