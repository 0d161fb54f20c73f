//! Gaps of named pairs, recomputed from the recorded poses.

use crate::metric::{CannotTell, Measured, Options, Subject};
use crate::rows::{Rows, need_poses, pose, rows_that_count};
use veracity_collide::NamedPairs;

/// The smallest gap of the selected pairs over the selected rows [m]: negative where bodies overlap.
///
/// Between two rows a gap can be smaller than at both. No gap closes faster than the fastest change between
/// neighbouring rows, so that the smallest gap of an interval of length `h` is not below
///
/// ```text
/// (1)  ½ (g₀ + g₁) - ½ h max |Δg / Δt|        over this interval and its two neighbours;
/// ```
///
/// the amount by which this is below the smallest row is the uncertainty.
pub fn least_gap(subject: &Subject<'_>, options: &Options) -> Result<Measured, CannotTell> {
    need_poses(subject)?;
    let rows = match rows_that_count(subject, options)? {
        Rows::BrokeDown(broken) => return Ok(broken),
        Rows::Some(rows) => rows,
    };
    let (named, chosen, names) = pairs(subject, options)?;
    let track = &subject.record.track;
    let mut worst = Measured::new(f64::INFINITY, 0.0);
    let mut lowest = f64::INFINITY;
    let mut series = vec![f64::INFINITY; rows.len()];
    for &pair in &chosen {
        let name = &names[pair];
        let gaps: Vec<f64> = rows.iter().map(|&r| named.gap(pair, |body| pose(track, r, body))).collect();
        if let Some(i) = gaps.iter().position(|g| g.is_nan()) {
            let at = rows[i] * track.bodies * 7;
            if track.poses[at..at + track.bodies * 7].iter().any(|x| x.is_nan()) {
                return Ok(Measured { at_s: Some(track.times[rows[i]]), ..Measured::new(f64::NAN, 0.0) });
            }
            return CannotTell::new(format!(
                "the gap of '{name}' cannot be measured: give both bodies collision shapes with a size"
            ));
        }
        for (i, &gap) in gaps.iter().enumerate() {
            series[i] = series[i].min(gap);
            if gap < worst.value {
                let note = if chosen.len() > 1 { format!("least is {name}") } else { String::new() };
                worst = Measured { at_s: Some(track.times[rows[i]]), note, ..Measured::new(gap, 0.0) };
            }
        }
        if options.at_s.is_empty() {
            let times: Vec<f64> = rows.iter().map(|&r| track.times[r]).collect();
            lowest = lowest.min(lowest_between(&times, &gaps));
        }
    }
    worst.uncertainty = (worst.value - lowest).max(0.0);
    worst.series = rows.iter().zip(series).map(|(&r, g)| (track.times[r], g)).collect();
    // The engine's own values cover the named pairs only.
    let followed: &[usize] = if options.with.is_none() { &chosen } else { &[] };
    let every_step = followed.iter().filter_map(|&p| track.least_gaps.get(p).copied()).filter(|g| g.is_finite());
    worst.said_by_engine = every_step.reduce(f64::min);
    Ok(worst)
}

/// (1), the smallest over all intervals.
fn lowest_between(times: &[f64], gaps: &[f64]) -> f64 {
    let slope = |i: usize| ((gaps[i + 1] - gaps[i]) / (times[i + 1] - times[i])).abs();
    let intervals = gaps.len().saturating_sub(1);
    let lowest = |i: usize| {
        let fastest = (i.saturating_sub(1)..(i + 2).min(intervals)).map(slope).fold(0.0, f64::max);
        0.5 * (gaps[i] + gaps[i + 1]) - 0.5 * (times[i + 1] - times[i]) * fastest
    };
    (0..intervals).map(lowest).fold(f64::INFINITY, f64::min)
}

/// The pairs to measure, which of them are selected, and their names: two bodies given by `of` and `with`, of any
/// models, or named pairs of the models.
fn pairs(subject: &Subject<'_>, options: &Options) -> Result<(NamedPairs, Vec<usize>, Vec<String>), CannotTell> {
    let (world, layout) = (&subject.record.world, subject.layout);
    if options.with.is_none() {
        return Ok((NamedPairs::new(world), chosen_pairs(subject, options)?, layout.pairs.clone()));
    }
    let a = crate::task_conditions::body(layout, "of", options.of.as_ref())?;
    let b = crate::task_conditions::body(layout, "with", options.with.as_ref())?;
    let name = format!("{} and {}", layout.bodies[a].name, layout.bodies[b].name);
    Ok((NamedPairs::of_bodies(world, &[(a, b)]), vec![0], vec![name]))
}

fn chosen_pairs(subject: &Subject<'_>, options: &Options) -> Result<Vec<usize>, CannotTell> {
    let pairs = &subject.layout.pairs;
    match &options.of {
        Some(name) => match subject.layout.pair(name) {
            Some(pair) => Ok(vec![pair]),
            None => CannotTell::new(format!(
                "the world has no named pair '{name}'; it has: {}",
                if pairs.is_empty() { "none".to_string() } else { pairs.join(", ") }
            )),
        },
        None if pairs.is_empty() => CannotTell::new("the world names no pair of bodies; add one to the model"),
        None => Ok((0..pairs.len()).collect()),
    }
}
