//! Every parameter of Rapier that changes motion, as a setting.
//!
//! Defaults are Rapier's own except where Rapier has a hidden limit: its caps on speed (400 m/s) and on rotation (an
//! eighth of a turn per step) are off unless a spec sets them.

use rapier3d_f64::dynamics::{FrictionModel, IntegrationParameters, SpringCoefficients};
use veracity_engine::{Setting, SettingKind, Settings, choice_words};

const JOINTS: &[(&str, Joints)] = &[("impulse", Joints::Impulse), ("multibody", Joints::Multibody)];

/// Whether drives are Rapier's motors.
const DRIVES: &[(&str, bool)] = &[("implicit", true), ("explicit", false)];

const FRICTION: &[(&str, FrictionModel)] =
    &[("simplified", FrictionModel::Simplified), ("coulomb", FrictionModel::Coulomb)];

const fn setting(key: &'static str, kind: SettingKind, default: &'static str, text: &'static str) -> Setting {
    Setting { key, kind, default, text }
}

/// The list.
pub const SETTINGS: &[Setting] = &[
    setting(
        "joints",
        SettingKind::Choice(choice_words!(JOINTS, 0)),
        "impulse",
        "how tree joints are enforced: by impulses between bodies, or by joint coordinates",
    ),
    setting(
        "iters",
        SettingKind::Integer(1, 1000),
        "4",
        "substeps of a step, each with a solve (num_solver_iterations)",
    ),
    setting(
        "pgs_iters",
        SettingKind::Integer(1, 1000),
        "1",
        "Gauss-Seidel sweeps with position correction per substep",
    ),
    setting("relax_iters", SettingKind::Integer(0, 1000), "1", "sweeps without position correction per substep"),
    setting(
        "drives",
        SettingKind::Choice(choice_words!(DRIVES, 0)),
        "implicit",
        "joint drives as Rapier's motors (end of each substep), or as efforts of the state at the step's beginning",
    ),
    setting(
        "warmstart",
        SettingKind::Real(0.0, 1.0),
        "1.0",
        "fraction of the last contact impulses a step begins with",
    ),
    setting("joint_warmstart", SettingKind::ON_OFF, "off", "whether impulse joints begin with their last impulses"),
    setting(
        "joint_hz",
        SettingKind::Real(1e-3, 1e12),
        "1e6",
        "natural frequency of locked joint axes and limits [Hz]",
    ),
    setting(
        "joint_damping_ratio",
        SettingKind::Real(0.0, 1e6),
        "1.0",
        "damping ratio of locked joint axes and limits",
    ),
    setting(
        "contact_hz",
        SettingKind::Real(1e-3, 1e12),
        "30.0",
        "natural frequency of contacts between moving bodies [Hz]",
    ),
    setting(
        "contact_damping_ratio",
        SettingKind::Real(0.0, 1e6),
        "10.0",
        "damping ratio of contacts between moving bodies",
    ),
    setting(
        "static_contact_hz",
        SettingKind::Real(1e-3, 1e12),
        "60.0",
        "natural frequency of contacts with fixed bodies [Hz]",
    ),
    setting(
        "static_contact_damping_ratio",
        SettingKind::Real(0.0, 1e6),
        "10.0",
        "damping ratio of contacts with fixed bodies",
    ),
    setting(
        "allowed_error_m",
        SettingKind::Real(0.0, 1e3),
        "0.005",
        "slop of the clamp on fast motion, per length unit [m]",
    ),
    setting(
        "max_correction_m_s",
        SettingKind::Real(0.0, f64::INFINITY),
        "3.0",
        "highest speed at which overlaps are separated, per length unit [m/s]",
    ),
    setting(
        "prediction_m",
        SettingKind::Real(0.0, 1e3),
        "0.02",
        "gap below which contacts are predicted, per length unit [m]",
    ),
    setting(
        "speed_cap_m_s",
        SettingKind::Real(1e-3, f64::INFINITY),
        "inf",
        "highest speed of a body, per length unit [m/s]",
    ),
    setting(
        "spin_cap",
        SettingKind::ON_OFF,
        "off",
        "whether a body may turn by no more than an eighth of a turn per step",
    ),
    setting(
        "gyroscopic",
        SettingKind::ON_OFF,
        "on",
        "gyroscopic torques of bodies outside multibodies (inside they always act)",
    ),
    setting(
        "friction",
        SettingKind::Choice(choice_words!(FRICTION, 0)),
        "simplified",
        "one friction constraint per patch, or one per point",
    ),
    setting(
        "friction_in_correction",
        SettingKind::ON_OFF,
        "off",
        "friction also acts in the sweeps with position correction",
    ),
    setting("clustering", SettingKind::ON_OFF, "on", "contact points of nearly equal normals are merged into four"),
    setting("recycling", SettingKind::ON_OFF, "on", "contact points are kept while the pair has hardly moved"),
    setting(
        "recycle_m",
        SettingKind::Real(0.0, 1e3),
        "0.05",
        "largest motion of a pair whose contact points are kept, per length unit [m]",
    ),
    setting("contact_skin_m", SettingKind::Real(0.0, 1e3), "0.0", "thickness added to every surface [m]"),
    setting(
        "ccd",
        SettingKind::ON_OFF,
        "off",
        "continuous collision detection against moving bodies too, not only fixed ones",
    ),
    setting(
        "soft_ccd_m",
        SettingKind::Real(0.0, 1e3),
        "0.0",
        "distance ahead of a body in which contacts are predicted [m]",
    ),
    setting(
        "ccd_substeps",
        SettingKind::Integer(0, 1000),
        "1",
        "parts a step is cut into at impacts of fast bodies; 0 lets them tunnel",
    ),
    setting("ccd_least_s", SettingKind::Real(1e-12, 1e3), "1.6666666666666666e-4", "shortest such part [s]"),
    setting(
        "moment_floor",
        SettingKind::Real(0.0, 1.0),
        "0.0",
        "fraction of a body's largest moment used in place of a zero one; at 0 such a body is refused",
    ),
    setting(
        "length_unit",
        SettingKind::Real(1e-9, 1e9),
        "1.0",
        "typical size of bodies, which scales the lengths and speeds above [m]",
    ),
];

/// How joints of the tree are enforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joints {
    /// Bodies have six coordinates each; impulses enforce the joints.
    Impulse,
    /// Joint coordinates.
    Multibody,
}

/// Settings in Rapier's own types, apart from [`IntegrationParameters`].
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// How joints are enforced.
    pub joints: Joints,
    /// Drives are Rapier's motors.
    pub implicit_drives: bool,
    /// Softness of joints.
    pub joint_softness: SpringCoefficients<f64>,
    /// Turning is capped.
    pub spin_cap: bool,
    /// Gyroscopic torques act.
    pub gyroscopic: bool,
    /// Fraction of the largest moment used in place of a zero one.
    pub moment_floor: f64,
    /// Thickness added to surfaces [m].
    pub contact_skin_m: f64,
    /// Continuous collision detection against moving bodies.
    pub ccd: bool,
    /// Distance of predicted contacts [m].
    pub soft_ccd_m: f64,
}

impl Tuning {
    /// From resolved settings.
    pub fn new(settings: &Settings) -> Self {
        Self {
            joints: settings.choice("joints", JOINTS),
            implicit_drives: settings.choice("drives", DRIVES),
            joint_softness: SpringCoefficients::new(settings.real("joint_hz"), settings.real("joint_damping_ratio")),
            spin_cap: settings.is_on("spin_cap"),
            gyroscopic: settings.is_on("gyroscopic"),
            moment_floor: settings.real("moment_floor"),
            contact_skin_m: settings.real("contact_skin_m"),
            ccd: settings.is_on("ccd"),
            soft_ccd_m: settings.real("soft_ccd_m"),
        }
    }
}

/// The parameters Rapier reads in every step. Every field is named: one that a later version adds does not compile
/// until it has a setting.
pub fn integration_parameters(settings: &Settings, step_s: f64) -> IntegrationParameters {
    let count = |key| settings.integer(key) as usize;
    let spring = |hz, ratio| SpringCoefficients::new(settings.real(hz), settings.real(ratio));
    // In Rapier the largest number means no cap.
    let cap = |key| settings.real(key).min(f64::MAX);
    IntegrationParameters {
        dt: step_s,
        min_ccd_dt: settings.real("ccd_least_s"),
        contact_softness: spring("contact_hz", "contact_damping_ratio"),
        static_contact_softness: spring("static_contact_hz", "static_contact_damping_ratio"),
        warmstart_coefficient: settings.real("warmstart"),
        length_unit: settings.real("length_unit"),
        soft_bodies: Default::default(), // A world has none.
        normalized_allowed_linear_error: settings.real("allowed_error_m"),
        normalized_max_corrective_velocity: cap("max_correction_m_s"),
        normalized_prediction_distance: settings.real("prediction_m"),
        normalized_max_linear_velocity: cap("speed_cap_m_s"),
        num_solver_iterations: count("iters"),
        num_internal_pgs_iterations: count("pgs_iters"),
        num_internal_stabilization_iterations: count("relax_iters"),
        max_ccd_substeps: count("ccd_substeps"),
        contact_clustering: settings.is_on("clustering"),
        contact_recycling: settings.is_on("recycling"),
        normalized_contact_recycle_distance: settings.real("recycle_m"),
        friction_in_bias_pass: settings.is_on("friction_in_correction"),
        warmstart_joints: settings.is_on("joint_warmstart"),
        friction_model: settings.choice("friction", FRICTION),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(text: &str) -> Settings {
        Settings::resolve("rapier", SETTINGS, &text.parse().unwrap()).unwrap()
    }

    #[test]
    fn default_settings_are_rapiers_except_for_the_cap_on_speed() {
        let ours = integration_parameters(&resolve("rapier"), 1.0 / 60.0);
        let rapiers = IntegrationParameters::default();
        assert_eq!(ours, IntegrationParameters { normalized_max_linear_velocity: f64::MAX, ..rapiers });
        let softness = Tuning::new(&resolve("rapier")).joint_softness;
        assert_eq!(softness, SpringCoefficients::joint_defaults());
    }

    #[test]
    fn every_setting_reaches_rapier() {
        let plain = resolve("rapier");
        for s in SETTINGS {
            let other = match s.kind {
                SettingKind::Choice(words) => words.iter().find(|w| **w != s.default).unwrap().to_string(),
                SettingKind::Integer(_, high) => high.to_string(),
                SettingKind::Real(low, high) => if high.is_finite() { high } else { low.max(1.0) }.to_string(),
            };
            // The largest share of warm starting is the default.
            let other = if s.key == "warmstart" { "0.5".to_string() } else { other };
            let changed = resolve(&format!("rapier:{}={other}", s.key));
            let seen = |settings: &Settings| {
                format!("{:?} {:?}", integration_parameters(settings, 1e-3), Tuning::new(settings))
            };
            assert_ne!(seen(&changed), seen(&plain), "{} changes nothing", s.key);
        }
    }
}
