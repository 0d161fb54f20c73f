//! How far an engine at its step leaves its own motion at a fine one.
//!
//! After Erez, Tassa and Todorov (ICRA 2015): no outside truth, no chaos. The first record is the engine's own run at a
//! fine step. Each further record is a run at the step in question that was started in a state of the fine run and is short
//! enough that errors cannot grow by themselves. The value is the root mean square, over these runs, of how far the mass of
//! the worst body is from the fine run at the end of each; its uncertainty the 95 % interval by Student of the mean square.
//! A run that does not begin on the fine one, to a billionth of a metre, is refused: it would measure something else.

use crate::comparison::{Better, ComparisonEntry};
use crate::distance::{RecordMotion, same_bodies};
use crate::metric::{CannotTell, Measured, Options, Subject};
use crate::rows::broke_down;
use crate::statistics::student_mean;
use crate::truth::Truth;

/// See the page of this file.
pub const ENTRY: ComparisonEntry = ComparisonEntry {
    name: "self_consistency",
    unit: "m",
    text: "how far short runs at a step end from the fine run they were started on",
    needs_truth: false,
    better: Better::Smaller,
    compare,
};

/// Largest distance between the start of a run and the fine run [m].
const SAME_START_M: f64 = 1e-9;

fn compare(subjects: &[Subject<'_>], _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    same_bodies(subjects)?;
    let [fine, runs @ ..] = subjects else {
        return CannotTell::new("there are no records to compare");
    };
    if runs.is_empty() {
        return CannotTell::new("there are no runs except the fine one");
    }
    let of_fine = RecordMotion::new(fine, options)?;
    let (mut series, mut squares, mut doubt) = (Vec::new(), Vec::new(), 0.0f64);
    for run in runs {
        let times = &run.record.track.times;
        let (Some(&start), Some(&end)) = (times.first(), times.last()) else {
            return CannotTell::new("one of the runs is empty");
        };
        if let Some(broken) = broke_down(run, end) {
            return Ok(broken);
        }
        let of_run = RecordMotion::new(run, options)?;
        let (Some(before), Some(after)) = (of_fine.apart(&of_run, start), of_fine.apart(&of_run, end)) else {
            return CannotTell::new(format!("the fine run does not reach from {start} to {end} s"));
        };
        let off = before.distance - before.error;
        if off > SAME_START_M || off.is_nan() {
            return CannotTell::new(format!(
                "the run from {start} s begins {:.1e} m from the fine one: start it in a state of that",
                before.distance
            ));
        }
        series.push((end, after.distance));
        squares.push(after.distance * after.distance);
        doubt = doubt.max(after.error);
    }
    series.sort_by(|a, b| a.0.total_cmp(&b.0));
    let square = student_mean(&squares, 0.95);
    let value = square.estimate.sqrt();
    // Half the width of the interval of the mean square, propagated through the square root.
    let spread = if runs.len() > 1 { square.half_width() / (2.0 * value) } else { 0.0 };
    let spread = if value > 0.0 { spread } else { 0.0 };
    let note = format!("over {} runs of {} s", runs.len(), runs[0].record.head.step_s);
    Ok(Measured { series, note, ..Measured::new(value, spread + doubt) })
}
