//! Settings of Simbody.

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
        "one Euler step, or internal steps with error control within each step: Runge-Kutta-Merson, Runge-Kutta 3, Verlet",
    ),
    setting(
        "accuracy",
        SettingKind::Real(1e-14, 0.1),
        "1e-3",
        "accuracy of the integrators with error control; Simbody's default",
    ),
    setting(
        "max_internal_steps",
        SettingKind::Integer(1, 1_000_000_000),
        "100000",
        "most internal steps within one step; an impact that sticks takes thousands",
    ),
    setting("constraint_tolerance", SettingKind::Real(1e-15, 1.0), "1e-4", "tolerance of loops and quaternions"),
    setting(
        "modulus_pa",
        SettingKind::Real(1.0, 1e15),
        "1e9",
        "plane-strain modulus of spheres, ellipsoids and the shapes they touch [Pa]; Simbody has no default",
    ),
    setting(
        "corner_stiffness_n_per_m",
        SettingKind::Real(1.0, 1e15),
        "1e6",
        "stiffness of the springs at the corners of boxes and of the planes below them [N/m]; Simbody has no default",
    ),
    setting(
        "transition_speed_m_s",
        SettingKind::Real(1e-9, 1e3),
        "1e-3",
        "sliding speed below which friction is less than its coefficient [m/s]; Simbody's is 0.01",
    ),
    setting(
        "restitution_speed_m_s",
        SettingKind::Real(1e-6, 1e3),
        "1",
        "speed of impacts whose restitution is the world's [m/s]; Simbody has no default",
    ),
    setting(
        "rebound_speed_m_s",
        SettingKind::Real(1e-6, 1e3),
        "0.01",
        "highest rebound speed of a surface of restitution 0 [m/s]; Simbody has no default",
    ),
    setting(
        "limit_stiffness",
        SettingKind::Real(0.0, 1e12),
        "1e6",
        "stiffness of limits [N m/rad or N/m]; Simbody has no default",
    ),
    setting(
        "limit_dissipation",
        SettingKind::Real(0.0, 1e6),
        "10",
        "dissipation of limits [s/rad or s/m]; Simbody has no default",
    ),
];
