//! Errors of a number that is drawn anew at every sample: of a sensor's reading or of a commanded value.
//!
//! ```text
//! (1)  y   = round((x + bias + s(x) e_k) / resolution) · resolution
//! (2)  s(x) = std + relative |x|
//! (3)  e_k = a e_{k-1} + √(1 - a²) n_k,   e_0 = n_0,   a = exp(-T / correlation_s)
//! ```
//!
//! with `n_k` normal, from a counter-based stream: the `k`-th number of a lane is the same whatever else was drawn. (3) is white
//! noise for `correlation_s = 0`, and otherwise keeps its variance while neighbours `j` samples apart have the correlation `a^j`.

use veracity_engine::random::Stream;

/// Errors of one channel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ChannelErrors {
    /// Spread that does not depend on the signal.
    pub std: f64,
    /// Spread for a signal of one.
    pub relative: f64,
    pub bias: f64,
    pub resolution: f64,
    /// `a` of (3).
    pub kept: f64,
}

impl ChannelErrors {
    /// `a` of (3) for samples `period_ns` apart.
    pub fn kept_after(correlation_s: f64, period_ns: i64) -> f64 {
        if correlation_s > 0.0 { libm::exp(-(period_ns as f64 / 1e9) / correlation_s) } else { 0.0 }
    }

    /// Applies (1) to a number. `drift` is `e` of the sample before, NaN before the first.
    pub fn apply(&self, x: f64, number: u64, lane: u32, stream: &Stream, drift: &mut f64) -> f64 {
        let mut y = x + self.bias;
        if self.std > 0.0 || self.relative > 0.0 {
            let fresh = stream.normal(number, lane);
            // (3)
            *drift = if self.kept > 0.0 && !drift.is_nan() {
                self.kept * *drift + (1.0 - self.kept * self.kept).sqrt() * fresh
            } else {
                fresh
            };
            // (2)
            y += (self.std + self.relative * x.abs()) * *drift;
        }
        if self.resolution > 0.0 {
            y = (y / self.resolution).round() * self.resolution;
        }
        y
    }
}
