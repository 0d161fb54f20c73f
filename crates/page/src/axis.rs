//! A linear scale with round ticks.

use crate::short;

/// A range of values and the drawing coordinates of its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// Smallest value.
    pub low: f64,
    /// Largest value.
    pub high: f64,
    /// Where the smallest is drawn.
    pub from: f64,
    /// Where the largest is drawn.
    pub to: f64,
}

impl Axis {
    /// From a value to a larger one.
    pub fn new(low: f64, high: f64) -> Self {
        Self { low, high, from: 0.0, to: 1.0 }
    }

    /// Over the finite values among these. A single value is in the middle; without any the range is 0 to 1.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        let finite = values.into_iter().filter(|value| value.is_finite());
        let (low, high) = finite.fold(ends, |(low, high), value| (low.min(value), high.max(value)));
        match (low, high) {
            (low, high) if low < high => Self::new(low, high),
            (low, high) if low == high => {
                let half = 0.5_f64.max(0.1 * low.abs());
                Self::new(low - half, high + half)
            }
            _ => Self::new(0.0, 1.0),
        }
    }

    /// Extended at both ends by a share of its length, so that no dot lies on an edge.
    #[must_use]
    pub fn wider(self, share: f64) -> Self {
        let more = share * (self.high - self.low);
        Self { low: self.low - more, high: self.high + more, ..self }
    }

    /// The same range at another place of the drawing.
    #[must_use]
    pub fn drawn(self, from: f64, to: f64) -> Self {
        Self { from, to, ..self }
    }

    /// Drawing coordinate of a value.
    pub fn at(&self, value: f64) -> f64 {
        self.from + (self.to - self.from) * (value - self.low) / (self.high - self.low)
    }

    /// Round values within the range, three to seven of them, with their labels.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        let rough = (self.high - self.low) / 6.0;
        // A range of zero or of infinity has no round values in it.
        if !(rough.is_finite() && rough > 0.0) {
            return Vec::new();
        }
        let decade = libm::pow(10.0, libm::floor(libm::log10(rough)));
        let step = [1.0, 2.0, 5.0, 10.0].map(|k| k * decade).into_iter().find(|s| *s >= rough).unwrap_or(rough);
        let digits = (-libm::floor(libm::log10(step) + 1e-9)).max(0.0) as usize;
        let first = (self.low / step - 1e-9).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        let largest = self.low.abs().max(self.high.abs());
        let plain = digits <= 5 && largest < 1e6;
        let label = |value: f64| if plain { format!("{value:.digits$}") } else { short(value) };
        (first..=last).map(|k| k as f64 * step).map(|value| (value, label(value))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        let labels = |low, high| Axis::new(low, high).ticks().into_iter().map(|(_, label)| label).collect::<Vec<_>>();
        assert_eq!(labels(-0.514, 0.514), ["-0.4", "-0.2", "0.0", "0.2", "0.4"]);
        assert_eq!(labels(0.0, 10.0), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(
            labels(0.0, 3e-7),
            ["0", "5.0000e-8", "1.0000e-7", "1.5000e-7", "2.0000e-7", "2.5000e-7", "3.0000e-7"]
        );
        for (low, high) in [(0.0, 3896.0), (-4.0, 4.0), (1.3e-7, 2.9e-7), (-487.0, 280.0), (1e9, 2e9)] {
            let ticks = Axis::new(low, high).ticks();
            assert!((3..=7).contains(&ticks.len()), "{low} to {high}: {ticks:?}");
            assert!(ticks.iter().all(|(t, _)| (low - 1e-9 * high..=high * (1.0 + 1e-9)).contains(t)));
        }
    }

    #[test]
    fn degenerate_ranges_can_be_drawn() {
        assert_eq!(Axis::of([]), Axis::new(0.0, 1.0));
        assert_eq!(Axis::of([f64::NAN, f64::INFINITY, 2.0]), Axis::new(1.5, 2.5));
        assert_eq!(Axis::of([1.0, 3.0]).drawn(0.0, 10.0).at(2.0), 5.0);
        assert!(Axis::new(1.0, 1.0).ticks().is_empty() && Axis::new(0.0, f64::INFINITY).ticks().is_empty());
    }
}
