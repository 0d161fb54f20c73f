//! Compares a record with a reference, instant by instant: shared by all error metrics.
//!
//! The instants are those asked for; else those of the sparser of the two, inside the reference's span and the window:
//! a reference known at 1, 10 and 100 s is compared there and not interpolated between, and one known at every
//! microsecond is compared at the rows of the record. Where an instant of one is missing in the other, the other is
//! interpolated, and the interpolation error is part of the uncertainty.

use crate::curve::{Curve, SAME_INSTANT_S};
use crate::machine::slides;
use crate::metric::{CannotTell, Measured, Options, Subject};
use crate::rows::{BodyRow, broke_down, largest, need_joints, need_poses, need_twists, window};
use crate::truth::{Quantity, Truth, TruthChannel};
use veracity_model::Vec3;

/// With fewer instants than this a reference is a list of values, not a curve: it is not interpolated.
const FEWEST_FOR_A_CURVE: usize = 4;

/// The largest error of the record over every channel of the reference that `wanted` accepts and the options select.
pub fn worst_error(
    subject: &Subject<'_>,
    truth: Option<&Truth>,
    options: &Options,
    what: &str,
    wanted: fn(&Quantity) -> bool,
) -> Result<Measured, CannotTell> {
    let Some(truth) = truth else {
        return CannotTell::new(format!("there is no reference for the {what}; name one in the scenario"));
    };
    let chosen = choose(subject, truth, options, what, wanted)?;
    one_unit(subject, &chosen)?;
    let mut worst: Option<Measured> = None;
    for channel in &chosen {
        let mut found = channel_error(subject, truth, channel, options)?;
        if chosen.len() > 1 && found.note.is_empty() {
            found.note = format!("worst is {}", name_of(subject, &channel.quantity));
        }
        worst = Some(match worst {
            None => found,
            Some(so_far) => worse_of(so_far, found),
        });
    }
    worst.ok_or_else(|| CannotTell(format!("the reference has no {what}")))
}

/// The larger of two, with an uncertainty that covers both and a series of the larger at each instant.
fn worse_of(a: Measured, b: Measured) -> Measured {
    let b_wins = !a.value.is_nan() && (b.value.is_nan() || b.value > a.value);
    let (mut worse, other) = if b_wins { (b, a) } else { (a, b) };
    if worse.value.is_finite() {
        worse.uncertainty = worse.uncertainty.max(other.value + other.uncertainty - worse.value);
    }
    // The worst of several is known only as long as each of them is.
    worse.known_until_s = match (worse.known_until_s, other.known_until_s) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    if worse.series.len() == other.series.len() && worse.series.iter().zip(&other.series).all(|(a, b)| a.0 == b.0) {
        worse.series.iter_mut().zip(&other.series).for_each(|(w, o)| w.1 = if o.1 > w.1 { o.1 } else { w.1 });
    }
    worse
}

fn choose<'t>(
    subject: &Subject<'_>,
    truth: &'t Truth,
    options: &Options,
    what: &str,
    wanted: fn(&Quantity) -> bool,
) -> Result<Vec<&'t TruthChannel>, CannotTell> {
    let mut chosen: Vec<_> = truth.channels.iter().filter(|c| wanted(&c.quantity)).collect();
    if let Some(name) = &options.of {
        let of_joint = chosen.iter().any(|c| joint_of(&c.quantity).is_some());
        let slot = if of_joint { subject.layout.joint(name) } else { subject.layout.body(name) };
        let Some(slot) = slot else {
            let kind = if of_joint { "joint" } else { "body" };
            return CannotTell::new(format!("the world has no {kind} '{name}'; correct `of`"));
        };
        chosen.retain(|c| slot_of(&c.quantity) == Some(slot));
    }
    if let Some(point) = options.point {
        chosen.retain(|c| point_of(&c.quantity).is_none_or(|p| p == point));
    }
    if chosen.is_empty() {
        let known: Vec<_> = truth.channels.iter().map(|c| name_of(subject, &c.quantity)).collect();
        let of = options.of.as_ref().map_or(String::new(), |of| format!(" of '{of}'"));
        return CannotTell::new(format!(
            "the reference '{}' has no {what}{of}; it has: {}",
            truth.name,
            known.join(", ")
        ));
    }
    Ok(chosen)
}

/// Fails if radians and metres are mixed: they have no common largest.
fn one_unit(subject: &Subject<'_>, chosen: &[&TruthChannel]) -> Result<(), CannotTell> {
    let joint = |c: &&TruthChannel| joint_of(&c.quantity).and_then(|j| subject.layout.joints.get(j));
    let slide = |c: &&TruthChannel| joint(c).map(|j| slides(&j.kind));
    let kinds: Vec<bool> = chosen.iter().filter_map(slide).collect();
    if kinds.contains(&true) && kinds.contains(&false) {
        return CannotTell::new("some joints turn and some slide: name one with `of`");
    }
    Ok(())
}

fn channel_error(
    subject: &Subject<'_>,
    truth: &Truth,
    channel: &TruthChannel,
    options: &Options,
) -> Result<Measured, CannotTell> {
    let of_record = record_curve(subject, &channel.quantity)?;
    let of_truth = truth_curve(truth, channel)?;
    let mut instants = instants(subject, &of_record, &of_truth, options);
    let name = || name_of(subject, &channel.quantity);
    let known_until_s = channel.parts_at_s.filter(|&t| is_asked_for(subject, options, t));
    if let Some(end) = known_until_s {
        instants.retain(|t| *t < end - SAME_INSTANT_S);
        if instants.is_empty() {
            return CannotTell::new(format!(
                "the reference for the {} is only known up to {end} s, where its refinements diverge; measure earlier",
                name()
            ));
        }
    }
    if instants.is_empty() {
        return CannotTell::new(format!("the reference has no {} inside the requested window", name()));
    }
    let (mut series, mut doubt) = (Vec::with_capacity(instants.len()), Vec::with_capacity(instants.len()));
    for t in instants {
        let Some(true_value) = of_truth.at(t) else {
            return CannotTell::new(format!("the reference has no {} around {t} s", name()));
        };
        if true_value.error > 0.0 && channel.times.len() < FEWEST_FOR_A_CURVE {
            return CannotTell::new(format!(
                "the reference is a list of {} values and none is at {t} s; measure at its instants",
                channel.times.len()
            ));
        }
        let at = t + options.time_offset_s;
        let Some(found) = of_record.at(at) else {
            return match broke_down(subject, at) {
                Some(broken) => Ok(Measured { series, ..broken }),
                None => CannotTell::new(format!("the record has no rows around {at} s; simulate longer")),
            };
        };
        series.push((t, of_record.distance(&found.value, &true_value.value)));
        doubt.push(found.error + true_value.error + own_error(channel, t));
    }
    Ok(Measured { known_until_s, ..largest(series, &doubt) })
}

/// Whether the options ask for an instant at or after `t`, in the reference's time.
fn is_asked_for(subject: &Subject<'_>, options: &Options, t: f64) -> bool {
    if !options.at_s.is_empty() {
        return options.at_s.iter().any(|at| *at >= t - SAME_INSTANT_S);
    }
    let duration = subject.record.head.duration_s - options.time_offset_s;
    options.until_s.unwrap_or(f64::INFINITY).min(duration) >= t - SAME_INSTANT_S
}

/// Error of the reference itself: the larger of the errors at the two neighbouring instants.
fn own_error(channel: &TruthChannel, t: f64) -> f64 {
    let next = channel.times.partition_point(|&x| x < t - SAME_INSTANT_S);
    let at = |i: usize| channel.uncertainty.get(i).copied().unwrap_or(0.0);
    match channel.times.get(next) {
        Some(&x) if x <= t + SAME_INSTANT_S => at(next),
        _ => at(next).max(at(next.wrapping_sub(1))),
    }
}

/// The instants to compare, in the reference's time.
fn instants(subject: &Subject<'_>, of_record: &Curve<'_>, of_truth: &Curve<'_>, options: &Options) -> Vec<f64> {
    if !options.at_s.is_empty() {
        return options.at_s.clone();
    }
    let (Some(&first), Some(&last)) = (of_truth.times().first(), of_truth.times().last()) else {
        return Vec::new();
    };
    let (offset, is_curve) = (options.time_offset_s, of_truth.times().len() >= FEWEST_FOR_A_CURVE);
    let in_truths_time = Options { time_offset_s: 0.0, ..options.clone() };
    let mut of_the_truth = of_truth.times()[window(of_truth.times(), &in_truths_time)].to_vec();
    // A curve may continue after a trial that was meant to be shorter. Single values may not: each is required.
    let record = subject.record;
    if is_curve && record.outcome.is_finished() {
        let end = record.track.times.last().copied().unwrap_or(0.0).max(record.head.duration_s);
        of_the_truth.retain(|t| t + offset <= end + SAME_INSTANT_S);
    }
    // A scenario that stops its own trials requires no more than was recorded, unless a check names a later end.
    if is_curve && options.until_s.is_none() && matches!(record.outcome, veracity_record::Outcome::Stopped { .. }) {
        let end = record.track.times.last().copied().unwrap_or(0.0);
        of_the_truth.retain(|t| t + offset <= end + SAME_INSTANT_S);
    }
    let of_the_record = of_record.times()[window(of_record.times(), options)].iter().map(|t| t - offset);
    let inside = |t: &f64| (first - SAME_INSTANT_S..=last + SAME_INSTANT_S).contains(t);
    let of_the_record: Vec<f64> = of_the_record.filter(inside).collect();
    // A record that ends early must not get away with it: the reference's instants beyond its end are included.
    let covered = of_record
        .times()
        .last()
        .is_some_and(|&t| of_the_truth.last().is_none_or(|&wanted| wanted + offset <= t + SAME_INSTANT_S));
    if covered && is_curve && of_the_truth.len() > of_the_record.len() { of_the_record } else { of_the_truth }
}

/// A quantity of the record over time.
pub fn record_curve<'a>(subject: &Subject<'a>, quantity: &Quantity) -> Result<Curve<'a>, CannotTell> {
    let track = &subject.record.track;
    let times = &track.times[..];
    let rows = 0..track.rows();
    let scalar = |x: f64| Vec3::new(x, 0.0, 0.0);
    if let Some(body) = body_of(quantity) {
        if body >= subject.layout.bodies.len() {
            return CannotTell::new(format!(
                "the reference refers to body {body}, which is not in the record's world"
            ));
        }
        need_poses(subject)?;
    }
    Ok(match quantity {
        Quantity::JointPosition(slot) | Quantity::JointSpeed(slot) => {
            need_joints(subject)?;
            let Some(joint) = subject.layout.joints.get(*slot) else {
                return CannotTell::new(format!("the reference refers to joint {slot}, which is not in the world"));
            };
            if joint.kind.dof_count() != 1 {
                return CannotTell::new(format!(
                    "joint '{}' has {} degrees of freedom; measure its body instead",
                    joint.name,
                    joint.kind.dof_count()
                ));
            }
            let speed = rows.clone().map(|r| scalar(track.v(r)[joint.v])).collect();
            match quantity {
                Quantity::JointSpeed(_) => Curve::vector(times, speed, None),
                _ => Curve::vector(times, rows.map(|r| scalar(track.q(r)[joint.q])).collect(), Some(speed)),
            }
        }
        Quantity::Point { body, point } => {
            let point = Vec3::from(*point);
            let place = |r: usize| {
                let pose = crate::rows::pose(track, r, *body);
                pose.translation.vector + pose.rotation * point
            };
            let speed = |r: usize| BodyRow::read(track, r, *body).point_velocity(&point);
            let speeds = need_twists(subject).is_ok().then(|| rows.clone().map(speed).collect());
            Curve::vector(times, rows.map(place).collect(), speeds)
        }
        Quantity::PointVelocity { body, point } => {
            need_twists(subject)?;
            let point = Vec3::from(*point);
            let speed = |r: usize| BodyRow::read(track, r, *body).point_velocity(&point);
            Curve::vector(times, rows.map(speed).collect(), None)
        }
        Quantity::Orientation(body) => {
            let turn = |r: usize| {
                let q = crate::rows::pose(track, r, *body).rotation.into_inner();
                [q.w, q.i, q.j, q.k]
            };
            let spin = |r: usize| BodyRow::read(track, r, *body).spin;
            let spins = need_twists(subject).is_ok().then(|| rows.clone().map(spin).collect());
            Curve::orientation(times, rows.map(turn).collect(), spins)
        }
        Quantity::Spin(body) => {
            need_twists(subject)?;
            Curve::vector(times, rows.map(|r| BodyRow::read(track, r, *body).spin).collect(), None)
        }
        Quantity::Scalar(name) => {
            return CannotTell::new(format!(
                "'{name}' is one number for the whole run; measure it with scalar_error"
            ));
        }
    })
}

/// A channel of the reference over time, with its rate if another channel has it.
fn truth_curve<'t>(truth: &'t Truth, channel: &'t TruthChannel) -> Result<Curve<'t>, CannotTell> {
    let width = channel.quantity.width();
    if channel.values.len() != channel.times.len() * width {
        return CannotTell::new(format!("the reference '{}' has times without values", truth.name));
    }
    let rate = match &channel.quantity {
        Quantity::JointPosition(j) => Some(Quantity::JointSpeed(*j)),
        Quantity::Point { body, point } => Some(Quantity::PointVelocity { body: *body, point: *point }),
        Quantity::Orientation(body) => Some(Quantity::Spin(*body)),
        _ => None,
    };
    let rate = rate.and_then(|q| truth.channel(&q)).filter(|c| c.times == channel.times).map(vectors);
    if let Quantity::Orientation(_) = channel.quantity {
        let turns = channel.values.chunks_exact(4).map(|q| [q[0], q[1], q[2], q[3]]).collect();
        return Ok(Curve::orientation(&channel.times, turns, rate));
    }
    Ok(Curve::vector(&channel.times, vectors(channel), rate))
}

fn vectors(channel: &TruthChannel) -> Vec<Vec3> {
    let number = |chunk: &[f64], k: usize| chunk.get(k).copied().unwrap_or(0.0);
    let chunks = channel.values.chunks_exact(channel.quantity.width());
    chunks.map(|c| Vec3::new(number(c, 0), number(c, 1), number(c, 2))).collect()
}

fn joint_of(quantity: &Quantity) -> Option<usize> {
    match quantity {
        Quantity::JointPosition(slot) | Quantity::JointSpeed(slot) => Some(*slot),
        _ => None,
    }
}

fn body_of(quantity: &Quantity) -> Option<usize> {
    match quantity {
        Quantity::Point { body, .. } | Quantity::PointVelocity { body, .. } => Some(*body),
        Quantity::Orientation(body) | Quantity::Spin(body) => Some(*body),
        _ => None,
    }
}

fn slot_of(quantity: &Quantity) -> Option<usize> {
    joint_of(quantity).or(body_of(quantity))
}

fn point_of(quantity: &Quantity) -> Option<[f64; 3]> {
    match quantity {
        Quantity::Point { point, .. } | Quantity::PointVelocity { point, .. } => Some(*point),
        _ => None,
    }
}

/// Name of a quantity, for display.
pub fn name_of(subject: &Subject<'_>, quantity: &Quantity) -> String {
    let body = |slot: &usize| subject.layout.bodies.get(*slot).map_or("?", |b| b.name.as_str());
    let joint = |slot: &usize| subject.layout.joints.get(*slot).map_or("?", |j| j.name.as_str());
    let at = |point: &[f64; 3]| if *point == [0.0; 3] { String::new() } else { format!(" at {point:?} m") };
    match quantity {
        Quantity::JointPosition(slot) => format!("position of joint {}", joint(slot)),
        Quantity::JointSpeed(slot) => format!("speed of joint {}", joint(slot)),
        Quantity::Point { body: slot, point } => format!("position of {}{}", body(slot), at(point)),
        Quantity::PointVelocity { body: slot, point } => format!("velocity of {}{}", body(slot), at(point)),
        Quantity::Orientation(slot) => format!("orientation of {}", body(slot)),
        Quantity::Spin(slot) => format!("spin of {}", body(slot)),
        Quantity::Scalar(name) => name.clone(),
    }
}
