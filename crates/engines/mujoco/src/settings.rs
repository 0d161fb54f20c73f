//! Settings of MuJoCo, with its own defaults unless the text says otherwise.

use veracity_engine::{Setting, SettingKind};

const fn setting(key: &'static str, kind: SettingKind, default: &'static str, text: &'static str) -> Setting {
    Setting { key, kind, default, text }
}

/// Every setting that changes motion.
pub const SETTINGS: &[Setting] = &[
    setting(
        "integrator",
        SettingKind::Choice(&["euler", "implicitfast", "implicit", "rk4"]),
        "euler",
        "semi-implicit Euler, the same with implicit velocity-dependent forces, or Runge-Kutta of order 4",
    ),
    setting("cone", SettingKind::Choice(&["pyramidal", "elliptic"]), "pyramidal", "form of the friction cone"),
    setting("solver", SettingKind::Choice(&["newton", "cg", "pgs"]), "newton", "solver of the contact problem"),
    setting(
        "jacobian",
        SettingKind::Choice(&["auto", "dense", "sparse"]),
        "auto",
        "storage of the constraint problem; auto is sparse from 60 degrees of freedom on. Only rounding may depend on it",
    ),
    setting("iters", SettingKind::Integer(1, 100_000), "100", "most iterations of the solver"),
    setting(
        "tolerance",
        SettingKind::Real(0.0, 1.0),
        "1e-8",
        "tolerance at which the solver ends, scaled by the model",
    ),
    setting("ls_iters", SettingKind::Integer(1, 10_000), "50", "most iterations of a line search"),
    setting("ls_tolerance", SettingKind::Real(0.0, 1.0), "0.01", "tolerance of a line search"),
    setting("noslip_iters", SettingKind::Integer(0, 100_000), "0", "sweeps after the solve that remove creep"),
    setting("noslip_tolerance", SettingKind::Real(0.0, 1.0), "1e-6", "tolerance of those sweeps"),
    setting(
        "impratio",
        SettingKind::Real(1e-3, 1e9),
        "1",
        "ratio of the stiffness of friction to that of the normal",
    ),
    setting("ccd_iters", SettingKind::Integer(1, 10_000), "50", "most iterations of the convex collider"),
    setting("ccd_tolerance", SettingKind::Real(0.0, 1.0), "1e-6", "tolerance of the convex collider [m]"),
    setting("multiccd", SettingKind::ON_OFF, "off", "several points between convex shapes"),
    setting("warmstart", SettingKind::ON_OFF, "on", "the solver begins where the last step ended"),
    setting("eulerdamp", SettingKind::ON_OFF, "on", "damping of joints is implicit under euler"),
    setting("refsafe", SettingKind::ON_OFF, "on", "solref_time_s is at least two steps"),
    setting(
        "solref_time_s",
        SettingKind::Real(1e-6, 10.0),
        "0.02",
        "time constant of contacts, limits and loops [s]",
    ),
    setting("solref_ratio", SettingKind::Real(1e-3, 1e3), "1", "damping ratio of contacts, limits and loops"),
    setting("solimp_min", SettingKind::Real(1e-4, 0.9999), "0.9", "impedance where constraints begin"),
    setting(
        "solimp_max",
        SettingKind::Real(1e-4, 0.9999),
        "0.95",
        "impedance where constraints are violated by solimp_width_m",
    ),
    setting(
        "solimp_width_m",
        SettingKind::Real(0.0, 10.0),
        "0.001",
        "violation at which solimp_max is reached [m or rad]",
    ),
    setting("margin_m", SettingKind::Real(0.0, 1.0), "0", "distance at which contacts begin [m]"),
];
