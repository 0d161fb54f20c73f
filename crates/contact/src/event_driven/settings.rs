//! What the event-driven way may be told.

/// How an impact gives back what it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Restitution {
    /// Newton: a point that closed with `v` leaves with `e v` or more.
    #[default]
    Newton,
    /// Poisson: the impulse of expansion is `e` times that of compression, or more.
    Poisson,
}

/// Which integrator moves the smooth pieces.
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
    /// Moves the smooth pieces.
    pub integrator: Smooth,
    /// Step of `rk4`; `dop853` begins with it and never takes more than a hundred times it [s].
    pub step_s: f64,
    /// Error allowed in one step relative to each number of the state (`dop853`).
    pub relative_tolerance: f64,
    /// Error allowed in one step beside it [rad, m, rad/s, m/s] (`dop853`).
    pub absolute_tolerance: f64,
    /// The law of impacts.
    pub restitution: Restitution,
    /// Whether a sequence of bounces without end ends at its point of accumulation. Off, every bounce is taken until
    /// one closes slower than [`EventDrivenSettings::rest_speed_m_s`].
    pub zeno: bool,
    /// A bounce that would rise less than this begins the end of its sequence [m]: its body rests from then on, and the
    /// event `rest` carries the time at which the bounces would have ended.
    pub zeno_height_m: f64,
    /// Points that close slower than this are caught without restitution [m/s].
    pub rest_speed_m_s: f64,
    /// Points no farther apart than this when something happens are in the same problem [m].
    pub touch_gap_m: f64,
    /// A contact slower than this sticks, if friction can hold it [m/s].
    pub stick_speed_m_s: f64,
    /// Which of [`veracity_lcp::SOLVERS`] solves the problems of impact and of accelerations.
    pub solver: String,
    /// Natural residual asked of it, over the largest number of the problem.
    pub solver_tolerance: f64,
    /// Iterations allowed to it.
    pub solver_iterations: u32,
    /// Drift of a lasting contact's gap beyond which it is taken back [m], at an event or at the end of a step; infinite
    /// for never. Corrections are counted.
    pub drift_bound_m: f64,
    /// Size of the time steps that are taken where events come without end (`capture.rs`) [s]; 0 for never: such a motion is
    /// then trouble, or takes for ever.
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
            // A thousandth of what the best optical gauge resolves; a ball thrown up by 1.4e-4 m/s.
            zeno_height_m: 1e-9,
            rest_speed_m_s: 1e-6,
            touch_gap_m: 1e-9,
            stick_speed_m_s: 1e-8,
            solver: "hybrid".into(),
            solver_tolerance: 1e-13,
            solver_iterations: 2000,
            // Far above what the integrator leaves in a walker's stride (1e-13), below what anyone measures.
            drift_bound_m: 1e-6,
            // A body at 1 m/s moves by a quarter of a millimetre in it.
            capture_s: 2.5e-4,
        }
    }
}
