//! Which boxes around shapes meet: sweep and prune along x, sorted from where the last sweep left off.
//!
//! Shapes move little between two sweeps, so the order of the boxes' lower ends is nearly right and an insertion sort puts
//! it right in about as many steps as there are shapes. The order in which pairs come out depends on the history; they are
//! sorted before use.
//!
//! The sweep compares eight boxes at a time in single precision, rounded outwards: it may report two boxes that miss each
//! other by a rounding, never miss two that meet.

use veracity_model::Vec3;

/// Boxes compared at a time.
const LANES: usize = 8;

/// Boxes by number, and the order of their lower ends along x.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sweep {
    order: Vec<u32>,
    /// Bounds of the boxes in that order, filled up to whole lanes with boxes that meet nothing.
    low: [Vec<f32>; 3],
    high: [Vec<f32>; 3],
}

impl Sweep {
    pub fn new(count: usize) -> Self {
        let padded = count.next_multiple_of(LANES) + LANES;
        let filled = |value: f32| std::array::from_fn(|_| vec![value; padded]);
        Self { order: (0..count as u32).collect(), low: filled(f32::INFINITY), high: filled(f32::NEG_INFINITY) }
    }

    /// Calls `meet` with every two boxes that meet, the lower number first.
    pub fn pairs(&mut self, boxes: &[[Vec3; 2]], mut meet: impl FnMut(u32, u32)) {
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
                    // Not short-circuited: comparisons of whole lanes cost less than branches guessed wrong.
                    let meets =
                        (x[k] <= right) & (y[0] <= hy[k]) & (ly[k] <= y[1]) & (z[0] <= hz[k]) & (lz[k] <= z[1]);
                    mask |= u32::from(meets) << k;
                }
                while mask != 0 {
                    let [a, b] = [self.order[i], self.order[first + mask.trailing_zeros() as usize]];
                    meet(a.min(b), a.max(b));
                    mask &= mask - 1;
                }
                first += LANES;
            }
        }
    }
}

/// The number, or the next below it, in single precision.
fn below(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) <= x { near } else { near.next_down() }
}
