//! Gaps of the named pairs: current, and the smallest of all steps.

use veracity_collide::NamedPairs;
use veracity_engine::BodyState;
use veracity_model::{Pose, World};

/// Measures the named pairs of a world.
pub(crate) struct GapWatch {
    pairs: NamedPairs,
    /// Smallest gap of each pair so far [m].
    pub(crate) least: Vec<f64>,
    /// The last measured gaps [m]; NaN where there is no gap.
    pub(crate) now: Vec<f64>,
}

impl GapWatch {
    pub(crate) fn new(world: &World) -> Self {
        let pairs = NamedPairs::new(world);
        let count = pairs.len();
        Self { pairs, least: vec![f64::INFINITY; count], now: vec![f64::NAN; count] }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The gap of one pair [m], with the body poses given by `place`.
    pub(crate) fn measure(&self, pair: usize, place: impl Fn(usize) -> Pose) -> f64 {
        self.pairs.gap(pair, place)
    }

    /// Measures all pairs and updates the smallest gaps.
    pub(crate) fn look(&mut self, bodies: &[BodyState]) {
        self.measure_all(bodies);
        for (least, now) in self.least.iter_mut().zip(&self.now) {
            // `min` ignores NaN: the smallest gap stays.
            *least = least.min(*now);
        }
    }

    /// Measures all pairs into `now`.
    pub(crate) fn measure_all(&mut self, bodies: &[BodyState]) {
        for pair in 0..self.pairs.len() {
            self.now[pair] = self.measure(pair, |slot| bodies[slot].world_from_body);
        }
    }
}
