//! Settings of the event-driven paradigm.

/// Restitution law of an impact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Restitution {
    /// Newton: a point that closed with `v` separates with `e v` or more.
    #[default]
    Newton,
    /// Poisson: the expansion impulse is `e` times the compression impulse, or more.
    Poisson,
}

/// Integrator of the smooth pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Smooth {
    /// The adaptive method of order 8.
    #[default]
    Dop853,
    /// The classical method of order 4 with a fixed step, cut at events.
    Rk4,
}

impl Smooth {
    /// Its name in the list of integrators.
    pub fn name(self) -> &'static str {
        match self {
            Smooth::Dop853 => "dop853",
            Smooth::Rk4 => "rk4",
        }
    }
}

/// Settings of [`super::EventDriven`]. [`Default`] is the one frozen default of this paradigm: no scenario has its own.
#[derive(Clone, Debug, PartialEq)]
pub struct EventDrivenSettings {
    /// Integrator of the smooth pieces.
    pub integrator: Smooth,
    /// Step of `rk4`; `dop853` begins with it and never takes more than a hundred times it [s].
    pub step_s: f64,
    /// Error allowed in one step relative to each number of the state (`dop853`).
    pub relative_tolerance: f64,
    /// Absolute error allowed in one step, in addition [rad, m, rad/s, m/s] (`dop853`).
    pub absolute_tolerance: f64,
    /// The impact law.
    pub restitution: Restitution,
    /// Whether an infinite sequence of bounces ends at its accumulation point. If off, every bounce is computed until
    /// one closes slower than [`EventDrivenSettings::rest_speed_m_s`].
    pub zeno: bool,
    /// A bounce that would rise less than this ends its sequence [m]: its body rests from then on, and the event `rest`
    /// has the time at which the bounces would have ended.
    pub zeno_height_m: f64,
    /// Points that close slower than this are caught without restitution [m/s].
    pub rest_speed_m_s: f64,
    /// Points no farther apart than this at an event are in the same problem [m].
    pub touch_gap_m: f64,
    /// A contact slower than this sticks, if friction can hold it [m/s].
    pub stick_speed_m_s: f64,
    /// Which of [`veracity_lcp::SOLVERS`] solves the problems of impact and of accelerations.
    pub solver: String,
    /// Natural residual required of it, relative to the largest number of the problem.
    pub solver_tolerance: f64,
    /// Maximum iterations.
    pub solver_iterations: u32,
    /// Drift of a lasting contact's gap beyond which it is corrected [m], at an event or at the end of a step; infinite
    /// for never. Corrections are counted.
    pub drift_bound_m: f64,
    /// Size of the time steps that are used where events accumulate without end (`capture.rs`) [s]; 0 for never: such a
    /// motion then fails, or never ends.
    pub capture_s: f64,
}

impl Default for EventDrivenSettings {
    fn default() -> Self {
        Self {
            integrator: Smooth::Dop853,
            step_s: 1e-3,
            relative_tolerance: 1e-12,
            absolute_tolerance: 1e-13,
            restitution: Restitution::Newton,
            zeno: true,
            // A thousandth of the resolution of the best optical gauge; a ball thrown up at 1.4e-4 m/s.
            zeno_height_m: 1e-9,
            rest_speed_m_s: 1e-6,
            touch_gap_m: 1e-9,
            stick_speed_m_s: 1e-8,
            solver: "hybrid".into(),
            solver_tolerance: 1e-13,
            solver_iterations: 2000,
            // Far above the integrator's error in a walker's stride (1e-13), below any measurement.
            drift_bound_m: 1e-6,
            // A body at 1 m/s moves by a quarter of a millimetre in it.
            capture_s: 2.5e-4,
        }
    }
}
