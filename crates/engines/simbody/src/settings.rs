//! Everything that can be told to Simbody.

use veracity_engine::{Setting, SettingKind};

const fn setting(key: &'static str, kind: SettingKind, default: &'static str, text: &'static str) -> Setting {
    Setting { key, kind, default, text }
}

/// Every setting that changes motion.
pub const SETTINGS: &[Setting] = &[
    setting(
        "integrator",
        SettingKind::Choice(&["semi_explicit_euler", "rkm", "rk3", "verlet"]),
        "rkm",
        "one step of Euler's, or steps with error control inside each of ours: Runge-Kutta-Merson, Runge-Kutta 3, Verlet",
    ),
    setting(
        "accuracy",
        SettingKind::Real(1e-14, 0.1),
        "1e-3",
        "of the integrators with error control; Simbody's default",
    ),
    setting(
        "max_internal_steps",
        SettingKind::Integer(1, 1_000_000_000),
        "1000",
        "in one step of ours, before it is given up",
    ),
    setting("constraint_tolerance", SettingKind::Real(1e-15, 1.0), "1e-4", "of loops and quaternions"),
    setting("limit_stiffness", SettingKind::Real(0.0, 1e12), "1e6", "of stops [N m/rad or N/m]; the caller's choice"),
    setting("limit_dissipation", SettingKind::Real(0.0, 1e6), "10", "of stops [s/rad or s/m]; the caller's choice"),
];
