//! Settings of ODE.

use veracity_engine::{Setting, SettingKind};

/// Every setting that changes motion, with ODE's own defaults unless the text says otherwise.
pub const SETTINGS: &[Setting] = &[
    Setting {
        key: "solver",
        kind: SettingKind::Choice(&["world", "quick"]),
        default: "world",
        text: "dWorldStep, a direct solver, or dWorldQuickStep, sweeps over the constraints",
    },
    Setting { key: "iters", kind: SettingKind::Integer(1, 100_000), default: "20", text: "sweeps of quick" },
    Setting { key: "sor", kind: SettingKind::Real(0.01, 2.0), default: "1.3", text: "over-relaxation of quick" },
    Setting {
        key: "erp",
        kind: SettingKind::Real(0.0, 1.0),
        default: "0.2",
        text: "fraction of a constraint's error corrected in a step",
    },
    Setting {
        key: "cfm",
        kind: SettingKind::Real(0.0, 1e6),
        default: "1e-10",
        text: "softness of constraints [rad/(N m s) or m/(N s)]",
    },
    Setting {
        key: "max_correction_m_s",
        kind: SettingKind::Real(0.0, f64::INFINITY),
        default: "inf",
        text: "fastest separation of overlapping bodies [m/s]",
    },
    Setting {
        key: "surface_layer_m",
        kind: SettingKind::Real(0.0, 1.0),
        default: "0",
        text: "overlap that contacts do not correct [m]",
    },
    Setting {
        key: "contacts",
        kind: SettingKind::Integer(1, 64),
        default: "8",
        text: "most points of two shapes; ODE has no default",
    },
    Setting {
        key: "bounce_speed_m_s",
        kind: SettingKind::Real(0.0, 1e6),
        default: "0.01",
        text: "approach speed below which nothing bounces [m/s]; ODE has no default",
    },
    Setting { key: "gyroscopic", kind: SettingKind::ON_OFF, default: "on", text: "gyroscopic torques" },
];
