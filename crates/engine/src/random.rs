//! The only source of random numbers in the workspace: counter-based streams.
//!
//! Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011) maps a 128-bit counter under a
//! 64-bit key to 128 bits. A [`Stream`] is keyed by what the number is *for* (study seed, trial, particle, purpose) and
//! counted by the tick at which it is drawn, so that a number does not depend on how many others were drawn,
//! in which order or on which thread. A stream has no state to save or restore.

/// What a number is for. Streams of different purposes are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Purpose {
    /// Perturbed numbers of a world or a start state.
    Sampling = 1,
    /// Noise of a sensor.
    SensorNoise = 2,
    /// Noise of an actuator or jitter of a command.
    CommandNoise = 3,
    /// Resampling in statistics.
    Statistics = 4,
}

/// Random numbers addressed by tick and lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    key: [u32; 2],
    high: [u32; 2],
}

impl Stream {
    /// The stream of a purpose for one item (`particle`: a sensor's slot, a sampled number's slot) of one trial.
    pub fn new(seed: u64, trial: u64, particle: u32, purpose: Purpose) -> Self {
        // Seed and trial together are 128 bits; Philox has a 64-bit key. Philox itself under the seed spreads the trial
        // over the key: two trials of one study share a key with a chance of 2⁻⁶⁴.
        let spread = philox([trial as u32, (trial >> 32) as u32, 0, 0], [seed as u32, (seed >> 32) as u32]);
        Self { key: [spread[0], spread[1]], high: [particle, purpose as u32] }
    }

    /// 128 random bits at a tick and lane. At most 2²⁰ lanes of a tick, 2⁴⁴ ticks.
    pub fn bits(&self, tick: u64, lane: u32) -> [u32; 4] {
        let counter = (tick << 20) | u64::from(lane & 0xF_FFFF);
        philox([counter as u32, (counter >> 32) as u32, self.high[0], self.high[1]], self.key)
    }

    /// Two numbers uniform in [0, 1), each of 53 bits.
    pub fn uniform_pair(&self, tick: u64, lane: u32) -> [f64; 2] {
        let b = self.bits(tick, lane);
        let unit = |low: u32, high: u32| {
            let bits = (u64::from(high) << 32 | u64::from(low)) >> 11;
            bits as f64 * (1.0 / (1u64 << 53) as f64)
        };
        [unit(b[0], b[1]), unit(b[2], b[3])]
    }

    /// Uniform in [0, 1).
    pub fn uniform(&self, tick: u64, lane: u32) -> f64 {
        self.uniform_pair(tick, lane)[0]
    }

    /// Uniform in (0, 1), never an end: for a quantile function.
    pub fn uniform_open(&self, tick: u64, lane: u32) -> f64 {
        // Half a step of 2⁻⁵³ above every multiple; the last one would round to one.
        (self.uniform(tick, lane) + 0.5 / (1u64 << 53) as f64).min(1.0 - f64::EPSILON / 2.0)
    }

    /// Normal with mean 0 and standard deviation 1 (Box and Muller).
    pub fn normal(&self, tick: u64, lane: u32) -> f64 {
        let [u, turn] = self.uniform_pair(tick, lane);
        // 1 - u lies in (0, 1]: its logarithm is finite.
        (-2.0 * libm::log(1.0 - u)).sqrt() * libm::cos(std::f64::consts::TAU * turn)
    }
}

fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for round in 0..10 {
        if round > 0 {
            key = [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)];
        }
        let a = u64::from(counter[0]) * 0xD251_1F53;
        let b = u64::from(counter[2]) * 0xCD9E_8D57;
        counter =
            [(b >> 32) as u32 ^ counter[1] ^ key[0], b as u32, (a >> 32) as u32 ^ counter[3] ^ key[1], a as u32];
    }
    counter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn philox_gives_the_published_answers() {
        // The known-answer vectors of the authors' Random123 distribution.
        assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        let ones = u32::MAX;
        assert_eq!(philox([ones; 4], [ones; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        let pi = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
        assert_eq!(philox(pi, [0xa409_3822, 0x299f_31d0]), [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]);
    }

    #[test]
    fn normal_numbers_have_the_moments_of_the_normal_distribution() {
        let stream = Stream::new(7, 1, 0, Purpose::SensorNoise);
        let n = 200_000;
        let mut sums = [0.0f64; 4];
        for tick in 0..n {
            let x = stream.normal(tick, 0);
            sums.iter_mut().enumerate().for_each(|(k, s)| *s += x.powi(k as i32 + 1));
        }
        let m = sums.map(|s| s / n as f64);
        // Five standard errors: sqrt(1/n), sqrt(2/n), sqrt(15/n), sqrt(96/n).
        let bound = |variance: f64| 5.0 * (variance / n as f64).sqrt();
        assert!(m[0].abs() < bound(1.0) && (m[1] - 1.0).abs() < bound(2.0), "{m:?}");
        assert!(m[2].abs() < bound(15.0) && (m[3] - 3.0).abs() < bound(96.0), "{m:?}");
    }

    #[test]
    fn streams_differ_in_every_part_of_their_address() {
        let base = Stream::new(1, 2, 3, Purpose::Sampling).bits(4, 5);
        let others = [
            Stream::new(0, 2, 3, Purpose::Sampling).bits(4, 5),
            Stream::new(1, 0, 3, Purpose::Sampling).bits(4, 5),
            Stream::new(1, 2, 0, Purpose::Sampling).bits(4, 5),
            Stream::new(1, 2, 3, Purpose::SensorNoise).bits(4, 5),
            Stream::new(1, 2, 3, Purpose::Sampling).bits(0, 5),
            Stream::new(1, 2, 3, Purpose::Sampling).bits(4, 0),
        ];
        assert!(others.iter().all(|o| *o != base));
    }
}
