//! A recorded file as a reference: CSV (also compressed with gzip) and Parquet tables, our own MCAP files, ROS 2 bags.
//!
//! Columns have the names of the table. Columns of an MCAP file are those of its table: `q/JOINT`, `v/JOINT`,
//! `pose/BODY/x` … `qz`, `twist/BODY/wx` … `vz`, and its signals. Joints and frames of a ROS 2 bag get the same names,
//! with time counted from the bag's first stamp. Rows without a number are left out.

use crate::file::names::hint;
use crate::reference::ChannelMap;
use std::path::Path;
use veracity_measure::{CannotTell, TruthChannel};
use veracity_record::{Record, Recording, TimeSeries, names, read_csv, read_mcap, read_ros2_bag, read_track};

/// A column: its name, its times [s] and its values.
struct Column {
    name: String,
    times: Vec<f64>,
    values: Vec<f64>,
}

/// Reads the columns that a mapping names.
pub fn recorded_channels(file: &Path, mapping: &[ChannelMap]) -> Result<Vec<TruthChannel>, CannotTell> {
    let columns = columns(file)?;
    mapping.iter().map(|map| channel(file, &columns, map)).collect()
}

/// Times and values of one column; NaN where a row has no number.
pub fn recorded_column(file: &Path, name: &str) -> Result<(Vec<f64>, Vec<f64>), CannotTell> {
    let columns = columns(file)?;
    match columns.iter().position(|c| c.name == name) {
        Some(k) => {
            let found = columns.into_iter().nth(k);
            Ok(found.map(|c| (c.times, c.values)).unwrap_or_default())
        }
        None => {
            let hint = hint(name, columns.iter().map(|c| c.name.as_str()));
            Err(CannotTell(format!("'{}' has no column '{name}'; {hint}", file.display())))
        }
    }
}

fn channel(file: &Path, columns: &[Column], map: &ChannelMap) -> Result<TruthChannel, CannotTell> {
    let mut parts: Vec<&Column> = Vec::new();
    for wanted in &map.columns {
        let Some(found) = columns.iter().find(|c| c.name == *wanted) else {
            let hint = hint(wanted, columns.iter().map(|c| c.name.as_str()));
            return Err(CannotTell(format!("'{}' has no column '{wanted}'; {hint}", file.display())));
        };
        parts.push(found);
    }
    let times = parts.first().map_or(&[][..], |c| &c.times);
    if parts.iter().any(|c| c.times != times) {
        let list = map.columns.join(", ");
        return Err(CannotTell(format!("the columns {list} of '{}' have different times", file.display())));
    }
    let mut out = TruthChannel {
        quantity: map.quantity.clone(),
        times: Vec::new(),
        values: Vec::new(),
        uncertainty: Vec::new(),
        parts_at_s: None,
    };
    for (row, time) in times.iter().enumerate() {
        let values: Vec<f64> = parts.iter().map(|c| c.values[row]).collect();
        if values.iter().all(|x| x.is_finite()) {
            out.times.push(*time);
            out.values.extend(values);
            out.uncertainty.push(map.uncertainty);
        }
    }
    if out.times.is_empty() {
        let list = map.columns.join(", ");
        return Err(CannotTell(format!("the columns {list} of '{}' hold no number", file.display())));
    }
    Ok(out)
}

fn columns(file: &Path) -> Result<Vec<Column>, CannotTell> {
    let told = |e: veracity_record::FileError| CannotTell(e.to_string());
    let compressed = file.file_name().and_then(|n| n.to_str()).is_some_and(|n| n.ends_with(".csv.gz"));
    match file.extension().and_then(|e| e.to_str()) {
        Some("gz") if compressed => read_csv(file).map(of_table).map_err(told),
        Some("csv") => read_csv(file).map(of_table).map_err(told),
        Some("parquet") => read_track(file).map(of_table).map_err(told),
        Some("mcap") => match read_mcap(file) {
            Ok(record) => Ok(of_record(&record)),
            // Not written by Veracity: a ROS 2 bag, or an unknown file.
            Err(ours) => match read_ros2_bag(file, &[]) {
                Ok(bag) if !bag.joints.is_empty() || !bag.poses.is_empty() => Ok(of_bag(&bag)),
                _ => Err(told(ours)),
            },
        },
        _ => {
            Err(CannotTell(format!("'{}' is not a recording; use .csv, .csv.gz, .parquet or .mcap", file.display())))
        }
    }
}

fn of_table(table: TimeSeries) -> Vec<Column> {
    let times = table.times;
    table.columns.into_iter().map(|c| Column { name: c.name, times: times.clone(), values: c.values }).collect()
}

fn of_record(record: &Record) -> Vec<Column> {
    let (track, layout) = (&record.track, record.layout());
    let blocks = [
        ("q", names::positions(&layout), &track.q),
        ("v", names::velocities(&layout), &track.v),
        ("pose", names::poses(&layout), &track.poses),
        ("twist", names::twists(&layout), &track.twists),
    ];
    let mut out = Vec::new();
    for (prefix, names, values) in blocks {
        let width = names.len();
        for (i, named) in names.iter().enumerate().filter(|_| values.len() == width * track.rows()) {
            let column = values.iter().skip(i).step_by(width).copied().collect();
            out.push(Column { name: format!("{prefix}/{}", named.name), times: track.times.clone(), values: column });
        }
    }
    let signals = track.signals.iter();
    out.extend(signals.map(|s| Column {
        name: s.name.clone(),
        times: track.times.clone(),
        values: s.values.clone(),
    }));
    out
}

fn of_bag(bag: &Recording) -> Vec<Column> {
    let stamps = bag
        .joints
        .iter()
        .filter_map(|j| j.times_ns.first())
        .chain(bag.poses.iter().filter_map(|p| p.times_ns.first()));
    let first = stamps.copied().min().unwrap_or(0);
    let seconds = |stamps: &[i64]| stamps.iter().map(|ns| (ns - first) as f64 * 1e-9).collect::<Vec<f64>>();
    let mut out = Vec::new();
    for joint in &bag.joints {
        for (prefix, values) in [("q", &joint.positions), ("v", &joint.velocities)] {
            let name = format!("{prefix}/{}", joint.name);
            out.push(Column { name, times: seconds(&joint.times_ns), values: values.clone() });
        }
    }
    for body in &bag.poses {
        for (i, part) in ["x", "y", "z", "qw", "qx", "qy", "qz"].iter().enumerate() {
            let values = body.poses.iter().map(|pose| pose[i]).collect();
            out.push(Column { name: format!("pose/{}/{part}", body.child), times: seconds(&body.times_ns), values });
        }
    }
    out
}
