//! Settings of the penalty paradigm.

use super::normal::Elastic;

/// Friction law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrictionKind {
    /// Bristles: contacts really stick.
    Bristle,
    /// Smooth in the speed: every loaded contact creeps.
    Regularised,
}

/// Settings of the penalty paradigm; the default is frozen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PenaltySettings {
    /// Stiffness of a contact between materials that have none [N/m]. `None`: [`PenaltySettings::rate_per_s`] squared
    /// times the mass of the heaviest tree of the world.
    pub stiffness: Option<f64>,
    /// The angular frequency `ω` of that default [1/s]: the heaviest tree resting on one contact sinks by `g / ω²`. It
    /// does not depend on the step: smaller steps converge to the same motion. Joint limits and joint bristles use `ω²`
    /// times the inertia of their degree of freedom in the neutral position.
    pub rate_per_s: f64,
    /// How the elastic part grows with depth.
    pub elastic: Elastic,
    /// A material without dissipation gets the one that gives its restitution, from the speed at which the contact
    /// began and (3) of [`super::normal`]; this is the lower limit of that speed [m/s], and
    /// [`PenaltySettings::least_restitution`] that of the restitution. A contact with dissipation `α` comes to rest at
    /// the depth `d` within `α d`: 10 ms at 1 µm, but seconds where a soft material is compressed by a millimetre.
    pub least_impact_speed: f64,
    /// No finite dissipation stops a body completely: restitution 0 means this value. Its square is the fraction of the
    /// energy that is left.
    pub least_restitution: f64,
    /// Friction law.
    pub friction: FrictionKind,
    /// Slip at which regularised friction reaches 70 % of its bound [m/s].
    pub slip_speed: f64,
    /// Stiffness of the bristles relative to that of the contact.
    pub bristle_stiffness: f64,
    /// Relaxation time of the bristles [s]: with the default rate, critical damping of the heaviest tree.
    pub bristle_relaxation_s: f64,
    /// Allowed relative residual of the momentum balance of a step.
    pub tolerance: f64,
    /// Newton steps before the friction bounds are followed more slowly.
    pub iterations: u32,
    /// Allowed error of one step [m or rad], with steps as small as that requires ([`super::adaptive`]). `None`: steps
    /// have the requested size.
    pub step_tolerance: Option<f64>,
    /// Distance up to which pairs of shapes are considered [m], in addition to their motion in a step.
    pub margin_m: f64,
}

impl Default for PenaltySettings {
    /// Bristles, and `ω² = 1e8 /s²`: under gravity 0.1 µm deep, so that a row of eleven blocks held at its ends sags by
    /// less than 20 µm.
    fn default() -> Self {
        Self {
            stiffness: None,
            rate_per_s: 1e4,
            elastic: Elastic::Linear,
            least_impact_speed: 0.01,
            least_restitution: 0.01,
            friction: FrictionKind::Bristle,
            slip_speed: 1e-4,
            bristle_stiffness: 1.0,
            bristle_relaxation_s: 2e-4,
            tolerance: 1e-10,
            iterations: 30,
            step_tolerance: None,
            margin_m: 1e-3,
        }
    }
}

impl PenaltySettings {
    /// Describes the first invalid setting, as a sentence.
    pub fn problem(&self) -> Option<String> {
        let positive = |name: &str, x: f64| {
            (!(x.is_finite() && x > 0.0)).then(|| format!("{name} is {x}, but must be positive"))
        };
        let hertz = match self.elastic {
            Elastic::Linear => None,
            Elastic::Hertz { depth_m } => positive("the depth of Hertz's law", depth_m),
        };
        hertz
            .or_else(|| self.stiffness.and_then(|k| positive("the contact stiffness", k)))
            .or_else(|| positive("the contact rate", self.rate_per_s))
            .or_else(|| positive("the least impact speed", self.least_impact_speed))
            .or_else(|| positive("the slip speed", self.slip_speed))
            .or_else(|| positive("the stiffness of bristles", self.bristle_stiffness))
            .or_else(|| positive("the tolerance", self.tolerance))
            .or_else(|| self.step_tolerance.and_then(|e| positive("the tolerance of a step", e)))
            .or_else(|| {
                let e = self.least_restitution;
                (!(e > 0.0 && e < 1.0)).then(|| format!("the least restitution is {e}, but must be between 0 and 1"))
            })
            .or_else(|| {
                let bad = !(self.bristle_relaxation_s >= 0.0 && self.margin_m >= 0.0 && self.iterations > 0);
                bad.then(|| {
                    "relaxation and margin must not be negative, and iterations must be at least 1".to_string()
                })
            })
    }
}
