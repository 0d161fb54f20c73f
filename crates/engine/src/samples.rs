//! The rows an advance records: requested as data and filled by the engine, so that batching loses nothing.

use crate::contract::BodyState;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use veracity_model::Layout;
use veracity_record::track::{POSE, TWIST};
use veracity_record::{ContactSample, Track};

/// Requests a row at every multiple of an interval and holds what was recorded.
#[derive(Clone, Debug)]
pub struct Samples {
    every_ns: i64,
    next: i64,
    /// No row is due up to here [s].
    not_before: f64,
    stop: Option<Arc<AtomicBool>>,
    /// What was recorded so far.
    pub track: Track,
    /// Contacts at recorded instants.
    pub contacts: Vec<ContactSample>,
    /// Energy the engine reports, one for each row [J]; empty where it reports none.
    pub energies: Vec<f64>,
    /// Largest solver residual of the steps since the row before, one for each row pushed here, in the engine's own measure.
    pub residuals: Vec<f64>,
    /// Largest residual since the last row, and whether a row already has it.
    worst_residual: f64,
    residual_is_written: bool,
}

impl Samples {
    /// A row at every multiple of `every_ns` after time zero (the row at the start is pushed by the caller), with
    /// capacity for `rows`.
    pub fn new(layout: &Layout, every_ns: i64, rows: usize) -> Self {
        let (nq, nv) = (layout.position_count, layout.dof_count());
        let track = Track::new(nq, nv, layout.bodies.len(), layout.pairs.len(), rows);
        let mut samples = Self {
            every_ns,
            next: 1,
            not_before: 0.0,
            stop: None,
            track,
            contacts: Vec::new(),
            energies: Vec::with_capacity(rows),
            residuals: Vec::with_capacity(rows),
            worst_residual: 0.0,
            residual_is_written: false,
        };
        samples.look_ahead();
        samples
    }

    /// Requests no rows.
    pub fn none(layout: &Layout) -> Self {
        Self::new(layout, 0, 0)
    }

    /// The interval of rows and the number of the next: what another process needs to continue from here.
    pub fn plan(&self) -> [i64; 2] {
        [self.every_ns, self.next]
    }

    /// Continues with the row of this number.
    pub fn go_on(&mut self, next: i64) {
        self.next = next;
        self.look_ahead();
    }

    /// Lets another thread end an advance early: an engine checks this flag before every step.
    pub fn set_stop(&mut self, stop: Arc<AtomicBool>) {
        self.stop = Some(stop);
    }

    /// The flag of [`Samples::set_stop`].
    pub fn stop_flag(&self) -> Option<Arc<AtomicBool>> {
        self.stop.clone()
    }

    /// Whether the advance should end at once.
    pub fn stop_wanted(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// The next instant a row is requested for [s]; infinite if none is.
    pub fn next_time(&self) -> f64 {
        if self.every_ns <= 0 { f64::INFINITY } else { (self.next * self.every_ns) as f64 * 1e-9 }
    }

    /// Whether a row is due at a time that may be off by rounding (one part in 1e9, or a picosecond).
    #[inline]
    pub fn due(&self, time: f64) -> bool {
        // Called after every step: this cheaper, wider test decides most calls.
        time > self.not_before && self.next_time() <= time + (1e-9 * time.abs()).max(1e-12)
    }

    /// Skips to the first instant after `time`: for a run that begins there.
    pub fn begin_after(&mut self, time: f64) {
        if self.every_ns > 0 {
            let count = (time * 1e9 / self.every_ns as f64 + 1e-6).floor() as i64;
            self.next = count + 1;
            self.look_ahead();
        }
    }

    fn look_ahead(&mut self) {
        let next = self.next_time();
        self.not_before = if next.is_finite() { next - (1e-8 * next.abs()).max(1e-11) } else { f64::INFINITY };
    }

    /// Marks the row of [`Samples::next_time`] as recorded.
    pub fn taken(&mut self) {
        self.next += 1;
        self.look_ahead();
    }

    /// Notes the solver residual of a step, for the next row. Several rows inside one step have the same residual.
    #[inline]
    pub fn note_residual(&mut self, residual: f64) {
        let before = if self.residual_is_written { 0.0 } else { self.worst_residual };
        self.worst_residual = before.max(residual);
        self.residual_is_written = false;
    }

    /// Adds a row. Gaps and efforts may be given as empty slices: NaN and zero are used instead.
    pub fn push(&mut self, time: f64, q: &[f64], v: &[f64], bodies: &[BodyState], efforts: &[f64], gaps: &[f64]) {
        let track = &mut self.track;
        track.times.push(time);
        track.q.extend_from_slice(q);
        track.v.extend_from_slice(v);
        for body in bodies {
            let (place, turn) = (body.world_from_body.translation.vector, body.world_from_body.rotation);
            let pose: [f64; POSE] = [place.x, place.y, place.z, turn.w, turn.i, turn.j, turn.k];
            let (w, v) = (body.angular_velocity, body.linear_velocity);
            let twist: [f64; TWIST] = [w.x, w.y, w.z, v.x, v.y, v.z];
            track.poses.extend_from_slice(&pose);
            track.twists.extend_from_slice(&twist);
        }
        let rows = track.times.len();
        track.efforts.extend_from_slice(efforts);
        track.efforts.resize(rows * track.nv, 0.0);
        track.gaps.extend_from_slice(gaps);
        track.gaps.resize(rows * track.pairs, f64::NAN);
        self.residuals.push(self.worst_residual);
        self.residual_is_written = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veracity_model::{ModelBuilder, World};

    #[test]
    fn a_row_has_the_largest_residual_since_the_row_before() {
        let body =
            veracity_model::Body::new("b", veracity_model::Inertia::point_mass(1.0, veracity_model::Vec3::zeros()));
        let mut builder = ModelBuilder::new("m");
        builder.add_body(body, veracity_model::Joint::new("j", veracity_model::JointKind::Free), None);
        let layout = Layout::new(&World::with_model(builder.build().unwrap()));
        let mut samples = Samples::new(&layout, 1, 8);
        let mut row = |residuals: &[f64]| {
            residuals.iter().for_each(|residual| samples.note_residual(*residual));
            samples.push(0.0, &[0.0; 7], &[0.0; 6], &[], &[], &[]);
        };
        row(&[]);
        row(&[1e-9, 3e-6, 2e-8]);
        // Another row of the same step, then rows of later steps.
        row(&[]);
        row(&[1e-7]);
        row(&[0.0]);
        assert_eq!(samples.residuals, [0.0, 3e-6, 3e-6, 1e-7, 0.0]);
    }
}
