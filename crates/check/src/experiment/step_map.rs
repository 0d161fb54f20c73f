//! The linearised closed loop over one period, and its growth.
//!
//! Around the start, with the joint-space inertia `M`, joint damping `D` and stiffness `K` (including drives inside the
//! engine), and held efforts `F`, one step of length `h` of a semi-implicit engine is
//!
//! ```text
//! (1)  (M + h D + h² K) (v⁺ - v) = h F - h K q - (h D + h² K) v
//! (2)  q⁺ = q + h v⁺
//! (3)  F = -Σ c u,   u = kp s + kd s' + ki ∫s dt,   s = cᵀ q, s' = cᵀ v
//! ```
//!
//! with `s`, `s'` sampled at the sensor's rate and delivered after its latency, `u` computed at the controller's rate
//! and acting after its latency. The map of the whole state (positions, velocities, readings and commands in transit,
//! integrals) over the least common period of all clocks is linear; a spectral radius above one means that any
//! disturbance grows, in every engine. With a period of one step, no latency and `D = K = 0` the map has `v⁺ = v - h
//! M⁻¹ (Kp q + Kd v)`, and a large eigenvalue `λ` of `h M⁻¹ Kd` gives a radius near `λ - 1`: the bound is 2.
//!
//! Neglected: the change of gravity and velocity products with the state, contact, loops, limits and saturation. Growth
//! found here is bounded in a real loop only by its limits.

use super::spectral_radius::spectral_radius;
use nalgebra as na;
use veracity_control::Timing;
use veracity_control::config::PdForm;
use veracity_control::controllers::LoopGain;

/// A feedback and the encoder it reads; `None` for an ideal one.
#[derive(Clone, Debug, PartialEq)]
pub struct Feedback {
    /// Its gains and clock.
    pub gain: LoopGain,
    /// Sampling and delivery times of its encoder.
    pub sensor: Option<Timing>,
}

/// Growth of the closed loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// Spectral radius of the map over [`Growth::per_ns`].
    pub radius: f64,
    /// The shortest period of any controller [ns].
    pub per_ns: i64,
    /// Largest eigenvalue of `T M⁻¹ Kd` over sampled feedback, `T` each controller's period.
    pub damping_eigenvalue: f64,
    /// The leading degree of freedom of the fastest motion.
    pub leading_dof: usize,
}

/// Why the loop could not be analysed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NotAnalysed {
    /// No feedback at all.
    #[error("there is no feedback")]
    NoFeedback,
    /// A degree of freedom without inertia.
    #[error("the inertia matrix is not positive definite")]
    Inertia,
    /// Rates without a common period of reasonable length, or latencies of very many periods.
    #[error("the clocks of {count} feedbacks have no common period below {limit} steps")]
    TooLong {
        /// Number of feedbacks.
        count: usize,
        /// Limit in steps.
        limit: i64,
    },
    /// Latencies that keep too many values in transit.
    #[error("{size} delayed values at once, more than {limit}")]
    TooLarge {
        /// Size of the map.
        size: usize,
        /// Largest size analysed.
        limit: usize,
    },
}

/// Longest common period analysed [steps].
const LONGEST: i64 = 20_000;
/// Largest map analysed.
const LARGEST: usize = 500;

/// Growth of the loop, for a robot with this joint-space inertia, damping and stiffness.
pub fn growth(
    mass: &na::DMatrix<f64>,
    damping: &[f64],
    stiffness: &[f64],
    feedbacks: &[Feedback],
    step_ns: i64,
) -> Result<Growth, NotAnalysed> {
    let shortest = feedbacks.iter().map(|f| f.gain.timing.period_ns).min().ok_or(NotAnalysed::NoFeedback)?;
    let (damping_eigenvalue, leading_dof) = fastest_motion(mass, feedbacks)?;
    let linear = LinearLoop::new(mass, damping, stiffness, feedbacks, step_ns)?;
    let per_map = spectral_radius(&linear.map());
    let share = ticks(shortest, step_ns).max(1) as f64 / linear.period as f64;
    let radius = libm::pow(per_map, share);
    Ok(Growth { radius, per_ns: shortest, damping_eigenvalue, leading_dof })
}

/// A clock counted in steps.
#[derive(Clone, Copy)]
struct Clock {
    period: i64,
    phase: i64,
    latency: i64,
}

impl Clock {
    fn new(timing: &Timing, step_ns: i64) -> Self {
        let period = ticks(timing.period_ns, step_ns).max(1);
        let phase = ticks(timing.phase_ns, step_ns);
        // A latency of a fraction of a step takes effect at the next step.
        let latency = timing.latency_ns.div_euclid(step_ns) + i64::from(timing.latency_ns % step_ns != 0);
        Self { period, phase, latency }
    }

    fn is_due(&self, tick: i64) -> bool {
        (tick - self.phase).rem_euclid(self.period) == 0
    }

    /// Number of entries kept: those in transit and the one in effect.
    fn kept(&self) -> usize {
        ((self.latency + self.period - 1) / self.period + 1) as usize
    }

    /// The entry in effect, counted back from the latest.
    fn in_force(&self, tick: i64) -> usize {
        let begun = |t: i64| (t - self.phase).div_euclid(self.period);
        (begun(tick) - begun(tick - self.latency)) as usize
    }
}

fn ticks(ns: i64, step_ns: i64) -> i64 {
    (ns + step_ns / 2).div_euclid(step_ns)
}

/// One sampled feedback with its indices in the state.
struct Line<'a> {
    gain: &'a LoopGain,
    sample: Clock,
    control: Clock,
    period_s: f64,
    /// Sampled `kp s + kd s'`, latest first.
    y: std::ops::Range<usize>,
    /// Sampled `s`, only with an integral part.
    s: std::ops::Range<usize>,
    integral: Option<usize>,
    /// Computed efforts, latest first.
    u: std::ops::Range<usize>,
}

struct LinearLoop<'a> {
    n: usize,
    h: f64,
    /// (M + h D + h² K)⁻¹.
    inverse: na::DMatrix<f64>,
    stiffness: na::DMatrix<f64>,
    /// h D + h² K.
    resistance: na::DMatrix<f64>,
    lines: Vec<Line<'a>>,
    size: usize,
    period: i64,
}

impl<'a> LinearLoop<'a> {
    fn new(
        mass: &na::DMatrix<f64>,
        damping: &[f64],
        stiffness: &[f64],
        feedbacks: &'a [Feedback],
        step_ns: i64,
    ) -> Result<Self, NotAnalysed> {
        let n = mass.nrows();
        let h = step_ns as f64 / 1e9;
        let mut d = na::DMatrix::from_diagonal(&na::DVector::from_column_slice(damping));
        let mut k = na::DMatrix::from_diagonal(&na::DVector::from_column_slice(stiffness));
        let (mut lines, mut size, mut period) = (Vec::new(), 2 * n, 1);
        for feedback in feedbacks {
            let gain = &feedback.gain;
            if gain.form == PdForm::Drive {
                add_outer(&mut d, &gain.terms, gain.kd);
                add_outer(&mut k, &gain.terms, gain.kp);
                continue;
            }
            let control = Clock::new(&gain.timing, step_ns);
            let seen_at_once = Clock { latency: 0, ..control };
            let sample = feedback.sensor.map_or(seen_at_once, |timing| Clock::new(&timing, step_ns));
            let mut take = |count: usize| {
                size += count;
                size - count..size
            };
            let integrates = gain.ki != 0.0;
            lines.push(Line {
                gain,
                sample,
                control,
                period_s: gain.timing.period_ns as f64 / 1e9,
                y: take(sample.kept()),
                s: take(if integrates { sample.kept() } else { 0 }),
                integral: integrates.then(|| take(1).start),
                u: take(control.kept()),
            });
            for clock in [sample, control] {
                period = least_common_multiple(period, clock.period);
                if period > LONGEST {
                    return Err(NotAnalysed::TooLong { count: feedbacks.len(), limit: LONGEST });
                }
            }
        }
        if size > LARGEST {
            return Err(NotAnalysed::TooLarge { size, limit: LARGEST });
        }
        let resistance = &d * h + &k * (h * h);
        let inverse = (mass + &resistance).try_inverse().ok_or(NotAnalysed::Inertia)?;
        Ok(Self { n, h, inverse, stiffness: k, resistance, lines, size, period })
    }

    /// The map over the common period, computed column by column.
    fn map(&self) -> na::DMatrix<f64> {
        let mut map = na::DMatrix::identity(self.size, self.size);
        for mut column in map.column_iter_mut() {
            let mut x = column.clone_owned();
            for tick in 0..self.period {
                self.step(tick, &mut x);
            }
            column.copy_from(&x);
        }
        map
    }

    fn step(&self, tick: i64, x: &mut na::DVector<f64>) {
        let n = self.n;
        let mut force = na::DVector::zeros(n);
        for line in &self.lines {
            if line.sample.is_due(tick) {
                let (mut s, mut rate) = (0.0, 0.0);
                for (dof, c) in &line.gain.terms {
                    s += c * x[*dof];
                    rate += c * x[n + dof];
                }
                shift_in(x, &line.y, line.gain.kp * s + line.gain.kd * rate);
                shift_in(x, &line.s, s);
            }
            if line.control.is_due(tick) {
                let latest = line.sample.in_force(tick);
                let mut u = x[line.y.start + latest];
                if let Some(integral) = line.integral {
                    x[integral] += line.gain.ki * line.period_s * x[line.s.start + latest];
                    u += x[integral];
                }
                shift_in(x, &line.u, u);
            }
            // (3)
            let acting = x[line.u.start + line.control.in_force(tick)];
            line.gain.terms.iter().for_each(|(dof, c)| force[*dof] -= c * acting);
        }
        let (q, v) = (x.rows(0, n).clone_owned(), x.rows(n, n).clone_owned());
        // (1), (2)
        let push = (force - &self.stiffness * &q) * self.h - &self.resistance * &v;
        let faster = &v + &self.inverse * push;
        let moved = q + &faster * self.h;
        x.rows_mut(0, n).copy_from(&moved);
        x.rows_mut(n, n).copy_from(&faster);
    }
}

fn shift_in(x: &mut na::DVector<f64>, register: &std::ops::Range<usize>, value: f64) {
    if register.is_empty() {
        return;
    }
    for i in (register.start + 1..register.end).rev() {
        x[i] = x[i - 1];
    }
    x[register.start] = value;
}

fn add_outer(matrix: &mut na::DMatrix<f64>, terms: &[(usize, f64)], gain: f64) {
    for (i, a) in terms {
        for (j, b) in terms {
            matrix[(*i, *j)] += gain * a * b;
        }
    }
}

fn least_common_multiple(a: i64, b: i64) -> i64 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}

/// Largest eigenvalue of `T M⁻¹ Kd`, and the leading degree of freedom of the fastest motion of `T Kd + T² Kp` on `M`.
fn fastest_motion(mass: &na::DMatrix<f64>, feedbacks: &[Feedback]) -> Result<(f64, usize), NotAnalysed> {
    let n = mass.nrows();
    let (mut damping, mut both) = (na::DMatrix::zeros(n, n), na::DMatrix::zeros(n, n));
    for gain in feedbacks.iter().map(|f| &f.gain).filter(|g| g.form == PdForm::Sampled) {
        let period = gain.timing.period_ns as f64 / 1e9;
        add_outer(&mut damping, &gain.terms, period * gain.kd);
        add_outer(&mut both, &gain.terms, period * gain.kd + period * period * gain.kp);
    }
    let lower = na::Cholesky::new(mass.clone()).ok_or(NotAnalysed::Inertia)?.l();
    let eigen = |matrix: &na::DMatrix<f64>| {
        let half = lower.solve_lower_triangular(matrix)?;
        let scaled = lower.solve_lower_triangular(&half.transpose())?;
        Some(((&scaled + scaled.transpose()) * 0.5).symmetric_eigen())
    };
    let largest = eigen(&damping).ok_or(NotAnalysed::Inertia)?.eigenvalues.max();
    let motions = eigen(&both).ok_or(NotAnalysed::Inertia)?;
    let fastest = motions.eigenvalues.imax();
    let shape = lower.transpose().solve_upper_triangular(&motions.eigenvectors.column(fastest).clone_owned());
    let shape = shape.ok_or(NotAnalysed::Inertia)?;
    let work = shape.component_mul(&(&both * &shape));
    Ok((largest, work.imax()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    fn feedback(kp: f64, kd: f64, timing: Timing) -> Feedback {
        Feedback {
            gain: LoopGain { terms: vec![(0, 1.0)], kp, kd, ki: 0.0, timing, form: PdForm::Sampled },
            sensor: None,
        }
    }

    fn radius(feedback: Feedback) -> f64 {
        growth(&na::DMatrix::identity(1, 1), &[0.0], &[0.0], &[feedback], MS).unwrap().radius
    }

    #[test]
    fn a_sampled_damper_grows_by_one_less_than_its_eigenvalue() {
        // v+ = (1 - kd h) v, with q coasting: radius max(1, |1 - kd h|).
        for (kd, expected) in [(500.0, 1.0), (1999.0, 1.0), (3000.0, 2.0), (5000.0, 4.0)] {
            let found = radius(feedback(0.0, kd, Timing::every(MS)));
            assert!((found - expected).abs() < 1e-9, "{kd}: {found}");
        }
        // With a hold of ten steps the controller's period matters, not the step.
        let slow = radius(feedback(0.0, 300.0, Timing::every(10 * MS)));
        assert!((slow - 2.0).abs() < 1e-9, "{slow}");
    }

    #[test]
    fn one_period_of_latency_lowers_the_bound_of_a_damper_to_one() {
        // v+ = v - k v₋: roots of z² - z + k lie inside the unit circle for k < 1.
        let late = |k: f64| radius(feedback(0.0, k / 1e-3, Timing { latency_ns: MS, ..Timing::every(MS) }));
        assert!(late(0.99) < 1.0 + 1e-9 && (late(1.21) - 1.1).abs() < 1e-9, "{} {}", late(0.99), late(1.21));
        // Two periods: the bound of z³ - z² + k is the golden ratio minus one.
        let golden = 0.5 * (5f64.sqrt() - 1.0);
        let twice = |k: f64| radius(feedback(0.0, k / 1e-3, Timing { latency_ns: 2 * MS, ..Timing::every(MS) }));
        assert!(twice(golden - 0.01) < 1.0 + 1e-9 && twice(golden + 0.01) > 1.001);
        // The same delay in the encoder has the same effect.
        let sensor = Some(Timing { latency_ns: MS, ..Timing::every(MS) });
        let seen_late = radius(Feedback { sensor, ..feedback(0.0, 1210.0, Timing::every(MS)) });
        assert!((seen_late - 1.1).abs() < 1e-9, "{seen_late}");
    }

    #[test]
    fn an_implicit_drive_is_stable_where_the_sampled_law_is_not() {
        let sampled = feedback(100.0, 5000.0, Timing::every(MS));
        let mut drive = sampled.clone();
        drive.gain.form = PdForm::Drive;
        assert!(radius(sampled) > 3.9);
        assert!(radius(drive) < 1.0);
    }

    #[test]
    fn an_integral_beyond_the_bound_of_routh_is_unstable() {
        // s³ + kd s² + kp s + ki: stable for ki < kp kd; sampling at 1 kHz moves the bound little.
        let with = |ki: f64| {
            let mut f = feedback(40.0, 10.0, Timing::every(MS));
            f.gain.ki = ki;
            radius(f)
        };
        assert!(with(360.0) < 1.0 && with(440.0) > 1.0 + 1e-6, "{} {}", with(360.0), with(440.0));
    }
}
