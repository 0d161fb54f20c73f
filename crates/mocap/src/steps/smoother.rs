//! Position, orientation and their velocities by a smoother (Rauch, Tung and Striebel 1965).
//!
//! Acceleration is white noise of intensity `q`, a measured position has variance `r`; per axis, with `h` the step,
//!
//! ```text
//! (1)  x' = x + h v,  v' = v,   Q = q [h³/3 h²/2; h²/2 h],   measured: x + noise of variance r
//! (2)  orientation: q' = exp(h w) q,  w' = w in world axes; the error is a small rotation in world axes, so that its
//!      covariance, the same for all three axes, is that of (1); rotated with the body, h w at a time
//! (3)  q/r by maximum likelihood, r then in closed form:   r = mean of e²/S  with S for r = 1
//! ```
//!
//! Filter forwards, smoother backwards: `x_k += C (x'_s - x'_pred)`, `C = P Fᵀ P'⁻¹`. Missing samples are predicted and
//! so filled. White acceleration has no impacts: within two or three samples of an impact the velocity is smoothed over
//! and its stated deviation is too small.

use super::differences::BodyVelocity;
use crate::report::StepReport;
use crate::stream::Sample;
use crate::turns::{between, exp, minus, plus, product, rotate, times};

/// Number of samples used for the likelihood.
const LOOK: usize = 20_000;

/// Noise of a recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// Intensity of acceleration [m²/s³] or [rad²/s³].
    pub process: f64,
    /// Variance of a measurement (m² or rad²).
    pub measured: f64,
}

/// Result of the smoother.
#[derive(Clone, Debug, PartialEq)]
pub struct Smoothed {
    /// Poses at every sample, missing ones filled.
    pub samples: Vec<Sample>,
    /// Velocities, world axes.
    pub motion: Vec<BodyVelocity>,
    /// Standard deviations, per axis: place [m], velocity [m/s], orientation [rad], angular velocity [rad/s].
    pub sigma: Vec<[f64; 4]>,
    /// Noise of the position.
    pub place_noise: Noise,
    /// Noise of the orientation.
    pub turn_noise: Noise,
}

/// 2x2, symmetric.
#[derive(Clone, Copy, Debug)]
struct Cov {
    xx: f64,
    xv: f64,
    vv: f64,
}

impl Cov {
    /// (1).
    fn predict(&self, h: f64, q: f64) -> Cov {
        Cov {
            xx: self.xx + 2.0 * h * self.xv + h * h * self.vv + q * h * h * h / 3.0,
            xv: self.xv + h * self.vv + q * h * h / 2.0,
            vv: self.vv + q * h,
        }
    }

    /// Gains for a measurement of variance `r`, and the covariance after it.
    fn update(&self, r: f64) -> (f64, f64, f64, Cov) {
        let all = self.xx + r;
        let (kx, kv) = (self.xx / all, self.xv / all);
        let left = Cov { xx: self.xx - kx * self.xx, xv: self.xv - kx * self.xv, vv: self.vv - kv * self.xv };
        (kx, kv, all, left)
    }

    /// `P Fᵀ P'⁻¹`.
    fn smoother_gain(&self, next: &Cov, h: f64) -> [f64; 4] {
        let (m11, m12) = (self.xx + h * self.xv, self.xv);
        let (m21, m22) = (self.xv + h * self.vv, self.vv);
        let det = next.xx * next.vv - next.xv * next.xv;
        let g = |x: f64, v: f64| ((x * next.vv - v * next.xv) / det, (v * next.xx - x * next.xv) / det);
        let ((a, b), (c, d)) = (g(m11, m12), g(m21, m22));
        [a, b, c, d]
    }

    fn smoothed(&self, gain: &[f64; 4], next: &Cov, after: &Cov) -> Cov {
        let [a, b, c, d] = *gain;
        let (x, m, v) = (after.xx - next.xx, after.xv - next.xv, after.vv - next.vv);
        Cov {
            xx: self.xx + a * a * x + 2.0 * a * b * m + b * b * v,
            xv: self.xv + a * c * x + (a * d + b * c) * m + b * d * v,
            vv: self.vv + c * c * x + 2.0 * c * d * m + d * d * v,
        }
    }
}

/// A space whose error is a vector: positions, or orientations.
trait Space {
    type Point: Copy;
    fn measured(sample: &Sample) -> Self::Point;
    fn moved(point: &Self::Point, by: &[f64; 3]) -> Self::Point;
    /// The displacement from `from` to `to`.
    fn apart(from: &Self::Point, to: &Self::Point) -> [f64; 3];
    /// An error transported back along a motion.
    fn carried_back(error: &[f64; 3], motion: &[f64; 3]) -> [f64; 3];
}

struct Place;
struct Orientation;

impl Space for Place {
    type Point = [f64; 3];
    fn measured(sample: &Sample) -> [f64; 3] {
        sample.position
    }
    fn moved(point: &[f64; 3], by: &[f64; 3]) -> [f64; 3] {
        plus(point, by)
    }
    fn apart(from: &[f64; 3], to: &[f64; 3]) -> [f64; 3] {
        minus(to, from)
    }
    fn carried_back(error: &[f64; 3], _: &[f64; 3]) -> [f64; 3] {
        *error
    }
}

impl Space for Orientation {
    type Point = [f64; 4];
    fn measured(sample: &Sample) -> [f64; 4] {
        sample.orientation
    }
    fn moved(point: &[f64; 4], by: &[f64; 3]) -> [f64; 4] {
        product(&exp(by), point)
    }
    fn apart(from: &[f64; 4], to: &[f64; 4]) -> [f64; 3] {
        between(from, to)
    }
    fn carried_back(error: &[f64; 3], motion: &[f64; 3]) -> [f64; 3] {
        rotate(&exp(&times(motion, -1.0)), error)
    }
}

struct Node<P> {
    point: P,
    velocity: [f64; 3],
    cov: Cov,
}

/// Filters forwards; `each` is called with every node. Returns the sums of (3): of e²/S, of log S, and their number.
fn filter<S: Space>(
    samples: &[Sample],
    times_s: &[f64],
    noise: Noise,
    mut each: impl FnMut(Node<S::Point>),
) -> (f64, f64, f64) {
    let Some(first) = samples.iter().position(Sample::is_known) else { return (0.0, 0.0, 0.0) };
    let mut point = S::measured(&samples[first]);
    let mut velocity = [0.0; 3];
    // The start is one measurement and an unconstrained velocity, up to a turn in a few samples.
    let wide = noise.process * 1e3 * (times_s[samples.len() - 1] - times_s[0]).max(1e-3);
    let mut cov = Cov { xx: noise.measured, xv: 0.0, vv: wide };
    let (mut quadratic, mut logarithms, mut count) = (0.0, 0.0, 0.0);
    for k in 0..samples.len() {
        if k > 0 {
            let h = times_s[k] - times_s[k - 1];
            point = S::moved(&point, &times(&velocity, h));
            cov = cov.predict(h, noise.process);
        }
        if samples[k].is_known() && k > first {
            let error = S::apart(&point, &S::measured(&samples[k]));
            let (kx, kv, all, left) = cov.update(noise.measured);
            point = S::moved(&point, &times(&error, kx));
            velocity = plus(&velocity, &times(&error, kv));
            cov = left;
            // The first steps depend on the start, not on the noise.
            if k > first + 2 {
                quadratic += error.iter().map(|e| e * e).sum::<f64>() / all;
                logarithms += 3.0 * libm::log(all);
                count += 3.0;
            }
        }
        each(Node { point, velocity, cov });
    }
    (quadratic, logarithms, count)
}

/// (3).
fn most_likely<S: Space>(samples: &[Sample], times_s: &[f64]) -> Noise {
    let look = samples.len().min(LOOK);
    let cost = |log_ratio: f64| {
        let noise = Noise { process: libm::pow(10.0, log_ratio), measured: 1.0 };
        let (quadratic, logarithms, count) = filter::<S>(&samples[..look], &times_s[..look], noise, |_| ());
        (count * libm::log(quadratic / count) + logarithms, quadratic / count)
    };
    // Golden section over sixteen decades of q/r [1/s³].
    let (mut low, mut high) = (-2.0f64, 14.0f64);
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    let (mut a, mut b) = (high - golden * (high - low), low + golden * (high - low));
    let (mut at_a, mut at_b) = (cost(a).0, cost(b).0);
    for _ in 0..24 {
        if at_a < at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - golden * (high - low);
            at_a = cost(a).0;
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + golden * (high - low);
            at_b = cost(b).0;
        }
    }
    let ratio = 0.5 * (low + high);
    let measured = cost(ratio).1;
    Noise { process: measured * libm::pow(10.0, ratio), measured }
}

type SmoothedSpace<P> = Vec<(P, [f64; 3], f64, f64)>;

fn run<S: Space>(samples: &[Sample], times_s: &[f64], noise: Noise) -> SmoothedSpace<S::Point> {
    let mut nodes: Vec<Node<S::Point>> = Vec::with_capacity(samples.len());
    filter::<S>(samples, times_s, noise, |node| nodes.push(node));
    let Some(last) = nodes.last() else { return Vec::new() };
    let (mut point, mut velocity, mut cov) = (last.point, last.velocity, last.cov);
    let mut out = vec![(point, velocity, cov.xx.sqrt(), cov.vv.sqrt()); nodes.len()];
    for k in (0..nodes.len() - 1).rev() {
        let node = &nodes[k];
        let h = times_s[k + 1] - times_s[k];
        let step = times(&node.velocity, h);
        let next = node.cov.predict(h, noise.process);
        let gain = node.cov.smoother_gain(&next, h);
        let off = S::carried_back(&S::apart(&S::moved(&node.point, &step), &point), &step);
        let off_velocity = minus(&velocity, &node.velocity);
        point = S::moved(&node.point, &plus(&times(&off, gain[0]), &times(&off_velocity, gain[1])));
        velocity = plus(&node.velocity, &plus(&times(&off, gain[2]), &times(&off_velocity, gain[3])));
        cov = node.cov.smoothed(&gain, &next, &cov);
        out[k] = (point, velocity, cov.xx.max(0.0).sqrt(), cov.vv.max(0.0).sqrt());
    }
    out
}

/// Smooths a recording; noise is estimated by (3) unless given (position, orientation). `None` with fewer than ten
/// known samples.
pub fn smooth(samples: &[Sample], times_s: &[f64], noise: Option<(Noise, Noise)>) -> Option<Smoothed> {
    if samples.iter().filter(|s| s.is_known()).count() < 10 {
        return None;
    }
    let (place_noise, turn_noise) = noise
        .unwrap_or_else(|| (most_likely::<Place>(samples, times_s), most_likely::<Orientation>(samples, times_s)));
    let places = run::<Place>(samples, times_s, place_noise);
    let turns = run::<Orientation>(samples, times_s, turn_noise);
    let mut out = Smoothed {
        samples: Vec::with_capacity(samples.len()),
        motion: Vec::with_capacity(samples.len()),
        sigma: Vec::with_capacity(samples.len()),
        place_noise,
        turn_noise,
    };
    for ((sample, place), turn) in samples.iter().zip(places).zip(turns) {
        let norm = crate::turns::dot(&turn.0, &turn.0).sqrt();
        let orientation = turn.0.map(|x| x / norm);
        out.samples.push(Sample { stamp_ns: sample.stamp_ns, position: place.0, orientation });
        out.motion.push(BodyVelocity { linear: place.1, angular: turn.1 });
        out.sigma.push([place.2, place.3, turn.2, turn.3]);
    }
    Some(out)
}

impl Smoothed {
    /// Summary of the smoother.
    pub fn report(&self) -> StepReport {
        let mut report = super::differences::report("velocities, smoother", &self.motion);
        report.number("noise of a measured place, per axis", "mm", 1e3 * self.place_noise.measured.sqrt());
        report.number(
            "noise of a measured orientation, per axis",
            "deg",
            self.turn_noise.measured.sqrt().to_degrees(),
        );
        let n = self.sigma.len().max(1) as f64;
        let rms = |k: usize| (self.sigma.iter().map(|s| s[k] * s[k]).sum::<f64>() / n).sqrt();
        report.number("stated deviation of a velocity, per axis", "m/s", rms(1));
        report.number("stated deviation of an angular velocity, per axis", "rad/s", rms(3));
        report.note("impacts", "within two or three samples of an impact the velocity is smoothed over");
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::differences::differences;
    use crate::turns::norm;
    use veracity_engine::random::{Purpose, Stream};

    /// White acceleration and white noise, as the smoother assumes.
    fn wandering(n: usize, h: f64) -> (Vec<Sample>, Vec<BodyVelocity>, Vec<Sample>, Vec<f64>) {
        let stream = Stream::new(11, 0, 0, Purpose::SensorNoise);
        let (mut truth, mut motion, mut seen) = (Vec::new(), Vec::new(), Vec::new());
        let (mut x, mut v, mut q, mut w) = ([0.0; 3], [0.3, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 8.0, 0.0]);
        for k in 0..n as u64 {
            let sample = Sample { stamp_ns: 0, position: x, orientation: q };
            truth.push(sample);
            motion.push(BodyVelocity { linear: v, angular: w });
            let noise = |lane: u32| [0, 1, 2].map(|i| stream.normal(k, lane + i));
            let orientation = product(&exp(&times(&noise(0), 0.005)), &q);
            seen.push(Sample { position: plus(&x, &times(&noise(3), 0.0005)), orientation, ..sample });
            x = plus(&x, &times(&v, h));
            q = product(&exp(&times(&w, h)), &q);
            v = plus(&v, &times(&noise(6), 0.02));
            w = plus(&w, &times(&noise(9), 0.3));
        }
        (truth, motion, seen, (0..n).map(|k| k as f64 * h).collect())
    }

    #[test]
    fn the_smoother_states_its_error_and_beats_differences() {
        let (truth, motion, mut seen, times_s) = wandering(6000, 0.01);
        for k in [700, 701, 702, 3000] {
            seen[k] = Sample::missing(0);
        }
        let out = smooth(&seen, &times_s, None).unwrap();
        // The likelihood of 18,000 numbers finds the noise to one or two per cent.
        assert!((out.place_noise.measured.sqrt() / 0.0005 - 1.0).abs() < 0.05, "{:?}", out.place_noise);
        assert!((out.turn_noise.measured.sqrt() / 0.005 - 1.0).abs() < 0.05, "{:?}", out.turn_noise);
        let plain = differences(&seen, &times_s);
        let (mut ours, mut theirs, mut chi) = ([0.0; 2], [0.0; 2], [0.0; 4]);
        let inner = 100..5900;
        for k in inner.clone() {
            let e = [
                minus(&out.samples[k].position, &truth[k].position),
                minus(&out.motion[k].linear, &motion[k].linear),
                between(&truth[k].orientation, &out.samples[k].orientation),
                minus(&out.motion[k].angular, &motion[k].angular),
            ];
            for i in 0..4 {
                chi[i] += (norm(&e[i]) / out.sigma[k][i]).powi(2) / 3.0;
            }
            ours[0] += norm(&e[1]).powi(2);
            ours[1] += norm(&e[3]).powi(2);
            let d = &plain[k];
            if d.linear[0].is_finite() {
                theirs[0] += norm(&minus(&d.linear, &motion[k].linear)).powi(2);
                theirs[1] += norm(&minus(&d.angular, &motion[k].angular)).powi(2);
            }
        }
        let n = inner.len() as f64;
        // Errors over stated deviations, squared: one on average. Neighbours are correlated over some ten samples, so
        // 6000 samples count as 600, and the mean scatters by sqrt(2/1800), 3 %; discrete steps differ from white
        // noise.
        assert!(chi.iter().all(|c| (0.8..1.25).contains(&(c / n))), "{:?}", chi.map(|c| c / n));
        assert!(ours[0] < 0.5 * theirs[0] && ours[1] < 0.5 * theirs[1], "{ours:?} {theirs:?}");
        assert!(
            norm(&minus(&out.samples[701].position, &truth[701].position)) < 5.0 * out.sigma[701][0] * 3f64.sqrt()
        );
    }
}
