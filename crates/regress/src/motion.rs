//! A body over time with the angle of the motor inside: the common form of a simulation and a recording.
//!
//! Velocities are deliberately left out. A simulator gives them at an instant, a recording as differences of noisy
//! poses, and published tables have them in metres per second, metres per sample and undocumented units. Features that
//! need velocities compute them from poses, in the same way for both sides.

use std::ops::Range;
use veracity_mocap::stream::Quaternion;

/// Poses at a fixed rate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Motion {
    /// Its name.
    pub name: String,
    /// Values of the targets it was made with; empty for a recording.
    pub targets: Vec<f64>,
    /// Time between samples [s].
    pub interval_s: f64,
    /// Of the body's centre [m], z up.
    pub position: Vec<[f64; 3]>,
    /// `world_from_body`.
    pub orientation: Vec<Quaternion>,
    /// Of the motor against the body [rad]; wrapped or not.
    pub angle: Vec<f64>,
    /// Ranges of samples without a gap.
    pub pieces: Vec<Range<usize>>,
}

impl Motion {
    /// Ends a piece: the samples added since the last one form a piece.
    pub fn end_piece(&mut self, begun: &mut usize) {
        if self.position.len() > *begun {
            self.pieces.push(*begun..self.position.len());
        }
        *begun = self.position.len();
    }

    /// Range of the centre along x and y, from lowest to highest, without the outermost thousandth, so that snaps of a
    /// recording do not enlarge the enclosure.
    pub fn reach(&self) -> [[f64; 2]; 2] {
        [0, 1].map(|axis| {
            let mut along: Vec<f64> = self.position.iter().map(|p| p[axis]).collect();
            along.sort_by(f64::total_cmp);
            let at = |share: f64| along[((along.len() - 1) as f64 * share).round() as usize];
            [at(0.001), at(0.999)]
        })
    }
}
