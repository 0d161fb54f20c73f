//! Actuator angle and rate from sparse signals, with their uncertainty.
//!
//! A lamp that turns with the actuator is seen by a camera once per turn, in some of the turns. The actuator turns at a
//! mean rate plus a drift (an Ornstein-Uhlenbeck process),
//!
//! ```text
//! (1)  dphi = (w + d) dt,   dd = -d/tau dt + s sqrt(2/tau) dB
//! (2)  a = exp(-h/tau):   phi' = phi + w h + tau (1-a) d,   d' = a d
//!      Q11 = s² tau² (2h/tau - 3 + 4a - a²),   Q12 = s² tau (1-a)²,   Q22 = s² (1-a²)
//! ```
//!
//! and a signal says that phi was a whole number of turns at a time known to a fraction of a frame. A lamp that is lit
//! for `L` frames, `1 <= L < 2`, is seen in one frame when its middle is within `(2-L)/2` frames of it, in two when its
//! middle is within `(L-1)/2` of the midpoint between them: both are uniform, and the share of the second kind is `L -
//! 1`,
//!
//! ```text
//! (3)  one frame f:   t = f / fps,           sigma = (2-L)/2 / sqrt 3 / fps
//!      two frames:    t = (f + 1/2) / fps,   sigma = (L-1)/2 / sqrt 3 / fps          L - 1 = share of two-frame signals
//! ```
//!
//! `s` and `tau` are maximum-likelihood estimates over intervals inside runs. A Kalman filter over all signals and
//! samples counts turns across a gap as long as the angle is known well enough to distinguish one turn from the next;
//! otherwise it starts again. The Rauch-Tung-Striebel smoother gives angle, rate and their standard deviations at every
//! sample. The uncertainty of the clock offset moves all signals together and is added at the end. No interval is
//! preferred because it is frequent, so the estimate does not have the bias of [`super::actuator_mode`].

use super::synchronise::VideoClock;
use crate::readers::signals::SignalFile;
use crate::report::{Mark, Plot, StepReport};
use std::f64::consts::{PI, TAU};

/// Turns are counted across a gap while the standard deviation of the angle is below this [rad]: five of it are half a
/// turn.
const COUNTABLE: f64 = PI / 5.0;
/// Above this standard deviation the angle is not reported [rad].
const TELLABLE: f64 = 0.6;
/// Two signals closer than this fraction of a turn are one signal.
const ONE_SIGNAL: f64 = 0.5;
/// Number of standard deviations beyond which a signal is rejected.
const GATE: f64 = 4.5;

/// A signal in the recording's time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sighting {
    /// [s]
    pub time_s: f64,
    /// One standard deviation [s].
    pub sigma_s: f64,
    /// Whether a gap was marked before it.
    pub after_gap: bool,
}

/// Estimated motion of the actuator.
#[derive(Clone, Debug, PartialEq)]
pub struct Actuator {
    /// At each sample [rad], 0 to 2 pi; NaN where unknown.
    pub theta: Vec<f64>,
    /// One standard deviation [rad].
    pub theta_sigma: Vec<f64>,
    /// At each sample [rad/s]; NaN where unknown.
    pub omega: Vec<f64>,
    /// One standard deviation [rad/s].
    pub omega_sigma: Vec<f64>,
    /// Mean rate with one standard deviation [rad/s].
    pub mean: (f64, f64),
    /// Standard deviation of the drift of the rate, `s` [rad/s].
    pub wander: f64,
    /// Correlation time of the drift, `tau` [s].
    pub memory_s: f64,
    /// Number of stretches without a break in the count of turns.
    pub stretches: usize,
    /// Rejected signals, by their times [s].
    pub rejected: Vec<f64>,
}

/// Signals in the recording's time, (3).
pub fn sightings(signals: &SignalFile, clock: &VideoClock) -> Vec<Sighting> {
    let counts = signals.counts();
    let lit = 1.0 + counts.two_frames as f64 / counts.seen.max(1) as f64;
    let (single, double) = ((2.0 - lit) / 2.0, (lit - 1.0) / 2.0);
    let root = 3f64.sqrt() * signals.frame_rate_hz;
    let mut out = Vec::with_capacity(counts.seen);
    for (run, _) in signals.runs() {
        for (k, (frame, two)) in run.into_iter().enumerate() {
            let (middle, half) = if two { (0.5, double) } else { (0.0, single) };
            out.push(Sighting {
                time_s: clock.time_s(frame as f64 + middle),
                sigma_s: half / root,
                after_gap: k == 0,
            });
        }
    }
    out
}

/// Mean and covariance of phi and d of (1).
#[derive(Clone, Copy, Debug)]
struct Estimate {
    phi: f64,
    d: f64,
    p11: f64,
    p12: f64,
    p22: f64,
}

/// The parameters of (1).
#[derive(Clone, Copy, Debug)]
struct RateModel {
    mean: f64,
    s: f64,
    tau: f64,
}

impl RateModel {
    /// (2), and the two coefficients of the transition.
    fn predict(&self, b: &Estimate, h: f64) -> (Estimate, f64, f64) {
        let x = h / self.tau;
        let a = libm::exp(-x);
        let c = self.tau * (1.0 - a);
        let s2 = self.s * self.s;
        // For a short step the difference loses all digits; use its series, x³/3·2.
        let q11 = if x < 1e-3 { 2.0 / 3.0 * x * x * x } else { 2.0 * x - 3.0 + 4.0 * a - a * a };
        let next = Estimate {
            phi: b.phi + self.mean * h + c * b.d,
            d: a * b.d,
            p11: b.p11 + 2.0 * c * b.p12 + c * c * b.p22 + s2 * self.tau * self.tau * q11,
            p12: a * (b.p12 + c * b.p22) + s2 * self.tau * (1.0 - a) * (1.0 - a),
            p22: a * a * b.p22 + s2 * (1.0 - a * a),
        };
        (next, c, a)
    }

    fn fresh(&self, sigma: f64) -> Estimate {
        Estimate { phi: 0.0, d: 0.0, p11: sigma * sigma, p12: 0.0, p22: self.s * self.s }
    }
}

impl Estimate {
    fn update(&mut self, error: f64, variance: f64) {
        let all = self.p11 + variance;
        let (k1, k2) = (self.p11 / all, self.p12 / all);
        self.phi += k1 * error;
        self.d += k2 * error;
        self.p22 -= k2 * self.p12;
        self.p12 -= k1 * self.p12;
        self.p11 -= k1 * self.p11;
    }
}

/// Estimates angle and rate at the samples' times. `None` with fewer than three intervals inside runs.
pub fn estimate(sightings: &[Sighting], times_s: &[f64], clock_sigma_s: f64) -> Option<Actuator> {
    let mut rejected = Vec::new();
    let seen = without_doubles(sightings, &mut rejected)?;
    let wander = most_likely(&seen)?;
    let (kept, breaks) = count_turns(&seen, &wander, &mut rejected);
    let n = times_s.len();
    let nothing = vec![f64::NAN; n];
    let mut out = Actuator {
        theta: nothing.clone(),
        theta_sigma: nothing.clone(),
        omega: nothing.clone(),
        omega_sigma: nothing,
        mean: (wander.mean, mean_sigma(&seen, &wander)),
        wander: wander.s,
        memory_s: wander.tau,
        stretches: breaks.len(),
        rejected,
    };
    for (k, first) in breaks.iter().enumerate() {
        let end = breaks.get(k + 1).copied().unwrap_or(kept.len());
        smooth_stretch(&kept[*first..end], times_s, &wander, clock_sigma_s, &mut out);
    }
    Some(out)
}

/// Leaves out a signal that follows another too soon to be another turn.
fn without_doubles(sightings: &[Sighting], rejected: &mut Vec<f64>) -> Option<Vec<Sighting>> {
    let mut intervals: Vec<f64> =
        sightings.windows(2).filter(|p| !p[1].after_gap).map(|p| p[1].time_s - p[0].time_s).collect();
    if intervals.len() < 3 {
        return None;
    }
    intervals.sort_by(f64::total_cmp);
    let typical = intervals[intervals.len() / 2];
    let mut out: Vec<Sighting> = Vec::with_capacity(sightings.len());
    let mut gap = false;
    for sighting in sightings {
        gap |= sighting.after_gap;
        if out.last().is_some_and(|last| sighting.time_s - last.time_s < ONE_SIGNAL * typical) {
            rejected.push(sighting.time_s);
            continue;
        }
        out.push(Sighting { after_gap: gap, ..*sighting });
        gap = false;
    }
    Some(out)
}

/// Turns from one signal of a run to the next: one, or more where the lamp was not seen.
fn turns_between(a: &Sighting, b: &Sighting, mean: f64) -> f64 {
    ((b.time_s - a.time_s) * mean / TAU).round().max(1.0)
}

/// Maximum-likelihood `s` and `tau`, on a grid and then refined around its best point.
fn most_likely(seen: &[Sighting]) -> Option<RateModel> {
    let pairs = || seen.windows(2).filter(|p| !p[1].after_gap);
    let mut rates: Vec<f64> = pairs().map(|p| TAU / (p[1].time_s - p[0].time_s)).collect();
    if rates.len() < 3 {
        return None;
    }
    rates.sort_by(f64::total_cmp);
    let middle = rates[rates.len() / 2];
    let (turns, time) = pairs().fold((0.0, 0.0), |(turns, time), p| {
        (turns + turns_between(&p[0], &p[1], middle), time + p[1].time_s - p[0].time_s)
    });
    let mean = TAU * turns / time;
    let mut best = (f64::NEG_INFINITY, RateModel { mean, s: 0.05 * mean, tau: 1.0 });
    let mut consider = |s: f64, tau: f64| {
        let wander = RateModel { mean, s, tau };
        let likelihood = log_likelihood(seen, &wander);
        if likelihood > best.0 {
            best = (likelihood, wander);
        }
        best.1
    };
    for i in 0..10 {
        for j in 0..9 {
            // From 0.3 % of the rate to 80 %, and from 50 ms to 20 s.
            consider(mean * 0.003 * libm::pow(1.86, f64::from(i)), 0.05 * libm::pow(2.115, f64::from(j)));
        }
    }
    let mut factor = 1.36;
    for _ in 0..5 {
        let around = consider(f64::NAN, f64::NAN);
        for (ds, dt) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)] {
            consider(around.s * libm::pow(factor, f64::from(ds)), around.tau * libm::pow(factor, f64::from(dt)));
        }
        factor = factor.sqrt();
    }
    Some(best.1)
}

/// Log-likelihood of the intervals inside runs.
fn log_likelihood(seen: &[Sighting], wander: &RateModel) -> f64 {
    let mut sum = 0.0;
    let mut belief = wander.fresh(0.0);
    let mut last: Option<&Sighting> = None;
    for sighting in seen {
        let variance = (wander.mean * sighting.sigma_s) * (wander.mean * sighting.sigma_s);
        match last {
            Some(before) if !sighting.after_gap => {
                let (next, ..) = wander.predict(&belief, sighting.time_s - before.time_s);
                let turns = turns_between(before, sighting, wander.mean);
                // The angle is counted from the previous signal.
                let error = TAU * turns - next.phi;
                let all = next.p11 + variance;
                sum -= 0.5 * (error * error / all + libm::log(all));
                belief = next;
                belief.update(error, variance);
                belief.phi -= TAU * turns;
            }
            _ => belief = wander.fresh(wander.mean * sighting.sigma_s),
        }
        last = Some(sighting);
    }
    sum
}

/// Standard deviation of the mean rate: independent stretches of twice the correlation time, and the uncertainty of the
/// ends.
fn mean_sigma(seen: &[Sighting], wander: &RateModel) -> f64 {
    let time: f64 = seen.windows(2).filter(|p| !p[1].after_gap).map(|p| p[1].time_s - p[0].time_s).sum();
    wander.s * (2.0 * wander.tau / time).sqrt().min(1.0)
}

/// A signal with the angle assigned to it.
#[derive(Clone, Copy, Debug)]
struct Turned {
    time_s: f64,
    phi: f64,
    variance: f64,
}

/// Counts turns from signal to signal, across gaps where that is certain; returns the signals and where each stretch
/// begins.
fn count_turns(seen: &[Sighting], wander: &RateModel, rejected: &mut Vec<f64>) -> (Vec<Turned>, Vec<usize>) {
    let (mut kept, mut breaks): (Vec<Turned>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut belief = wander.fresh(0.0);
    let mut missed = 0;
    for sighting in seen {
        let sigma = wander.mean * sighting.sigma_s;
        let turned = |phi: f64| Turned { time_s: sighting.time_s, phi, variance: sigma * sigma };
        let Some(last) = kept.last().copied() else {
            breaks.push(0);
            belief = wander.fresh(sigma);
            kept.push(turned(0.0));
            continue;
        };
        let (mut next, ..) = wander.predict(&belief, sighting.time_s - last.time_s);
        let turns = ((next.phi - last.phi) / TAU).round().max(1.0);
        let phi = last.phi + TAU * turns;
        let error = phi - next.phi;
        let all = next.p11 + sigma * sigma;
        // Inside a run the next signal is the next turn; otherwise turns must be countable.
        let next_turn = !sighting.after_gap && turns == 1.0;
        if (!next_turn && next.p11.sqrt() > COUNTABLE) || missed >= 2 {
            breaks.push(kept.len());
            belief = wander.fresh(sigma);
            kept.push(turned(0.0));
            missed = 0;
        } else if error * error > GATE * GATE * all {
            rejected.push(sighting.time_s);
            missed += 1;
        } else {
            next.update(error, sigma * sigma);
            belief = next;
            kept.push(turned(phi));
            missed = 0;
        }
    }
    (kept, breaks)
}

/// Forward filter and backward smoother over the signals of a stretch and the samples around it.
fn smooth_stretch(signals: &[Turned], times_s: &[f64], wander: &RateModel, clock_sigma_s: f64, out: &mut Actuator) {
    let (Some(first), Some(last)) = (signals.first(), signals.last()) else { return };
    // Beyond the ends of the stretch the angle soon becomes unknown: one turn at the mean rate is far enough.
    let reach = TAU / wander.mean;
    let from = times_s.partition_point(|t| *t < first.time_s - reach);
    let to = times_s.partition_point(|t| *t < last.time_s + reach);
    // Nodes in time order: samples and signals.
    let mut nodes: Vec<(f64, Option<usize>, Option<Turned>)> =
        (from..to).map(|i| (times_s[i], Some(i), None)).collect();
    nodes.extend(signals.iter().map(|s| (s.time_s, None, Some(*s))));
    nodes.sort_by(|a, b| a.0.total_cmp(&b.0));

    // Before the first signal only the mean rate is known: the angle is practically unconstrained.
    let mut belief = wander.fresh(1e3);
    belief.phi = first.phi - wander.mean * (first.time_s - nodes[0].0);
    let mut filtered = Vec::with_capacity(nodes.len());
    let mut predicted = Vec::with_capacity(nodes.len());
    let mut time = nodes[0].0;
    for (at, _, signal) in &nodes {
        let (next, c, a) = wander.predict(&belief, at - time);
        predicted.push((next, c, a));
        belief = next;
        if let Some(signal) = signal {
            belief.update(signal.phi - belief.phi, signal.variance);
        }
        filtered.push(belief);
        time = *at;
    }
    let mut smooth = filtered[nodes.len() - 1];
    for k in (0..nodes.len()).rev() {
        if k + 1 < nodes.len() {
            let (f, (p, c, a)) = (filtered[k], predicted[k + 1]);
            // Gain G = P Fᵀ P'⁻¹.
            let (m11, m12) = (f.p11 + c * f.p12, a * f.p12);
            let (m21, m22) = (f.p12 + c * f.p22, a * f.p22);
            let det = p.p11 * p.p22 - p.p12 * p.p12;
            if det > 0.0 {
                let g = |x: f64, y: f64| ((x * p.p22 - y * p.p12) / det, (y * p.p11 - x * p.p12) / det);
                let ((g11, g12), (g21, g22)) = (g(m11, m12), g(m21, m22));
                let (e1, e2) = (smooth.phi - p.phi, smooth.d - p.d);
                let (d11, d12, d22) = (smooth.p11 - p.p11, smooth.p12 - p.p12, smooth.p22 - p.p22);
                smooth = Estimate {
                    phi: f.phi + g11 * e1 + g12 * e2,
                    d: f.d + g21 * e1 + g22 * e2,
                    p11: f.p11 + g11 * g11 * d11 + 2.0 * g11 * g12 * d12 + g12 * g12 * d22,
                    p12: f.p12 + g11 * g21 * d11 + (g11 * g22 + g12 * g21) * d12 + g12 * g22 * d22,
                    p22: f.p22 + g21 * g21 * d11 + 2.0 * g21 * g22 * d12 + g22 * g22 * d22,
                };
            } else {
                // Two nodes at the same time: nothing changes between them.
                smooth = if smooth.p11 < f.p11 { smooth } else { f };
            }
        }
        let Some(i) = nodes[k].1 else { continue };
        let omega = wander.mean + smooth.d;
        let sigma = (smooth.p11.max(0.0) + (omega * clock_sigma_s) * (omega * clock_sigma_s)).sqrt();
        // Where two stretches overlap, the one with the smaller deviation is used.
        if sigma <= TELLABLE && (out.theta_sigma[i].is_nan() || sigma < out.theta_sigma[i]) {
            out.theta[i] = smooth.phi.rem_euclid(TAU);
            out.theta_sigma[i] = sigma;
            out.omega[i] = omega;
            out.omega_sigma[i] = smooth.p22.max(0.0).sqrt();
        }
    }
}

impl Actuator {
    /// Summary of the estimate.
    pub fn report(&self) -> StepReport {
        let mut report = StepReport::new("actuator");
        report.measured("mean rate", "Hz", self.mean.0 / TAU, self.mean.1 / TAU);
        report.number("wander of the rate", "Hz", self.wander / TAU);
        report.number("memory of the rate", "s", self.memory_s);
        let known: Vec<f64> = self.theta_sigma.iter().copied().filter(|s| s.is_finite()).collect();
        report.number("samples with an angle", "", known.len() as f64);
        report.number("samples without", "", (self.theta.len() - known.len()) as f64);
        let rms = (known.iter().map(|s| s * s).sum::<f64>() / known.len().max(1) as f64).sqrt();
        report.number("standard deviation of the angle (rms)", "deg", rms.to_degrees());
        report.number("stretches of counted turns", "", self.stretches as f64);
        for time in self.rejected.iter().take(20) {
            report.warn(
                "signal-rejected",
                format!("the signal at {time:.3} s does not fit its neighbours and was not used"),
            );
        }
        if self.rejected.len() > 20 {
            report.warn("signal-rejected", format!("and {} more signals", self.rejected.len() - 20));
        }
        report
    }

    /// Rate over time.
    pub fn plot(&self, times_s: &[f64]) -> Plot {
        let band = |sign: f64| (0..times_s.len()).map(move |i| (i, sign));
        let at = |(i, sign): (usize, f64)| [times_s[i], (self.omega[i] + sign * self.omega_sigma[i]) / TAU];
        Plot::new("Actuator rate", "time [s]", "rate [Hz]")
            .with("rate", Mark::Dots, band(0.0).map(at))
            .with("+ one standard deviation", Mark::Dots, band(1.0).map(at))
            .with("- one standard deviation", Mark::Dots, band(-1.0).map(at))
    }
}
