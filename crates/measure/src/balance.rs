//! Expected energy of a run: that of the start, plus the work of motors, minus the losses of the world.
//!
//! ```text
//! (1)  E(t) = E(0) + Σ τ Δq + ∫ P dt
//! ```
//!
//! `P`, the losses of the world, is integrated with the cubic through the four rows around each interval; its error
//! estimate is the difference from the parabola through three rows. `τ` is the recorded effort of the step that ended
//! at a row. Between two rows it was either held, if the controller acts no more often than rows are recorded, or moved
//! from one value to the other in smaller steps; the mean of the two ends is used, and the difference from holding is
//! the error estimate.

use crate::curve::{rows_around, through_rows};
use crate::energy::{EnergyOfRows, EnergyRow};
use crate::metric::{CannotTell, Subject};
use veracity_model::Vec3;

/// Rounding of one energy relative to the sum of the absolute values of its terms: a pose is the result of some ten
/// products.
pub const ROUNDING: f64 = 1e-15;

/// Difference between the energy of a record and (1), over some of its rows.
pub struct Balance {
    /// Times of the rows [s].
    pub times: Vec<f64>,
    /// Energies of the rows.
    pub rows: Vec<EnergyRow>,
    /// `E(t) - E(0) - work - losses` [J].
    pub missing: Vec<f64>,
    /// Error estimate of each [J].
    pub doubt: Vec<f64>,
    /// Work and losses since the first row [J].
    pub exchanged: Vec<f64>,
}

impl Balance {
    /// Balance over rows in increasing order.
    pub fn new(subject: &Subject<'_>, rows: &[usize]) -> Result<Self, CannotTell> {
        let energy = EnergyOfRows::new(subject)?;
        can_be_balanced(subject, &energy, rows)?;
        let track = &subject.record.track;
        let (Some(&first), Some(&last)) = (rows.first(), rows.last()) else {
            return CannotTell::new("the record has no rows");
        };
        // Work and losses are summed over every row in between, whether requested or not.
        let span: Vec<EnergyRow> = (first..=last).map(|r| energy.row(r)).collect();
        let times = &track.times[first..=last];
        let losses: Vec<Vec3> = span.iter().map(|e| Vec3::new(e.losses, 0.0, 0.0)).collect();
        let lossy = energy.has_losses();
        let has_efforts = track.efforts.iter().any(|&e| e != 0.0);
        let (mut exchanged, mut doubt) = (vec![0.0; span.len()], vec![0.0; span.len()]);
        let (mut unsure, mut if_held) = (0.0f64, 0.0f64);
        for i in 0..span.len() - 1 {
            let mut gain = 0.0;
            if lossy {
                let (cubic, parabola) = (integral(times, &losses, i, 4), integral(times, &losses, i, 3));
                gain += cubic;
                unsure += (cubic - parabola).abs();
            }
            if has_efforts {
                let work = work(subject, first + i);
                gain += work.mean;
                if_held += work.held - work.mean;
                unsure += work.unsure;
            }
            exchanged[i + 1] = exchanged[i] + gain;
            doubt[i + 1] = unsure + if_held.abs();
        }
        let start = span[0].energy.total();
        let pick = |r: &usize| r - first;
        let missing = |i: usize| span[i].energy.total() - start - exchanged[i];
        let rounding = |i: usize| ROUNDING * (span[i].terms + span[0].terms + exchanged[i].abs());
        Ok(Self {
            times: rows.iter().map(|&r| track.times[r]).collect(),
            missing: rows.iter().map(pick).map(missing).collect(),
            doubt: rows.iter().map(pick).map(|i| doubt[i] + rounding(i)).collect(),
            exchanged: rows.iter().map(pick).map(|i| exchanged[i]).collect(),
            rows: rows.iter().map(pick).map(|i| span[i]).collect(),
        })
    }

    /// The largest kinetic energy, or the range of the potential energy, whichever is larger [J].
    pub fn scale(&self) -> f64 {
        let kinetic = self.rows.iter().map(|r| r.energy.kinetic).fold(0.0, f64::max);
        let potential = |r: &EnergyRow| r.energy.gravity + r.energy.elastic;
        let high = self.rows.iter().map(potential).fold(f64::NEG_INFINITY, f64::max);
        let low = self.rows.iter().map(potential).fold(f64::INFINITY, f64::min);
        kinetic.max(high - low)
    }
}

fn can_be_balanced(subject: &Subject<'_>, energy: &EnergyOfRows<'_>, rows: &[usize]) -> Result<(), CannotTell> {
    let record = subject.record;
    if !record.contacts.is_empty() {
        return CannotTell::new("bodies touched: the energy lost to friction and impacts is not in the record");
    }
    let track = &record.track;
    if track.efforts.len() != track.rows() * track.nv {
        return CannotTell::new("the record has no efforts");
    }
    if track.efforts.iter().any(|e| e.is_nan()) {
        return CannotTell::new("the engine does not report the efforts of its drives: command efforts instead");
    }
    if let Some(push) = outside_push(record) {
        return CannotTell::new(format!("'{push}' pushed a body: its work is not in the record"));
    }
    let (Some(&first), Some(&last)) = (rows.first(), rows.last()) else { return Ok(()) };
    for b in &energy.machine().bodies {
        for (k, dof) in b.joint.dofs.iter().enumerate() {
            let Some(at) = subject.layout.dof_position[b.v + k] else { continue };
            let beyond = |r: usize| track.q(r)[at] >= dof.upper || track.q(r)[at] <= dof.lower;
            if (first..=last).any(beyond) {
                return CannotTell::new(format!(
                    "joint '{}' reached its limit: the energy lost at the stop is not in the record",
                    b.joint.name
                ));
            }
        }
    }
    Ok(())
}

/// The first command of a force or torque on a body, which has no recorded effort.
pub(crate) fn outside_push(record: &veracity_record::Record) -> Option<&str> {
    let of_body = |name: &str| {
        let mut parts = name.split('/').skip(2);
        name.starts_with("commands/") && matches!(parts.next(), Some("forces" | "torques"))
    };
    let pushed =
        record.track.signals.iter().find(|s| of_body(&s.name) && s.values.iter().any(|x| !x.is_nan() && *x != 0.0));
    pushed.map(|s| s.name.as_str())
}

/// Integral over the interval from row `i` of the polynomial through `count` rows: two Gauss points are exact for a
/// cubic.
fn integral(times: &[f64], x: &[Vec3], i: usize, count: usize) -> f64 {
    let count = count.min(x.len());
    let first = rows_around(i, count, x.len());
    let (middle, half) = (0.5 * (times[i] + times[i + 1]), 0.5 * (times[i + 1] - times[i]));
    let lever = half / 3.0f64.sqrt();
    half * [middle - lever, middle + lever].map(|t| through_rows(times, x, first, count, t).x).iter().sum::<f64>()
}

/// Work of the efforts from one row to the next [J].
#[derive(Default)]
struct Work {
    /// With the mean of the efforts at both ends.
    mean: f64,
    /// With the effort at the end, held.
    held: f64,
    /// Error estimate of the displacement.
    unsure: f64,
}

fn work(subject: &Subject<'_>, row: usize) -> Work {
    let track = &subject.record.track;
    let efforts = |r: usize| &track.efforts[r * track.nv..(r + 1) * track.nv];
    let span = track.times[row + 1] - track.times[row];
    let mut sum = Work::default();
    for (dof, (&before, &now)) in efforts(row).iter().zip(efforts(row + 1)).enumerate() {
        let speeds = [track.v(row)[dof], track.v(row + 1)[dof]];
        let way = match subject.layout.dof_position[dof] {
            Some(at) => track.q(row + 1)[at] - track.q(row)[at],
            None => {
                // Rotation has no position coordinate: use the trapezoidal rule; the error estimate is half its
                // difference from the rectangle rule.
                sum.unsure += 0.5 * (now * (speeds[1] - speeds[0]) * span).abs();
                0.5 * (speeds[0] + speeds[1]) * span
            }
        };
        // Before the first row nothing acted: the effort that acts from then on is in the second row.
        let before = if row == 0 { now } else { before };
        sum.mean += 0.5 * (before + now) * way;
        sum.held += now * way;
    }
    sum
}
