//! What an event-driven run counts, and the warnings that follow from it.

/// Counts since construction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// Smooth pieces.
    pub steps: u64,
    /// Evaluations of the accelerations.
    pub evaluations: u64,
    /// Instants located.
    pub events: u64,
    /// Impact problems solved.
    pub impacts: u64,
    /// Impacts with restitution reduced so that no energy was gained.
    pub tempered: u64,
    /// Problems without a consistent acceleration, resolved by an impulse.
    pub jams: u64,
    /// Sequences of bounces that were ended.
    pub caught: u64,
    /// Times a lasting contact's drift was corrected.
    pub corrections: u64,
    /// Fall-backs to time steps.
    pub captures: u64,
    /// Time steps taken.
    pub capture_steps: u64,
    /// Simulated time that passed in them [s].
    pub captured_s: f64,
    /// Work of correcting drift, taken from the motion of the touching bodies [J].
    pub lifted_j: f64,
    /// Energy that the residuals of time steps' solves may have added [J].
    pub tolerated_j: f64,
    /// Problems whose solver did not converge.
    pub unsolved: u64,
    /// Largest residual of a problem, relative to its size.
    pub worst_residual: f64,
}

impl Counts {
    /// Appends what a user must know before trusting the motion.
    pub(super) fn warnings(&self, out: &mut Vec<String>) {
        if self.unsolved > 0 {
            out.push(format!(
                "impact or force problems not solved to the residual: {}, the worst to {:.1e}; increase iters or choose another \
                 solver",
                self.unsolved, self.worst_residual
            ));
        }
        if self.captures > 0 {
            out.push(format!(
                "events accumulated and time steps took over: {} times, for {:.3} s in total; the motion there is first order in \
                 the setting 'capture'",
                self.captures, self.captured_s
            ));
        }
        if self.jams > 0 {
            out.push(format!(
                "no acceleration satisfied all contacts (friction jams): {} times, each resolved by an impulse",
                self.jams
            ));
        }
    }
}
