//! Rows received from a worker, checked against the request.
//!
//! Row `i` of an advance has the time `(next + i) · interval`; there is one for every such instant up to the end, and
//! none beyond it. Non-finite numbers are the engine's own trouble: its motion ends with the last finite row. Anything
//! else (times that differ, columns of another length, contacts of unknown bodies) is an invalid answer.

use crate::message::read_contacts;
use crate::wire::{Malformed, Reader};
use veracity_engine::{Samples, StepError};
use veracity_record::track::POSE;
use veracity_record::{ContactSample, Track};

/// The request of an advance.
#[derive(Clone, Copy, Debug)]
pub struct Requested {
    /// Interval of rows [ns] and number of the first; an interval of zero requests none.
    pub every_ns: i64,
    pub next: i64,
    /// Start and requested end [s].
    pub before_s: f64,
    pub until_s: f64,
}

/// The rows received.
#[derive(Clone, Debug, Default)]
pub struct Received {
    /// Rows kept, and rows in the answer.
    pub rows: usize,
    pub came: usize,
    /// The error that ends the motion after the last row kept.
    pub trouble: Option<StepError>,
}

/// Number of rows before a request, to undo it if the answer is invalid.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    rows: usize,
    energies: usize,
    contacts: usize,
}

/// Quaternions are of norm one to this: an engine in single precision keeps 1e-6.
const NORM: f64 = 1e-3;

impl Requested {
    /// Allowed rounding of a time: calls give whole steps to 1e-6 of a step.
    fn slack_s(&self) -> f64 {
        1e-6 * (self.until_s - self.before_s).abs() + 1e-9 * self.until_s.abs() + 1e-12
    }

    /// The time of a row [s].
    fn time_s(&self, row: usize) -> f64 {
        self.next.saturating_add(row as i64).saturating_mul(self.every_ns) as f64 * 1e-9
    }

    /// Rows up to a time, as [`Samples::due`] counts them.
    fn rows_until(&self, time_s: f64) -> usize {
        if self.every_ns <= 0 {
            return 0;
        }
        let last = (time_s + (1e-9 * time_s.abs()).max(1e-12)) * 1e9 / self.every_ns as f64;
        (last.floor() as i64).saturating_sub(self.next).saturating_add(1).max(0) as usize
    }

    /// Checks the time a worker reports against the request.
    pub fn hold(&self, time_s: f64, reached: bool) -> Result<(), Malformed> {
        let slack = self.slack_s();
        let behind = time_s < self.before_s - slack || (reached && time_s < self.until_s - slack);
        if time_s.is_finite() && !behind && time_s <= self.until_s.max(self.before_s) + slack {
            return Ok(());
        }
        Err(format!("an advance from {} s to {} s ended at {time_s} s", self.before_s, self.until_s))
    }
}

impl Mark {
    /// The present number of rows.
    pub fn of(samples: &Samples) -> Self {
        Self { rows: samples.track.rows(), energies: samples.energies.len(), contacts: samples.contacts.len() }
    }

    /// Removes all rows after it.
    pub fn take_back(&self, samples: &mut Samples) {
        cut(&mut samples.track, self.rows);
        samples.energies.truncate(self.energies);
        samples.contacts.truncate(self.contacts);
    }
}

/// Appends received rows. `reached` says that all requested rows must be there.
pub fn read(r: &mut Reader, samples: &mut Samples, asked: &Requested, reached: bool) -> Result<Received, Malformed> {
    let mark = Mark::of(samples);
    let rows = read_columns(r, samples)?;
    let expected = asked.rows_until(asked.until_s);
    if rows > expected || (reached && rows != expected) {
        return Err(format!("received {rows} rows, requested {expected}"));
    }
    for (i, time) in samples.track.times[mark.rows..].iter().enumerate() {
        let due = asked.time_s(i);
        let apart = (time - due).abs();
        if apart.is_nan() || apart > 1e-9 * due.abs() + 1e-12 {
            return Err(format!("received a row of {time} s, requested {due} s"));
        }
    }
    let energies = samples.energies.len() - mark.energies;
    if energies != 0 && energies != rows {
        return Err(format!("received {energies} energies for {rows} rows"));
    }
    if let Some(fault) =
        samples.contacts[mark.contacts..].iter().find_map(|c| contact_fault(c, &samples.track, asked))
    {
        return Err(fault);
    }
    let Some(bad) = (mark.rows..mark.rows + rows).find(|row| !is_finite(&samples.track, *row)) else {
        let turned = samples.track.poses[mark.rows * samples.track.bodies * POSE..].as_chunks::<POSE>().0;
        return match turned.iter().find_map(|pose| norm_fault(&[pose[3], pose[4], pose[5], pose[6]])) {
            Some(fault) => Err(fault),
            None => Ok(Received { rows, came: rows, trouble: None }),
        };
    };
    let time = samples.track.times[bad];
    cut(&mut samples.track, bad);
    samples.energies.truncate(mark.energies + if energies == 0 { 0 } else { bad - mark.rows });
    samples.contacts.retain(|c| c.time < time);
    let reason = "the engine's state contains NaN or infinity".to_string();
    Ok(Received { rows: bad - mark.rows, came: rows, trouble: Some(StepError { time, reason }) })
}

/// What is wrong with a quaternion that should be of norm one.
pub fn norm_fault(turn: &[f64; 4]) -> Option<Malformed> {
    let norm = turn.iter().map(|x| x * x).sum::<f64>().sqrt();
    ((norm - 1.0).abs() > NORM).then(|| format!("a quaternion of norm {norm}"))
}

fn contact_fault(contact: &ContactSample, track: &Track, asked: &Requested) -> Option<Malformed> {
    let bodies = [contact.body_a, contact.body_b];
    if let Some(body) = bodies.iter().flatten().find(|body| **body as usize >= track.bodies) {
        return Some(format!("a contact of body {body}; there are {}", track.bodies));
    }
    let numbers = contact.point.iter().chain(&contact.normal).chain(&contact.impulse);
    let slack = asked.slack_s();
    let in_time = contact.time >= asked.before_s - slack && contact.time <= asked.until_s + slack;
    let fine = in_time && contact.gap.is_finite() && numbers.into_iter().all(|x| x.is_finite());
    (!fine)
        .then(|| format!("a contact at {} s with numbers that are not finite or not of this advance", contact.time))
}

fn is_finite(track: &Track, row: usize) -> bool {
    let bodies = (0..track.bodies).flat_map(|body| track.pose(row, body).iter().chain(track.twist(row, body)));
    track.q(row).iter().chain(track.v(row)).chain(bodies).all(|x| x.is_finite())
}

fn cut(track: &mut Track, rows: usize) {
    track.times.truncate(rows);
    track.q.truncate(rows * track.nq);
    track.v.truncate(rows * track.nv);
    track.efforts.truncate(rows * track.nv);
    track.poses.truncate(rows * track.bodies * POSE);
    track.twists.truncate(rows * track.bodies * veracity_record::track::TWIST);
    track.gaps.truncate(rows * track.pairs);
}

/// Reads columns, each with its count; returns the number of rows.
fn read_columns(r: &mut Reader, samples: &mut Samples) -> Result<usize, Malformed> {
    let track = &mut samples.track;
    let rows = r.reals_onto(&mut track.times)?;
    let wide = [track.nq, track.nv, track.nv, 7 * track.bodies, 6 * track.bodies, track.pairs];
    let columns =
        [&mut track.q, &mut track.v, &mut track.efforts, &mut track.poses, &mut track.twists, &mut track.gaps];
    for (column, width) in columns.into_iter().zip(wide) {
        let count = r.reals_onto(column)?;
        if count != rows * width {
            return Err(format!("{rows} rows of {width} numbers have {count} numbers"));
        }
    }
    r.reals_onto(&mut samples.energies)?;
    read_contacts(r, &mut samples.contacts)?;
    Ok(rows)
}
