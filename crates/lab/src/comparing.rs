//! Metrics of several records: when engines diverge from the first engine of a study, the order at which a spec's error
//! falls, and how far a spec at one step is from itself at a fine step.

use crate::results::{Comparison, Row};
use crate::store::{Store, StoreError};
use crate::trial::TrialKey;
use std::collections::BTreeMap;
use veracity_measure::comparisons::find;
use veracity_measure::{ComparisonEntry, Options, Subject};
use veracity_model::Layout;
use veracity_record::Record;

/// A scenario with more trials than this is a sweep; comparing pairs of them says nothing.
const COMPARED_TRIALS: usize = 32;

/// All comparisons of a study's rows, scenario by scenario. Variations are left out: they are meant to differ.
pub fn compare(store: &Store, rows: &[Row]) -> Result<Vec<Comparison>, StoreError> {
    let mut out = Vec::new();
    let mut scenarios: Vec<Vec<&Row>> = Vec::new();
    let mut place: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows.iter().filter(|r| r.overrides.is_empty()) {
        let at = *place.entry(&row.scenario).or_insert_with(|| {
            scenarios.push(Vec::new());
            scenarios.len() - 1
        });
        scenarios[at].push(row);
    }
    for of_scenario in scenarios {
        let mut held: Vec<(&Row, Record)> = Vec::new();
        if of_scenario.len() < 2 || of_scenario.len() > COMPARED_TRIALS {
            continue;
        }
        for row in of_scenario {
            if let Some(record) = store.record(TrialKey(row.key))?.filter(|r| r.track.rows() > 1) {
                held.push((row, record));
            }
        }
        split_points(&held, &mut out);
        orders(&held, &mut out);
        with_themselves(&held, &mut out);
    }
    Ok(out)
}

/// A step counts as fine relative to another if it is at most this fraction of it: at order one, the fine run's own
/// error is then a tenth of what is measured.
const FINE: f64 = 0.1;

/// Each spec against itself at its finest step, if that step is fine enough.
fn with_themselves(held: &[(&Row, Record)], out: &mut Vec<Comparison>) {
    for (row, record) in held {
        let of_spec = held.iter().filter(|(r, _)| r.full_spec == row.full_spec && r.seed == row.seed);
        let finest = of_spec.min_by(|a, b| a.0.step_s.total_cmp(&b.0.step_s));
        // A tenth is not exact in binary.
        if let Some((fine_row, fine)) = finest.filter(|(r, _)| r.step_s <= FINE * row.step_s * (1.0 + 1e-9)) {
            out.push(one("self_consistency", &[(fine_row, fine), (row, record)]));
        }
    }
}

/// Each engine against the first at the same step.
fn split_points(held: &[(&Row, Record)], out: &mut Vec<Comparison>) {
    for (at, (row, record)) in held.iter().enumerate() {
        let first = held[..at].iter().find(|(r, _)| r.step_s == row.step_s && r.seed == row.seed);
        if let Some((first_row, first_record)) = first {
            out.push(one("split_point", &[(first_row, first_record), (row, record)]));
        }
    }
}

/// Each spec that ran at three steps or more.
fn orders(held: &[(&Row, Record)], out: &mut Vec<Comparison>) {
    let mut specs: Vec<&str> = held.iter().map(|(r, _)| r.full_spec.as_str()).collect();
    specs.sort_unstable();
    specs.dedup();
    for spec in specs {
        let mut of_spec: Vec<(&Row, &Record)> =
            held.iter().filter(|(r, _)| r.full_spec == spec).map(|(row, record)| (*row, record)).collect();
        of_spec.sort_by(|a, b| b.0.step_s.total_cmp(&a.0.step_s));
        of_spec.dedup_by(|a, b| a.0.step_s == b.0.step_s);
        if of_spec.len() >= 3 {
            out.push(one("order_of_convergence", &of_spec));
        }
    }
}

fn one(name: &str, records: &[(&Row, &Record)]) -> Comparison {
    let layouts: Vec<Layout> = records.iter().map(|(_, record)| record.layout()).collect();
    let subjects: Vec<Subject<'_>> =
        records.iter().zip(&layouts).map(|((_, record), layout)| Subject { record, layout }).collect();
    let measured = match find(name) {
        Some(ComparisonEntry { compare, .. }) => compare(&subjects, None, &Options::default()),
        None => veracity_measure::CannotTell::new(format!("there is no comparison '{name}'")),
    };
    let mut engines: Vec<String> = records.iter().map(|(row, _)| row.engine.clone()).collect();
    engines.dedup();
    let (value, uncertainty, note) = match measured {
        Ok(measured) => (measured.value, measured.uncertainty, measured.note),
        Err(why) => (f64::NAN, 0.0, why.to_string()),
    };
    Comparison {
        scenario: records[0].0.scenario.clone(),
        comparison: name.to_string(),
        engines,
        steps_s: records.iter().map(|(row, _)| row.step_s).collect(),
        value,
        uncertainty,
        note,
    }
}
