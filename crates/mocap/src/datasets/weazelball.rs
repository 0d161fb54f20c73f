//! The published Weazelball study: what its authors marked by hand, and their test rows.
//!
//! Intervals and starts are from the headers and scripts of PositronicsLab/wild-robot (MIT), Taylor 2018 chapter 5.
//! They are kept as published, mistakes included, so that the published numbers can be reproduced; our own steps do not
//! use them.

use crate::readers::signals::SignalFile;
use crate::steps::actuator_mode::{ModeRule, Script, mode_rule};
use crate::steps::centre_height::CentreFromHeight;
use crate::steps::pairing::Interval;
use crate::stream::Sample;
use crate::turns::rotate;

/// Radius of the ball [m].
pub const RADIUS: f64 = 0.041;

/// Radius at which the authors fitted their markers [m]; its source is not documented.
pub const MARKER_RADIUS: f64 = 0.040_033_5;

/// The centre the published test rows were made with [m].
pub const PUBLISHED_CENTRE: [f64; 3] = [-1.267e-3, 3.365e-3, 1.907e-3];

/// Time between samples of a session [s].
pub const STEP_S: f64 = 0.01;

/// What the authors marked by hand in a session.
pub struct PublishedSession {
    /// From 1.
    pub number: usize,
    /// First sample used by the authors' fit of the centre: the number of a *video frame*, used as a sample index.
    pub first_good: usize,
    /// Wrong samples, from `first` to before `end`.
    pub snaps: &'static [(usize, usize)],
    /// One more interval, before the valid start, which their table omits and their fit does not use either.
    pub early: Option<(usize, usize)>,
}

/// The six sessions recorded with the first battery.
pub const SESSIONS: &[PublishedSession] = &[
    PublishedSession { number: 1, first_good: 54, snaps: &[(352, 354), (1733, 1734), (11911, 11912)], early: None },
    PublishedSession {
        number: 2,
        first_good: 36,
        snaps: &[(1367, 1368), (10133, 10134), (12153, 12154)],
        early: None,
    },
    PublishedSession {
        number: 3,
        first_good: 100,
        snaps: &[(477, 481), (3046, 3068), (3404, 3406), (5981, 5982), (7843, 7845), (9600, 9601)],
        early: Some((14, 15)),
    },
    PublishedSession {
        number: 4,
        first_good: 47,
        snaps: &[(984, 986), (2699, 2700), (6791, 6792), (6975, 6976)],
        early: None,
    },
    PublishedSession {
        number: 5,
        first_good: 25,
        snaps: &[(20, 22), (33, 35), (11216, 11218), (11227, 11228)],
        early: None,
    },
    PublishedSession {
        number: 6,
        first_good: 66,
        snaps: &[(2381, 2383), (2425, 2427), (5573, 5576), (9104, 9105)],
        early: None,
    },
];

impl PublishedSession {
    /// Whether the authors' fit of the centre uses a sample. The end of a snap is left out as well.
    pub fn is_good(&self, sample: usize) -> bool {
        let inside = |(a, b): &(usize, usize)| (*a..=*b).contains(&sample);
        sample >= self.first_good && !self.snaps.iter().chain(&self.early).any(inside)
    }

    /// The published intervals.
    pub fn intervals(&self) -> Vec<Interval> {
        self.snaps.iter().map(|(first, end)| Interval { first: *first, end: *end }).collect()
    }

    /// Adds the samples the authors' fit uses.
    pub fn add_good(&self, samples: &[Sample], fit: &mut CentreFromHeight) {
        for (_, sample) in samples.iter().enumerate().filter(|(i, _)| self.is_good(*i)) {
            fit.add(sample);
        }
        fit.end_session();
    }
}

/// One published test row: two states one sample apart.
#[derive(Clone, Debug, PartialEq)]
pub struct TestRow {
    /// The first of the two samples.
    pub sample: usize,
    /// Fifteen numbers each: x y z, quaternion x y z w, velocity, angular velocity, theta, dtheta.
    pub states: [[f64; 15]; 2],
}

/// Sample indices and angles of the published test rows: neighbours that both have the most frequent rate.
pub fn test_indices(signals: &SignalFile, samples: usize) -> (Vec<usize>, ModeRule) {
    let rule = mode_rule(signals, samples, Script::AsPublished);
    let selected: Vec<usize> = (0..samples).filter(|i| rule.mode > 0.0 && rule.omega[*i] == rule.mode).collect();
    let rows = selected.windows(2).filter(|pair| pair[1] == pair[0] + 1).map(|pair| pair[0]).collect();
    (rows, rule)
}

/// The published test rows in units of the training rows: metres a second, radians a second, world frame, neighbouring
/// quaternions of one sign. The published files have velocities per sample and angular velocities scaled by a constant
/// that was never explained; `centre` is the ball's centre in the model frame [m].
pub fn test_rows(samples: &[Sample], signals: &SignalFile, centre: &[f64; 3]) -> Vec<TestRow> {
    let (rows, rule) = test_indices(signals, samples.len());
    let place = |i: usize| {
        let turned = rotate(&samples[i].orientation, centre);
        [0, 1, 2].map(|k| samples[i].position[k] + turned[k])
    };
    let velocity = |i: usize| {
        let j = (i + 1).min(samples.len() - 1);
        let (a, b) = (place(i), place(j));
        let turn = crate::turns::between(&samples[i].orientation, &samples[j].orientation);
        ([0, 1, 2].map(|k| (b[k] - a[k]) / STEP_S), turn.map(|x| x / STEP_S))
    };
    let state = |i: usize, sign: f64| {
        let (p, (v, w)) = (place(i), velocity(i));
        let [qw, qx, qy, qz] = samples[i].orientation.map(|x| sign * x);
        let rate = rule.omega[i];
        [p[0], p[1], p[2], qx, qy, qz, qw, v[0], v[1], v[2], w[0], w[1], w[2], rule.theta[i], rate]
    };
    rows.into_iter()
        .map(|sample| {
            let flipped = crate::turns::dot(&samples[sample].orientation, &samples[sample + 1].orientation) < 0.0;
            let second = state(sample + 1, if flipped { -1.0 } else { 1.0 });
            TestRow { sample, states: [state(sample, 1.0), second] }
        })
        .collect()
}
