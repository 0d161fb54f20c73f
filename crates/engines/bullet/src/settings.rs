//! Settings of Bullet, with its own defaults unless the text says otherwise.

use veracity_engine::{Setting, SettingKind};

const fn setting(key: &'static str, kind: SettingKind, default: &'static str, text: &'static str) -> Setting {
    Setting { key, kind, default, text }
}

/// Every setting that changes motion.
pub const SETTINGS: &[Setting] = &[
    setting(
        "coordinates",
        SettingKind::Choice(&["multibody", "maximal"]),
        "multibody",
        "joint coordinates by Featherstone's algorithm, or bodies with joints as constraints between them",
    ),
    setting(
        "iters",
        SettingKind::Integer(1, 100_000),
        "10",
        "sweeps over contacts, limits, dry friction and, in maximal coordinates, joints",
    ),
    setting("sor", SettingKind::Real(0.01, 2.0), "1", "over-relaxation of the sweeps"),
    setting(
        "erp",
        SettingKind::Real(0.0, 1.0),
        "0.2",
        "fraction of the error of a joint or limit corrected in a step",
    ),
    setting("contact_erp", SettingKind::Real(0.0, 1.0), "0.2", "fraction of an overlap corrected in a step"),
    setting(
        "bounce_erp",
        SettingKind::Real(0.0, 1.0),
        "0",
        "the same for surfaces that bounce; Bullet's own is contact_erp, whose speed adds to that of the bounce",
    ),
    setting("cfm", SettingKind::Real(0.0, 1e6), "0", "softness of constraints"),
    setting("slop_m", SettingKind::Real(0.0, 1.0), "0", "overlap that contacts do not correct [m]"),
    setting(
        "split_impulse",
        SettingKind::ON_OFF,
        "on",
        "whether overlaps beyond split_threshold_m are corrected without adding velocity (maximal)",
    ),
    setting(
        "split_threshold_m",
        SettingKind::Real(0.0, 1e6),
        "0",
        "overlap from which impulses are split [m]; Bullet's own is 0.04",
    ),
    setting(
        "warm_start",
        SettingKind::Real(0.0, 1.0),
        "0.85",
        "fraction of a point's last impulse that a step begins with",
    ),
    setting(
        "friction_directions",
        SettingKind::Choice(&["one", "two"]),
        "two",
        "one: along the slip in maximal coordinates, along some tangent in multibodies, which leaves the other without \
         friction; Bullet's own is one",
    ),
    setting(
        "bounce_speed_m_s",
        SettingKind::Real(0.0, 1e6),
        "0.2",
        "approach speed below which nothing bounces [m/s]",
    ),
    setting(
        "gyroscopic",
        SettingKind::Choice(&["implicit_body", "implicit_world", "explicit", "off"]),
        "implicit_body",
        "gyroscopic torques of bodies in maximal coordinates",
    ),
    setting(
        "margin_m",
        SettingKind::Real(0.0, 1.0),
        "0.001",
        "rounding inside the edges of boxes and cylinders, at most a tenth of their size [m]; Bullet's own is 0.04",
    ),
    setting("breaking_m", SettingKind::Real(0.0, 1.0), "0.02", "gap below which points are considered [m]"),
    setting(
        "lookahead_m",
        SettingKind::Real(0.0, f64::INFINITY),
        "1e-5",
        "gap below which points act [m]; Bullet's own is inf: approaching bodies lose speed before they bounce",
    ),
    setting(
        "perturbations",
        SettingKind::Integer(0, 64),
        "0",
        "perturbed rotations with which two convex shapes find more than one point in a step",
    ),
    setting(
        "contact_cache",
        SettingKind::Choice(&["kept", "dropped"]),
        "kept",
        "whether points are kept from step to step; snapshots are supported only with dropped",
    ),
];
