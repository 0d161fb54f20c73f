//! What a tracker sends of a motion: noise, snaps, samples without a pose, lost samples, arrival stamps.

use crate::steps::pairing::Interval;
use crate::stream::{PoseStream, Sample};
use crate::turns::{exp, minus, norm, plus, product, rotate, times};
use veracity_engine::random::{Purpose, Stream};

/// Errors of a tracker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tracker {
    /// Samples a second [Hz].
    pub rate_hz: f64,
    /// Noise of the place, standard deviation of each axis [m].
    pub place_noise: f64,
    /// Noise of the orientation, standard deviation about each axis [rad].
    pub turn_noise: f64,
    /// The body's centre in the tracker's body frame [m]: the tracker sends the pose of that frame's origin.
    pub centre: [f64; 3],
    /// Snaps in 10,000 samples.
    pub snaps: f64,
    /// Longest snap, in samples.
    pub longest_snap: usize,
    /// Smallest snap: rotation [rad] and displacement [m]. Each snap has one of them or both.
    pub least_snap: (f64, f64),
    /// Samples without a pose in 10,000.
    pub hidden: f64,
    /// Losses in 10,000 samples; each of one to five samples.
    pub losses: f64,
    /// Mean arrival delay [s], exponential; one sample in a thousand is 50 ms late, after which the stamps catch up.
    pub delay_s: f64,
}

impl Default for Tracker {
    /// A tracker with low noise and no other errors.
    fn default() -> Self {
        Self {
            rate_hz: 100.0,
            place_noise: 0.0,
            turn_noise: 0.0,
            centre: [0.0; 3],
            snaps: 0.0,
            longest_snap: 25,
            least_snap: (15f64.to_radians(), 0.020),
            hidden: 0.0,
            losses: 0.0,
            delay_s: 0.0,
        }
    }
}

/// A recording with its truth.
#[derive(Clone, Debug, PartialEq)]
pub struct Captured {
    /// The samples the tracker sent.
    pub stream: PoseStream,
    /// Poses of the tracker's body frame without any error, one for each sample that arrived.
    pub truth: Vec<Sample>,
    /// True times of the samples that arrived [s].
    pub times_s: Vec<f64>,
    /// Snaps that were inserted, by index of the samples that arrived.
    pub snaps: Vec<Interval>,
    /// Samples without a pose.
    pub hidden: Vec<usize>,
    /// (last sample before, how many were lost).
    pub losses: Vec<(usize, usize)>,
}

/// Lanes of the random streams, one for each use.
mod lane {
    pub const PLACE: u32 = 0;
    pub const TURN: u32 = 3;
    pub const SNAP: u32 = 8;
    pub const SNAP_SIZE: u32 = 12;
    pub const HIDDEN: u32 = 24;
    pub const LOSS: u32 = 26;
    pub const DELAY: u32 = 28;
    pub const SIGN: u32 = 31;
}

/// Snaps keep this distance from each other and from the ends, so that each can be identified.
const BETWEEN_SNAPS: usize = 45;

/// Sends a motion, sampled at the tracker's rate, through the tracker.
pub fn capture(motion: &[Sample], tracker: &Tracker, seed: u64) -> Captured {
    let stream = Stream::new(seed, 0, 1, Purpose::SensorNoise);
    let uniform = |k: usize, lane: u32| stream.uniform(k as u64, lane);
    let n = motion.len();
    // The tracker's frame: its origin is off the centre.
    let tracked: Vec<Sample> = motion
        .iter()
        .map(|s| Sample { position: minus(&s.position, &rotate(&s.orientation, &tracker.centre)), ..*s })
        .collect();
    let mut seen = tracked.clone();
    for (k, sample) in seen.iter_mut().enumerate() {
        let noise = |lane: u32, sigma: f64| [0, 1, 2].map(|i| sigma * stream.normal(k as u64, lane + i));
        sample.position = plus(&sample.position, &noise(lane::PLACE, tracker.place_noise));
        sample.orientation = product(&exp(&noise(lane::TURN, tracker.turn_noise)), &sample.orientation);
        if uniform(k, lane::SIGN) < 0.03 {
            sample.orientation = sample.orientation.map(|x| -x);
        }
    }
    let snaps = snap(&mut seen, tracker, &stream);
    let in_snap = |k: usize| snaps.iter().any(|s| (s.first.saturating_sub(4)..s.end + 4).contains(&k));
    let mut hidden = Vec::new();
    for (k, sample) in seen.iter_mut().enumerate() {
        if uniform(k, lane::HIDDEN) < tracker.hidden * 1e-4 && !in_snap(k) && k > 0 && k + 1 < n {
            *sample = Sample::missing(0);
            hidden.push(k);
        }
    }
    // Which samples arrive at all.
    let mut comes = vec![true; n];
    let mut k = 20;
    while k + 40 < n {
        if uniform(k, lane::LOSS) < tracker.losses * 1e-4 && !in_snap(k) {
            let count = 1 + (5.0 * uniform(k, lane::LOSS + 1)) as usize;
            if (k..k + count).all(|j| !in_snap(j)) {
                comes[k..k + count].iter_mut().for_each(|c| *c = false);
                k += count + 20;
            }
        }
        k += 1;
    }
    arrive(tracked, seen, &comes, snaps, &hidden, tracker, &stream)
}

/// Inserts snaps and returns where they are.
fn snap(seen: &mut [Sample], tracker: &Tracker, stream: &Stream) -> Vec<Interval> {
    let mut snaps: Vec<Interval> = Vec::new();
    let mut k = BETWEEN_SNAPS;
    while k + tracker.longest_snap + BETWEEN_SNAPS < seen.len() {
        let draw = |lane: u32| stream.uniform(k as u64, lane);
        if draw(lane::SNAP) >= tracker.snaps * 1e-4 {
            k += 1;
            continue;
        }
        let length = 1 + (draw(lane::SNAP + 1) * tracker.longest_snap as f64) as usize;
        let direction = |lane: u32| {
            let v = [0, 1, 2].map(|i| stream.normal(k as u64, lane + i));
            times(&v, 1.0 / norm(&v))
        };
        let kind = draw(lane::SNAP + 2);
        let size = 1.0 + 3.0 * draw(lane::SNAP + 3) * draw(lane::SNAP + 3);
        let turn = if kind < 0.7 { tracker.least_snap.0 * size } else { 0.0 };
        let place = if kind > 0.4 { tracker.least_snap.1 * size } else { 0.0 };
        let by_turn = exp(&times(&direction(lane::SNAP_SIZE), turn));
        let by_place = times(&direction(lane::SNAP_SIZE + 4), place);
        for sample in &mut seen[k..k + length] {
            sample.orientation = product(&by_turn, &sample.orientation);
            sample.position = plus(&sample.position, &by_place);
        }
        snaps.push(Interval { first: k, end: k + length });
        k += length + BETWEEN_SNAPS;
    }
    snaps
}

/// Removes lost samples and stamps the rest with the arrival time, in whole milliseconds.
fn arrive(
    tracked: Vec<Sample>,
    seen: Vec<Sample>,
    comes: &[bool],
    snaps: Vec<Interval>,
    hidden: &[usize],
    tracker: &Tracker,
    stream: &Stream,
) -> Captured {
    let mut index = Vec::with_capacity(seen.len());
    let (mut out, mut truth, mut times_s) = (Vec::new(), Vec::new(), Vec::new());
    let mut losses: Vec<(usize, usize)> = Vec::new();
    let mut busy_until = 0.0f64;
    for (k, sample) in seen.into_iter().enumerate() {
        index.push(out.len());
        if !comes[k] {
            match losses.last_mut() {
                Some((after, count)) if *after + 1 == out.len() => *count += 1,
                _ => losses.push((out.len() - 1, 1)),
            }
            continue;
        }
        let time = k as f64 / tracker.rate_hz;
        let [u, rare] = stream.uniform_pair(k as u64, lane::DELAY);
        let mut delay = -tracker.delay_s * libm::log(1.0 - u);
        if tracker.delay_s > 0.0 && rare < 1e-3 {
            delay += 0.05;
        }
        // Samples arrive in order: a late one delays those behind it.
        let arrival = (time + delay).max(busy_until);
        busy_until = arrival;
        let stamp_ns = (arrival * 1e3).round() as i64 * 1_000_000;
        out.push(Sample { stamp_ns, ..sample });
        truth.push(Sample { stamp_ns, ..tracked[k] });
        times_s.push(time);
    }
    index.push(out.len());
    let snaps = snaps.iter().map(|s| Interval { first: index[s.first], end: index[s.end] }).collect();
    let hidden = hidden.iter().filter(|k| comes[**k]).map(|k| index[*k]).collect();
    let stream =
        PoseStream { subject: "synthetic".to_string(), rate_hz: None, samples: out, notes: Default::default() };
    Captured { stream, truth, times_s, snaps, hidden, losses }
}
