//! The first time at which records diverge.
//!
//! The first record is held against each of the others; the value is the first instant at which the mass of some body is,
//! root mean square, farther than `level` (a millimetre if not given) from where the first record has it. Between rows both
//! motions are interpolated, so that the instant is known better than to the sampling: its uncertainty is the error of
//! interpolation over the speed at which the two part, at most the interval. Records that never part have the value
//! infinity, and the note says up to when they were followed and how far apart they came. A record
//! that breaks down parts from the others there at the latest.

use crate::comparison::{Better, ComparisonEntry};
use crate::distance::{RecordMotion, same_bodies};
use crate::metric::{CannotTell, Measured, Options, Subject};
use crate::rows::broke_down;
use crate::truth::Truth;

/// See the page of this file.
pub const ENTRY: ComparisonEntry = ComparisonEntry {
    name: "split_point",
    unit: "s",
    text: "the first time at which records diverge by more than a bound",
    needs_truth: false,
    better: Better::Larger,
    compare,
};

/// Farther apart than this, two motions are no longer the same for a robot's purposes [m].
const USUAL_LEVEL_M: f64 = 1e-3;

fn compare(subjects: &[Subject<'_>], _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    same_bodies(subjects)?;
    let [first, others @ ..] = subjects else {
        return CannotTell::new("there are no records to compare");
    };
    let level = options.level.unwrap_or(USUAL_LEVEL_M);
    let mut earliest: Option<Measured> = None;
    for other in others {
        let found = split(first, other, level, options)?;
        if earliest.as_ref().is_none_or(|e| found.value < e.value) {
            earliest = Some(found);
        }
    }
    earliest.ok_or_else(|| CannotTell("one record alone cannot be compared".to_string()))
}

fn split(a: &Subject<'_>, b: &Subject<'_>, level: f64, options: &Options) -> Result<Measured, CannotTell> {
    let (of_a, of_b) = (RecordMotion::new(a, options)?, RecordMotion::new(b, options)?);
    let mut series: Vec<(f64, f64)> = Vec::new();
    for t in of_a.common_instants(&of_b, options) {
        let Some(apart) = of_a.apart(&of_b, t) else {
            return CannotTell::new(format!("one of the records has no rows around {t} s"));
        };
        let before = series.last().copied();
        series.push((t, apart.distance));
        if apart.distance <= level {
            continue;
        }
        let name = &a.layout.bodies[apart.body].name;
        let note = format!("{} and {} diverge by {level} m in {name}", a.record.head.engine, b.record.head.engine);
        let Some((last, distance)) = before else {
            return Ok(Measured { at_s: Some(t), series, note, ..Measured::new(t, 0.0) });
        };
        // Where a motion becomes NaN, it diverged at some time since the row before.
        let (at, error) = if apart.distance.is_nan() {
            (t, t - last)
        } else {
            located(&of_a, &of_b, level, (last, t), apart.distance - distance)
        };
        return Ok(Measured { at_s: Some(at), series, note, ..Measured::new(at, error) });
    }
    let Some(&(until, _)) = series.last() else {
        return CannotTell::new("the records have no time in common");
    };
    if let Some(broken) = broke_down(a, until).or_else(|| broke_down(b, until)) {
        let at = broken.at_s.unwrap_or(until);
        return Ok(Measured {
            at_s: Some(at),
            series,
            note: broken.note,
            ..Measured::new(at, (at - until).max(0.0))
        });
    }
    let most = series.iter().map(|s| s.1).fold(0.0, f64::max);
    let note = format!("they stay within {most:.3e} m of each other up to {until} s");
    Ok(Measured { at_s: Some(until), series, note, ..Measured::new(f64::INFINITY, 0.0) })
}

/// The instant in a bracket, and its error.
fn located(a: &RecordMotion<'_>, b: &RecordMotion<'_>, level: f64, bracket: (f64, f64), grown: f64) -> (f64, f64) {
    let (mut low, mut high) = bracket;
    let span = high - low;
    // To a nanosecond: instants closer than that count as one.
    while high - low > 1e-9 {
        let middle = 0.5 * (low + high);
        // Late in a long run, doubles are farther apart than that.
        if middle <= low || middle >= high {
            break;
        }
        let apart = a.apart(b, middle).map_or(f64::NAN, |x| x.distance);
        if apart <= level { low = middle } else { high = middle }
    }
    let error = a.apart(b, high).map_or(f64::INFINITY, |x| x.error) / (grown / span);
    (high, (error + 1e-9).min(span))
}
