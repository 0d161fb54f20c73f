//! Summary of a recording of any length: one pass, constant memory.

use crate::notes::Notes;
use crate::readers::PoseSource;
use crate::report::StepReport;
use crate::stream::Sample;
use crate::turns::{dot, half_angle, minus, norm};
use veracity_record::FileError;

/// Running mean and standard deviation (Welford).
#[derive(Clone, Copy, Debug, Default)]
struct Running {
    count: f64,
    mean: f64,
    squares: f64,
    least: f64,
    most: f64,
}

impl Running {
    fn add(&mut self, x: f64) {
        if self.count == 0.0 {
            (self.least, self.most) = (x, x);
        }
        self.count += 1.0;
        let off = x - self.mean;
        self.mean += off / self.count;
        self.squares += off * (x - self.mean);
        (self.least, self.most) = (self.least.min(x), self.most.max(x));
    }

    fn deviation(&self) -> f64 {
        (self.squares / (self.count - 1.0)).sqrt()
    }
}

/// Reads a source to its end and returns its summary.
pub fn inspect(source: &mut dyn PoseSource) -> Result<StepReport, FileError> {
    let mut notes = Notes::default();
    let (mut count, mut missing, mut flips, mut repeated, mut back) = (0u64, 0u64, 0u64, 0u64, 0u64);
    let (mut interval, mut turn, mut place) = (Running::default(), Running::default(), [Running::default(); 3]);
    let (mut first, mut last, mut known): (Option<Sample>, Option<Sample>, Option<Sample>) = (None, None, None);
    let (mut path, mut longest) = (0.0, (0.0f64, 0u64));
    while let Some(sample) = source.next_sample(&mut notes)? {
        first.get_or_insert(sample);
        if let Some(before) = last {
            let gap = sample.stamp_ns.saturating_sub(before.stamp_ns);
            repeated += u64::from(gap == 0);
            back += u64::from(gap < 0);
            interval.add(gap as f64 * 1e-9);
            if gap as f64 * 1e-9 > longest.0 {
                longest = (gap as f64 * 1e-9, count - 1);
            }
        }
        if sample.is_known() {
            (0..3).for_each(|i| place[i].add(sample.position[i]));
            if let Some(before) = known {
                flips += u64::from(dot(&before.orientation, &sample.orientation) < 0.0);
                turn.add(2.0 * half_angle(&before.orientation, &sample.orientation));
                path += norm(&minus(&sample.position, &before.position));
            }
            known = Some(sample);
        } else {
            missing += 1;
        }
        last = Some(sample);
        count += 1;
    }
    let mut report = StepReport::new("inspect").with_notes(&notes);
    report.number("samples", "", count as f64);
    report.number("samples without a pose", "", missing as f64);
    if let Some(rate) = source.rate_hz() {
        report.number("rate as the file says", "Hz", rate);
    }
    let span = first.zip(last).map_or(0.0, |(a, b)| b.stamp_ns.saturating_sub(a.stamp_ns) as f64 * 1e-9);
    report.number("from the first stamp to the last", "s", span);
    report.number("mean interval of the stamps", "ms", 1e3 * interval.mean);
    report.number("jitter of the stamps", "ms", 1e3 * interval.deviation());
    report.number("longest interval", "ms", 1e3 * longest.0);
    report.number("longest interval is after sample", "", longest.1 as f64);
    report.number("stamps repeated", "", repeated as f64);
    report.number("stamps running back", "", back as f64);
    report.number("sign changes of the quaternion", "", flips as f64);
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        report.number(format!("least {name}"), "m", place[axis].least);
        report.number(format!("greatest {name}"), "m", place[axis].most);
    }
    report.number("path", "m", path);
    report.number("mean turn of a sample", "deg", turn.mean.to_degrees());
    report.number("greatest turn of a sample", "deg", turn.most.to_degrees());
    Ok(report)
}
