//! Overlapping bounding boxes: sweep and prune along x, starting from the order of the last sweep.
//!
//! Shapes move little between two sweeps, so the order of the boxes' lower ends is nearly sorted and an insertion sort takes
//! about as many steps as there are shapes. A sweep is reused for many steps: its boxes are enlarged by [`SLACK`], and as long
//! as every box stays inside its enlarged one, all overlapping boxes are among the pairs found. The candidate pairs depend on
//! the history; the reported ones do not.
//!
//! The sweep compares eight boxes at a time in single precision, rounded outwards: it may report two boxes that are separated
//! by a rounding error, but never misses two that overlap.

use veracity_model::Vec3;

/// Boxes compared at a time.
const LANES: usize = 8;
/// Enlargement of swept boxes on each side, as a fraction of their longest side. A ball that crosses its width in half a second
/// is swept every twenty-fifth millisecond; with much wider boxes most pairs found would never overlap.
const SLACK: f64 = 0.05;

/// Boxes by number, and the order of their lower ends along x.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sweep {
    order: Vec<u32>,
    /// Bounds of the boxes in that order, padded to whole lanes with boxes that overlap nothing.
    low: [Vec<f32>; 3],
    high: [Vec<f32>; 3],
    /// Boxes of the last sweep, by number; empty before the first sweep.
    wide: Vec<[Vec3; 2]>,
    /// Every overlapping pair of those, the lower number in the upper half; sorted.
    near: Vec<u64>,
}

impl Sweep {
    pub fn new(count: usize) -> Self {
        let padded = count.next_multiple_of(LANES) + LANES;
        let filled = |value: f32| std::array::from_fn(|_| vec![value; padded]);
        let (order, low, high) = ((0..count as u32).collect(), filled(f32::INFINITY), filled(f32::NEG_INFINITY));
        Self { order, low, high, wide: Vec::with_capacity(count), near: Vec::with_capacity(8 * count) }
    }

    /// All overlapping pairs of boxes and some that do not overlap (test with [`meet`]), the lower number first, sorted.
    pub fn near(&mut self, boxes: &[[Vec3; 2]]) -> impl Iterator<Item = (u32, u32)> {
        let inside = |([low, high], [least, most]): (&[Vec3; 2], &[Vec3; 2])| {
            (0..3).all(|k| low[k] >= least[k] && high[k] <= most[k])
        };
        if self.wide.len() != boxes.len() || !boxes.iter().zip(&self.wide).all(inside) {
            self.sweep(boxes);
        }
        self.near.iter().map(|&pair| ((pair >> 32) as u32, pair as u32))
    }

    /// Finds the overlapping pairs of enlarged boxes.
    fn sweep(&mut self, boxes: &[[Vec3; 2]]) {
        self.wide.clear();
        self.wide.extend(boxes.iter().map(|[low, high]| {
            let more = SLACK * (high - low).max();
            [low.add_scalar(-more), high.add_scalar(more)]
        }));
        self.near.clear();
        let boxes = &self.wide;
        let low = |i: u32| boxes[i as usize][0].x;
        for i in 1..self.order.len() {
            let moving = self.order[i];
            let key = low(moving);
            let mut k = i;
            while k > 0 && low(self.order[k - 1]) > key {
                self.order[k] = self.order[k - 1];
                k -= 1;
            }
            self.order[k] = moving;
        }
        for (slot, i) in self.order.iter().enumerate() {
            let [low, high] = boxes[*i as usize];
            for axis in 0..3 {
                self.low[axis][slot] = below(low[axis]);
                self.high[axis][slot] = -below(-high[axis]);
            }
        }
        let ([low_x, low_y, low_z], [high_x, high_y, high_z]) = (&self.low, &self.high);
        let count = self.order.len();
        for i in 0..count {
            let (right, y, z) = (high_x[i], [low_y[i], high_y[i]], [low_z[i], high_z[i]]);
            let mut first = i + 1;
            while first < count && low_x[first] <= right {
                let lane = |of: &[f32]| -> [f32; LANES] { std::array::from_fn(|k| of[first + k]) };
                let (x, ly, hy, lz, hz) = (lane(low_x), lane(low_y), lane(high_y), lane(low_z), lane(high_z));
                let mut mask = 0u32;
                for k in 0..LANES {
                    // Not short-circuited: comparing whole lanes is cheaper than mispredicted branches.
                    let meets =
                        (x[k] <= right) & (y[0] <= hy[k]) & (ly[k] <= y[1]) & (z[0] <= hz[k]) & (lz[k] <= z[1]);
                    mask |= u32::from(meets) << k;
                }
                while mask != 0 {
                    let [a, b] = [self.order[i], self.order[first + mask.trailing_zeros() as usize]];
                    self.near.push(u64::from(a.min(b)) << 32 | u64::from(a.max(b)));
                    mask &= mask - 1;
                }
                first += LANES;
            }
        }
        self.near.sort_unstable();
    }
}

/// Whether two boxes overlap, their ends rounded outwards to single precision.
pub(crate) fn meet([low, high]: &[Vec3; 2], [other_low, other_high]: &[Vec3; 2]) -> bool {
    let reaches = |low: f64, high: f64| low <= high || below(low) <= -below(-high);
    (0..3).all(|k| reaches(low[k], other_high[k]) && reaches(other_low[k], high[k]))
}

/// The number, or the next below it, in single precision.
fn below(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) <= x { near } else { near.next_down() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Moving boxes, each at its own speed with occasional jumps: at every instant the reported pairs are those that overlap,
    /// whatever was swept before.
    #[test]
    fn reported_pairs_do_not_depend_on_earlier_sweeps() {
        let count = 40;
        let at = |i: usize, step: usize| {
            let (i, t) = (i as f64, step as f64);
            let leap = if step > 60 && i < 3.0 { 1.0 } else { 0.0 };
            Vec3::new(
                libm::sin(1.3 * i + 0.003 * t) + leap,
                libm::sin(2.1 * i + 0.0002 * i * t),
                libm::sin(0.7 * i - 0.004 * t),
            )
        };
        let mut sweep = Sweep::new(count);
        let (mut sweeps, mut last) = (0, Vec::new());
        for step in 0..120 {
            let around = |i: usize| {
                let half = Vec3::repeat(0.1 + 0.005 * i as f64);
                [at(i, step) - half, at(i, step) + half]
            };
            let boxes: Vec<[Vec3; 2]> = (0..count).map(around).collect();
            let reported = |sweep: &mut Sweep| -> Vec<(u32, u32)> {
                sweep.near(&boxes).filter(|(a, b)| meet(&boxes[*a as usize], &boxes[*b as usize])).collect()
            };
            let pairs = (0..count as u32).flat_map(|a| (a + 1..count as u32).map(move |b| (a, b)));
            let all: Vec<_> = pairs.filter(|(a, b)| meet(&boxes[*a as usize], &boxes[*b as usize])).collect();
            assert!(!all.is_empty());
            assert_eq!(reported(&mut sweep), all, "step {step}");
            assert_eq!(reported(&mut Sweep::new(count)), all, "step {step}, new sweep");
            sweeps += usize::from(sweep.wide != last);
            last.clone_from(&sweep.wide);
        }
        assert!((2..60).contains(&sweeps), "{sweeps} sweeps in 120 steps");
    }
}
