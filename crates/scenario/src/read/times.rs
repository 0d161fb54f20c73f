//! Durations, steps and intervals: seconds in the file, whole nanoseconds inside.

use crate::file::document::{Document, Step, at};
use crate::file::scenario_file::ScenarioFile;
use crate::time::{MAX_DURATION_S, nanoseconds};
use veracity_model::Findings;

/// Default rate of rows [Hz].
const DEFAULT_RATE_HZ: f64 = 100.0;

/// The times of a scenario.
pub(super) struct Times {
    pub duration_ns: i64,
    pub step_ns: i64,
    pub record_every_ns: i64,
}

pub(super) fn read(document: &Document, content: &ScenarioFile, findings: &mut Findings) -> Option<Times> {
    let duration = positive(document, at!["duration_s"], "duration_s", content.duration_s, findings);
    let step = positive(document, at!["step_s"], "step_s", content.step_s, findings);
    let rate = content.record.rate_hz.unwrap_or(DEFAULT_RATE_HZ);
    let record = nanoseconds(1.0 / rate);
    if record.is_none() {
        let text =
            format!("'rate_hz' is {rate}; its interval must be a whole number of nanoseconds, e.g. 100 or 1000");
        document.error(at!["record", "rate_hz"], text, findings);
    }
    let (duration_ns, step_ns, record_every_ns) = (duration?, step?, record?);
    let step_s = content.step_s;
    if duration_ns % step_ns != 0 {
        let nearest = (duration_ns as f64 / step_ns as f64).round().max(1.0) * step_s;
        let text = format!(
            "'duration_s' is {}, not a multiple of the step {step_s} s; write e.g. {nearest}",
            content.duration_s
        );
        document.error(at!["duration_s"], text, findings);
    }
    if record_every_ns % step_ns != 0 {
        let text = format!(
            "{rate} rows in a second are {} s apart, which is not a multiple of the step {step_s} s; choose another rate \
             or step",
            1.0 / rate
        );
        document.error(at!["record", "rate_hz"], text, findings);
    }
    if duration_ns / record_every_ns > 100_000_000 {
        let text = format!("{} s at {rate} rows in a second is more than 1e8 rows; record less", content.duration_s);
        document.error(at!["duration_s"], text, findings);
    }
    Some(Times { duration_ns, step_ns, record_every_ns })
}

/// A positive time in whole nanoseconds.
pub(super) fn positive(
    document: &Document,
    way: &[Step],
    key: &str,
    seconds: f64,
    findings: &mut Findings,
) -> Option<i64> {
    let ns = nanoseconds(seconds);
    if ns.is_none() {
        let what = if seconds <= 0.0 {
            "it must be positive".to_string()
        } else if seconds > MAX_DURATION_S {
            format!("it can be at most {MAX_DURATION_S:e} s")
        } else {
            "it must be a whole number of nanoseconds".to_string()
        };
        document.error(way, format!("'{key}' is {seconds}; {what}"), findings);
    }
    ns
}
