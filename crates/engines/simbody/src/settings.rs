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
        "100000",
        "in one step of ours, before it is given up; an impact that sticks takes thousands",
    ),
    setting("constraint_tolerance", SettingKind::Real(1e-15, 1.0), "1e-4", "of loops and quaternions"),
    setting(
        "modulus_pa",
        SettingKind::Real(1.0, 1e15),
        "1e9",
        "plane-strain modulus of spheres, ellipsoids and what they touch [Pa]; the caller's choice",
    ),
    setting(
        "corner_stiffness_n_per_m",
        SettingKind::Real(1.0, 1e15),
        "1e6",
        "of the springs at the corners of boxes and of the planes below them [N/m]; the caller's choice",
    ),
    setting(
        "transition_speed_m_s",
        SettingKind::Real(1e-9, 1e3),
        "1e-3",
        "of sliding, below which friction is less than its coefficient says [m/s]; Simbody's is 0.01",
    ),
    setting(
        "restitution_speed_m_s",
        SettingKind::Real(1e-6, 1e3),
        "1",
        "of the impacts whose restitution is what the world says [m/s]; the caller's choice",
    ),
    setting(
        "rebound_speed_m_s",
        SettingKind::Real(1e-6, 1e3),
        "0.01",
        "at which a surface of restitution 0 throws back, at most [m/s]; the caller's choice",
    ),
    setting("limit_stiffness", SettingKind::Real(0.0, 1e12), "1e6", "of stops [N m/rad or N/m]; the caller's choice"),
    setting("limit_dissipation", SettingKind::Real(0.0, 1e6), "10", "of stops [s/rad or s/m]; the caller's choice"),
];
