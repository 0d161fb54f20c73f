//! Motions from the published tables, whose rows are pairs of successive states.

use super::published::STATE;
use crate::motion::Motion;
use crate::rows::Rows;
use veracity_mocap::stream::Quaternion;
use veracity_mocap::turns::product;

/// Time between the two states of a row [s].
pub const INTERVAL_S: f64 = 0.01;

/// Two states are the same if their positions agree to this [m]: tables are printed to eight digits.
const SAME_PLACE: f64 = 1e-9;

/// One motion for each run. `body_turn` is the rotation from the frame of the features to the frame of the table's
/// quaternions: `world_from_body = table · body_turn`.
pub fn motions(rows: &Rows, body_turn: &Quaternion) -> Vec<Motion> {
    let one = |run: &crate::rows::RunRows| {
        let mut out = Motion {
            name: run.name.clone(),
            targets: run.targets.clone(),
            interval_s: INTERVAL_S,
            ..Motion::default()
        };
        let mut begun = 0;
        for k in run.rows.clone() {
            let (now, next) = rows.row(k).split_at(STATE.len());
            let same = |last: &[f64; 3]| (0..3).all(|axis| (last[axis] - now[axis]).abs() < SAME_PLACE);
            if !out.position.last().is_some_and(same) {
                out.end_piece(&mut begun);
                push_state(&mut out, now, body_turn);
            }
            push_state(&mut out, next, body_turn);
        }
        out.end_piece(&mut begun);
        out
    };
    rows.runs.iter().map(one).collect()
}

fn push_state(motion: &mut Motion, state: &[f64], body_turn: &Quaternion) {
    motion.position.push([state[0], state[1], state[2]]);
    motion.orientation.push(product(&[state[6], state[3], state[4], state[5]], body_turn));
    motion.angle.push(state[13]);
}

#[cfg(test)]
mod tests {
    use super::super::published::pair_names;
    use super::*;

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
        let found = motions(&rows, &[1.0, 0.0, 0.0, 0.0]);
        assert_eq!(found[0].pieces, [0..3, 3..5]);
        assert_eq!(found[0].angle, [1.0, 2.0, 3.0, 7.0, 8.0]);
    }
}
