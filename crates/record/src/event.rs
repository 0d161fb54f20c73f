//! The event log: one line for each change that smooth motion does not show.

use serde::{Deserialize, Serialize};

/// Kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// Two bodies came into contact with a closing speed.
    Impact,
    /// Two bodies came into contact without one.
    Touch,
    /// A contact came to rest.
    Rest,
    /// A contact opened.
    Liftoff,
    /// A sticking contact began to slip.
    Slip,
    /// A slipping contact began to stick.
    Stick,
    /// A joint reached its limit.
    Limit,
    /// A local minimum of a positive gap.
    NearMiss,
    /// A guard of the scenario crossed its level.
    Guard,
}

impl EventKind {
    /// All kinds, in order.
    pub const ALL: [EventKind; 9] = [
        EventKind::Impact,
        EventKind::Touch,
        EventKind::Rest,
        EventKind::Liftoff,
        EventKind::Slip,
        EventKind::Stick,
        EventKind::Limit,
        EventKind::NearMiss,
        EventKind::Guard,
    ];

    /// Its name in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            EventKind::Impact => "impact",
            EventKind::Touch => "touch",
            EventKind::Rest => "rest",
            EventKind::Liftoff => "liftoff",
            EventKind::Slip => "slip",
            EventKind::Stick => "stick",
            EventKind::Limit => "limit",
            EventKind::NearMiss => "near_miss",
            EventKind::Guard => "guard",
        }
    }

    /// The kind with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// One line of the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// [s]
    pub time: f64,
    /// Half the width of the bracket around it [s]; zero where the engine located it to the resolution of time.
    pub time_error: f64,
    /// Index among the events of the same step.
    pub substep: u32,
    /// Named pair, joint or guard.
    pub pair: String,
    /// How often this kind has occurred for this pair, from 1.
    pub ordinal: u32,
    /// Kind of event.
    pub kind: EventKind,
    /// Normal speed before [m/s]; NaN where it has no meaning.
    pub normal_speed: f64,
    /// Tangential speed before [m/s].
    pub tangential_speed: f64,
    /// Normal impulse [N s].
    pub normal_impulse: f64,
    /// Tangential impulse [N s].
    pub tangential_impulse: f64,
    /// [m]
    pub gap: f64,
}
