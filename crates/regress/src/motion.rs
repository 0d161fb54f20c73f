//! A body over time with the angle of the motor inside: the common form of a simulation and a recording.
//!
//! Velocities are deliberately left out. A simulator gives them at an instant, a recording as differences of noisy
//! poses, and published tables have them in metres per second, metres per sample and undocumented units. Features that
//! need velocities compute them from poses, in the same way for both sides.

use crate::data::Rows;
use crate::data::published::STATE;
use crate::turn::{Turn, product};
use std::ops::Range;

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
    pub orientation: Vec<Turn>,
    /// Of the motor against the body [rad]; wrapped or not.
    pub angle: Vec<f64>,
    /// Ranges of samples without a gap.
    pub pieces: Vec<Range<usize>>,
}

/// Two states are the same if their positions agree to this [m]: tables are printed to eight digits.
const SAME_PLACE: f64 = 1e-9;

impl Motion {
    /// Motions from rows of state pairs in the columns of the published tables, one for each run. `body_turn` is the
    /// rotation from the frame of the features to the frame of the table's quaternions: `world_from_body = table ·
    /// body_turn`.
    pub fn of_pairs(rows: &Rows, interval_s: f64, body_turn: &Turn) -> Vec<Self> {
        rows.runs
            .iter()
            .map(|run| {
                let mut out =
                    Self { name: run.name.clone(), targets: run.targets.clone(), interval_s, ..Self::default() };
                let mut begun = 0;
                for k in run.rows.clone() {
                    let (now, next) = rows.row(k).split_at(STATE.len());
                    let follows = out
                        .position
                        .last()
                        .is_some_and(|last| (0..3).all(|axis| (last[axis] - now[axis]).abs() < SAME_PLACE));
                    if !follows {
                        out.end_piece(&mut begun);
                        out.push_state(now, body_turn);
                    }
                    out.push_state(next, body_turn);
                }
                out.end_piece(&mut begun);
                out
            })
            .collect()
    }

    fn push_state(&mut self, state: &[f64], body_turn: &Turn) {
        self.position.push([state[0], state[1], state[2]]);
        self.orientation.push(product(&[state[6], state[3], state[4], state[5]], body_turn));
        self.angle.push(state[13]);
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::published::pair_names;

    #[test]
    fn consecutive_rows_form_one_piece() {
        let state = |x: f64| {
            let mut s = vec![0.0; 15];
            (s[0], s[6], s[13]) = (x, 1.0, x);
            s
        };
        let pair = |a: f64, b: f64| [state(a), state(b)].concat();
        let mut rows = Rows::new(pair_names());
        rows.push("one", &[], &[pair(1.0, 2.0), pair(2.0, 3.0), pair(7.0, 8.0)].concat());
        let found = Motion::of_pairs(&rows, 0.01, &[1.0, 0.0, 0.0, 0.0]);
        assert_eq!(found[0].pieces, [0..3, 3..5]);
        assert_eq!(found[0].angle, [1.0, 2.0, 3.0, 7.0, 8.0]);
    }
}
