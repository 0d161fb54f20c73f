//! Average gait of a walker, for paradigms that do not locate strikes.
//!
//! A fixed-step paradigm has no stride map with a derivative: strikes fall anywhere inside a step, and a stride that
//! begins at another fraction of a step is different. Its gait is still well defined on average. The section is one
//! that every paradigm passes smoothly, far from strikes: a position that crosses a level. Between two instants the
//! position is the cubic given by positions and velocities at both, so that the crossing time is accurate to the square
//! of the step, beyond the first order to be measured:
//!
//! ```text
//! (1)  x(s) = (1-s)² (1+2s) x₀ + s² (3-2s) x₁ + h s (1-s)² v₀ - h s² (1-s) v₁,   0 <= s <= 1
//! ```
//!
//! Where a strike falls inside a step decides the duration of the walker's next steps: single steps differ by several
//! `h`, as if random, and successive ones are correlated. An average is therefore reported with its standard error,
//! from the means `mⱼ` of `b` batches of successive steps, each much longer than the time in which the walker forgets a
//! disturbance:
//!
//! ```text
//! (2)  se² = Σ (mⱼ - m)² / (b (b - 1))
//! ```

use veracity_contact::Paradigm;
use veracity_dynamics::integrate::State;
use veracity_dynamics::{NoEfforts, Trouble};

/// Where steps are counted: a position that crosses a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Passing {
    /// Index in `q`.
    pub q: usize,
    /// Index in `v`.
    pub v: usize,
    /// Every multiple of this is a level (spokes of a wheel); `None` for zero only (a hip).
    pub spacing: Option<f64>,
}

/// An average gait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gait {
    /// Mean time from step to step [s].
    pub period_s: f64,
    /// Standard error of that mean, by (2) [s].
    pub standard_error_s: f64,
    /// Largest deviation of a single step from the mean [s].
    pub spread_s: f64,
    /// Mean of |v| at the crossings [rad/s or m/s].
    pub speed: f64,
}

/// Why there is no gait.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NoGait {
    /// The motion could not be computed.
    #[error(transparent)]
    Trouble(#[from] Trouble),
    /// No step for too long.
    #[error("the walker made {0} steps, then none for {1} s")]
    Stopped(usize, f64),
}

/// Walks in steps of `step_s`, skips the first `skip` crossings and averages over the next `count` steps. Fails if
/// there is no step for `longest_s`.
pub fn observe(
    paradigm: &mut dyn Paradigm,
    state: &mut State,
    passing: &Passing,
    step_s: f64,
    longest_s: f64,
    skip: usize,
    count: usize,
) -> Result<Gait, NoGait> {
    let mut times: Vec<f64> = Vec::with_capacity(skip + count + 1);
    let mut speed = 0.0;
    while times.len() <= skip + count {
        let (t0, x0, v0) = (state.time, state.q[passing.q], state.v[passing.v]);
        let taken = paradigm.step(&mut NoEfforts, state, step_s)?.taken_s;
        let (x1, v1) = (state.q[passing.q], state.v[passing.v]);
        if let Some(level) = passing.level_between(x0, x1) {
            let s = root(|s| cubic(s, taken, (x0, v0), (x1, v1)).0 - level);
            if times.len() > skip {
                speed += cubic(s, taken, (x0, v0), (x1, v1)).1.abs();
            }
            times.push(t0 + s * taken);
        }
        if state.time - times.last().copied().unwrap_or(0.0) > longest_s {
            return Err(NoGait::Stopped(times.len(), longest_s));
        }
    }
    let (first, last) = (times[skip], times[skip + count]);
    let period_s = (last - first) / count as f64;
    let standard_error_s = standard_error(&times[skip..], period_s);
    let spread_s = times[skip..].windows(2).fold(0.0, |most: f64, w| most.max((w[1] - w[0] - period_s).abs()));
    Ok(Gait { period_s, standard_error_s, spread_s, speed: speed / count as f64 })
}

/// Number of batches in (2): the standard error itself is then known to a fifth.
const BATCHES: usize = 12;

/// Standard error (2); infinite for a walk too short to split.
fn standard_error(times: &[f64], period_s: f64) -> f64 {
    let length = (times.len() - 1) / BATCHES;
    if length == 0 {
        return f64::INFINITY;
    }
    let mean = |run: usize| (times[(run + 1) * length] - times[run * length]) / length as f64;
    let squares: f64 = (0..BATCHES).map(|batch| (mean(batch) - period_s).powi(2)).sum();
    (squares / (BATCHES * (BATCHES - 1)) as f64).sqrt()
}

impl Passing {
    fn level_between(&self, x0: f64, x1: f64) -> Option<f64> {
        match self.spacing {
            None => ((x0 < 0.0) != (x1 < 0.0)).then_some(0.0),
            Some(spacing) => {
                let (a, b) = ((x0 / spacing).floor(), (x1 / spacing).floor());
                (a != b).then(|| a.max(b) * spacing)
            }
        }
    }
}

/// Position (1) and its rate.
fn cubic(s: f64, h: f64, (x0, v0): (f64, f64), (x1, v1): (f64, f64)) -> (f64, f64) {
    let r = 1.0 - s;
    let value = r * r * (1.0 + 2.0 * s) * x0 + s * s * (3.0 - 2.0 * s) * x1 + h * s * r * (r * v0 - s * v1);
    let rate = 6.0 * s * r * (x1 - x0) / h + r * (1.0 - 3.0 * s) * v0 + s * (3.0 * s - 2.0) * v1;
    (value, rate)
}

/// Zero of a function that changes sign between 0 and 1, by bisection.
fn root(f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    let begins = f(0.0) < 0.0;
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if (f(middle) < 0.0) == begins {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use veracity_contact::Touch;
    use veracity_dynamics::Efforts;
    use veracity_dynamics::integrate::StepReport;

    /// A pendulum clock: one number oscillates as sin t, another rotates uniformly.
    struct Clock;

    impl Paradigm for Clock {
        fn step(&mut self, _: &mut dyn Efforts, state: &mut State, h: f64) -> Result<StepReport, Trouble> {
            state.time += h;
            state.q = vec![libm::sin(state.time), 2.0 * state.time];
            state.v = vec![libm::cos(state.time), 2.0];
            Ok(StepReport { taken_s: h, ..StepReport::default() })
        }
        fn touches(&self) -> &[Touch] {
            &[]
        }
        fn memory(&self, _: &mut Vec<f64>) {}
        fn set_memory(&mut self, _: &[f64]) -> bool {
            true
        }
    }

    fn gait(passing: Passing) -> Gait {
        let mut state = State { time: 0.1, q: vec![libm::sin(0.1), 0.2], v: vec![libm::cos(0.1), 2.0] };
        observe(&mut Clock, &mut state, &passing, 0.01, 10.0, 2, 5).unwrap()
    }

    #[test]
    fn a_swing_counts_in_both_directions_and_a_wheel_at_every_spoke() {
        let swing = gait(Passing { q: 0, v: 0, spacing: None });
        // The cubic is off by at most h⁴/384.
        assert!((swing.period_s - std::f64::consts::PI).abs() < 1e-10 && (swing.speed - 1.0).abs() < 1e-7);
        let wheel = gait(Passing { q: 1, v: 1, spacing: Some(1.0) });
        assert!((wheel.period_s - 0.5).abs() < 1e-12 && (wheel.speed - 2.0).abs() < 1e-10 && wheel.spread_s < 1e-12);
    }

    #[test]
    fn standard_error_is_that_of_the_batches() {
        // Batches of a hundred steps, alternately of 1.1 and of 0.9: their means deviate by 0.1 from the average of 1.
        let step = |k: usize| if (k / 100).is_multiple_of(2) { 1.1 } else { 0.9 };
        let times: Vec<f64> = (0..=1200).map(|n| (0..n).map(step).sum()).collect();
        let expected = (12.0 * 0.01 / (12.0 * 11.0_f64)).sqrt();
        // Rounding of sums of a thousand numbers near one.
        assert!((standard_error(&times, 1.0) - expected).abs() < 1e-11);
        assert_eq!(standard_error(&times[..5], 1.0), f64::INFINITY);
    }

    #[test]
    fn a_walker_that_stands_has_no_gait() {
        let mut state = State { time: 0.0, q: vec![0.5, 0.5], v: vec![0.0; 2] };
        let passing = Passing { q: 1, v: 1, spacing: Some(1e9) };
        assert!(matches!(observe(&mut Clock, &mut state, &passing, 0.1, 3.0, 0, 1), Err(NoGait::Stopped(0, _))));
    }
}
