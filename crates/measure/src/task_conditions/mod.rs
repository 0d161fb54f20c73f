//! Task conditions: named predicates over the rows of a record, and the instant at which each came true.
//!
//! A task condition is looked at row after row from the first that counts. It *happened* in the first
//! row from which the condition has held for `for_s` (at once unless given):
//!
//! ```text
//! (1)  t = first row with the condition true,  t⁻ = the row before it
//! (2)  the instant lies in (t⁻, t]: given as ½ (t⁻ + t) ± ½ (t - t⁻); in the very first row it is exact
//! ```
//!
//! The same [`Watch`] serves a check, which reads a finished record, and the `[stop]` of a scenario, which reads the rows
//! as they come: both give the same instant. Rows depend on the record interval alone, not on the engine.

pub mod dropped;
pub mod exceeded;
pub mod fell;
pub mod held;
pub mod reached;

use crate::curve::SAME_INSTANT_S;
use crate::metric::{CannotTell, Measured, Options, Subject};
use crate::rows::{Rows, need_poses, pose, rows_that_count};
use veracity_model::{Inertia, Layout, Pose, Vec3, World};
use veracity_record::{ContactSample, Outcome, Track};

/// What has been recorded so far.
#[derive(Clone, Copy)]
pub struct Recorded<'a> {
    /// The world.
    pub world: &'a World,
    /// Its layout.
    pub layout: &'a Layout,
    /// Rows.
    pub track: &'a Track,
    /// Contacts at the rows, in order of time.
    pub contacts: &'a [ContactSample],
    /// Step of the run [s].
    pub step_s: f64,
}

impl<'a> Recorded<'a> {
    /// All of a record.
    pub fn of(subject: &Subject<'a>) -> Self {
        let record = subject.record;
        Self {
            world: &record.world,
            layout: subject.layout,
            track: &record.track,
            contacts: &record.contacts,
            step_s: record.head.step_s,
        }
    }
}

/// A condition on one row. `Some` holds a phrase that says how it is true.
pub trait Condition: Send {
    /// Whether it holds in `row`, relative to the `first` row that counts.
    fn look(&self, recorded: &Recorded<'_>, first: usize, row: usize) -> Option<String>;
}

/// Builds the condition for a world, with every name resolved; the error says which name is missing.
pub type MakeCondition = fn(&World, &Layout, &Options) -> Result<Box<dyn Condition>, CannotTell>;

/// One entry of the list of task conditions. A metric of the same name gives the instant.
pub struct TaskConditionEntry {
    /// As in scenario files.
    pub name: &'static str,
    /// Keys of a check that this condition uses, besides times.
    pub keys: &'static [&'static str],
    /// Whether a check without a bound demands that it happens; else that it never happens.
    pub wanted: bool,
    /// The condition, with every name resolved.
    pub condition: MakeCondition,
}

/// Every task condition.
pub const TASK_CONDITIONS: &[TaskConditionEntry] =
    &[held::ENTRY, dropped::ENTRY, fell::ENTRY, reached::ENTRY, exceeded::ENTRY];

/// The task condition with this name.
pub fn find(name: &str) -> Option<&'static TaskConditionEntry> {
    TASK_CONDITIONS.iter().find(|o| o.name == name)
}

/// When a condition came true.
#[derive(Clone, Debug, PartialEq)]
pub struct Happened {
    /// The middle of (2) [s].
    pub at_s: f64,
    /// Half the width of (2) [s].
    pub error_s: f64,
    /// The row in which it was certain [s]: at least `for_s` later than `at_s`.
    pub seen_s: f64,
    /// How it was true there, as a phrase.
    pub how: String,
}

/// Follows one condition through rows.
pub struct Watch {
    condition: Box<dyn Condition>,
    from_s: f64,
    until_s: f64,
    for_s: f64,
    next: usize,
    first: Option<usize>,
    /// The last row in which it was not true [s].
    before: Option<f64>,
    /// Rows between which it became true, while it stays true [s].
    since: Option<(Option<f64>, f64)>,
    happened: Option<Happened>,
}

impl Watch {
    /// Watch for a condition with the options of a check.
    pub fn new(
        entry: &TaskConditionEntry,
        world: &World,
        layout: &Layout,
        options: &Options,
    ) -> Result<Self, CannotTell> {
        let shifted = |t: f64| t + options.time_offset_s;
        Ok(Self {
            condition: (entry.condition)(world, layout, options)?,
            from_s: options.from_s.map_or(f64::NEG_INFINITY, shifted),
            until_s: options.until_s.map_or(f64::INFINITY, shifted),
            for_s: options.task.for_s.unwrap_or(0.0),
            next: 0,
            first: None,
            before: None,
            since: None,
            happened: None,
        })
    }

    /// Looks at every new row. Returns what happened, once it has.
    pub fn look(&mut self, recorded: &Recorded<'_>) -> Option<&Happened> {
        while self.happened.is_none() && self.next < recorded.track.rows() {
            let row = self.next;
            self.next += 1;
            let time = recorded.track.times[row];
            if time >= self.from_s - SAME_INSTANT_S && time <= self.until_s + SAME_INSTANT_S {
                self.look_at(recorded, row, time);
            }
        }
        self.happened.as_ref()
    }

    fn look_at(&mut self, recorded: &Recorded<'_>, row: usize, time: f64) {
        let first = *self.first.get_or_insert(row);
        let Some(how) = self.condition.look(recorded, first, row) else {
            (self.before, self.since) = (Some(time), None);
            return;
        };
        let (before, began) = *self.since.get_or_insert((self.before, time));
        if time - began < self.for_s - SAME_INSTANT_S {
            return;
        }
        // The middle, and the distance to the later end: their sum is that end, without rounding.
        let at_s = before.map_or(began, |before| 0.5 * (before + began));
        self.happened = Some(Happened { at_s, error_s: began - at_s, seen_s: time, how });
    }
}

/// The instant of a condition as a metric: infinite if it never happened, with the last evaluated row in `at_s`.
pub(crate) fn measure(name: &str, subject: &Subject<'_>, options: &Options) -> Result<Measured, CannotTell> {
    need_poses(subject)?;
    let Some(entry) = find(name) else { return CannotTell::new(format!("there is no task condition '{name}'")) };
    let record = subject.record;
    let recorded = Recorded::of(subject);
    let mut watch = Watch::new(entry, &record.world, subject.layout, options)?;
    if let Some(happened) = watch.look(&recorded) {
        let note = happened.how.clone();
        return Ok(Measured { note, ..Measured::new(happened.at_s, happened.error_s) });
    }
    match &record.outcome {
        Outcome::Finished => {}
        // A wanted condition may still have come true.
        Outcome::Stopped { time, .. } if entry.wanted => {
            return CannotTell::new(format!("it had not happened when the trial was stopped at {time} s"));
        }
        Outcome::Stopped { .. } => {}
        other => return CannotTell::new(format!("it had not happened before the trial ended: {other}")),
    }
    let last = match rows_that_count(subject, options)? {
        Rows::Some(rows) => rows.last().map(|&row| record.track.times[row]),
        Rows::BrokeDown(_) => None,
    };
    Ok(Measured { at_s: last, ..Measured::new(f64::INFINITY, 0.0) })
}

/// The body that an option names.
pub fn body(layout: &Layout, key: &str, name: Option<&String>) -> Result<usize, CannotTell> {
    let Some(name) = name else { return CannotTell::new(format!("name a body with '{key}'")) };
    crate::grasp::find(layout, key, name)
}

/// Upward direction, against gravity.
pub(crate) fn up(world: &World) -> Result<Vec3, CannotTell> {
    match (-world.gravity).try_normalize(0.0) {
        Some(up) => Ok(up),
        None => CannotTell::new("without gravity there is no height; use a distance instead"),
    }
}

/// Inertia of a body by its slot.
pub(crate) fn inertia<'a>(world: &'a World, layout: &Layout, body: usize) -> &'a Inertia {
    let slot = &layout.bodies[body];
    &world.placements[slot.placement].model.body(slot.body).inertia
}

/// Pose of a body in the frame of another, or in the world without one.
pub(crate) fn relative(track: &Track, row: usize, body: usize, other: Option<usize>) -> Pose {
    let here = pose(track, row, body);
    other.map_or(here, |other| pose(track, row, other).inverse() * here)
}

/// Whether a number is known not to exceed another; false for NaN.
pub(crate) fn no_more(x: f64, most: f64) -> bool {
    x <= most
}

/// The angle of a rotation, from its vector part: a cosine loses everything below 1e-8 rad [rad].
pub(crate) fn angle(rotation: &veracity_model::Quat) -> f64 {
    let q = rotation.quaternion();
    2.0 * libm::atan2(q.imag().norm(), q.w.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use veracity_model::{Body, Joint, JointKind, ModelBuilder};

    /// True in the rows listed.
    struct Rows(&'static [usize]);

    impl Condition for Rows {
        fn look(&self, _: &Recorded<'_>, _: usize, row: usize) -> Option<String> {
            self.0.contains(&row).then(String::new)
        }
    }

    fn happened(rows: &'static [usize], options: &Options, at_once: bool) -> Option<(f64, f64, f64)> {
        let mut builder = ModelBuilder::new("one");
        builder.add_body(Body::new("body", Inertia::zero()), Joint::new("fixed", JointKind::Fixed), None);
        let world = World::with_model(builder.build().unwrap());
        let layout = Layout::new(&world);
        let entry = TaskConditionEntry {
            name: "",
            keys: &[],
            wanted: true,
            condition: |_, _, _| Err(CannotTell(String::new())),
        };
        assert!(Watch::new(&entry, &world, &layout, options).is_err());
        let fixed = TaskConditionEntry { condition: |_, _, _| Ok(Box::new(Rows(&[]))), ..entry };
        let mut watch = Watch::new(&fixed, &world, &layout, options).unwrap();
        watch.condition = Box::new(Rows(rows));
        let mut track = Track::new(0, 0, 0, 0, 0);
        for row in 0..10 {
            track.times.push(row as f64);
            if !at_once {
                watch.look(&Recorded { world: &world, layout: &layout, track: &track, contacts: &[], step_s: 1.0 });
            }
        }
        let found =
            watch.look(&Recorded { world: &world, layout: &layout, track: &track, contacts: &[], step_s: 1.0 });
        found.map(|h| (h.at_s, h.error_s, h.seen_s))
    }

    #[test]
    fn the_instant_lies_between_the_rows_and_does_not_depend_on_when_rows_come() {
        let kept = |for_s: f64, from_s: Option<f64>, until_s: Option<f64>| {
            let mut options = Options { from_s, until_s, ..Options::default() };
            options.task.for_s = Some(for_s);
            options
        };
        for at_once in [false, true] {
            let of = |rows: &'static [usize], options: &Options| happened(rows, options, at_once);
            assert_eq!(of(&[4, 7], &kept(0.0, None, None)), Some((3.5, 0.5, 4.0)));
            // Exact where there is no row before.
            assert_eq!(of(&[0], &kept(0.0, None, None)), Some((0.0, 0.0, 0.0)));
            assert_eq!(of(&[], &kept(0.0, None, None)), None);
            // Two seconds without interruption: three rows.
            assert_eq!(of(&[1, 2, 5, 6, 7], &kept(2.0, None, None)), Some((4.5, 0.5, 7.0)));
            assert_eq!(of(&[1, 2, 8, 9], &kept(2.0, None, None)), None);
            assert_eq!(of(&[1, 6], &kept(0.0, Some(2.0), None)), Some((5.5, 0.5, 6.0)));
            assert_eq!(of(&[6], &kept(0.0, None, Some(5.0))), None);
        }
    }
}
