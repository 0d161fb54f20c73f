//! One sign for neighbouring quaternions: `q` and `-q` are the same orientation, and trackers send either.

use crate::report::StepReport;
use crate::stream::Sample;
use crate::turns::dot;

/// Flips signs so that neighbours have a positive inner product; returns how many neighbours had a negative one.
pub fn make_continuous(samples: &mut [Sample]) -> usize {
    let mut flips = 0;
    let mut last: Option<([f64; 4], bool)> = None;
    for sample in samples.iter_mut().filter(|s| s.is_known()) {
        let raw = sample.orientation;
        let mut turned = false;
        if let Some((before, before_turned)) = last {
            let flip = dot(&before, &raw) < 0.0;
            flips += usize::from(flip);
            turned = before_turned != flip;
        }
        if turned {
            sample.orientation = raw.map(|x| -x);
        }
        last = Some((raw, turned));
    }
    flips
}

/// Summary of the step.
pub fn report(flips: usize) -> StepReport {
    let mut report = StepReport::new("quaternion continuity");
    report.number("sign changes undone", "", flips as f64);
    report
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turns::exp;

    #[test]
    fn signs_are_continuous_for_a_rotating_body() {
        let truth: Vec<[f64; 4]> = (0..200).map(|i| exp(&[0.0, 0.0, 0.1 * f64::from(i)])).collect();
        let sample = |(i, q): (usize, &[f64; 4])| Sample {
            stamp_ns: 0,
            position: [0.0; 3],
            orientation: q.map(|x| if i % 7 < 3 { -x } else { x }),
        };
        let mut samples: Vec<Sample> = truth.iter().enumerate().map(sample).collect();
        assert_eq!(make_continuous(&mut samples), 57);
        assert!(samples.windows(2).all(|p| dot(&p[0].orientation, &p[1].orientation) > 0.9));
        assert_eq!(make_continuous(&mut samples), 0);
    }
}
