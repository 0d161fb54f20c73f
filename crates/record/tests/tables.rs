//! Tables of a track: every number is read back from Parquet and CSV.

mod support;

use proptest::prelude::*;
use std::fs;
use std::sync::Arc;
use support::{Folder, any_record, menagerie, pendulum, swing};
use veracity_record::{Record, Signal, TimeSeries, read_csv, read_track, write_csv, write_track};

/// The expected columns of the tables, taken from the record's arrays.
fn expected(record: &Record) -> Vec<Vec<u64>> {
    let track = &record.track;
    let rows = track.rows();
    let mut columns = Vec::new();
    for values in [&track.times, &track.q, &track.v, &track.efforts, &track.poses, &track.twists, &track.gaps] {
        let width = values.len().checked_div(rows).unwrap_or(0);
        columns.extend((0..width).map(|i| (0..rows).map(|row| values[row * width + i].to_bits()).collect()));
    }
    columns.extend(track.signals.iter().map(|s| s.values.iter().map(|x| x.to_bits()).collect()));
    let residuals = &record.host.solver_residuals;
    if !residuals.is_empty() {
        columns.push(residuals.iter().map(|x| x.to_bits()).collect());
    }
    columns
}

fn bits(table: &TimeSeries) -> Vec<Vec<u64>> {
    let columns = table.columns.iter().map(|column| &column.values);
    std::iter::once(&table.times).chain(columns).map(|c| c.iter().map(|x| x.to_bits()).collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn parquet_keeps_every_bit(record in any_record()) {
        let folder = Folder::new();
        let path = folder.path("a.parquet");
        write_track(&record, &path).unwrap();
        let back = read_track(&path).unwrap();
        if record.track.rows() > 0 {
            prop_assert_eq!(bits(&back), expected(&record));
        } else {
            prop_assert!(back.times.is_empty());
        }
    }

    #[test]
    fn damaged_parquet_never_panics_out(at in any::<prop::sample::Index>(), bit in 0..8u8) {
        let folder = Folder::new();
        let path = folder.path("a.parquet");
        write_track(&swing(&Arc::new(pendulum()), 1, 20), &path).unwrap();
        let mut bytes = fs::read(&path).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        fs::write(&path, bytes).unwrap();
        if let Err(error) = read_track(&path) {
            prop_assert!(error.to_string().contains("a.parquet: the table: "), "{}", error);
        }
    }
}

#[test]
fn csv_keeps_every_finite_number_and_its_unit() {
    let folder = Folder::new();
    let path = folder.path("a.csv");
    let mut record = swing(&Arc::new(pendulum()), 1, 50);
    record.track.q[3] = -0.0;
    record.track.q[4] = f64::MIN_POSITIVE / 8.0;
    record.track.q[5] = f64::NEG_INFINITY;
    record.track.v[3] = f64::NAN;
    write_csv(&record, &path).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let head = text.lines().next().unwrap();
    assert!(
        head.starts_with("time_s [s],q/pendulum/hinge [rad],v/pendulum/hinge [rad/s],effort/pendulum/hinge [N m],"),
        "{head}"
    );
    assert!(head.ends_with(",twist/pendulum/bob/vz [m/s],engine/energy_J [J]"), "{head}");
    let back = read_csv(&path).unwrap();
    assert_eq!(bits(&back), expected(&record));
    assert_eq!(back.column("v/pendulum/hinge").unwrap().unit, "rad/s");
}

#[test]
fn column_names_are_unique_and_units_are_stored() {
    let folder = Folder::new();
    let path = folder.path("a.parquet");
    let world = Arc::new(menagerie());
    let mut record = swing(&Arc::new(pendulum()), 1, 0);
    let layout = veracity_model::Layout::new(&world);
    record.head.world = world.digest();
    record.world = world;
    record.track = veracity_record::Track::new(
        layout.position_count,
        layout.dof_count(),
        layout.bodies.len(),
        layout.pairs.len(),
        0,
    );
    write_track(&record, &path).unwrap();
    let back = read_track(&path).unwrap();
    let unit = |name: &str| back.column(name).unwrap_or_else(|| panic!("no column {name}")).unit.clone();
    assert_eq!(unit("q/menagerie/free/x"), "m");
    assert_eq!(unit("q/menagerie/ball/qw"), "");
    assert_eq!(unit("v/menagerie/free/wx"), "rad/s");
    assert_eq!(unit("effort/menagerie/table/angle"), "N m");
    assert_eq!(unit("effort/menagerie/slide"), "N");
    assert_eq!(unit("q/clock/hinge"), "rad");
    assert_eq!(unit("gap/menagerie/near"), "m");
    assert_eq!(back.columns.len(), layout.position_count + 2 * layout.dof_count() + 13 * layout.bodies.len() + 1);

    let twice = Signal { name: "q/clock/hinge".to_string(), unit: String::new(), values: Vec::new() };
    record.track.signals.push(twice);
    let said = write_track(&record, &path).unwrap_err().to_string();
    assert!(said.contains("two columns are called q/clock/hinge; give one signal another name"), "{said}");
}
