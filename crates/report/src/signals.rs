//! Recorded numbers of a scenario's trials as curves for the page.
//!
//! The page stays small by these rules: at most [`MOST_CURVES`] curves of about [`SAMPLES`] samples in all, thinned to the
//! smallest and the largest of each interval; numbers that are the same in every trial at every moment are left out; what
//! does not fit is named. Energies are computed at [`ENERGY_ROWS`] instants at most.

use crate::data::numbers::{Rounded, Times};
use crate::data::plots::Curve;
use crate::data::replay::Replay;
use crate::data::signals::{ReferenceCurve, Signal};
use crate::thinning::envelope_by;
use std::collections::BTreeMap;
use veracity_lab::judging::Truths;
use veracity_measure::energy::EnergyOfRows;
use veracity_measure::{Quantity, Subject};
use veracity_model::Layout;
use veracity_record::{ContactSample, Record, SOLVER_RESIDUAL, names};

/// Curves of a scenario.
const MOST_CURVES: usize = 1200;
/// Samples of all curves of a scenario.
const SAMPLES: usize = 40_000;
/// Limits on the samples of a curve.
const LEAST_SAMPLES: usize = 40;
const MOST_SAMPLES: usize = 240;
/// Instants at which the energy is computed.
const ENERGY_ROWS: usize = 2000;
/// Contact points of all moments and trials of a replay.
const CONTACT_POINTS: usize = 30_000;

/// The signals of the trials, with the reference's where it is the same for all, and the names of those left out.
pub fn signals(records: &[(usize, &Record)], reference: Option<&Truths>) -> (Vec<Signal>, Vec<String>) {
    let Some((_, first)) = records.first() else { return (Vec::new(), Vec::new()) };
    let width = columns(first).len().max(1);
    let shown = (MOST_CURVES / records.len()).max(1);
    let samples = (SAMPLES / (width.min(shown) * records.len())).clamp(LEAST_SAMPLES, MOST_SAMPLES);
    let mut found: Vec<Found> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (trial, record) in records {
        for column in columns(record) {
            let place = *places.entry(column.name.clone()).or_insert_with(|| {
                found.push(Found::new(&column));
                found.len() - 1
            });
            found[place].add(*trial, &column, samples);
        }
    }
    found.retain(|signal| signal.varies);
    let left_out = found.split_off(shown.min(found.len()));
    let mut signals: Vec<Signal> = found.into_iter().map(|found| found.signal).collect();
    if let Some(truths) = reference {
        add_reference(&mut signals, truths, &first.layout(), samples);
    }
    (signals, left_out.into_iter().map(|found| found.signal.name).collect())
}

/// A signal while its trials are read.
struct Found {
    signal: Signal,
    /// The only value so far.
    value: Option<f64>,
    varies: bool,
}

impl Found {
    fn new(column: &Column) -> Self {
        let (name, unit) = (column.name.clone(), column.unit.clone());
        let signal = Signal { name, unit, curves: Vec::new(), reference: None };
        Self { signal, value: None, varies: false }
    }

    fn add(&mut self, trial: usize, column: &Column, samples: usize) {
        let known = column.series.iter().map(|(_, value)| *value).filter(|value| !value.is_nan());
        for value in known {
            self.varies |= *self.value.get_or_insert(value) != value;
        }
        if column.series.iter().all(|(_, value)| value.is_nan()) {
            return;
        }
        let thin = thinned(&column.series, samples);
        let time_s = Times::from_s(thin.iter().map(|(time, _)| *time));
        let value = Rounded::from_f64(thin.iter().map(|(_, value)| *value));
        self.signal.curves.push(Curve { trial, time_s, value });
    }
}

/// One recorded number over time.
struct Column {
    name: String,
    unit: String,
    series: Vec<(f64, f64)>,
}

/// Every number of a record, the most useful kinds first.
fn columns(record: &Record) -> Vec<Column> {
    let (track, layout) = (&record.track, record.layout());
    let rows = track.rows();
    let mut out = Vec::new();
    let mut block = |kind: &str, names: Vec<names::Named>, values: &[f64]| {
        let width = names.len();
        if width == 0 || values.len() != rows * width {
            return;
        }
        for (offset, named) in names.into_iter().enumerate() {
            // Of a pose, the place: a quaternion's numbers mean little one by one.
            if kind == "pose" && named.unit.is_empty() {
                continue;
            }
            let series = (0..rows).map(|row| (track.times[row], values[row * width + offset])).collect();
            out.push(Column { name: format!("{kind}/{}", named.name), unit: named.unit.to_string(), series });
        }
    };
    block("q", names::positions(&layout), &track.q);
    block("v", names::velocities(&layout), &track.v);
    block("effort", names::efforts(&layout), &track.efforts);
    block("gap", names::gaps(&layout), &track.gaps);
    block("pose", names::poses(&layout), &track.poses);
    let poses = out.iter().position(|column| column.name.starts_with("pose/")).unwrap_or(out.len());
    let bodies = out.split_off(poses);
    out.extend(contact_forces(record, &layout));
    out.extend(energy(record, &layout));
    let residuals = &record.host.solver_residuals;
    if residuals.len() == rows {
        let series = track.times.iter().copied().zip(residuals.iter().copied()).collect();
        out.push(Column { name: SOLVER_RESIDUAL.to_string(), unit: String::new(), series });
    }
    out.extend(track.signals.iter().filter(|signal| signal.values.len() == rows).map(|signal| Column {
        name: signal.name.clone(),
        unit: signal.unit.clone(),
        series: track.times.iter().copied().zip(signal.values.iter().copied()).collect(),
    }));
    out.extend(bodies);
    out
}

/// Size of the force between two bodies: the sum over their points of the impulse of the step that ended at each row,
/// divided by the step. Nothing for a record without contacts.
fn contact_forces(record: &Record, layout: &Layout) -> Vec<Column> {
    let times = &record.track.times;
    let mut pairs: BTreeMap<(u32, u32), Vec<[f64; 3]>> = BTreeMap::new();
    for contact in &record.contacts {
        let Some(row) = row_of(times, contact.time) else { continue };
        // The ground has no slot and comes last.
        let (a, b) = (contact.body_a.unwrap_or(u32::MAX), contact.body_b.unwrap_or(u32::MAX));
        let (key, sign) = if a <= b { ((a, b), 1.0) } else { ((b, a), -1.0) };
        let sums = pairs.entry(key).or_insert_with(|| vec![[0.0; 3]; times.len()]);
        for (sum, force) in sums[row].iter_mut().zip(force(record, contact)) {
            *sum += sign * force;
        }
    }
    let name = |slot: u32| layout.bodies.get(slot as usize).map_or("ground", |body| body.name.as_str());
    let column = |((a, b), sums): ((u32, u32), Vec<[f64; 3]>)| Column {
        name: format!("contact force/{} on {}", name(a), name(b)),
        unit: "N".to_string(),
        series: times.iter().copied().zip(sums.iter().map(|f| size(*f))).collect(),
    };
    pairs.into_iter().map(column).collect()
}

/// Kinetic and potential energy, where the record allows it.
fn energy(record: &Record, layout: &Layout) -> Option<Column> {
    let rows = record.track.rows();
    let of_rows = EnergyOfRows::new(&Subject { record, layout }).ok()?;
    let every = rows.div_ceil(ENERGY_ROWS).max(1);
    let kept = (0..rows).filter(|row| row % every == 0 || row + 1 == rows);
    let series = kept.map(|row| (record.track.times[row], of_rows.row(row).energy.total())).collect();
    Some(Column { name: "energy/total".to_string(), unit: "J".to_string(), series })
}

/// Adds the curves of what the references provide under the same name.
fn add_reference(signals: &mut [Signal], truths: &Truths, layout: &Layout, samples: usize) {
    for channel in truths.iter().filter_map(|(_, truth)| truth.as_ref().ok()).flat_map(|truth| &truth.channels) {
        let joint = |slot: &usize| layout.joints.get(*slot).map(|joint| joint.name.clone());
        let parts: Vec<String> = match &channel.quantity {
            Quantity::JointPosition(slot) => joint(slot).map(|name| format!("q/{name}")).into_iter().collect(),
            Quantity::JointSpeed(slot) => joint(slot).map(|name| format!("v/{name}")).into_iter().collect(),
            Quantity::Point { body, point } if *point == [0.0; 3] => {
                let body = layout.bodies.get(*body).map(|body| body.name.as_str()).unwrap_or_default();
                ["x", "y", "z"].iter().map(|axis| format!("pose/{body}/{axis}")).collect()
            }
            _ => continue,
        };
        let width = channel.quantity.width();
        for (part, name) in parts.iter().enumerate() {
            let Some(signal) = signals.iter_mut().find(|s| s.name == *name && s.reference.is_none()) else {
                continue;
            };
            let values = channel.values.iter().skip(part).step_by(width);
            let series: Vec<(f64, f64)> = channel.times.iter().copied().zip(values.copied()).collect();
            let thin = thinned(&series, samples);
            signal.reference = Some(ReferenceCurve {
                time_s: Times::from_s(thin.iter().map(|(time, _)| *time)),
                value: Rounded::from_f64(thin.iter().map(|(_, value)| *value)),
            });
        }
    }
}

/// Adds the contact points of the moments a replay shows: `kept` are the rows of each of its tracks.
pub fn add_contacts(replay: &mut Replay, records: &[(usize, &Record)], kept: &[Vec<usize>]) {
    let moments: usize = kept.iter().map(Vec::len).sum();
    let strongest = records.iter().flat_map(|(_, record)| record.contacts.iter().map(|c| size(force(record, c))));
    let largest = strongest.filter(|force| force.is_finite()).fold(0.0, f64::max);
    if moments == 0 || records.iter().all(|(_, record)| record.contacts.is_empty()) {
        return;
    }
    replay.contact_points = (CONTACT_POINTS / moments).clamp(4, 64);
    // A force is drawn, not read off: twelve bits are enough.
    replay.force_step_n = if largest > 0.0 { largest / 4096.0 } else { 1.0 };
    for (track, ((_, record), rows)) in records.iter().zip(kept).enumerate() {
        let mut by_row: BTreeMap<usize, Vec<&ContactSample>> = BTreeMap::new();
        for contact in &record.contacts {
            if let Some(row) = row_of(&record.track.times, contact.time) {
                by_row.entry(row).or_default().push(contact);
            }
        }
        let mut points = Vec::new();
        for (moment, row) in rows.iter().enumerate() {
            let Some(contacts) = by_row.get_mut(row) else { continue };
            contacts.sort_by(|a, b| size(b.impulse).total_cmp(&size(a.impulse)));
            let strongest = contacts.iter().take(replay.contact_points);
            points.extend(strongest.map(|contact| (moment, contact.point, force(record, contact))));
        }
        replay.push_contacts(track, points);
    }
}

/// A signal has a sign: of each interval the smallest and the largest are kept.
fn thinned(series: &[(f64, f64)], most: usize) -> Vec<(f64, f64)> {
    envelope_by(series, most, |value| value)
}

/// Mean force on the first body over the step [N].
fn force(record: &Record, contact: &ContactSample) -> [f64; 3] {
    contact.impulse.map(|impulse| impulse / record.head.step_s)
}

fn size(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The row of an instant. Contacts are sampled at rows, so that the times are equal but for rounding.
fn row_of(times: &[f64], time: f64) -> Option<usize> {
    let row = times.partition_point(|t| *t < time - 1e-9);
    times.get(row).filter(|t| (**t - time).abs() <= 1e-9).map(|_| row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use veracity_model::world::DEFAULT_GRAVITY;
    use veracity_model::{Combination, Digest, World};
    use veracity_record::{Head, Host, Outcome, Track};

    /// A record of one number, without bodies, with contacts of the ground with itself.
    fn record(name: &str, values: &[f64], contacts: Vec<ContactSample>) -> Record {
        let mut track = Track::new(0, 0, 0, 0, values.len());
        track.times = (0..values.len()).map(|row| row as f64 * 0.01).collect();
        track.signals =
            vec![veracity_record::Signal { name: name.into(), unit: "N".into(), values: values.to_vec() }];
        let world = Arc::new(World {
            name: "empty".into(),
            gravity: DEFAULT_GRAVITY,
            placements: Vec::new(),
            contact: true,
            combination: Combination::default(),
            engine_settings: Vec::new(),
        });
        Record {
            head: Head {
                schema: 2,
                scenario: "s".into(),
                key: None,
                engine: String::new(),
                engine_version: String::new(),
                veracity_version: String::new(),
                step_s: 0.001,
                duration_s: 1.0,
                seed: 0,
                overrides: Vec::new(),
                world: Digest::of(b""),
                events: None,
            },
            world,
            track,
            contacts,
            events: Vec::new(),
            log: Vec::new(),
            outcome: Outcome::Finished,
            host: Host::default(),
        }
    }

    fn contact(time: f64, impulse: [f64; 3]) -> ContactSample {
        let (point, normal) = ([0.0; 3], [0.0, 0.0, 1.0]);
        ContactSample { time, body_a: Some(0), body_b: None, point, normal, gap: 0.0, impulse }
    }

    #[test]
    fn numbers_that_never_change_are_left_out_and_a_peak_of_either_sign_is_kept() {
        let constant = record("sensors/still", &[2.0; 500], vec![]);
        assert!(signals(&[(0, &constant), (1, &constant)], None).0.is_empty());
        // The same constant in one trial and another in the next is a difference.
        let other = record("sensors/still", &[3.0; 500], vec![]);
        assert_eq!(signals(&[(0, &constant), (1, &other)], None).0[0].curves.len(), 2);
        let mut values: Vec<f64> = (0..5000).map(|i| (f64::from(i) * 0.01).sin()).collect();
        (values[2000], values[2001]) = (7.0, -7.0);
        let (found, left_out) = signals(&[(3, &record("sensors/peak", &values, vec![]))], None);
        let kept = found[0].curves[0].value.values();
        assert!(kept.len() <= MOST_SAMPLES && kept.contains(&7.0) && kept.contains(&-7.0), "{} samples", kept.len());
        assert_eq!((found[0].curves[0].trial, left_out.len()), (3, 0));
    }

    #[test]
    fn forces_of_a_pair_add_up_per_row_and_are_impulses_over_the_step() {
        let contacts = vec![
            contact(0.01, [0.0, 0.0, 0.003]),
            contact(0.01, [0.004, 0.0, 0.0]),
            contact(0.02, [0.0, 0.0, 0.001]),
        ];
        let touching = record("sensors/x", &[0.0; 4], contacts);
        let (found, _) = signals(&[(0, &touching)], None);
        assert_eq!(found[0].unit, "N");
        assert_eq!(found[0].curves[0].value.values(), [0.0, 5.0, 1.0, 0.0]);
        // The strongest point of each moment, at the moments that are shown.
        let mut replay = Replay::new(1.0, 1.0, vec![]);
        replay.push(Some(0), [0.0, 0.01], []);
        add_contacts(&mut replay, &[(0, &touching)], &[vec![0, 1]]);
        assert_eq!(replay.force_step_n, 4.0 / 4096.0);
        assert!(replay.contact_points >= 4);
    }

    #[test]
    fn the_residual_of_the_solver_is_a_signal() {
        let mut solved = record("sensors/x", &[0.0, 1.0, 2.0], vec![]);
        solved.host.solver_residuals = vec![0.0, 2e-6, 1e-6];
        let (found, _) = signals(&[(0, &solved)], None);
        let residual = found.iter().find(|signal| signal.name == SOLVER_RESIDUAL).unwrap();
        // Stored to 1.2e-4 of the value.
        let kept = residual.curves[0].value.values();
        assert!(
            kept.iter().zip([0.0, 2e-6, 1e-6]).all(|(kept, value)| (kept - value).abs() <= 2e-4 * value),
            "{kept:?}"
        );
        // An engine that reports none has none.
        solved.host.solver_residuals.clear();
        assert!(signals(&[(0, &solved)], None).0.iter().all(|signal| signal.name != SOLVER_RESIDUAL));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let wide = |trial: usize| {
            let mut record = record("sensors/0", &[0.0, 1.0], vec![]);
            let more = (1..100).map(|i| veracity_record::Signal {
                name: format!("sensors/{i}"),
                unit: String::new(),
                values: vec![0.0, 1.0],
            });
            record.track.signals.extend(more);
            (trial, record)
        };
        let records: Vec<(usize, Record)> = (0..32).map(wide).collect();
        let borrowed: Vec<(usize, &Record)> = records.iter().map(|(trial, record)| (*trial, record)).collect();
        let (found, left_out) = signals(&borrowed, None);
        assert_eq!((found.len(), left_out.len()), (MOST_CURVES / 32, 100 - MOST_CURVES / 32));
        assert_eq!(left_out[0], format!("sensors/{}", MOST_CURVES / 32));
    }
}
