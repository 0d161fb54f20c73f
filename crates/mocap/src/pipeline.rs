//! All steps in order: from a reader's samples to a record.

use crate::readers::signals::SignalFile;
use crate::report::StepReport;
use crate::steps::actuator::{self, Actuator};
use crate::steps::alignment::{self, Alignment};
use crate::steps::centre_height::CentreFromHeight;
use crate::steps::centre_markers::{self, Fit};
use crate::steps::differences::{self, BodyVelocity};
use crate::steps::pairing::Interval;
use crate::steps::rigid::MarkerModel;
use crate::steps::snaps_robust::LeastSnap;
use crate::steps::time_base::TimeBase;
use crate::steps::{
    actuator_mode, continuity, frozen, pairing, plausible, repair, smoother, snaps, snaps_robust, synchronise,
    time_base, valid,
};
use crate::stream::{PoseStream, Quaternion, Sample};
use crate::to_record::{JointMotion, Motions, Target, ToRecordError, stand_in, to_record};
use crate::turns::{product, rotate};
use veracity_record::{Record, Signal};

/// Which rule finds snaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detector {
    /// [`snaps_robust`].
    Robust,
    /// [`snaps`], as it was published.
    Published,
    /// No detection.
    Off,
}

/// Where the body's centre is in the tracker's body frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Centre {
    /// At its origin.
    Origin,
    /// At this point [m].
    Given([f64; 3]),
    /// Found from the height of a rolling ball of [`CleanOptions::radius`].
    FromHeight,
    /// Found from markers on a ball; radius given [m] or free.
    FromMarkers(MarkerModel, Fit, Option<f64>),
}

/// How velocities are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Velocities {
    /// [`differences`]; poses stay as measured.
    Differences,
    /// [`smoother`]; poses are smoothed too.
    Smoother,
}

/// Options of the steps.
#[derive(Clone, Debug)]
pub struct CleanOptions {
    /// Name of the record; the subject's name if empty.
    pub name: String,
    /// Sample rate, where the one in the file is not used [Hz].
    pub rate_hz: Option<f64>,
    /// Which rule finds snaps.
    pub detector: Detector,
    /// The smallest snaps that the robust rule must find.
    pub least_snap: LeastSnap,
    /// Longest stretch of missing samples that is filled [s].
    pub longest_fill_s: f64,
    /// Radius of a ball [m].
    pub radius: f64,
    /// Where the centre is.
    pub centre: Centre,
    /// `world_from_capture` rotation, applied before levelling.
    pub turn: Quaternion,
    /// Of the capture frame's origin in the world [m].
    pub shift: [f64; 3],
    /// `tracked_from_body`.
    pub body_turn: Quaternion,
    /// Whether the floor under a rolling body is made level.
    pub level: bool,
    /// Whether the middle of the region reached becomes the origin of x and y.
    pub centre_walls: bool,
    /// Signals of an actuator.
    pub signals: Option<SignalFile>,
    /// The joint of the world that the signals measure.
    pub actuator_joint: Option<String>,
    /// How velocities are computed.
    pub velocities: Velocities,
    /// Which samples are valid.
    pub valid: valid::Rules,
    /// The world and body the motion is stored for; a world of one ball if `None`.
    pub target: Option<Target>,
    /// Whether plots are made.
    pub plots: bool,
}

impl Default for CleanOptions {
    fn default() -> Self {
        let identity = [1.0, 0.0, 0.0, 0.0];
        Self {
            name: String::new(),
            rate_hz: None,
            detector: Detector::Robust,
            least_snap: LeastSnap::default(),
            longest_fill_s: 0.1,
            radius: 0.05,
            centre: Centre::Origin,
            turn: identity,
            shift: [0.0; 3],
            body_turn: identity,
            level: false,
            centre_walls: false,
            signals: None,
            actuator_joint: None,
            velocities: Velocities::Differences,
            valid: valid::Rules::default(),
            target: None,
            plots: false,
        }
    }
}

/// Why no record could be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CleanError {
    /// The time base cannot be found.
    #[error("no sample rate can be found from the stamps; give it with --rate-hz")]
    NoRate,
    /// The centre cannot be found from height.
    #[error(
        "the centre cannot be found from height: the body did not rotate about enough axes, or there are too few samples"
    )]
    NoCentreFromHeight,
    /// The centre cannot be found from markers.
    #[error("the markers do not determine a sphere: at least four are needed, not all in one plane")]
    NoCentreFromMarkers,
    /// The floor cannot be found.
    #[error("the floor cannot be found: the body stayed in one place")]
    NoFloor,
    /// No valid samples.
    #[error("no sample is valid; check the heights and times in the report")]
    NothingValid,
    /// Too few signals.
    #[error("fewer than three intervals between signals; the actuator's angle cannot be estimated")]
    NoActuator,
    /// Too few samples to smooth.
    #[error("fewer than ten samples have a pose: too few to smooth")]
    NothingToSmooth,
    /// The world or the record cannot be made.
    #[error(transparent)]
    ToRecord(#[from] ToRecordError),
}

/// The result.
#[derive(Clone, Debug)]
pub struct Cleaned {
    /// The motion.
    pub record: Record,
    /// Reports of the steps, in order.
    pub reports: Vec<StepReport>,
    /// Range of the recording's samples that became the record's rows.
    pub rows: Interval,
}

/// Runs all steps. An error carries the reports of the steps before it.
pub fn clean(stream: PoseStream, options: &CleanOptions) -> Result<Cleaned, (CleanError, Vec<StepReport>)> {
    let mut reports = vec![reading(&stream)];
    run(stream, options, &mut reports).map_err(|error| (error, reports.clone())).map(|(record, rows)| Cleaned {
        record,
        reports: std::mem::take(&mut reports),
        rows,
    })
}

fn reading(stream: &PoseStream) -> StepReport {
    let mut report = StepReport::new("reading").with_notes(&stream.notes);
    report.number("samples", "", stream.samples.len() as f64);
    report.number("samples without a pose", "", stream.samples.iter().filter(|s| !s.is_known()).count() as f64);
    report
}

fn run(
    stream: PoseStream,
    options: &CleanOptions,
    reports: &mut Vec<StepReport>,
) -> Result<(Record, Interval), CleanError> {
    let PoseStream { subject, rate_hz, mut samples, .. } = stream;
    let base = time_base::time_base(&samples, options.rate_hz.or(rate_hz)).ok_or(CleanError::NoRate)?;
    push(reports, base.report(), options.plots, || vec![time_base::plot(&samples, &base)]);
    reports.push(plausible::report(&samples, &base));
    reports.extend(frozen::drop_frozen(&mut samples).report());
    reports.push(continuity::report(continuity::make_continuous(&mut samples)));
    let snaps = find_snaps(&samples, &base, options, reports);
    let mut filled = vec![0.0; samples.len()];
    fill(&mut samples, &base, &snaps, "repair of snaps", &mut filled, reports);
    fill_missing(&mut samples, &base, options, &mut filled, reports);
    align(&mut samples, options, reports)?;
    let actuator = actuator_of(&samples, &base, options, reports)?;

    let mut rules = options.valid;
    if let Some((_, Some(start_s))) = &actuator
        && rules.from_s == f64::NEG_INFINITY
    {
        rules.from_s = *start_s;
    }
    let chosen = valid::select(&samples, &base.times_s, &rules);
    push(reports, chosen.report(), options.plots, || vec![valid::plot(&samples, &base.times_s, &chosen)]);
    let rows = chosen.range().ok_or(CleanError::NothingValid)?;

    let (mut motion, sigma) = velocities(&mut samples, &base, options, reports)?;
    // Invalid samples between the first and the last valid one become missing.
    let mut next = rows.first;
    for stretch in &chosen.stretches {
        for k in next..stretch.first {
            samples[k] = Sample::missing(samples[k].stamp_ns);
            motion[k] = BodyVelocity { linear: [f64::NAN; 3], angular: [f64::NAN; 3] };
        }
        next = stretch.end;
    }
    let cut = |values: &[f64]| values[rows.first..rows.end].to_vec();
    let mut signals = vec![Signal { name: "mocap/filled".into(), unit: String::new(), values: cut(&filled) }];
    let mut column = |name: &str, unit: &str, values: Vec<f64>| {
        signals.push(Signal { name: name.into(), unit: unit.into(), values });
    };
    for (i, (name, unit)) in SIGMAS.iter().enumerate().filter(|_| !sigma.is_empty()) {
        column(name, unit, sigma[rows.first..rows.end].iter().map(|s| s[i]).collect());
    }
    if let Some((actuator, _)) = &actuator {
        column("actuator/angle", "rad", cut(&actuator.theta));
        column("actuator/angle_sigma", "rad", cut(&actuator.theta_sigma));
        column("actuator/rate", "rad/s", cut(&actuator.omega));
        column("actuator/rate_sigma", "rad/s", cut(&actuator.omega_sigma));
    }
    let target = match &options.target {
        Some(target) => target.clone(),
        None => {
            let mut report = StepReport::new("world");
            report.note(
                "stand-in",
                format!(
                    "no model given: the world is one ball of 1 kg and {} m; give a model with --model",
                    options.radius
                ),
            );
            reports.push(report);
            stand_in(&subject, options.radius)?
        }
    };
    let joint = options.actuator_joint.as_ref().zip(actuator.as_ref());
    let joint = joint.map(|(name, (actuator, _))| JointMotion {
        name,
        positions: &actuator.theta[rows.first..rows.end],
        velocities: &actuator.omega[rows.first..rows.end],
    });
    let record = to_record(Motions {
        name: if options.name.is_empty() { &subject } else { &options.name },
        target: &target,
        times_s: &base.times_s[rows.first..rows.end],
        samples: &samples[rows.first..rows.end],
        motion: &motion[rows.first..rows.end],
        joint,
        step_s: base.step_s(),
        signals,
        reports,
    })?;
    Ok((record, rows))
}

/// Columns of the smoother's standard deviations.
const SIGMAS: [(&str, &str); 4] = [
    ("mocap/place_sigma", "m"),
    ("mocap/velocity_sigma", "m/s"),
    ("mocap/orientation_sigma", "rad"),
    ("mocap/angular_velocity_sigma", "rad/s"),
];

fn push(
    reports: &mut Vec<StepReport>,
    report: StepReport,
    plots: bool,
    draw: impl FnOnce() -> Vec<crate::report::Plot>,
) {
    let plots = if plots { draw() } else { Vec::new() };
    reports.push(StepReport { plots, ..report });
}

fn find_snaps(
    samples: &[Sample],
    base: &TimeBase,
    options: &CleanOptions,
    reports: &mut Vec<StepReport>,
) -> Vec<Interval> {
    let step_s = base.step_s();
    match options.detector {
        Detector::Off => {
            let mut report = StepReport::new("snaps");
            report.warn("off", "snap detection is off");
            reports.push(report);
            Vec::new()
        }
        Detector::Published => {
            let found = snaps::published(samples, step_s);
            push(reports, found.report(), options.plots, || vec![snaps::plot(samples, step_s, &found)]);
            let paired = pairing::pair(samples, &found.events, found.level(), step_s);
            reports.push(paired.report());
            paired.intervals
        }
        Detector::Robust => {
            let found = snaps_robust::find(samples, &base.times_s, step_s, options.least_snap);
            push(reports, found.report(options.least_snap), options.plots, || {
                snaps_robust::plots(samples, &base.times_s, step_s, &found)
            });
            found.paired.intervals
        }
    }
}

fn fill(
    samples: &mut [Sample],
    base: &TimeBase,
    intervals: &[Interval],
    step: &'static str,
    filled: &mut [f64],
    reports: &mut Vec<StepReport>,
) {
    let done = repair::repair(samples, &base.times_s, intervals);
    for interval in &done.filled {
        filled[interval.first..interval.end].iter_mut().for_each(|f| *f = 1.0);
    }
    if !intervals.is_empty() {
        reports.push(done.report(step));
    }
}

fn fill_missing(
    samples: &mut [Sample],
    base: &TimeBase,
    options: &CleanOptions,
    filled: &mut [f64],
    reports: &mut Vec<StepReport>,
) {
    let gaps = repair::missing(samples);
    let (short, long): (Vec<Interval>, Vec<Interval>) =
        gaps.into_iter().partition(|gap| gap_s(base, gap) <= options.longest_fill_s);
    fill(samples, base, &short, "filling of missing samples", filled, reports);
    if !long.is_empty() {
        let mut report = StepReport::new("long gaps");
        for Interval { first, end } in &long {
            let length = gap_s(base, &Interval { first: *first, end: *end });
            report.warn(
                "long-gap",
                format!("samples {first} to {} are missing for {length:.2} s and were not filled", end - 1),
            );
        }
        reports.push(report);
    }
}

/// Time without a good sample, less one period: what was lost inside a gap counts [s].
fn gap_s(base: &TimeBase, gap: &Interval) -> f64 {
    let at = |i: usize| base.times_s.get(i).copied();
    match (gap.first.checked_sub(1).and_then(at), at(gap.end)) {
        (Some(before), Some(after)) => after - before - base.step_s(),
        _ => gap.len() as f64 * base.step_s(),
    }
}

fn align(samples: &mut [Sample], options: &CleanOptions, reports: &mut Vec<StepReport>) -> Result<(), CleanError> {
    let centre = match &options.centre {
        Centre::Origin => [0.0; 3],
        Centre::Given(centre) => *centre,
        Centre::FromHeight => {
            let mut fit = CentreFromHeight::new(options.radius);
            // Only heights possible for a rolling ball: a ball in a hand is higher.
            let rules = options.valid;
            let near = |s: &&Sample| (s.position[2] - options.radius).abs() < options.radius;
            let inside = |s: &&Sample| s.position[2] >= rules.height.0 && s.position[2] <= rules.height.1;
            let used = samples.iter().filter(near).filter(inside).count();
            samples.iter().filter(near).filter(inside).for_each(|s| fit.add(s));
            let found = fit.solve().ok_or(CleanError::NoCentreFromHeight)?;
            let mut report = found.report();
            let known = samples.iter().filter(|s| s.is_known()).count();
            if used < known {
                report.note(
                    "not-rolling",
                    format!("{} samples are not at a rolling height and were not used", known - used),
                );
            }
            reports.push(report);
            found.centre
        }
        Centre::FromMarkers(model, how, radius) => {
            reports.push(centre_markers::report(model, *radius));
            centre_markers::fit(model, *how, *radius).ok_or(CleanError::NoCentreFromMarkers)?.centre
        }
    };
    let mut turn = options.turn;
    let mut shift = options.shift;
    let place = |s: &Sample, turn: &Quaternion| {
        let offset = rotate(&s.orientation, &centre);
        rotate(turn, &[0, 1, 2].map(|i| s.position[i] + offset[i]))
    };
    if options.level {
        let floor = alignment::level_floor(samples.iter().map(|s| place(s, &turn))).ok_or(CleanError::NoFloor)?;
        turn = product(&floor.turn, &turn);
        let mut report = StepReport::new("level floor");
        report.measured("tilt", "deg", floor.tilt.0.to_degrees(), floor.tilt.1.to_degrees());
        report.number("height of the centres", "mm", 1e3 * floor.height);
        reports.push(report);
    }
    if options.centre_walls {
        let mut report = StepReport::new("reach");
        for (axis, name) in ["x", "y"].into_iter().enumerate() {
            let reach = alignment::reach(samples.iter().map(|s| place(s, &turn)[axis]));
            let (middle, half) = reach.ok_or(CleanError::NothingValid)?;
            report.number(format!("middle {name}"), "mm", 1e3 * middle);
            report.number(format!("half width {name}"), "mm", 1e3 * half);
            shift[axis] -= middle;
        }
        reports.push(report);
    }
    let alignment = Alignment { turn, shift, centre, body_turn: options.body_turn };
    alignment.apply(samples);
    push(reports, alignment.report(), options.plots, || vec![alignment::plot(samples)]);
    Ok(())
}

type Found = Option<(Actuator, Option<f64>)>;

fn actuator_of(
    samples: &[Sample],
    base: &TimeBase,
    options: &CleanOptions,
    reports: &mut Vec<StepReport>,
) -> Result<Found, CleanError> {
    let Some(signals) = &options.signals else { return Ok(None) };
    let (clock, report) = synchronise::from_signals(signals, samples, base);
    reports.push(report);
    let intervals = actuator_mode::frame_intervals(signals);
    let rule = actuator_mode::mode_rule(signals, samples.len(), actuator_mode::Script::Corrected);
    push(reports, rule.report(&intervals), options.plots, || vec![actuator_mode::plot(&intervals)]);
    let seen = actuator::sightings(signals, &clock);
    let found = actuator::estimate(&seen, &base.times_s, clock.sigma_s).ok_or(CleanError::NoActuator)?;
    push(reports, found.report(), options.plots, || vec![found.plot(&base.times_s)]);
    Ok(Some((found, Some(clock.time_s(signals.valid_start_frame as f64)))))
}

fn velocities(
    samples: &mut [Sample],
    base: &TimeBase,
    options: &CleanOptions,
    reports: &mut Vec<StepReport>,
) -> Result<(Vec<BodyVelocity>, Vec<[f64; 4]>), CleanError> {
    match options.velocities {
        Velocities::Differences => {
            let motion = differences::differences(samples, &base.times_s);
            let report = differences::report("velocities, differences", &motion);
            push(reports, report, options.plots, || vec![differences::plot(&motion, &base.times_s)]);
            Ok((motion, Vec::new()))
        }
        Velocities::Smoother => {
            let smoothed = smoother::smooth(samples, &base.times_s, None).ok_or(CleanError::NothingToSmooth)?;
            let report = smoothed.report();
            push(reports, report, options.plots, || vec![differences::plot(&smoothed.motion, &base.times_s)]);
            // A gap that was too long to fill stays missing.
            for (own, smooth) in samples.iter_mut().zip(&smoothed.samples) {
                if own.is_known() {
                    *own = *smooth;
                }
            }
            Ok((smoothed.motion, smoothed.sigma))
        }
    }
}
