//! Settings of DART, with its own defaults unless the text says otherwise.

use veracity_engine::{Setting, SettingKind};

const fn setting(key: &'static str, kind: SettingKind, default: &'static str, text: &'static str) -> Setting {
    Setting { key, kind, default, text }
}

/// Every setting that changes motion.
pub const SETTINGS: &[Setting] = &[
    setting(
        "solver",
        SettingKind::Choice(&["dantzig", "pgs"]),
        "dantzig",
        "impulse solver of contacts, limits and dry friction: direct, with sweeps where it fails, or sweeps alone",
    ),
    setting("iters", SettingKind::Integer(1, 100_000), "30", "most sweeps of pgs"),
    setting("tolerance", SettingKind::Real(0.0, 1.0), "1e-6", "change of a sweep at which pgs ends"),
    setting(
        "relative_tolerance",
        SettingKind::Real(0.0, 1.0),
        "1e-3",
        "relative change of a sweep at which pgs ends",
    ),
    setting(
        "collision",
        SettingKind::Choice(&["bullet", "ode", "dart", "fcl"]),
        "ode",
        "collision detector; DART's own default is fcl, which has no plane",
    ),
    setting("contacts", SettingKind::Integer(1, 100_000), "1000", "most points of a step"),
    setting("contact_erp", SettingKind::Real(0.0, 1.0), "0.01", "fraction of an overlap corrected in a step"),
    setting("contact_allowance_m", SettingKind::Real(0.0, 1.0), "0", "overlap that is not corrected [m]"),
    setting("contact_max_correction_m_s", SettingKind::Real(0.0, 1e9), "0.001", "fastest separation [m/s]"),
    setting("contact_cfm", SettingKind::Real(0.0, 1.0), "1e-5", "softness of contacts"),
    setting("limit_erp", SettingKind::Real(0.0, 1.0), "0.01", "fraction of a limit's violation corrected in a step"),
    setting(
        "limit_max_correction_m_s",
        SettingKind::Real(0.0, 1e9),
        "10",
        "fastest return to a limit [rad/s or m/s]",
    ),
];
