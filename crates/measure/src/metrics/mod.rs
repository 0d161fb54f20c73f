//! The list of metrics of one record: one file and one line each.

pub mod constraint_angle;
pub mod constraint_violation;
pub mod cost;
pub mod creep_rate;
pub mod displacement;
pub mod displacement_angle;
pub mod dropped;
pub mod elastic_energy_error;
pub mod energy_error;
pub mod exceeded;
pub mod fell;
pub mod flip_period;
pub mod gap;
pub mod grasp_corrected;
pub mod grasp_published;
pub mod held;
pub mod highest;
pub mod jitter;
pub mod joint_error;
pub mod joint_limit_violation;
pub mod joint_speed_error;
pub mod momentum_error;
pub mod orientation_error;
pub mod overlap;
pub mod penetration;
pub mod period;
pub mod position_error;
pub mod reached;
pub mod relative_angle;
pub mod relative_displacement;
pub mod scalar_error;
pub mod sink;
pub mod slip;
pub mod spin_error;
pub mod tunnelled;
pub mod velocity_error;

use crate::metric::MetricEntry;

/// Metrics that read the contacts of a record, directly or to know whether anything touched.
pub const READ_CONTACTS: &[&str] =
    &["dropped", "held", "slip", "momentum_error", "energy_error", "elastic_energy_error"];

/// Every metric of one record, in display order.
pub const METRICS: &[MetricEntry] = &[
    position_error::ENTRY,
    orientation_error::ENTRY,
    joint_error::ENTRY,
    velocity_error::ENTRY,
    spin_error::ENTRY,
    joint_speed_error::ENTRY,
    energy_error::ENTRY,
    momentum_error::ENTRY,
    elastic_energy_error::ENTRY,
    constraint_violation::ENTRY,
    constraint_angle::ENTRY,
    joint_limit_violation::ENTRY,
    gap::ENTRY,
    penetration::ENTRY,
    overlap::ENTRY,
    tunnelled::ENTRY,
    slip::ENTRY,
    creep_rate::ENTRY,
    displacement::ENTRY,
    displacement_angle::ENTRY,
    sink::ENTRY,
    jitter::ENTRY,
    grasp_published::ENTRY,
    grasp_corrected::ENTRY,
    relative_displacement::ENTRY,
    relative_angle::ENTRY,
    held::ENTRY,
    dropped::ENTRY,
    fell::ENTRY,
    reached::ENTRY,
    exceeded::ENTRY,
    highest::ENTRY,
    period::ENTRY,
    flip_period::ENTRY,
    scalar_error::ENTRY,
    cost::ENTRY,
];

/// The metric with this name.
pub fn find(name: &str) -> Option<&'static MetricEntry> {
    METRICS.iter().find(|m| m.name == name)
}
