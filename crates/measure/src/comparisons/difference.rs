//! How far records are from the first of them.
//!
//! The distance of two poses of a body is how far its mass has moved between them, root mean square; the worst body and
//! the worst instant count, over all records after the first. `of` names one body. None of them is the truth: it shows how much
//! the choice of an engine or a step matters.

use crate::comparison::{Better, ComparisonEntry};
use crate::distance::{RecordMotion, same_bodies};
use crate::metric::{CannotTell, Measured, Options, Subject};
use crate::rows::{broke_down, largest};
use crate::truth::Truth;

/// See the page of this file.
pub const ENTRY: ComparisonEntry = ComparisonEntry {
    name: "difference",
    unit: "m",
    text: "the largest distance of the bodies of one record from those of another",
    needs_truth: false,
    better: Better::Smaller,
    compare,
};

fn compare(subjects: &[Subject<'_>], _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    let [first, others @ ..] = subjects else {
        return CannotTell::new("there are no records to compare");
    };
    if others.is_empty() {
        return CannotTell::new("one record alone cannot be compared");
    }
    let mut worst: Option<Measured> = None;
    for other in others {
        let found = between(first, other, options)?;
        if worst.as_ref().is_none_or(|w| found.value > w.value || found.value.is_nan()) {
            worst = Some(found);
        }
    }
    worst.ok_or_else(|| CannotTell("one record alone cannot be compared".to_string()))
}

/// Difference of two records.
pub(super) fn between(a: &Subject<'_>, b: &Subject<'_>, options: &Options) -> Result<Measured, CannotTell> {
    same_bodies(&[*a, *b])?;
    let (of_a, of_b) = (RecordMotion::new(a, options)?, RecordMotion::new(b, options)?);
    let wanted = options.until_s.unwrap_or(a.record.head.duration_s.min(b.record.head.duration_s));
    for s in [a, b] {
        let reached = s.record.track.times.last().copied().unwrap_or(0.0);
        if let Some(broken) = broke_down(s, wanted).filter(|_| reached + 1e-9 < wanted) {
            return Ok(broken);
        }
    }
    let (mut series, mut doubt, mut worst) = (Vec::new(), Vec::new(), (f64::NEG_INFINITY, 0));
    for t in of_a.common_instants(&of_b, options) {
        let Some(apart) = of_a.apart(&of_b, t) else {
            return CannotTell::new(format!("one of the records has no rows around {t} s"));
        };
        if apart.distance > worst.0 {
            worst = (apart.distance, apart.body);
        }
        series.push((t, apart.distance));
        doubt.push(apart.error);
    }
    if series.is_empty() {
        return CannotTell::new("the records have no time in common");
    }
    let mut measured = largest(series, &doubt);
    measured.note = format!("worst is {}", a.layout.bodies[worst.1].name);
    Ok(measured)
}
