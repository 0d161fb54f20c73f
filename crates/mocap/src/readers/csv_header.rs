//! The header of a table: its separator, its columns with their units, and which of them are a body's pose.
//!
//! Columns are separated by commas, semicolons or tabs, whichever the header has most of. Names are compared without
//! regard to capitals. The unit is in brackets (`x [mm]`, `time (ms)`) or at the end of the name of a time
//! (`time_ms`, `stamp_ns`). A prefix (`body/x`, `body.x`, `body_x`) names the body.

use super::ReadOptions;
use super::units::{LENGTHS, TIMES, size};
use std::collections::BTreeMap;

/// Parts of a pose, with the names they have in tables; the first is ours.
const PARTS: [&[&str]; 7] = [
    &["x", "px", "tx", "pos_x", "position_x"],
    &["y", "py", "ty", "pos_y", "position_y"],
    &["z", "pz", "tz", "pos_z", "position_z"],
    &["qw", "q_w", "quat_w", "rot_w", "orientation_w", "rotation_w"],
    &["qx", "q_x", "quat_x", "rot_x", "orientation_x", "rotation_x"],
    &["qy", "q_y", "quat_y", "rot_y", "orientation_y", "rotation_y"],
    &["qz", "q_z", "quat_z", "rot_z", "orientation_z", "rotation_z"],
];

/// Names of a time, without a unit at the end.
const TIME_NAMES: [&str; 5] = ["time", "t", "stamp", "timestamp", "elapsed"];

/// Columns that split a file into several recordings.
pub const TAKES: [&str; 4] = ["take", "toss", "trial", "session"];

/// What the header says.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// Between cells.
    pub separator: u8,
    /// How many cells a line has.
    pub width: usize,
    /// Column of the time, and nanoseconds in one of its units.
    pub time: (usize, f64),
    /// Columns of x y z qw qx qy qz.
    pub pose: [usize; 7],
    /// Factors of x y z to metres.
    pub scale: [f64; 3],
    /// The body's name; empty for a table of one body without a name.
    pub body: String,
    /// Column that numbers the takes.
    pub take: Option<usize>,
    /// Remarks for the notes.
    pub remarks: Vec<String>,
}

struct Column {
    name: String,
    unit: String,
}

/// Reads the header line, or says what is wrong with it.
pub fn parse(head: &str, options: &ReadOptions) -> Result<Header, String> {
    let separator = [b',', b';', b'\t'].into_iter().max_by_key(|s| head.bytes().filter(|b| b == s).count());
    let separator = separator.filter(|s| head.as_bytes().contains(s)).unwrap_or(b',');
    let columns: Vec<Column> = head.split(char::from(separator)).map(column).collect();
    if columns.iter().all(|c| c.name.parse::<f64>().is_ok()) {
        return Err(
            "the first line has numbers; it must name the columns, for example `time_s,x,y,z,qw,qx,qy,qz`".into()
        );
    }
    for (i, one) in columns.iter().enumerate() {
        if let Some(k) = columns[..i].iter().position(|c| c.name == one.name && !c.name.is_empty()) {
            let (first, second) = (k + 1, i + 1);
            return Err(format!("columns {first} and {second} are both named `{}`; rename one", one.name));
        }
    }
    let mut remarks = Vec::new();
    let find = |name: &str| columns.iter().position(|c| c.name == name.to_ascii_lowercase());
    let mapped = |part: &str| match options.columns.get(part) {
        None => Ok(None),
        Some(name) => find(name).map(Some).ok_or_else(|| {
            let known: Vec<&str> = columns.iter().map(|c| c.name.as_str()).collect();
            format!("--columns names `{name}` for {part}; the file has: {}", known.join(", "))
        }),
    };
    let time = match mapped("time")? {
        Some(i) => i,
        None => time_column(&columns)?,
    };
    let seconds = match options.units.time_s {
        Some(seconds) => seconds,
        None => time_unit(&columns[time])?,
    };
    let (body, pose) = pose_columns(&columns, options, &mapped)?;
    let mut scale = [1.0; 3];
    for (axis, factor) in scale.iter_mut().enumerate() {
        let Column { name, unit } = &columns[pose[axis]];
        *factor = match (options.units.length_m, unit.as_str()) {
            (Some(length), _) => length,
            (None, "") => 1.0,
            (None, unit) => size(LENGTHS, unit).ok_or_else(|| {
                format!("unknown unit `{unit}` of column `{name}`; use m, cm or mm, or give --units")
            })?,
        };
    }
    let units: Vec<&str> = (0..3).map(|axis| columns[pose[axis]].unit.as_str()).collect();
    if options.units.length_m.is_none() && units.iter().any(|u| *u != units[0]) {
        remarks.push(format!(
            "x, y and z have the units `{}`, `{}` and `{}`; each was converted from its own",
            units[0], units[1], units[2]
        ));
    }
    for i in &pose[3..] {
        let Column { name, unit } = &columns[*i];
        if !["", "1", "-"].contains(&unit.as_str()) {
            return Err(format!("column `{name}` has the unit `{unit}`; a quaternion has none"));
        }
    }
    let take = TAKES.iter().find_map(|name| find(name));
    Ok(Header { separator, width: columns.len(), time: (time, 1e9 * seconds), pose, scale, body, take, remarks })
}

/// `name [unit]` or `name (unit)`; a name in small letters.
fn column(head: &str) -> Column {
    let head = head.trim().trim_matches('"').trim();
    let split = |open: char, close: char| head.strip_suffix(close).and_then(|h| h.rsplit_once(open));
    let (name, unit) = split('[', ']').or_else(|| split('(', ')')).unwrap_or((head, ""));
    Column { name: name.trim().to_ascii_lowercase(), unit: unit.trim().to_string() }
}

/// The name of a time without its unit, and that unit.
fn time_name(name: &str) -> Option<(&str, Option<f64>)> {
    if TIME_NAMES.contains(&name) {
        return Some((name, None));
    }
    let (base, unit) = name.rsplit_once('_')?;
    TIME_NAMES.contains(&base).then(|| size(TIMES, unit).map(|size| (base, Some(size)))).flatten()
}

fn time_column(columns: &[Column]) -> Result<usize, String> {
    let found: Vec<usize> = (0..columns.len()).filter(|i| time_name(&columns[*i].name).is_some()).collect();
    let named = |i: usize| columns[i].name.as_str();
    match found.as_slice() {
        [one] => Ok(*one),
        [] => {
            let known: Vec<&str> = columns.iter().map(|c| c.name.as_str()).collect();
            Err(format!(
                "no column is a time; name it `time_s`, `t` or `stamp_ns`, or give --columns time=NAME; the file has: {}",
                known.join(", ")
            ))
        }
        // A time and a stamp: the stamp is that of the sender, the time ours.
        [first, ..] if found.iter().any(|i| named(*i).starts_with("time")) => {
            Ok(found.iter().copied().find(|i| named(*i).starts_with("time")).unwrap_or(*first))
        }
        several => {
            let names: Vec<&str> = several.iter().map(|i| named(*i)).collect();
            Err(format!("several columns are times: {}; choose one with --columns time=NAME", names.join(", ")))
        }
    }
}

/// Seconds in one unit of a time column.
fn time_unit(column: &Column) -> Result<f64, String> {
    let of_name = time_name(&column.name).and_then(|(_, unit)| unit);
    let of_unit = match column.unit.as_str() {
        "" => None,
        unit => Some(size(TIMES, unit).ok_or_else(|| {
            format!("unknown unit `{unit}` of column `{}`; use s, ms, us or ns, or give --units", column.name)
        })?),
    };
    match (of_name, of_unit) {
        (Some(a), Some(b)) if a != b => Err(format!(
            "column `{} [{}]` names two units; give the right one with --units",
            column.name, column.unit
        )),
        (Some(size), _) | (None, Some(size)) => Ok(size),
        (None, None) => Ok(1.0),
    }
}

type Mapped<'a> = dyn Fn(&str) -> Result<Option<usize>, String> + 'a;

/// The body and its seven columns.
fn pose_columns(
    columns: &[Column],
    options: &ReadOptions,
    mapped: &Mapped<'_>,
) -> Result<(String, [usize; 7]), String> {
    let mut given = [None; 7];
    for (slot, names) in given.iter_mut().zip(PARTS) {
        *slot = mapped(names[0])?;
    }
    if given.iter().all(Option::is_some) {
        return Ok((options.subject.clone().unwrap_or_default(), given.map(|i| i.unwrap_or(0))));
    }
    let mut bodies: BTreeMap<String, [Option<usize>; 7]> = BTreeMap::new();
    for (i, Column { name, .. }) in columns.iter().enumerate() {
        for (k, names) in PARTS.iter().enumerate() {
            for part in names.iter() {
                let prefix = match name.strip_suffix(part) {
                    Some("") => Some(""),
                    Some(rest) => rest.strip_suffix(['/', '.', '_', ':', ' ']),
                    None => None,
                };
                if let Some(prefix) = prefix {
                    bodies.entry(prefix.to_string()).or_default()[k].get_or_insert(i);
                }
            }
        }
    }
    for parts in bodies.values_mut() {
        parts.iter_mut().zip(given).for_each(|(part, given)| *part = given.or(*part));
    }
    bodies.retain(|_, parts| parts.iter().all(Option::is_some));
    let names: Vec<&str> = bodies.keys().map(String::as_str).collect();
    let chosen = match (&options.subject, names.as_slice()) {
        (_, []) => {
            return Err(
                "no body has all of x, y, z, qw, qx, qy, qz; name the columns with --columns x=NAME,y=NAME,…".into(),
            );
        }
        (Some(wanted), _) => names
            .iter()
            .find(|n| n.eq_ignore_ascii_case(wanted))
            .copied()
            .ok_or_else(|| format!("no body `{wanted}`; the file has: {}", names.join(", ")))?,
        (None, [one]) => one,
        (None, several) => {
            return Err(format!("the file has several bodies; choose with --subject: {}", several.join(", ")));
        }
    };
    Ok((chosen.to_string(), bodies[chosen].map(|i| i.unwrap_or(0))))
}

#[cfg(test)]
mod tests {
    use super::super::units::Units;
    use super::*;

    fn said(head: &str) -> String {
        parse(head, &ReadOptions::default()).unwrap_err()
    }

    #[test]
    fn units_separators_and_capitals_are_understood() {
        let plain = parse("time [ms],x [mm],y [cm],z [m],qw,qx,qy,qz", &ReadOptions::default()).unwrap();
        assert_eq!((plain.time, plain.scale), ((0, 1e6), [1e-3, 1e-2, 1.0]));
        assert_eq!(plain.remarks.len(), 1);
        let other =
            parse("Time_us;Body/X;Body/Y;Body/Z;Body/QW;Body/QX;Body/QY;Body/QZ", &ReadOptions::default()).unwrap();
        assert_eq!((other.separator, other.time, other.body.as_str()), (b';', (0, 1e3), "body"));
        let units = Units { length_m: Some(1e-3), time_s: Some(60.0) };
        let forced = ReadOptions { units, ..ReadOptions::default() };
        let forced = parse("t,x [m],y [m],z [m],qw,qx,qy,qz", &forced).unwrap();
        assert_eq!((forced.time.1, forced.scale), (60e9, [1e-3; 3]));
    }

    #[test]
    fn columns_can_be_mapped() {
        let columns =
            [("time", "Clock"), ("x", "A"), ("y", "B"), ("z", "C")].map(|(a, b)| (a.to_string(), b.to_string()));
        let options = ReadOptions { columns: columns.into_iter().collect(), ..ReadOptions::default() };
        let found = parse("clock,a,b,c,qw,qx,qy,qz", &options).unwrap();
        assert_eq!((found.time.0, found.pose), (0, [1, 2, 3, 4, 5, 6, 7]));
        assert!(parse("clock,a,b,d,qw,qx,qy,qz", &options).unwrap_err().contains("--columns names `C` for z"));
    }

    #[test]
    fn wrong_headers_are_explained() {
        let rest = "x,y,z,qw,qx,qy,qz";
        assert!(said(&format!("t,x,{rest}")).contains("columns 2 and 3 are both named `x`"));
        assert!(said(&format!("time [h],{rest}")).contains("unknown unit `h`"));
        assert!(said(&format!("time_ms [s],{rest}")).contains("two units"));
        assert!(said("t,x [yd],y,z,qw,qx,qy,qz").contains("unknown unit `yd` of column `x`"));
        assert!(said("t,x,y,z,qw [deg],qx,qy,qz").contains("a quaternion has none"));
        assert!(said("0.0,1,2,3,1,0,0,0").contains("has numbers"));
        assert!(said("t,x,y,z").contains("no body has all of"));
        assert!(said(rest).contains("no column is a time"));
    }
}
