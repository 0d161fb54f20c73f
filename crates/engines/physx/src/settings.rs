//! Settings of PhysX, with its own defaults unless the text says otherwise.

use veracity_engine::{Setting, SettingKind};

const fn setting(key: &'static str, kind: SettingKind, default: &'static str, text: &'static str) -> Setting {
    Setting { key, kind, default, text }
}

/// Every setting that changes motion.
pub const SETTINGS: &[Setting] = &[
    setting(
        "solver",
        SettingKind::Choice(&["tgs", "pgs"]),
        "tgs",
        "temporal Gauss-Seidel, whose sweeps are small steps, or projected Gauss-Seidel; PhysX's own is pgs",
    ),
    setting("iters", SettingKind::Integer(1, 255), "4", "sweeps that also correct positions"),
    setting("velocity_iters", SettingKind::Integer(0, 255), "1", "sweeps over velocities after them"),
    setting(
        "friction",
        SettingKind::Choice(&["patch", "one_direction", "two_directions"]),
        "patch",
        "anchors of a patch of contacts, or constraint rows of each contact along one or two directions (pgs only)",
    ),
    setting(
        "friction_every_iteration",
        SettingKind::ON_OFF,
        "off",
        "whether pgs sweeps over friction in every iteration, or in the last three",
    ),
    setting("strong_friction", SettingKind::ON_OFF, "on", "whether anchors of friction accumulate their slip"),
    setting(
        "improved_patch",
        SettingKind::ON_OFF,
        "on",
        "whether two anchors of a patch share its friction; PhysX's own is off: each anchor has the full friction",
    ),
    setting(
        "friction_offset_m",
        SettingKind::Real(0.0, 1e6),
        "0.04",
        "gap above which a contact has no friction [m]",
    ),
    setting(
        "correlation_distance_m",
        SettingKind::Real(0.0, 1e6),
        "0.025",
        "distance of contacts that share an anchor of friction [m]",
    ),
    setting(
        "bounce_speed_m_s",
        SettingKind::Real(1e-12, 1e6),
        "0.01",
        "approach speed below which nothing bounces [m/s]; PhysX's own is 2",
    ),
    setting(
        "contact_offset_m",
        SettingKind::Real(1e-9, 10.0),
        "0.02",
        "half the gap below which contacts are created [m]",
    ),
    setting("rest_offset_m", SettingKind::Real(-1.0, 10.0), "0", "half the gap at which bodies rest [m]"),
    setting(
        "contacts",
        SettingKind::Choice(&["pcm", "sat"]),
        "pcm",
        "manifolds that persist from step to step, or contacts found in each step by separating axes",
    ),
    setting("average_point", SettingKind::ON_OFF, "off", "whether a patch gets an additional contact at its centre"),
    setting(
        "ccd",
        SettingKind::Choice(&["off", "speculative", "swept"]),
        "off",
        "continuous collision detection, against bodies that pass through each other in a step",
    ),
    setting(
        "max_depenetration_m_s",
        SettingKind::Real(0.0, f64::INFINITY),
        "inf",
        "fastest separation of overlapping bodies [m/s]",
    ),
    setting(
        "max_bias",
        SettingKind::Real(0.0, f64::INFINITY),
        "inf",
        "largest rate at which an error is corrected [1/s]",
    ),
    setting(
        "contact_slop",
        SettingKind::Real(0.0, 1.0),
        "0",
        "distance from the centre of mass within which a contact's line is moved to pass through it",
    ),
    setting("stabilization", SettingKind::ON_OFF, "off", "whether bodies of low energy are damped and frozen"),
    setting(
        "stabilization_energy",
        SettingKind::Real(0.0, 1e6),
        "0.0025",
        "energy per mass below which stabilization acts [m²/s²]",
    ),
    setting("gyroscopic", SettingKind::ON_OFF, "on", "gyroscopic torques; PhysX's own is off"),
    setting(
        "limit_distance",
        SettingKind::Real(0.0, 10.0),
        "0",
        "distance from a joint's limit at which the limit becomes active [rad or m], at most 0.49 of the range; PhysX's \
         own is 0.1 rad or 0.01 m, within which tgs slows a joint down before it reaches the limit",
    ),
    setting(
        "preprocessing",
        SettingKind::ON_OFF,
        "on",
        "whether the constraint rows of a joint are made independent before the sweeps",
    ),
    setting(
        "enhanced_determinism",
        SettingKind::ON_OFF,
        "off",
        "whether the motion of a body is independent of unrelated bodies",
    ),
    setting(
        "contact_cache",
        SettingKind::Choice(&["kept", "dropped"]),
        "kept",
        "whether contacts are kept from step to step; snapshots are supported only with dropped",
    ),
];
