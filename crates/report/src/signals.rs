//! Recorded numbers of a scenario's trials as curves for the page.
//!
//! The page stays small by these rules: at most [`MOST_CURVES`] curves of about [`SAMPLES`] samples in all, thinned to the
//! smallest and the largest of each interval; numbers that are the same in every trial at every moment are left out; what
//! does not fit is named. Energies are computed at [`ENERGY_ROWS`] instants at most.

use crate::data::numbers::{Rounded, Times};
use crate::data::plots::Curve;
use crate::data::replay::Replay;
use crate::data::signals::{ReferenceCurve, Signal};
use crate::thinning::envelope;
use std::collections::BTreeMap;
use veracity_lab::judging::Truths;
use veracity_measure::energy::EnergyOfRows;
use veracity_measure::{Quantity, Subject};
use veracity_model::Layout;
use veracity_record::{ContactSample, Record, names};

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
        let thin = envelope(&column.series, samples);
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
            let Some(signal) = signals.iter_mut().find(|s| s.name == *name && s.reference.is_none()) else { continue };
            let values = channel.values.iter().skip(part).step_by(width);
            let series: Vec<(f64, f64)> = channel.times.iter().copied().zip(values.copied()).collect();
            let thin = envelope(&series, samples);
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
