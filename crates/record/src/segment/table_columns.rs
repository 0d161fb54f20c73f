//! The columns of a segment's table: one row for each record.
//!
//! Every number of a record is in a column of its own kind, so that pandas, DuckDB or polars can read a study directly.
//! Lists such as `q` are row-major over instants, `nq` numbers each. [`flatten`] and [`unflatten`] process the columns
//! in the order of [`MESSAGE`]; the test at the end keeps the three consistent.

use crate::stored::Parts;
use crate::{ContactSample, Event, EventKind, EventRules, Head, Host, LogEntry, Outcome, Record, Signal, Track};
use veracity_model::Digest;

/// Raised whenever the columns change.
pub const TABLE_SCHEMA: u32 = 3;

/// In Parquet's schema language. Digests are in hexadecimal; a body of -1 is the ground; `seed` is unsigned.
pub const MESSAGE: &str = "message veracity_records {
    required binary digest (STRING);
    required binary world_bytes;
    required int64 schema;
    required binary scenario (STRING);
    required binary key (STRING);
    required binary engine (STRING);
    required binary engine_version (STRING);
    required binary veracity_version (STRING);
    required double step_s;
    required double duration_s;
    required int64 seed (INTEGER(64,false));
    required group overrides (LIST) { repeated group list { required group element {
        required binary path (STRING);
        required double value;
    } } }
    required binary world (STRING);
    required binary event_rules (STRING);
    required binary outcome (STRING);
    required double outcome_time_s;
    required group outcome_reasons (LIST) { repeated group list { required binary element (STRING); } }
    required int64 nq;
    required int64 nv;
    required int64 bodies;
    required int64 pairs;
    required group time_s (LIST) { repeated group list { required double element; } }
    required group q (LIST) { repeated group list { required double element; } }
    required group v (LIST) { repeated group list { required double element; } }
    required group efforts (LIST) { repeated group list { required double element; } }
    required group poses (LIST) { repeated group list { required double element; } }
    required group twists (LIST) { repeated group list { required double element; } }
    required group gaps_m (LIST) { repeated group list { required double element; } }
    required group least_gaps_m (LIST) { repeated group list { required double element; } }
    required group signals (LIST) { repeated group list { required group element {
        required binary name (STRING);
        required binary unit (STRING);
    } } }
    required group signal_values (LIST) { repeated group list { required double element; } }
    required group contacts (LIST) { repeated group list { required group element {
        required double time_s;
        required int64 body_a;
        required int64 body_b;
        required double x_m;
        required double y_m;
        required double z_m;
        required double normal_x;
        required double normal_y;
        required double normal_z;
        required double gap_m;
        required double impulse_x_Ns;
        required double impulse_y_Ns;
        required double impulse_z_Ns;
    } } }
    required group events (LIST) { repeated group list { required group element {
        required double time_s;
        required double time_error_s;
        required int64 substep;
        required binary pair (STRING);
        required int64 ordinal;
        required binary kind (STRING);
        required double normal_speed_m_s;
        required double tangential_speed_m_s;
        required double normal_impulse_Ns;
        required double tangential_impulse_Ns;
        required double gap_m;
    } } }
    required group log (LIST) { repeated group list { required group element {
        required double time_s;
        required int64 warning;
        required binary text (STRING);
    } } }
    required double host_cpu_s;
    required double host_wall_s;
    required double host_load_cpu_s;
    required int64 host_steps (INTEGER(64,false));
    required int64 host_evaluations (INTEGER(64,false));
    required double host_began_unix_s;
    required binary host_machine (STRING);
    required group host_solver_residuals (LIST) { repeated group list { required double element; } }
}";

/// Columns that older tables do not have, with the schema that introduced each.
const NEW: [(u32, &str); 2] = [
    (2, "    required binary event_rules (STRING);\n"),
    (3, "    required group host_solver_residuals (LIST) { repeated group list { required double element; } }\n"),
];

/// The message of the current or an older schema.
pub fn message(schema: u32) -> String {
    let newer = NEW.iter().filter(|(since, _)| schema < *since);
    newer.fold(MESSAGE.to_string(), |message, (_, column)| message.replacen(column, "", 1))
}

/// Indices of `world_bytes` and `key` among the columns.
pub const WORLD_BYTES: usize = 1;
pub const KEY: usize = 4;

/// The content of one column in one row: a single number is a list of one.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    Reals(Vec<f64>),
    Wholes(Vec<i64>),
    Texts(Vec<Vec<u8>>),
}

/// A record as a row. `world_bytes` is empty unless this row stores the world for the others.
pub fn flatten(record: &Record, world_bytes: Vec<u8>) -> Vec<Cells> {
    let Record { head, world: _, track, contacts, events, log, outcome, host } = record;
    let mut row = Row::default();
    row.text(&record.digest().to_string());
    row.cells.push(Cells::Texts(vec![world_bytes]));
    flatten_head(&mut row, head);
    flatten_outcome(&mut row, outcome);
    flatten_track(&mut row, track);
    flatten_contacts(&mut row, contacts);
    flatten_events(&mut row, events);
    row.reals(log.iter().map(|l| l.time));
    row.wholes(log.iter().map(|l| i64::from(l.warning)));
    row.texts(log.iter().map(|l| l.text.as_str()));
    row.reals([host.cpu_s]);
    row.reals([host.wall_s]);
    row.reals([host.load_cpu_s]);
    row.wholes([host.steps.cast_signed()]);
    row.wholes([host.evaluations.cast_signed()]);
    row.reals([host.began_unix_s]);
    row.text(&host.machine);
    row.reals(host.solver_residuals.iter().copied());
    row.cells
}

fn flatten_head(row: &mut Row, head: &Head) {
    row.wholes([i64::from(head.schema)]);
    row.text(&head.scenario);
    row.text(&head.key.map(|key| key.to_string()).unwrap_or_default());
    row.text(&head.engine);
    row.text(&head.engine_version);
    row.text(&head.veracity_version);
    row.reals([head.step_s]);
    row.reals([head.duration_s]);
    row.wholes([head.seed.cast_signed()]);
    row.texts(head.overrides.iter().map(|(path, _)| path.as_str()));
    row.reals(head.overrides.iter().map(|(_, value)| *value));
    row.text(&head.world.to_string());
    row.text(&head.events.map(|rules| rules.text()).unwrap_or_default());
}

fn flatten_outcome(row: &mut Row, outcome: &Outcome) {
    let none: &[String] = &[];
    let stopped: [String; 2];
    let (name, time, reasons) = match outcome {
        Outcome::Finished => ("finished", f64::NAN, none),
        Outcome::BrokeDown { time, reason } => ("broke_down", *time, std::slice::from_ref(reason)),
        Outcome::NotExpressible { features } => ("not_expressible", f64::NAN, features.as_slice()),
        Outcome::TooSlow { time } => ("too_slow", *time, none),
        Outcome::Failed { reason } => ("failed", f64::NAN, std::slice::from_ref(reason)),
        Outcome::Stopped { time, check, reason } => {
            stopped = [check.clone(), reason.clone()];
            ("stopped", *time, &stopped[..])
        }
    };
    row.text(name);
    row.reals([time]);
    row.texts(reasons.iter().map(String::as_str));
}

fn flatten_track(row: &mut Row, track: &Track) {
    for count in [track.nq, track.nv, track.bodies, track.pairs] {
        row.wholes([count as i64]);
    }
    let columns = [
        &track.times,
        &track.q,
        &track.v,
        &track.efforts,
        &track.poses,
        &track.twists,
        &track.gaps,
        &track.least_gaps,
    ];
    columns.into_iter().for_each(|column| row.reals(column.iter().copied()));
    row.texts(track.signals.iter().map(|s| s.name.as_str()));
    row.texts(track.signals.iter().map(|s| s.unit.as_str()));
    row.reals(track.signals.iter().flat_map(|s| s.values.iter().copied()));
}

fn flatten_contacts(row: &mut Row, contacts: &[ContactSample]) {
    let body = |slot: Option<u32>| slot.map_or(-1, i64::from);
    row.reals(contacts.iter().map(|c| c.time));
    row.wholes(contacts.iter().map(|c| body(c.body_a)));
    row.wholes(contacts.iter().map(|c| body(c.body_b)));
    (0..3).for_each(|axis| row.reals(contacts.iter().map(|c| c.point[axis])));
    (0..3).for_each(|axis| row.reals(contacts.iter().map(|c| c.normal[axis])));
    row.reals(contacts.iter().map(|c| c.gap));
    (0..3).for_each(|axis| row.reals(contacts.iter().map(|c| c.impulse[axis])));
}

fn flatten_events(row: &mut Row, events: &[Event]) {
    row.reals(events.iter().map(|e| e.time));
    row.reals(events.iter().map(|e| e.time_error));
    row.wholes(events.iter().map(|e| i64::from(e.substep)));
    row.texts(events.iter().map(|e| e.pair.as_str()));
    row.wholes(events.iter().map(|e| i64::from(e.ordinal)));
    row.texts(events.iter().map(|e| e.kind.name()));
    row.reals(events.iter().map(|e| e.normal_speed));
    row.reals(events.iter().map(|e| e.tangential_speed));
    row.reals(events.iter().map(|e| e.normal_impulse));
    row.reals(events.iter().map(|e| e.tangential_impulse));
    row.reals(events.iter().map(|e| e.gap));
}

/// The record of a row, and the digest it was stored with. The world is read separately.
pub fn unflatten(schema: u32, cells: Vec<Cells>) -> Result<(Parts, Digest), String> {
    let mut row = Cursor { cells: cells.into_iter() };
    let digest = row.digest()?;
    let _world_bytes = row.texts()?;
    let head = unflatten_head(schema, &mut row)?;
    let outcome = unflatten_outcome(&mut row)?;
    let track = unflatten_track(&mut row)?;
    let contacts = unflatten_contacts(&mut row)?;
    let events = unflatten_events(&mut row)?;
    let (times, warnings, texts) = (row.reals()?, row.wholes()?, row.strings()?);
    let entry = |((time, warning), text): ((f64, i64), String)| LogEntry { time, warning: warning != 0, text };
    let log = times.into_iter().zip(warnings).zip(texts).map(entry).collect();
    let host = Host {
        cpu_s: row.real()?,
        wall_s: row.real()?,
        load_cpu_s: row.real()?,
        steps: row.whole()?.cast_unsigned(),
        evaluations: row.whole()?.cast_unsigned(),
        began_unix_s: row.real()?,
        machine: row.string()?,
        solver_residuals: if schema < 3 { Vec::new() } else { row.reals()? },
    };
    Ok((Parts { head, track, contacts, events, log, outcome, host }, digest))
}

fn unflatten_head(schema: u32, row: &mut Cursor) -> Result<Head, String> {
    Ok(Head {
        schema: row.small()?,
        scenario: row.string()?,
        key: match row.string()?.as_str() {
            "" => None,
            text => Some(Digest::parse(text).ok_or("the key is not a digest")?),
        },
        engine: row.string()?,
        engine_version: row.string()?,
        veracity_version: row.string()?,
        step_s: row.real()?,
        duration_s: row.real()?,
        seed: row.whole()?.cast_unsigned(),
        overrides: row.strings()?.into_iter().zip(row.reals()?).collect(),
        world: row.digest()?,
        events: match schema {
            0 | 1 => None,
            _ => match row.string()?.as_str() {
                "" => None,
                text => Some(EventRules::parse(text)?),
            },
        },
    })
}

fn unflatten_outcome(row: &mut Cursor) -> Result<Outcome, String> {
    let (name, time, mut reasons) = (row.string()?, row.real()?, row.strings()?);
    let mut reason = || reasons.pop().ok_or("an outcome without its reason");
    Ok(match name.as_str() {
        "finished" => Outcome::Finished,
        "broke_down" => Outcome::BrokeDown { time, reason: reason()? },
        "not_expressible" => Outcome::NotExpressible { features: reasons },
        "too_slow" => Outcome::TooSlow { time },
        "failed" => Outcome::Failed { reason: reason()? },
        "stopped" => {
            let reason = reasons.pop().ok_or("a stop without its reason")?;
            let check = reasons.pop().ok_or("a stop without its check")?;
            Outcome::Stopped { time, check, reason }
        }
        other => return Err(format!("the outcome `{other}` is unknown")),
    })
}

fn unflatten_track(row: &mut Cursor) -> Result<Track, String> {
    let mut track = Track {
        nq: row.small()? as usize,
        nv: row.small()? as usize,
        bodies: row.small()? as usize,
        pairs: row.small()? as usize,
        times: row.reals()?,
        q: row.reals()?,
        v: row.reals()?,
        efforts: row.reals()?,
        poses: row.reals()?,
        twists: row.reals()?,
        gaps: row.reals()?,
        least_gaps: row.reals()?,
        signals: Vec::new(),
    };
    let (names, units, values) = (row.strings()?, row.strings()?, row.reals()?);
    let rows = track.rows();
    if names.len().checked_mul(rows) != Some(values.len()) {
        return Err(format!("{} signals of {rows} rows cannot make {} values", names.len(), values.len()));
    }
    let signal = |(i, (name, unit))| Signal { name, unit, values: values[i * rows..(i + 1) * rows].to_vec() };
    track.signals = names.into_iter().zip(units).enumerate().map(signal).collect();
    Ok(track)
}

fn unflatten_contacts(row: &mut Cursor) -> Result<Vec<ContactSample>, String> {
    let (times, a, b) = (row.reals()?, row.wholes()?, row.wholes()?);
    let mut reals = Vec::new();
    for _ in 0..10 {
        reals.push(row.reals()?);
    }
    let body = |slot: i64| u32::try_from(slot).ok();
    let vector = |from: usize, i: usize| [reals[from][i], reals[from + 1][i], reals[from + 2][i]];
    let lengths = reals.iter().map(Vec::len).chain([a.len(), b.len()]);
    if lengths.into_iter().any(|length| length != times.len()) {
        return Err("the columns of contacts have different lengths".to_string());
    }
    let contact = |(i, time)| ContactSample {
        time,
        body_a: body(a[i]),
        body_b: body(b[i]),
        point: vector(0, i),
        normal: vector(3, i),
        gap: reals[6][i],
        impulse: vector(7, i),
    };
    Ok(times.iter().copied().enumerate().map(contact).collect())
}

fn unflatten_events(row: &mut Cursor) -> Result<Vec<Event>, String> {
    let (time, time_error, substep) = (row.reals()?, row.reals()?, row.wholes()?);
    let (pair, ordinal, kind) = (row.strings()?, row.wholes()?, row.strings()?);
    let mut reals = Vec::new();
    for _ in 0..5 {
        reals.push(row.reals()?);
    }
    let lengths = reals.iter().map(Vec::len).chain([time_error.len(), substep.len(), ordinal.len(), kind.len()]);
    if lengths.chain([pair.len()]).any(|length| length != time.len()) {
        return Err("the columns of events have different lengths".to_string());
    }
    let mut events = Vec::with_capacity(time.len());
    for (i, pair) in pair.into_iter().enumerate() {
        events.push(Event {
            time: time[i],
            time_error: time_error[i],
            substep: narrow(substep[i])?,
            pair,
            ordinal: narrow(ordinal[i])?,
            kind: EventKind::named(&kind[i]).ok_or_else(|| format!("the event kind `{}` is unknown", kind[i]))?,
            normal_speed: reals[0][i],
            tangential_speed: reals[1][i],
            normal_impulse: reals[2][i],
            tangential_impulse: reals[3][i],
            gap: reals[4][i],
        });
    }
    Ok(events)
}

fn narrow(number: i64) -> Result<u32, String> {
    u32::try_from(number).map_err(|_| format!("{number} is out of range"))
}

/// A row being built.
#[derive(Default)]
struct Row {
    cells: Vec<Cells>,
}

impl Row {
    fn reals(&mut self, values: impl IntoIterator<Item = f64>) {
        self.cells.push(Cells::Reals(values.into_iter().collect()));
    }

    fn wholes(&mut self, values: impl IntoIterator<Item = i64>) {
        self.cells.push(Cells::Wholes(values.into_iter().collect()));
    }

    fn texts<'a>(&mut self, values: impl IntoIterator<Item = &'a str>) {
        self.cells.push(Cells::Texts(values.into_iter().map(|text| text.as_bytes().to_vec()).collect()));
    }

    fn text(&mut self, text: &str) {
        self.texts([text]);
    }
}

/// A row being decoded, column by column.
struct Cursor {
    cells: std::vec::IntoIter<Cells>,
}

impl Cursor {
    fn reals(&mut self) -> Result<Vec<f64>, String> {
        match self.cells.next() {
            Some(Cells::Reals(values)) => Ok(values),
            _ => Err("a column of numbers is missing".to_string()),
        }
    }

    fn wholes(&mut self) -> Result<Vec<i64>, String> {
        match self.cells.next() {
            Some(Cells::Wholes(values)) => Ok(values),
            _ => Err("a column of whole numbers is missing".to_string()),
        }
    }

    fn texts(&mut self) -> Result<Vec<Vec<u8>>, String> {
        match self.cells.next() {
            Some(Cells::Texts(values)) => Ok(values),
            _ => Err("a column of texts is missing".to_string()),
        }
    }

    fn strings(&mut self) -> Result<Vec<String>, String> {
        let text = |bytes| String::from_utf8(bytes).map_err(|_| "a text is not UTF-8".to_string());
        self.texts()?.into_iter().map(text).collect()
    }

    fn string(&mut self) -> Result<String, String> {
        single(self.strings()?)
    }

    fn real(&mut self) -> Result<f64, String> {
        single(self.reals()?)
    }

    fn whole(&mut self) -> Result<i64, String> {
        single(self.wholes()?)
    }

    fn small(&mut self) -> Result<u32, String> {
        narrow(self.whole()?)
    }

    fn digest(&mut self) -> Result<Digest, String> {
        Digest::parse(&self.string()?).ok_or_else(|| "a digest is not 64 hexadecimal digits".to_string())
    }
}

fn single<T>(mut values: Vec<T>) -> Result<T, String> {
    match (values.pop(), values.is_empty()) {
        (Some(value), true) => Ok(value),
        _ => Err("a column does not have exactly one value".to_string()),
    }
}
