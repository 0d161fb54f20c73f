//! Units and orders of numbers in files: what a file says, and what the user says instead.

/// Order of the numbers of a quaternion in a file whose columns do not name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuatOrder {
    /// Real part first.
    Wxyz,
    /// Real part last.
    Xyzw,
}

impl QuatOrder {
    /// w x y z from four numbers in this order.
    pub fn wxyz(self, q: [f64; 4]) -> [f64; 4] {
        match self {
            Self::Wxyz => q,
            Self::Xyzw => [q[3], q[0], q[1], q[2]],
        }
    }
}

/// Names of units of length and their size in metres.
pub const LENGTHS: &[(&str, f64)] = &[
    ("m", 1.0),
    ("meters", 1.0),
    ("metres", 1.0),
    ("cm", 1e-2),
    ("centimeters", 1e-2),
    ("mm", 1e-3),
    ("millimeters", 1e-3),
    ("millimetres", 1e-3),
    ("in", 0.0254),
    ("inches", 0.0254),
    ("ft", 0.3048),
    ("feet", 0.3048),
];

/// Names of units of time and their size in seconds.
pub const TIMES: &[(&str, f64)] = &[
    ("s", 1.0),
    ("sec", 1.0),
    ("seconds", 1.0),
    ("ms", 1e-3),
    ("us", 1e-6),
    ("µs", 1e-6),
    ("ns", 1e-9),
    ("min", 60.0),
];

/// The size of a unit, capitals or not.
pub fn size(units: &[(&str, f64)], name: &str) -> Option<f64> {
    units.iter().find(|(unit, _)| unit.eq_ignore_ascii_case(name)).map(|(_, size)| *size)
}

/// Units that the user gives instead of those of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Units {
    /// Size of the unit of length [m].
    pub length_m: Option<f64>,
    /// Size of the unit of time [s].
    pub time_s: Option<f64>,
}

impl Units {
    /// From words such as `mm`, `ms` or `mm,ms`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut out = Self::default();
        for word in text.split(',').map(str::trim) {
            match (size(LENGTHS, word), size(TIMES, word)) {
                (Some(length), _) if out.length_m.is_none() => out.length_m = Some(length),
                (None, Some(time)) if out.time_s.is_none() => out.time_s = Some(time),
                (None, None) => {
                    let names = |units: &[(&str, f64)]| units.iter().map(|(n, _)| *n).collect::<Vec<_>>().join(", ");
                    return Err(format!(
                        "`{word}` is not a unit; lengths are {}; times are {}",
                        names(LENGTHS),
                        names(TIMES)
                    ));
                }
                _ => return Err(format!("`{text}` names two units of one kind; give one length and one time")),
            }
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_parsed_and_wrong_ones_are_named() {
        let both = Units::parse("mm, ms").unwrap();
        assert_eq!((both.length_m, both.time_s), (Some(1e-3), Some(1e-3)));
        assert_eq!(Units::parse("IN").unwrap(), Units { length_m: Some(0.0254), time_s: None });
        assert!(Units::parse("yard").unwrap_err().contains("`yard` is not a unit"));
        assert!(Units::parse("m,mm").unwrap_err().contains("two units"));
        assert_eq!(QuatOrder::Xyzw.wxyz([1.0, 2.0, 3.0, 4.0]), [4.0, 1.0, 2.0, 3.0]);
    }
}
