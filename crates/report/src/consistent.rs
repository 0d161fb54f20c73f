//! Inconsistent data are rejected here, with the path in the data, and not in the reader's browser.

use crate::ReportError;
use crate::data::ReportData;
use crate::data::numbers::Times;
use crate::data::replay::{Geometry, POSE_NUMBERS, Replay};
use crate::data::scenario::Scenario;
use crate::pack;
use std::collections::BTreeSet;

impl ReportData {
    /// Checks that every index is in range, every pair of arrays has matching lengths, and names are unique.
    pub fn check(&self) -> Result<(), ReportError> {
        let mut names = BTreeSet::new();
        for scenario in &self.scenarios {
            let place = format!("scenarios/{}", scenario.name);
            if !names.insert(&scenario.name) {
                return inconsistent(&place, "two scenarios have this name");
            }
            check_plots(scenario, &place)?;
            if let Some(replay) = &scenario.replay {
                check_replay(replay, scenario.trials.len(), &format!("{place}/replay"))?;
            }
        }
        Ok(())
    }
}

fn inconsistent(place: &str, what: impl Into<String>) -> Result<(), ReportError> {
    Err(ReportError::Inconsistent { place: place.into(), what: what.into() })
}

fn check_plots(scenario: &Scenario, place: &str) -> Result<(), ReportError> {
    let trials = scenario.trials.len();
    for one in scenario.leaderboard.iter().flat_map(|board| &board.places) {
        let place = format!("{place}/leaderboard");
        check_trial(Some(one.trial), trials, &place)?;
        let checks = scenario.trials[one.trial].checks.len();
        if let Some(check) = one.check.filter(|check| *check >= checks) {
            return inconsistent(&place, format!("check {check} of {checks}"));
        }
    }
    for map in &scenario.maps {
        let place = format!("{place}/maps/{} against {}", map.columns.name, map.rows.name);
        let (rows, columns) = (map.rows.labels.len(), map.columns.labels.len());
        if map.cells.len() != rows || map.cells.iter().any(|row| row.len() != columns) {
            return inconsistent(&place, format!("its cells are not {rows} rows of {columns}"));
        }
        for cell in map.cells.iter().flatten() {
            check_trial(cell.trial, trials, &place)?;
        }
        if map.ends.iter().any(|end| end.row >= rows || !(0.0..columns as f64).contains(&end.column)) {
            return inconsistent(&place, "a boundary lies outside the map");
        }
    }
    for plot in &scenario.errors {
        for curve in &plot.curves {
            let place = format!("{place}/errors/{}", plot.metric);
            check_trial(Some(curve.trial), trials, &place)?;
            check_times(&curve.time_s, &place)?;
            if curve.time_s.len() != curve.value.len() {
                let (times, values) = (curve.time_s.len(), curve.value.len());
                return inconsistent(&place, format!("{times} times and {values} values"));
            }
        }
    }
    for signal in &scenario.signals {
        let place = format!("{place}/signals/{}", signal.name);
        let trials_of = signal.curves.iter().map(|curve| (Some(curve.trial), &curve.time_s, &curve.value));
        let reference = signal.reference.iter().map(|curve| (None, &curve.time_s, &curve.value));
        for (trial, times, values) in trials_of.chain(reference) {
            check_trial(trial, trials, &place)?;
            check_times(times, &place)?;
            if times.len() != values.len() {
                return inconsistent(&place, format!("{} times and {} values", times.len(), values.len()));
            }
        }
    }
    for plot in &scenario.speed {
        for point in &plot.points {
            check_trial(Some(point.trial), trials, &format!("{place}/speed/{}", plot.metric))?;
        }
    }
    for plot in &scenario.convergence {
        for point in plot.lines.iter().flat_map(|line| &line.points) {
            check_trial(point.trial, trials, &format!("{place}/convergence/{}", plot.metric))?;
        }
    }
    Ok(())
}

fn check_replay(replay: &Replay, trials: usize, place: &str) -> Result<(), ReportError> {
    if !(replay.duration_s.is_finite() && replay.duration_s >= 0.0) {
        return inconsistent(place, format!("a duration of {} s", replay.duration_s));
    }
    for step in [replay.position_step_m, replay.rotation_step, replay.force_step_n] {
        if !(step.is_finite() && step > 0.0) {
            return inconsistent(place, format!("poses in steps of {step}"));
        }
    }
    for body in &replay.bodies {
        for shape in &body.shapes {
            if let Geometry::Mesh { vertices_m, triangles } = &shape.geometry {
                let place = format!("{place}/bodies/{}", body.name);
                if !vertices_m.len().is_multiple_of(3) || !triangles.0.len().is_multiple_of(3) {
                    return inconsistent(&place, "a mesh whose vertices are not triples of numbers");
                }
                let vertices = vertices_m.len() / 3;
                if let Some(index) = triangles.0.iter().find(|index| **index as usize >= vertices) {
                    return inconsistent(&place, format!("a triangle names vertex {index} of {vertices}"));
                }
            }
        }
    }
    for (index, track) in replay.tracks.iter().enumerate() {
        let place = format!("{place}/tracks/{index}");
        check_trial(track.trial, trials, &place)?;
        check_times(&track.time_s, &place)?;
        let wanted = track.time_s.len() * replay.bodies.len() * POSE_NUMBERS;
        let uneven = wanted > 0 && track.poses.columns() != replay.bodies.len() * POSE_NUMBERS;
        if track.poses.count() != wanted || uneven {
            let (frames, bodies) = (track.time_s.len(), replay.bodies.len());
            let found = track.poses.count();
            let what = format!("{frames} frames of {bodies} bodies need {wanted} numbers, found {found}");
            return inconsistent(&place, what);
        }
    }
    Ok(())
}

fn check_trial(trial: Option<usize>, trials: usize, place: &str) -> Result<(), ReportError> {
    match trial {
        Some(index) if index >= trials => inconsistent(place, format!("trial {index} of {trials}")),
        _ => Ok(()),
    }
}

fn check_times(times: &Times, place: &str) -> Result<(), ReportError> {
    // Two times closer than a nanosecond may be equal; decreasing or non-finite times are errors.
    let rising = times.ns.windows(2).all(|pair| pair[0] <= pair[1]);
    let finite = times.ns.iter().all(|ns| ns.unsigned_abs() <= pack::LARGEST as u64);
    if rising && finite { Ok(()) } else { inconsistent(place, "times that are not increasing") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::numbers::{F32Array, Rounded};
    use crate::data::plots::{Curve, ErrorOverTime};
    use crate::data::replay::Body;

    fn with(change: impl Fn(&mut Scenario)) -> String {
        let mut data = ReportData::new("t");
        let mut scenario = Scenario::new("s", "S", "");
        change(&mut scenario);
        data.scenarios.push(scenario);
        data.check().map_or_else(|error| error.to_string(), |()| String::new())
    }

    fn curve(trial: usize, time_s: Vec<f64>, value: Vec<f64>) -> ErrorOverTime {
        let curves = vec![Curve { trial, time_s: Times::from_s(time_s), value: Rounded::from_f64(value) }];
        ErrorOverTime { metric: "m".into(), unit: "m".into(), bound: None, log: true, curves }
    }

    #[test]
    fn empty_scenario_is_consistent() {
        assert_eq!(with(|_| ()), "");
    }

    #[test]
    fn curve_of_a_missing_trial() {
        let error = with(|scenario| scenario.errors.push(curve(3, vec![], vec![])));
        assert_eq!(error, "scenarios/s/errors/m: trial 3 of 0; this report cannot be drawn");
    }

    #[test]
    fn signal_with_fewer_values_than_times() {
        let error = with(|scenario| {
            let reference = Some(crate::data::signals::ReferenceCurve {
                time_s: Times::from_s([0.0, 1.0]),
                value: Rounded::from_f64([0.0]),
            });
            let (name, unit) = ("q/a".into(), "rad".into());
            scenario.signals.push(crate::data::signals::Signal { name, unit, curves: vec![], reference });
        });
        assert_eq!(error, "scenarios/s/signals/q/a: 2 times and 1 values; this report cannot be drawn");
    }

    #[test]
    fn place_of_a_missing_trial() {
        let places = vec![crate::data::scenario::Place { rank: Some(1), trial: 2, check: None }];
        let board = crate::data::scenario::Leaderboard { metric: "m".into(), places };
        let error = with(|scenario| scenario.leaderboard = Some(board.clone()));
        assert_eq!(error, "scenarios/s/leaderboard: trial 2 of 0; this report cannot be drawn");
    }

    #[test]
    fn replay_with_missing_numbers_falling_times_or_no_duration() {
        let replay = |duration_s, time_s: Vec<f64>, numbers| {
            with(|scenario| {
                let bodies = vec![Body { name: "b".into(), fixed: false, shapes: vec![] }];
                let mut replay = Replay::new(duration_s, 1.0, bodies);
                replay.push(None, time_s.clone(), vec![0.0; numbers]);
                scenario.replay = Some(replay);
            })
        };
        assert_eq!(replay(1.0, vec![0.0, 1.0], 14), "");
        assert!(replay(1.0, vec![0.0, 1.0], 13).contains("need 14 numbers, found 13"));
        assert!(replay(1.0, vec![1.0, 0.0], 14).contains("times that are not increasing"));
        assert!(replay(1.0, vec![0.0, f64::NAN], 14).contains("times that are not increasing"));
        assert!(replay(f64::NAN, vec![], 0).contains("a duration of NaN s"));
    }

    #[test]
    fn replay_without_a_step() {
        let error = with(|scenario| {
            let mut replay = Replay::new(1.0, 1.0, vec![]);
            replay.position_step_m = 0.0;
            scenario.replay = Some(replay);
        });
        assert!(error.contains("poses in steps of 0"), "{error}");
    }

    #[test]
    fn two_scenarios_of_one_name() {
        let mut data = ReportData::new("t");
        data.scenarios = vec![Scenario::new("s", "", ""), Scenario::new("s", "", "")];
        assert!(data.check().unwrap_err().to_string().contains("two scenarios have this name"));
    }

    #[test]
    fn broken_mesh() {
        let mesh = |vertices: usize, triangles: Vec<u32>| {
            with(|scenario| {
                let geometry = Geometry::Mesh {
                    vertices_m: F32Array(vec![0.0; vertices]),
                    triangles: crate::data::numbers::U32Array(triangles.clone()),
                };
                let shape = crate::data::replay::PlacedShape {
                    body_from_shape: crate::data::replay::Pose::IDENTITY,
                    geometry,
                };
                let bodies = vec![Body { name: "b".into(), fixed: true, shapes: vec![shape] }];
                scenario.replay = Some(Replay::new(1.0, 1.0, bodies));
            })
        };
        assert_eq!(mesh(9, vec![0, 1, 2]), "");
        assert!(mesh(9, vec![0, 1, 3]).contains("names vertex 3 of 3"));
        assert!(mesh(8, vec![]).contains("not triples"));
    }
}
